"""What came of the mutants, kept in tools/mutants/results.json so that a run can be stopped and gone on with."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tools.mutants.changes import SOURCE, digest, mutants_of

__all__ = ["RESULTS", "TESTS", "FileResult", "Survivor", "begun", "files_of", "keep", "kept", "name_of", "room_of"]

RESULTS: Final = Path(__file__).with_name("results.json")
TESTS: Final[dict[str, tuple[str, ...]]] = {
    "rules": (
        "tests/rules",
        "tests/differential",
        "tests/counting",
        "tests/protocols",
        "tests/offline/test_decide_kinds.py",
        "tests/offline/test_decide_plurality.py",
        "tests/docs/test_settings.py",
        "tests/promises/test_p4_carry_and_block.py",
        "tests/test_catalogue.py",
    ),
    "counting": (
        "tests/counting",
        "tests/differential",
        "tests/protocols",
        "tests/offline/test_decide_kinds.py",
        "tests/offline/test_decide_plurality.py",
        "tests/docs/test_settings.py",
    ),
    "analysis/fault_tolerance.py": (
        "tests/analysis/test_fault_tolerance.py",
        "tests/promises/test_p4_carry_and_block.py",
    ),
    "analysis/option_groups.py": ("tests/analysis/test_option_groups.py",),
    "analysis/settled_count.py": ("tests/analysis/test_settled_count.py", "tests/chair/test_early_stop.py"),
    "reading": ("tests/reading",),
}
"""The rooms and files that are looked after, with the tests that their mutants are put before."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test noticed, with the line it was made in."""

    number: int
    line: int
    text: str
    change: str


@dataclass(slots=True)
class FileResult:
    """What came of the mutants of a file as it was."""

    source: str
    mutants: int
    tried: list[int] = field(default_factory=list)
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return len(self.tried) - len(self.survivors)


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


def room_of(name: str) -> str:
    """The key of TESTS that a file belongs to, by its path under src/quorate."""
    return name if name in TESTS else name.split("/", maxsplit=1)[0]


def files_of(only: str) -> list[Path]:
    """The files of a room, or one file; or all that are looked after."""
    places = [SOURCE / name for name in ([only] if only else TESTS)]
    found = [file for place in places for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]
    return list(dict.fromkeys(found))


def kept(file: Path = RESULTS) -> dict[str, FileResult]:
    """What is known of each file, by its path under src/quorate."""
    rows: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: _read(row) for name, row in rows.items()}


def _read(row: dict[str, Any]) -> FileResult:
    return FileResult(
        row["source"], row["mutants"], _numbers(row["tried"]), [Survivor(**one) for one in row["survivors"]]
    )


def begun(files: Sequence[Path], results: dict[str, FileResult]) -> dict[str, FileResult]:
    """The results, without what was said of a file that has changed since."""
    for file in files:
        now, name = digest(file), name_of(file)
        if name not in results or results[name].source != now:
            results[name] = FileResult(now, sum(1 for _ in mutants_of(file)))
    return results


def keep(results: dict[str, FileResult], file: Path) -> None:
    rows = {
        name: {
            "source": result.source,
            "mutants": result.mutants,
            "killed": result.killed,
            "tried": _ranges(result.tried),
            "survivors": [asdict(one) for one in sorted(result.survivors, key=lambda one: one.number)],
        }
        for name, result in sorted(results.items())
    }
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(file)


def _ranges(numbers: Sequence[int]) -> str:
    """1 2 3 5 becomes "1-3 5"."""
    runs = list[list[int]]()
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return " ".join("-".join(map(str, run)) for run in runs)


def _numbers(ranges: str) -> list[int]:
    ends = [[int(end) for end in run.split("-")] for run in ranges.split()]
    return [number for run in ends for number in range(run[0], run[-1] + 1)]
