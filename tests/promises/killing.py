"""Kills deliberations at points spread over the whole run, resumes them, and compares what the provider has billed.

`python -m tests.promises.killing '{"points": 200, "seed": 1, "folder": "/tmp/x"}'` prints what was found as JSON.
It runs as a process of its own, because children may only be forked where no thread and no event loop runs.
"""

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.promises import provider
from tests.promises.calls import dying, nothing
from tests.promises.lives import (
    BY_ITSELF,
    PHASES,
    SEATS,
    AskName,
    Death,
    Life,
    Remains,
    Run,
    begin_again,
    live,
    new_run,
    remains,
    warm,
)

WORKERS: Final = 2
TRIES: Final = 6
"""How often a point is moved when the life was over before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do: so many points; without a spool as a control; `linger` lets a slow disk hang before the kill.

    The ledger is in a file, or in the database at `server`.
    """

    points: int
    seed: int
    folder: str
    spool: bool = True
    linger: float = 0.0
    server: str = ""


class Measure(NamedTuple):
    """An undisturbed run: how long it lasts, how many calls it makes, how it is decided."""

    seconds: float
    calls: int
    verdict: dict[str, Any] | None


@dataclass(slots=True, kw_only=True)
class Point:
    """What came of one point."""

    number: int
    call: int = 0
    kills: list[str] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    rebought: int = 0
    used_rebought: int = 0
    in_flight: int = 0
    lost: int = 0
    kept: int = 0
    acked: int = 0


@dataclass(slots=True, kw_only=True)
class Findings:
    """What came of all of them."""

    seed: int
    points: int = 0
    kills: int = 0
    by: dict[str, int] = field(default_factory=dict)
    phases: dict[str, int] = field(default_factory=dict)
    rebought: int = 0
    used_rebought: int = 0
    in_flight: int = 0
    lost: int = 0
    kept: int = 0
    acked: int = 0
    faults: list[str] = field(default_factory=list)
    calls: int = 0
    struck: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        widest = max(self.phases.values(), default=1)
        rows = (f"  {name:<21}{count:>6}  {'▇' * round(40 * count / widest)}" for name, count in self.phases.items())
        return (
            f"seed {self.seed}: {self.kills} kills at {self.points} points {self.by}; an undisturbed run lasts "
            f"{1000 * self.seconds:.0f} ms and makes {self.calls} calls, {len(self.struck)} of them struck\n"
            + "\n".join(rows)
            + "\n"
            f"  {self.acked} acknowledged entries, lost {self.lost}; {self.kept} answers recorded or spooled at death, "
            f"bought again {self.rebought}; used before death and bought again {self.used_rebought}; "
            f"in flight and bought again {self.in_flight}; faults {len(self.faults)}"
        )

    def add(self, point: Point) -> None:
        self.points += 1
        self.kills += len(point.kills)
        self.by = dict(Counter(self.by) + Counter(point.kills))
        self.struck = sorted({*self.struck, point.call} - {0})
        self.phases = {name: self.phases.get(name, 0) + point.phases.count(name) for name in PHASES}
        self.faults += [f"point {point.number}, killed in {point.phases}: {fault}" for fault in point.faults]
        for name in ("rebought", "used_rebought", "in_flight", "lost", "kept", "acked"):
            setattr(self, name, getattr(self, name) + getattr(point, name))


