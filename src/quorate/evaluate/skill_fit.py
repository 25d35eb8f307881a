"""What each seat is worth, learned from who agreed with whom: no right answer is needed, and a few make it better.

A seat of skill θ is right on a question of difficulty b with P = g + (1 − g) / (1 + exp(b − θ)), where g is chance.
The fit is EM over answers and difficulties, from equal skills, which is plurality.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from quorate.evaluate.votes import ABSENT, SizeGroup, VotedQuestion, VoteTable, plurality
from quorate.frozen import dataclass

__all__ = [
    "FEWEST",
    "SkillModel",
    "best_options",
    "expected_accuracy",
    "fit_labels",
    "fit_skills",
    "is_refit_due",
    "option_chances",
    "rule_settings",
]

Numbers = npt.NDArray[np.float64]

GRID: Final = np.linspace(-3.0, 3.0, 13)
"""Difficulties that are looked at."""
SPREAD: Final = 2.0
LOG_PRIOR: Final = -(GRID**2) / (2 * SPREAD**2) - np.log(np.exp(-(GRID**2) / (2 * SPREAD**2)).sum())
GUESS: Final = 0.01
"""How often an open answer is right by chance."""
ALIKE: Final = 0.5
"""Wrong answers are alike, so that two seats agree says less than if errors were drawn from the whole list."""
START: Final = 1.0
WIDTH: Final = 1.5
"""How far seats lie apart before anything is known of them."""
BOUND: Final = 6.0
FEWEST: Final = 8
"""Below so many past questions plurality decides."""
SMALL: Final = 3
"""With so few votes a strict majority is never overturned."""
LEAD: Final = float(np.exp(-0.3))
"""An option that is at least this share as probable as the best is about as probable: so small a lead is chance."""
GROWTH: Final = 1.25
A_WIDTH: Final = 0.5
SEAT_WIDTH: Final = 0.25
CLOSE: Final = 1e-9
"""Differences below are those of rounding."""
DIGITS: Final = 4
"""Of a skill as it is written down: it is known to no more than one."""
GUESSER: Final = -3.0
"""Below this skill a seat knows the answer to fewer than one in ten questions and guesses the others."""
UNHEARD_OF: Final = -1e6
"""The logarithm of what cannot be: an answer outside a list of which every option was voted for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillModel:
    """What was learned: the skill of every seat, from how many questions, and what labels add to it."""

    skills: Mapping[str, float]
    questions: int = 0
    sharpness: float = 1.0
    bonus: Mapping[str, float] = field(default_factory=lambda: MappingProxyType[str, float]({}))
    labels: int = 0

    @property
    def is_collapsed(self) -> bool:
        """Whether the fit takes every seat for a guesser: then it has found no skill, whatever seats are worth."""
        return bool(self.skills) and max(self.skills.values()) < GUESSER

    def skill(self, seat: str) -> float:
        """A seat that is new is taken for an average one."""
        known = self.skills.values()
        return self.skills.get(seat, sum(known) / len(known) if known else START)


def is_refit_due(model: SkillModel | None, questions: int) -> bool:
    """Whether the record has grown by a quarter since the fit; never below the fewest questions it takes."""
    if questions < FEWEST:
        return False
    return model is None or questions >= GROWTH * model.questions


def expected_accuracy(skill: float, options: int) -> float:
    """How often a seat of this skill is right, over questions of every difficulty and so many options."""
    chances = right_chance(np.array([skill]), guess_rate(options, closed=True))[0]
    return float((chances * np.exp(LOG_PRIOR)).sum())


def guess_rate(size: int, *, closed: bool) -> float:
    return 1.0 / size if closed else GUESS


def other_answers(size: int, *, closed: bool) -> float:
    """What an option that nobody voted for counts as: of a list as much less as a vote does, wrong ones being alike.

    Counted in full, the rest of a long list outweighs two votes that agree, and a small panel learns that nobody is
    ever right.
    """
    return (size - 1) ** (ALIKE - 1.0) if closed and size > 1 else 1.0


