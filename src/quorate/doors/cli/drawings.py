"""Rich drawings of rounds, of who is thinking and of the verdict. Others' text goes in as Text, never as markup."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich import box
from rich.align import Align
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from quorate import catalogue
from quorate.doors.cli.live_state import PendingSeat
from quorate.frozen import dataclass
from quorate.model import Verdict
from quorate.views.card import held_back, outcome, rows
from quorate.views.escape import one_line, visible
from quorate.views.result import Result
from quorate.views.rounds import Round, RoundSpeech, round_heading

__all__ = ["Palette", "card", "columns", "draw_speech", "heading", "thinking"]

CHALLENGE: Final = "red"
POSITION: Final = "green"
QUIET: Final = "bright_black"
NARROW: Final = 60
WIDEST: Final = 100
TAIL: Final = 3


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by caution: the first outcome of a protocol is green, the last red, what lies between yellow."""

    outcomes: tuple[str, ...] = ()

    @classmethod
    def of(cls, protocol: str) -> "Palette":
        return cls(catalogue.protocol(protocol).outcomes)

    def __getitem__(self, choice: str | None) -> str:
        if choice == "VETO":
            return "red"
        if choice not in self.outcomes:
            return "cyan" if choice else "magenta"
        ends = {self.outcomes[0]: "green", self.outcomes[-1]: "red"}
        return ends.get(choice, "yellow")


@dataclass(frozen=True, slots=True)
class BarredText:
    """Words with a coloured bar at their left, so that nothing in them can pass for a line of ours."""

    words: Text
    colour: str
    most: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Wrap the words beside the bar; of what is too long, the end."""
        inner = options.update(width=max(8, options.max_width - 2), height=None)
        lines = console.render_lines(self.words, inner, pad=False)
        for line in lines[-self.most :] if self.most else lines:
            yield Segment("▌ ", Style(color=self.colour))
            yield from line
            yield Segment.line()


def heading(number: int, title: str) -> RenderableType:
    """A round is announced."""
    return Group(Text(), Rule(Text(round_heading(number, title, " · "), style="bold"), style="cyan", align="left"))


def now(so_far: str) -> RenderableType:
    """Below this everything is still moving; the line says how long it has taken and what it has used."""
    return Group(Text(), Rule(Text(so_far, style=QUIET), style=QUIET, characters="┄", align="right"))


def draw_speech(said: RoundSpeech, palette: Palette, *, named: bool, most: int = 0) -> RenderableType:
    """One speech or silence, or what `most` lines of a screen hold of it; `named` where no column says whose it is."""
    head = _speech_head(said, palette, named=named)
    colour = "magenta" if said.silence else CHALLENGE if said.about else POSITION
    words = Text(visible(_beginning(said.text or said.detail, most)))
    looked = [Text(f"looked up: {one_line(one)}", style=QUIET) for one in said.lookups[: most or None]]
    return Group(head, *looked, *([BarredText(words, colour)] if words else [])) if words or looked else head


def _speech_head(said: RoundSpeech, palette: Palette, *, named: bool) -> Text:
    """Who speaks, to whom, and what for."""
    head = Text()
    if said.about:
        who = f"{one_line(said.seat)} challenges" if named else "challenges"
        head.append(f"⚔ {who} {one_line(said.about)}", f"bold {CHALLENGE}")
    elif named:
        head.append(one_line(said.seat), "bold")
    if said.silence:
        head.append(f"{' ' if head else ''}silent: {one_line(said.silence)}", "magenta")
    elif said.choice:
        _position(head, said, palette)
    return head


def _beginning(text: str, most: int) -> str:
    return "\n".join(text[: most * WIDEST].split("\n", most)[:most]) if most else text


def _position(head: Text, said: RoundSpeech, palette: Palette) -> None:
    head.append("  " if head else "")
    if said.before == said.choice:
        head.append("stays ")
    elif said.before:
        head.append(one_line(said.before), palette[said.before])
        head.append(" → ")
    head.append(one_line(said.choice), f"bold {palette[said.choice]}")
    head.append(f"  {_tied(said.numbers)}" if said.numbers else "", QUIET)


def columns(seats: Sequence[str], cells: Mapping[str, Sequence[RenderableType]]) -> Table:
    """One column a seat; what a seat said stands in it from top to bottom."""
    table = Table(box=None, expand=True, padding=(0, 2, 0, 0), header_style="bold")
    for seat in seats:
        table.add_column(Text(one_line(seat)), ratio=1, overflow="fold")
    table.add_row(*(Group(*_spaced(cells.get(seat, ()))) for seat in seats))
    return table


def round_columns(held: Round, seats: Sequence[str], palette: Palette) -> Table:
    """A whole round, side by side."""
    cells = {
        seat: [draw_speech(said, palette, named=False) for said in held.said if said.seat == seat] for seat in seats
    }
    return columns(seats, cells)


def thinking(one: PendingSeat, *, named: bool, lines: int) -> RenderableType:
    """A seat at work, with the end of what it has written."""
    head = Text("💭 ")
    head.append(f"{one_line(one.seat)} · " if named else "", "bold")
    head.append(f"challenging {one_line(one.about)}" if one.about else one.title, "red" if one.about else "green")
    head.append(" · asked again" if one.again else "", "magenta")
    if not one.words:
        head.append(" …", QUIET)
        return head
    return Group(head, BarredText(Text(one.words), QUIET, lines))


def card(result: Result, verdict: Verdict, palette: Palette, width: int) -> RenderableType:
    """The verdict: the outcome large, then everything a reader should know."""
    colour = palette[verdict.outcome]
    inner: RenderableType = _lines(result) if width < NARROW else _grid(result)
    held = held_back(result.decision) if result.decision else ""
    why = (Align.center(Text(_tied(held))), Text()) if held else ()
    group = Group(_large(outcome(verdict), colour), Text(), *why, inner)
    return Panel(group, box=box.HEAVY, border_style=colour, width=min(width, WIDEST), padding=(1, 1))


def _large(word: str, colour: str) -> RenderableType:
    spaced = " ".join(word) if len(word) <= len("UNDETERMINED") else word
    bar = Text(" " * (len(spaced) + 6), style=f"reverse {colour}")
    return Align.center(Group(bar, Text(f"   {spaced}   ", style=f"bold reverse {colour}"), bar))


def _grid(result: Result) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style=QUIET)
    table.add_column(overflow="fold")
    for label, lines in rows(result):
        table.add_row(
            Text(label), Text(_tied("\n".join(lines)), style="yellow" if label in {"cautions", "review"} else "")
        )
    return table


def _lines(result: Result) -> RenderableType:
    return Group(
        *(
            Group(Text(label, QUIET), *(Padding(Text(_tied(line)), (0, 0, 0, 2)) for line in lines))
            for label, lines in rows(result)
        )
    )


def _tied(text: str) -> str:
    """A number and its percent sign stay on one line; Rich would break even at a no-break space."""
    return text.replace(" %", "%")


def _spaced(cells: Iterable[RenderableType]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for cell in cells:
        parts += [cell, Text()]
    return parts[:-1]
