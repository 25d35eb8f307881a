"""What a graph costs beside the engine: `python -m benchmarks.graph_program URL FOLDER RUNS` prints JSON.

It runs by itself, because what measures stands below the doors and may not know them.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Final

from benchmarks.bare_graph import bare_graph
from quorate.doors.langgraph import deliberation_graph
from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Question
from quorate.settings.convene import convene
from quorate.settings.resolve import resolve

__all__ = ["measured"]

QUESTION: Final = "Should we delete the staging database?"
CALLS: Final = 12


async def measured(url: str, folder: Path, runs: int) -> dict[str, float]:
    """A tribunal by the engine and by the graph, in turn: milliseconds on the clock, and of CPU per model call.

    The bare graph calls no model; its CPU is what LangGraph takes for the nodes and steps of so many calls.
    """
    async with AsyncExitStack() as open_:
        found = resolve({"model": f"openai:mock@{url}"}, {}, folder)
        ledger = open_ledger(folder / "engine.db")
        open_.push_async_callback(ledger.close)
        runner = await open_.enter_async_context(Runner(ledger))
        graph = deliberation_graph(model=f"openai:mock@{url}", ledger=folder / "graph.db")
        sides: dict[str, Callable[[], Awaitable[object]]] = {
            "engine": lambda: runner.hold(convene(Question(text=QUESTION), found.charter)),
            "graph": lambda: graph.ainvoke({"question": QUESTION}),
            "bare": bare_graph(),
        }
        spent = {name: [await _spent(run) for _ in range(2)][1:] for name, run in sides.items()}
        for _ in range(runs - 1):
            for name, run in sides.items():
                spent[name].append(await _spent(run))
    return {
        f"{name} {what}": median(one[place] for one in taken)
        for name, taken in spent.items()
        for place, what in enumerate(("wall", "cpu"))
    }


async def _spent(run: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    busy, began = process_time(), perf_counter()
    await run()
    return (perf_counter() - began) * 1000, (process_time() - busy) * 1000 / CALLS


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))))
