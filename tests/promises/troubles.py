"""Deliberations on disks that fail and under budgets that crashes must not widen.

`python -m tests.promises.troubles disk /tmp/x 1` tells what came of each trouble, a line of JSON each.
Like the kills it runs as a process of its own, because it forks.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from quorate.model import Limits
from tests.promises import provider
from tests.promises.calls import dying, failing
from tests.promises.lives import Bounds, Death, Life, Remains, Run, begin_again, live, new_run, remains, warm

NOBODY: Final = 65534
OPEN: Final = "a folder that anybody may write"


@dataclass(slots=True, kw_only=True)
class Trouble:
    """What came of one: what was told, whether it was durable, and how it went on once the trouble was over."""

    name: str
    how: str
    error: str
    sentence: str
    verdict: bool
    decided: bool
    undurable: int
    requests: int
    resumed: str = ""
    same: bool = False
    rebought: int = 0


@dataclass(slots=True, kw_only=True)
class Spending:
    """What one history of crashes has cost: requests on the provider's bill, and what was in flight at each crash."""

    manner: str
    cap: int
    kills: int
    requests: int
    in_flight: int
    error: str
    finished: bool


def disk(folder: Path, seed: int) -> list[Trouble]:
    """Every trouble with a disk that begins while a deliberation is held."""
    return [Trouble(**line) for line in _elsewhere("disk", folder, seed)]


def places(folder: Path, seed: int) -> list[Trouble]:
    """Every place where no ledger can be kept."""
    return [Trouble(**line) for line in _elsewhere("places", folder, seed)]


def budget(folder: Path, seed: int, manner: str) -> list[Spending]:
    """Histories of crashes under a cap of calls."""
    return [Spending(**line) for line in _elsewhere(f"budget {manner}", folder, seed)]


def _elsewhere(scene: str, folder: Path, seed: int) -> list[dict[str, Any]]:
    ordered = [sys.executable, "-m", __name__, scene, str(folder), str(seed)]
    done = subprocess.run(ordered, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _disk(root: Path, port: int, _chance: random.Random) -> Iterator[Trouble]:
    undisturbed = live(new_run("undisturbed", root, port), 0)
    for number, (name, death) in enumerate(_disk_troubles()):
        run = new_run(f"t{number}", root, port)
        life = live(run, 0, death=death)
        left = remains(run)
        trouble = _met(name, run, life, left)
        again = begin_again(run, 1, life.id)
        bought = {one.ask for one in provider.billed(port, run.name) if one.life == 1}
        trouble.resumed = again.error or again.how
        trouble.same = again.verdict == undisturbed.verdict and again.recorded == undisturbed.verdict
        trouble.rebought = len(left.answered & bought)
        yield trouble


def _disk_troubles() -> Iterator[tuple[str, Death]]:
    for limit in (0, 100, 4096, 8192, *range(12_000, 250_000, 24_000)):
        yield f"full at {limit} bytes", Death(before=partial(_no_larger_than, limit))
    for at in range(1, 15):
        yield f"EIO at sync {at}", Death(strike=failing("sqlite sync", at))
        yield f"EIO at sync {at} only", Death(strike=failing("sqlite sync", at, once=True))
    for at in (1, 3, 6, 14, 25, 40, 60, 90):
        yield f"ENOSPC at SQLite's write {at}", Death(strike=failing("sqlite write", at))
        yield f"ENOSPC at SQLite's write {at} only", Death(strike=failing("sqlite write", at, once=True))
    for at in (1, 2):
        yield f"ENOSPC at the spool's growth {at}", Death(strike=failing("spool grow", at))


def _no_larger_than(limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def _met(name: str, run: Run, life: Life, left: Remains) -> Trouble:
    return Trouble(
        name=name,
        how=life.how,
        error=life.error,
        sentence=life.sentence,
        verdict=life.verdict is not None,
        decided=left.decided,
        undurable=sum(hash_ not in left.hashes for _, hash_ in life.acked),
        requests=len(provider.billed(run.port, run.name)),
    )


def _places(root: Path, port: int, _chance: random.Random) -> Iterator[Trouble]:
    obstacles: dict[str, Callable[[Run], Death]] = {
        OPEN: _open,
        "a folder that may not be written": _read_only,
        "a file that may not be written": _read_only_file,
        "a folder where the file should be": lambda run: _made(Path(run.ledger).mkdir),
        "a file where the spool should be": lambda run: _made(Path(f"{run.ledger}.spool").touch),
        "a link where the spool should be": lambda run: _made(partial(Path(f"{run.ledger}.spool").symlink_to, root)),
        "a file that is no ledger": lambda run: _made(partial(Path(run.ledger).write_bytes, b"My diary. " * 500)),
    }
    for number, (name, obstruct) in enumerate(obstacles.items()):
        run = new_run(f"o{number}", root, port)
        life = live(run, 0, death=obstruct(run))
        yield _met(name, run, life, Remains(hashes=frozenset(), events=[]))


def _made(make: Callable[[], object]) -> Death:
    make()
    return Death(before=lambda: None)


def _open(run: Run) -> Death:
    """Control: the same process in a folder it may write to."""
    run.folder.chmod(0o777)
    return Death(before=_become_nobody)


def _read_only(run: Run) -> Death:
    run.folder.chmod(0o555)
    return Death(before=_become_nobody)


def _read_only_file(run: Run) -> Death:
    Path(run.ledger).touch(0o444)
    return Death(before=_become_nobody)


def _become_nobody() -> None:
    """Root may write anywhere, so that a test as root would test nothing."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def _budget(root: Path, port: int, chance: random.Random, manner: str) -> Iterator[Spending]:
    histories, least = (10, 10) if manner in provider.BUSY else (30, 3)
    for number in range(histories):
        cap = chance.randint(least, 26)
        run = new_run(f"b{number}", root, port, bounds=Bounds(limits=Limits(calls=cap), manner=manner))
        lives, in_flight = [live(run, 0, death=_some_death(chance, manner))], 0
        while lives[-1].how == "killed" and len(lives) < 6:
            in_flight += len(remains(run).under_way)
            known = next((life.id for life in lives if life.id), "")
            lives.append(begin_again(run, len(lives), known, _some_death(chance, manner)))
        if lives[-1].how == "killed":
            in_flight += len(remains(run).under_way)
        last = begin_again(run, len(lives), next((life.id for life in lives if life.id), ""))
        yield Spending(
            manner=manner,
            cap=cap,
            kills=sum(life.how == "killed" for life in lives),
            requests=len(provider.billed(port, run.name)),
            in_flight=in_flight,
            error=last.error,
            finished=last.recorded is not None,
        )


def _some_death(chance: random.Random, manner: str) -> Death:
    """Anywhere in a run; where every ask is tried twice with a pause, that takes longer."""
    if manner not in provider.BUSY:
        return Death(strike=dying(chance.randint(40, 280)))
    return Death(seconds=chance.uniform(0.1, 1.0))


SCENES: Final[dict[str, Callable[[Path, int, random.Random], Iterator[Trouble | Spending]]]] = {
    "disk": _disk,
    "places": _places,
    **{f"budget {manner}": partial(_budget, manner=manner) for manner in ("plain", "choosy", "crowded", "gateway")},
}


def main(scene: str, folder: str, seed: str) -> None:
    root = Path(folder)
    serving, port = provider.start()
    try:
        warm(new_run("warm", root, port))
        for found in SCENES[scene](root, port, random.Random(int(seed))):
            sys.stdout.write(json.dumps(asdict(found)) + "\n")
    finally:
        os.kill(serving, signal.SIGTERM)
        os.waitpid(serving, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
