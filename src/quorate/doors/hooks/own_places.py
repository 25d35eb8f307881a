"""What belongs to quorate: whoever may change that may open the gate, so no list and no earlier answer allows it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from os.path import expandvars, isdir, islink, realpath
from pathlib import Path
from posixpath import expanduser, join, normpath
from typing import Final
from urllib.parse import urlsplit

from quorate.doors.hooks import PermissionAnswer, ToolCall
from quorate.frozen import dataclass
from quorate.settings.base_folders import ledger_place, state_folder, user_file

__all__ = ["OwnPlaces", "own_places", "texts_in"]

PORT: Final = 8420
"""Where `quorate serve` listens unless told otherwise."""
LONGEST: Final = 20_000
"""Signs of a text in which links are looked for: resolving every word of a long file takes seconds."""
FOLDERS: Final = 64
"""Folders of one text from which its other words are looked at."""
_AGENT_SETTINGS: Final = (
    *(".claude/settings", ".claude.json", ".codex/hooks", ".codex/config", ".gemini/settings", ".gemini/policies"),
    *("managed-settings.json", "gemini-cli/system-", ".qwen/settings", ".copilot/hooks", ".cursor/hooks"),
    *("opencode/plugin", "opencode/opencode.json"),
)
"""The agents' settings hold the hook itself."""
_AGENT_FOLDERS: Final = (".claude", ".codex", ".gemini", "gemini-cli", ".qwen", ".copilot", ".cursor", "opencode")
_WORDS: Final = re.compile(r"[\s'\"=:;|&<>()]+")
_HOST: Final = re.compile(r"[a-z][a-z0-9+.-]{1,20}:[/\\]+([^/\\?#\s'\"<>)]*)")
"""Addresses, and what stands in them for the host."""
_LOCAL: Final = re.compile(
    r"(?<![\w.])0[x0-9]*:[0-9]|localhost|127\.|0\.0\.0\.0|::|0x7f|\b0*2130706433\b|\[|\.local(host|domain)?\b|ip6-"
)
_QUOTING: Final = re.compile(r"[^\w./:-]")
"""What a shell may take out of a word, and what may join its parts in a program."""
_LITERAL: Final = re.compile(r"""(?:[\w ./:=@,+%'"|&;<>()\n-]|(?<![^\s'"])\*(?![^\s'"]))*""", re.ASCII)
"""A text that a shell takes as it stands there, but for quotes: no variable, no escape, no pattern but a lone `*`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPlaces:
    """The folders, files and addresses of this user's quorate."""

    names: tuple[str, ...]
    folders: tuple[Path, ...]

    def asks(self, call: ToolCall) -> PermissionAnswer | None:
        """A person is asked about a call that names any of it."""
        if not self._names(call):
            return None
        return PermissionAnswer(
            decision="ask", reason="a person is always asked about quorate's own files, commands and settings"
        )

    def _names(self, call: ToolCall) -> bool:
        # A project that merely lies in a folder called so is not quorate's own.
        if self._holds(call.cwd):
            return True
        for text in (call.tool, *texts_in(call.input)):
            if _is_agent_setting(text, call.cwd):
                return True
            shown = _folded(text.replace(f"{call.cwd.rstrip('/')}/", "./") if call.cwd.strip("/") else text)
            joined = _QUOTING.sub("", shown)
            if any(name in shown or name in joined for name in self.names) or self._leads_here(text, call.cwd):
                return True
        return False

    def _leads_here(self, text: str, cwd: str) -> bool:
        """Whether one of its words is the path of something here, perhaps through a link.

        A command may enter a folder first, so a word is also looked at from the folders named before it. Whoever names
        more of them than are kept in view may mean any.
        """
        folders = dict.fromkeys([cwd or "/"])
        for word in filter(None, (text, *_WORDS.split(text)) if len(text) < LONGEST else ()):
            written = expanduser(expandvars(word.replace("\0", "")))
            places = [join(folder, written) for folder in folders]
            is_path = "/" in written or word == text
            if any((is_path or islink(place)) and self._holds(place) for place in places):  # noqa: PTH114 - no name makes it fail
                return True
            folders |= dict.fromkeys(map(realpath, filter(isdir, places)))
            if len(folders) > FOLDERS:
                return True
        return False

    def _holds(self, path: str) -> bool:
        try:
            real = Path(path).resolve()
        except (OSError, RuntimeError, ValueError):
            return False
        return any(real == folder or real.is_relative_to(folder) for folder in self.folders)

    @staticmethod
    def is_literal(call: ToolCall) -> bool:
        """Whether every text is looked at as a shell would take it, so that what it names can be found in it."""
        return all(len(text) < LONGEST and _LITERAL.fullmatch(text) for text in texts_in(call.input))

    @staticmethod
    def is_local_request(call: ToolCall) -> bool:
        """Whether it speaks of this machine's own addresses: a server of quorate may listen on any port."""
        texts = [_folded(text) for text in texts_in(call.input)]
        return any(_LOCAL.search(text) or not all(map(_is_public, _HOST.findall(text))) for text in texts)


def own_places(ledger: str | None, env: Mapping[str, str], home: Path) -> OwnPlaces:
    """What is quorate's, by this environment.

    Raises:
        QuorateError: the settings cannot be read.
    """
    names = {"quorate", f":{PORT}", *_AGENT_SETTINGS}
    config = user_file(env, home)[0]
    folders = [config, config.with_name("hooks.yaml"), state_folder(env, home)]
    if config.parent.name == "quorate":  # a file that was named may lie next to anything
        folders.append(config.parent)
    for place in {ledger_place(ledger, env, home), *(() if ledger is None else (ledger,))}:
        if "://" in place:
            address = urlsplit(place)
            names |= {name for name in (address.hostname or "", address.path.strip("/")) if len(name) > 3}  # noqa: PLR2004
        else:
            names.add(_folded(Path(place).name))
            folders.append(Path(place))
    return OwnPlaces(names=tuple(sorted(names)), folders=tuple(folder.resolve() for folder in folders))


def _is_agent_setting(text: str, cwd: str) -> bool:
    """Whether one of its words names a settings file from inside the agent's own folder."""
    if not any(folder in cwd.casefold() for folder in _AGENT_FOLDERS) or len(text) >= LONGEST:
        return False
    places = [_folded(normpath(join(cwd, word))) for word in _WORDS.split(text) if word]
    return any(name in place for place in places for name in _AGENT_SETTINGS)


def _is_public(host: str) -> bool:
    """Whether the host of an address is written as one of the internet's: a name with dots, or such a number."""
    name = host.rpartition("@")[2].partition(":")[0].rstrip(".")
    if re.fullmatch(r"([a-z0-9_-]+\.)+[a-z]{2,}", name):
        return True
    try:
        return ip_address(name).is_global
    except ValueError:
        return False


def _folded(text: str) -> str:
    """A text as it looks to a reader, whatever signs it is written with."""
    shown = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in shown if unicodedata.category(sign) != "Cf").casefold()


def texts_in(value: object) -> Iterator[str]:
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
