"""What a program hands over: options by name, and panelists as objects."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from quorate.errors import BadSetting, UnknownName
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.panelists.registry import GIVEN
from quorate.settings.option import Option
from quorate.settings.table import options_at

__all__ = ["answered_by", "keyword_texts"]


def keyword_texts(keywords: Mapping[str, Any], own: Collection[str]) -> dict[str, Any]:
    """What a program says of the options, as `resolve` takes it; `own` are the other keywords of its door.

    An object in an option's place, such as a charter or an open ledger, is the door's to use.

    Raises:
        UnknownName: a keyword there is not.
        BadSetting: a value that is nothing such an option takes.
    """
    options = options_at("program", keywords)
    if sum([bool(option.keyword) or option.name in own for option in options]) < len(keywords):
        _check_names(keywords, own)
    texts = [(option.name, _texts(option, keywords[option.name])) for option in options if option.shape != "switch"]
    return {name: text for name, text in texts if text is not None}


def _check_names(keywords: Mapping[str, Any], own: Collection[str]) -> None:
    known = {*own, *(option.name for option in options_at("program") if option.keyword)}
    if unknown := sorted(keywords.keys() - known):
        raise UnknownName("option", unknown[0], sorted(known))


def _texts(option: Option[Any], value: object) -> object:
    match option.shape, value:
        case _, None:
            return None
        case "pairs", Mapping():
            return tuple((str(name), _text(option, one)) for name, one in value.items())
        case "list", str() | Path():
            return (str(value),)
        case "list", Iterable():
            return tuple(value)
        case "value" | "parts", str() | Path() | int() | float() | Fraction():
            return str(value)
        case _ if option.is_path:
            return None
        case _:
            takes = option.keyword or "str"
            raise BadSetting(f"{option.name} takes {takes}, not {value!r:.60}")


def _text(option: Option[Any], value: object) -> str:
    """A number or a truth value is written as a file would write it."""
    if isinstance(value, str | int | float | Fraction):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise BadSetting(f"{option.name} takes texts and numbers, not {value!r:.60}")


def answered_by(charter: Charter, panelists: Mapping[str, Panelist]) -> Charter:
    """Name the panelists that were handed over; seats that share one share a fault domain.

    Raises:
        UnknownName: nobody sits there.
    """
    distinct = list({id(panelist): panelist for panelist in panelists.values()})
    named = {
        charter.panel.seat(seat).name: f"{GIVEN}{type(panelist).__name__}-{distinct.index(id(panelist)) + 1}"
        for seat, panelist in panelists.items()
    }
    return replace(charter, models=tuple({**dict(charter.models), **named}.items()))
