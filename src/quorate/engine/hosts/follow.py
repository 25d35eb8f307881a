"""Following a deliberation that another process holds, by its record; if nobody holds it, somebody is to go on."""

from collections.abc import Awaitable, Callable
from typing import Final

from quorate.chair import State, steps
from quorate.engine.recompute import Audit, AuditRecord
from quorate.engine.runner import Watch
from quorate.engine.verify import record_of
from quorate.errors import NotRecorded, OwnerLost
from quorate.ledger import Entry, Ledger
from quorate.model import Adjourn
from quorate.views.result import state_of

__all__ = ["follow", "is_finished"]

LOOK: Final = 1.0
"""Seconds after which a record is looked at without news: whoever holds it may have died."""
TRIES: Final = 3
"""How often a record is started without anything new in it, before it is taken for stuck."""

Start = Callable[[str], Awaitable[object]]
"""Has a process go on with the deliberation of an id."""


def is_finished(state: State) -> bool:
    """Whether nothing is left to do: there is a verdict, or it was given up, and what comes after it is written too."""
    return state.closed is not None and steps(state) == (Adjourn(),)


async def follow(
    ledger: Ledger,
    id_: str,
    start: Start,
    *,
    catch_up: Callable[[AuditRecord], None] | None = None,
    watch: Watch | None = None,
) -> AuditRecord:
    """Wait until a deliberation has ended, or waits for people; `watch` sees each new entry with the state after it.

    `catch_up` is given what is on record at first. `start` is called when nobody holds it, and a few times more if that
    brings nothing new: what comes no further, or waits for people, is given back as it stands.

    Raises:
        NotRecorded: no such deliberation.
        LedgerError: the record cannot be read.
        QuorateError: nobody can go on with it.
    """
    entries = [*await ledger.read(id_)]
    if not entries:
        await start(id_)
        entries = [*await ledger.read(id_)]
    if not entries:
        raise NotRecorded(f"nothing of {id_} is saved yet; ask the question again")
    follower = _Follower(ledger, id_, start, entries)
    if catch_up is not None:
        catch_up(follower.record)
    while not is_finished(follower.audit.state):
        news = await ledger.read(id_, after=len(entries))
        for entry in news:
            follower.add(entry, watch)
        if not news and not await follower.goes_on():
            break
    return follower.record


class _Follower:
    """A record as far as it has been read, folded once."""

    def __init__(self, ledger: Ledger, id_: str, start: Start, entries: list[Entry]) -> None:
        self._ledger = ledger
        self._id = id_
        self._start = start
        self._entries = entries
        self._starts: list[int] = []
        """How many entries there were each time somebody was asked to go on."""
        self.audit = Audit.of([entry.event for entry in entries])

    @property
    def record(self) -> AuditRecord:
        return record_of(self._id, self._entries, self.audit)

    def add(self, entry: Entry, watch: Watch | None) -> None:
        self._entries.append(entry)
        self.audit.add(entry.event)
        if watch is not None:
            watch(entry, self.audit.state)

    async def goes_on(self) -> bool:
        """Wait a moment if somebody holds it, or have it held; false if that has brought nothing new."""
        if await self._ledger.owner(self._id) is not None:
            await self._ledger.wait(self._id, after=len(self._entries), seconds=LOOK)
            return True
        if await self._ledger.read(self._id, after=len(self._entries)):
            return True  # whoever held it has written its last entries between our two looks
        if self._is_stuck():
            return False
        try:
            await self._start(self._id)
        except OwnerLost:
            await self._ledger.wait(self._id, after=len(self._entries), seconds=LOOK)  # somebody else was quicker
        return True

    def _is_stuck(self) -> bool:
        """Whether it was started often enough for where it stands; a host may be killed before it writes a word."""
        known = len(self._entries)
        tries = 1 if state_of([entry.event for entry in self._entries]) == "waiting" else TRIES
        if self._starts.count(known) >= tries:
            return True
        self._starts.append(known)
        return False
