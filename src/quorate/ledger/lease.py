"""Who owns a deliberation, and whether that process can still be alive."""

import json
import os
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from quorate.errors import OwnerLost
from quorate.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process, so exactly that no other can be taken for it. What the system does not tell is empty."""

    host: str
    pid: int
    started: str = ""
    boot: str = ""
    space: str = ""
    since: str = ""

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def from_json(cls, text: str) -> "Owner":
        return cls(**json.loads(text))

    @property
    def gone(self) -> bool:
        """Whether the process is certainly dead; not knowing is not gone."""
        here = myself(os.getpid())
        if not self.boot or (self.boot, self.space) != (here.boot, here.space):
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        state, started = _process(self.pid)
        return state in {"Z", "X"} or started not in {"", self.started}


class Lease(NamedTuple):
    """How long an owner that is heard of no more keeps what it holds, on two clocks.

    `ticks` runs from the start of the machine and does not jump, so it decides between processes of one
    boot; `until` is the time of day, for everybody else.
    """

    ttl: float
    until: float
    ticks: float

    @classmethod
    def of(cls, ttl: float) -> "Lease":
        return cls(ttl, time.time() + ttl, ticks() + ttl)

    def holds(self, owner: Owner) -> bool:
        """Whether the owner is to be left alone."""
        if owner.gone:
            return False
        here = myself(os.getpid())
        if here.boot and owner.boot == here.boot:
            return ticks() <= self.ticks
        # A lease that ends later than it can was given on a clock that has been set back since.
        return 0 <= self.until - time.time() <= self.ttl


@cache
def myself(pid: int) -> Owner:
    """This process; asked for by its pid, so that a forked child does not take itself for its parent."""
    return Owner(
        host=os.uname().nodename,
        pid=pid,
        started=_process(pid)[1],
        boot=_text(Path("/proc/sys/kernel/random/boot_id")),
        space=_target(Path("/proc/self/ns/pid")),
    )


def ticks() -> float:
    """Seconds on a clock that all processes of this boot share and nobody can set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def held_error(id_: str, owner: Owner) -> OwnerLost:
    """Say who holds a deliberation and what to do."""
    return OwnerLost(
        f"{id_} is in use by process {owner.pid} on {owner.host!r} since {owner.since}; "
        "wait until it is done, or stop that process, then resume"
    )


def taken_error(id_: str) -> OwnerLost:
    """Say that a deliberation was taken away."""
    return OwnerLost(
        f"{id_} was taken over by another process, so nothing more is written here; "
        "read it there, or resume it once that process is done"
    )


def let_go(id_: str) -> OwnerLost:
    """Say that whoever still writes has let go before."""
    return OwnerLost(f"{id_} was let go, so nothing more is written to it; own it again to go on")


def _process(pid: int) -> tuple[str, str]:
    """A process's state and when it started, empty where the system does not tell."""
    state, *fields = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split() or [""]
    return state, next(iter(fields[18:]), "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""
