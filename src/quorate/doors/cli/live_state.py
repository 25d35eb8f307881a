"""What a watcher knows: everything committed so far, the words still being written, and what may be shown now."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, Literal

from quorate.chair import State
from quorate.model import Ask, Asked, AskKey, ErrandKey, Event, Hear, Spoken, Step
from quorate.model.heard import Place
from quorate.model.panel import is_person
from quorate.views.escape import visible
from quorate.views.rounds import Round, RoundSpeech, rounds, titles

__all__ = ["GATHERED", "KEPT", "LINES", "LiveState", "PendingSeat", "Tail"]

KEPT: Final = 4096
"""Characters kept at least; twice as many at most, so that lines do not break anew with every word."""
LINES: Final = 128
"""The same for lines."""
GATHERED: Final = 65536
"""Characters that may gather before they are looked at."""
HELD: Final = 256
"""Characters that may be held back because only what follows tells what they are."""

_FENCE: Final = "```json"
_BALLOT: Final = re.compile(r"^(?:[^\S\n]|[*`>#])*+BALLOT(?!\w)(?=.)", re.MULTILINE | re.IGNORECASE | re.DOTALL)
_PERHAPS: Final = re.compile(r"(?:[^\S\n]|[*`>#])*+(?:B|BA|BAL|BALL|BALLO|BALLOT)?", re.IGNORECASE)
"""A line that may become a ballot."""
_REASONING: Final = re.compile(r'"reasoning"\s*+:\s*+"')
_HEX: Final = "[0-9a-fA-F]"
_STRING: Final = re.compile(rf'(?:[^"\\]++|\\[^u]|\\u(?:{_HEX}{{4}}|(?={_HEX}{{0,3}}[^0-9a-fA-F])))*+', re.DOTALL)
"""Of a JSON string what is whole; an escape that breaks off is left for later."""
_HALF: Final = re.compile(rf"\\u[dD][89abAB]{_HEX}{{2}}$")
"""The first half of a character, at the end."""

Stage = Literal["opening", "prose", "object", "reasoning", "over"]


class Tail:
    """Takes in words piece by piece, however many; `text` is the end of them as a person wants to watch it.

    That is: no ballot line and nothing after it, of a JSON object its reasoning, and nothing that steers a terminal.
    What it costs to add words does not depend on how many there have been, nor does what is kept.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._gathered = 0
        self._held = ""
        self._stage: Stage = "opening"
        self._in_line = False
        self._shown = ""

    def add(self, words: str) -> None:
        if self._stage == "over":
            return
        self._pieces.append(words)
        self._gathered += len(words)
        if self._gathered >= GATHERED:
            self._look()

    @property
    def text(self) -> str:
        self._look()
        return self._shown.strip()

    def _look(self) -> None:
        """Take in what has gathered."""
        written, self._held = self._held + "".join(self._pieces), ""
        self._pieces.clear()
        self._gathered = 0
        if self._stage == "opening":
            written = self._opened(written)
        if self._stage == "prose":
            self._prose(written)
        elif self._stage == "object":
            written = self._object(written)
        if self._stage == "reasoning":
            self._reasoning(written)

    def _opened(self, written: str) -> str:
        begun = written.lstrip()
        if begun.startswith(("{", _FENCE)):
            self._stage = "object"
        elif _FENCE.startswith(begun):
            self._held = begun
        else:
            self._stage = "prose"
        return begun

    def _prose(self, written: str) -> None:
        # What stands before us in the line, if anything does, makes it no ballot's.
        line = f".{written}" if self._in_line else written
        ballot = _BALLOT.search(line)
        if ballot:
            self._show(line[self._in_line : ballot.start()])
            self._stage = "over"
            return
        last = line[line.rfind("\n") + 1 :]
        if len(last) <= HELD and _PERHAPS.fullmatch(last):
            self._held = last
        elif written.endswith("\r"):
            self._held = "\r"
        whole = written[: len(written) - len(self._held)]
        self._in_line = not whole.endswith("\n") if whole else self._in_line
        self._show(whole)

    def _object(self, written: str) -> str:
        begun = _REASONING.search(written)
        if begun is None:
            self._held = written[-HELD:]
            return ""
        self._stage = "reasoning"
        return written[begun.end() :]

    def _reasoning(self, written: str) -> None:
        found = _STRING.match(written)
        whole = found[0] if found else ""
        rest = written[len(whole) :]
        half = _HALF.search(whole)
        if rest.startswith('"'):
            self._stage = "over"
        elif half:
            whole, rest = whole[: half.start()], half[0] + rest
        self._held = "" if self._stage == "over" else rest
        self._show(_unescaped(whole))

    def _show(self, words: str) -> None:
        fresh = visible(words[-2 * KEPT :])
        shown = self._shown + fresh if self._shown else fresh.lstrip()
        if len(shown) > 2 * KEPT:
            shown = shown[-KEPT:]
        if shown.count("\n") > 2 * LINES:
            shown = "\n".join(shown.rsplit("\n", LINES)[1:])
        self._shown = shown