def kill(plan: Plan) -> Findings:
    """Carry a plan out in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(asdict(plan))], stdout=subprocess.PIPE, text=True, check=True
    )
    return Findings(**json.loads(done.stdout.splitlines()[-1]))


def primed(run: Run, plan: Plan) -> Run:
    """A run on a ledger that is in use: nothing of it is committed before its first entries are."""
    return replace(run, primed=True, server=plan.server)


class Killer:
    """One worker: takes its share of the points, one after the other."""

    def __init__(self, plan: Plan, port: int, measure: Measure) -> None:
        self._plan = plan
        self._port = port
        self._measure = measure
        self._seconds = measure.seconds

    def points(self, worker: int) -> Iterator[Point]:
        """Its share; how long a run lasts is measured while the other workers are at it too."""
        runs = (new_run(f"w{worker}-{number}", Path(self._plan.folder), self._port) for number in range(5))
        self._seconds = statistics.median(live(primed(run, self._plan), 0).lasted for run in runs)
        for number in range(worker, self._plan.points, WORKERS):
            yield self._point(number)

    def _point(self, number: int) -> Point:
        chance = random.Random(f"{self._plan.seed} {number}")
        root = Path(self._plan.folder)
        part = 0.0
        for attempt in range(TRIES):
            run = primed(new_run(f"p{number}x{attempt}", root, self._port, spool=self._plan.spool), self._plan)
            part = (number + chance.random()) / self._plan.points * 0.8**attempt
            by, death = self._death(number % 2 == 0 or self._plan.linger > 0, part)
            life = live(run, 0, death=death)
            if life.how == "killed":
                break
            self._seconds = (self._seconds + life.lasted) / 2
            shutil.rmtree(run.folder)
        else:
            return Point(number=number, faults=[f"could not be killed at {part:.0%} of the run"])
        point = Point(number=number, kills=[by], call=self._call(part) if by == "call" else 0)
        self._go_on(run, point, life, chance)
        if not point.faults:
            shutil.rmtree(run.folder)
        return point

    def _death(self, at_a_call: bool, part: float) -> tuple[str, Death]:
        if at_a_call:
            return "call", Death(strike=dying(self._call(part), self._plan.linger))
        return "time", Death(seconds=part * self._seconds)

    def _call(self, part: float) -> int:
        return 1 + int(part * self._measure.calls)

    def _go_on(self, run: Run, point: Point, life: Life, chance: random.Random) -> None:
        """Resume until it is done; one in five is killed again on the way, some of them a third time."""
        lives, found = [life], [remains(run)]
        again = chance.choices((0, 1, 2), (16, 3, 1))[0] if not self._plan.linger else 0
        while lives[-1].how == "killed":
            by, death = self._death(chance.random() < 0.5, chance.random() * 0.7)
            known = next((life.id for life in lives if life.id), "")
            lives.append(begin_again(run, len(lives), known, death if len(lives) <= again else BY_ITSELF))
            if lives[-1].how == "killed":
                point.kills.append(by)
                found.append(remains(run))
        if lives[-1].recorded is None and not lives[-1].error:  # it was to be killed, and was quicker
            lives.append(begin_again(run, len(lives), lives[-1].id))
        point.phases = [one.phase for one in found]
        judge(point, lives, found, provider.billed(self._port, run.name))
        point.faults += list(self._wrong(lives, found))

    def _wrong(self, lives: list[Life], found: list[Remains]) -> Iterator[str]:
        last = lives[-1]
        if last.how != "by itself" or last.error:
            yield f"the last life ended {last.how}: {last.error} {last.sentence}"
        if last.verdict != self._measure.verdict or last.recorded != self._measure.verdict:
            yield f"another verdict: {last.verdict}, on record {last.recorded}"
        for life, left in zip(lives, found, strict=False):
            if any(hash_ not in left.hashes for _, hash_ in life.acked):
                yield "an entry was acknowledged before it was committed"
            if life.verdict is not None and not left.decided:
                yield "a verdict was told before it was committed"


def judge(point: Point, lives: list[Life], found: list[Remains], bill: list[provider.Request]) -> None:
    """Compare the lives, the disk after each death, and the provider's bill."""
    kept: set[AskName] = set()
    for number in range(len(lives)):
        now, before = ([one.ask for one in bill if one.life in which] for which in ([number], range(number)))
        used = {need for ask in before for need in needs(ask)}
        point.rebought += len(kept.intersection(now))
        point.used_rebought += len(used.intersection(now))
        point.in_flight += len(set(before).intersection(now) - kept)
        if len(now) > len(set(now)):
            point.faults.append(f"life {number} asked something twice: {Counter(now).most_common(1)}")
        if number < len(found):
            kept |= found[number].answered
    there = dict(enumerate(lives[-1].hashes, 1))
    acked = [entry for life in lives for entry in life.acked]
    point.lost = sum(there.get(number) != hash_ for number, hash_ in acked)
    point.acked, point.kept = len(acked), len(kept)


def needs(ask: AskName) -> Iterator[AskName]:
    """Which answers must have been read and used for this to be asked at all."""
    round_, seat, about, attempt = ask
    if attempt > 1:
        yield round_, seat, about, 1
    analysed = {"analysis": (), "challenge": (seat, about), "revision": SEATS}[round_]
    yield from (("analysis", other, "", number) for other in analysed for number in (1, 2))
    if round_ == "revision":
        yield from (("challenge", other, seat, 1) for other in SEATS if other != seat)


def measured(plan: Plan, port: int) -> Measure:
    """Hold a few undisturbed ones."""
    root = Path(plan.folder)
    lives = [live(primed(new_run(f"m{number}", root, port), plan), 0) for number in range(2)]
    counted = live(primed(new_run("m", root, port), plan), 0, death=Death(strike=nothing))
    for life in (*lives, counted):
        if life.verdict is None or life.verdict != lives[0].verdict:
            raise RuntimeError(f"an undisturbed deliberation went wrong: {life}")
    return Measure(statistics.median(life.lasted for life in lives), counted.calls, lives[0].verdict)


def main(plan: Plan) -> None:
    """Provider, then workers, then the sum of what they found."""
    root = Path(plan.folder)
    root.mkdir(parents=True, exist_ok=True)
    serving, port = provider.start()
    try:
        warm(replace(new_run("warm", root, port), server=plan.server))
        measure = measured(plan, port)
        workers = [_worker(plan, port, measure, number) for number in range(WORKERS)]
        statuses = [os.waitpid(pid, 0)[1] for pid in workers]
    finally:
        os.kill(serving, signal.SIGTERM)
        os.waitpid(serving, 0)
    findings = Findings(seed=plan.seed, calls=measure.calls, seconds=measure.seconds)
    findings.faults += [f"worker {number} ended with {status}" for number, status in enumerate(statuses) if status]
    for number in range(WORKERS):
        for line in (root / f"worker{number}").read_text().splitlines():
            findings.add(Point(**json.loads(line)))
    sys.stdout.write(json.dumps(asdict(findings)) + "\n")


def _worker(plan: Plan, port: int, measure: Measure, number: int) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            with (Path(plan.folder) / f"worker{number}").open("w") as file:
                for point in Killer(plan, port, measure).points(number):
                    file.write(json.dumps(asdict(point)) + "\n")
            status = 0
        except BaseException:  # noqa: BLE001  a forked child must end here
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return pid


if __name__ == "__main__":
    main(Plan(**json.loads(sys.argv[1])))
