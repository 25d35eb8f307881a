"""Other libraries beside quorate: `python -m benchmarks.peers` holds one tribunal of twelve calls with each, in turn.

Each has an environment of its own, made by uv from the pinned file of its name and kept in a folder. One whose packages
cannot be fetched is left out, and that is said.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, TimeoutExpired, run
from tempfile import TemporaryDirectory
from typing import IO, Final, Self

from benchmarks.disk import load
from benchmarks.server import serving
from benchmarks.speed import TRIBUNAL, Spent, both, spent
from benchmarks.table import Row, document, table

__all__ = ["main"]

HERE: Final = Path(__file__).parent
NAMES: Final = ("openai", "langgraph", "autogen")
PATIENCE: Final = 600


def main(given: Sequence[str] | None = None) -> int:
    """Measure those that can be had."""
    asked = _arguments(given)
    pythons = {name: python for name in NAMES if (python := _environment(name, asked.environments)) is not None}
    with TemporaryDirectory(prefix=".bench-", dir=asked.disk) as folder, serving() as url:
        rows = asyncio.run(_measured(pythons, url, Path(folder).absolute(), asked.runs))
    print(table(rows))
    asked.json.write_text(document(rows, runs=asked.runs), encoding="utf-8")
    print(f"\nWritten to {asked.json}.")
    return 0


def _environment(name: str, folder: Path) -> Path | None:
    """The interpreter of a peer's environment, made if need be; none if its packages cannot be fetched."""
    place = folder / name
    python, wanted = place / "bin" / "python", HERE / f"{name}.txt"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    for words in (
        ["venv", "--allow-existing", "--python", sys.executable, str(place)],
        ["pip", "install", "--python", str(python), "--requirement", str(wanted)],
    ):
        try:
            made = run([*uv, *words], capture_output=True, text=True, check=False, timeout=PATIENCE)
        except TimeoutExpired:
            print(f"{name} is left out: its packages did not come within {PATIENCE} s.")
            return None
        if made.returncode:
            why = made.stderr.strip().splitlines() or ["uv does not say why"]
            print(f"{name} is left out: its packages cannot be fetched ({why[0].strip()}).")
            return None
    return python


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that holds a tribunal for every line it is given."""

    orders: IO[str]
    answers: IO[str]

    @classmethod
    def begin(cls, name: str, words: Sequence[str], open_: ExitStack) -> Self:
        process = open_.enter_context(Popen([*words], stdin=PIPE, stdout=PIPE, text=True))
        if process.stdin is None or process.stdout is None:
            raise AssertionError(f"both of {name} were asked for")
        open_.callback(process.stdin.close)
        return cls(process.stdin, process.stdout)

    def hold(self) -> Spent:
        self.orders.write("\n")
        self.orders.flush()
        return Spent(**json.loads(self.answers.readline()))


async def _measured(pythons: Mapping[str, Path], url: str, folder: Path, runs: int) -> Sequence[Row]:
    async with both(TRIBUNAL, url, folder) as (sides, bodies):
        prompts = folder / "prompts.json"
        asks = [(*place, body["messages"][0]["content"]) for place, body in bodies.items()]  # type: ignore[index]
        prompts.write_text(json.dumps(asks), encoding="utf-8")
        with ExitStack() as open_:
            program = str(HERE / "tribunals.py")
            peers = {
                name: Peer.begin(name, [str(python), program, name, url, str(prompts)], open_)
                for name, python in pythons.items()
            }
            took: dict[str, list[Spent]] = {name: [] for name in ("bare", "quorate", *peers)}
            for _ in range(runs + 2):
                took["bare"].append(await spent(sides.bare))
                took["quorate"].append(await spent(sides.ours))
                for name, peer in peers.items():
                    took[name].append(await asyncio.to_thread(peer.hold))
    return (load(), *_rows({name: one[2:] for name, one in took.items()}))


def _rows(took: Mapping[str, Sequence[Spent]]) -> Sequence[Row]:
    wall = {name: median(one.wall for one in spent_) * 1000 for name, spent_ in took.items()}
    cpu = {name: median(one.cpu for one in spent_) * 1000 / TRIBUNAL.calls for name, spent_ in took.items()}
    peers = [name for name in took if name not in {"bare", "quorate"}]
    return (
        *(Row(name=f"one tribunal: wall time, {name}", measured=wall[name], unit="ms") for name in took),
        *(Row(name=f"one tribunal: CPU per model call, {name}", measured=cpu[name], unit="ms") for name in took),
        *(Row(name=f"wall time, {name} / quorate", measured=wall[name] / wall["quorate"], unit="×") for name in peers),
        *(Row(name=f"CPU per call, {name} / quorate", measured=cpu[name] / cpu["quorate"], unit="×") for name in peers),
    )


def _arguments(given: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.peers", description="Measure other libraries beside quorate.")
    parser.add_argument("--json", type=Path, default=Path("bench-peers.json"), metavar="FILE", help="where to keep it")
    parser.add_argument("--disk", type=Path, default=Path(), metavar="FOLDER", help="whose disk the ledger lies on")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="how often to measure each")
    parser.add_argument(
        "--environments", type=Path, default=Path(".venv/peers"), metavar="FOLDER", help="where peers are installed"
    )
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
