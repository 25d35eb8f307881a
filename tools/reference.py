"""Writes docs/reference from docstrings, signatures and help texts; with --check it only says what is out of date."""

import argparse
import ast
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import click

from quorate import catalogue, errors
from quorate.model.specs import ProtocolSpec
from quorate.service.policy import POLICIES
from quorate.settings.keywords import Keywords
from quorate.settings.table import TABLE
from tools.options import configuration, keywords
from tools.providers import INTRO, providers

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "reference"
CONFIGURATION = PAGES / "configuration.md"
LONG = 80
NOTE = "<!-- Written by `make docs`; change the source, not this page. -->\n"
NOT_RUN = "<!-- not run: a signature; `make docs-check` compares it with the source -->"

GRAPHS = (
    "What `quorate.doors.langgraph` offers (`quorate[langgraph]`). How to use it is in "
    "[Use it in LangGraph](../how-to/langgraph.md)."
)

EVALUATIONS = (
    "What `quorate.doors.inspect_ai` offers (`quorate[inspect]`). How to use it is in "
    "[Use it in inspect_ai](../how-to/inspect-ai.md)."
)

ROOMS: dict[catalogue.Kind, tuple[str, str, str]] = {
    "protocol": (
        "protocols.md",
        "Protocols",
        "Who speaks when, and what they are shown. Choose one with `--protocol`.",
    ),
    "rule": ("rules.md", "Rules", "A rule looks at the tally and speaks, or stays silent and the next one is asked."),
    "check": ("checks.md", "Checks", "May this question be put at all?"),
    "form": ("forms.md", "Forms", "How a ballot is written, and how words are read into one."),
    "count": ("counts.md", "Ways to count", "From ballots to a tally."),
}


POLICIES_INTRO = (
    "Every request takes the same steps, whichever interface it comes by: `read_settings`, `choose_protocol`, "
    "`apply_defaults`, `require_consent`, `check_fit`, `attach_files`, `pick_models`, `convene`, `recall_precedents`, "
    "`certify_threshold`, `check_budget`. What an interface may not do is listed here, with the reason. "
    "What isn't listed, it may."
)


