"""A process may open only so many files: what finds none left waits until another is closed, and fails nobody."""

import asyncio
import errno
import os
import random
import resource
from typing import Final

__all__ = ["is_short", "most_connections", "pause"]

MANY: Final = 10_000
PAUSE: Final = 0.05


def is_short(error: BaseException) -> bool:
    """Whether something failed because no file can be opened now; looking up a name does not say why it failed."""
    cause = getattr(error, "os_error", error)
    return _says_so(cause) or (isinstance(cause, OSError) and _none_left())


def _none_left() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return _says_so(error)
    return False


def _says_so(error: object) -> bool:
    return isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}


def most_connections() -> int:
    """Half of the files the process may open: the rest is for the ledger and for whatever else the program does."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MANY if soft == resource.RLIM_INFINITY else max(1, min(MANY, soft // 2))


async def pause() -> None:
    """Let others finish; not all who wait wake at once."""
    await asyncio.sleep(PAUSE * (1 + random.random()))  # noqa: S311  nothing is secret here
