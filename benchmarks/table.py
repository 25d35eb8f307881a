"""What was measured, beside its bound and its goal: a table to read, a document to keep, a table in the docs."""

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from os import sched_getaffinity
from pathlib import Path
from typing import Any, Final, Literal

__all__ = ["Row", "State", "document", "failed", "markdown", "table", "write_docs"]

State = Literal["ok", "short", "over", "-"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure. A bound must hold; a goal is only shown. Both are the most allowed, or with `least` the least."""

    name: str
    measured: float
    unit: str
    bound: float | None = None
    goal: float | None = None
    least: bool = False

    @property
    def state(self) -> State:
        """`over` if the bound is broken, `short` if only the goal is missed, `-` if there is neither."""
        if self._beyond(self.bound):
            return "over"
        if self._beyond(self.goal):
            return "short"
        return "-" if self.bound is None and self.goal is None else "ok"

    def _beyond(self, limit: float | None) -> bool:
        if limit is None:
            return False
        return self.measured < limit if self.least else self.measured > limit

    def cells(self) -> tuple[str, ...]:
        """The row as it is shown."""
        return (
            self.name,
            f"{self.measured:.3f} {self.unit}".rstrip(),
            self._limit(self.bound),
            self._limit(self.goal),
            self.state,
        )

    def _limit(self, limit: float | None) -> str:
        return "" if limit is None else f"{'≥' if self.least else '≤'} {limit:g} {self.unit}"


def failed(rows: Iterable[Row]) -> bool:
    """Whether a bound is broken; a missed goal fails nothing."""
    return any(row.state == "over" for row in rows)


def table(rows: Sequence[Row]) -> str:
    """Columns as wide as they need to be."""
    lines = [("", "measured", "bound", "goal", ""), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    shown = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in shown)


def document(rows: Sequence[Row], *, runs: int) -> str:
    """The same as JSON, with the machine it was measured on."""
    written = {
        "schema": 1,
        "machine": {
            "system": platform.platform(terse=True),
            "cores": len(sched_getaffinity(0)),
            "python": platform.python_version(),
            "aiohttp": version("aiohttp"),
            "apsw": version("apsw"),
        },
        "runs": runs,
        "failed": failed(rows),
        "rows": [{**asdict(row), "state": row.state} for row in rows],
    }
    return json.dumps(written, indent=2, ensure_ascii=False) + "\n"


BEGIN: Final = "<!-- figures{}: python -m benchmarks --write-docs -->"
END: Final = "<!-- end of figures{} -->"


def markdown(kept: dict[str, Any]) -> str:
    """The table of a kept document, and what it was measured on."""
    rows = (Row(**{name: value for name, value in row.items() if name != "state"}).cells() for row in kept["rows"])
    lines = (
        "| figure | measured | bound | goal | |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    )
    machine = kept["machine"]
    where = (
        f"{machine['cores']} cores, Python {machine['python']}, aiohttp {machine['aiohttp']}, apsw {machine['apsw']}"
    )
    return "\n".join((*lines, "", f"Measured on {where}, medians of {kept['runs']} runs."))


def write_docs(kept: Path, page: Path, of: str = "") -> int:
    """Put the kept table between its marks on a page; `of` tells several tables apart."""
    text = page.read_text(encoding="utf-8")
    begin, end = BEGIN.format(of), END.format(of)
    before, _, rest = text.partition(begin)
    old, mark, after = rest.partition(end)
    if not mark:
        print(f"{page} has no lines {begin} and {end} to put a table between")
        return 1
    new = markdown(json.loads(kept.read_text(encoding="utf-8")))
    page.write_text(f"{before}{begin}\n\n{new}\n\n{end}{after}", encoding="utf-8")
    print(f"{page} {'is as it was' if old.strip() == new.strip() else 'holds the new table'}")
    return 0
