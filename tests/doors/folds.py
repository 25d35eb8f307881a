"""Counts, from outside, how often a process folds an event and how often it runs a protocol, and for whom."""

import inspect
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType

from quorate import catalogue
from quorate.chair import State

DRAWING = ("/doors/cli/live", "/doors/cli/watchers", "/doors/cli/drawings", "/views/")


@dataclass
class Folds:
    """What was counted: records opened, events folded, protocol runs, and runs or folds for the sake of a picture."""

    calls: Counter[str] = field(default_factory=Counter[str])
    codes: dict[CodeType, str] = field(default_factory=dict[CodeType, str])

    @classmethod
    def of(cls, protocol: str) -> "Folds":
        opened = vars(State)["open"].__func__.__code__
        run = inspect.unwrap(catalogue.protocol(protocol).protocol).__code__
        return cls(codes={opened: "open", State.after.__code__: "after", run: "protocol"})

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """A generator is called again whenever it goes on; it begins only at its first line."""
        name = self.codes.get(frame.f_code) if event == "call" else None
        if name and frame.f_lineno == frame.f_code.co_firstlineno:
            self.calls[name] += 1
            self.calls["drawing"] += _is_drawing(frame)


def _is_drawing(frame: FrameType | None) -> bool:
    while frame is not None:
        if any(place in frame.f_code.co_filename for place in DRAWING):
            return True
        frame = frame.f_back
    return False


@contextmanager
def counted(protocol: str = "tribunal") -> Iterator[Counter[str]]:
    """Count in this thread and in those begun meanwhile."""
    folds = Folds.of(protocol)
    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(folds)
    threading.setprofile(folds)
    try:
        yield folds.calls
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])
