"""What a watcher knows: everything committed so far, the words still being written, and what may be shown now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from quorate.chair import Docket
from quorate.doors.cli.text_tail import Tail
from quorate.model import Ask, AskKey, ErrandKey, Hear, Step
from quorate.model.heard import Place
from quorate.views.rounds import Round, Said, rounds, titles

__all__ = ["Floor", "Thinking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A seat that has been asked and has not answered yet, with the end of its words so far."""

    seat: str
    about: str
    title: str
    again: bool
    words: str


@dataclass(slots=True)
class Floor:
    """What is committed, as it is handed over. Rounds are shown in their order, though seats may run ahead."""

    docket: Docket | None = None
    due: dict[AskKey | ErrandKey, Step] = field(default_factory=dict)
    writing: dict[AskKey, Tail] = field(default_factory=dict)
    shown: set[Place] = field(default_factory=set)

    def see(self, docket: Docket) -> None:
        """Take in what has been committed, as the engine has folded it."""
        under_way = docket.admitted is not None and docket.closed is None
        self.docket, self.due = docket, docket.possible() if under_way else {}

    def listen(self, ask: Ask) -> Callable[[str], None]:
        """Overhear what is being written for an ask."""
        self.writing[ask.key] = tail = Tail()
        return tail.add

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.docket.brief.panel) if self.docket else ()

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
        return rounds(self.docket)[-1] if self.docket and rounds(self.docket) else None

    def waiting(self) -> tuple[Said, ...]:
        """What has been said and is not shown yet."""
        return tuple(said for held, _ in self._rounds() for said in self._fresh(held))

    def thinking(self) -> tuple[Thinking, ...]:
        """Who has been asked and has not answered, in seat order."""
        if self.docket is None:
            return ()
        announced = titles(self.docket.convened.protocol)
        asked = (key for key, step in self.due.items() if isinstance(step, Hear) and key in self.docket.asked)
        found = [self._thinking(key, announced) for key in asked if isinstance(key, AskKey)]
        return tuple(sorted(found, key=lambda one: self.seats.index(one.seat)))

    def _thinking(self, key: AskKey, announced: dict[str, str]) -> Thinking:
        words = self.writing[key].text if key in self.writing else ""
        title = announced.get(key.round, f"round {key.round}" if key.round.isdecimal() else key.round)
        return Thinking(seat=key.seat, about=key.about, title=title, again=key.attempt > 1, words=words)

    def _rounds(self) -> Iterator[tuple[Round, bool]]:
        if self.docket is None:
            return
        asked = {key.round for key, step in self.due.items() if isinstance(step, Hear)}
        for held in rounds(self.docket):
            yield held, held.name in asked

    def _fresh(self, held: Round) -> tuple[Said, ...]:
        return tuple(said for said in held.said if (held.name, said.seat, said.about) not in self.shown)
