"""How far a batch is: a bar on a terminal, a line now and then elsewhere; and what came of it at the end."""

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Final, Self

from quorate.doors.cli.screen import is_terminal, note

if TYPE_CHECKING:
    from quorate.service.batches import BatchCounts

__all__ = ["BatchProgress", "progress_line", "summary_document", "summary_line"]

OFTEN: Final = 0.2
"""Seconds between two drawings of the bar."""
SELDOM: Final = 10.0
"""Seconds between two lines where no terminal is."""
LOOKED_BACK: Final = 60.0
"""Seconds over which the rate is measured."""
BAR: Final = 24
MINUTE: Final = 60
HOUR: Final = 3600


class BatchProgress:
    """`with BatchProgress() as progress`: told of every result, shows some of it on stderr."""

    def __init__(self, *, shown: bool = True, counts: "BatchCounts | None" = None) -> None:
        from quorate.service.batches import BatchCounts

        self.counts = counts or BatchCounts()
        self._shown = shown
        self._drawn = is_terminal(sys.stderr)
        self._last = 0.0
        self._marks: deque[tuple[float, int]] = deque()

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._drawn and self._marks:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def say(self, sentence: str) -> None:
        """Something that is said once."""
        if self._shown:
            note(f"quorate: {sentence}")

    def show(self, counts: "BatchCounts") -> None:
        """One more result is written."""
        now = time.monotonic()
        if not self._marks:
            self._marks.append((self._last, counts.written - 1))
        if not self._shown or now - self._last < (OFTEN if self._drawn else SELDOM):
            return
        self._last = now
        self._marks.append((now, counts.written))
        while len(self._marks) > 2 and now - self._marks[0][0] > LOOKED_BACK:  # noqa: PLR2004 - two make a rate
            self._marks.popleft()
        line = progress_line(counts, self._rate())
        if self._drawn:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        else:
            note(f"quorate: {line}")

    def _rate(self) -> float:
        (before, few), (after, many) = self._marks[0], self._marks[-1]
        return (many - few) / (after - before) if after > before else 0.0


def progress_line(counts: "BatchCounts", rate: float) -> str:
    """How far it is, how fast, what it cost and how long it will take."""
    parts = [_rate_words(rate), _cost(counts)]
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if counts.total is None:
        return ", ".join((f"{counts.written:,} questions", *parts))
    left = counts.total - counts.written
    share = counts.written / counts.total if counts.total else 1.0
    bar = "#" * int(share * BAR)
    parts.append(f"{_duration(left / rate)} left" if rate else "time left unknown")
    return ", ".join((f"[{bar:<{BAR}}] {counts.written:,} of {counts.total:,} questions", *parts))


def _rate_words(rate: float) -> str:
    return f"{rate:.1f} a second" if rate >= 1 or not rate else f"{rate * MINUTE:.1f} a minute"


def _cost(counts: "BatchCounts") -> str:
    if counts.money and not counts.unpriced:
        return f"${counts.money:.2f} so far"
    known = f"at least ${counts.money:.2f} and " if counts.money else ""
    return f"{known}{counts.tokens:,} tokens so far"


def _duration(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{int(seconds // HOUR)} h {int(seconds % HOUR // MINUTE)} min"


def summary_document(counts: "BatchCounts", stopped: str) -> dict[str, object]:
    """What came of a batch, for --json."""
    states = counts.states
    return {
        "schema": 1,
        "stopped": stopped or None,
        "questions": counts.total,
        "results": counts.written,
        "earlier": counts.earlier,
        "duplicates": counts.duplicates,
        "decided": states["decided"],
        "undecided": states["undecided"],
        "turned_away": states["turned_away"],
        "requires_human_review": states["review"],
        "failed": counts.failed,
        "errors": dict(sorted(counts.errors.items())),
        "cost": {
            "calls": counts.spent.calls,
            "tokens": counts.tokens,
            "money": round(counts.money, 6) if not counts.unpriced else None,
        },
    }


def summary_line(counts: "BatchCounts") -> str:
    """The same in a sentence."""
    states = counts.states
    parts = [f"{states['decided']:,} decided", f"{states['undecided']:,} undecided"]
    if states["turned_away"]:
        parts.append(f"{states['turned_away']:,} turned away")
    if counts.failed:
        why = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.errors.items()))
        parts.append(f"{counts.failed:,} failed ({why})")
    if counts.duplicates:
        parts.append(f"{counts.duplicates:,} the same as an earlier line")
    if counts.earlier:
        parts.append(f"{counts.earlier:,} written before")
    return f"quorate: {counts.written:,} results: {', '.join(parts)}; {_cost(counts).removesuffix(' so far')}"
