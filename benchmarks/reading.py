"""How many recorded replies are read, as plain answers and as votes: python -m benchmarks.reading.

As plain answers they are compared with what was recorded as their answer. As votes, their keys renamed, they are read
with the mark, without it, and asked twice: as seats in a discussion would be.
"""

import gzip
import json
import re
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from quorate.model.ask import AnswerTerms
from quorate.reading import vote
from quorate.reading.text.plain_answer import read_answer

MARK: Final = "5eed5eed5eed"
SHOWN: Final = "A question was put, and how to write the vote was said."
_ANSWER: Final = re.compile(r"""(["'])answer\1\s*:""", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"""["']confidence["']\s*:""", re.IGNORECASE)
MOST_LOST: Final = 0.01
GOAL: Final = 0.995
_SIGNS: Final = re.compile(r"\\boxed|\\[nt]|[\s\"'`$*{}\\.:]")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A reply, what somebody else read in it, the list it chose from, and whether what they read may be cut short."""

    text: str
    answer: str
    options: tuple[str, ...] = ()
    cut: bool = False


def replies(path: Path) -> Iterator[tuple[str, str]]:
    """Every recorded reply of a folder, with the file it stands in."""
    for file in sorted(path.glob("**/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                for text in _texts(json.loads(line)):
                    yield file.name.removesuffix(".jsonl.gz"), text


def _texts(row: dict[str, Any]) -> Iterator[str]:
    """The reply as it came, under the names recordings use for it."""
    if isinstance(row.get("output"), str):
        yield row["output"]
    for round_ in row.get("rounds", ()):
        yield from (said["raw"] for said in round_ if isinstance(said.get("raw"), str))


def as_vote(text: str) -> str | None:
    """The same reply, its faults included, under the names a vote has; none where it holds no answer to rename."""
    confident = _CONFIDENCE.search(text)
    named, times = _ANSWER.subn('"option":' if confident else '"confidence": 0.8, "option":', text)
    return named if times == 1 else None


def ways(text: str) -> tuple[bool, bool, bool]:
    """Read by itself; with the mark copied into it; and never marked, so that it is asked for and given twice."""
    marked = text.replace("{", f'{{"mark": "{MARK}", ', 1)
    alone, own = vote.read(text), vote.read(marked, AnswerTerms(mark=MARK, shown=SHOWN))
    twice = vote.read(text, AnswerTerms(mark=MARK, shown=SHOWN, last=True))
    return alone.ballot is not None, own.ballot is not None, twice.ballot is not None


def reading_of(recorded: RecordedAnswer) -> str:
    """What becomes of a recorded reply: `read` as it was then, `otherwise`, `missed`, or the reader `broke`."""
    try:
        ballot = read_answer(recorded.text, recorded.options).ballot
    except Exception as wrong:  # noqa: BLE001 - what is counted here is just that
        sys.stderr.write(f"{wrong!r} in {recorded.text[:200]!r}\n")
        return "broke"
    if ballot is None:
        return "missed"
    if is_same(ballot.choice, recorded):
        return "read"
    sys.stderr.write(f"{recorded.answer[:80]!r} was recorded, {ballot.choice[:80]!r} is read\n")
    return "otherwise"


def is_same(choice: str, recorded: RecordedAnswer) -> bool:
    """Whether an answer is the recorded one. An open one was recorded up to its first quotation mark in places."""
    if recorded.options:
        return choice == recorded.answer
    ours, theirs = (_SIGNS.sub("", text).casefold() for text in (choice, recorded.answer))
    return ours == theirs or (recorded.cut and ours.startswith(theirs))


def answers(path: Path) -> Iterator[tuple[str, RecordedAnswer]]:
    """Every reply with the answer that was recorded for it, and the list it was to choose from."""
    for file in sorted(path.glob("**/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        name = file.name.removesuffix(".jsonl.gz")
        yield from ((name, found) for found in _recorded(rows) if found.answer)


def _recorded(rows: Sequence[dict[str, Any]]) -> Iterator[RecordedAnswer]:
    said = [reply for row in rows for round_ in row.get("rounds", ()) for reply in round_ if reply.get("raw")]
    options = tuple(sorted({reply["answer"] for reply in said if reply["answer"]}))
    yield from (RecordedAnswer(reply["raw"], reply["answer"] or "", options) for reply in said)
    for row in rows:
        if isinstance(row.get("output"), str):
            how = row.get("how")
            yield RecordedAnswer(row["output"], str(row["lenient_answer"] or ""), cut=how != "braces")


def answer_table(path: Path) -> bool:
    """Print how plain answers are read; whether the goal is met."""
    counts: dict[str, Counter[str]] = {}
    for file, recorded in answers(path):
        counts.setdefault(file, Counter())[reading_of(recorded)] += 1
    counts["all"] = sum(counts.values(), Counter())
    sys.stdout.write(f"{'plain answers':<34} {'recorded':>8} {'read':>8} {'otherwise':>10} {'exceptions':>11}\n")
    for name, one in counts.items():
        share = (one["read"] + one["otherwise"]) / max(1, one.total())
        sys.stdout.write(f"{name:<34} {one.total():>8} {share:>8.2%} {one['otherwise']:>10} {one['broke']:>11}\n")
    sys.stdout.write(f"goal: {GOAL:.1%} read, none otherwise than meant, no exception\n\n")
    whole = counts["all"]
    return not whole["broke"] and not whole["otherwise"] and whole["missed"] <= (1 - GOAL) * whole.total()


def main(given: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m benchmarks.reading", description="Measure the reading of replies.")
    parser.add_argument("--data", dest="path", type=Path, required=True, help="a folder of gzipped JSON-lines files")
    path = parser.parse_args(given).path
    met = answer_table(path)
    counted: dict[str, list[int]] = {}
    for file, text in replies(path):
        renamed = as_vote(text)
        if renamed is not None:
            row = counted.setdefault(file, [0, 0, 0, 0])
            counted[file] = [was + now for was, now in zip(row, (1, *ways(renamed)), strict=True)]
    if not counted:
        sys.stderr.write("no recorded replies there; name a folder with *.jsonl.gz files that hold them\n")
        return 1
    counted["all"] = [sum(column) for column in zip(*counted.values(), strict=True)]
    sys.stdout.write(f"{'file':<34} {'replies':>8} {'by itself':>10} {'marked':>8} {'asked twice':>12}\n")
    for file, (total, *read) in counted.items():
        shares = [f"{share / total:.2%}" for share in read]
        sys.stdout.write(f"{file:<34} {total:>8} {shares[0]:>10} {shares[1]:>8} {shares[2]:>12}\n")
    total, alone, own, _ = counted["all"]
    lost = (alone - own) / total
    sys.stdout.write(f"lost by asking for the mark, if it is copied: {lost:.2%} (at most {MOST_LOST:.0%})\n")
    return int(lost > MOST_LOST or not met)


if __name__ == "__main__":
    sys.exit(main())
