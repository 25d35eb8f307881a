"""Runs a page: every block in order, in a folder, a home and a ledger of its own."""

import importlib
import io
import json
import os
import re
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from quorate import catalogue, presets
from quorate.plugins import forget_plugins
from quorate.reading.text.answer_file import read_file
from quorate.settings.layers import user_file_values
from quorate.settings.panel_file import load_charter
from quorate.settings.route_table import load_table
from tests.docs.compare import difference
from tests.docs.models import SHOWN, Models
from tests.docs.page import Block
from tests.docs.shell import Said, Shell

KEPT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV")
HOME = "/srv/you"
STATED = re.compile(r"# ?(?:→|>) ?(.*)$")
CTRL_C = "^C"

Shown = Callable[[Block, str, str, str], None]
"""Told of every command and its output: block, command, what the page expects, what came."""


def unseen(_block: Block, _command: str, _expected: str, _came: str, /) -> None:
    """Nobody looks on."""


class Page:
    """A page while it is run."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, models: Models, tell: Shown = unseen) -> None:
        self._home = folder / "home"
        self._work = self._home / "work"
        self._work.mkdir(parents=True)
        self._models = models
        self._tell = tell
        self._names: dict[str, object] = {"__name__": "__main__"}
        self._shell = Shell(patch.setenv)
        for name in set(os.environ) - set(KEPT):
            patch.delenv(name)
        for name, value in {"HOME": str(self._home), "COLUMNS": "80", "PYTHONPATH": str(self._work)}.items():
            patch.setenv(name, value)
        patch.chdir(self._work)
        patch.syspath_prepend(str(self._work))
        models.begin()

    def faults(self, blocks: list[Block]) -> Iterator[str]:
        """Run every block; whatever is not as the page says."""
        for place, block in enumerate(blocks):
            after = blocks[place + 1] if place + 1 < len(blocks) else None
            later = "".join(one.text for one in blocks[place + 1 :])
            try:
                yield from (f"{block.place}: {fault}" for fault in self._faults(block, after, later))
            except Exception:  # noqa: BLE001 - whatever a page does wrong is told with its place
                yield f"{block.place}: {traceback.format_exc(limit=-4)}"

    def _faults(self, block: Block, after: Block | None, later: str) -> Iterator[str]:
        if block.file:
            self._keep(block)
            if Path(block.file).name.removesuffix(".py") not in later and "config.yaml" not in block.file:
                yield f"no later block uses {block.file}"
        if not block.not_run:
            yield from self._ran(block, after)

    def _ran(self, block: Block, after: Block | None) -> Iterator[str]:
        match block.language:
            case "console":
                yield from self._console(block)
            case "python" if not block.file:
                yield from self._python(block, after)
            case "yaml" | "json" | "toml":
                self._load(block)
            case "installed":
                self._install(Path(block.text))
            case "text" | "python" if block.file or block.follows:
                pass
            case _:
                yield f"a block of {block.language or 'no'} language that is neither run nor declared not run"

    def _real(self, text: str) -> str:
        return text.replace(SHOWN, f"127.0.0.1:{self._models.port}").replace(HOME, str(self._home))

    def _shown(self, text: str) -> str:
        return text.replace(f"127.0.0.1:{self._models.port}", SHOWN).replace(str(self._home), HOME)

    def _keep(self, block: Block) -> None:
        path = Path(block.file.replace("~", str(self._home)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._real(block.text), encoding="utf-8")

    def _console(self, block: Block) -> Iterator[str]:
        for command, expected in commands(block.text):
            came = self._run(self._real(command), expected)
            if expected.strip() == "…" and came.seen and not self._shell.code:
                continue  # it says something and does what it should; the page leaves out what
            yield from self._compared(block, command, expected.replace(f"{CTRL_C}\n", ""), came)

    def _run(self, command: str, expected: str) -> Said:
        if CTRL_C in expected.splitlines():
            try:
                return self._shell.interrupted(command, self._models.stuck)
            finally:
                self._models.calm()
        return self._shell.run(command)

    def _compared(self, block: Block, command: str, expected: str, came: Said) -> Iterator[str]:
        """A page shows what a person sees, or of that what went to stdout."""
        seen, out = (self._shown(text) for text in came)
        self._tell(block, command, expected, seen)
        differs = difference(expected, seen)
        if differs and difference(expected, out):
            yield f"{command}\n{differs}"

    def _python(self, block: Block, after: Block | None) -> Iterator[str]:
        written = io.StringIO()
        code = compile(self._real(block.text), block.place, "exec")
        with redirect_stdout(written):
            exec(code, self._names)  # noqa: S102 - running the page is what this is for
        expected = stated(block.text)
        if after is not None and after.language == "text" and after.follows and not (after.file or after.not_run):
            expected = after.text
        yield from self._compared(block, "python", expected, Said(written.getvalue(), written.getvalue()))

    def _load(self, block: Block) -> None:
        """Read a file as the product does: ballots, a table of a project, a user's configuration, else a panel."""
        path = Path(block.file.replace("~", str(self._home)) or f"block-{block.line}.{block.language}")
        path.write_text(self._real(block.text), encoding="utf-8")
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json" and isinstance(json.loads(block.text), list):
            read_file(block.text, "", rounds=False)
        elif path.name == "config.yaml":
            user_file_values(path, str(path), needed=True)
        elif path.name == "routes.yaml":
            load_table(str(path))
        else:
            load_charter(str(path))

    def _install(self, project: Path) -> None:
        """What `pip install` leaves behind for `importlib.metadata`: a name, a version and the entry points."""
        about = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
        folder = Path(f"{about['name'].replace('-', '_')}-{about['version']}.dist-info")
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
        groups = about.get("entry-points", {}).items()
        lines = (f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups)
        (folder / "entry_points.txt").write_text("\n".join(lines))
        self._anew()

    def _anew(self) -> None:
        """As if the program were started again: what is installed is looked up once a run."""
        importlib.invalidate_caches()
        forget_plugins()
        for looked_up in (catalogue.names, catalogue.module, catalogue.protocols, presets.panels, presets.rulebooks):
            looked_up.cache_clear()
        for spec in (catalogue.protocol, catalogue.form, catalogue.count, catalogue.rule, catalogue.check):
            spec.cache_clear()

    def close(self) -> None:
        """Forget what the page has installed, and imported from its own folder."""
        self._anew()
        for name, module in list(sys.modules.items()):
            places = (getattr(module, "__file__", None) or "", *getattr(module, "__path__", ()))
            if any(str(place).startswith(str(self._work)) for place in places):
                del sys.modules[name]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output it should have."""
    lines = text.splitlines()
    if lines and not lines[0].startswith("$ "):
        raise ValueError("a console block begins with a command: $ …")
    starts = [place for place, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
        command = lines[start].removeprefix("$ ")
        while command.endswith("\\"):
            start += 1  # noqa: PLW2901 - the command goes on
            command = command.removesuffix("\\").rstrip() + " " + lines[start].removeprefix("> ").strip()
        yield command, "".join(f"{line}\n" for line in lines[start + 1 : end])


def stated(code: str) -> str:
    """The output that the comments of a script state: `# → this`."""
    return "".join(f"{found[1]}\n" for line in code.splitlines() if (found := STATED.search(line)))
