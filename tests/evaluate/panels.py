"""Votes drawn by chance, for tests: seats of known skill, and wrong answers that are alike."""

from collections.abc import Mapping
from math import exp
from random import Random

from quorate.evaluate.votes import VotedQuestion

SKILLS = {"ann": 2.0, "ben": 1.0, "cat": 0.5, "dan": 0.0, "eve": -0.5}


def drawn(
    chance: Random, count: int, skills: Mapping[str, float] = SKILLS, listed: int | None = 4
) -> list[VotedQuestion]:
    """Questions of a difficulty each, on which a seat is right, or names a wrong answer, the usual one most often."""
    return [question(chance, str(number), skills, listed) for number in range(count)]


def question(chance: Random, id_: str, skills: Mapping[str, float], listed: int | None) -> VotedQuestion:
    options = [f"option {number}" for number in range(listed or 6)]
    chance.shuffle(options)
    hard = max(-3.0, min(3.0, chance.gauss(0, 2)))
    guess = 1 / len(options) if listed else 0.0
    votes = {
        seat: options[0] if chance.random() < guess + (1 - guess) / (1 + exp(hard - skill)) else wrong(chance, options)
        for seat, skill in skills.items()
        if chance.random() < 0.95
    }
    return VotedQuestion(id=id_, votes=votes, listed=listed, right=options[0])


def wrong(chance: Random, options: list[str]) -> str:
    return options[1] if chance.random() < 0.5 else chance.choice(options[1:])
