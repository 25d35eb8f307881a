"""The fit written a second time, from its formulas and with plain loops: slow, and sharing nothing with the first."""

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt

from quorate.evaluate.votes import VotedQuestion

GRID = [-3 + step / 2 for step in range(13)]
MASS = [exp(-b * b / 8) for b in GRID]


def right(skill: float, b: float, guess: float) -> float:
    return guess + (1 - guess) / (1 + exp(b - skill))


def joint(
    question: VotedQuestion, skills: Mapping[str, float], share: Mapping[str, float]
) -> dict[tuple[str | None, float], float]:
    """P(answer, difficulty | votes) by enumeration; the answer None is none of those voted for."""
    voted = sorted(set(question.votes.values()))
    closed = question.listed is not None
    size = question.listed if question.listed is not None else len(voted) + 1
    guess = 1 / size if closed else 0.01
    found: dict[tuple[str | None, float], float] = {}
    for b, mass in zip(GRID, MASS, strict=True):
        rest = mass
        for seat in question.votes:
            rest *= (1 - right(skills[seat], b, guess)) ** share[seat]
        for option in voted:
            found[option, b] = rest
            for seat, vote in question.votes.items():
                p = right(skills[seat], b, guess)
                if vote == option:
                    found[option, b] *= max(1.0, p / (1 - p) * sqrt(size - 1)) ** share[seat]
        found[None, b] = rest * (size - len(voted)) * (1 / sqrt(size - 1) if closed else 1)
    total = sum(found.values())
    return {key: value / total for key, value in found.items()}


def chances(question: VotedQuestion, skills: Mapping[str, float]) -> dict[str, float]:
    found = joint(question, skills, dict.fromkeys(question.votes, 1.0))
    return {option: sum(found[option, b] for b in GRID) for option in set(question.votes.values())}


def fit(questions: Sequence[VotedQuestion], families: Mapping[str, str], steps: int) -> dict[str, float]:
    """EM, each seat's skill found by Newton steps on its own expected record until they stop moving it."""
    seats = sorted({seat for question in questions for seat in question.votes})
    skills = dict.fromkeys(seats, 1.0)
    for _ in range(steps):
        expected = [(question, joint(question, skills, shares(question, families))) for question in questions]
        middle = sum(skills.values()) / len(seats)
        skills = {seat: moved(seat, skills[seat], middle, expected) for seat in seats}
    return skills


def shares(question: VotedQuestion, families: Mapping[str, str]) -> dict[str, float]:
    of = {seat: families.get(seat, seat) for seat in question.votes}
    return {seat: 1 / list(of.values()).count(family) for seat, family in of.items()}


def moved(
    seat: str,
    skill: float,
    middle: float,
    expected: Sequence[tuple[VotedQuestion, Mapping[tuple[str | None, float], float]]],
) -> float:
    """One step of Fisher's scoring, by the score and the information of a Bernoulli trial."""
    score, information = -(skill - middle) / 1.5**2, 1 / 1.5**2
    for question, found in expected:
        if seat not in question.votes:
            continue
        size = question.listed if question.listed is not None else len(set(question.votes.values())) + 1
        guess = 1 / size if question.listed is not None else 0.01
        for (option, b), chance in found.items():
            p = right(skill, b, guess)
            change = (1 - guess) * exp(b - skill) / (1 + exp(b - skill)) ** 2
            score += chance * change * (1 / p if option == question.votes[seat] else -1 / (1 - p))
            information += chance * change**2 / (p * (1 - p))
    return skill + max(-1.0, min(1.0, score / information))


def log_fit(
    questions: Sequence[VotedQuestion], skills: Mapping[str, float], a: float, own: Mapping[str, float]
) -> float:
    """What labels are fitted to: the logarithm of prior and likelihood, by the formula."""
    total = -((a - 1) ** 2) / (2 * 0.5**2) - sum(value**2 for value in own.values()) / (2 * 0.25**2)
    for question in questions:
        plain = chances(question, skills)
        rest = 1 - sum(plain.values())
        scores = {m: a * log(p) + sum(own[s] for s, v in question.votes.items() if v == m) for m, p in plain.items()}
        whole = sum(exp(score) for score in scores.values()) + (rest**a if rest > 1e-12 else 0)
        assert question.right is not None
        total += scores.get(question.right, a * log(rest) if rest > 1e-12 else 0) - log(whole)
    return total
