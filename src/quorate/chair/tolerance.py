"""What a panel withstands under its rulebook: the figures, a sentence, and a shorter one where it matters."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final

from quorate import catalogue, rules
from quorate.analysis.fault_tolerance import Bench, Blocking, FaultTolerance, withstands
from quorate.errors import BadPlugin, QuorateError
from quorate.frozen import dataclass
from quorate.model import Approval, Rulebook, Tally, Voice
from quorate.model.panel import name_list
from quorate.model.specs import RuleSpec
from quorate.plugins import blame_package

__all__ = ["MOST_SEATS", "NOT_COMPUTED", "TWO_SIDES", "Tolerance", "tolerance_of"]

MOST_SEATS: Final = 40
MOST_CHOICES: Final = 200
"""On larger panels, or with more options for all seats together, the search would take longer than a reader waits."""
MANY: Final = 100
"""So many seats as tell a rule that demands more than half of them from one that happens to on a small panel."""

TWO_SIDES: Final = (
    "a debate weighs arguments and counts no heads: no number of seats protects it, and a missing side leaves it "
    "undecided"
)
NOT_COMPUTED: Final = (
    "how many seats carry or block a decision is not computed for rulebook {book}: one of its rules compares whole "
    "rankings, or does not say how many seats it needs"
)
TOO_LARGE: Final = "how many seats carry or block a decision is not computed for more than {most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The figures, or `why` they are not computed; `domains` tells whether providers are known."""

    seats: int
    figures: FaultTolerance | None = None
    domains: bool = False
    known: bool = True
    """Whether the rulebook is one of which anything can be said."""
    why: str = ""
    terms: str = ""
    unopposed: int | None = None
    """Where seats approve of any number: how few are enough if all others approve of nothing."""

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        found = self.figures
        if found is None:
            return self.why
        on = f" on {_many(found.domains, 'provider')}" if self.domains else ""
        told = [
            _of_seats(found),
            self._alone_against_none(found),
            self.terms,
            self._of_domains(found),
            "" if self.domains else _unknown(found),
        ]
        return f"{_many(found.seats, 'seat')}{on}: {'; '.join(filter(None, told))}"

    def _of_domains(self, found: FaultTolerance) -> str:
        if not self.domains or not found.block:
            return ""
        if found.safe is not None:
            return _trusted(found)
        return "; ".join((*_provider_alone(found),)) or _providers(found)

    @property
    def notice(self) -> str:
        """What is worth knowing on a card: that one provider, or one seat, carries or blocks; else nothing."""
        found = self.figures
        if found is None or found.seats == 1 or not found.block:
            return ""
        told = (*(_provider_alone(found) if self.domains else ()), *_alone(found), self._alone_against_none(found))
        return "; ".join(filter(None, told))

    def _alone_against_none(self, found: FaultTolerance) -> str:
        """An empty list is a vote and no choice, so it is no part of what carries: it is told apart."""
        if self.unopposed != 1 or found.seats == 1 or not found.block:
            return ""
        return "any one seat can bring an option if no other seat approves of anything"


def tolerance_of(tally: Tally, rulebook: Rulebook) -> Tolerance:
    """What the seats of a tally withstand under a rulebook; what was voted makes no difference."""
    specs = _specs(rulebook)
    if all(catalogue.is_shipped(spec.function) for spec in specs):
        return _tolerance(tally, rulebook, specs)
    try:
        with blame_package("a rule cannot say what it needs"):
            return _tolerance(tally, rulebook, specs)
    except BadPlugin:
        return Tolerance(seats=len(tally.eligible), known=False, why=NOT_COMPUTED.format(book=rulebook.name))


def _tolerance(tally: Tally, rulebook: Rulebook, specs: Sequence[RuleSpec]) -> Tolerance:
    seats, known = len(tally.eligible), bool(tally.domains)
    if any(spec.arguments for spec in specs):
        return Tolerance(seats=seats, domains=known, why=TWO_SIDES)
    if not specs or any(spec.needs is None for spec in specs):
        return Tolerance(seats=seats, known=False, why=NOT_COMPUTED.format(book=rulebook.name))
    bench = _bench(tally, rulebook, specs)
    if seats > MOST_SEATS:
        return Tolerance(seats=seats, domains=known, why=TOO_LARGE.format(most=f"{MOST_SEATS} seats"))
    if seats * len(bench.options) > MOST_CHOICES:
        most = f"{MOST_CHOICES // seats} options on a panel of {_many(seats, 'seat')}"
        return Tolerance(seats=seats, domains=known, why=TOO_LARGE.format(most=most))
    unopposed = _unopposed(seats, rulebook) if bench.approves else None
    figures = _search(bench, rulebook)
    return Tolerance(seats=seats, figures=figures, domains=known, terms=_terms(rulebook), unopposed=unopposed)


def _bench(tally: Tally, rulebook: Rulebook, specs: Sequence[RuleSpec]) -> Bench:
    domains = dict(tally.domains)
    return Bench(
        domains=tuple((seat, domains.get(seat, seat)) for seat in tally.eligible),
        guardians=tuple(seat for seat in tally.guardians if seat in tally.eligible),
        options=tally.listed or tally.options,
        approves=any(Approval in spec.votes for spec in specs),
        least=_least(rulebook, len(tally.eligible)),
        share=2 * _least(rulebook, MANY) > MANY,
    )