def right_chance(skills: Numbers, guess: float) -> Numbers:
    """P of every seat at every difficulty; never quite 1, so that its logarithms exist."""
    sure = 1.0 / (1.0 + np.exp(GRID[None, :] - skills[:, None]))
    chance: Numbers = np.minimum(guess + (1.0 - guess) * sure, 1.0 - 1e-12)
    return chance


def vote_gain(chance: Numbers, size: int) -> Numbers:
    """What a vote adds to its option, in log-odds; no vote counts against what it is for."""
    gain: Numbers = np.maximum(0.0, np.log(chance) - np.log1p(-chance) + ALIKE * np.log(max(size - 1, 1)))
    return gain


def fit_skills(
    table: VoteTable,
    families: Mapping[str, str] | None = None,
    start: SkillModel | None = None,
    *,
    steps: int = 200,
    close: float = 1e-6,
) -> SkillModel:
    """Fit every seat's skill; from an earlier fit where there is one. Seats of one family count as one voice."""
    seats = table.seats
    groups = [_Weighed.of(group, _cliques(seats, families or {})) for group in table.groups(seats)]
    skills = np.array([START if start is None else start.skill(seat) for seat in seats], dtype=np.float64)
    for _ in range(steps if seats else 0):
        moved = _improved(skills, groups)
        step = np.abs(moved - skills).max()
        skills = moved
        if step < close:
            break
    fitted = {seat: float(skill) for seat, skill in zip(seats, skills, strict=True)}
    return SkillModel(skills=MappingProxyType(fitted), questions=table.questions)


