"""Amounts as people write them: 60s, 1h30m; 20 calls, 50k tokens, $0.50. Read from the digits, exactly."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.errors import BadSetting
from quorate.model.numbers import decimal, exact, share

__all__ = [
    "BUDGET_PARTS",
    "amount",
    "budget",
    "dollars",
    "error_share",
    "memory_tokens",
    "seconds",
    "switch",
    "whole",
    "written_budget",
    "written_error_share",
    "written_memory",
    "written_part",
    "written_seconds",
]

YEAR: Final = 366 * 24 * 3600
MOST: Final = 10**15
MOST_LOOKS: Final = 10
MILLION: Final = 10**6
MOST_PARTS: Final = 10**8
"""Parts of a whole that a share may name."""
SHOWN: Final = 60
USUAL_MEMORY: Final = 1_500
LEAST_MEMORY: Final = 100
MOST_MEMORY: Final = 20_000

_DIGITS: Final = r"\d{1,15}(?:\.\d{1,9})?"
_PART: Final = re.compile(rf"({_DIGITS})\s*(ms|[dhms])\s*", re.ASCII)
_PLAIN: Final = re.compile(_DIGITS, re.ASCII)
_COUNT: Final = re.compile(rf"({_DIGITS})\s*([kKmM]?)", re.ASCII)
_WORDED: Final = re.compile(rf"({_DIGITS}\s*[kKmM]?)\s*(calls?|tokens?)", re.ASCII)
_MONEY: Final = re.compile(rf"\$\s*({_DIGITS})|({_DIGITS})\s*(?:usd|USD|\$)", re.ASCII)
_UNITS: Final = MappingProxyType(
    {"ms": Fraction(1, 1000), "s": Fraction(1), "m": Fraction(60), "h": Fraction(3600), "d": Fraction(86400)}
)
_TIMES: Final = MappingProxyType({"": 1, "k": 1_000, "m": 1_000_000})
_SWITCH: Final = MappingProxyType({"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False})


def error_share(text: str) -> Fraction:
    """Read a share of decisions that may be wrong: 2.5%, 0.025 or 1/40.

    Raises:
        BadSetting: it is none, or not between 0 and 1.
    """
    found = share(text)
    if found is None or not 0 < found < 1 or found.denominator > MOST_PARTS:
        raise BadSetting(f"act_error is a share of decisions between 0 and 1, e.g. 2.5% or 1/40, not {text[:SHOWN]!r}")
    return found


def written_error_share(value: Fraction) -> str:
    """The same as it is shown."""
    return f"{decimal(100 * value)}%"


def seconds(text: str) -> Fraction:
    """Read a time: 60s, 2m, 1h30m, 500ms, or a bare number of seconds.

    Raises:
        BadSetting: it is none, or zero, or more than a year.
    """
    written = text.strip()
    total = Fraction(written) if _PLAIN.fullmatch(written) else _summed(written)
    if not 0 < total <= YEAR:
        raise BadSetting(f"must be greater than 0 and at most 1 year, not {_cut(text)}")
    return total


def _summed(written: str) -> Fraction:
    total, at, last = Fraction(0), 0, Fraction(YEAR)
    while at < len(written):
        part = _PART.match(written, at)
        if part is None or _UNITS[part[2]] >= last:
            at = -1
            break
        at, last = part.end(), _UNITS[part[2]]
        total += Fraction(part[1]) * last
    if at <= 0:
        raise BadSetting(f"must be a time such as 60s, 2m or 1h30m, not {_cut(written)}")
    return total


def budget(text: str) -> dict[str, int | Fraction]:
    """Read a budget: parts between commas, each of calls, tokens, money and unpriced at most once; the rest is unsaid.

    Raises:
        BadSetting: a part cannot be read, or stands there twice.
    """
    said: dict[str, int | Fraction] = {}
    for part in text.split(","):
        name, value = _budget_part(part.strip(), text)
        if name in said:
            raise BadSetting(f"{name} is given twice in the budget {_cut(text)}; give it once")
        said[name] = value
    return said


def _budget_part(part: str, text: str) -> tuple[str, int | Fraction]:
    name, equals, value = (word.strip() for word in part.partition("="))
    if equals and name in BUDGET_PARTS:
        return name, BUDGET_PARTS[name](value)
    if part == "unpriced":
        return "unpriced", True
    if _MONEY.fullmatch(part):
        return "money", dollars(part)
    if worded := _WORDED.fullmatch(part):
        return worded[2].removesuffix("s") + "s", amount(worded[1])
    raise BadSetting(
        "must be a budget such as '20 calls, 50k tokens, $0.50' or 'calls=20, tokens=50k, money=0.50, unpriced', "
        f"not {_cut(text)}"
    )


def amount(text: str) -> int:
    """Read how many: 20, 50k, 1.5M.

    Raises:
        BadSetting: it is no whole number above zero.
    """
    found = _COUNT.fullmatch(text.strip())
    many = Fraction(found[1]) * _TIMES[found[2].lower()] if found else Fraction(0)
    if many.denominator != 1 or not 0 < many <= MOST:
        raise BadSetting(f"must be a whole number above zero such as 20, 50k or 2M, not {_cut(text)}")
    return int(many)


def dollars(text: str) -> Fraction:
    """Read US dollars: 0.50, $0.50, 0.5usd.

    Raises:
        BadSetting: it is no amount of money.
    """
    found = _MONEY.fullmatch(text.strip())
    money = Fraction(found[1] or found[2]) if found else exact(text)
    if money is None or not 0 <= money <= MOST:
        raise BadSetting(f"must be an amount in US dollars such as 0.50 or $0.50, not {_cut(text)}")
    return money


def whole(text: str) -> int:
    """Read a plain whole number above zero, at most a million.

    Raises:
        BadSetting: it is none.
    """
    written = text.strip()
    if not (written.isascii() and written.isdecimal() and 0 < int(written[:8]) <= MILLION):
        raise BadSetting(f"must be a whole number from 1 to 1000000, not {_cut(text)}")
    return int(written)


def look_limit(text: str) -> int:
    """Read how many times a seat may look something up before one answer.

    Raises:
        BadSetting: it is no whole number from 1 to 10.
    """
    written = text.strip()
    if not (written.isascii() and written.isdecimal() and 1 <= int(written[:4]) <= MOST_LOOKS):
        raise BadSetting(f"must be a whole number from 1 to {MOST_LOOKS}, not {_cut(text)}")
    return int(written)


def switch(text: str) -> bool:
    """Read true or false.

    Raises:
        BadSetting: it is neither.
    """
    found = _SWITCH.get(text.strip().casefold())
    if found is None:
        raise BadSetting(f"must be true or false, not {_cut(text)}")
    return found


def memory_tokens(text: str) -> int:
    """Read how many tokens earlier decisions may take in a prompt: off is none, on as many as is usual.

    Raises:
        BadSetting: it is neither, and no number within bounds.
    """
    said = _SWITCH.get(text.strip().casefold())
    if said is not None:
        return USUAL_MEMORY if said else 0
    tokens = amount(text)
    if not LEAST_MEMORY <= tokens <= MOST_MEMORY:
        raise BadSetting(f"must be off, on, or from {LEAST_MEMORY} to {MOST_MEMORY} tokens, not {_cut(text)}")
    return tokens


def written_memory(tokens: int) -> str:
    """The same as it is written."""
    return f"{tokens} tokens" if tokens else "off"


def _cut(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def written_seconds(value: Fraction) -> str:
    """A time as it is written."""
    return f"{_decimal(value)} s"


def written_part(name: str, value: int | Fraction | None) -> str:
    """A part of a budget as it is written."""
    if name == "unpriced":
        return "true" if value else "false"
    if value is None:
        return "none"
    return f"${_decimal(Fraction(value))}" if name == "money" else str(value)


def written_budget(parts: Mapping[str, int | Fraction]) -> str:
    """A whole budget as it is written."""
    return ", ".join(_worded(name, value) for name, value in parts.items() if value)


def _worded(name: str, value: int | Fraction) -> str:
    if name == "unpriced":
        return name
    return f"${Decimal(_decimal(Fraction(value))):.2f}" if name == "money" else f"{int(value)} {name}"


def _decimal(value: Fraction) -> str:
    return format(Decimal(value.numerator) / Decimal(value.denominator), "f")


BUDGET_PARTS: Final[Mapping[str, Callable[[str], int | Fraction]]] = MappingProxyType(
    {"calls": amount, "tokens": amount, "money": dollars, "unpriced": switch}
)
"""What a budget may limit, and how each is read; `unpriced` lets models in whose price nobody knows."""
