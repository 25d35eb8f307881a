"""Exact numbers: read from the digits, shown as percent, never a float in between."""

import json
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, cast

from quorate.model.once import lazy_pattern

TWO_THIRDS: Final = Fraction(2, 3)

_NUMBER = lazy_pattern(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATIO = lazy_pattern(r"\d{1,9}\s*/\s*\d{1,9}", re.ASCII)
_MEANT_AS_TWO_THIRDS: Final = (Fraction(66, 100), Fraction(67, 100))


def exact(text: str) -> Fraction | None:
    """Read a number as it is written, none if it is not one."""
    digits = text.strip()
    return _fraction(digits) if _NUMBER.fullmatch(digits) else None


@lru_cache(maxsize=1024)
def _fraction(digits: str) -> Fraction:
    """The same few numbers are written over and over, and to make a fraction of digits takes long."""
    return Fraction(digits)


def share(text: str) -> Fraction | None:
    """Read a share written 2/3, 0.66, 67 % or 67%; 66 and 67 percent mean two thirds."""
    written = text.strip()
    if _RATIO.fullmatch(written):
        over, under = (int(part) for part in written.split("/"))
        return Fraction(over, under) if under else None
    number = exact(written.removesuffix("%").rstrip())
    if number is None:
        return None
    value = number / 100 if written.endswith("%") else number
    return TWO_THIRDS if value in _MEANT_AS_TWO_THIRDS else value


def percent(value: Fraction) -> str:
    """Show a share as people write it: 66.7 %, 50 %."""
    return _percent(*value.as_integer_ratio())


@lru_cache(maxsize=1024)
def _percent(over: int, under: int) -> str:
    """The same few shares of seats come again and again."""
    tenths, rest = divmod(over * 1000, under)
    if 2 * rest > under or (2 * rest == under and tenths % 2):
        tenths += 1  # half to even, as `round` has it
    whole, rest = divmod(abs(tenths), 10)
    return f"{'-' if tenths < 0 else ''}{whole}{f'.{rest}' if rest else ''} %"


def decimal(value: Fraction) -> str:
    """Show a number in digits, exact where they end and to 40 of them where they do not."""
    if value.denominator == 1:
        return str(value.numerator)
    exactly = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
    return format(exactly.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(exactly), "f")


_DIGITS: Final = 40
_PRECISE: Final = Context(prec=30, rounding=ROUND_HALF_EVEN)
"""The exponential and the logarithm are rounded correctly to so many digits, so they are the same everywhere."""


@lru_cache(maxsize=4096)
def exponential(value: Fraction) -> Fraction:
    """The exponential of a number, to thirty digits."""
    return Fraction(_PRECISE.exp(_PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))))


@lru_cache(maxsize=4096)
def logarithm(value: Fraction) -> Fraction:
    """The natural logarithm of a number above 0, to thirty digits."""
    return Fraction(_PRECISE.ln(_PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))))


def numbers_by_name(text: str) -> tuple[tuple[str, Fraction], ...] | None:
    """Read an object of names and numbers, {"Ann": 1.25, "Ben": -0.5}, in the order of the names; none if it is not."""
    try:
        written: object = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    pairs = cast("dict[str, object]", written) if isinstance(written, dict) else {"": written}
    numbers = {name: exact(number) if isinstance(number, str) else None for name, number in pairs.items()}
    known = tuple(sorted((name, number) for name, number in numbers.items() if number is not None))
    return known if len(known) == len(pairs) else None


@lru_cache(maxsize=1024)
def ratio(over: int, under: int) -> Fraction:
    """So many of so many: the same few shares of seats come again and again, and to make a fraction takes long."""
    return Fraction(over, under)


def mean(numbers: Sequence[Fraction]) -> Fraction:
    """The mean of some numbers, exactly; adding up what has one denominator is adding whole numbers."""
    total, shared = numbers[0].as_integer_ratio()
    for number in numbers[1:]:
        over, under = number.as_integer_ratio()
        if under != shared:
            whole = lcm(shared, under)
            total, over, shared = total * (whole // shared), over * (whole // under), whole
        total += over
    return ratio(total, shared * len(numbers))
