"""How long a user waits for a command that asks nobody."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.table import Row

__all__ = ["startup"]

GOAL: Final = 0.3
_COMMAND: Final = "import sys; from quorate.doors.cli import main; sys.exit(main())"
"""What the script `quorate` does."""
_COMMANDS: Final = (
    ("python, doing nothing", ("pass",), None),
    ("import quorate", ("import quorate",), GOAL),
    ("quorate --help", (_COMMAND, "--help"), GOAL),
    ("quorate list", (_COMMAND, "list"), GOAL),
    ("quorate decide", (_COMMAND, "decide", "-"), GOAL),
)
_BALLOTS: Final = b'[{"seat": "Safety", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "fine"}]'


def startup(folder: Path, runs: int) -> Sequence[Row]:
    """The median time of each command, run in turn; `folder` stands for the user's own."""
    env = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    rounds = [[_took(words, env) for _, words, _ in _COMMANDS] for _ in range(runs + 1)][1:]
    return tuple(
        Row(name=f"start-up: {name}", measured=median(took), unit="s", goal=goal)
        for (name, _, goal), took in zip(_COMMANDS, zip(*rounds, strict=True), strict=True)
    )


def _took(words: Sequence[str], env: dict[str, str]) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", *words], input=_BALLOTS, env=env, capture_output=True, check=True)
    return perf_counter() - began