def policies() -> Iterator[str]:
    """What each interface restricts, from the one table of policies."""
    for policy in POLICIES.values():
        yield f"## {policy.interface}\n"
        if policy.usual_protocol:
            yield f"Without a protocol or a panel it holds a {policy.usual_protocol}.\n"
        if not policy.restrictions:
            yield "No restrictions.\n"
            continue
        yield "| restriction | why |\n|---|---|"
        yield from (f"| {what.value} | {why} |" for what, why in policy.restrictions.items())
        yield ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    check = parser.parse_args().check
    stale = [path for path, text in pages() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is out of date: make docs' if check else 'written'}")
    if not check:
        for path, text in pages():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


def pages() -> Iterator[tuple[Path, str]]:
    yield ROOT / "src" / "quorate" / "settings" / "keywords.py", keywords()
    yield CONFIGURATION, configuration(CONFIGURATION.read_text(encoding="utf-8"))
    for kind, (file, title, intro) in ROOMS.items():
        yield PAGES / file, page(title, intro, (thing(kind, name) for name in catalogue.names(kind)))
    yield PAGES / "policies.md", page("What interfaces may not do", POLICIES_INTRO, policies())
    yield PAGES / "errors.md", page("Errors", "Every error, as a tree. Outcomes are not errors.", error_sections())
    yield PAGES / "python.md", page("Python", "What `import quorate` offers.", exports())
    yield PAGES / "testing.md", page("Stand-ins for tests", "What `quorate.testing` offers.", stand_ins())
    yield PAGES / "providers.md", page("Providers", INTRO, providers())
    if find_spec("quorate.doors.langgraph"):
        yield PAGES / "langgraph.md", page("LangGraph", GRAPHS, graphs())
    if find_spec("quorate.doors.inspect_ai"):
        yield PAGES / "inspect-ai.md", page("inspect_ai", EVALUATIONS, offers("quorate.doors.inspect_ai"))
    if find_spec("quorate.doors.web"):
        from tools import http  # noqa: PLC0415 - the door's libraries are an extra

        yield PAGES / "http.md", page("HTTP API", http.INTRO, http.routes())
    if find_spec("quorate.doors.cli"):
        yield PAGES / "command-line.md", page("Command line", "Every command and its options.", commands())


def page(title: str, intro: str, sections: Iterator[str]) -> str:
    return "\n".join((NOTE, f"# {title}\n", f"{intro}\n", *sections))


def thing(kind: catalogue.Kind, name: str) -> str:
    """The section of one protocol, rule, check, form or way to count."""
    lines = [f"## {name}\n", f"{inspect.getdoc(catalogue.module(kind, name))}\n"]
    if kind == "protocol":
        lines += declared(catalogue.protocol(name))
    if kind == "rule" and catalogue.rule(name).cap is not None:
        lines.append("A cap: it is asked after the rules, and may only make the outcome more careful.\n")
    if settings := settings_of(kind, name):
        lines += ["| setting | takes | default |", "|---|---|---|"]
        lines += [f"| `{one.name}` | {cell(one.choices)} | {default(one)} |" for one in settings]
        lines.append("")
    return "\n".join(lines)


def settings_of(kind: catalogue.Kind, name: str) -> tuple[catalogue.Setting, ...]:
    match kind:
        case "protocol":
            spec = catalogue.protocol(name)
            own, fixed = catalogue.settings(spec.protocol), dict(spec.count.settings)
            taken = {one.name for one in own} | fixed.keys()
            counting = catalogue.settings(catalogue.count(spec.count.name).count)
            return (*own, *(one for one in counting if one.name not in taken))
        case "rule":
            return catalogue.settings(catalogue.rule(name).function)
        case "check":
            return catalogue.settings(catalogue.check(name).check)
        case "count":
            return catalogue.settings(catalogue.count(name).count)
        case "form":
            return ()


def default(setting: catalogue.Setting) -> str:
    if setting.default is inspect.Parameter.empty:
        return "must be given"
    return f"`{setting.default}`" if str(setting.default) else "nothing"


def declared(spec: ProtocolSpec) -> Iterator[str]:
    """What a protocol declares beside its function."""
    yield f"- form: [{spec.form}](forms.md#{spec.form})"
    yield f"- counted by: [{spec.count.name}](counts.md#{spec.count.name})"
    yield f"- outcomes, the boldest first: {', '.join(spec.outcomes) or 'whatever the seats name'}"
    yield f"- rulebook unless you say otherwise: `{spec.rulebook.name}`"
    yield ""


def error_sections() -> Iterator[str]:
    classes = {
        name: one for name, one in vars(errors).items() if inspect.isclass(one) and one.__module__ == errors.__name__
    }
    yield "".join(f"{'  ' * depth(one)}- `{name}`: {first_line(one)}\n" for name, one in classes.items())


def depth(one: type) -> int:
    return sum(base.__module__ == errors.__name__ for base in one.__mro__) - 1


def exports() -> Iterator[str]:
    front = import_module("quorate")
    for name in sorted(getattr(front, "__all__", ())):
        value = getattr(front, name)
        if callable(value):
            shown = f"{NOT_RUN}\n```python\n{name}{signature(value)}\n```"
            yield f"## {name}\n\n{shown}\n\n{said_of(value)}\n"
    yield options(import_module("quorate.doors.python").Options)


def offers(door_name: str) -> Iterator[str]:
    """The functions of a door, and what may be given to them."""
    door = import_module(door_name)
    for name in door.__all__:
        value = getattr(door, name)
        if inspect.isfunction(value):
            yield f"## {name}\n\n{NOT_RUN}\n```python\n{name}{signature(value)}\n```\n\n{whole(value)}\n"
    yield options(door.Options)


def graphs() -> Iterator[str]:
    state = import_module("quorate.doors.langgraph.state")
    yield from offers("quorate.doors.langgraph")
    yield f"## DeliberationState\n\n{first_line(state.DeliberationState)}\n\n| key | holds | |\n|---|---|---|"
    for kind, way in ((state.GraphInput, "given"), (state.GraphOutput, "told")):
        for field in class_fields(kind):
            yield f"| `{ast.unparse(field.target)}` | `{cell(ast.unparse(field.annotation))}` | {way} |"
    yield ""


def stand_ins() -> Iterator[str]:
    testing = import_module("quorate.testing")
    for name in testing.__all__:
        value = getattr(testing, name)
        if callable(value):
            yield f"## {name}\n\n{NOT_RUN}\n```python\n{name}{signature(value)}\n```\n\n{inspect.getdoc(value)}\n"
        else:
            yield f"## {name}\n\n{', '.join(f'`{one}`' for one in value)}\n"


def said_of(value: object) -> str:
    """The first line, and what it raises."""
    listed = raised(value)
    return f"{first_line(value)}\n\n{listed}" if listed and not inspect.isclass(value) else first_line(value)


def whole(value: object) -> str:
    """Everything that is said of it, and what it raises."""
    said = (inspect.getdoc(value) or "").partition("Raises:\n")[0].strip()
    return f"{said}\n\n{raised(value)}".rstrip()


def raised(value: object) -> str:
    errors_ = (inspect.getdoc(value) or "").partition("Raises:\n")[2]
    return "\n".join(f"- raises {line.strip()}" for line in errors_.splitlines() if line.strip())


def options(kind: type) -> str:
    """What may be given beside a question, with what is written below a field."""
    order = [option.name for option in TABLE]
    takes = {
        ast.unparse(one.target): ast.unparse(one.annotation) for one in (*class_fields(Keywords), *class_fields(kind))
    }
    names = sorted(takes, key=lambda name: order.index(name) if name in order else len(order))
    notes = {**field_notes(Keywords), **field_notes(kind)}
    rows = "\n".join(f"| `{name}` | `{cell(takes[name])}` |" for name in names)
    said = "".join(f"\n- `{name}`: {notes[name]}" for name in names if name in notes)
    return f"## Options\n\n{first_line(kind)}\n\n| option | takes |\n|---|---|\n{rows}\n{said and said + chr(10)}"


def signature(value: object) -> str:
    """As it is written, so that the page does not depend on how a Python version prints types."""
    tree = parsed(value)
    match tree:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return f"({ast.unparse(tree.args)})" + (f" -> {ast.unparse(tree.returns)}" if tree.returns else "")
        case ast.ClassDef(body=body) if not class_fields(value):
            begin = (one for one in body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
            return next((f"({ast.unparse(one.args)})".replace("(self, ", "(", 1) for one in begin), "()")
        case ast.ClassDef():
            fields = [field_line(one) for one in class_fields(value)]
            short = f"({', '.join(fields)})"
            return short if len(short) <= LONG else "(\n" + "".join(f"    {one},\n" for one in fields) + ")"
        case _:
            return ""


def parsed(value: object) -> ast.stmt | None:
    try:
        return ast.parse(inspect.cleandoc("\n" + inspect.getsource(value))).body[0]  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None


def class_fields(value: object) -> list[ast.AnnAssign]:
    tree = parsed(value)
    return [one for one in tree.body if isinstance(one, ast.AnnAssign)] if isinstance(tree, ast.ClassDef) else []


def field_notes(value: object) -> dict[str, str]:
    """What stands below a field of a class, in a string of its own."""
    tree = parsed(value)
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        ast.unparse(one.target): inspect.cleandoc(str(note.value.value))
        for one, note in pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant)
    }


def field_line(one: ast.AnnAssign) -> str:
    """A field as a caller writes it: how a dataclass keeps its default is nobody's concern."""
    match one.value:
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            given = next((word.value for word in keywords if word.arg == "default"), None)
        case given:
            pass
    head = f"{ast.unparse(one.target)}: {ast.unparse(one.annotation)}"
    return head if given is None else f"{head} = {ast.unparse(given)}"


def commands() -> Iterator[str]:
    cli = import_module("quorate.doors.cli.command_group")
    group = next(value for value in vars(cli).values() if isinstance(value, click.Group))
    yield help_section(cli)
    for name in group.list_commands(click.Context(group)):
        yield help_section(cli, name)


def help_section(cli: ModuleType, *words: str) -> str:
    """The help as a person sees it on a screen of 80 columns; the test of the docs runs it again."""
    title = " ".join(("quorate", *words))
    os.environ["COLUMNS"] = "80"
    with redirect_stdout(StringIO()) as said:
        cli.run([*words, "--help"])
    return f"## {title}\n\n```console\n$ {title} --help\n{said.getvalue()}```\n"


def first_line(value: object) -> str:
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    return "" if own is None or own.startswith(f"{getattr(value, '__name__', '')}(") else own.splitlines()[0]


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
