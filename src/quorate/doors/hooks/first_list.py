"""What is allowed, left to a person or denied before any model is asked: patterns of a tool and what it is given.

`Read` names a tool, `Bash(git status)` a tool with what it is to do; `*` stands for anything. An allowing pattern must
match all of it, one that asks or denies any part of anything the tool is given. No shell is understood here: a command
that holds more than words and paths is matched by no allowing pattern, whatever that says.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import join, normpath
from typing import Final, cast

from quorate.doors.hooks import PermissionAnswer, ToolCall
from quorate.errors import BadPanel, BadSetting
from quorate.frozen import dataclass
from quorate.settings.amounts import switch
from quorate.settings.base_folders import user_file
from quorate.settings.file_fields import read_bytes, read_document

__all__ = ["DEFAULTS", "FirstList", "first_lists"]

FIELDS: Final = ("always_allow", "always_ask", "always_deny", "defaults")

_PATTERN: Final = re.compile(r"(?P<tool>[^()\s][^()]*?)(?:\((?P<argument>.*)\))?", re.DOTALL)
_PLAIN: Final = re.compile(r"[A-Za-z0-9_ ./:=@,+%-]+")
"""The signs of a command that only runs one program: no quotes, no variables, no redirection, nothing that joins."""
_COMMANDS: Final = ("command", "cmd", "commands", "script", "code")
_PATHS: Final = ("file_path", "notebook_path", "absolute_path", "dir_path", "path", "paths")
_SOUGHT: Final = ("url", "pattern", "query")
_BESIDE: Final = frozenset({"description", "timeout"})
"""What may stand beside a command that is allowed: anything else could change how it is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstList:
    """Patterns that deny, ask and allow; what denies goes first, and what allows last."""

    always_allow: tuple[str, ...] = ()
    always_ask: tuple[str, ...] = ()
    always_deny: tuple[str, ...] = ()

    def answer(self, call: ToolCall) -> PermissionAnswer | None:
        """What the patterns say; none if they say nothing."""
        texts = (*_texts(call.input), *_places(call))
        for pattern in self.always_deny:
            if _mentions(pattern, call.tool, texts):
                return PermissionAnswer(decision="deny", reason=f"the hook file always denies {pattern}")
        for pattern in self.always_ask:
            if _mentions(pattern, call.tool, texts):
                return PermissionAnswer(decision="ask", reason=f"a person is always asked about {pattern}")
        for pattern in self.always_allow:
            if _allows(pattern, call):
                return PermissionAnswer(decision="allow", reason=f"{pattern} is always allowed")
        return None


def _pattern(text: str) -> str:
    """A pattern as somebody wrote it, if it is one.

    Raises:
        BadSetting: it is none.
    """
    if not _PATTERN.fullmatch(text):
        raise BadSetting(f"must be a pattern such as Read or Bash(git status), not {text[:60]!r}")
    return text


def _mentions(pattern: str, tool: str, texts: tuple[str, ...]) -> bool:
    """Whether a pattern is met anywhere: in any text, whatever the case, however it is spaced."""
    named = _PATTERN.fullmatch(pattern)
    if named is None or not _fits(named["tool"].casefold(), tool.casefold()):
        return False
    if named["argument"] is None:
        return True
    wanted = f"*{_spaced(named['argument'])}*"
    return any(_fits(wanted, _spaced(text)) for text in texts)


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())


def _allows(pattern: str, call: ToolCall) -> bool:
    """Whether a pattern allows the whole of a call, to the letter."""
    named = _PATTERN.fullmatch(pattern)
    if named is None or not _fits(named["tool"], call.tool) or not isinstance(call.input, dict):
        return False
    given = cast("Mapping[str, object]", call.input)
    commands = [name for name in _COMMANDS if name in given]
    if commands and not _is_plain(given, commands):
        return False
    wanted = named["argument"]
    return wanted is None or all(_fits_argument(wanted, one, call.cwd) for one in _arguments(given))


