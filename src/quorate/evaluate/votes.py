"""Recorded votes as a table of patterns, which grows by one question at a time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

import numpy as np
import numpy.typing as npt

from quorate.evaluate.voted_question import VotedQuestion, plurality
from quorate.frozen import dataclass

__all__ = ["ABSENT", "SizeGroup", "VoteTable", "VotedQuestion", "patterns_of", "plurality"]

ABSENT: Final = -1
"""The code of a seat that did not vote."""

Codes = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeGroup:
    """Patterns of votes on questions of one size: a row per pattern, a column per seat, and how often each was seen."""

    size: int
    closed: bool
    codes: Codes
    seen: Numbers


Pattern = tuple[tuple[str, int], ...]


@dataclass(slots=True)
class VoteTable:
    """Patterns of votes and how often each was seen. What an option is called never matters, only who chose the same.

    A pattern is kept once, so a record of a hundred thousand questions is about as long as its panel is small.
    """

    seen: Counter[tuple[bool, int, Pattern]] = field(default_factory=Counter)
    questions: int = 0

    @classmethod
    def of(cls, questions: Iterable[VotedQuestion]) -> "VoteTable":
        table = cls()
        for question in questions:
            table.append(question)
        return table

    def append(self, question: VotedQuestion) -> None:
        """Add one question; one on which nobody voted teaches nothing and is not counted."""
        if question.votes:
            self.seen[(question.listed is not None, question.size, patterns_of(question.votes))] += 1
            self.questions += 1

    @property
    def seats(self) -> tuple[str, ...]:
        """Everybody who ever voted, by name."""
        return tuple(sorted({seat for _, _, pattern in self.seen for seat, _ in pattern}))

    def groups(self, seats: Sequence[str]) -> Iterator[SizeGroup]:
        """The same by size, in an order that does not depend on what came first."""
        place = {seat: number for number, seat in enumerate(seats)}
        sizes = sorted({(closed, size) for closed, size, _ in self.seen})
        for closed, size in sizes:
            rows = sorted((key[2], count) for key, count in self.seen.items() if key[:2] == (closed, size))
            codes = np.full((len(rows), len(seats)), ABSENT, dtype=np.int16)
            for number, (pattern, _) in enumerate(rows):
                for seat, code in pattern:
                    codes[number, place[seat]] = code
            seen = np.array([count for _, count in rows], dtype=np.float64)
            yield SizeGroup(size=size, closed=closed, codes=codes, seen=seen)


def patterns_of(votes: Mapping[str, str]) -> Pattern:
    """Who chose the same: options are numbered as they come up, seat by seat in the order of their names."""
    numbers: dict[str, int] = {}
    return tuple((seat, numbers.setdefault(votes[seat], len(numbers))) for seat in sorted(votes))
