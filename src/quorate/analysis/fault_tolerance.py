"""What a panel withstands: how many seats, or fault domains, may lie or be missing before a decision goes wrong."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from math import ceil
from types import MappingProxyType
from typing import Final, Literal

from quorate import catalogue
from quorate.analysis.source_weights import LARGEST_RATIO, clamp_ratio
from quorate.errors import QuorateError
from quorate.model import Rulebook
from quorate.model.numbers import TWO_THIRDS, share

__all__ = ["FaultTolerance", "PassTerms", "terms_of", "withstands"]

By = Literal["heads", "weighted", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTerms:
    """By what a decision passes: the share, the findings there must be, and whether heads or weights are counted."""

    at_least: Fraction = TWO_THIRDS
    min_seats: int = 0
    decide_by: By = "heads"
    ratio: Fraction = LARGEST_RATIO


PLAIN: Final = PassTerms()
_WAYS: Final[Mapping[str, By]] = MappingProxyType({"weighted": "weighted", "both": "both"})


def terms_of(rulebook: Rulebook | None) -> PassTerms | None:
    """The terms a rulebook states for consensus; every other decides by two thirds of the heads at best.

    None where a rule looks further into votes than at heads, or is not known here: nothing follows from heads then.
    """
    if rulebook is None:
        return PLAIN
    if not all(_by_heads(named.name) for named in (*rulebook.rules, rulebook.otherwise)):
        return None
    if "consensus" not in {named.name for named in rulebook.rules}:
        return PLAIN
    return _terms_of_consensus(rulebook)


def _terms_of_consensus(rulebook: Rulebook) -> PassTerms:
    written = {f"{named.name}.{key}": text for named in rulebook.rules for key, text in named.settings}
    least, by = written.get("too_few.min_seats", ""), written.get("consensus.decide_by", "heads").casefold()
    return PassTerms(
        at_least=share(written.get("consensus.at_least", "")) or TWO_THIRDS,
        min_seats=int(least) if least.isdecimal() else 0,
        decide_by=_WAYS.get(by, "heads"),
        ratio=clamp_ratio(share(written.get("consensus.weight_ratio", "")) or LARGEST_RATIO),
    )


def _by_heads(rule: str) -> bool:
    try:
        return not catalogue.rule(rule).votes
    except QuorateError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultTolerance:
    """`needed` seats carry a decision whatever the others do.

    Safe: whatever passes is backed by more than half of the honest seats. Live: if all others agree, so many that are
    silent or against it cannot stop them.
    """

    seats: int
    needed: int
    safe: int
    live: int
    domains: int
    safe_domains: int
    live_domains: int
    weights: str = ""
    """Where weights decide, the most that one may count for another."""

    @property
    def sentence(self) -> str:
        """The same in words; it is a vote robust to faulty seats, with the tallier and the ledger trusted."""
        on = f"{_many(self.seats, 'seat')} on {_many(self.domains, 'provider')}"
        seats = self._seats
        if not self.safe_domains and not self.live_domains:
            return f"{on}: {seats}; no provider may lie or be missing"
        lie = f"{_many(self.safe_domains, 'provider')} may lie" if self.safe_domains else "no provider may lie"
        return f"{on}: {seats}; {lie}, {self.live_domains or 'none'} may be missing"

    @property
    def of_seats(self) -> str:
        """The same where nobody knows which providers stand behind the seats."""
        return f"{_many(self.seats, 'seat')}: {self._seats}; which providers stand behind them is not known"

    @property
    def _seats(self) -> str:
        weighed = f" (the heaviest seat counts at most {self.weights} times the lightest)" if self.weights else ""
        return f"safe against {_many(self.safe, 'lying seat')}, live with {self.live} missing{weighed}"


def withstands(domains: tuple[str, ...], terms: PassTerms = PLAIN) -> FaultTolerance:
    """What a panel withstands, from the fault domain of each voting seat."""
    seats = len(domains)
    safe, live = _bounds(seats, terms)
    largest = sorted(Counter(domains).values(), reverse=True)
    return FaultTolerance(
        seats=seats,
        needed=_heads(seats, terms) if terms.decide_by == "heads" else seats - live,
        safe=safe,
        live=live,
        domains=len(largest),
        safe_domains=_within(largest, safe),
        live_domains=_within(largest, live),
        weights="" if terms.decide_by == "heads" else str(terms.ratio),
    )


def _bounds(seats: int, terms: PassTerms) -> tuple[int, int]:
    """How many seats may lie, and how many may be missing."""
    needed = _heads(seats, terms)
    by_heads = max(0, 2 * needed - seats - 1), seats - needed
    by_weight = (
        _up_to(seats, lambda f: not _carried(seats, f, terms)),
        _up_to(seats, lambda f: _unstopped(seats, f, terms)),
    )
    safe, live = {
        "heads": by_heads,
        "weighted": by_weight,
        "both": (max(by_heads[0], by_weight[0]), min(by_heads[1], by_weight[1])),
    }[terms.decide_by]
    return safe, max(0, min(live, seats - terms.min_seats))


def _heads(seats: int, terms: PassTerms) -> int:
    return max(ceil(terms.at_least * seats), seats // 2 + 1)


def _up_to(seats: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to which something holds without a gap; 0 if it never does."""
    return max((*takewhile(holds, range(seats)), 0))


def _carried(seats: int, liars: int, terms: PassTerms) -> bool:
    """Whether liars and half of the honest, all as heavy as can be, carry an outcome against the lightest others."""
    honest = seats - liars
    behind = Fraction(liars + honest // 2)
    return _passes(behind, behind + (honest - honest // 2) / terms.ratio, terms)


def _unstopped(seats: int, faulty: int, terms: PassTerms) -> bool:
    """Whether all others, as light as can be, carry an outcome against the faulty, as heavy as can be."""
    behind = (seats - faulty) / terms.ratio
    return _passes(behind, behind + faulty, terms)


def _passes(behind: Fraction, total: Fraction, terms: PassTerms) -> bool:
    return behind >= terms.at_least * total and 2 * behind > total


def _within(largest: list[int], bound: int) -> int:
    """How many of the largest domains together hold no more seats than the bound."""
    held, number = 0, 0
    for size in largest:
        held += size
        if held > bound:
            return number
        number += 1
    return number


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
