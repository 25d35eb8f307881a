"""What the machine is like while it is measured: how busy, and how slow the disk under the ledger."""

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.table import Row

__all__ = ["disk", "kind_of", "load"]


def load() -> Row:
    """How many want each core, ourselves included; much above 1 no time here means anything."""
    return Row(name="load per core", measured=os.getloadavg()[0] / len(os.sched_getaffinity(0)), unit="")


def disk(folder: Path, runs: int) -> Sequence[Row]:
    """How long it takes until a page is durable there."""
    path = folder / "page"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        took = median(_synced(file) for _ in range(runs))
    finally:
        os.close(file)
        path.unlink()
    return (Row(name=f"fdatasync of a page on {kind_of(folder)}", measured=took * 1000, unit="ms"),)


def _synced(file: int) -> float:
    os.write(file, os.urandom(4096))
    began = perf_counter()
    os.fdatasync(file)
    return perf_counter() - began


def kind_of(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The file system under a folder, as the system names it; tmpfs would be no disk at all."""
    try:
        lines = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return "an unknown file system"
    around = {folder.absolute(), *folder.absolute().parents}
    over = [(len(where), kind) for _, where, kind, *_ in lines if Path(where) in around]
    return max(over, default=(0, "an unknown file system"))[1]
