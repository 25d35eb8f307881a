"""Watching a deliberation without a screen: plain lines, short notes, or nothing at all; and a verdict alone."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from quorate.chair import State
from quorate.doors.cli.hints import note_reason
from quorate.doors.cli.screen import is_terminal, note, say
from quorate.model import Ask, Convened, Event, Verdict
from quorate.views.card import card_lines, demo_notice, verdict_line
from quorate.views.escape import one_line, visible
from quorate.views.result import Result
from quorate.views.rounds import Round, RoundSpeech, round_heading

if TYPE_CHECKING:
    from quorate.doors.cli.painter import Painter

__all__ = ["PlainWatcher", "StderrWatcher", "Watcher", "said_heading", "show_verdict", "watcher_for"]

Overheard = Callable[[str], None]


class Watcher(Protocol):
    """Shows a deliberation while it is held. `hears` says whether it wants words while they are written."""

    hears: bool

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def begin(self, convened: Convened) -> None: ...

    def catch_up(self, state: State) -> None: ...

    def saw(self, state: State, event: Event | None = None) -> None: ...

    def listen(self, ask: Ask) -> Overheard: ...

    def end(self, result: Result) -> None: ...


class StderrWatcher:
    """Leaves stdout alone: who is convened, and the rounds, on stderr if a person reads that."""

    hears = False

    def __init__(self, *, notes: bool) -> None:
        from quorate.doors.cli.live_state import LiveState

        self.live = LiveState()
        self.notes = notes and is_terminal(sys.stderr)
        self._asked: set[str] = set()
        self._painter: Painter | None = None

    async def __aenter__(self) -> Self:
        from quorate.doors.cli.painter import Painter

        self._painter = Painter()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        painter, self._painter = self._painter, None
        if painter is not None:
            await painter.close(hurry=kind is not None)

    def _write(self, job: Callable[[], None]) -> None:
        """While it is held, by a thread: whoever does not read, as a pager may, holds up nothing."""
        if self._painter is None:
            job()
        else:
            self._painter.do(job)

    def begin(self, convened: Convened) -> None:
        """A demo says first what it is."""
        if notice := demo_notice(convened):
            note(notice)

    def catch_up(self, state: State) -> None:
        """Take in a record as far as it goes: before it is resumed, and once it is whole."""
        if self.notes:
            self.live.see(state)

    def saw(self, state: State, event: Event | None = None) -> None:
        """Note who begins to think."""
        self.live.count(event)
        if not self.notes:
            return
        self.live.see(state)
        for line in self._news():
            self._write(partial(note, line))

    def _news(self) -> Iterator[str]:
        for one in self.live.thinking():
            line = f"{one_line(one.seat)} is thinking: {one.title}"
            line += f", about {one_line(one.about)}" if one.about else ""
            line += ", asked again" if one.again else ""
            if line not in self._asked:
                self._asked.add(line)
                yield line

    def listen(self, ask: Ask) -> Overheard:
        return self.live.listen(ask)

    def end(self, result: Result) -> None:
        """The verdict is somebody else's to print."""


class PlainWatcher(StderrWatcher):
    """The whole deliberation in plain lines on stdout, who is thinking on stderr."""

    def __init__(self) -> None:
        super().__init__(notes=True)
        self.notes = True
        self._announced: set[str] = set()

    def begin(self, convened: Convened) -> None:
        """A demo says first what it is; then the question, and who sits."""
        if notice := demo_notice(convened):
            say(f"{notice}\n")
        say(_indented(convened.question.text, "Question: "))
        for sat in convened.seated:
            say(f"Seat: {one_line(sat.seat)} ({one_line(sat.model)})")

    def saw(self, state: State, event: Event | None = None) -> None:
        """Print what may be shown now."""
        super().saw(state, event)
        self._show()

    def catch_up(self, state: State) -> None:
        """Print what has not been."""
        super().catch_up(state)
        self._show()

    def _show(self) -> None:
        for held in self.live.ready(whole=False):
            self._write(partial(self._round, held))

    def _round(self, held: Round) -> None:
        if held.name not in self._announced:
            self._announced.add(held.name)
            say(f"\n== {round_heading(held.number, held.title)} ==")
        for said in held.said:
            say(f"\n{said_heading(said)}")
            for one in said.lookups:
                say(f"    looked up: {one_line(one)}")
            if said.text or said.detail:
                say(_indented(said.text or said.detail, "    "))

    def end(self, result: Result) -> None:
        """The verdict line and what stands behind it."""
        say(f"\n== Verdict ==\n\n{verdict_line(result)}")
        for line in card_lines(result):
            say(line)


def watcher_for(*, silent: bool, notes: bool, drawn: bool) -> Watcher:
    """Nothing on stdout where the result alone is wanted; a drawn screen only where nobody has to write on it."""
    if silent:
        return StderrWatcher(notes=notes)
    if not drawn or not is_terminal(sys.stdout):
        return PlainWatcher()
    from quorate.doors.cli.live import Live, screen

    return Live(screen())


def said_heading(said: RoundSpeech) -> str:
    """Who speaks, to whom, and where they stand; all in one line."""
    who = f"⚔ {said.seat} challenges {said.about}" if said.about else said.seat
    if said.silence:
        return one_line(f"{who}: silent ({said.silence})")
    position = f"{said.choice}{f' ({said.numbers})' if said.numbers else ''}"
    was = f"{said.before}{f' ({said.earlier})' if said.earlier else ''} → " if said.before else ""
    return one_line(f"{who}: {was}{position}" if said.choice else who)


def _indented(text: str, first: str) -> str:
    """Others' lines never begin where ours do."""
    return first + visible(text).replace("\n", "\n    ")


def show_verdict(result: Result, verdict: Verdict, protocol: str, *, quiet: bool = False) -> None:
    """A verdict without a deliberation: in one line, or as a card."""
    if not quiet and is_terminal(sys.stdout):
        from quorate.doors.cli import drawings as drawing
        from quorate.doors.cli.live import screen

        console = screen()
        console.print(drawing.card(result, verdict, drawing.Palette.of(protocol), console.width))
        return
    say(verdict_line(result))
    if quiet:
        note_reason(result)
        return
    for line in card_lines(result):
        say(line)
