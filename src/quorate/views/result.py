"""How a deliberation stands: what document, card, minutes and gate show of it, with the types it has inside."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from quorate.analysis.careful_outcome import is_boldest
from quorate.analysis.research import UNSUPPORTED
from quorate.chair.decision_margins import Decision, bench_tally, decision_of
from quorate.frozen import dataclass
from quorate.model import (
    Asked,
    AskKey,
    ContextFile,
    Decided,
    Event,
    Failed,
    Origin,
    Reviewed,
    Silent,
    Spoken,
    TurnedAway,
    TurnedOut,
    Withdrawn,
)
from quorate.model.panel import is_person
from quorate.views import Record
from quorate.views.access import COULD_NOT_BE_ASKED, AccessFailure, access_failures
from quorate.views.seat_lookups import lookup_counts

__all__ = [
    "Cost",
    "Decision",
    "Result",
    "Review",
    "RightOutcome",
    "bench_tally",
    "cost_of",
    "decision_of",
    "open_asks",
    "right_of",
    "state_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a person said of a verdict, and when it was written."""

    outcome: str
    by: str
    because: str
    origin: Origin
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightOutcome:
    """What turned out right, who said so, and when it was written."""

    value: str
    by: str = ""
    because: str = ""
    origin: Origin
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Calls, tokens and money; what is unknown is none, never zero. `uncounted` are replies without usable tokens.

    `resent` are the calls that put an ask once more, after an interruption or an attempt that failed.
    """

    calls: int
    tokens: int | None
    money: Fraction | None
    uncounted: int = 0
    resent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a deliberation stands, or what ballots come to without one: those have no id, no cost and no state."""

    decision: Decision | None
    id: str = ""
    state: str = ""
    reviews: tuple[Review, ...] = ()
    outcomes: tuple[RightOutcome, ...] = ()
    """What was said to have turned out right; the last holds."""
    learned: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What other records say about it, as rows of the card."""
    cost: Cost | None = None
    seconds: float = 0.0
    lookups: tuple[str, ...] = ()
    """What seats looked up before they answered, a line for each seat that did."""
    files: tuple[str, ...] = ()
    """Which files were read as context, with their sizes, and which were left out."""
    failures: tuple[AccessFailure, ...] = ()
    """Why nobody could be asked, where the deliberation failed for that."""

    @classmethod
    def of(cls, record: Record) -> "Result":
        """All of it, from a record."""
        return cls(
            decision=decision_of(record.state),
            id=record.id,
            state=state_of(record.events),
            reviews=_reviews(record),
            outcomes=tuple(_outcomes(record)),
            cost=cost_of(record.events),
            seconds=record.seconds,
            lookups=lookup_counts(record.state),
            files=tuple(map(_file, record.state.convened.question.files)),
            failures=access_failures(record.state),
        )

    @property
    def without_verdict(self) -> str:
        """What stands where the verdict would."""
        return COULD_NOT_BE_ASKED if self.failures else "NO VERDICT YET"

    @property
    def is_unheard(self) -> bool:
        """Whether there is nothing to go by: nobody could be asked, or all that came was silence.

        A ballot that was sealed is something, and so is an abstention, a finding without a source or a person's review.
        """
        if self.state == "failed":
            return True
        if self.decision is None or self.state == "turned_away" or self.reviews:
            return False
        tally, sealed = self.decision.tally, self.decision.tally.sealed
        heard = tally.all_stated or tally.abstained or (sealed is not None and sealed.all_stated)
        return not heard and all(gone.why != UNSUPPORTED for gone in tally.silent)

    @property
    def may_act(self) -> bool:
        """Whether a program may act on it alone: the boldest outcome was decided, and it stands.

        A review may take that back, whoever gave it; only one for which the owner was asked may give it.
        """
        if self.decision is None or self.decision.tally.demo:
            return False
        verdict, tally = self.decision.verdict, self.decision.tally
        stands = verdict.decided and not verdict.requires_human_review and is_boldest(tally, verdict.outcome)
        for review in self.reviews:
            same = review.outcome == verdict.outcome
            stands = is_boldest(tally, review.outcome) if review.origin.may_loosen else stands and same
        return stands

    @property
    def review(self) -> Review | None:
        """What a person said last."""
        return self.reviews[-1] if self.reviews else None


def _file(one: ContextFile) -> str:
    return f"{one.name} left out: {one.left_out}" if one.left_out else f"{one.name} ({one.size:,} bytes)"


def _reviews(record: Record) -> tuple[Review, ...]:
    if not any(isinstance(event, Decided) for event in record.events):
        return ()
    times = record.times or [""] * len(record.events)
    return tuple(
        Review(outcome=event.outcome, by=event.by, because=event.because, origin=event.origin, at=at)
        for event, at in zip(record.events, times, strict=True)
        if isinstance(event, Reviewed)
    )


def _outcomes(record: Record) -> Iterator[RightOutcome]:
    for event, at in zip(record.events, record.times or [""] * len(record.events), strict=True):
        if isinstance(event, TurnedOut):
            yield RightOutcome(value=event.value, by=event.by, because=event.because, origin=event.origin, at=at)


def right_of(events: Sequence[Event], *, certified: bool = False) -> str | None:
    """What is known to be right: what turned out to be, else what a person said last in a review; none if nobody did.

    What happened counts before what somebody thought of it, whichever was written first. With `certified`, only labels
    are looked at that may open a gate: a caller could otherwise label its own past and be trusted for it.
    """
    fact = review = None
    for event in events:
        if not isinstance(event, Reviewed | TurnedOut) or (certified and not event.origin.may_certify):
            continue
        if isinstance(event, TurnedOut):
            fact = event.value
        else:
            review = event.outcome
    return review if fact is None else fact


def state_of(events: Sequence[Event]) -> str:
    """Decided, turned away, failed because nobody could be asked, waiting for people, or halted, to be resumed."""
    kinds = {type(event) for event in events}
    if kinds & {Decided, TurnedAway}:
        return "decided" if Decided in kinds else "turned_away"
    if Failed in kinds and isinstance(_last_of_panel(events), Failed):
        return "failed"
    waiting = open_asks(events)
    return "waiting" if waiting and all(is_person(asked.model) for asked in waiting) else "halted"


def _last_of_panel(events: Sequence[Event]) -> Event | None:
    """The last entry that the panel wrote, whatever people have added since."""
    return next((event for event in reversed(events) if not isinstance(event, Reviewed | TurnedOut)), None)


def open_asks(events: Sequence[Event]) -> tuple[Asked, ...]:
    """What was asked and has not been settled."""
    asked: dict[AskKey, Asked] = {}
    for event in events:
        if isinstance(event, Asked):
            asked[event.key] = event
        elif isinstance(event, Spoken | Silent | Withdrawn):
            asked.pop(event.key, None)
    return tuple(asked.values())


def cost_of(events: Sequence[Event]) -> Cost:
    """What a deliberation has cost so far; what cannot be is unknown."""
    calls = _calls(events)
    spent = [event.reply.usage.credible for event in events if isinstance(event, Spoken)]
    tokens = [used.tokens for used in spent if used.tokens is not None]
    # Without a reply nobody has said what calls cost, and a call that failed may be billed.
    unknown = bool(calls) and not spent
    return Cost(
        calls=len(calls),
        tokens=sum(tokens) if tokens or not calls else None,
        money=None if unknown else _total([used.money for used in spent]),
        uncounted=len(spent) - len(tokens),
        resent=sum(call.sending > 1 for call in calls),
    )


def _total(amounts: Sequence[Fraction | None]) -> Fraction | None:
    """The sum; none if one of them is unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Fraction(0)) if len(known) == len(amounts) else None


def _calls(events: Sequence[Event]) -> list[Asked]:
    return [event for event in events if isinstance(event, Asked) and not is_person(event.model)]
