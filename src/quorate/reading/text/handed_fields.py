"""What the forms share that read an answer handed over as an object of a file: its choice, its numbers, its reason."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from quorate.model.numbers import exact

__all__ = ["is_share_of_hundred", "read_choice", "read_number", "read_reason"]

_CHOICES: Final = ("choice", "decision", "option", "outcome")
_REASONS: Final = ("reasoning", "reason", "rationale")
BAD: Final = "bad_number"


def read_choice(fields: Mapping[str, object]) -> tuple[str, str]:
    """What was chosen, under whichever name, or why nothing was."""
    values = [fields[key] for key in _CHOICES if key in fields]
    words = {str(value) for value in values}
    if len(words) != 1:
        return "", "duplicate" if words else "no_ballot"
    return words.pop().strip() if isinstance(values[0], str) else "", ""


def read_number(fields: Mapping[str, object], name: str, scale: int = 1) -> Fraction | str | None:
    """A number on the given scale as a share; on a scale of 100, strictly between 0 and 1 it is one already."""
    value = fields.get(name)
    if value is None:
        return None
    stated = exact(value.removesuffix("%") if scale > 1 else value) if isinstance(value, str) else None
    if stated is None or not 0 <= stated <= scale:
        return BAD
    return stated if scale > 1 and 0 < stated < 1 else stated / scale


def is_share_of_hundred(fields: Mapping[str, object], names: Iterable[str]) -> bool:
    """Whether a number was written as a share where a scale of 100 was asked for."""
    return any(0 < (exact(str(fields.get(name))) or 0) < 1 for name in names)


def read_reason(fields: Mapping[str, object]) -> str:
    """Why, under whichever name."""
    return next((str(fields[key]) for key in _REASONS if key in fields), "")
