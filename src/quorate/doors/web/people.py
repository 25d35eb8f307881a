"""People who answer for a seat at the page: at once while others are at work, else the record waits for them."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from quorate import chair
from quorate.chair import State
from quorate.errors import BadSetting
from quorate.model import Ask, AskKey, Event, SeatModel, Spoken
from quorate.model.panel import is_person
from quorate.panelists.person import person_reply
from quorate.service.reviews import unreadable

__all__ = ["PeopleAtThePage"]

_COMMIT: Final = 30.0
"""Seconds that an answer has to be durable."""


@dataclass(eq=False, slots=True)
class PeopleAtThePage:
    """The seats that people hold in one deliberation, and what each is asked right now."""

    seats: dict[str, str]
    """Who answers, by seat."""
    _asked: dict[AskKey, tuple[Ask, "asyncio.Future[str | None]"]] = field(default_factory=dict)
    _committed: dict[AskKey, asyncio.Event] = field(default_factory=dict)
    _state: State | None = None

    @classmethod
    def among(cls, seated: Iterable[SeatModel]) -> "PeopleAtThePage":
        return cls({sat.seat: sat.model for sat in seated if is_person(sat.model)})

    async def present(self, ask: Ask) -> str | None:
        """Wait for an answer as long as others are at work; none once only people are left, for the record can wait."""
        if self._is_last():
            return None
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._asked[ask.key] = ask, answer
        try:
            return await answer
        finally:
            del self._asked[ask.key]

    def saw(self, state: State | None, event: Event | None = None) -> None:
        """Take note of an entry: an answer may be durable now, or nobody but people be left."""
        self._state = state
        if isinstance(event, Spoken) and event.key in self._committed:
            self._committed[event.key].set()
        if self._is_last():
            for _, answer in self._asked.values():
                if not answer.done():
                    answer.set_result(None)

    def _is_last(self) -> bool:
        state = self._state
        if state is None or not state.admitted:
            return False
        due = state.possible()
        return bool(due) and all(isinstance(key, AskKey) and key.seat in self.seats for key in due)

    async def answer(self, seat: str, text: str, held: "asyncio.Task[None]") -> bool:
        """Hand over an answer, and wait until it is durable; whether anybody was waiting for it here.

        Raises:
            BadSetting: it cannot be read, and nothing was written.
        """
        key = next((key for key, (_, waits) in self._asked.items() if key.seat == seat and not waits.done()), None)
        if key is None:
            return False
        ask, waits = self._asked[key]
        reply = person_reply(text, self.seats[seat])
        if why := unreadable(chair.heard_reply(ask, Spoken(**key._asdict(), reply=reply))):
            raise BadSetting(f"nothing was written: {why}; answer again on the pattern the prompt ends with")
        durable = self._committed[key] = asyncio.Event()
        waits.set_result(text)
        committed = asyncio.create_task(durable.wait())
        await asyncio.wait((committed, held), timeout=_COMMIT, return_when=asyncio.FIRST_COMPLETED)
        committed.cancel()
        del self._committed[key]
        return durable.is_set()
