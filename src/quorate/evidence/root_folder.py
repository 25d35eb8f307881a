"""Which folder may be opened to a panel: one that is there, and not the machine itself."""

import os
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.evidence.secret_files import SECRET_FOLDERS

__all__ = ["check_root"]

SYSTEM: Final = ("/proc", "/sys", "/dev")


def check_root(root: str) -> None:
    """See that a folder is there and may be opened to a panel.

    Raises:
        BadSetting: it is not, and which would be.
    """
    try:
        real = os.path.realpath(root)
        there = Path(real).is_dir()
    except (OSError, ValueError):
        real, there = "", False
    if not there:
        raise BadSetting(f"there is no folder {root!r} to look in; give the path of one")
    whole = Path(real)
    system = real == "/" or any(whole.is_relative_to(place) for place in SYSTEM)
    if system or any(part.casefold() in SECRET_FOLDERS for part in whole.parts):
        why = "the system's own" if system else "one that usually holds secrets"
        raise BadSetting(f"{root!r} is {why}, so it is not opened to a panel; give a project's folder")
