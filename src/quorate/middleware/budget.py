"""A hard budget of calls, tokens and money: reserved before a call, settled after it, restored from the record."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final

from quorate.errors import PanelistError
from quorate.frozen import dataclass
from quorate.model import Ask, Asked, AskKey, Event, Limits, Reply, Silent, Spoken, Withdrawn
from quorate.model.ballot import LOCKED_OUT, NOT_NEEDED
from quorate.model.panel import is_person
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.http.tokens import fewest, usual
from quorate.panelists.price import Price
from quorate.panelists.registry import most_of

__all__ = ["MOST", "Budget", "Charge", "CostEstimate", "MeteredPanelist", "Reservation"]

MOST: Final = 4096
"""The most tokens a reply may have, unless a seat says otherwise; it is sent along, so that the reservation holds."""

NOTHING: Final = Fraction(0)
"""No money. Where no price is known this very object goes around, and costs no arithmetic of fractions."""

NEVER_BILLED: Final = LOCKED_OUT | {"rate_limited", "too_long", "filter", "bad_request"}
"""Silences whose last call cannot have cost tokens or money. In doubt a reservation counts as spent: out of budget an
ask may be silent after a call that was billed, and one that never went out is not on record at all."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What something costs, or may cost. Every request is a call, whatever comes of it."""

    calls: int = 0
    tokens: int = 0
    money: Fraction = NOTHING

    def __add__(self, other: "Charge") -> "Charge":
        money = self.money if other.money is NOTHING else self.money + other.money
        return Charge(self.calls + other.calls, self.tokens + other.tokens, money)

    def __sub__(self, other: "Charge") -> "Charge":
        money = self.money if other.money is NOTHING else self.money - other.money
        return Charge(self.calls - other.calls, self.tokens - other.tokens, money)

    def beyond(self, limits: Limits) -> str:
        """What this goes beyond, in words; empty if it is within all limits."""
        for name, used, limit in (
            ("calls", self.calls, limits.calls),
            ("tokens", self.tokens, limits.tokens),
            ("dollars", self.money, limits.money),
        ):
            if limit is not None and used > limit:
                return f"{float(limit):g} {name}"
        return ""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The most that one ask should cost: tokens of the prompt by its length, and the longest reply we allow."""

    prompt: str
    most: int
    price: Price | None

    @property
    def asked(self) -> int:
        """A token is seldom less than three bytes of UTF-8, in any script."""
        text = self.prompt
        size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
        return -(-size // 3)

    def charge(self) -> Charge:
        asked = self.asked
        return Charge(1, asked + self.most, self.price.of(asked, self.most) if self.price else NOTHING)

    def sent(self) -> Charge:
        """The request alone."""
        asked = self.asked
        return Charge(1, asked, self.price.of(asked, 0) if self.price else NOTHING)

    def settled(self, reply: Reply) -> Charge:
        """What a reply cost, as reported; what was not reported, or less than its length shows, as estimated."""
        usage = reply.usage.credible
        least = (fewest(self.prompt), fewest(reply.text))
        asked = _believed(usage.asked, least[0], self.asked)
        answered = _believed(usage.answered, least[1], max(self.most, usual(reply.text)))
        said = usage.money
        if self.price is None:
            return Charge(1, asked + answered, said or NOTHING)
        tokens = (asked, answered) if said is None else least
        return Charge(1, asked + answered, max(said or NOTHING, self.price.of(*tokens)))


def _believed(reported: int | None, least: int, otherwise: int) -> int:
    """A report that cannot be true is none."""
    return otherwise if reported is None or reported < least else reported


CALL: Final = Charge(calls=1)


class Reservation:
    """Part of a budget, held while a call is under way. Closed once: later attempts to close it change nothing."""

    __slots__ = ("_budget", "_open", "charge", "key")

    def __init__(self, budget: "Budget", key: AskKey, charge: Charge) -> None:
        self._budget = budget
        self._open = True
        self.key = key
        self.charge = charge

    def settle(self, actual: Charge) -> None:
        """It was used, for so much."""
        if self._open:
            self._open = False
            self._budget.close(self, actual)

    def release(self) -> None:
        """It was certainly not used: nothing was sent."""
        self.settle(Charge())

    def refused(self) -> None:
        """A request was sent and certainly not answered: a call, and nothing else."""
        self.settle(CALL)

    def keep(self) -> None:
        """It may have been used: count all of it, and note it as lost on this ask."""
        if self._open:
            self._budget.lost[self.key] = self._budget.lost.get(self.key, Charge()) + self.charge
            self.settle(self.charge)


class Budget:
    """What one deliberation may spend, shared by its seats. Nothing is granted beyond the limits."""

    def __init__(self, limits: Limits, spent: Charge | None = None) -> None:
        self.limits = limits
        self.spent = spent or Charge()
        self.held = Charge()
        self.lost: dict[AskKey, Charge] = {}
        """By ask, what attempts that failed may have cost; the record does not hold it."""

    @classmethod
    def restore(
        cls,
        limits: Limits,
        events: Iterable[Event],
        price: Callable[[str], Price | None],
        most: int = MOST,
        *,
        ended: bool = False,
    ) -> "Budget":
        """The budget of a record: replies as they cost, and whatever was under way when it broke off as reserved.

        `most` is the longest reply of a model whose name does not say it. Once a deliberation has `ended`, a call that
        wasn't needed counts with what was sent; before that the provider may still be writing its reply.
        """
        spent = Charge()
        under_way: dict[AskKey, CostEstimate] = {}
        for event in events:
            match event:
                case Asked(model=model) if is_person(model):
                    pass  # nobody charges for a person, and an ask that waits is no purchase
                case Asked(key=key):
                    before = under_way.get(key)
                    spent += before.charge() if before else Charge()
                    under_way[key] = CostEstimate(event.prompt, most_of(event.model, most), price(event.model))
                case Spoken(key=key) | Silent(key=key) | Withdrawn(key=key) if key in under_way:
                    estimate = under_way.pop(key)
                    spent += estimate.sent() if ended and isinstance(event, Withdrawn) else _outcome(estimate, event)
                case _:
                    pass
        return cls(limits, sum((estimate.charge() for estimate in under_way.values()), spent))

    def reserve(self, key: AskKey, charge: Charge) -> Reservation:
        """Set part of the budget aside for one call.

        Raises:
            PanelistError: `budget`, if not so much is left.
        """
        held = self.held + charge
        beyond = (self.spent + held).beyond(self.limits)
        if beyond:
            raise PanelistError("budget", f"the budget of {beyond} does not allow another call")
        self.held = held
        return Reservation(self, key, charge)

    @property
    def unlimited(self) -> bool:
        """Whether there is nothing to keep to, and so nothing to count."""
        return not self.limits.has_budget

    def close(self, reservation: Reservation, actual: Charge) -> None:
        """Turn a reservation into what was spent; reservations call this themselves, once."""
        self.held -= reservation.charge
        self.spent += actual


def _outcome(estimate: CostEstimate, event: Spoken | Silent | Withdrawn) -> Charge:
    match event:
        case Spoken():
            return estimate.settled(event.reply)
        case Silent() if event.why in NEVER_BILLED:
            return CALL
        case Silent() | Withdrawn():
            return estimate.charge()


class MeteredPanelist:
    """Lets a panelist be asked only within the budget, and books what it cost."""

    def __init__(self, panelist: Panelist, budget: Budget, price: Price | None = None, most: int = MOST) -> None:
        self._panelist = panelist
        self._budget = budget
        self._price = price
        self._most = most

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Reserve, answer, settle.

        Raises:
            PanelistError: `budget`, or what the panelist raises.
        """
        estimate = CostEstimate(ask.prompt.template, self._most, self._price)
        reservation = self._budget.reserve(ask.key, estimate.charge())
        try:
            reply = await self._panelist.answer(ask, overheard)
        except PanelistError as failed:
            if failed.why == NOT_NEEDED:  # given up between its reservation and its request
                reservation.release()
            else:
                reservation.keep() if failed.billed else reservation.refused()
            raise
        except BaseException:  # cancelled, or a fault of ours: the request may be on its way
            reservation.keep()
            raise
        reservation.settle(estimate.settled(reply))
        return reply
