"""A batch that is killed again and again and gone on with: every result once, memory bounded, time linear.

`python -m benchmarks.batch --questions 100000` makes so many questions, puts them to a quick conference of three
seats, three calls each, against a mock provider of 1 ms, kills the command with SIGKILL at evenly spread points, runs
it again each time, and prints what came of it; exit 1 if a result is missing or there twice, or above its memory.
"""

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Final

import apsw

from benchmarks.server import serving

__all__ = ["BatchPlan", "BatchRun", "kill_batch", "main"]

LATENCY: Final = 0.001
MEMORY: Final = 500.0
"""MB that the command and its workers may hold together."""
PARTS: Final = 10
PAUSE: Final = 0.02
PANEL: Final = ("--protocol", "conference", "--set", "mode=quick", "--set", "similarity=overlap")
"""Three seats vote once: three calls a question."""
SENTENCE: Final = "Should we delete the staging database number {}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """How many questions and kills, in how many processes; `fresh` forgets the ledger at each kill, as a control."""

    questions: int
    kills: int
    workers: int = 1
    fresh: bool = False


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """What came of a plan."""

    questions: int
    results: int = 0
    repeated: int = 0
    missing: int = 0
    wrong: int = 0
    deliberations: int = 0
    resent: int = 0
    kills: int = 0
    seconds: float = 0.0
    memory: float = 0.0
    parts: list[float] = field(default_factory=list[float])
    """Seconds for each tenth of the questions, starts after a kill included."""

    @property
    def slope(self) -> float:
        """Milliseconds that a tenth of the questions takes longer than the tenth before it, per question; near 0."""
        count = len(self.parts)
        if count < 2:  # noqa: PLR2004 - two make a line
            return 0.0
        middle, mean = (count - 1) / 2, sum(self.parts) / count
        spread = sum((place - middle) ** 2 for place in range(count))
        rise = sum((place - middle) * (part - mean) for place, part in enumerate(self.parts)) / spread
        return 1000 * rise / (self.questions / count)

    def lines(self) -> Iterator[str]:
        """For people."""
        each = 1000 * self.seconds / self.questions
        yield f"{self.questions:,} questions, 3 calls each, killed {self.kills} times and gone on with"
        yield f"  results {self.results:,}, missing {self.missing}, twice {self.repeated}, not decided {self.wrong}"
        yield f"  deliberations in the ledger {self.deliberations:,}, asks sent again after a kill {self.resent}"
        yield f"  {self.seconds:.1f} s, {self.questions / self.seconds:.1f} questions a second, {each:.2f} ms each"
        tenths = " ".join(f"{PARTS * 1000 * part / self.questions:.2f}" for part in self.parts)
        yield f"  ms per question by tenths: {tenths}; slope {self.slope:+.4f} ms per tenth"
        yield f"  most memory {self.memory:.0f} MB"


def kill_batch(plan: BatchPlan, folder: Path, address: str) -> BatchRun:
    """Carry a plan out."""
    questions, results = folder / "questions.jsonl", folder / "results.jsonl"
    with questions.open("w", encoding="utf-8") as file:
        for number in range(1, plan.questions + 1):
            file.write(json.dumps({"key": f"q{number}", "question": SENTENCE.format(number)}) + "\n")
    points = [plan.questions * (kill + 1) // (plan.kills + 1) for kill in range(plan.kills)]
    run = BatchRun(questions=plan.questions)
    began = time.perf_counter()
    marks = {0: began}
    for point in (*points, plan.questions):
        _live(plan, folder, address, run, marks, point if point < plan.questions else None)
    run.seconds = time.perf_counter() - began
    run.parts = _parts(marks, plan.questions, began + run.seconds)
    _judge(run, results, folder / "ledger.db")
    return run


def _live(  # noqa: PLR0913, PLR0917 - what one life of the command is about
    plan: BatchPlan, folder: Path, address: str, run: BatchRun, marks: dict[int, float], until: int | None
) -> None:
    """Run the command until so many results are written, and kill it; or to its end."""
    results = folder / "results.jsonl"
    process = _start(plan, folder, address)
    counted, place = 0, 0
    try:
        while process.poll() is None:
            run.memory = max(run.memory, _memory(process.pid))
            more, place = _new_lines(results, place)
            counted += more
            tenth = PARTS * counted // plan.questions
            marks.setdefault(tenth, time.perf_counter())
            if until is not None and counted >= until:
                break
            time.sleep(PAUSE)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            run.kills += 1
    finally:
        process.kill()
        process.wait()
    if plan.fresh and until is not None:
        for left in folder.glob("ledger.db*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def _start(plan: BatchPlan, folder: Path, address: str) -> "Popen[bytes]":
    program = str(Path(sys.executable).with_name("quorate"))
    command = [program, "batch", "questions.jsonl", "-o", "results.jsonl", "--quiet", *PANEL]
    places = {"HOME": str(folder), "XDG_STATE_HOME": str(folder), "QUORATE_LEDGER": str(folder / "ledger.db")}
    env = {**os.environ, **places}
    seats = [word for name in ("Ann", "Ben", "Cleo") for word in ("--seat", f"{name}=openai:mock@{address}")]
    return Popen(
        [*command, *seats, "--workers", str(plan.workers)], cwd=folder, env=env, stderr=DEVNULL if plan.kills else None
    )


def _new_lines(path: Path, place: int) -> tuple[int, int]:
    try:
        with path.open("rb") as file:
            file.seek(place)
            data = file.read()
    except FileNotFoundError:
        return 0, place
    whole = data.rpartition(b"\n")[0]
    return (data.count(b"\n"), place + len(whole) + 1) if b"\n" in data else (0, place)


def _memory(pid: int) -> float:
    """MB that a process and its children hold now."""
    total = 0.0
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        total += int(found[1]) / 1024 if found else 0.0
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return total
    return total + sum(_memory(int(child)) for child in children)


def _parts(marks: dict[int, float], questions: int, ended: float) -> list[float]:
    """Seconds for each tenth; where two ended between two looks, both took half of it."""
    times = [marks.get(tenth) for tenth in range(PARTS)] + [ended]
    known = [(tenth, moment) for tenth, moment in enumerate(times) if moment is not None]
    parts = list[float]()
    for (one, before), (two, after) in pairwise(known):
        parts += [(after - before) / (two - one)] * (two - one)
    return parts if questions >= PARTS else []


def _judge(run: BatchRun, results: Path, ledger: Path) -> None:
    """Count every result and every deliberation."""
    seen = Counter[str]()
    with results.open("rb") as file:
        for line in file:
            plain = json.loads(line)
            seen[plain["key"]] += 1
            run.wrong += plain["state"] != "decided"
    run.results = sum(seen.values())
    run.repeated = sum(count - 1 for count in seen.values())
    run.missing = run.questions - len(seen)
    if not ledger.exists():  # it was thrown away after the last kill, and nothing was left to ask
        return
    db = apsw.Connection(str(ledger), flags=apsw.SQLITE_OPEN_READONLY)
    run.deliberations = next(db.execute("SELECT count(*) FROM deliberations WHERE state != 'open'"))[0]
    sent = "SELECT count(*) FROM entries WHERE json_extract(CAST(public AS TEXT), '$.event') = 'Asked'"
    run.resent = next(db.execute(sent))[0] - 3 * run.deliberations
    db.close()


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and say by the exit code whether the bounds hold."""
    parser = ArgumentParser(prog="python -m benchmarks.batch", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", type=Path)
    said = parser.parse_args(words)
    plan = BatchPlan(questions=said.questions, kills=said.kills, workers=said.workers)
    with serving(LATENCY) as address, tempfile.TemporaryDirectory() as folder:
        run = kill_batch(plan, Path(folder), address)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20
    for line in run.lines():
        print(line)
    print(f"  {size:.0f} MB on the disk")
    if said.json:
        said.json.write_text(json.dumps({**asdict(run), "slope": run.slope}, indent=1), encoding="utf-8")
    sound = (run.results, run.repeated, run.missing, run.deliberations) == (run.questions, 0, 0, run.questions)
    return 0 if sound and run.memory < MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
