"""`quorate hook install` and `quorate hook check`: the hook in the agent's settings, and a trial without a model."""

import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import bytes_from, note, one_line, say
from quorate.doors.hooks import LARGEST as LARGEST_EVENT
from quorate.doors.hooks import HookOptions, PermissionAnswer, agent_format, read_call
from quorate.doors.hooks.call_panel import prepare_call
from quorate.doors.hooks.first_list import answer_by_lists
from quorate.doors.hooks.own_places import own_places
from quorate.errors import BadSetting, QuorateError
from quorate.ledger.address import has_password, place_of, shown_ledger
from quorate.settings.table import LEDGER, MODEL, PANEL

if TYPE_CHECKING:
    from fractions import Fraction

    from quorate.doors.hooks import AgentFormat, ToolCall

__all__ = ["check", "install"]

SPARE: Final = 15
"""Seconds that an agent waits longer than the hook takes at most."""
LARGEST: Final = 1_000_000
"""Characters of an agent's settings that are read."""


def install(agent: str, wish: HookOptions, limit: "Fraction") -> int:
    """Show the change to an agent's settings; with --yes, keep a copy of the file and write it."""
    form = agent_format(agent)
    path = _settings_path(form, wish["settings_file"])
    before = _read(path)
    entry = form.hook_entry(_command(agent, wish), int(limit) + SPARE)
    after = form.own_file(entry) if form.own_file else _merged(form, agent, entry, before, path)
    if before is not None and (after == before or (not form.own_file and json.loads(after) == json.loads(before))):
        say(f"{one_line(str(path))} has it already; nothing to change")
        return DONE
    for line in unified_diff((before or "").splitlines(), after.splitlines(), "now", "then", lineterm=""):
        say(one_line(line) if not line.startswith((" ", "+", "-")) else _shown(line))
    _warn_if_nobody_answers(agent, form, wish)
    if not wish["yes"]:
        say(f"nothing was written; to write this to {one_line(str(path))}: the same with --yes")
        return DONE
    kept = _replace_file(path, before, after)
    say(f"written: {one_line(str(path))}{f'; the file as it was: {one_line(str(kept))}' if kept else ''}")
    say(form.next_step)
    return DONE


def _merged(form: "AgentFormat", agent: str, entry: Mapping[str, object], before: str | None, path: Path) -> str:
    """The settings with our hook at each of its events, everything else as it was."""
    document = _document(before, path)
    if form.version is not None:
        document = {"version": form.version, **document}
    for event in form.installed:
        document = _with_entry(document, agent, event, entry)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _warn_if_nobody_answers(agent: str, form: "AgentFormat", wish: HookOptions) -> None:
    """A hook that can ask nobody is installed all the same: whoever does that should know."""
    from quorate.settings.amounts import seconds

    try:
        call = read_call(agent, form.events, json.dumps(dict(form.sample)).encode())
        stopping.run(lambda: prepare_call(call, form.title, wish, seconds(wish["timeout"])))
    except (QuorateError, TimeoutError) as wrong:
        note(f"as it stands this hook has no verdict and allows nothing: {one_line(str(wrong))}")


def check(agent: str, wish: HookOptions) -> int:
    """Show what an event would come to; no model is asked."""
    form = agent_format(agent)
    content = json.dumps(dict(form.sample)).encode()
    if wish["event"]:
        with bytes_from(wish["event"]) as file:
            content = file.read(LARGEST_EVENT + 1)
    call = read_call(agent, form.events, content)
    say(f"{form.title} asks before {one_line(call.tool, 80)} ({call.event})")
    own = own_places(wish["ledger"], os.environ, Path("~").expanduser())
    listed = answer_by_lists(call, wish["hook_file"], own, os.environ)
    if listed:
        say(f"{listed.decision}, and no model is asked: {one_line(listed.reason)}")
    else:
        _show_question(call, form, wish)
    say("What it is told:")
    for decision in ("allow", "ask", "deny"):
        output = form.write(call.event, PermissionAnswer(decision=decision, reason="the reason"))
        say(f"  {decision}: {output.out or output.err}")
    return DONE


def _show_question(call: "ToolCall", form: "AgentFormat", wish: HookOptions) -> None:
    from quorate.settings.amounts import seconds
    from quorate.views.escape import visible

    try:
        put = stopping.run(lambda: prepare_call(call, form.title, wish, seconds(wish["timeout"])))
    except (QuorateError, TimeoutError) as wrong:
        say(f"no verdict, so nothing would be allowed: {one_line(str(wrong))}")
        return
    seats = ", ".join(f"{sat.seat} ({one_line(sat.model)})" for sat in put.convened.seated)
    say(f"it would be put to {seats}: {put.convened.question.text}")
    for line in visible(put.convened.question.context).splitlines():
        say(f"  | {line}")