@lru_cache(maxsize=64)
def _unopposed(seats: int, rulebook: Rulebook) -> int | None:
    """How few seats that approve of one option bring it while all others approve of nothing; none if no number does."""
    names, option = tuple(map(str, range(seats))), "one option"
    for few in range(1, seats + 1):
        votes = (Approval((option,)) if at < few else Approval(()) for at in range(seats))
        voices = tuple(Voice(seat=seat, option="", vote=vote) for seat, vote in zip(names, votes, strict=True))
        if rules.apply_rulebook(Tally(eligible=names, options=(), voices=voices), rulebook).decided:
            return few
    return None


@lru_cache(maxsize=64)
def _search(bench: Bench, rulebook: Rulebook) -> FaultTolerance:
    """Searched once for each panel: nothing that is said on it changes the figures."""
    return withstands(bench, partial(rules.apply_rulebook, rulebook=rulebook))


def _specs(rulebook: Rulebook) -> tuple[RuleSpec, ...]:
    """Every rule that may decide; none at all if one is not known here."""
    try:
        return tuple(catalogue.rule(named.name) for named in (*rulebook.rules, rulebook.otherwise))
    except QuorateError:
        return ()


def _least(rulebook: Rulebook, seats: int) -> int:
    """The fewest seats that any rule needs, vetoes apart."""
    named = [(one, catalogue.rule(one.name)) for one in (*rulebook.rules, rulebook.otherwise)]
    return min(
        spec.needs(seats, **catalogue.bind(spec.function, one.settings, f"rule {one.name!r}"))
        for one, spec in named
        if spec.needs and not spec.power
    )


def _terms(rulebook: Rulebook) -> str:
    specs = ((named, catalogue.rule(named.name)) for named in rulebook.rules)
    said = (
        spec.terms(**catalogue.bind(spec.function, named.settings, f"rule {named.name!r}"))
        for named, spec in specs
        if spec.terms
    )
    return "; ".join(filter(None, said))


def _of_seats(found: FaultTolerance) -> str:
    if not found.block:
        return "too few for anything to be decided"
    if found.seats == 1:
        return "it decides alone"
    if found.safe is not None:
        return f"{_honest(found.safe)}; {_present(found)}"
    return "; ".join((*_carrying(found), *_blocking(found)))


def _unknown(found: FaultTolerance) -> str:
    behind = "provider stands behind it" if found.seats == 1 else "providers stand behind them"
    return f"which {behind} is not known"


def _honest(safe: int) -> str:
    """How many seats may lie while whatever is decided has more than half of the others behind it."""
    if not safe:
        return "if one seat lies, a decision may have no more than half of the honest seats behind it"
    lie = "1 seat lies" if safe == 1 else f"{safe} seats lie"
    return f"even if {lie}, a decision has more than half of the honest seats behind it"


def _present(found: FaultTolerance) -> str:
    """How many seats may be missing or against what all others choose while it is decided."""
    live = found.live
    if not live:
        return f"one seat that is {_BLOCKING[found.blocks_by]} can block a decision"
    gone = "1 seat is" if live == 1 else f"{live} seats are"
    return f"even if {gone} missing or against it, the others decide if they agree"


def _carrying(found: FaultTolerance) -> Iterator[str]:
    agreeing, seats = found.agreeing, found.seats
    if agreeing is not None:
        split = 2 * agreeing <= seats
        yield (
            f"{agreeing} of {seats} seats that vote alike can win if the others split"
            if split
            else f"{agreeing} of {seats} seats that agree carry a decision"
        )
        bold, fewest = next(iter(found.carry_by), ("", 0))
        if fewest > agreeing:
            yield f"{bold} takes {'all ' if fewest == seats else ''}{fewest}"
    if agreeing != 1:
        yield from _bringing(found)
    free = [outcome for outcome, fewest in found.carry_by if not fewest]
    if free:
        yield f"{name_list(free)} can come out although no seat chose it"


def _bringing(found: FaultTolerance) -> Iterator[str]:
    for outcome in dict.fromkeys(outcome for _, outcome in found.carries_alone):
        seats = [seat for seat, brought in found.carries_alone if brought == outcome]
        yield f"{_or(seats)} alone can bring {outcome}"


def _blocking(found: FaultTolerance) -> Iterator[str]:
    if found.block > 1:
        yield f"{found.block} seats that are {_BLOCKING[found.blocks_by]} can block a decision"
    elif len(found.blocks_alone) == found.seats:
        yield f"any one seat that is {_BLOCKING[found.blocks_by]} can block a decision"
    else:
        yield f"{_or(found.blocks_alone)} alone can block a decision"


_BLOCKING: Final[Mapping[Blocking, str]] = MappingProxyType(
    {"missing": "missing", "against": "against it", "either": "missing or against it"}
)


def _alone(found: FaultTolerance) -> Iterator[str]:
    if found.carry == 1:
        yield from _bringing(found)
    if found.block == 1:
        yield from _blocking(found)


def _trusted(found: FaultTolerance) -> str:
    safe, live = found.safe_domains or 0, found.live_domains
    if not safe and not live:
        return "no provider may lie or be missing"
    lie = f"{_many(safe, 'provider')} may lie" if safe else "no provider may lie"
    return f"{lie}, {live or 'none'} may be missing"


def _provider_alone(found: FaultTolerance) -> Iterator[str]:
    """What one provider can do that no seat can alone."""
    if found.domains == 1:
        yield "one provider answers for every seat, so it decides alone"
    elif found.agreeing_domains == 1:
        yield "one provider alone can decide"
    elif found.block_domains == 1 < found.block:
        yield "one provider alone can block a decision"


def _providers(found: FaultTolerance) -> str:
    if found.agreeing_domains is None or found.block == 1:
        return ""
    return f"it takes {found.agreeing_domains} providers to carry a decision and {found.block_domains} to block one"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)