def _cliques(seats: Sequence[str], families: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """The number of each seat's family; a seat without one is a family of its own."""
    names = [families.get(seat) or f"\0{seat}" for seat in seats]
    order = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([order[name] for name in names], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Patterns of one size, with how much each vote weighs: a family has one voice, its members a share of it."""

    group: SizeGroup
    chosen: tuple[Numbers, ...]
    """For each option: the weight of each vote for it."""
    present: Numbers
    rest: Numbers
    """How many options nobody voted for."""

    @classmethod
    def of(cls, group: SizeGroup, cliques: npt.NDArray[np.int64]) -> "_Weighed":
        codes = group.codes
        voted = codes.max(axis=1) + 1
        shared = np.zeros(codes.shape)
        for clique in range(int(cliques.max()) + 1):
            members = np.flatnonzero(cliques == clique)
            shared[:, members] = (codes[:, members] != ABSENT).sum(axis=1, keepdims=True)
        weight = np.where(codes == ABSENT, 0.0, 1.0 / np.maximum(shared, 1.0))
        chosen = tuple(np.where(codes == code, weight, 0.0) for code in range(int(voted.max())))
        return cls(
            group=group,
            chosen=chosen,
            present=weight,
            rest=(group.size - voted) * other_answers(group.size, closed=group.closed),
        )


def _joint(skills: Numbers, weighed: _Weighed) -> tuple[Numbers, Numbers]:
    """P(answer, difficulty | votes) for every pattern, the last answer being none of those voted for; and P itself."""
    group = weighed.group
    chance = right_chance(skills, guess_rate(group.size, closed=group.closed))
    gain = vote_gain(chance, group.size)
    base = weighed.present @ np.log1p(-chance) + LOG_PRIOR
    scores = np.full((len(group.seen), len(weighed.chosen) + 1, len(GRID)), -np.inf)
    for code, votes in enumerate(weighed.chosen):
        named = votes.any(axis=1)
        scores[named, code, :] = base[named] + votes[named] @ gain
    some = weighed.rest > 0
    scores[some, -1, :] = base[some] + np.log(weighed.rest[some])[:, None]
    scores -= scores.max(axis=(1, 2), keepdims=True)
    joint = np.exp(scores)
    joint /= joint.sum(axis=(1, 2), keepdims=True)
    return joint, chance


def _improved(skills: Numbers, groups: Sequence[_Weighed]) -> Numbers:
    """One step of EM: who was probably right how often, then a Newton step for every seat."""
    slope = np.zeros_like(skills)
    curve = np.zeros_like(skills)
    for weighed in groups:
        joint, chance = _joint(skills, weighed)
        seen = weighed.group.seen[:, None]
        right = np.zeros((len(skills), len(GRID)))
        for code, votes in enumerate(weighed.chosen):
            right += ((votes > 0) * seen).T @ joint[:, code, :]
        voted = ((weighed.present > 0) * seen).T @ joint.sum(axis=1)
        guess = guess_rate(weighed.group.size, closed=weighed.group.closed)
        change = (chance - guess) * (1.0 - chance) / (1.0 - guess)
        slope += ((right / chance - (voted - right) / (1.0 - chance)) * change).sum(axis=1)
        curve += (voted * change**2 / (chance * (1.0 - chance))).sum(axis=1)
    slope -= (skills - skills.mean()) / WIDTH**2
    curve += 1.0 / WIDTH**2
    return np.clip(skills + np.clip(slope / curve, -1.0, 1.0), -BOUND, BOUND)


def option_chances(question: VotedQuestion, model: SkillModel) -> dict[str, float]:
    """How probable each option is that was voted for, labels included; what is missing from 1 is "none of these"."""
    if not question.votes:
        return {}
    logs = _log_chances(question, model)
    own = [_bonus(question, model, option) for option in question.options]
    scores = model.sharpness * logs + np.array([*own, 0.0])
    chances = np.exp(scores - scores.max())
    return dict(zip(question.options, (chances[:-1] / chances.sum()).tolist(), strict=True))


def _log_chances(question: VotedQuestion, model: SkillModel) -> Numbers:
    """The logarithm of p of every option that was voted for, then of none of these, without what labels add."""
    seats = sorted(question.votes)
    skills = np.array([model.skill(seat) for seat in seats])
    chance = right_chance(skills, guess_rate(question.size, closed=question.listed is not None))
    gain = vote_gain(chance, question.size)
    base = np.log1p(-chance).sum(axis=0) + LOG_PRIOR
    for_each = [
        base + gain[[question.votes[seat] == option for seat in seats]].sum(axis=0) for option in question.options
    ]
    closed = question.listed is not None
    rest = (question.size - len(question.options)) * other_answers(question.size, closed=closed)
    scores = np.array([*for_each, base + (np.log(rest) if rest else UNHEARD_OF)])
    logs: Numbers = np.logaddexp.reduce(scores, axis=1)
    return logs - float(np.logaddexp.reduce(logs))


def _bonus(question: VotedQuestion, model: SkillModel, option: str) -> float:
    return sum(model.bonus.get(seat, 0.0) for seat, vote in sorted(question.votes.items()) if vote == option)


def fit_labels(model: SkillModel, labelled: Sequence[VotedQuestion], *, steps: int = 50) -> SkillModel:
    """The same model, set right by questions whose answer is known: score = a·ln p + Σ δ of those who chose it."""
    seats = sorted({seat for question in labelled for seat in question.votes})
    cases = [case for question in labelled if (case := _case(question, model, seats)) is not None]
    if not cases:
        return model
    mean, wide = np.array([1.0, *(0.0 for _ in seats)]), np.array([A_WIDTH, *(SEAT_WIDTH for _ in seats)])
    found = mean
    for _ in range(steps):
        slope, curve = _slope_of(found, cases, mean, wide)
        step: Numbers = np.linalg.solve(curve, slope).astype(np.float64)
        found = found + _length(found, step, cases, mean, wide) * step
        if np.abs(step).max() < CLOSE:
            break
    bonus = dict(zip(seats, found[1:].tolist(), strict=True))
    return replace(model, sharpness=max(0.0, float(found[0])), bonus=MappingProxyType(bonus), labels=len(cases))


def _slope_of(
    found: Numbers, cases: Sequence[tuple[Numbers, int]], mean: Numbers, wide: Numbers
) -> tuple[Numbers, Numbers]:
    slope, curve = (mean - found) / wide**2, np.diag(1.0 / wide**2)
    for features, right in cases:
        scores = features @ found
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        middle = chances @ features
        slope = slope + features[right] - middle
        curve = curve + (features * chances[:, None]).T @ features - np.outer(middle, middle)
    return slope, curve


def _length(found: Numbers, step: Numbers, cases: Sequence[tuple[Numbers, int]], mean: Numbers, wide: Numbers) -> float:
    """How much of a Newton step is taken: the whole, or the first half of a half that makes things better."""

    def fit(at: Numbers) -> float:
        own = -(((at - mean) / wide) ** 2).sum() / 2
        return float(own + sum((rows @ at)[right] - np.logaddexp.reduce(rows @ at) for rows, right in cases))

    now, length = fit(found), 1.0
    while fit(found + length * step) < now and length > CLOSE:
        length /= 2
    return length


def _case(question: VotedQuestion, model: SkillModel, seats: Sequence[str]) -> tuple[Numbers, int] | None:
    """A row for each option with ln p and who chose it, and which row was right; none if no row can be."""
    if question.right is None or not question.votes:
        return None
    options = question.options
    if question.right not in options and question.size == len(options):
        return None
    chose = [[float(question.votes.get(seat) == option) for seat in seats] for option in options]
    rows = np.array([*chose, [0.0 for _ in seats]])
    features = np.column_stack([_log_chances(question, model), rows])
    kept = features if question.size > len(options) else features[:-1]
    return kept, options.index(question.right) if question.right in options else len(options)


def best_options(question: VotedQuestion, model: SkillModel | None) -> tuple[str, ...]:
    """What is chosen, more than one in a tie: by plurality until enough is known, else by what is most probable.

    With three votes or fewer a strict majority is never overturned, and a small lead is none. Votes of the last round
    break ties, and choose between options that are about as probable.
    """
    first = plurality(question.votes)
    few = len(question.votes) <= SMALL
    majority = few and 2 * sum(vote in first[:1] for vote in question.votes.values()) > len(question.votes)
    if majority or model is None or model.questions < FEWEST:
        return _settled(first, question.later)
    chances = option_chances(question, model)
    near, level = _within(chances, LEAD), _within(chances, 1.0 - CLOSE)
    settled = _settled(near, question.later)
    return settled if few or len(settled) == 1 else level


def _within(chances: Mapping[str, float], share: float) -> tuple[str, ...]:
    """The options that are at least this share as probable as the best."""
    least = max(chances.values(), default=0.0) * share
    return tuple(option for option, chance in chances.items() if chance >= least)


def _settled(tied: tuple[str, ...], later: Mapping[str, str]) -> tuple[str, ...]:
    """Those of a tie that have the most votes of the last round; all of them where that settles nothing."""
    if len(tied) <= 1:
        return tied
    heads = Counter(later.values())
    most = max(heads[option] for option in tied)
    return tuple(option for option in tied if heads[option] == most)


def rule_settings(
    model: SkillModel, seats: Sequence[str], models: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """Settings of the rule track_record for seats, in digits: what the record of a deliberation keeps by value.

    `models` says whom each seat was known as when it was learned, where that is not its own name.
    """
    names = {seat: (models or {}).get(seat, seat) for seat in seats}
    skills = {seat: round(model.skill(name), DIGITS) for seat, name in names.items()}
    bonus = {seat: round(model.bonus.get(name, 0.0), DIGITS) for seat, name in names.items()}
    plain = (("skills", json.dumps(skills, ensure_ascii=False)), ("questions", str(model.questions)))
    if not model.labels:
        return plain
    return (
        *plain,
        ("sharpness", str(round(model.sharpness, DIGITS))),
        ("bonus", json.dumps(bonus, ensure_ascii=False)),
    )
