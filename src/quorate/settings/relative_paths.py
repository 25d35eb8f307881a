"""Settings that name files: meant from where they are written, and kept so that they hold from anywhere."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.settings.layers import Layer

__all__ = ["anchored", "joined"]

NAMED: Final = ("sources", "credibility")


def joined(paths: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """`--sources`, however often it was given, as the one setting it is.

    Raises:
        BadSetting: a path holds the sign that stands between paths.
    """
    for path in paths:
        if os.pathsep in path or not path.strip():
            raise BadSetting(f"--sources takes a path without {os.pathsep!r} in it, not {path[:60]!r}")
    return (("sources", os.pathsep.join(paths)),) if paths else ()


def anchored(layer: Layer, folder: Path, home: Path) -> Layer:
    """The same layer, with paths from its folder, or from home where they begin with ~/."""
    if not any(key in NAMED for key, _ in layer.settings):
        return layer
    return replace(
        layer,
        settings=tuple((key, _whole(text, folder, home) if key in NAMED else text) for key, text in layer.settings),
    )


def _whole(text: str, folder: Path, home: Path) -> str:
    paths = (home / path[2:] if path.startswith("~/") else folder / path for path in text.split(os.pathsep) if path)
    return os.pathsep.join(os.path.normpath(path.absolute()) for path in paths)
