"""Options and settings that name files: meant from where they are written, and kept so that they hold from anywhere."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.settings import table
from quorate.settings.base_folders import expand_home
from quorate.settings.settings import Values

__all__ = ["absolute_paths", "sources_setting"]

NAMED: Final = tuple(f"{table.SETTINGS.name}.{key}" for key in ("sources", "credibility"))
"""Settings of protocols that are paths."""
RECORDED: Final = (*NAMED, table.LOOK_IN.name)
"""What stands in the record, and may be opened by a process that was started elsewhere."""
_PATHS: Final = {option.name: option for option in table.TABLE if option.is_path and option.name not in RECORDED}


def sources_setting(paths: tuple[str, ...]) -> Mapping[str, str]:
    """`--sources`, however often it was given, as the one setting it is.

    Raises:
        BadSetting: a path holds the sign that stands between paths.
    """
    for path in paths:
        if os.pathsep in path or not path.strip():
            raise BadSetting(f"sources takes a path without {os.pathsep!r} in it, not {path[:60]!r}")
    return {"sources": os.pathsep.join(paths)}


def absolute_paths(values: Values, folder: Path, home: Path, *, is_user_file: bool = False) -> Values:
    """The same values, with paths from their folder, or from home where they begin with ~/.

    A path that is an option's own value is meant from a folder only in the user's file, but for what is on record.
    """
    placed = {name: _whole(values[name].value, folder, home) for name in RECORDED if name in values}
    for name, option in _PATHS.items():
        if name in values and not (is_user_file and option.is_word(values[name].value)):
            text = expand_home(values[name].value, home)
            placed[name] = _from_folder(text, folder) if is_user_file else text
    return {**values, **{name: replace(values[name], value=text) for name, text in placed.items()}}


def _from_folder(text: str, folder: Path) -> str:
    is_address = "://" in text or text == ":memory:"
    return text if is_address else str(folder / text)


def _whole(text: str, folder: Path, home: Path) -> str:
    paths = (Path(expand_home(path, home)) for path in text.split(os.pathsep) if path)
    return os.pathsep.join(os.path.normpath((folder / path).absolute()) for path in paths)
