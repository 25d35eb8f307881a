"""JSON as people hand it over: numbers as they are written, nothing that stands in it twice, no half of a character."""

import json
from typing import cast

from quorate.reading.text.escapes import unbroken

__all__ = ["Digits", "Twice", "load_json"]


class Digits(str):
    """A JSON number as it was written."""

    __slots__ = ()


class Twice(list[object]):
    """The values of a key that stood there twice with different ones."""

    __slots__ = ()


def load_json(text: str) -> object:
    """What a text holds. A key with two values that differ has the list of them, which is no value for anybody.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deep to be read.
    """
    whole: object = json.loads(
        text, parse_int=Digits, parse_float=Digits, parse_constant=float, object_pairs_hook=_members
    )
    return _clean(whole)


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        twice = name in members and members[name] != value
        members[name] = Twice((members[name], value)) if twice else value
    return members


def _clean(value: object) -> object:
    if isinstance(value, dict):
        return {unbroken(name): _clean(one) for name, one in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        cleaned = [_clean(one) for one in cast("list[object]", value)]
        return Twice(cleaned) if isinstance(value, Twice) else cleaned
    return unbroken(value) if isinstance(value, str) and not isinstance(value, Digits) else value
