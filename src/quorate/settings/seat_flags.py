"""Panels that a request makes: seats that the panel does not have, and several models dealt to those it has."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from quorate.errors import BadSetting, QuorateError, Suggestion, UnknownName
from quorate.model import Panel, Seat
from quorate.model.panel import is_person, plain
from quorate.panelists.registry import domain, ours, parse
from quorate.settings import table
from quorate.settings.model_names import AUTO, several
from quorate.settings.settings import Settings, Value, Values

__all__ = ["HOST", "SEVERAL_MODELS", "FlagSeats", "seat_flags"]

HOST: Final = "host"
"""The source of what a server or hook was started with."""
SEVERAL_MODELS: Final = "several models"
"""Where the models stand among the values if more than one was named."""
FEWEST: Final = 2
_DISCUSS: Final = Suggestion("protocol", "conference", "to seat your own models in a discussion")
_KEY: Final = f"{table.SEATS.name}."


class FlagSeats(NamedTuple):
    """What flags make of a panel: who sits, the flags with a model for each seat, and what to say about it."""

    panel: Panel
    flags: Values
    note: str = ""


def seat_flags(file: Settings, flags: Values, protocol: str, *, is_own_panel: bool) -> FlagSeats:
    """Seat whom the flags name.

    `is_own_panel` says that the panel is the protocol's own, which new seats may replace if its seats are alike.

    Raises:
        UnknownName: a seat that is not there and cannot be made.
        BadSetting: models that nobody would sit for, or a panel of one.
    """
    named, models = _named(flags), flags.get(SEVERAL_MODELS)
    new = _new(named, file.panel)
    if not new and models is None:
        return FlagSeats(file.panel, flags)
    rest = dict(flags)
    rest.pop(SEVERAL_MODELS, None)
    if is_own_panel and _may_be_made(file.panel, () if models else new):
        return _made(file.panel, protocol, named, models, rest)
    if new:
        raise UnknownName("seat", new[0], [seat.name for seat in file.panel], suggestions=(_DISCUSS,))
    return _dealt(file.panel, named, models or Value((), ""), rest)


def _named(flags: Values) -> dict[str, Value[str]]:
    return {name.removeprefix(_KEY): value for name, value in flags.items() if name.startswith(_KEY)}


def _new(named: Iterable[str], panel: Panel) -> list[str]:
    known = {plain(seat.name) for seat in panel}
    return [name for name in named if plain(name) not in known]


def _alike(panel: Panel) -> bool:
    """Whether its seats differ in nothing but a point of view, so that others may sit in their place."""
    return len({(seat.powers, seat.stance, seat.weight, seat.sure) for seat in panel}) == 1


def _may_be_made(panel: Panel, new: Sequence[str]) -> bool:
    """Whether new seats may take the place of these, and are not all mistyped names of them."""
    names = [plain(seat.name) for seat in panel]
    mistyped = bool(new) and all(get_close_matches(plain(name), names, 1, 0.7) for name in new)
    return _alike(panel) and not mistyped


def _made(
    own: Panel, protocol: str, named: Mapping[str, Value[str]], models: Value[Any] | None, flags: Values
) -> FlagSeats:
    """A panel of those named, and of one seat for each model; roles are the own panel's, in order."""
    unused = flags.get(table.MODEL.name)
    if unused is not None and unused.source != HOST:
        raise BadSetting(f"model {unused.value} would answer for nobody, as every seat names its own; leave it out")
    flags = {name: value for name, value in flags.items() if name != table.MODEL.name}
    listed = [*((name, value.value) for name, value in named.items()), *_seats_of(models, {*map(plain, named)})]
    if len(listed) < FEWEST:
        raise BadSetting(
            f"a {protocol} with one seat settles nothing; add another, or use the seats "
            f"{', '.join(seat.name for seat in own)}",
            suggestions=(Suggestion("seats.NAME", "MODEL", "to add a seat"),),
        )
    seats = tuple(_seat(name, place, own) for place, (name, _) in enumerate(listed))
    values = {f"{_KEY}{name}": Value(model, "request") for name, model in listed}
    said = ", ".join(f"{name} ({model})" for name, model in listed)
    return FlagSeats(replace(own, seats=seats), {**flags, **values}, f"the panel is {said}")


def _seat(name: str, place: int, own: Panel) -> Seat:
    like = own.seats[place % len(own.seats)]
    return next((seat for seat in own if plain(seat.name) == plain(name)), replace(like, name=name))


def _seats_of(models: Value[Any] | None, taken: set[str]) -> Iterator[tuple[str, str]]:
    """A seat for each model, named by it; of two with one name the second is numbered."""
    for model in models.value if models else ():
        name, number = _short(model), 1
        while plain(name if number == 1 else f"{name} {number}") in taken:
            number += 1
        name = name if number == 1 else f"{name} {number}"
        taken.add(plain(name))
        yield name, model


def _short(model: str) -> str:
    """What a seat is called after its model: the model's own name, without provider, options and address."""
    first = (several(model) or (model,))[0]
    if ours(first) or first == AUTO:
        return first.partition(":")[2] or first
    try:
        return re.split(r"[/]", parse(first).name)[-1]
    except QuorateError:
        return first


def _dealt(panel: Panel, named: Mapping[str, Value[str]], models: Value[Any], flags: Values) -> FlagSeats:
    """Models to the seats that have none, in order; where some must answer twice, families apart where possible."""
    held = {plain(name) for name in named}
    free = [seat.name for seat in panel if plain(seat.name) not in held]
    if len(models.value) > len(free):
        raise BadSetting(
            f"{len(models.value)} models are named, and there are {len(free)} seats without a model "
            f"({', '.join(free) or 'none'}); leave some out",
            suggestions=(Suggestion("protocol", "conference", "to give each a seat in a discussion"),),
        )
    dealt = dict(zip(free, _order(models.value, len(free)), strict=True))
    values = {f"{_KEY}{seat}": Value(model, models.source) for seat, model in dealt.items()}
    said = ", ".join(f"{model} for {seat}" for seat, model in dealt.items())
    return FlagSeats(panel, {**flags, **values}, f"using {said}")


def _order(models: tuple[str, ...], seats: int) -> list[str]:
    if len(models) == seats:
        return [*models]
    chosen: list[str] = []
    for _ in range(seats):
        families = [_family(one) for one in chosen]
        chosen.append(min(models, key=lambda one: (chosen.count(one), families.count(_family(one)))))
    return chosen


def _family(model: str) -> str:
    first = (several(model) or (model,))[0]
    if first == AUTO or is_person(first):
        return first
    try:
        return domain(first)
    except QuorateError:
        return first
