"""The one loop: do what the chair says, everything that can be asked at once, at once."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from quorate.chair import Docket, heard_reply, steps
from quorate.engine.clerk import Clerk
from quorate.errors import PanelistError
from quorate.ledger import Book
from quorate.model import (
    Adjourn,
    Ask,
    Asked,
    AskKey,
    Errand,
    ErrandKey,
    Event,
    Hear,
    Run,
    Silent,
    Spoken,
    Step,
    Write,
)
from quorate.panelists import Overheard, Panelist, unheard

__all__ = ["Listen", "Sitting", "hold"]

Listen = Callable[[Ask], Overheard]


@dataclass(slots=True)
class Sitting:
    """One deliberation while it is being held: its book, what has been folded so far, and what is in flight."""

    book: Book
    docket: Docket
    panelists: Mapping[str, Panelist]
    clerk: Clerk
    listen: Listen | None = None
    flights: dict[AskKey | ErrandKey, asyncio.Task[None]] = field(default_factory=dict)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, event: Event) -> None:
        """Write, then believe: the spool has it before anything is done with it."""
        self.book.write(event)
        self.docket = self.docket.after(event)
        if not isinstance(event, Asked):
            self.stirred.set()

    async def hear(self, ask: Ask) -> None:
        """Put an ask to its seat and note what came."""
        where = ask.key._asdict()
        try:
            reply = await self.panelists[ask.seat.name].answer(ask, self.listen(ask) if self.listen else unheard)
        except PanelistError as gone:
            self.note(Silent(**where, why=gone.why, detail=gone.detail))
        else:
            self.note(heard_reply(ask, Spoken(**where, reply=reply)))

    def sent(self, ask: Ask) -> None:
        """Note that an ask goes out, for the first time or again: a budget must know of every time it may be billed.

        Raises:
            PanelistError: the chair has not looked yet at what came in meanwhile, and will not want this any more.
        """
        docket = self.docket
        if self.stirred.is_set() and ask.key not in docket.possible():
            raise PanelistError("no_longer_needed")
        model = next((sat.model for sat in docket.seated if sat.seat == ask.seat.name), "")
        sending = docket.asked.get(ask.key, 0) + 1
        self.note(Asked(**ask.key._asdict(), prompt=ask.prompt.template, model=model, sending=sending))

    def cancel_unwanted(self, ordered: Sequence[Step]) -> None:
        """What is in flight but no longer ordered is given up, whether it has gone out or waits for its turn."""
        asks = {step.ask.key for step in ordered if isinstance(step, Hear)}
        wanted = asks | {step.errand.key for step in ordered if isinstance(step, Run)}
        for key in [key for key, flight in self.flights.items() if key not in wanted and not flight.done()]:
            self.flights.pop(key).cancel()

    async def run(self, errand: Errand) -> None:
        """Send the clerk and note what was found."""
        self.note(await self.clerk.run(errand))


async def hold(sitting: Sitting) -> Docket:
    """Do what the chair says until it adjourns; whoever lets go of the book waits until all of it is durable.

    Raises:
        LedgerUnwritable: the record cannot be kept.
        OwnerLost: another process has taken over.
    """
    async with asyncio.TaskGroup() as group:
        while True:
            sitting.stirred.clear()
            ordered = steps(sitting.docket)
            for step in ordered:
                match step:
                    case Write(event=event):
                        sitting.note(event)
                    case Hear(ask=ask) if ask.key not in sitting.flights:
                        sitting.flights[ask.key] = group.create_task(sitting.hear(sitting.docket.put(ask)))
                    case Run(errand=errand) if errand.key not in sitting.flights:
                        sitting.flights[errand.key] = group.create_task(sitting.run(errand))
                    case Adjourn():
                        return sitting.docket
                    case _:
                        pass
            sitting.cancel_unwanted(ordered)
            await sitting.stirred.wait()
