"""Anything that an event may hold."""

import dataclasses
from fractions import Fraction
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from quorate.model import Panel, Seat

HOSTILE = (
    *('"', "\\", "/", "\x00", "\x1f", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud83d", "\ude00"),
    *("😀", "\r\n\t\f\b", '{"sha256":"', "</script>", "e\u0301", "\U0010ffff"),
)
TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | st.lists(st.sampled_from(HOSTILE)).map("".join)
NUMBERS = st.integers() | st.sampled_from(
    [sign * 2**power + by for sign in (1, -1) for power in (53, 63, 64, 80) for by in (-1, 0, 1)]
)


@cache
def any_(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401  a type's own hints are of any type
    """Every value a field of that type may hold, lone surrogates included."""
    if hint is Panel:
        seats = st.lists(any_(Seat), min_size=1, max_size=3, unique_by=lambda seat: seat.name.casefold())
        return st.builds(Panel, seats=seats.map(tuple), demo=st.booleans())
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: any_(hints[field.name]) for field in dataclasses.fields(hint)})
    arms = get_args(hint)
    if get_origin(hint) is Literal:
        return st.sampled_from(arms)
    if get_origin(hint) is tuple:
        return st.lists(any_(arms[0]), max_size=2).map(tuple) if arms[-1] is ... else st.tuples(*map(any_, arms))
    if arms:
        return st.one_of(*map(any_, arms))
    return {
        str: TEXT,
        int: NUMBERS,
        bool: st.booleans(),
        NoneType: st.none(),
        Fraction: st.fractions(),
    }[hint]
