"""What LangGraph costs beside the engine, where it is installed; the graph runs as a program of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from benchmarks.table import Row

__all__ = ["graphs"]

_PROGRAM: Final = "benchmarks.graph_program"


def graphs(url: str, folder: Path, runs: int) -> Sequence[Row]:
    """A tribunal as a graph, beside the same by the engine and LangGraph alone. It has no bound: not all is ours."""
    if find_spec("langgraph") is None:
        print("LangGraph is not installed, so its graphs are not measured.")
        return ()
    words = [sys.executable, "-m", _PROGRAM, url, str(folder), str(runs)]
    spent: dict[str, float] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return (
        Row(name="one tribunal as a graph: wall time, the engine's", measured=spent["engine wall"], unit="ms"),
        Row(name="one tribunal as a graph: wall time", measured=spent["graph wall"], unit="ms"),
        Row(name="one tribunal as a graph: CPU per model call, the engine's", measured=spent["engine cpu"], unit="ms"),
        Row(name="one tribunal as a graph: CPU per model call, LangGraph's", measured=spent["bare cpu"], unit="ms"),
        Row(name="one tribunal as a graph: CPU per model call", measured=spent["graph cpu"], unit="ms"),
        Row(
            name="one tribunal as a graph: CPU per model call, graph / engine",
            measured=spent["graph cpu"] / spent["engine cpu"],
            unit="×",
            goal=3,
        ),
    )
