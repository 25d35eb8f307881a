"""Pure. Panels and rulebooks that ship, as plain values."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.errors import UnknownName
from quorate.model import Named, Panel, Rulebook, Seat
from quorate.model.charter import Charter

__all__ = ["PANELS", "RULEBOOKS", "panel", "rulebook"]

TRIBUNAL: Final = Rulebook(
    name="tribunal",
    rules=(
        Named("veto", (("means", "REFUSE"),)),
        Named("all_silent", (("means", "REFUSE"),)),
        Named("unanimous"),
        Named("supermajority", (("at_least", "2/3"),)),
        Named("tie", (("means", "REFUSE"),)),
    ),
    otherwise=Named("hold", (("means", "WARN"),)),
    unless=(
        Named("demo", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("veto_seat_silent", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("sealed_vote", (("mode", "guard"), ("at_least", "2/3"), ("instead_of", "ACT"), ("means", "WARN"))),
    ),
    silence="REFUSE",
)

STRICT: Final = Rulebook(
    name="strict",
    rules=(
        Named("veto", (("means", "REFUSE"),)),
        Named("all_silent", (("means", "REFUSE"),)),
        Named("any_silent", (("means", "REFUSE"),)),
        Named("unsure", (("below", "40 %"), ("means", "REFUSE"))),
        Named("safe_act", (("above", "80 %"), ("risk_below", "30 %"))),
        Named("short_of_refusal", (("at_least", "60 %"), ("means", "WARN"))),
    ),
    otherwise=Named("hold", (("means", "REFUSE"),)),
    unless=(
        Named("demo", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("sealed_vote", (("mode", "guard"), ("at_least", "2/3"), ("instead_of", "ACT"), ("means", "WARN"))),
    ),
    silence="REFUSE",
)

PLURALITY: Final = Rulebook(
    name="plurality",
    rules=(
        Named("all_silent", (("means", ""),)),
        Named("quorum", (("more_than", "1/2"), ("means", ""))),
        Named("unanimous"),
        Named("plurality"),
    ),
    otherwise=Named("no_winner"),
    silence="carry",
)

RULEBOOKS: Final[Mapping[str, Rulebook]] = MappingProxyType({book.name: book for book in (TRIBUNAL, STRICT, PLURALITY)})

BENCH: Final = (
    Seat(
        name="Utility",
        role="You ask whether acting on this is useful and practical: what is gained, for whom, and at what cost.",
    ),
    Seat(
        name="Accuracy",
        role="You ask whether this can be verified: what is known, what is assumed, what evidence is missing. "
        "You choose ACT only when you are at least 85 % sure.",
        sure=Fraction(17, 20),
    ),
    Seat(
        name="Safety",
        role="You ask what could go wrong: who could be harmed, how badly, and whether it can be undone. "
        "You hold the veto and use it when the risk reaches 50 %.",
        powers=("vote", "veto"),
    ),
)

PANELS: Final[Mapping[str, Charter]] = MappingProxyType(
    {
        "conference": Charter(
            panel=Panel(seats=tuple(Seat(name=name) for name in ("Alpha", "Beta", "Gamma"))), protocol="conference"
        ),
        "demo": Charter(
            panel=Panel(seats=BENCH, demo=True),
            models=tuple((seat.name, "demo:scripted") for seat in BENCH),
        ),
        "tribunal": Charter(panel=Panel(seats=BENCH)),
    }
)


def rulebook(name: str) -> Rulebook:
    """A rulebook that ships.

    Raises:
        UnknownName: none of that name.
    """
    if name not in RULEBOOKS:
        raise UnknownName("rulebook", name, RULEBOOKS)
    return RULEBOOKS[name]


def panel(name: str) -> Charter:
    """A panel that ships.

    Raises:
        UnknownName: none of that name.
    """
    if name not in PANELS:
        raise UnknownName("panel", name, PANELS)
    return PANELS[name]
