"""Many deliberations at once in a process that may open few files.

`python -m tests.doors.crowd '{"many": 300, "files": 128, "ledger": "/tmp/x/ledger.db", "url": "http://…/v1"}'`
prints what came of each as JSON: its state, with how many silences, or the error.
"""

import asyncio
import json
import os
import resource
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from quorate import deliberate
from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Event, Question, Silent
from quorate.settings.convene import convene
from quorate.settings.resolve import resolve
from quorate.views.document import state_of

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How many, with how many files to open; by calls of the Python door, or in one runner."""

    many: int
    files: int
    ledger: str
    url: str
    by: str = "calls"

    @property
    def model(self) -> str:
        return f"openai:mock@{self.url}"


def gathered(*crowds: Crowd) -> list[Mapping[str, int]]:
    """What came of crowds in processes of their own, all at once."""
    processes = [
        Popen([sys.executable, "-m", __name__, json.dumps(asdict(crowd))], stdout=PIPE, text=True, cwd=ROOT)
        for crowd in crowds
    ]
    return [json.loads(process.communicate()[0].splitlines()[-1]) for process in processes]


async def came(crowd: Crowd) -> Counter[str]:
    """Hold them all at once."""
    async with AsyncExitStack() as open_:
        hold = await _in_one_runner(crowd, open_) if crowd.by == "runner" else _by_calls(crowd)
        done = await asyncio.gather(*(hold(f"Ship number {one}?") for one in range(crowd.many)), return_exceptions=True)
    return Counter(f"{type(one).__name__}: {one}" if isinstance(one, BaseException) else one for one in done)


def _by_calls(crowd: Crowd) -> Callable[[str], Awaitable[str]]:
    async def hold(question: str) -> str:
        return _said((await deliberate(question, model=crowd.model, panel="tribunal", ledger=crowd.ledger)).events)

    return hold


async def _in_one_runner(crowd: Crowd, open_: AsyncExitStack) -> Callable[[str], Awaitable[str]]:
    found = resolve({"model": crowd.model, "panel": "tribunal"}, {}, Path(crowd.ledger).parent)
    ledger = open_ledger(crowd.ledger)
    open_.push_async_callback(ledger.close)
    runner = await open_.enter_async_context(Runner(ledger))

    async def hold(question: str) -> str:
        return _said((await runner.hold(convene(Question(text=question), found.charter))).events)

    return hold


def _said(events: Sequence[Event]) -> str:
    silent = sum(isinstance(event, Silent) for event in events)
    return state_of(events) + (f", {silent} silent" if silent else "")


def main(crowd: Crowd) -> None:
    """Hold them under the limit."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (crowd.files, crowd.files))
    os.environ["HOME"] = str(Path(crowd.ledger).parent)
    print(json.dumps(asyncio.run(came(crowd))))  # noqa: T201  it is read by whoever started this


if __name__ == "__main__":
    main(Crowd(**json.loads(sys.argv[1])))