def _unescaped(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return inner


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSeat:
    """A seat that has been asked and has not answered yet, with the end of its words so far."""

    seat: str
    about: str
    title: str
    again: bool
    words: str


@dataclass(slots=True)
class LiveState:
    """What is committed, as it is handed over. Rounds are shown in their order, though seats may run ahead."""

    state: State | None = None
    due: dict[AskKey | ErrandKey, Step] = field(default_factory=dict)
    writing: dict[AskKey, Tail] = field(default_factory=dict)
    shown: set[Place] = field(default_factory=set)
    calls: int = 0
    tokens: int = 0
    money: Fraction = Fraction(0)
    unpriced: bool = False

    def count(self, event: Event | None) -> None:
        """Add up what an entry says was used."""
        if isinstance(event, Asked) and not is_person(event.model):
            self.calls += 1
        elif isinstance(event, Spoken):
            used = event.reply.usage.credible
            self.tokens += used.tokens or 0
            self.money += used.money or 0
            self.unpriced |= used.money is None and not is_person(event.reply.model)

    @property
    def spent(self) -> str:
        """What has been used so far, in words; a price only where every reply has one."""
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        tokens = f", {self.tokens:,} tokens" if self.tokens else ""
        return f"{calls}{tokens}" + (f", ${float(self.money):.4f}" if self.money and not self.unpriced else "")

    def see(self, state: State) -> None:
        """Take in what has been committed, as the engine has folded it."""
        under_way = state.admitted is not None and state.closed is None
        self.state, self.due = state, state.possible() if under_way else {}

    def listen(self, ask: Ask) -> Callable[[str], None]:
        """Overhear what is being written for an ask."""
        self.writing[ask.key] = tail = Tail()
        return tail.add

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.state.brief.panel) if self.state else ()

    def ready(self, *, whole: bool) -> Iterator[Round]:
        """What may be shown now and has not been: round after round, each in one piece if it is wanted `whole`."""
        for held, is_open in self._rounds():
            fresh = self._fresh(held)
            if fresh and not (whole and is_open):
                self.shown |= {(held.name, said.seat, said.about) for said in fresh}
                yield replace(held, said=fresh)
            if is_open:
                return

    def last_round(self) -> Round | None:
        """The last round announced or held."""
        return rounds(self.state)[-1] if self.state and rounds(self.state) else None

    def waiting(self) -> tuple[RoundSpeech, ...]:
        """What has been said and is not shown yet."""
        return tuple(said for held, _ in self._rounds() for said in self._fresh(held))

    def thinking(self) -> tuple[PendingSeat, ...]:
        """Who has been asked and has not answered, in seat order."""
        if self.state is None:
            return ()
        announced = titles(self.state.convened.protocol)
        asked = (key for key, step in self.due.items() if isinstance(step, Hear) and key in self.state.asked)
        found = [self._thinking(key, announced) for key in asked if isinstance(key, AskKey)]
        return tuple(sorted(found, key=lambda one: self.seats.index(one.seat)))

    def _thinking(self, key: AskKey, announced: dict[str, str]) -> PendingSeat:
        words = self.writing[key].text if key in self.writing else ""
        title = announced.get(key.round, f"round {key.round}" if key.round.isdecimal() else key.round)
        return PendingSeat(seat=key.seat, about=key.about, title=title, again=key.attempt > 1, words=words)

    def _rounds(self) -> Iterator[tuple[Round, bool]]:
        if self.state is None:
            return
        asked = {key.round for key, step in self.due.items() if isinstance(step, Hear)}
        for held in rounds(self.state):
            yield held, held.name in asked

    def _fresh(self, held: Round) -> tuple[RoundSpeech, ...]:
        return tuple(said for said in held.said if (held.name, said.seat, said.about) not in self.shown)
