"""Who sits: seats with roles and powers. Who answers for a seat is a panelist, and lives elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Final, Literal

from quorate.errors import BadPanel, UnknownName
from quorate.frozen import dataclass
from quorate.model.chance import derive
from quorate.model.once import worked_out_once
from quorate.model.question import Question
from quorate.model.texts import WORDS

MARK: Final = "mark"
FENCE: Final = "fence"
"""What tokens are derived for."""

Power = Literal["vote", "veto"]
Stance = Literal["for", "against", "neutral"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A place on the panel. `part` is what it does in its protocol where that differs from seat to seat.

    `sure` is the confidence its role asks for before it may choose the boldest outcome.
    """

    name: str
    role: str = ""
    part: str = ""
    powers: tuple[Power, ...] = ("vote",)
    stance: Stance = "neutral"
    weight: Fraction = Fraction(1)
    sure: Fraction | None = None

    @property
    def acts(self) -> str:
        """Its part, or what its name says if none is given: a seat named Proponent is the proponent."""
        return self.part or plain(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatModel:
    """Which model answers for a seat, and the fault domain it shares with others.

    `fallbacks` are asked in turn if it fails; `serves` is the model its replies name, where that is another.
    """

    seat: str
    model: str
    domain: str
    fallbacks: tuple[str, ...] = ()
    serves: str = ""


def is_uninformed(model: str) -> bool:
    """Whether a model's opinions carry no information: scripted speeches, or the small model in process."""
    return model.startswith(("demo:", "embedded:"))


def is_person(model: str) -> bool:
    """Whether a person answers under this name: `person`, or `person:NAME`."""
    return model == "person" or model.startswith("person:")


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Seats in their order. A demo panel's answers carry no information and can never approve.

    It has no slots, so that what a protocol asks for again and again is worked out once.
    """

    seats: tuple[Seat, ...]
    demo: bool = False

    def __post_init__(self) -> None:
        """Refuse a panel that nobody could count.

        Raises:
            BadPanel: no seat, or two of one name.
        """
        names = [seat.name.casefold() for seat in self.seats]
        if not names:
            raise BadPanel("a panel needs at least one seat; name one under 'seats'")
        twice = next((seat.name for seat in self.seats if names.count(seat.name.casefold()) > 1), None)
        if twice is not None:
            raise BadPanel(f"two seats are named {twice!r}; give each seat a name of its own")

    def __iter__(self) -> Iterator[Seat]:
        return iter(self.seats)

    def __len__(self) -> int:
        return len(self.seats)

    @worked_out_once
    def voters(self) -> tuple[Seat, ...]:
        """The seats every share is taken over."""
        return tuple(seat for seat in self.seats if "vote" in seat.powers)

    def seat(self, name: str) -> Seat:
        """Find a seat by name, without case; a trailing " Agent" is ignored.

        Raises:
            UnknownName: nobody sits there.
        """
        wanted = plain(name)
        for seat in self.seats:
            if plain(seat.name) == wanted:
                return seat
        raise UnknownName("seat", name, (seat.name for seat in self.seats))


def plain(name: str) -> str:
    """Write a seat's name as it is compared."""
    return name.strip().casefold().removesuffix(" agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a protocol is given: the question, who sits, and the seed all chance is drawn from."""

    question: Question
    panel: Panel
    settings: tuple[tuple[str, str], ...] = ()
    seed: str = field(default="", metadata=WORDS)

    def mark(self, round_: str, seat: Seat, attempt: int = 1) -> str:
        """What a seat's ballot of one round must bear; no other seat is shown it, and a second attempt has its own."""
        return derive(self.seed, MARK, round_, seat.name, str(attempt))

    def fence(self, seat: Seat) -> str:
        """What the lines around quoted words bear in a seat's prompts."""
        return derive(self.seed, FENCE, seat.name)


def name_list(names: Sequence[str]) -> str:
    """Names as a sentence has them: Ann, Ben and Cat."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
