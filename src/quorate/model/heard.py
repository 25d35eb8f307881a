"""What has been heard so far: all that a protocol may look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from quorate.model.ask import AskKey, ErrandKey
from quorate.model.ballot import Ballot, Silence, Speech
from quorate.model.events import Found
from quorate.model.panel import Panel, Seat

Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Heard:
    """Speeches and silences by (round, seat, about); spoken is readable words, settled is spoken or silent."""

    panel: Panel
    words: Mapping[Place, Speech | Silence] = field(default_factory=dict[Place, Speech | Silence])
    finds: Mapping[ErrandKey, Found] = field(default_factory=dict[ErrandKey, Found])

    @classmethod
    def of(cls, panel: Panel, *words: tuple[str, str, Speech | Silence]) -> "Heard":
        """Make it up by hand: (round, about, speech or silence)."""
        return cls(panel, {(round_, said.seat, about): said for round_, about, said in words})

    def plus(self, key: AskKey, words: Speech | Silence) -> "Heard":
        """The same with one more speech or silence."""
        return Heard(self.panel, {**self.words, key[:3]: words}, self.finds)

    def plus_found(self, key: ErrandKey, found: Found) -> "Heard":
        """The same with one more find."""
        return Heard(self.panel, self.words, {**self.finds, key: found})

    def speakers(self, round_: str) -> tuple[Seat, ...]:
        """Who spoke in a round about nobody in particular, in seat order."""
        return tuple(seat for seat in self.panel if self.speech(round_, seat) is not None)

    def settled(self, round_: str, *seats: Seat, about: Seat | None = None) -> bool:
        """Whether each of these seats has spoken or fallen silent."""
        whom = about.name if about else ""
        return all((round_, seat.name, whom) in self.words for seat in seats)

    def speech(self, round_: str, seat: Seat, about: Seat | None = None) -> Speech | None:
        """What a seat said there, none if it was silent or has not been heard."""
        words = self.words.get((round_, seat.name, about.name if about else ""))
        return words if isinstance(words, Speech) else None

    def silence(self, round_: str, seat: Seat, about: Seat | None = None) -> Silence | None:
        """Why a seat said nothing there, none if it spoke or has not been heard."""
        words = self.words.get((round_, seat.name, about.name if about else ""))
        return words if isinstance(words, Silence) else None

    def ballot(self, round_: str, seat: Seat) -> Ballot | None:
        """The ballot a seat cast in a round."""
        speech = self.speech(round_, seat)
        return speech.ballot if speech else None

    def found(self, kind: str, round_: str, seat: str = "", about: str = "") -> Found | None:
        """What an errand brought."""
        return self.finds.get(ErrandKey(kind, round_, seat, about))

    def vetoes(self) -> tuple[Seat, ...]:
        """Seats with the power of veto that have used it in any round."""
        return tuple(
            seat
            for seat in self.panel
            if "veto" in seat.powers
            and any(
                place[1] == seat.name and isinstance(said, Speech) and said.ballot is not None and said.ballot.veto
                for place, said in self.words.items()
            )
        )