def _arguments(given: Mapping[str, object]) -> list[object]:
    """What a tool acts on: its command, every path, or what it looks for; nothing known is one that fits nothing."""
    acted_on = [given[name] for name in (*_COMMANDS, *_PATHS) if name in given]
    return acted_on or [next((given[name] for name in _SOUGHT if name in given), None)]


def _is_plain(given: Mapping[str, object], commands: list[str]) -> bool:
    """Whether a command runs one program and nothing else, as it stands there."""
    command = given[commands[0]]
    if len(commands) > 1 or given.keys() - {*commands, *_BESIDE}:
        return False
    if not isinstance(command, str) or not command.strip() or not _PLAIN.fullmatch(command):
        return False
    return "=" not in command.split()[0]  # a variable set for the program may be all that it takes


def _fits_argument(pattern: str, argument: object, cwd: str) -> bool:
    if not isinstance(argument, str) or not argument.isprintable() or ".." in re.split(r"[/\\ ]", argument):
        return False
    inside = argument.removeprefix(f"{cwd.rstrip('/')}/") if cwd else argument
    return _fits(pattern, argument) or _fits(pattern, inside)


def _fits(pattern: str, text: str) -> bool:
    """Whether the whole text is what a pattern says, `*` being anything, in time in proportion to the text."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *between, last = others
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in between:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _texts(value: object) -> Iterator[str]:
    """Every text in what a tool is given, however deep."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case dict() as fields:
                waiting.extend((*fields, *fields.values()))
            case list() as items:
                waiting.extend(items)
            case _:
                pass


def _places(call: ToolCall) -> Iterator[str]:
    """Where a tool looks, as a whole path written plainly, so that no other spelling of it is another place.

    A search that names no folder is in the agent's own. A folder ends with a slash, and so does what may be one.
    """
    given = cast("Mapping[str, object]", call.input) if isinstance(call.input, dict) else {}
    named = [text for name in _PATHS for text in _texts(given.get(name))]
    for one in named or ([""] if "pattern" in given else []):
        yield f"{normpath(join(call.cwd, one))}/"


_READERS: Final = (
    *("Read", "Glob", "Grep", "LS", "NotebookRead", "TodoWrite"),
    *("read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"),
)
"""Tools of Claude Code and Gemini CLI that only look, and what they keep for themselves."""
_OWN_SETTINGS: Final = (
    *(".config/quorate", ".local/state/quorate", ".local/share/quorate"),
    *(".claude/settings", ".codex/hooks", ".codex/config", ".gemini/settings"),
)
"""Whoever may write there may turn the hook off."""
_SECRETS: Final = (".ssh/", ".gnupg/", ".aws/", ".netrc", ".pgpass", "id_rsa", "id_ed25519")

DEFAULTS: Final = FirstList(
    always_allow=(*_READERS, "Bash(pwd)", "Bash(ls)", "run_shell_command(pwd)", "run_shell_command(ls)"),
    always_ask=(
        *(f"*({place})" for place in (*_OWN_SETTINGS, *_SECRETS)),
        *(f"{tool}(.env)" for tool in ("Read", "Grep", "read_file", "read_many_files", "grep_search")),
    ),
)
"""What holds unless the hook file says `defaults: false`; its own patterns go before these."""


def first_lists(file: str | None, env: Mapping[str, str]) -> tuple[FirstList, FirstList]:
    """The user's patterns, and those that ship unless he wants none of them.

    Raises:
        BadPanel: the hook file cannot be read.
    """
    path = Path(file) if file else user_file(env, Path("~").expanduser())[0].parent / "hooks.yaml"
    content = read_bytes(path, str(path))
    if content is None:
        if file:
            raise BadPanel(f"there is no hook file {file!r}")
        return FirstList(), DEFAULTS
    fields = read_document(content, str(path)).fields(FIELDS)
    with_defaults = fields.pop("defaults").read(switch) if "defaults" in fields else True
    listed = {name: tuple(one.read(_pattern) for one in field.items()) for name, field in fields.items()}
    return FirstList(**listed), DEFAULTS if with_defaults else FirstList()
