"""The one loop: do what the chair says, everything that can be asked at once, at once."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quorate.chair import State, heard_reply, steps
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
    Spoken,
    Step,
    Write,
)
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
    waiting: set[AskKey] = field(default_factory=set)

    @property
    def state(self) -> State:
        """Everything written so far: the one fold there is of it."""
        return self.audit.state

    def orders(self) -> tuple[Step, ...]:
        """What is to be done now."""
        return steps(self.state)

    def note(self, event: Event) -> None:
        """Write, then believe: the spool has it before anything is done with it."""
        entry = self.book.write(event)
        self.audit.add_own(event)
        if self.publish is not None:
            if self.state.admitted:
                _ = self.state.wanted  # whoever draws what is due finds it worked out, and need not run the protocol
            self.publish(entry, self.state)
        if not isinstance(event, Asked):
            self.stirred.set()

    async def hear(self, ask: Ask) -> None:
        """Put an ask to its seat and note what came."""
        where = ask.key._asdict()
        try:
            reply = await self.panelists[ask.seat.name].answer(ask, self.listen(ask) if self.listen else ignore_words)
        except PanelistWaits:
            self.waiting.add(ask.key)
            self.stirred.set()
        except PanelistError as gone:
            self.note(Silent(**where, why=gone.why, detail=gone.detail))
        else:
            self.identify(ask.seat.name, reply.model)
            self.note(heard_reply(ask, Spoken(**where, reply=_credible(reply))))

    def identify(self, seat: str, named: str) -> None:
        """Note that another model answers for a seat than was asked, before what it said counts."""
        sat = next((sat for sat in self.state.seated if sat.seat == seat), None)
        now = self.identified(sat, named) if self.identified and sat else None
        if now is not None:
            self.note(Routed(seated=now, why=f"the reply names {named}"))

    def sent(self, ask: Ask) -> None:
        """Note that an ask goes out, for the first time or again: a budget must know of every time it may be billed.

        Raises:
            PanelistError: the chair has not looked yet at what came in meanwhile, and will not want this any more.
        """
        state = self.state
        if self.stirred.is_set() and ask.key not in state.possible():
            raise PanelistError("no_longer_needed")
        model = next((sat.model for sat in state.seated if sat.seat == ask.seat.name), "")
        sending = state.asked.get(ask.key, 0) + 1
        self.note(Asked(**ask.key._asdict(), prompt=ask.prompt.template, model=model, sending=sending))

    def cancel_unwanted(self, ordered: Sequence[Step]) -> None:
        """What is in flight but no longer ordered is given up, whether it has gone out or waits for its turn."""
        asks = {step.ask.key for step in ordered if isinstance(step, Hear)}
        wanted = asks | {step.errand.key for step in ordered if isinstance(step, Run)}
        for key in [key for key, flight in self.flights.items() if key not in wanted and not flight.done()]:
            self.flights.pop(key).cancel()

    def only_waits(self, ordered: Sequence[Step]) -> bool:
        """Whether all that is left has been put to people who answer later."""
        return bool(ordered) and all(isinstance(step, Hear) and step.ask.key in self.waiting for step in ordered)

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
            if active.only_waits(ordered):
                return active.state
            for step in ordered:
                match step:
                    case Write(event=event):
                        active.note(event)
                    case Hear(ask=ask) if ask.key not in active.flights:
                        active.flights[ask.key] = group.create_task(active.hear(active.state.put(ask)))
                    case Run(errand=errand) if errand.key not in active.flights:
                        active.flights[errand.key] = group.create_task(active.run(errand))
                    case Adjourn():
                        return active.state
                    case _:
                        pass
            active.cancel_unwanted(ordered)
            await active.stirred.wait()
