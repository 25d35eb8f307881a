"""`quorate mcp`: a panel inside any assistant that speaks the Model Context Protocol, and its set-up in clients."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import is_terminal, note, say
from quorate.errors import BadSetting
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["mcp"]

NAME: Final = "quorate"
"""What the server is called in a client."""
APPLICATIONS: Final = "Library/Application Support"


@click.group(invoke_without_command=True, epilog="\b\nExamples:\n  quorate mcp install claude-code\n  quorate mcp")
@click.option(
    "--answer-within",
    metavar="TIME",
    help="Answer a call within this time, with what there is; default: 45s, because many clients give up after 60.",
)
@click.option(
    "--reviews",
    is_flag=True,
    help="Offer the tools review and record_outcome too. A review that comes this way can only make a gate stricter.",
)
@click.option(
    "--trust-labels",
    is_flag=True,
    help="Let labels that the assistant records count for --act-error. It can then label its own past.",
)
@click.pass_context
def mcp(context: click.Context, answer_within: str | None, *, reviews: bool, trust_labels: bool) -> int:
    """Serve a panel to an assistant, over MCP.

    An assistant starts this command and talks to it on stdin and stdout, by the Model Context Protocol; nobody types
    here. Deliberations are held by processes of their own, so they go on when the assistant gives up, restarts or is
    closed.
    """
    if context.invoked_subcommand is not None:
        return DONE
    from quorate.service.value_readers import seconds

    within = {} if answer_within is None else {"answer_within": float(seconds(answer_within))}
    if is_terminal(sys.stdin):
        note("quorate: this waits for an assistant on stdin; to set one up: quorate mcp install CLIENT. Ctrl-C ends it")
    server = _server()
    held = server.Deliberations(**within, reviews=reviews, trust_labels=trust_labels)
    stopping.run(lambda: server.serve_stdio(held))
    return DONE


def _server() -> "ModuleType":
    """The door itself, which is an extra.

    Raises:
        BadSetting: it is not installed.
    """
    try:
        from quorate.doors.mcp import server
    except ModuleNotFoundError as wrong:
        raise BadSetting(f"quorate mcp needs {wrong.name!r}: pip install 'quorate[mcp]'") from None
    return server


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFile:
    """Where a client keeps its servers, under which field, and what else an entry there needs."""

    place: str
    on_macos: str = ""
    field: str = "mcpServers"
    is_typed: bool = False

    def path(self) -> Path:
        mac = self.on_macos if sys.platform == "darwin" else ""
        return Path.home() / (mac or self.place)

    def entry(self) -> dict[str, Any]:
        command, *arguments = _command()
        typed = {"type": "stdio"} if self.is_typed else {}
        return {**typed, "command": command, "args": arguments}


CLIENTS: Final = {
    "claude-code": ClientFile(place=".claude.json", is_typed=True),
    "claude-desktop": ClientFile(
        place=".config/Claude/claude_desktop_config.json",
        on_macos=f"{APPLICATIONS}/Claude/claude_desktop_config.json",
    ),
    "cursor": ClientFile(place=".cursor/mcp.json"),
    "vscode": ClientFile(
        place=".config/Code/User/mcp.json",
        on_macos=f"{APPLICATIONS}/Code/User/mcp.json",
        field="servers",
        is_typed=True,
    ),
    "codex": ClientFile(place=".codex/config.toml", field="mcp_servers"),
    "gemini": ClientFile(place=".gemini/settings.json"),
}


def _command() -> list[str]:
    """How a client starts us: the command beside this Python, by its whole path, because clients have other paths."""
    beside = Path(sys.executable).with_name(NAME)
    program = (
        [str(beside)] if beside.is_file() else [sys.executable, "-c", "from quorate.doors.cli import main; main()"]
    )
    return [*program, "mcp"]


@mcp.command(epilog="\b\nExamples:\n  quorate mcp install cursor\n  quorate mcp install codex --yes")
@click.argument("client", type=click.Choice(tuple(CLIENTS)))
@click.option("--file", "where", metavar="FILE", help="Another file of that client's, such as a project's .mcp.json.")
@click.option("--yes", is_flag=True, help="Write the change; without it, it is only shown.")
def install(client: str, where: str | None, *, yes: bool) -> int:
    """Add quorate to an assistant's list of servers.

    Shows the lines that would be added and changed. With --yes they are written, and the file as it was is kept beside
    it. Doing it twice changes nothing.
    """
    known = CLIENTS[client]
    path = Path(where) if where else known.path()
    before = _text(path)
    after = _with_toml(before, known, path) if path.suffix == ".toml" else _with_json(before, known, path)
    changes = [*_changes(before, after, path)]
    if not changes:
        note(f"quorate is in {str(path)!r} already; nothing to change")
        return DONE
    for line in changes:
        say(line)
    if not yes:
        option = f" --file {where}" if where else ""
        note(f"quorate: nothing was written to {str(path)!r}. To write it: quorate mcp install {client}{option} --yes")
        return DONE
    _write(path, after)
    note(f"quorate: written to {str(path)!r}; restart {client} to see it")
    return DONE


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadSetting(f"cannot read {str(path)!r}: {wrong}") from None


def _with_json(before: str, known: ClientFile, path: Path) -> str:
    """The file with our entry; everything else in it stays, in its order.

    Raises:
        BadSetting: it is no JSON object as we could write it again.
    """
    import json

    own = json.dumps({known.field: {NAME: known.entry()}}, indent=2)
    try:
        whole: Any = json.loads(before) if before.strip() else {}
        servers = whole.setdefault(known.field, {})
        servers[NAME] = {**servers.get(NAME, {}), **known.entry()}
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise BadSetting(
            f"{str(path)!r} is no plain JSON (it may hold comments), so it is left as it is. Add this to it: {own}"
        ) from None
    return f"{json.dumps(whole, indent=_indent(before), ensure_ascii=False)}\n"


def _indent(text: str) -> int | str:
    """How far the file indents: as it did before."""
    for line in text.splitlines():
        space = line[: len(line) - len(line.lstrip())]
        if space:
            return "\t" if "\t" in space else len(space)
    return 2


def _with_toml(before: str, known: ClientFile, path: Path) -> str:
    import json
    import tomllib

    entry = known.entry()
    try:
        there: Any = tomllib.loads(before).get(known.field, {}).get(NAME)
    except (tomllib.TOMLDecodeError, AttributeError) as wrong:
        raise BadSetting(f"{str(path)!r} cannot be read: {wrong}") from None
    if there is not None and {**there, **entry} == there:
        return before
    own = "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
    table = f"[{known.field}.{NAME}]\n{own}"
    if there is not None:
        raise BadSetting(f"{str(path)!r} names another {NAME} already; change it to:\n{table}")
    ends = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
    return f"{before}{ends}{table}"


def _changes(before: str, after: str, path: Path) -> Iterator[str]:
    """Lines that come and go, and none around them: those may hold keys of other servers."""
    import json
    from difflib import unified_diff

    was = before
    if path.suffix != ".toml" and before.strip():
        was = f"{json.dumps(json.loads(before), indent=_indent(before), ensure_ascii=False)}\n"
    name = str(path)
    yield from unified_diff(was.splitlines(), after.splitlines(), name, name, n=0, lineterm="")


def _write(path: Path, text: str) -> None:
    """Write it in one step, the mode it had kept, and what was there before beside it.

    Both files are new ones: under a name that can be guessed a link could wait, which leads anywhere.
    """
    import shutil
    from datetime import UTC, datetime
    from secrets import token_hex

    target = path.resolve()
    beside = target.with_name(f".{token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o600
        if target.exists():
            mode = target.stat().st_mode & 0o777
            kept = target.with_name(f"{target.name}.backup-{datetime.now(UTC):%Y%m%dT%H%M%S}-{token_hex(2)}")
            _create(kept, target.read_bytes(), mode)
            shutil.copystat(target, kept)
            note(f"quorate: the file as it was is kept as {str(kept)!r}")
        _create(beside, text.encode(), mode)
        beside.replace(target)
    except OSError as wrong:
        raise BadSetting(f"cannot write {str(path)!r}: {wrong.strerror}") from None


def _create(path: Path, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
