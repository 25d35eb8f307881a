"""The one loop: do what the chair says, everything that can be asked at once, at once."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from quorate.chair import State, changed_steps, read_reply
from quorate.engine.errands import Clerk
from quorate.engine.recompute import Audit
from quorate.errors import PanelistError, PanelistWaits
from quorate.ledger import Book, Entry
from quorate.model import (
    Adjourn,
    Ask,
    Asked,
    AskKey,
    Errand,
    ErrandKey,
    Event,
    Hear,
    Reply,
    Routed,
    Run,
    SeatModel,
    Silent,
    Step,
    Write,
)
from quorate.model.ballot import NOT_NEEDED
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["ActiveDeliberation", "Listen", "Publish", "hold"]

Listen = Callable[[Ask], WordListener]
Publish = Callable[[Entry, State], None]
Identified = Callable[[SeatModel, str], SeatModel | None]
"""The seat as a reply that names a model shows it to be, if that is another than before."""


@dataclass(slots=True)
class ActiveDeliberation:
    """One deliberation while it is being held: its book, what has been folded so far, and what is in flight.

    `publish` is told of every entry with the state after it, before the entry is durable.
    """

    book: Book
    audit: Audit
    panelists: Mapping[str, Panelist]
    clerk: Clerk
    publish: Publish | None = None
    listen: Listen | None = None
    identified: Identified | None = None
    flights: dict[AskKey | ErrandKey, asyncio.Task[None]] = field(default_factory=dict)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: set[AskKey | ErrandKey] = field(default_factory=set)
    known: dict[str, tuple[SeatModel, str]] = field(default_factory=dict[str, tuple[SeatModel, str]])
    """Under which name each seat has answered that was found to be its own."""
    seen: int = 0
    """How many changes of what is due have been acted on."""

    @property
    def state(self) -> State:
        """Everything written so far: the one fold there is of it."""
        return self.audit.state

    def orders(self) -> tuple[Step, ...]:
        """What is to be done now and was not before; what is in flight and wanted no more is given up."""
        state = self.state
        changed = state.agenda.changes[self.seen :] if state.admitted else []
        self.seen += len(changed)
        for key in changed:
            flight = self.flights.get(key)
            if flight is not None and state.due(key) is None and not flight.done():
                self.flights.pop(key).cancel()
        return changed_steps(state, changed)

    def note(self, event: Event) -> None:
        """Write, then believe: the spool has it before anything is done with it."""
        entry = self.book.write(event)
        self.audit.add_own(event)
        if self.publish is not None:
            if self.state.admitted:
                self.state.possible()  # whoever draws what is due finds it worked out, and need not run the protocol
            self.publish(entry, self.state)
        if not isinstance(event, Asked):
            self.stirred.set()

    async def hear(self, ask: Ask, key: AskKey) -> None:
        """Put an ask to its seat and note what came."""
        try:
            reply = await self.panelists[ask.seat.name].answer(ask, self.listen(ask) if self.listen else ignore_words)
        except PanelistWaits:
            self.waiting.add(key)
            self.stirred.set()
        except PanelistError as gone:
            if gone.why == NOT_NEEDED:  # whatever went out before is withdrawn by the chair, which no longer wants it
                return
            self.note(Silent(**key._asdict(), why=gone.why, detail=gone.detail))
        else:
            self.identify(key.seat, reply.model)
            self.note(read_reply(ask, key, _credible(reply)))

    def identify(self, seat: str, named: str) -> None:
        """Note that another model answers for a seat than was asked, before what it said counts."""
        sat = self.state.models.get(seat)
        if sat is None or self.identified is None or self.known.get(seat) == (sat, named):
            return
        now = self.identified(sat, named)
        if now is None:
            self.known[seat] = sat, named
        else:
            self.note(Routed(seated=now, why=f"the reply names {named}"))

    def sent(self, ask: Ask) -> None:
        """Note that an ask goes out, for the first time or again: a budget must know of every time it may be billed.

        Raises:
            PanelistError: the chair has not looked yet at what came in meanwhile, and will not want this any more.
        """
        state = self.state
        key = ask.key
        if self.stirred.is_set() and state.due(key) is None:
            raise PanelistError(NOT_NEEDED)
        sat = state.models.get(key.seat)
        sending = (state.asked.get(key) or 0) + 1
        self.note(
            Asked(
                round=key.round,
                seat=key.seat,
                about=key.about,
                attempt=key.attempt,
                prompt=ask.prompt.template,
                model=sat.model if sat else "",
                sending=sending,
            )
        )

    def only_waits(self) -> bool:
        """Whether all that is left has been put to people who answer later."""
        if not self.waiting or not self.state.admitted:
            return False
        due = self.state.agenda.due
        return bool(due) and self.waiting.issuperset(due)

    async def run(self, errand: Errand) -> None:
        """Send the clerk and note what was found."""
        self.note(await self.clerk.run(errand))


def _credible(reply: Reply) -> Reply:
    """A reply without a cost that cannot be: it is written down, added up and shown."""
    usage = reply.usage.credible
    return reply if usage is reply.usage else replace(reply, usage=usage)


async def hold(active: ActiveDeliberation) -> State:
    """Do what the chair says until it adjourns, or until all that is left waits for people.

    Whoever lets go of the book waits until all of it is durable.

    Raises:
        LedgerUnwritable: the record cannot be kept.
        OwnerLost: another process has taken over.
    """
    async with asyncio.TaskGroup() as group:
        while True:
            active.stirred.clear()
            ordered = active.orders()
            if active.only_waits():
                return active.state
            for step in ordered:
                match step:
                    case Write(event=event):
                        active.note(event)
                    case Hear(ask=ask) if (key := ask.key) not in active.flights:
                        active.flights[key] = group.create_task(active.hear(active.state.put(ask), key))
                    case Run(errand=errand) if errand.key not in active.flights:
                        active.flights[errand.key] = group.create_task(active.run(errand))
                    case Adjourn():
                        return active.state
                    case _:
                        pass
            await active.stirred.wait()
