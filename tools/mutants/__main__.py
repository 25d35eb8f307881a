"""Changes the rules in small ways and sees whether a test fails: python -m tools.mutants --only rules --seconds 600.

A mutant is one file with one small change (changes.py says which changes there are). It never exists on disk: it lives
in a process of its own, and is killed when a test fails there or does not end (trials.py). What came of each is kept
(results.json), so that a run can be stopped and gone on with; a file that was changed since is begun anew.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

import pytest

from tools.mutants.changes import Mutant, mutants_of
from tools.mutants.results import RESULTS, TESTS, FileResult, Survivor, begun, files_of, keep, kept, name_of, room_of
from tools.mutants.trials import Trials, words

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parents[2]
LINES: Final = ROOT / ".mutants"
"""Where it is kept which tests execute which lines, until a test or a file changes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try mutants until the time is up, in an order drawn by chance, and list those that no test noticed."""
    told = _parser().parse_args(arguments)
    until = monotonic() + told.seconds
    files = files_of(told.only)
    for room in dict.fromkeys(room_of(name_of(file)) for file in files):
        # A room's tests leave their traces in the process they run in, so each room has its own.
        sys.stdout.flush()
        child = os.fork()
        if not child:
            code = try_room(room, [file for file in files if room_of(name_of(file)) == room], told, until)
            sys.stdout.flush()
            os._exit(code)
        if os.waitpid(child, 0)[1]:
            return 2
    results = kept(told.results)
    chosen = [results[name_of(file)] for file in files]
    tried, killed = sum(len(one.tried) for one in chosen), sum(one.killed for one in chosen)
    there = sum(one.mutants for one in chosen)
    print(f"{killed} of {tried} mutants killed ({100 * killed / max(1, tried):.1f} %), of {there} there are")
    return int(killed < tried)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="a room or a file under src/quorate")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--sample", type=int, default=0, help="draw so many of each room instead of all")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--survivors", action="store_true", help="try again those that survived, and only those")
    parser.add_argument("--tests", nargs="*", help="other tests than the room's")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the results are kept")
    return parser


def try_room(room: str, files: Sequence[Path], told: Namespace, until: float) -> int:
    """Put the room's mutants to its tests; 2 if those fail as things are."""
    results = begun(files, kept(told.results))
    mutants = list(_drawn(files, told, results))
    keep(results, told.results)
    if not mutants:
        return 0

    def tell(mutant: Mutant, killed: bool) -> None:  # noqa: FBT001 - what came of it
        result = results[name_of(mutant.file)]
        result.survivors = [one for one in result.survivors if one.number != mutant.number]
        if mutant.number not in result.tried:
            result.tried.append(mutant.number)
        if not killed:
            result.survivors.append(Survivor(mutant.number, mutant.line, mutant.text, mutant.change))
            print(f"survived  {mutant.name}\n          {mutant.text}", flush=True)
        keep(results, told.results)

    tests = tuple(told.tests or TESTS[room])
    trials = Trials(files, mutants, tell)
    trials.jobs, trials.until, trials.known = told.jobs, until, LINES / f"{_digest(files, tests)}.json"
    print(f"{room}: {len(mutants)} mutants to try", flush=True)
    code = pytest.main(words(tests), [trials])
    if trials.failed:
        print(f"tests fail as things are: {', '.join(trials.failed[:5])}")
    return 2 if trials.failed or code else 0


def _drawn(files: Sequence[Path], told: Namespace, results: dict[str, FileResult]) -> Iterator[Mutant]:
    """The mutants that are still to be tried, in an order drawn by chance."""
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    Random(told.seed).shuffle(mutants)  # noqa: S311 - an order, no secret
    for mutant in mutants[: told.sample or len(mutants)]:
        result = results[name_of(mutant.file)]
        lived = {one.number for one in result.survivors}
        if mutant.number in lived if told.survivors else mutant.number not in result.tried:
            yield mutant


def _digest(files: Sequence[Path], tests: Sequence[str]) -> str:
    """A name for these files and these tests as they are."""
    places = [ROOT / test.partition("::")[0] for test in tests]
    texts = [file for place in places for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]
    return sha256(b"\0".join(file.read_bytes() for file in (*files, *texts))).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
