"""Waiting for news of a deliberation where nobody tells it: by looking whether anything was committed."""

import asyncio
import time
from typing import Final

from quorate.ledger import Ledger

__all__ = ["wait_by_looking"]

LOOK: Final = 0.1
"""Seconds between two looks."""


async def wait_by_looking(ledger: Ledger, id_: str, after: int, seconds: float) -> None:
    """Wait until there is more than was read, or anything else was committed, for so many seconds at most."""
    until, version = time.monotonic() + seconds, await ledger.version()
    if await ledger.read(id_, after=after):
        return
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(LOOK, left))
        if await ledger.version() != version:
            return
