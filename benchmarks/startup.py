"""How long a user waits for a command that asks nobody, from code that is compiled, as an installed one is."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.table import Row

__all__ = ["startup"]

_COMMAND: Final = "import sys; from quorate.doors.cli import main; sys.exit(main())"
"""What the script `quorate` does."""
_COMMANDS: Final = (
    ("python, doing nothing", ("pass",), None),
    ("import quorate", ("import quorate",), None),
    ("quorate --help", (_COMMAND, "--help"), 0.15),
    ("quorate list", (_COMMAND, "list"), 0.25),
    ("quorate show", (_COMMAND, "show", "last"), 0.25),
    ("quorate decide", (_COMMAND, "decide", "-"), 0.25),
)
_BALLOTS: Final = b'[{"seat": "Safety", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "fine"}]'


def startup(folder: Path, runs: int) -> Sequence[Row]:
    """The median time of each command, run in turn; the ledger of a home in `folder` holds one deliberation."""
    home = folder / "home"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("QUORATE_", "XDG_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    env = {**kept, "HOME": str(home), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    _took((_COMMAND, "ask", "Ship it?", "--panel", "demo", "--quiet"), env)
    rounds = [[_took(words, env) for _, words, _ in _COMMANDS] for _ in range(runs + 1)][1:]
    return tuple(
        Row(name=f"start-up: {name}", measured=median(took), unit="s", goal=goal)
        for (name, _, goal), took in zip(_COMMANDS, zip(*rounds, strict=True), strict=True)
    )


def _took(words: Sequence[str], env: Mapping[str, str]) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", *words], input=_BALLOTS, env=env, capture_output=True, check=True)
    return perf_counter() - began
