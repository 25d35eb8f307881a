"""A person who answers for a seat: here and now if somebody is at the keyboard, else later; the record waits."""

from collections.abc import Awaitable, Callable
from fractions import Fraction
from time import perf_counter

from quorate.errors import PanelistWaits
from quorate.model import Ask, Reply, Usage
from quorate.panelists import WordListener, ignore_words

__all__ = ["Person", "Present", "person_reply"]

Present = Callable[[Ask], Awaitable[str | None]]
"""Puts an ask to the person at the keyboard; none if they would rather answer later."""


class Person:
    """Answers under `person` or `person:NAME`. Without anybody present every ask waits in the record."""

    def __init__(self, model: str, present: Present | None = None) -> None:
        self._model = model
        self._present = present

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """What the person says.

        Raises:
            PanelistWaits: nobody is present, or they will answer later.
        """
        del overheard
        began = perf_counter()
        text = await self._present(ask) if self._present is not None else None
        if text is None:
            raise PanelistWaits(f"{ask.seat.name} is answered by a person, who has been asked")
        return person_reply(text, self._model, round((perf_counter() - began) * 1000))


def person_reply(text: str, model: str, took: int = 0) -> Reply:
    """What a person wrote, as a reply: no tokens and no money."""
    return Reply(text=text, model=model, usage=Usage(asked=0, answered=0, money=Fraction(0)), took=took)
