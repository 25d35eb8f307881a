"""One deliberation as one HTML file: the page itself with the record inside. It opens from disk and asks nobody."""

import json
import posixpath
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import zip_longest
from typing import Final

from quorate import chair
from quorate.views import VIEWS, Record
from quorate.views.escape import one_line, visible_json
from quorate.views.floor import floor
from quorate.views.html_card import html_card, policy_hash

__all__ = ["bundle", "html_report", "page_files", "safe_json", "variable"]

PAGE: Final = "doors/web/page"
OWN_VIEWS: Final = ("debate", "oracle")
"""What the page shows of a protocol besides its floor, by the view it is drawn from."""


def html_report(record: Record) -> str:
    """The whole deliberation as one file; its policy lets nothing run or be fetched that is not in it.

    Raises:
        ValueError: the page's own files cannot be put into one.
    """
    page = page_files()
    opening = page["index.html"]
    style = "".join(page[name] for name in re.findall(r'href="static/([\w./-]+\.css)"', opening))
    (entry,) = re.findall(r'src="static/([\w./-]+\.js)"', opening)
    script = bundle(page, entry)
    return _TEMPLATE.format(
        policy=_POLICY.format(script=policy_hash(script), style=policy_hash(style)),
        title=escape(one_line(record.state.convened.question.text, 120)),
        icon=b64encode(page["icon.svg"].encode()).decode(),
        style=style,
        card=html_card(record, styled=False),
        data=safe_json(_data(record)),
        script=script,
    )


def _data(record: Record) -> dict[str, object]:
    convened = record.state.convened
    return {
        "id": record.id,
        "question": convened.question.text,
        "made": f"Deliberation {record.id}, {len(record.events)} entries, made by {convened.made_by or 'quorate'}.",
        "entries": [*_entries(record)],
        "views": {name: _view(name, record) for name in OWN_VIEWS if VIEWS[name].fits(convened.protocol)},
    }


def _view(name: str, record: Record) -> object:
    view = VIEWS[name]
    shown: object = getattr(import_module(view.module), view.function)(record)
    return shown


def _entries(record: Record) -> Iterator[dict[str, object]]:
    state: chair.State | None = None
    for at, (event, time) in enumerate(zip_longest(record.events, record.times[: len(record.events)], fillvalue="")):
        if isinstance(event, str):
            return
        state = state.after(event) if state else chair.replay([event])
        yield {"number": at + 1, "time": time, "floor": floor(event, state)}


def safe_json(data: object) -> str:
    """JSON that can stand in a script element: nothing in it ends the element, opens a comment or steers a reader."""
    # Not the faster encoder: it refuses half a character, and a reply may hold one.
    return visible_json(json.dumps(data, ensure_ascii=False, allow_nan=False)).translate(_UNMARKED)


_UNMARKED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def page_files() -> Mapping[str, str]:
    """The page's own files by their path, as text."""
    return dict(_walk(files("quorate").joinpath(PAGE), ""))


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _walk(one, f"{path}{one.name}/")
        elif one.name.endswith((".html", ".css", ".js", ".svg")):
            yield f"{path}{one.name}", one.read_text(encoding="utf-8")


_IMPORT: Final = re.compile(r'(?:^|(?<=;))import\s*(?:\{([^}]*)\}|(\w+))\s*from\s*"(\./[\w./-]+)";?', re.MULTILINE)
_PASSED_ON: Final = re.compile(r'(?:^|(?<=;))export\s*\{([^}]*)\}\s*from\s*"(\./[\w./-]+)";?', re.MULTILINE)
_LIST: Final = re.compile(r"(?:^|(?<=[;}]))export\s*\{([^}]*)\};?", re.MULTILINE)
_DEFAULT: Final = re.compile(r"(?:^|(?<=;))export default function\s*\(", re.MULTILINE)
_DECLARED: Final = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
_LEFT: Final = re.compile(r"(?:^|(?<=;))(?:import|export)\b(?!\()|</script|<!--", re.MULTILINE | re.IGNORECASE)


