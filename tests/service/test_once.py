"""What a request takes on its way: few frames from the command to the loop, and its settings resolved once."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import pytest

from quorate.engine import loop
from quorate.settings import resolve
from tests.doors.conftest import Quorate, home, quorate
from tests.service.interfaces import INTERFACES, Case

__all__ = ["home", "quorate"]

FRAMES = 8
"""From `run` to the loop; `main`, which the tests don't go through, is one more."""


@contextmanager
def calls_of(code: CodeType, see: Callable[[FrameType], None]) -> Iterator[None]:
    """Look at every call of a function while this lasts."""

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            see(frame)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def own_frames(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        if "/src/quorate/" in frame.f_code.co_filename:
            yield f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
        frame = frame.f_back


def test_a_command_walks_through_few_functions_to_the_loop(quorate: Quorate) -> None:
    walks: list[list[str]] = []
    with calls_of(loop.hold.__code__, lambda frame: walks.append([*own_frames(frame)])):
        quorate("ask", "Ship it?", "--panel", "demo")

    assert walks
    assert max(map(len, walks)) <= FRAMES, walks[0]


@pytest.mark.parametrize("interface", INTERFACES)
def test_settings_are_resolved_once_for_a_request(interface: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (home / "questions.jsonl").write_text("")
    monkeypatch.chdir(home)
    times: list[FrameType] = []
    with calls_of(resolve.settle.__code__, times.append):
        INTERFACES[interface](Case(name="one", fields={"models": ["openai:m"], "budget": "99 calls"}), home)

    assert len(times) == 1
