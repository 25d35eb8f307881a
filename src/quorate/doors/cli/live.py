"""The live view: what has been said scrolls by for good, and below it stands who is thinking and what they write."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live as RichLive
from rich.text import Text

from quorate.chair import State
from quorate.doors.cli import drawings as drawing
from quorate.doors.cli.live_state import LiveState
from quorate.doors.cli.painter import Painter
from quorate.doors.cli.watchers import Overheard
from quorate.model import Ask, Convened, Event, Voice
from quorate.views.card import demo_notice
from quorate.views.escape import one_line, visible
from quorate.views.result import Result
from quorate.views.rounds import Round, RoundSpeech

__all__ = ["Live", "screen"]

WIDE: Final = 100
"""From here on there is a column for each seat."""
COLUMN: Final = 28
"""What a column needs at least, however many seats there are."""
PAUSE: Final = 0.1
MINUTE: Final = 60


def screen() -> Console:
    """Stdout as rich draws on it: nothing in a text is markup, an emoji's name or worth highlighting."""
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=False)


class Live:
    """Draws on a terminal: what is to be drawn is worked out on the loop, in bounded time, and drawn by a thread."""

    hears = True

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = LiveState()
        self.palette = drawing.Palette()
        self._announced: set[str] = set()
        self._frame: RenderableType = Text()
        self._below = RichLive(
            get_renderable=lambda: self._frame,
            console=console,
            auto_refresh=False,
            transient=True,
            vertical_overflow="crop",
        )
        self._painter = Painter()
        self._ticking: asyncio.Task[None] | None = None
        self._begun = time.monotonic()

    async def __aenter__(self) -> Self:
        self._below.start()
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        self._painter.do(partial(self._draw, Text()))
        self._painter.do(self._below.stop)
        await self._painter.close(hurry=kind is not None)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(PAUSE)
            self._refresh()

    def _refresh(self) -> None:
        """Have the screen drawn anew, unless it still is being drawn."""
        if not self._painter.busy:
            self._painter.do(partial(self._draw, self._status()))

    def _draw(self, frame: RenderableType) -> None:
        self._frame = frame
        self._below.refresh()

    @property
    def wide(self) -> bool:
        return self.console.width >= max(WIDE, COLUMN * len(self.live.seats))

    def begin(self, convened: Convened) -> None:
        """A demo says first what it is; then the question, and who sits."""
        self.palette = drawing.Palette.of(convened.protocol)
        if notice := demo_notice(convened):
            self.console.print(Text(notice, style="bold magenta"), Text(), sep="\n")
        self.console.print(drawing.BarredText(Text(visible(convened.question.text), style="bold"), "cyan"))
        seats: dict[str, list[str]] = {}
        for sat in convened.seated:
            seats.setdefault(sat.model, []).append(one_line(sat.seat))
        for model, names in seats.items():
            self.console.print(Text(f"{', '.join(names)}: {one_line(model)}", style=drawing.QUIET))

    def catch_up(self, state: State) -> None:
        """Print what has not been: before it is resumed, and once it is whole."""
        self.live.see(state)
        for held in self.live.ready(whole=self.wide):
            self._round(held, self.live.seats)

    def saw(self, state: State, event: Event | None = None) -> None:
        """Print for good what may be shown now."""
        self.live.count(event)
        self.live.see(state)
        for held in self.live.ready(whole=self.wide):
            self._painter.do(partial(self._show, held, self.live.seats, self._status()))
        self._refresh()

    def listen(self, ask: Ask) -> Overheard:
        return self.live.listen(ask)

    def _show(self, held: Round, seats: Sequence[str], below: RenderableType) -> None:
        """Print for good, above what stands below by now: who has spoken is no longer shown at work."""
        self._draw(below)
        self._round(held, seats)

    def _round(self, held: Round, seats: Sequence[str]) -> None:
        if held.name not in self._announced:
            self._announced.add(held.name)
            self.console.print(drawing.heading(held.number, held.title))
        if self.wide:
            self.console.print(drawing.round_columns(held, seats, self.palette))
            return
        for said in held.said:
            self.console.print(
                *[Text()] * bool(said.text), drawing.draw_speech(said, self.palette, named=True), sep="\n"
            )

    def _status(self) -> RenderableType:
        """Who is thinking, and what was said in a round that is not over; of either no more than a screen holds."""
        if self.wide:
            return self._columns()
        lines = max(1, min(drawing.TAIL, (self.console.height - 4) // max(1, len(self.live.thinking())) - 1))
        working = self.live.thinking()
        return Group(drawing.now(self._so_far()), *(drawing.thinking(one, named=True, lines=lines) for one in working))

    def _so_far(self) -> str:
        """How long it has taken and what it has used."""
        seconds = int(time.monotonic() - self._begun)
        took = f"{seconds // 60} min {seconds % 60} s" if seconds >= MINUTE else f"{seconds} s"
        return f"{took}, {self.live.spent}"

    def _columns(self) -> RenderableType:
        cells: dict[str, list[RenderableType]] = {seat: [] for seat in self.live.seats}
        for said in self.live.waiting():
            cells[said.seat].append(drawing.draw_speech(said, self.palette, named=False, most=self.console.height))
        working = self.live.thinking()
        room = max(3, self.console.height // 2 - 4)
        for one in working:
            several = sum(other.seat == one.seat for other in working)
            cells[one.seat].append(drawing.thinking(one, named=False, lines=max(2, room // several)))
        return (
            Group(drawing.now(self._so_far()), drawing.columns(self.live.seats, cells))
            if any(cells.values())
            else Text()
        )

    def end(self, result: Result) -> None:
        """The votes as they were counted, then the card."""
        decision = result.decision
        if decision is None:
            return
        self._votes(decision.votes)
        self.console.print(Text())
        self.console.print(drawing.card(result, decision.verdict, self.palette, self.console.width))

    def _votes(self, votes: Sequence[Voice]) -> None:
        """A last round that was announced and cost no call is where ballots are locked in."""
        held = self.live.last_round()
        if held is None or held.said or not votes:
            return
        said = tuple(_locked(vote) for vote in votes)
        self._round(Round(name=held.name, title=held.title, number=held.number, said=said), self.live.seats)


def _locked(vote: Voice) -> RoundSpeech:
    why = vote.reason if vote.assumed else ""
    return RoundSpeech(seat=vote.seat, choice=vote.choice, numbers="assumed" if why else "locked in", detail=why)
