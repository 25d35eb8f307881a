"""What endpoints have said they do not take: never sent there again, by any seat, nor for a day by any process."""

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

__all__ = ["Declines"]

Place = tuple[str, str]
"""The address that requests go to, and the model."""

DAY: Final = 86_400.0
"""Seconds that a decline is believed: servers are updated, and then take what they declined."""
LARGEST: Final = 1024 * 1024
MOST: Final = 1000
"""Declines kept at most; the oldest go first."""


class Declines:
    """Declined parts of requests by place, in memory and, if a file is named, in it for other processes.

    The file holds addresses, models and times, and neither keys nor words. One that cannot be read or written costs a
    declined request and nothing else.
    """

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        self._known: dict[Place, frozenset[str]] | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Kept in the XDG cache folder; a relative one is to be ignored, and without a home nothing is kept."""
        given, home = environ.get("XDG_CACHE_HOME", ""), environ.get("HOME", "")
        base = Path(given) if given.startswith("/") else Path(home) / ".cache" if home.startswith("/") else None
        return cls(base / "quorate" / "declines.json" if base else None)

    def at(self, place: Place) -> frozenset[str]:
        """What was declined there."""
        if self._known is None:
            self._known = {}
            for url, model, name, _ in self._read():
                self._known[url, model] = self._known.get((url, model), frozenset()) | {name}
        return self._known.get(place, frozenset())

    def add(self, place: Place, name: str) -> None:
        """Remember what is declined there, and keep it, beside what other processes have kept meanwhile."""
        before = self.at(place)
        if self._known is None or name in before:
            return
        self._known[place] = before | {name}
        if self._file is not None:
            others = [row for row in self._read() if row[:3] != (*place, name)]
            with suppress(OSError):
                self._write([*others, (*place, name, self._clock())][-MOST:])

    def _read(self) -> list[tuple[str, str, str, float]]:
        """The rows of the file that make sense and are less than a day old."""
        try:
            with open(self._file or os.devnull, encoding="utf-8") as file:  # noqa: PTH123 - a plain read
                said: Any = json.loads(file.read(LARGEST))
        except (OSError, ValueError, RecursionError):
            return []
        now, rows = self._clock(), said if isinstance(said, list) else []
        return [row for row in map(_row, rows) if row is not None and 0 <= now - row[3] < DAY]

    def _write(self, rows: list[tuple[str, str, str, float]]) -> None:
        """Under its name only once it is whole: others may be reading."""
        assert self._file is not None  # noqa: S101 - for the type checker
        self._file.parent.mkdir(parents=True, exist_ok=True)
        begun = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with os.fdopen(os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(rows, file)
        begun.replace(self._file)


def _row(said: object) -> tuple[str, str, str, float] | None:
    match said:
        case [str() as url, str() as model, str() as name, (int() | float()) as when]:
            return url, model, name, float(when)
        case _:
            return None
