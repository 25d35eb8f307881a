"""What is allowed, left to a person or denied before any model is asked: patterns of a tool and what it is given.

`Read` names a tool, `Bash(git status)` a tool with what it is to do; `*` stands for anything. An allowing pattern must
match all of it, one that asks or denies any part of anything the tool is given. No shell is understood here: a command
that holds more than words and paths is matched by no allowing pattern, and `*` never stands for an option, an address,
a place outside the agent's project or a secret, whatever the pattern says.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import join, normpath
from typing import Final, cast

from quorate.doors.hooks import PermissionAnswer, ToolCall
from quorate.doors.hooks.own_places import OwnPlaces, texts_in
from quorate.doors.hooks.reader_calls import PATH_ARGUMENTS, is_harmless, is_inside
from quorate.errors import BadPanel, BadSetting
from quorate.evidence.secret_files import is_secret_name
from quorate.frozen import dataclass
from quorate.service.base_places import user_file
from quorate.service.setting_files import read_bytes, read_document
from quorate.service.value_readers import switch

__all__ = ["SHIPPED", "FirstList", "answer_by_lists", "first_list"]

FIELDS: Final = ("always_allow", "always_ask", "always_deny", "defaults")

_PATTERN: Final = re.compile(r"(?P<tool>[^()\s][^()]*?)(?:\((?P<argument>.*)\))?", re.DOTALL)
_PLAIN: Final = re.compile(r"[A-Za-z0-9_ ./:=@,+%-]+")
"""The signs of a command that only runs one program: no quotes, no variables, no redirection, nothing that joins."""
_WORD: Final = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@,+%-]*")
"""A word that `*` may stand for in a command: no option, no address, nothing that is set, no `@file` or `+command`."""
_COMMANDS: Final = ("command", "cmd", "commands", "script", "code")
_SOUGHT: Final = ("url", "pattern", "query")
_FREE: Final = frozenset(("content", "old_string", "new_string", "new_source", "instruction", "prompt", "description"))
"""Names under which the agents' own tools take any text. Under a name that isn't known, a text may be a path."""
_BESIDE: Final = frozenset({"description", "timeout"})
"""What may stand beside a command that is allowed: anything else could change how it is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstList:
    """Patterns that deny, ask and allow; what denies goes first, and what allows last."""

    always_allow: tuple[str, ...] = ()
    always_ask: tuple[str, ...] = ()
    always_deny: tuple[str, ...] = ()

    def denies(self, call: ToolCall) -> PermissionAnswer | None:
        pattern = _first_mention(self.always_deny, call)
        return PermissionAnswer(decision="deny", reason=f"the hook file always denies {pattern}") if pattern else None

    def asks(self, call: ToolCall) -> PermissionAnswer | None:
        pattern = _first_mention(self.always_ask, call)
        return PermissionAnswer(decision="ask", reason=f"a person is always asked about {pattern}") if pattern else None

    def allows(self, call: ToolCall, home: Path) -> PermissionAnswer | None:
        pattern = next((one for one in self.always_allow if _allows(one, call, home)), None)
        return PermissionAnswer(decision="allow", reason=f"{pattern} is always allowed") if pattern else None


def _pattern(text: str) -> str:
    """A pattern as somebody wrote it, if it is one.

    Raises:
        BadSetting: it is none.
    """
    if not _PATTERN.fullmatch(text):
        raise BadSetting(f"must be a pattern such as Read or Bash(git status), not {text[:60]!r}")
    return text


def _first_mention(patterns: tuple[str, ...], call: ToolCall) -> str | None:
    texts = (*texts_in(call.input), *_places(call)) if patterns else ()
    return next((pattern for pattern in patterns if _mentions(pattern, call.tool, texts)), None)


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


def _allows(pattern: str, call: ToolCall, home: Path) -> bool:
    """Whether a pattern allows the whole of a call, to the letter."""
    named = _PATTERN.fullmatch(pattern)
    if named is None or not _fits(named["tool"], call.tool) or not isinstance(call.input, dict):
        return False
    given = cast("Mapping[str, object]", call.input)
    commands = [*filter(given.__contains__, _COMMANDS)]
    wanted = named["argument"]
    if commands and not _is_plain(given, commands):
        return False
    if commands:
        return _fits_command(wanted or "*", str(given[commands[0]]), call.cwd, home)
    return _fits_arguments(wanted, given, call.cwd, home)


def _fits_arguments(wanted: str | None, given: Mapping[str, object], cwd: str, home: Path) -> bool:
    """Whether what a tool is given is what a pattern says, and nothing else in it could be a path that leads away."""
    paths, others = _paths_of(given), _names_of_texts(given)
    if wanted is None:
        return _fits_any(given, cwd, home)
    if others - ({"pattern"} if paths else {*_SOUGHT}):
        return False
    if paths and not _is_own_path(given.get("pattern", ""), cwd, home):
        return False
    arguments = paths or [given.get(name) for name in others] or [None]
    return all(_fits_argument(wanted, argument, cwd, home) for argument in arguments)


def _fits_any(given: Mapping[str, object], cwd: str, home: Path) -> bool:
    """Whether everything in any arguments that may be a path is a harmless one."""
    texts = (text for name in _names_of_texts(given) for text in texts_in(given[name]) if not _is_web(text))
    where = _paths_of(given) or [""] * ("pattern" in given)  # a search that names no folder is in the agent's own
    return all(_is_own_path(path, cwd, home) for path in (*where, *texts))


def _is_web(text: str) -> bool:
    return text.startswith(("https://", "http://"))


