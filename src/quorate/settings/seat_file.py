"""Seats as a panel file lists them, each with the model it names."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final, get_args

from quorate.errors import BadSetting
from quorate.model import Panel, Power, Seat, Stance
from quorate.model.numbers import exact, share
from quorate.model.panel import plain
from quorate.settings.file_fields import Field, quote_text
from quorate.settings.readers import models_of

__all__ = ["changed_seats", "model_in", "new_seats"]

FIELDS: Final = ("name", "role", "part", "powers", "stance", "weight", "sure", "model", "fallbacks")
LONGEST_NAME: Final = 64
Listed = tuple[tuple[Seat, str | None], ...]


def new_seats(written: Iterable[Field]) -> Listed:
    """Seats that a file makes itself.

    Raises:
        BadPanel: a seat cannot be read, or two cannot be told apart.
    """
    listed: dict[str, tuple[Seat, str | None]] = {}
    for field in written:
        seat, model = _seat(field, Seat(name=""))
        if plain(seat.name) in listed:
            raise field.fault(f"two seats are named {seat.name!r}; give each seat a name of its own")
        listed[plain(seat.name)] = (seat, model)
    return tuple(listed.values())


def changed_seats(written: Iterable[Field], base: Panel) -> Listed:
    """A preset's seats, with what a file says of them by name changed.

    Raises:
        BadPanel: a seat cannot be read, is none of the preset's, or stands there twice.
    """
    changed: dict[str, tuple[Seat, str | None]] = {}
    for field in written:
        old = _known(field)["name"].read(base.seat)
        if old.name in changed:
            raise field.fault(f"the seat {old.name!r} stands twice; say everything about it once")
        seat, model = _seat(field, old)
        changed[old.name] = (replace(seat, name=old.name), model)
    return tuple(changed.get(seat.name, (seat, None)) for seat in base)


def _known(field: Field) -> dict[str, Field]:
    known = field.fields(FIELDS)
    if "name" not in known:
        raise field.fault("'name' is missing; every seat has one")
    return known


def _seat(field: Field, begun: Seat) -> tuple[Seat, str | None]:
    known = _known(field)
    seat = Seat(
        name=known["name"].read(_name),
        role=known["role"].text() if "role" in known else begun.role,
        part=known["part"].read(_part) if "part" in known else begun.part,
        powers=_powers(known["powers"]) if "powers" in known else begun.powers,
        stance=_stance(known["stance"]) if "stance" in known else begun.stance,
        weight=known["weight"].read(_weight) if "weight" in known else begun.weight,
        sure=known["sure"].read(_sure) if "sure" in known else begun.sure,
    )
    return seat, model_in(known)


def model_in(known: dict[str, Field]) -> str | None:
    """The model that fields name, with its fallbacks behind it.

    Raises:
        BadPanel: one cannot be read, or there are fallbacks for no model.
    """
    if "model" in known:
        return models_of(known["model"], *(known[name] for name in ("fallbacks",) if name in known))
    if "fallbacks" in known:
        raise known["fallbacks"].fault("a fallback stands behind a model; name that under 'model'")
    return None


def _name(text: str) -> str:
    name = text.strip()
    if not plain(name) or not name.isprintable() or "=" in name or len(name) > LONGEST_NAME:
        raise BadSetting(f"a name of 1 to {LONGEST_NAME} printable characters without '=', not {quote_text(text)}")
    return name


def _part(text: str) -> str:
    part = plain(text)
    if part and not part.replace("_", "").isalpha():
        raise BadSetting(f"a word such as proponent, moderator or skeptical, not {quote_text(text)}")
    return part


def _powers(field: Field) -> tuple[Power, ...]:
    """One power or a list of them; a veto is cast on a ballot, so whoever may veto may vote."""
    words = (field.text(),) if field.plain else tuple(inner.text() for inner in field.items())
    for word in words:
        if word not in get_args(Power):
            line = field.node.line if field.plain else field.items()[words.index(word)].node.line
            raise field.fault(f"'vote' or 'veto', not {quote_text(word)}", line)
    return ("vote", "veto") if "veto" in words else ("vote",) if words else ()


def _stance(field: Field) -> Stance:
    for stance in get_args(Stance):
        if field.text() == stance:
            found: Stance = stance
            return found
    raise field.fault(f"'for', 'against' or 'neutral', not {quote_text(field.text())}")


def _weight(text: str) -> Fraction:
    weight = share(text) if "/" in text else exact(text)
    if weight is None or weight <= 0:
        raise BadSetting(f"a number above zero such as 2, 0.5 or 1/3, not {quote_text(text)}")
    return weight


def _sure(text: str) -> Fraction:
    sure = share(text)
    if sure is None or not 0 <= sure <= 1:
        raise BadSetting(f"a share such as 85 %, 0.85 or 17/20, not {quote_text(text)}")
    return sure
