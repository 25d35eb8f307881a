"""The tool calls that ship as harmless: readers with known arguments that stay inside the agent's own project.

Everything here is a list of known-good shapes. A tool, an argument or a value that isn't in it goes to the panel.
The names are those of Claude Code 2.1, Codex 0.169 and Gemini CLI 0.61; `make clients` runs the real programs.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast

from quorate.doors.hooks import ToolCall
from quorate.doors.hooks.shell_commands import looks_of
from quorate.evidence.confined_folder import ConfinedFolder, PathRefused
from quorate.evidence.secret_files import is_open_name, is_secret_name
from quorate.frozen import dataclass

__all__ = ["PATH_ARGUMENTS", "is_harmless", "is_inside", "project_folder"]

PROJECT_ROOTS: Final = frozenset(("work", "workspace", "workspaces", "builds", "app", "code", "src", "repo"))
"""First names of paths outside a home that are projects or hold them, most of them in containers."""
SHARED_ROOTS: Final = frozenset(("srv", "opt", "tmp"))
"""First names of paths below which projects lie beside other things."""
PRIVATE_FOLDERS: Final = frozenset(("library", "appdata", "snap"))
"""Folders of a home in which programs keep what is theirs."""
ENTRIES: Final = 20_000
"""Entries of a tree that are looked at before a search in it; a larger tree goes to the panel."""
PATH_ARGUMENTS: Final = ("file_path", "notebook_path", "absolute_path", "dir_path", "path", "paths")
_EXTENSIONS: Final = re.compile(r"(?:\*\*/)?\*(\.[A-Za-z0-9]{1,12})")
_PATH: Final = re.compile(r"(?!-|.*/-)[A-Za-z0-9_./@+-]*")
"""A path that every program takes for the same place: agents cut spaces off, decode, and normalize what is no ASCII.

No step begins with a hyphen: shortened to `-f`, the path `./-f` is an option to the program that it is handed to.
"""
_LONGEST: Final = 1_000

Check = Callable[[object], bool]
Shows = Literal["nothing", "file", "names", "contents", "command"]
"""What is shown of a place; a command says itself what it looks at."""


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST


def _sought(value: object) -> bool:
    """What is searched for: Gemini CLI hands it to `git grep` and `grep` as it is, where `-O` runs a program."""
    return isinstance(value, str) and len(value) <= _LONGEST and not value.startswith("-")


def _count(value: object) -> bool:
    return type(value) is int and 0 <= value < 10**9


def _switch(value: object) -> bool:
    return type(value) is bool


def _off(value: object) -> bool:
    return value is False


def _extension(value: object) -> bool:
    """Only by a source's extension: other globs, even `*.git`, bring back folders that the tool would leave out."""
    named = _EXTENSIONS.fullmatch(value) if isinstance(value, str) else None
    return named is not None and is_open_name(f"x{named[1]}")


def _name_pattern(value: object) -> bool:
    """A glob for names anywhere below its folder: with a folder spelt out in it, it could go through a link."""
    if not isinstance(value, str) or not re.fullmatch(r"(?:\*\*/)?[A-Za-z0-9_.*][A-Za-z0-9_.*-]{0,199}", value):
        return False
    name = value.rpartition("/")[2]
    return name not in {".", ".."} and not is_secret_name(name)


def _file_type(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"[a-z0-9]{1,20}", value))


def _output_mode(value: object) -> bool:
    return value in ("content", "files_with_matches", "count")


