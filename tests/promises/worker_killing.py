"""Kills workers, PostgreSQL and whoever brings work, while work goes on; then compares bill and record.

`python -m tests.promises.worker_killing '{"kills": 30, "seed": 1, "folder": "/tmp/x"}'` prints what was found as JSON.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from quorate.chair import replay
from quorate.errors import QuorateError
from quorate.ledger import open_ledger
from quorate.ledger.chain import open_row, verify_chain
from quorate.model import Convened, Decided, Event, Spoken
from tests.postgres import ledger_on
from tests.promises import provider
from tests.promises.provider import TOKENS, Request
from tests.promises.worker_lives import Child, Place, Postgres, run_alone, start_enqueuing, start_worker, warm

WORKERS: Final = 3
BRINGING: Final = 2
"""Processes that bring work."""
END: Final = 180.0
"""Seconds after the last kill in which everything must have been decided."""
PATIENCE: Final = 60.0
"""Seconds in which whoever is to be killed must have done something."""
MOMENT: Final = 0.1
"""Seconds after that within which it is killed: about as long as a deliberation takes."""
EVERY: Final = {"worker": 10, "enqueuing": 3, "postgres": 1}
"""How often each is killed among fourteen kills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do: so many kills; as controls without a spool, or without taking over."""

    kills: int
    seed: int
    folder: str
    spool: bool = True
    takes_over: bool = True
    end: float = END


@dataclass(slots=True, kw_only=True)
class Findings:
    """What came of it."""

    seed: int
    kills: dict[str, int] = field(default_factory=dict[str, int])
    acknowledged: int = 0
    recorded: int = 0
    decided: int = 0
    undecided: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    answers: int = 0
    bought_again: int = 0
    used_and_bought_again: int = 0
    lost_in_flight: int = 0
    faults: list[str] = field(default_factory=list[str])
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {sum(self.kills.values())} kills {self.kills} in {self.seconds:.0f} s; "
            f"{self.acknowledged} ids told, {len(self.missing)} of them missing; {self.recorded} records, "
            f"{self.decided} decided once, {len(self.undecided)} not; {self.answers} answers recorded, "
            f"{self.bought_again} of them bought again after that, {self.used_and_bought_again} used and bought again; "
            f"{self.lost_in_flight} asks in flight at a kill were asked again; faults {len(self.faults)}"
        )


def kill(plan: Plan) -> Findings:
    """Carry a plan out in a fresh process."""
    return Findings(**run_alone(__name__, asdict(plan)))


class Killer:
    """Keeps workers and enqueuing processes alive, and kills them."""

    def __init__(self, plan: Plan, place: Place, postgres: Postgres) -> None:
        self._place = place
        self._postgres = postgres
        self._chance = random.Random(plan.seed)
        self._births = 0
        self.found = Findings(seed=plan.seed)
        self.acknowledged: set[str] = set()
        self.workers = [self._worker() for _ in range(WORKERS)]
        self.enqueuing = [self._enqueuing() for _ in range(BRINGING)]

    def _worker(self) -> Child:
        self._births += 1
        return start_worker(self._place, self._births)

    def _enqueuing(self) -> Child:
        self._births += 1
        return start_enqueuing(self._place, f"e{self._births}")

    def hear(self, children: Sequence[Child]) -> int:
        told = [said for child in children for said in child.hear()]
        self.acknowledged |= {said["ack"] for said in told if "ack" in said}
        return sum("ack" in said or "entry" in said for said in told)

    def strike(self, what: str) -> None:
        """Kill one of a kind in the middle of its work, and have another take its place."""
        children, birth = (self.enqueuing, self._enqueuing) if what == "enqueuing" else (self.workers, self._worker)
        at = self._at_work(children)
        time.sleep(self._chance.random() * MOMENT)
        if what == "postgres":
            self._postgres.crash()
        else:
            children[at].kill()
            self.hear([children[at]])
            os.close(children[at].pipe)
            children[at] = birth()
        self.found.kills = dict(Counter(self.found.kills) + Counter([what]))

    def _at_work(self, children: Sequence[Child]) -> int:
        """A kill in an idle moment shows nothing: wait until one has written or brought something since the last."""
        deadline = time.monotonic() + PATIENCE
        self.hear([*self.workers, *self.enqueuing])
        while True:
            for at in self._chance.sample(range(len(children)), len(children)):
                if self.hear([children[at]]):
                    return at
            self._mourn()
            assert time.monotonic() < deadline, f"nothing was done for {PATIENCE} s; see {self._place.log}"
            time.sleep(0.005)

    def _mourn(self) -> None:
        """Whoever ended without being killed is a fault."""
        for child in (*self.workers, *self.enqueuing):
            if child.is_gone:
                raise AssertionError(f"a process ended by itself; see {self._place.log}")

    def finish(self, seconds: float) -> None:
        """Bring nothing more, and wait until all is decided, or for so long."""
        for child in self.enqueuing:
            child.kill()
            self.hear([child])
        self.enqueuing = []
        deadline = time.monotonic() + seconds
        while asyncio.run(_open(self._place)) and time.monotonic() < deadline:
            self._mourn()
            time.sleep(0.3)
        for child in self.workers:
            child.kill()


async def _open(place: Place) -> int:
    """How many records there are that have begun and not ended; of some only the id was kept before a kill."""
    ledger = open_ledger(place.url)
    try:
        return len([one async for one in ledger.list() if one.state == "open" and one.entries])
    except QuorateError:
        return 1
    finally:
        await ledger.close()


async def _judge(place: Place, found: Findings, acknowledged: set[str]) -> None:
    """Compare what was told, what is on record and what was billed."""
    ledger = open_ledger(place.url)
    recorded = [one.id async for one in ledger.list()]
    found.acknowledged, found.recorded = len(acknowledged), len(recorded)
    found.missing = sorted(acknowledged - {*recorded})
    for id_ in recorded:
        rows = await ledger.rows(id_)
        if not rows:
            found.faults += [f"{id_} was told and is empty"] if id_ in acknowledged else []
            found.recorded -= 1
            continue
        verify_chain(id_, rows)
        events = [open_row(row).event for row in rows]
        found.faults += [f"{id_}: {fault}" for fault in _faults(events)]
        decided = sum(isinstance(event, Decided) for event in events)
        found.decided += decided == 1
        found.undecided += [id_] if decided != 1 else []
        compare(events, provider.billed(place.port, _run(events)), found)
    await ledger.close()


def _run(events: Sequence[Event]) -> str:
    first = events[0]
    assert isinstance(first, Convened)
    return first.seated[0].model.removeprefix("openai:").split(".")[0]


def _faults(events: Sequence[Event]) -> Iterator[str]:
    replay(events)
    keys = [event.key for event in events if isinstance(event, Spoken)]
    if len(keys) != len({*keys}):
        yield "an answer stands twice"


def compare(events: Sequence[Event], bill: Sequence[Request], found: Findings) -> None:
    """An answer that is on record must be the last that was bought for its ask; one that was used, the only one."""
    bought = Counter(line.ask for line in bill)
    for event in events:
        if isinstance(event, Spoken):
            ask = (event.round, event.seat, event.about, event.attempt)
            number = (event.reply.usage.answered or 0) - TOKENS + 1
            found.answers += 1
            found.bought_again += bought[ask] - number
            found.lost_in_flight += number - 1
    found.used_and_bought_again += _used_again(bill)


def _used_again(bill: Sequence[Request]) -> int:
    """Requests for an ask after something was asked that shows its answer."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    """By round, the seats whose words of that round were shown to somebody."""
    again = 0
    for line in bill:
        again += line.seat in used[line.round] and line.round == "analysis"
        again += line.about in used["challenge"] and line.round == "challenge"
        if line.round == "challenge":
            used["analysis"] |= {line.seat, line.about}
        if line.round == "revision":
            used["challenge"].add(line.seat)
    return again


def _order(plan: Plan) -> list[str]:
    """What is killed when: every kind, in an order drawn by chance."""
    kinds = [kind for kind, many in EVERY.items() for _ in range(many)]
    chance = random.Random(f"{plan.seed} order")
    drawn = [kinds[number % len(kinds)] for number in range(plan.kills)]
    chance.shuffle(drawn)
    return drawn


def main() -> None:
    plan = Plan(**json.loads(sys.argv[1]))
    folder = Path(plan.folder)
    (folder / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o755)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")  # looked at when the server's package is imported
    began = time.monotonic()
    pid, port = provider.start()
    postgres = Postgres(folder)
    url = ledger_on(postgres.url, folder / "spool")
    place = Place(url=url, port=port, log=str(folder / "log"), spool=plan.spool, takes_over=plan.takes_over)
    killer: Killer | None = None
    try:
        warm(place)
        killer = Killer(plan, place, postgres)
        for number, what in enumerate(_order(plan), 1):
            killer.strike(what)
            if number % 100 == 0:
                sys.stderr.write(f"{number} kills after {time.monotonic() - began:.0f} s\n")
        killer.finish(plan.end)
        asyncio.run(_judge(place, killer.found, killer.acknowledged))
        killer.found.seconds = time.monotonic() - began
        print(json.dumps(asdict(killer.found)))  # noqa: T201  that is what it is for
    finally:
        os.kill(pid, signal.SIGKILL)
        for child in (*killer.workers, *killer.enqueuing) if killer is not None else ():
            with suppress(ProcessLookupError, ChildProcessError):
                child.kill()
        postgres.stop()
        with suppress(OSError):
            shutil.rmtree(folder / "db")


if __name__ == "__main__":
    main()