def _is_own_path(path: object, cwd: str, home: Path) -> bool:
    return isinstance(path, str) and is_inside(path, cwd, home)


def _fits_command(pattern: str, command: str, cwd: str, home: Path) -> bool:
    """Whether a command is what a pattern says; what `*` stands for is looked at word by word."""
    if not _fits(pattern, command):
        return False
    spelt_out = {word for word in pattern.split() if "*" not in word}
    return all(word in spelt_out or _is_harmless_word(word, cwd, home) for word in command.split())


def _is_harmless_word(word: str, cwd: str, home: Path) -> bool:
    if not _WORD.fullmatch(word):
        return False
    return is_inside(word, cwd, home)


def _names_of_texts(given: Mapping[str, object]) -> set[str]:
    """The arguments that hold text, but for paths and what may be any text."""
    named = given.keys() - _FREE - {*PATH_ARGUMENTS}
    return {name for name in named if any(True for _ in texts_in(given[name]))}


def _paths_of(given: Mapping[str, object]) -> list[object]:
    return [given[name] for name in PATH_ARGUMENTS if name in given]


def _is_plain(given: Mapping[str, object], commands: list[str]) -> bool:
    """Whether a command runs one program and nothing else, as it stands there."""
    command = given[commands[0]]
    if len(commands) > 1 or given.keys() - {*commands, *_BESIDE}:
        return False
    if not isinstance(command, str) or not command.strip() or not _PLAIN.fullmatch(command):
        return False
    return "=" not in command.split()[0]  # a variable set for the program may be all that it takes


def _fits_argument(pattern: str, argument: object, cwd: str, home: Path) -> bool:
    if not isinstance(argument, str) or not argument.isprintable() or ".." in re.split(r"[/\\ ]", argument):
        return False
    if "*" not in pattern:
        return argument in {pattern, join(cwd, pattern)}
    if "://" in pattern.partition("*")[0]:  # an address: its scheme and host are spelt out
        return _fits(pattern, argument) and re.match(r"[a-z]+://[^/*]+/", pattern) is not None
    inside = argument.removeprefix(f"{cwd.rstrip('/')}/") if cwd else argument
    return is_inside(argument, cwd, home) and (_fits(pattern, argument) or _fits(pattern, inside))


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


def _places(call: ToolCall) -> Iterator[str]:
    """Where a tool looks, as a whole path written plainly, so that no other spelling of it is another place.

    A search that names no folder is in the agent's own. A folder ends with a slash, and so does what may be one.
    """
    given = cast("Mapping[str, object]", call.input) if isinstance(call.input, dict) else {}
    named = [text for name in PATH_ARGUMENTS for text in texts_in(given.get(name))]
    for one in named or ([""] if "pattern" in given else []):
        yield f"{normpath(join(call.cwd, one))}/"


_SECRETS: Final = (
    *(".ssh/", ".gnupg/", ".aws/", ".kube/", ".docker/", ".azure/", ".netrc", ".pgpass", ".npmrc", ".pypirc"),
    *(".git-credentials", "id_rsa", "id_ed25519", "/etc/shadow", "/environ"),
)

SHIPPED: Final = FirstList(always_ask=tuple(f"*({place})" for place in _SECRETS))
"""What is left to a person unless the hook file says `defaults: false`; its own patterns go before these."""


def _names_secret(call: ToolCall) -> PermissionAnswer | None:
    """A person is asked where a tool is given the path of a secret: a panel sees no more than its name."""
    given = cast("Mapping[str, object]", call.input) if isinstance(call.input, dict) else {}
    named = [text for name in PATH_ARGUMENTS for text in texts_in(given.get(name))]
    for path in (*named, call.cwd if named else ""):
        if any(map(is_secret_name, path.split("/"))):
            return PermissionAnswer(decision="ask", reason="a person is always asked about files that may hold secrets")
    return None


def answer_by_lists(
    call: ToolCall, hook_file: str | None, own_places: OwnPlaces, env: Mapping[str, str]
) -> PermissionAnswer | None:
    """What can be answered without a model; none if that is for the panel.

    The user's own "deny" goes first. Then a person is asked about all that names quorate, whatever the lists allow.

    Raises:
        BadPanel: the hook file cannot be read.
    """
    own, defaults = first_list(hook_file, env)
    home = Path("~").expanduser()
    if answer := own.denies(call) or own_places.asks(call) or own.asks(call):
        return answer
    if (allowed := own.allows(call, home)) and not own_places.is_local_request(call):
        return allowed
    if not defaults:
        return None
    if answer := _names_secret(call) or SHIPPED.asks(call):
        return answer
    if is_harmless(call, home):
        return PermissionAnswer(decision="allow", reason=f"{call.tool} only looks at what lies openly in the project")
    return None


def first_list(file: str | None, env: Mapping[str, str]) -> tuple[FirstList, bool]:
    """The user's patterns, and whether those that ship apply.

    Raises:
        BadPanel: the hook file cannot be read.
    """
    path = Path(file) if file else user_file(env, Path("~").expanduser())[0].parent / "hooks.yaml"
    content = read_bytes(path, str(path))
    if content is None:
        if file:
            raise BadPanel(f"there is no hook file {file!r}")
        return FirstList(), True
    fields = read_document(content, str(path)).fields(FIELDS)
    defaults = fields.pop("defaults").read(switch) if "defaults" in fields else True
    listed = {name: tuple(one.read(_pattern) for one in field.items()) for name, field in fields.items()}
    return FirstList(**listed), defaults
