"""The option that is most probable by what each seat was worth before; silent where too little is known of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.numbers import exponential, logarithm, percent
from quorate.model.specs import RuleSpec

SeatNumbers = tuple[tuple[str, Fraction], ...]


def rule(  # noqa: PLR0913 - each is a setting
    tally: Tally,
    *,
    skills: SeatNumbers = (),
    questions: int = 0,
    sharpness: Fraction = Fraction(1),
    bonus: SeatNumbers = (),
    at_least: Fraction = Fraction(1, 2),
    keep_majority: bool = False,
) -> Verdict | None:
    votes = tally.first_votes
    few = len(votes) <= _FEW or keep_majority
    if not skills or questions < _FEWEST or not votes or (few and _is_majority(votes)):
        return None
    chances = _with_labels(_chances(votes, tally, dict(skills)), votes, sharpness, dict(bonus))
    best = _best(chances, votes, tally)
    if best is None:
        return None
    behind = sum(vote == best for vote in votes.values())
    because = (
        f"{best!r} is most probable ({percent(chances[best])}) by the past votes of the {behind} seats that chose it"
    )
    if chances[best] < at_least:
        short = f"{because}, less than {percent(at_least)}, so nothing is decided"
        return Verdict.on(tally, None, short, decided=False, review=True)
    chosen = Verdict.on(tally, best, f"{because}, learned from {questions} questions", decided=True)
    return replace(chosen, score=Fraction(round(chances[best] * _SCALE), _SCALE))


def _is_majority(votes: Mapping[str, str]) -> bool:
    """Whether more than half agree: with three votes or fewer what was learned overturns no such majority."""
    chosen = list(votes.values())
    return any(2 * chosen.count(option) > len(chosen) for option in chosen)


def _chances(votes: Mapping[str, str], tally: Tally, skills: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """How probable each option is, and under the empty name that it is none of these; exactly, so no order shows."""
    options = sorted(set(votes.values()))
    size = max(len(tally.listed), len(options)) if tally.listed else len(options) + 1
    unheard = (size - len(options)) * (1 / _root(size - 1) if tally.listed and size > 1 else Fraction(1))
    masses = dict.fromkeys((*options, ""), Fraction(0))
    for mass, right in _at_every_difficulty(votes, skills, Fraction(1, size) if tally.listed else _GUESS):
        rest = mass * prod((1 - chance for chance in right.values()), start=Fraction(1))
        for option in options:
            masses[option] += rest * _gain([right[seat] for seat, vote in votes.items() if vote == option], size)
        masses[""] += rest * unheard
    whole = sum(masses.values())
    return {option: mass / whole for option, mass in masses.items()}


def _at_every_difficulty(
    seats: Iterable[str], skills: Mapping[str, Fraction], guess: Fraction
) -> Iterator[tuple[Fraction, dict[str, Fraction]]]:
    """How common each difficulty is, and how probably each seat is right then; a seat that is new is an average one."""
    usual = sum(skills.values(), Fraction(0)) / len(skills)
    held = {seat: _held(skills.get(seat, usual)) for seat in seats}
    for b, mass in _GRID:
        yield mass, {seat: guess + (1 - guess) * _logistic(skill - b) for seat, skill in held.items()}


def _gain(chances: list[Fraction], size: int) -> Fraction:
    return prod((max(Fraction(1), one / (1 - one) * _root(size - 1)) for one in chances), start=Fraction(1))


def _with_labels(
    chances: Mapping[str, Fraction], votes: Mapping[str, str], sharpness: Fraction, bonus: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """The same after what questions with a known answer have taught, where there were any."""
    if sharpness == 1 and not bonus:
        return {option: chance for option, chance in chances.items() if option}
    scores = {
        option: exponential(
            _held(sharpness) * logarithm(chance)
            + sum((_held(bonus.get(seat, Fraction(0))) for seat, vote in votes.items() if vote == option), Fraction(0))
        )
        for option, chance in chances.items()
        if chance
    }
    whole = sum(scores.values())
    return {option: score / whole for option, score in scores.items() if option}


def _best(chances: Mapping[str, Fraction], votes: Mapping[str, str], tally: Tally) -> str | None:
    """The most probable, unless the last round chose another that is about as probable; none in a tie."""
    near, level = _within(chances, _LEAD), _within(chances, Fraction(1))
    later = max(tally.heads(option) for option in near)
    settled = near if len(tally.course.rounds) <= 1 else [option for option in near if tally.heads(option) == later]
    found = settled if len(settled) == 1 or len(votes) <= _FEW else level
    return found[0] if len(found) == 1 else None


def _within(chances: Mapping[str, Fraction], share: Fraction) -> list[str]:
    least = max(chances.values()) * share
    return [option for option, chance in chances.items() if chance >= least]


@lru_cache(maxsize=4096)
def _logistic(value: Fraction) -> Fraction:
    return 1 / (1 + exponential(-value))


def _held(value: Fraction) -> Fraction:
    """Within what a fit can come to: a number without bounds would take as long as it is big."""
    return min(max(value, -_BOUND), _BOUND)


def _root(value: int) -> Fraction:
    return Fraction(isqrt(value * 10**30), 10**15)


_FEWEST: Final = 8
_SCALE: Final = 10**8
_FEW: Final = 3
_BOUND: Final = Fraction(10)
_GUESS: Final = Fraction(1, 100)
_LEAD: Final = Fraction(740818, 1000000)
"""About exp(−0.3): so small a lead is chance."""
_POINTS: Final = tuple(Fraction(step, 2) for step in range(-6, 7))
_GRID: Final = tuple((b, exponential(-b * b / 8)) for b in _POINTS)


def terms(*, questions: int = 0, **_: object) -> str:
    return f"each seat counts by what it was worth on {questions} past questions" if questions else ""


SPEC: Final = RuleSpec(
    rule=rule, terms=terms, breaks=("adding support", "silence", "names"), counts=("findings", "options")
)