@dataclass(slots=True)
class _Module:
    """A module as it stands in the bundle: what it needs, its text without imports and exports, and what it gives."""

    path: str
    body: str
    needs: list[str] = field(default_factory=list[str])
    gives: dict[str, str] = field(default_factory=dict[str, str])

    def take_apart(self) -> None:
        """Turn imports and exports into plain declarations.

        Raises:
            ValueError: one of them has another form.
        """
        changes = (self._imported, self._passed_on, self._listed, self._default, self._declared)
        for pattern, change in zip((_IMPORT, _PASSED_ON, _LIST, _DEFAULT, _DECLARED), changes, strict=True):
            self.body = pattern.sub(change, self.body)
        if left := _LEFT.search(self.body):
            raise ValueError(f"module {self.path!r} holds {left[0]!r} in a form that cannot be put into one file")

    def _needed(self, there: str) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), there))
        self.needs.append(path)
        return variable(path)

    def _imported(self, found: re.Match[str]) -> str:
        if found[2]:
            return f"const {found[2]} = {self._needed(found[3])}.default;"
        names = ", ".join(f"{outer}: {inner}" for outer, inner in _names(found[1]))
        return f"const {{ {names} }} = {self._needed(found[3])};"

    def _passed_on(self, found: re.Match[str]) -> str:
        source = self._needed(found[2])
        self.gives |= {outer: f"{source}.{inner}" for inner, outer in _names(found[1])}
        return ""

    def _listed(self, found: re.Match[str]) -> str:
        self.gives |= {outer: inner for inner, outer in _names(found[1])}
        return ""

    def _default(self, _: re.Match[str]) -> str:
        self.gives["default"] = "$default"
        return "const $default=function("

    def _declared(self, found: re.Match[str]) -> str:
        self.gives[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    def written(self) -> str:
        given = ", ".join(f"{outer}: {inner}" for outer, inner in self.gives.items())
        return f"const {variable(self.path)} = (() => {{\n{self.body.strip()}\nreturn {{ {given} }};\n}})();\n"


def _names(listed: str) -> Iterator[tuple[str, str]]:
    """Of `a, b as c` each pair: what it is called there, and here."""
    for one in filter(None, (part.strip() for part in listed.split(","))):
        there, _, here = one.partition(" as ")
        yield there.strip(), (here or there).strip()


def variable(path: str) -> str:
    """What a module is called in the bundle."""
    return "m_" + re.sub(r"\W", "_", path.removesuffix(".js"))


def bundle(sources: Mapping[str, str], entry: str) -> str:
    """ES modules as one plain script, each in a function of its own, those that are needed first.

    They import `{ names }` or one default from a path that begins with `./`, and export declarations, lists or one
    default function: no other form is used on the page, and any other is refused.

    Raises:
        ValueError: a module is missing, needs itself, or has another form.
    """
    order: dict[str, _Module] = {}
    _collect(sources, entry, order, ())
    return '"use strict";\n' + "".join(module.written() for module in order.values())


def _collect(sources: Mapping[str, str], path: str, order: dict[str, _Module], above: tuple[str, ...]) -> None:
    if path in order:
        return
    if path in above or path not in sources:
        raise ValueError(f"module {path!r} {'needs itself' if path in above else 'is missing'}")
    module = _Module(path, sources[path])
    module.take_apart()
    for needed in module.needs:
        _collect(sources, needed, order, (*above, path))
    order[path] = module


_POLICY: Final = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'"
)
_TEMPLATE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title} · quorate</title>
<link rel="icon" href="data:image/svg+xml;base64,{icon}">
<style>{style}</style>
</head>
<body>
<div id="page">{card}</div>
<script type="application/json" id="record">{data}</script>
<script>{script}</script>
</body>
</html>
"""
