"""How many recorded replies are read, with the mark, without it, and asked twice: python -m benchmarks.reading."""

import gzip
import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from quorate.model.ask import AnswerTerms
from quorate.reading import vote

MARK: Final = "5eed5eed5eed"
SHOWN: Final = "A question was put, and how to write the vote was said."
_ANSWER: Final = re.compile(r"""(["'])answer\1\s*:""", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"""["']confidence["']\s*:""", re.IGNORECASE)
MOST_LOST: Final = 0.01


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


def main(given: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m benchmarks.reading", description="Measure the reading of replies.")
    parser.add_argument("--data", dest="path", type=Path, required=True, help="a folder of gzipped JSON-lines files")
    counted: dict[str, list[int]] = {}
    for file, text in replies(parser.parse_args(given).path):
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
    return int(lost > MOST_LOST)


if __name__ == "__main__":
    sys.exit(main())
