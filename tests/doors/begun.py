"""How the deliberations of a ledger were begun."""

import asyncio
from pathlib import Path

from quorate.ledger import open_ledger
from quorate.model import Convened


def convened_settings(folder: Path) -> list[dict[str, str]]:
    """The settings of every deliberation in the ledger of a folder."""

    async def read() -> list[dict[str, str]]:
        ledger = open_ledger(folder / "ledger.db")
        firsts = [(await ledger.read(one.id))[0].event async for one in ledger.list()]
        await ledger.close()
        return [dict(first.settings) for first in firsts if isinstance(first, Convened)]

    return asyncio.run(read())
