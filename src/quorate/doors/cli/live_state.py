"""What a watcher knows: everything committed so far, the words still being written, and what may be shown now."""

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from fractions import Fraction

from quorate.chair import State
from quorate.frozen import dataclass
from quorate.model import Ask, Asked, AskKey, ErrandKey, Event, Hear, Spoken, Step
from quorate.model.heard import Place
from quorate.model.lookup import LOOK
from quorate.model.panel import is_person
from quorate.views.rounds import Round, RoundSpeech, rounds, titles
from quorate.views.spoken_tail import Tail

__all__ = ["LiveState", "PendingSeat"]


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
        asked = {key.round for key, step in self.due.items() if isinstance(step, Hear) or key[0] == LOOK}
        for held in rounds(self.state):
            yield held, held.name in asked

    def _fresh(self, held: Round) -> tuple[RoundSpeech, ...]:
        return tuple(said for said in held.said if (held.name, said.seat, said.about) not in self.shown)