def _todos(value: object) -> bool:
    """The agent's own list of what it has to do."""
    known = {"content", "status", "activeForm", "description", "priority", "id"}
    return isinstance(value, list) and all(
        isinstance(one, dict) and one.keys() <= known and all(isinstance(word, str) for word in one.values())
        for one in value
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTool:
    """A tool that only looks: its arguments, the one that says where, and what it shows of that place."""

    arguments: Mapping[str, Check]
    required: frozenset[str]
    where: str = ""
    shows: Shows


def _reader(shows: Shows, where: str = "", **required: Check) -> ReadingTool:
    return ReadingTool(arguments=required, required=frozenset(required), where=where, shows=shows)


def _with(reader: ReadingTool, **optional: Check) -> ReadingTool:
    return ReadingTool(
        arguments={**reader.arguments, **optional}, required=reader.required, where=reader.where, shows=reader.shows
    )


_LOOKING: Final = ("pwd", "ls")
"""Commands that need no parser: they can run nothing else and read no file."""
_GREP_OPTIONS: Final[Mapping[str, Check]] = {
    "path": _text,
    "glob": _extension,
    "type": _file_type,
    "output_mode": _output_mode,
    **dict.fromkeys(("-A", "-B", "-C", "context", "head_limit", "offset"), _count),
    **dict.fromkeys(("-n", "-i", "-o", "multiline"), _switch),
}

READERS: Final[Mapping[str, Mapping[str, ReadingTool]]] = MappingProxyType(
    {
        "claude-code": {
            "Read": _with(_reader("file", "file_path", file_path=_text), offset=_count, limit=_count),
            "Glob": _with(_reader("names", "path", pattern=_name_pattern), path=_text),
            "Grep": _with(_reader("contents", "path", pattern=_sought), **_GREP_OPTIONS),
            "TodoWrite": _reader("nothing", todos=_todos),
            "Bash": _with(_reader("command", command=_text), description=_text, timeout=_count),
        },
        "codex": {"Bash": _reader("command", command=_text)},
        # Without a folder, Gemini CLI searches every folder of its workspace, which may be more than its own.
        "gemini": {
            "read_file": _with(_reader("file", "file_path", file_path=_text), start_line=_count, end_line=_count),
            "list_directory": _reader("names", "dir_path", dir_path=_text),
            "glob": _with(_reader("names", "dir_path", pattern=_name_pattern, dir_path=_text), case_sensitive=_switch),
            "grep_search": _with(
                _reader("contents", "dir_path", pattern=_sought, dir_path=_text),
                include_pattern=_extension,
                **dict.fromkeys(("names_only", "case_sensitive", "fixed_strings"), _switch),
                **dict.fromkeys(("context", "after", "before"), _count),
                **dict.fromkeys(("max_matches_per_file", "total_max_matches"), _count),
            ),
            "write_todos": _reader("nothing", todos=_todos),
            "run_shell_command": _with(_reader("command", command=_text), description=_text),
        },
        "qwen": {
            "run_shell_command": _with(_reader("command", command=_text), description=_text, is_background=_off),
        },
        "opencode": {"bash": _with(_reader("command", command=_text), description=_text, timeout=_count)},
    }
)


def is_harmless(call: ToolCall, home: Path) -> bool:
    """Whether a call only looks at what lies openly in the agent's own project."""
    reader = READERS.get(call.agent, {}).get(call.tool)
    if reader is None or not isinstance(call.input, dict):
        return False
    given = cast("Mapping[str, object]", call.input)
    if given.keys() - reader.arguments.keys() or reader.required - given.keys():
        return False
    if not all(reader.arguments[name](value) for name, value in given.items()):
        return False
    root = project_folder(call.cwd, home)
    return root is not None and _shows_open_places(reader, given, root, call.cwd)


def _shows_open_places(reader: ReadingTool, given: Mapping[str, object], root: Path, cwd: str) -> bool:
    """Whether a tool with these arguments shows nothing but what lies openly in the project."""
    if reader.shows == "nothing":
        return True
    if reader.shows == "command":
        return _only_looks(str(given["command"]), root, cwd)
    only = str(given.get("glob") or given.get("include_pattern") or "").rpartition("*")[2]
    return _is_open(root, cwd, str(given.get(reader.where, "")), reader.shows, only)


def _only_looks(command: str, root: Path, cwd: str) -> bool:
    """Whether a command shows nothing but what lies openly in the project."""
    looks = looks_of(command)
    if looks is None:
        return command in _LOOKING
    return all(_is_open(root, cwd, look.path, look.shows, "", shows_git=True) for look in looks)


def project_folder(cwd: str, home: Path) -> Path | None:
    """The real folder of a project; none for a home, for what surrounds one, and wherever a system keeps its own."""
    try:
        root, own = Path(cwd).resolve(strict=True), home.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    if not Path(cwd).is_absolute() or any(map(is_secret_name, root.parts)):
        return None
    if len(own.parts) > 1:  # a service's home may be `/`, which makes nothing its own
        if own.is_relative_to(root):
            return None
        if root.is_relative_to(own):
            first = root.relative_to(own).parts[0].casefold()
            return None if first.startswith(".") or first in PRIVATE_FOLDERS else root
    return root if _lies_in_projects(root) else None


def _lies_in_projects(root: Path) -> bool:
    top, *below = root.parts[1:] or ("",)
    return top in PROJECT_ROOTS or (top in SHARED_ROOTS and bool(below))


def _steps_below(root: Path, cwd: str, path: str) -> str | None:
    """A path from the project's folder; none if it is written so that it could be anywhere else."""
    if not path.isprintable() or path != path.strip() or path.startswith("~") or ".." in path.split("/"):
        return None
    if not path.startswith("/"):
        return path
    for start in (cwd.rstrip("/"), str(root)):
        if path == start or path.startswith(f"{start}/"):
            return path[len(start) :].lstrip("/")
    return None


def is_inside(path: str, cwd: str, home: Path) -> bool:
    """Whether a path that need not exist lies in the project, with no link on the way and no secret's name."""
    root = project_folder(cwd, home)
    below = None if root is None else _steps_below(root, cwd, path)
    return root is not None and below is not None and _has_plain_steps(root, below)


def _has_plain_steps(root: Path, below: str) -> bool:
    at = root
    try:
        for step in below.split("/"):
            at /= step
            if is_secret_name(step) or at.is_symlink():
                return False
        # A second name for a file may be a name for one that lies elsewhere.
        return not (at.is_file() and at.stat().st_nlink > 1)
    except OSError:  # a name that is too long, or a folder that is closed to us
        return False


def _is_open(  # noqa: PLR0913 - a place, and what is shown of it
    root: Path, cwd: str, path: str, shows: str, only: str, *, shows_git: bool = False
) -> bool:
    """Whether a place may be looked at; `only` is the end of the names that a search looks into.

    `shows_git`: unlike the agents' own tools, a program goes through `.git` like through any folder.
    """
    below = _steps_below(root, cwd, path)
    if below is None or not _PATH.fullmatch(below) or not _has_plain_steps(root, below):
        return False
    try:
        with ConfinedFolder(str(root)) as folder:
            if shows == "file":
                folder.read(below, 0)
                return is_open_name(below.rpartition("/")[2])
            if shows == "names" and (root / below).is_file():
                return True
            folder.entries(below)
    except (PathRefused, OSError):
        return False
    return shows == "names" or _is_open_tree(root / below, only, shows_git=shows_git)


def _is_open_tree(top: Path, only: str, *, shows_git: bool) -> bool:
    """Whether a search below a folder meets open sources alone, and nothing that leads elsewhere.

    `.git` may be passed over: the search tools of the agents leave it out.
    """
    waiting, seen, device = [top], 0, top.stat().st_dev
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if entry.name == ".git" and not shows_git:
                        continue
                    if seen > ENTRIES or not _is_open_entry(entry, only, device):
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except OSError:
            return False
    return True


def _is_open_entry(entry: "os.DirEntry[str]", only: str, device: int) -> bool:
    about = entry.stat(follow_symlinks=False)
    if about.st_dev != device:
        return False
    if entry.is_dir(follow_symlinks=False):
        return not is_secret_name(entry.name)
    if not entry.is_file(follow_symlinks=False) or about.st_nlink > 1:
        return False
    return is_open_name(entry.name) or not entry.name.casefold().endswith(only.casefold())
