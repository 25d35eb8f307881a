"""What a panel withstands: how many seats, or fault domains, may lie or be missing before a decision goes wrong."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

__all__ = ["Withstands", "withstands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withstands:
    """`needed` seats carry a decision. Safe: whatever passes is backed by more than half of the honest seats."""

    seats: int
    needed: int
    safe: int
    live: int
    domains: int
    safe_domains: int
    live_domains: int

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
        return f"safe against {_many(self.safe, 'lying seat')}, live with {self.live} missing"


def withstands(domains: tuple[str, ...], *, at_least: Fraction = Fraction(2, 3), min_seats: int = 0) -> Withstands:
    """What a panel withstands, from the fault domain of each voting seat."""
    seats = len(domains)
    needed = max(ceil(at_least * seats), seats // 2 + 1)
    safe = max(0, 2 * needed - seats - 1)
    live = max(0, min(seats - needed, seats - min_seats))
    largest = sorted(Counter(domains).values(), reverse=True)
    return Withstands(
        seats=seats,
        needed=needed,
        safe=safe,
        live=live,
        domains=len(largest),
        safe_domains=_within(largest, safe),
        live_domains=_within(largest, live),
    )


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
