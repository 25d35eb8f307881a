"""The option that is most probable by what each seat was worth before; silent where too little is known of them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.option_masses import option_masses
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
    if not skills or questions < _FEWEST or not votes or _is_kept(votes, always=keep_majority):
        return None
    masses = _with_labels(
        option_masses(votes, len(tally.listed), _held_skills(votes, dict(skills))), votes, sharpness, dict(bonus)
    )
    best = _best(masses, votes, tally)
    if best is None or not masses[best]:  # a list of one option leaves nothing to be right about
        return None
    chance = Fraction(masses[best]) / Fraction(sum(masses.values()))
    behind = list(votes.values()).count(best)
    who = "the one seat" if behind == 1 else f"the {behind} seats"
    because = f"{best!r} is most probable ({percent(chance)}) by the past votes of {who} that chose it"
    if chance < at_least:
        short = f"{because}, less than {percent(at_least)}, so nothing is decided"
        return Verdict.on(tally, None, short, decided=False, review=True)
    chosen = Verdict.on(tally, best, f"{because}, learned from {questions} questions", decided=True)
    return replace(chosen, score=Fraction(round(chance * _SCALE), _SCALE))


def _is_kept(votes: Mapping[str, str], *, always: bool) -> bool:
    """Whether more than half agree: with three votes or fewer what was learned overturns no such majority."""
    chosen = list(votes.values())
    return (always or len(chosen) <= _FEW) and any(2 * chosen.count(option) > len(chosen) for option in chosen)


def _held_skills(seats: Iterable[str], skills: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """What each seat is worth; one that is new is an average one."""
    usual = sum(skills.values(), Fraction(0)) / len(skills)
    return {seat: _held(skills.get(seat, usual)) for seat in seats}


def _with_labels(
    masses: Mapping[str, int], votes: Mapping[str, str], sharpness: Fraction, bonus: Mapping[str, Fraction]
) -> Mapping[str, int] | Mapping[str, Fraction]:
    """The same after what questions with a known answer have taught, where there were any."""
    if sharpness == 1 and not bonus:
        return masses
    whole = sum(masses.values())
    return {
        option: exponential(
            _held(sharpness) * logarithm(Fraction(mass, whole))
            + sum((_held(bonus.get(seat, Fraction(0))) for seat, vote in votes.items() if vote == option), Fraction(0))
        )
        for option, mass in masses.items()
        if mass
    }


def _best(masses: Mapping[str, int | Fraction], votes: Mapping[str, str], tally: Tally) -> str | None:
    """The most probable, unless the last round chose another that is about as probable; none in a tie."""
    near, level = _within(masses, _LEAD), _within(masses, Fraction(1))
    later = max(tally.heads(option) for option in near)
    settled = near if len(tally.course.rounds) <= 1 else [option for option in near if tally.heads(option) == later]
    found = settled if len(settled) == 1 or len(votes) <= _FEW else level
    return found[0] if len(found) == 1 else None


def _within(masses: Mapping[str, int | Fraction], share: Fraction) -> list[str]:
    options = {option: mass for option, mass in masses.items() if option}
    least = max(options.values()) * share
    return [option for option, mass in options.items() if mass >= least]


def _held(value: Fraction) -> Fraction:
    """Within what a fit can come to: a number without bounds would take as long as it is big."""
    return min(max(value, -_BOUND), _BOUND)


_FEWEST: Final = 8
_SCALE: Final = 10**8
_FEW: Final = 3
_BOUND: Final = Fraction(10)
_LEAD: Final = Fraction(740818, 1000000)
"""About exp(−0.3): so small a lead is chance."""


def terms(*, questions: int = 0, **_: object) -> str:
    return f"each seat counts by what it was worth on {questions} past questions" if questions else ""


SPEC: Final = RuleSpec(
    rule=rule, terms=terms, breaks=("adding support", "silence", "names"), counts=("findings", "options")
)
