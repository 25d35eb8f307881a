"""How reliable each seat or model has been, by kind of question, and whether that has changed of late."""

from collections.abc import Iterator, Sequence
from math import comb
from typing import Final

from quorate.evaluate.act_threshold import Interval, share_interval
from quorate.evaluate.past_decisions import PastDecision
from quorate.evaluate.voted_question import SeatNames
from quorate.frozen import dataclass

__all__ = ["Drift", "KindRecord", "SeatRecord", "drift_of", "seat_records"]

FEWEST_PER_HALF: Final = 5
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRecord:
    """One seat on one kind of question."""

    kind: str
    right: int
    labelled: int
    accuracy: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The earlier half of a seat's labelled votes beside the later one, by Fisher's exact test.

    It is called a drift only if so much is less probable than one in twenty, shared by all seats that are looked at.
    """

    earlier: Interval
    later: Interval
    p_value: float
    is_drift: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """A seat's votes where the right answer is known."""

    seat: str
    votes: int
    right: int
    labelled: int
    accuracy: Interval | None
    kinds: tuple[KindRecord, ...]
    drift: Drift | None


def seat_records(decisions: Sequence[PastDecision], names: SeatNames) -> tuple[SeatRecord, ...]:
    """Every seat that ever voted, by name; decisions stand in the order of their time."""
    cast: dict[str, list[tuple[str, bool | None]]] = {}
    for one in decisions:
        question = one.votes(names)
        for seat, vote in question.votes.items():
            cast.setdefault(seat, []).append((one.kind, None if question.right is None else vote == question.right))
    return tuple(_record(seat, cast[seat], len(cast)) for seat in sorted(cast))


def _record(seat: str, cast: Sequence[tuple[str, bool | None]], seats: int) -> SeatRecord:
    known = [(kind, right) for kind, right in cast if right is not None]
    hits = [right for _, right in known]
    return SeatRecord(
        seat=seat,
        votes=len(cast),
        right=sum(hits),
        labelled=len(hits),
        accuracy=share_interval(sum(hits), len(hits)) if hits else None,
        kinds=tuple(_kinds(known)),
        drift=drift_of(hits, seats),
    )


def _kinds(known: Sequence[tuple[str, bool]]) -> Iterator[KindRecord]:
    for kind in sorted({kind for kind, _ in known}):
        hits = [right for one, right in known if one == kind]
        accuracy = share_interval(sum(hits), len(hits))
        yield KindRecord(kind=kind, right=sum(hits), labelled=len(hits), accuracy=accuracy)


def drift_of(hits: Sequence[bool], seats: int = 1) -> Drift | None:
    """Compare the halves of what a seat got right, in the order of time; none where there is too little."""
    half = len(hits) // 2
    if half < FEWEST_PER_HALF:
        return None
    earlier, later = hits[:half], hits[half:]
    p_value = fisher(sum(earlier), len(earlier), sum(later), len(later))
    return Drift(
        earlier=share_interval(sum(earlier), len(earlier)),
        later=share_interval(sum(later), len(later)),
        p_value=p_value,
        is_drift=p_value < SIGNIFICANT / seats,
    )


def fisher(hits: int, cases: int, other_hits: int, other_cases: int) -> float:
    """How probable a difference so great or greater is by chance, in both directions, margins as they are."""
    total, both = cases + other_cases, hits + other_hits
    ways = [
        comb(cases, mine) * comb(other_cases, both - mine)
        for mine in range(max(0, both - other_cases), min(cases, both) + 1)
    ]
    seen = comb(cases, hits) * comb(other_cases, other_hits)
    return sum(way for way in ways if way <= seen) / comb(total, both)
