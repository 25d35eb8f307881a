import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future

import pytest

from quorate.errors import LedgerError
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.model import Halted
from tests.ledger.contract import TTL, LedgerContract, Stalled


class BlockedOwner:
    """Owns on a thread whose event loop is kept busy, so that it cannot renew its lease."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._wrote = threading.Event()
        self.go_on = threading.Event()
        self._came_of_it: Future[str] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._own()))
        self._thread.start()
        self._wrote.wait()

    async def _own(self) -> None:
        try:
            async with self._ledger.own(new_id()) as book:
                book.write(Halted(why="first"))
                self._wrote.set()
                self.go_on.wait()
                book.write(Halted(why="second"))
        except LedgerError as error:
            self._came_of_it.set_result(type(error).__name__)

    async def wakes(self) -> str:
        self.go_on.set()
        return await asyncio.wrap_future(self._came_of_it)

    def ends(self) -> None:
        self.go_on.set()
        self._thread.join()


class TestMemory(LedgerContract):
    @pytest.fixture
    async def ledger(self) -> AsyncIterator[Ledger]:
        ledger = open_ledger(":memory:", ttl=TTL)
        yield ledger
        await ledger.close()

    @pytest.fixture
    def stalled(self, ledger: Ledger) -> Iterator[Stalled]:
        owner = BlockedOwner(ledger)
        yield owner
        owner.ends()
