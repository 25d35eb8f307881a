"""Deliberations made up by chance: seats that are right so often, err alike, and follow what they hear.

This is a model and no measurement. Its assumptions: every question has one right answer among K; a seat finds it with
its own probability, or by what its group believes with the probability `correlation`; half of all wrong answers are the
same one; in a round of talk a seat hears one other, the louder the likelier, and takes over its vote with the
probability `persuadable`, whether that vote is right or wrong. Talk itself finds no truth. The verdicts are the real
rules', applied to the made-up votes.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from quorate.evaluate.rulebook_votes import apply_to_votes, chosen_option, voting_rulebook
from quorate.evaluate.voted_question import VotedQuestion
from quorate.frozen import dataclass

__all__ = ["RIGHT", "UNDECIDED", "SimulatedSeat", "SimulatedTalk", "discuss", "outcomes_of", "sealed_votes"]

Votes = npt.NDArray[np.int8]
RIGHT: Final = 0
USUAL_ERROR: Final = 1
ALIKE: Final = 0.5
"""The share of wrong answers that are the usual one."""
UNDECIDED: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSeat:
    """A seat as it is made up: how often it is right alone, whom it errs with, how easily it gives in, how it is heard.

    A liar always says the usual wrong answer and never gives in.
    """

    name: str
    accuracy: float = 0.7
    group: str = ""
    persuadable: float = 0.3
    loudness: float = 1.0
    liar: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedTalk:
    """What is talked about: how many options there are, and how often seats of a group go by one belief."""

    options: int = 4
    correlation: float = 0.3


def sealed_votes(seats: Sequence[SimulatedSeat], talk: SimulatedTalk, count: int, chance: np.random.Generator) -> Votes:
    """What each seat votes before it has heard anybody: a row per deliberation, a column per seat."""
    votes = np.empty((count, len(seats)), dtype=np.int8)
    beliefs: dict[str, Votes] = {}
    for column, seat in enumerate(seats):
        group = seat.group or seat.name
        if group not in beliefs:
            alike = [one.accuracy for one in seats if (one.group or one.name) == group and not one.liar]
            beliefs[group] = _answers(sum(alike) / len(alike) if alike else 0.0, talk, count, chance)
        own = _answers(seat.accuracy, talk, count, chance)
        votes[:, column] = np.where(chance.random(count) < talk.correlation, beliefs[group], own)
        if seat.liar:
            votes[:, column] = USUAL_ERROR
    return votes


def _answers(accuracy: float, talk: SimulatedTalk, count: int, chance: np.random.Generator) -> Votes:
    wrong = chance.integers(1, max(2, talk.options), size=count)
    wrong = np.where(chance.random(count) < ALIKE, USUAL_ERROR, wrong)
    return np.where(chance.random(count) < accuracy, RIGHT, wrong).astype(np.int8)


def discuss(votes: Votes, seats: Sequence[SimulatedSeat], chance: np.random.Generator) -> Votes:
    """One round of talk: each seat hears one other, and may take over what that one votes."""
    count, size = votes.shape
    if size == 1:
        return votes
    after = votes.copy()
    loud = np.array([seat.loudness for seat in seats])
    for column, seat in enumerate(seats):
        if seat.liar:
            continue
        weights = np.where(np.arange(size) == column, 0.0, loud)
        heard = chance.choice(size, size=count, p=weights / weights.sum())
        gives_in = chance.random(count) < seat.persuadable
        after[:, column] = np.where(gives_in, votes[np.arange(count), heard], votes[:, column])
    return after


def outcomes_of(votes: Votes, rulebook: str) -> npt.NDArray[np.int8]:
    """What a rulebook decides on each row; UNDECIDED where it decides on no option.

    No rule looks at who cast a vote, so rows that are alike but for the order of seats are decided once.
    """
    rows, places = np.unique(np.sort(votes, axis=1), axis=0, return_inverse=True)
    decided = [_outcome(tuple(int(vote) for vote in row), rulebook) for row in rows]
    return np.array(decided, dtype=np.int8)[places.reshape(-1)]


@lru_cache(maxsize=100_000)
def _outcome(votes: tuple[int, ...], rulebook: str) -> int:
    question = VotedQuestion(id="", votes={f"seat {number}": str(vote) for number, vote in enumerate(votes)})
    chosen = chosen_option(question, apply_to_votes(question, tuple(question.votes), voting_rulebook(rulebook)))
    return UNDECIDED if chosen is None else int(chosen)
