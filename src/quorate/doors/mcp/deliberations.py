"""Deliberations as the tools see them: started in processes of their own, followed for a while, ended, looked up."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from functools import partial
from typing import Final

from quorate.chair import State
from quorate.doors.mcp.panel_request import SessionModels
from quorate.engine.hosts.cluster.submission import cancel_queued, work_queue
from quorate.engine.hosts.detached_host import HostTerms, is_host
from quorate.engine.hosts.follow import follow, is_finished
from quorate.engine.hosts.host_choice import host_record
from quorate.engine.verify import record_of
from quorate.engine.work_limit import limited_work
from quorate.errors import BadSetting, NotRecorded, OwnerLost
from quorate.frozen import dataclass
from quorate.ledger import Entry, Ledger, open_ledger
from quorate.ledger.address import is_address
from quorate.model import Event, Failed, Halted
from quorate.service.host import Host
from quorate.service.prepare import prepare
from quorate.service.request import PreparedRequest, Request
from quorate.service.runs import start
from quorate.settings.settings import Settings
from quorate.settings.table import LEDGER
from quorate.views import Record

__all__ = ["ANSWER_WITHIN", "Deliberations", "FollowedRecord"]

ANSWER_WITHIN: Final = 45.0
"""Seconds in which a tool answers: most clients give up after 60."""
LONGEST_WAIT: Final = 600.0
LOOK: Final = 0.05
STOPPING: Final = 10.0
"""Seconds for a host that was told to stop."""

Tell = Callable[[int, Event], Awaitable[None]]
"""Is told of each new entry by its number."""


@dataclass(frozen=True, slots=True)
class FollowedRecord:
    """A record as far as it has got, and whether somebody is still at it."""

    record: Record
    running: bool


@dataclass(slots=True, kw_only=True)
class Deliberations:
    """What one server holds in common for its calls: where records are, how long a call may take, chosen models."""

    answer_within: float = ANSWER_WITHIN
    session_models: SessionModels = field(default_factory=dict[str, str])
    reviews: bool = False
    """Whether the tools that write reviews and labels in a person's name are offered."""
    trust_labels: bool = False
    """Whether labels that come this way count for `act_error`."""
    started: Host | None = None
    """The host this was started with; none where it is the user's own process, whose environment may change."""

    @property
    def host(self) -> Host:
        """Where requests arrive."""
        return self.started or Host.here("MCP")

    def settings(self) -> Settings:
        """What holds without a request, as flags, environment and user file say at this moment."""
        return self.host.settings()

    def terms(self) -> HostTerms:
        """Where records are kept, and which files may be acted on."""
        return HostTerms.of(self.settings(), trust=self.host.trust)

    @asynccontextmanager
    async def ledger(self) -> AsyncGenerator[Ledger]:
        """The ledger, for one call."""
        ledger = open_ledger(self.settings()[LEDGER])
        try:
            yield ledger
        finally:
            await ledger.close()

    async def start(self, request: Request) -> tuple[str, PreparedRequest]:
        """Have a process of its own hold what is asked for; its id once the record has begun."""
        # What it looks up in the ledger for memory and act_error grows with the ledger.
        async with limited_work(self.answer_within, "leave out memory and act_error"):
            prepared = await prepare(request, self.host)
        # A client may take back its call at any moment: what was begun is begun, and its process goes on.
        hosted = await asyncio.shield(start(prepared, trust=self.host.trust))
        return hosted.id, prepared

    def limit(self, seconds: float | None) -> float:
        """How long this call may take."""
        if seconds is None:
            return self.answer_within
        return min(max(seconds, 0.0), LONGEST_WAIT)

    async def follow(self, id_: str, seconds: float, tell: Tell | None = None) -> FollowedRecord:
        """Follow a deliberation for so long; if nobody holds it, somebody goes on with it.

        `tell` is told of every entry, those on record already first.
        """
        start = partial(host_record, self.terms())

        async with self.ledger() as ledger:
            whole = await ledger.find(id_)
            news: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()

            def watch(entry: Entry, _: State) -> None:
                news.put_nowait((entry.number, entry.event))

            def catch_up(earlier: Record) -> None:
                for number, event in enumerate(earlier.events, 1):
                    news.put_nowait((number, event))

            telling = asyncio.create_task(_tell(news, tell)) if tell is not None else None
            try:
                async with asyncio.timeout(seconds):
                    record = await follow(ledger, whole, start, catch_up=catch_up, watch=watch)
                    if telling is not None:
                        await news.join()
                    return FollowedRecord(record, running=False)
            except TimeoutError:
                return await self._as_it_stands(ledger, whole)
            finally:
                if telling is not None:
                    telling.cancel()

    async def begin_anew(self, id_: str) -> None:
        """Have a deliberation whose panel couldn't be asked held again; any other is left as it is."""
        async with self.ledger() as ledger:
            whole = await ledger.find(id_)
            state = record_of(whole, await ledger.read(whole)).state
            if isinstance(state.closed, Failed) and await ledger.owner(whole) is None:
                await host_record(self.terms(), whole)

    async def _as_it_stands(self, ledger: Ledger, id_: str) -> FollowedRecord:
        record = record_of(id_, await ledger.read(id_))
        if not record.events:
            raise NotRecorded(f"nothing of {id_} is saved yet; call wait again")
        # Of what a queue keeps, a worker takes up what nobody holds at the moment.
        held = is_address(self.terms().ledger) or await ledger.owner(id_) is not None
        return FollowedRecord(record, running=held and not is_finished(record.state))

    async def look_up(self, id_: str) -> FollowedRecord:
        """A record as it stands now, its chain checked."""
        from quorate.offline.attest import stored_record

        async with self.ledger() as ledger:
            whole = await stored_record(ledger, await ledger.find(id_))
            if not whole.rows:
                raise NotRecorded(f"nothing of {whole.id} is saved yet; call wait with its id")
            return FollowedRecord(whole.record, running=await ledger.owner(whole.id) is not None)

    async def cancel(self, id_: str, because: str) -> FollowedRecord:
        """End a deliberation for good: its process is told to stop, and the record says that it was given up.

        Raises:
            OwnerLost: a process that is no host of ours holds it.
            BadSetting: it has ended already.
        """
        async with self.ledger() as ledger:
            whole = await ledger.find(id_)
            if record_of(whole, await ledger.read(whole)).state.closed is not None:
                raise BadSetting(f"{whole} has ended already, so there is nothing to cancel")
            await self._stop(ledger, whole)
            async with ledger.own(whole) as book:
                record = record_of(whole, book.entries)
                if book.entries and record.state.closed is None:
                    book.write(Halted(why=because))
                await book.committed()
                return FollowedRecord(record_of(whole, book.entries), running=False)

    async def _stop(self, ledger: Ledger, id_: str) -> None:
        where = self.terms().ledger
        if not is_address(where):
            await _stop_host(ledger, id_)
            return
        async with work_queue(where) as queue:
            await queue.require()
            await cancel_queued(ledger, queue, id_)


async def _tell(news: "asyncio.Queue[tuple[int, Event]]", tell: Tell) -> None:
    while True:
        number, event = await news.get()
        await tell(number, event)
        news.task_done()


async def _stop_host(ledger: Ledger, id_: str) -> None:
    """Tell the host of a deliberation to stop, and wait until it has let go."""
    owner = await ledger.owner(id_)
    if owner is None:
        return
    if not is_host(owner):
        raise OwnerLost(f"{id_} is held by process {owner.pid} on {owner.host!r}, which is not a process of its own")
    with suppress(ProcessLookupError):
        os.kill(owner.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(STOPPING):
            while await ledger.owner(id_) == owner:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(LOOK)
    except TimeoutError:
        raise OwnerLost(f"process {owner.pid} was told to stop and still holds {id_}; call cancel again") from None
