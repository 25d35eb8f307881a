"""One person's deliberations on this server: begun, resumed, followed and let go; the ledger is all that is kept.

What another process holds is followed in the ledger, by one poll for all who watch. The lease decides who holds what,
so two servers on one ledger do not get in each other's way. With a ledger in PostgreSQL nothing is held here: workers
take it from the queue, and this server follows.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple

from starlette.exceptions import HTTPException

from quorate.chair import State
from quorate.doors.web.broadcast import Publisher
from quorate.doors.web.connection import ServerLimits
from quorate.doors.web.encoding import encode
from quorate.doors.web.metrics import Counts
from quorate.doors.web.people import PeopleAtThePage
from quorate.doors.web.queued_work import QueuedWork
from quorate.engine import person_entries
from quorate.engine.recompute import AuditRecord
from quorate.engine.runner import Runner
from quorate.engine.work_limit import limited_work
from quorate.errors import LedgerError, NotRecorded, QuorateError
from quorate.ledger import Entry, Ledger, new_id
from quorate.model import Origin
from quorate.service.fields import request_from_fields
from quorate.service.host import Host
from quorate.service.prepare import prepare
from quorate.service.request import Note, PreparedRequest
from quorate.service.runs import open_runner
from quorate.settings.settings import Settings
from quorate.views.result import state_of

__all__ = ["LedgerHost"]

POLL: Final = 0.25
"""Seconds between two looks at whether anything was committed."""
LONGEST_KEY: Final = 255
"""Characters of a key under which something is begun only once."""
DRAIN: Final = 5.0
"""Seconds that deliberations have to let go."""
PATIENCE: Final = 20.0
"""Seconds that an answer waits for a deliberation that is at work to take it."""

Begin = Callable[[str], None]
"""Told of an id once its first entry, or what is on record, is there."""


class _Held(NamedTuple):
    """A deliberation that this process holds, and the people at its page."""

    task: "asyncio.Task[None]"
    people: PeopleAtThePage
    is_queued: bool = False
    """Whether a worker has it or will, and the task only waits for that to end."""


@dataclass(eq=False)
class LedgerHost:
    """A ledger and what this server does with it."""

    ledger: Ledger
    operator: Host
    counts: Counts
    place: str = ""
    """The ledger's file; empty where it has none."""
    queue: QueuedWork | None = None
    """Where workers hold what is begun here."""
    work_time: float = ServerLimits().work_time
    """Seconds for what a request looks up in the ledger before anything begins."""
    failures: dict[str, str] = field(default_factory=dict[str, str])
    """Why a deliberation is not held any more, if that was no end of its own."""
    _held: dict[str, _Held] = field(default_factory=dict[str, _Held])
    _publishers: dict[str, Publisher] = field(default_factory=dict[str, Publisher])
    _poll: "asyncio.Task[None] | None" = None
    _stale: bool = False

    async def open(self, *, resumes: bool = True) -> tuple[str, ...]:
        """Go on with what a server had begun on this ledger and nobody holds, if it is to; the ids of those."""
        self._poll = asyncio.create_task(self._follow())
        resumed = list[str]()
        # Workers go on by themselves with what was begun and is not queued.
        for id_ in await self.ledger.open_claims() if resumes and self.queue is None else ():
            with suppress(QuorateError):
                if await self.ledger.owner(id_) is None:
                    await self.resume(id_)
                    resumed.append(id_)
        return tuple(resumed)

    async def close(self) -> None:
        """Let go of everything and leave it to be resumed."""
        self.stop_streams()
        tasks = [held.task for held in self._held.values()]
        for task in (*tasks, *([self._poll] if self._poll else [])):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=DRAIN)
        if self.queue is not None:
            await self.queue.close()
        await self.ledger.close()

    def stop_streams(self) -> None:
        """Let go of all who watch."""
        for publisher in self._publishers.values():
            publisher.close()

    def is_held(self, id_: str) -> bool:
        """Whether this process is at work on it."""
        return id_ in self._held

    async def is_running(self, id_: str) -> bool:
        """Whether this process or another is at work on it."""
        return self.is_held(id_) or await self.ledger.owner(id_) is not None

    async def current_state(self, id_: str) -> str:
        """`running`, or how its record stands: under a key that was used before it may have ended long ago."""
        if await self.is_running(id_):  # asked first: what it says of an end must be in what is read after it
            return "running"
        return state_of([entry.event for entry in await self.ledger.read(id_)])

    def _is_held_here(self, id_: str) -> bool:
        held = self._held.get(id_)
        return held is not None and not held.is_queued

    async def wait(self, id_: str, seconds: float) -> None:
        """Wait until this process is done with a deliberation, or so long."""
        held = self._held.get(id_)
        if held is not None:
            await asyncio.wait((held.task,), timeout=seconds)

    async def start(self, fields: Mapping[str, Any], key: str = "") -> tuple[str, tuple[Note, ...]]:
        """Begin a deliberation; its id, once its first entry is committed, and notes. Under a key, only once.

        Raises:
            QuorateError: it cannot be held.
            HTTPException: the key was used for another request, or is too long.
        """
        if len(key) > LONGEST_KEY:
            raise HTTPException(400, f"the header Idempotency-Key is longer than {LONGEST_KEY} characters")
        # Only this grows with the ledger; the deliberation itself has limits of its own.
        async with limited_work(self.work_time, "leave out memory and act_error"):
            host = replace(self.operator, ledger=self.ledger, ledger_place=self.place)
            prepared = await prepare(request_from_fields(fields, "http"), host)
        if self.queue is None:  # a worker has keys of its own
            async with open_runner(prepared.settings, prepared.env, ledger=self.ledger) as runner:
                await runner.check(prepared.convened)
        digest, mine = sha256(encode(fields)).hexdigest(), new_id()
        claim = await self.ledger.claim(f"caller {key}" if key else f"id {mine}", mine, digest)
        if claim.digest != digest:
            raise HTTPException(409, "this Idempotency-Key was used for another request; use a new one")
        if claim.id == mine or not (self.is_held(claim.id) or await self._is_known(claim.id)):
            self.counts.begun += 1
            people = PeopleAtThePage.among(prepared.convened.seated)
            if self.queue is not None:
                hindrance = await self.queue.submit(claim.id, prepared.convened)
                await self._wait_for_worker(claim.id, self.queue)
                return claim.id, (*prepared.notes, *((Note("queue", hindrance),) if hindrance else ()))
            left = claim.id != mine
            await self._take(claim.id, partial(self._hold, claim.id, prepared, people, left=left), people)
        elif await self.current_state(claim.id) == "failed":
            await self.resume(claim.id)
        return claim.id, prepared.notes

    async def resume(self, id_: str) -> None:
        """Go on with a deliberation where its record stops; with one that has ended there is nothing to do.

        Raises:
            QuorateError: it cannot be resumed, or another process is at it.
        """
        if self.is_held(id_):
            return
        entries = await self.ledger.read(id_)
        publisher = await self.publisher(id_)
        if publisher.is_over and publisher.standing != "failed":
            self._tidy(publisher)
            return
        publisher.reopen()
        seated = publisher.state.seated if publisher.state else ()
        people = PeopleAtThePage.among(seated)
        self.counts.resumed += 1
        if self.queue is not None:
            await self.queue.put(id_)
            await self._wait_for_worker(id_, self.queue)
            return
        await self._take(id_, partial(self._resume, id_, entries, people), people)

    async def _wait_for_worker(self, id_: str, queue: QueuedWork) -> None:
        """Count a deliberation as held here until a worker is done with it."""
        await self.publisher(id_)
        self.failures.pop(id_, None)
        task = asyncio.create_task(self._work(id_, partial(queue.ended, id_)))
        self._held[id_] = _Held(task, PeopleAtThePage.among(()), is_queued=True)
        self.counts.running += 1
        task.add_done_callback(partial(self._left, id_))

    async def _is_known(self, id_: str) -> bool:
        """Whether anything of it is recorded, or somebody else is about to."""
        try:
            return bool(await self.ledger.read(id_)) or await self.ledger.owner(id_) is not None
        except NotRecorded:
            return False

    async def _take(self, id_: str, work: Callable[[Begin], Awaitable[None]], people: PeopleAtThePage) -> None:
        """Begin to hold a deliberation, and wait until that is on record or has failed."""
        begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def begin(told: str) -> None:
            if not begun.done():
                begun.set_result(told)

        task = asyncio.create_task(self._work(id_, partial(work, begin)))
        self._held[id_] = _Held(task, people)
        self.failures.pop(id_, None)
        self.counts.running += 1
        task.add_done_callback(partial(self._left, id_))
        await asyncio.wait((task, begun), return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            begun.cancel()
            task.result()

    async def _work(self, id_: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except QuorateError as wrong:
            self.failures[id_] = str(wrong)
            raise

    def _left(self, id_: str, task: "asyncio.Task[None]") -> None:
        """Tidy up after a deliberation that is held no more."""
        self._held.pop(id_, None)
        self.counts.running -= 1
        if not task.cancelled() and task.exception() is not None:
            self.counts.errors += not isinstance(task.exception(), QuorateError)
        publisher = self._publishers.get(id_)
        if publisher is not None:
            publisher.finish()
            if publisher.is_over:
                self.counts.ended[publisher.standing] += 1
            self._tidy(publisher)

    async def _hold(
        self, id_: str, prepared: PreparedRequest, people: PeopleAtThePage, begin: Begin, *, left: bool
    ) -> None:
        publisher = self._publishers.setdefault(id_, Publisher(id_))
        async with self._runner(prepared.settings, prepared.env, people) as runner:
            watch = self._watch(publisher, people)
            listen = publisher.listen
            await runner.hold(prepared.convened, id_=id_, left=left, watch=watch, listen=listen, begun=begin)

    async def _resume(self, id_: str, entries: Sequence[Entry], people: PeopleAtThePage, begin: Begin) -> None:
        publisher = self._publishers.setdefault(id_, Publisher(id_))
        resolved, env = self.operator.settings(), self.operator.environment()
        if resolved.consent is not None:
            env = resolved.consent.environment(id_, [entry.event for entry in entries])

        def catch_up(record: AuditRecord) -> None:
            publisher.catch_up_events(record.events, record.times)
            people.saw(publisher.state)
            begin(id_)

        async with self._runner(resolved, env, people) as runner:
            watch = self._watch(publisher, people)
            await runner.resume(id_, watch=watch, listen=publisher.listen, catch_up=catch_up)

    def _watch(self, publisher: Publisher, people: PeopleAtThePage) -> Callable[[Entry, State], None]:
        def watch(entry: Entry, state: State) -> None:
            self.counts.add_event(entry.event)
            publisher.watch(entry, state)
            people.saw(state, entry.event)

        return watch

    def _runner(
        self, settings: Settings, env: Mapping[str, str], people: PeopleAtThePage
    ) -> AbstractAsyncContextManager[Runner]:
        """Where it is held; with people on the panel, one of its own that can put asks to them."""
        return open_runner(settings, env, ledger=self.ledger, present=people.present if people.seats else None)

    async def cancel(self, id_: str, why: str) -> None:
        """Give a deliberation up for good.

        Raises:
            BadSetting: it has ended.
            OwnerLost: another process is at it.
        """
        held = self._held.get(id_)
        if held is not None:
            held.task.cancel()
            await asyncio.wait((held.task,), timeout=DRAIN)
        if self.queue is not None:
            await self.queue.cancel(id_)
        await person_entries.cancel(self.ledger, id_, why)
        await self._refresh(id_)

    async def answer(self, id_: str, seat: str, text: str) -> None:
        """Put on record what a person answers for a seat, and go on.

        Raises:
            BadSetting: nobody is asked anything there, or the answer cannot be read.
            OwnerLost: the deliberation is at work and cannot take it now.
        """
        held = self._held.get(id_)
        if held is not None:
            if await held.people.answer(seat, text, held.task):
                return
            await asyncio.wait((held.task,), timeout=PATIENCE)
        await person_entries.answer(self.ledger, id_, seat, text)
        await self._refresh(id_)
        await self.resume(id_)

    async def review(self, id_: str, *, outcome: str, by: str, because: str, origin: Origin) -> None:
        """Put on record what a person says of a verdict.

        Raises:
            QuorateError: there is none to review, or it does not hold.
        """
        await person_entries.review(self.ledger, id_, outcome=outcome, by=by, because=because, origin=origin)
        await self._refresh(id_)

    async def record_outcome(self, id_: str, value: str, *, by: str, because: str, origin: Origin) -> None:
        """Put on record what turned out right.

        Raises:
            QuorateError: it has not ended, or that cannot have turned out right.
        """
        await person_entries.record_outcome(self.ledger, id_, value, by=by, because=because, origin=origin)
        await self._refresh(id_)

    async def publisher(self, id_: str) -> Publisher:
        """A deliberation as it is shown, up to what is committed now.

        Raises:
            NotRecorded: no such deliberation.
            QuorateError: its record cannot be read here.
        """
        known = self._publishers.get(id_)
        if known is not None:
            return known
        publisher, entries = Publisher(id_), await self.ledger.read(id_)
        await asyncio.to_thread(publisher.catch_up, entries)
        known = self._publishers.setdefault(id_, publisher)
        known.finish()
        self._stale = True  # something may have been committed since it was read
        return known

    async def leave(self, publisher: Publisher) -> None:
        """Somebody has seen enough."""
        self._tidy(publisher)

    def _tidy(self, publisher: Publisher) -> None:
        if not publisher.viewers and not self.is_held(publisher.id):
            self._publishers.pop(publisher.id, None)

    async def _refresh(self, id_: str) -> None:
        publisher = self._publishers.get(id_)
        if publisher is not None and not self._is_held_here(id_):
            publisher.catch_up(await self.ledger.read(id_, after=len(publisher.frames)))
            publisher.finish()

    async def _follow(self) -> None:
        """Look whether anything was committed; if so, show what is new in what others hold and somebody watches."""
        version = -1
        while True:
            await asyncio.sleep(POLL)
            with suppress(LedgerError):
                now = await self.ledger.version()
                if now != version or self._stale:
                    version, self._stale = now, False
                    for id_ in [one for one in self._publishers if not self._is_held_here(one)]:
                        await self._refresh(id_)
                if self.queue is not None:
                    await self.queue.look(self._refresh)
