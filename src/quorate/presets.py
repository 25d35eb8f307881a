"""Pure. Panels that ship beyond each protocol's own, and every rulebook and panel there is, by name."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.errors import BadPlugin, UnknownName
from quorate.model import Panel, Rulebook, Seat
from quorate.model.charter import DEFAULT_PROTOCOL, Charter

__all__ = ["is_panel", "panel", "panels", "rulebook", "rulebooks"]

COUNCIL: Final = (
    Seat(name="Pragmatist", role="You ask what would work by next month with the people and money at hand."),
    Seat(name="Skeptic", role="You ask what everybody takes for granted here, and what follows if it is wrong."),
    Seat(name="Scholar", role="You ask what is known: what others tried, what was measured, what only sounds true."),
    Seat(name="Steward", role="You speak for those who will live with it in five years and have to pay for it."),
    Seat(name="Outsider", role="You know nothing of this trade and ask what its people no longer see."),
)

REVIEWERS: Final = (
    Seat(name="Attacker", role="You ask how you would abuse this: what you would send, steal, forge or exhaust first."),
    Seat(
        name="Defender",
        role="You ask what stands in the way: which control stops it, who would notice, how soon it is undone. "
        "You hold the veto and use it when harm could be done that nobody would notice or undo.",
        powers=("vote", "veto"),
    ),
    Seat(
        name="Privacy", role="You ask whose data this touches, who may see it, how long it is kept, and by what right."
    ),
    Seat(
        name="Operations",
        role="You ask what happens at three in the morning when this fails, and who can roll it back.",
    ),
)

GATE_REVIEWERS: Final = (
    Seat(
        name="Attacker", role="You ask how this could be abused, and what it would reach beyond what it says it does."
    ),
    Seat(
        name="Operations",
        role="You ask what it changes that others rely on, who would notice if it goes wrong, and how it is undone.",
    ),
)

ARCHITECTS: Final = (
    Seat(name="Simplicity", role="You ask what could be left out, and what a newcomer would have to understand."),
    Seat(
        name="Operations",
        role="You ask how it is deployed, watched, backed up and mended by those who did not build it.",
    ),
    Seat(name="Growth", role="You ask what breaks first at ten times the load or the team, and what that would cost."),
    Seat(
        name="Change", role="You ask which decision here is hard to take back, and how to put it off or make it cheap."
    ),
)

MORE: Final[Mapping[str, Charter]] = MappingProxyType(
    {
        "architecture": Charter(
            panel=Panel(seats=ARCHITECTS), protocol="conference", settings=(("options", "nominated"),)
        ),
        "council": Charter(panel=Panel(seats=COUNCIL), protocol="conference", settings=(("anonymous", "true"),)),
        "security-review": Charter(panel=Panel(seats=REVIEWERS)),
    }
)

GATES: Final[Mapping[str, tuple[tuple[Seat, ...], str]]] = MappingProxyType(
    {"gate": ((), "when_split"), "gate-five": (GATE_REVIEWERS, "never")}
)
"""Panels for what an agent wants to do: the seats besides the default ones, and when they discuss. Each has a rulebook
of its own name. Three seats discuss only what they don't agree on at once. Five never do: one wave of calls."""

UNINFORMED: Final[Mapping[str, str]] = MappingProxyType({"demo": "demo:scripted", "embedded": "embedded:smollm2"})
"""Panels that sit as the default one does, and whose answers carry no information."""


@cache
def rulebooks() -> Mapping[str, Rulebook]:
    """Every rulebook a protocol brings, the protocols in the order of their names."""
    specs = catalogue.protocols().values()
    return MappingProxyType({book.name: book for spec in specs for book in spec.books})


@cache
def panels() -> Mapping[str, Charter]:
    """Every panel that ships: one for each protocol, under its name, and the others."""
    names = sorted({*catalogue.protocols(), *MORE, *UNINFORMED, *GATES})
    return MappingProxyType({name: found for name in names if (found := _panel(name)) is not None})


@cache
def _panel(name: str) -> Charter | None:
    """One panel; no other protocol is loaded for it."""
    if name in GATES:
        return _gate(name)
    if name in UNINFORMED:
        bench = catalogue.protocol(DEFAULT_PROTOCOL).panel.seats
        models = tuple((seat.name, UNINFORMED[name]) for seat in bench)
        return Charter(panel=Panel(seats=bench, demo=True), models=models)
    if name in MORE:
        return MORE[name]
    try:
        return Charter(panel=catalogue.protocol(name).panel, protocol=name)
    except (UnknownName, BadPlugin):
        return None


def _gate(name: str) -> Charter:
    spec, (reviewers, debate) = catalogue.protocol(DEFAULT_PROTOCOL), GATES[name]
    book = next(book for book in spec.books if book.name == name)
    settings = (("debate", debate), ("stop_when_settled", "true"), ("act_needs_mark", "true"))
    return Charter(panel=Panel(seats=(*spec.panel.seats, *reviewers)), rulebook=book, settings=settings)


def is_panel(name: str) -> bool:
    """Whether a panel of that name ships."""
    return _panel(name) is not None


def rulebook(name: str) -> Rulebook:
    """A rulebook that ships.

    Raises:
        UnknownName: none of that name.
    """
    if name not in rulebooks():
        raise UnknownName("rulebook", name, rulebooks())
    return rulebooks()[name]


def panel(name: str) -> Charter:
    """A panel that ships.

    Raises:
        UnknownName: none of that name.
    """
    found = _panel(name)
    if found is None:
        raise UnknownName("panel", name, panels())
    return found
