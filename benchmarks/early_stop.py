"""What stopping a settled count saves on recorded panels: python -m benchmarks.early_stop --data FOLDER.

Seats answer in an order drawn by chance. After each answer the count is stopped if nothing that may still come can
change the verdict; then the verdict is compared with that on all answers, and so is one on random other completions.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from quorate.analysis.settled_count import OpenBallots, is_settled
from quorate.evaluate.datasets import load_votes
from quorate.evaluate.votes import VotedQuestion
from quorate.model import Rulebook, Silence, Tally, Verdict, Voice
from quorate.presets import rulebook
from quorate.rules import apply_rulebook

SMALLEST: Final = 5
"""Panels of fewer seats are left out."""
GOAL: Final = 30
"""Percent of the calls that are to be saved."""


@dataclass(slots=True)
class Savings:
    """Calls of all panels of a set, those that were not needed, and verdicts that came out otherwise."""

    panels: int = 0
    calls: int = 0
    saved: int = 0
    mismatches: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.saved / max(1, self.calls)


def tally_of(votes: dict[str, str], seats: tuple[str, ...], options: tuple[str, ...]) -> Tally:
    """One vote a seat, the others silent."""
    return Tally(
        eligible=seats,
        options=(),
        listed=options,
        voices=tuple(Voice(seat=seat, option=votes[seat]) for seat in seats if seat in votes),
        silent=tuple(Silence(seat=seat, why="not_asked") for seat in seats if seat not in votes),
    )


def ending(verdict: Verdict) -> tuple[str | None, bool]:
    return verdict.outcome, verdict.decided


def panel_of(question: VotedQuestion, size: int, chance: Random) -> dict[str, str]:
    """So many of those who voted, in the order in which they answer."""
    seats = list(question.votes)
    chance.shuffle(seats)
    return {seat: question.votes[seat] for seat in seats[: size or None]}


def measure(votes: dict[str, str], book: Rulebook, savings: Savings) -> None:
    """Let one panel answer one after the other, and stop it as soon as that is possible."""
    seats, options = tuple(sorted(votes)), tuple(sorted(set(votes.values())))
    decide = partial(apply_rulebook, rulebook=book)
    heard: dict[str, str] = {}
    for seat, option in votes.items():
        heard[seat] = option
        still = OpenBallots(seats=tuple(one for one in seats if one not in heard), options=(*options, "something else"))
        if 2 * len(heard) > len(seats) and is_settled(tally_of(heard, seats, options), still, decide, part="extremes"):
            break
    whole, stopped = decide(tally_of(votes, seats, options)), decide(tally_of(heard, seats, options))
    savings.panels += 1
    savings.calls += len(votes)
    savings.saved += len(votes) - len(heard)
    savings.mismatches += ending(whole) != ending(stopped)


def measure_set(path: Path, size: int, most: int, seed: int) -> Savings:
    """The panels of one file, whole or so many seats of each."""
    savings, chance, book = Savings(), Random(f"{seed} {path.name}"), rulebook("plurality")
    questions = [one for one in load_votes(str(path)) if len(one.votes) >= max(size, SMALLEST)]
    for question in chance.sample(questions, min(most, len(questions))):
        measure(panel_of(question, size, chance), book, savings)
    return savings


def main(words: Sequence[str] | None = None) -> int:
    """Print a row for each file and size, and fail if a verdict differs or too little is saved."""
    parser = ArgumentParser(prog="python -m benchmarks.early_stop", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--most", type=int, default=300, help="questions of each file")
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args(words)
    failed = False
    print(f"{'set':<34}{'seats':>6}{'panels':>8}{'calls':>9}{'saved':>9}{'share':>8}{'differ':>8}")
    whole = Savings()
    for path in sorted(told.data.glob("*.jsonl.gz")):
        for size in (5, 7, 0):
            found = measure_set(path, size, told.most, told.seed)
            if not found.panels:
                continue
            shown = size or "all"
            print(
                f"{path.name.removesuffix('.jsonl.gz'):<34}{shown:>6}{found.panels:>8}{found.calls:>9}{found.saved:>9}"
                f"{found.percent:>7.1f}%{found.mismatches:>8}"
            )
            whole.calls, whole.saved = whole.calls + found.calls, whole.saved + found.saved
            whole.mismatches += found.mismatches
    print(f"in all: {whole.percent:.1f} % of {whole.calls} calls saved, {whole.mismatches} verdicts differ")
    failed = whole.mismatches > 0 or whole.percent < GOAL
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
