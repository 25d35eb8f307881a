"""When no file can be opened: a process may open few, often 1,024, and the panelists' connections need most of them."""

import errno
import os
import time
from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["none_left", "patiently"]

PATIENCE: Final = 10.0
PAUSE: Final = 0.01

T = TypeVar("T")


def _is_shortage(error: OSError) -> bool:
    """Whether the process or the machine may open no more files for now."""
    return error.errno in {errno.EMFILE, errno.ENFILE}


def none_left() -> bool:
    """Whether no file can be opened now: SQLite does not say why it could not open one."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return _is_shortage(error)
    return False


def patiently(work: Callable[[], T]) -> T:
    """Do what needs a file; where none can be opened now, once others are closed.

    Raises:
        OSError: it cannot be done.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except OSError as error:
            if not _is_shortage(error) or time.monotonic() > until:
                raise
        time.sleep(PAUSE)
