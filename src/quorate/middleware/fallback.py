"""A seat with several models: the first is asked until it fails for good, then the next, and so on.

It stands inside Retry and never tries again by itself, so that all models of a seat share one number of attempts. Of
those attempts each model that has not been asked yet is left one: three attempts are A A A for one model, A A B for
two, A B C for three. A failure that no new attempt can mend moves on at once.
"""

from collections.abc import Callable, Sequence
from typing import Final

from quorate.errors import PanelistError, PartDeclined
from quorate.middleware.circuit_breaker import OURS
from quorate.model import Ask, AskKey, Reply
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["Fallback", "Moved", "ignore_move"]

Moved = Callable[[str, tuple[str, ...], str], None]
"""Told of a seat, the models it has left, the one that answers now first, and why."""

NEVER_SENT: Final = frozenset({"breaker"})
"""Failures before anything went out: to ask somebody else instead is no second attempt."""


def ignore_move(seat: str, models: tuple[str, ...], why: str, /) -> None:
    """Nobody keeps a record."""


class Fallback:
    """Asks for one seat. Which of its models answers is remembered from ask to ask, and told before it is asked."""

    def __init__(self, panelists: Sequence[tuple[str, Panelist]], attempts: int, moved: Moved = ignore_move) -> None:
        self._left = list(panelists)
        self._attempts = attempts
        self._moved = moved
        self._used: dict[AskKey, int] = {}

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer from the model whose turn it is.

        Raises:
            PanelistError: it failed; to be tried again if another model, or the same, may help.
        """
        used = self._used[ask.key] = self._used.get(ask.key, 0) + 1
        while True:
            model, panelist = self._left[0]
            try:
                reply = await panelist.answer(ask, overheard)
            except PartDeclined:
                self._used[ask.key] = used - 1  # the same model is asked at once, without what it declined
                raise
            except PanelistError as failed:
                moved = self._moves(ask, model, failed, used)
                if moved and failed.why in NEVER_SENT:
                    continue
                if moved and not failed.again:
                    raise PanelistError(failed.why, failed.detail, again=True, billed=failed.billed) from failed
                if moved:
                    failed.after = None
                raise
            self._used.pop(ask.key, None)
            return reply

    def _moves(self, ask: Ask, model: str, failed: PanelistError, used: int) -> bool:
        """Whether another model is asked next; an ask beside this one may have moved the seat on already."""
        if self._left[0][0] != model:
            return True
        others = len(self._left) - 1
        if not others or failed.why in OURS:
            return False
        if failed.again and failed.why not in NEVER_SENT and self._attempts - used > others:
            return False
        self._left.pop(0)
        self._moved(ask.seat.name, tuple(name for name, _ in self._left), f"{model} failed: {failed}")
        return True