def _settings_path(form: "AgentFormat", named: str | None) -> Path:
    if named:
        return Path(named).expanduser()
    folder = os.environ.get(form.folder_variable, "") if form.folder_variable else ""
    return Path(folder) / Path(form.settings_file).name if folder else Path("~").expanduser() / form.settings_file


BLOCKING: Final = (
    'answer=$("$@") && [ -n "$answer" ] && printf "%s\\n" "$answer" || '
    '{ echo "quorate did not answer, so this is blocked" >&2; exit 2; }'
)
"""Runs its arguments as a command. Agents take a program that is missing, crashes, is killed or says nothing for "go
ahead"; all they take for a block is exit code 2 with a reason, so the shell gives both."""


def _command(agent: str, wish: HookOptions) -> str:
    """What the agent is to run, by its whole path."""
    own = Path(sys.argv[0])
    found = str(own.absolute()) if own.name == "quorate" and own.is_file() else shutil.which("quorate")
    flags = ((PANEL.flag, _path(wish["panel"])), (MODEL.flag, wish["model"]), (LEDGER.flag, _ledger(wish["ledger"])))
    more = (("--hook-file", _path(wish["hook_file"])), ("--timeout", wish["timeout"]))
    said = [word for flag, value in (*flags, *more) if value for word in (flag, value)]
    return shlex.join(("/bin/sh", "-c", BLOCKING, "quorate", found or "quorate", "hook", agent, *said))


def _path(written: str | None) -> str | None:
    """A file by its whole path: the agent runs the hook wherever it happens to be."""
    return str(Path(written).absolute()) if written and Path(written).is_file() else written


def _ledger(written: str | None) -> str | None:
    """The same for a ledger, which need not be there yet, or may be an address.

    Raises:
        BadSetting: it holds a password, which whoever reads the agent's settings would see.
    """
    if written and has_password(written):
        raise BadSetting(
            f"the agent's settings are no place for the password of {shown_ledger(written)!r}; leave {LEDGER.flag} out "
            "and set QUORATE_LEDGER where the agent starts, or keep the password in ~/.pgpass"
        )
    return place_of(Path(written).expanduser() if "://" not in written else written) if written else written


def _read(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LARGEST)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as wrong:
        said = wrong.strerror if isinstance(wrong, OSError) else "it is not UTF-8 text"
        raise BadSetting(f"cannot read {str(path)!r}: {said}") from None


def _document(text: str | None, path: Path) -> dict[str, Any]:
    try:
        found: object = json.loads(text) if text and text.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("hooks", {}), dict):
        raise BadSetting(
            f"{str(path)!r} is not plain JSON with settings in it, perhaps for its comments; add the hook by hand as "
            "docs/how-to/hooks.md shows"
        )
    return found


def _with_entry(document: dict[str, Any], agent: str, event: str, entry: Mapping[str, object]) -> dict[str, Any]:
    """The settings with our hook once, everybody else's as they were."""
    hooks: dict[str, Any] = dict(document.get("hooks", {}))
    before = hooks.get(event, [])
    if not isinstance(before, list):
        raise BadSetting(f"the settings hold no list under hooks.{event}; put that right first")
    others = [one for one in before if not _is_ours(one, agent)]
    at = next((place for place, one in enumerate(before) if _is_ours(one, agent)), len(others))
    hooks[event] = [*others[:at], dict(entry), *others[at:]]
    return {**document, "hooks": hooks}


def _is_ours(entry: object, agent: str) -> bool:
    match entry:
        case {"hooks": [{"command": str() as command}]} | {"command": str() as command} | {"bash": str() as command}:
            words = command.split()
            return f"hook {agent}" in " ".join(words) and any(
                Path(word.strip("'\"")).name == "quorate" for word in words
            )
        case _:
            return False


def _shown(line: str) -> str:
    from quorate.views.escape import visible

    return visible(line)


def _replace_file(path: Path, before: str | None, after: str) -> Path | None:
    """Write the settings in one go, and keep the file that was there beside them.

    Raises:
        BadSetting: it cannot be written.
    """
    real = path.resolve()
    kept = None if before is None else _free_name(real)
    beside = real.with_name(f".{token_hex(8)}")
    try:
        real.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = 0o600 if before is None else stat.S_IMODE(real.stat().st_mode)
        if kept is not None:
            shutil.copy2(real, kept)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
            file.write(after)
        beside.chmod(mode)
        beside.replace(real)
    except OSError as wrong:
        raise BadSetting(f"cannot write {str(path)!r}: {(wrong.strerror or 'no such place').lower()}") from wrong
    return kept


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.before-quorate{f'-{number}' if number else ''}") for number in range(10**6))
    return next(name for name in names if not os.path.lexists(name))  # a link to nowhere yet is one, too
