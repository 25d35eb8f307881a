"""Numbers as they are meant: with units, bounds and dates, written in digits or in words."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from quorate.similarity.words import LABELS, Word, word_set

__all__ = ["MONTHS", "Amount", "amounts", "difference"]


class Amount(NamedTuple):
    """A number, its unit and whether it is a least or a most; `loose` for a one that may be a mere article."""

    value: Fraction
    unit: str
    bound: str
    shown: str
    loose: bool = False


def amounts(words: Sequence[Word]) -> tuple[dict[int, Amount], frozenset[int]]:
    """The amounts of a text by the place of their last word, and the places of all words that they are made of."""
    found: dict[int, Amount] = {}
    used: set[int] = set()
    at = 0
    while at < len(words):
        end = at
        for reader in (_date, _number) if words[at].kind != "word" or words[at].text in _BEGINNINGS else ():
            value, unit, end = reader(words, at)
            if end > at:
                bound, places = _bound(words, at, end)
                shown = " ".join(word.written for word in words[at:end])
                loose = shown.casefold() in _LOOSE and not (at and words[at - 1].stem in LABELS)
                found[end - 1] = Amount(value, unit, bound, shown, loose)
                used.update(range(at, end), places)
                break
        at = max(end, at + 1)
    return found, frozenset(used)


def difference(a: Sequence[Amount], b: Sequence[Amount]) -> str:
    """The first amounts that differ, as they were written; empty if none does."""
    if {one[:3] for one in a} == {one[:3] for one in b}:
        return ""
    here, there = _unmatched(a, b), _unmatched(b, a)
    if not here and not there:
        return ""
    return f"{_shown(here)}/{_shown(there)}"


def _unmatched(a: Sequence[Amount], b: Sequence[Amount]) -> list[Amount]:
    known = {one[:3] for one in b}
    return [one for one in a if one[:3] not in known and not (one.loose and not one.bound)]


def _shown(some: Sequence[Amount]) -> str:
    return " ".join(filter(None, (some[0].bound, some[0].shown))) if some else "none"


def _number(words: Sequence[Word], at: int) -> tuple[Fraction, str, int]:
    """A number with its currency before it and its multiplier and unit behind it."""
    start = at
    currency = words[at].text in _CURRENCIES
    value, unit, at = _value(words, at + currency)
    if at == start + currency:
        return value, "", start
    while at < min(len(words), start + _REACH) and words[at].text in _MULTIPLIERS:
        value, at = value * _MULTIPLIERS[words[at].text], at + 1
    if currency:
        return value, words[start].text, at
    if not unit and at < len(words) and words[at].text in _UNITS:
        unit, at = words[at].text, at + 1
    name, factor = _UNITS.get(unit, (unit, Fraction(1)))
    return value * factor, name, at


def _value(words: Sequence[Word], at: int) -> tuple[Fraction, str, int]:
    if at >= len(words):
        return Fraction(0), "", at
    word = words[at]
    if word.kind == "number":
        return *_digits(word.text), at + 1
    if word.text in _ORDINALS:
        return Fraction(_ORDINALS[word.text]), "th", at + 1
    if word.written.isupper() and word.text in _ROMAN and at and words[at - 1].stem in LABELS:
        return Fraction(_ROMAN[word.text]), "", at + 1
    return _spelled(words, at)


def _spelled(words: Sequence[Word], at: int) -> tuple[Fraction, str, int]:
    """Twenty five, two hundred: what follows is added if it is smaller, and multiplied if it is a hundred."""
    total, start = Fraction(0), at
    while at < min(len(words), start + _REACH) and words[at].text in _SPELLED:
        part = _SPELLED[words[at].text]
        if part == _HUNDRED and total:
            total *= part
        elif at == start or part < _least_place(total):
            total += part
        else:
            break
        at += 1
    return total, "", at


def _least_place(total: Fraction) -> int:
    return next((place for place in (100, 10) if total % place == 0), 1)


def _digits(text: str) -> tuple[Fraction, str]:
    if len(text) > _LONGEST:
        return Fraction(0), text
    digits = text.rstrip("".join(set(text) - set("0123456789.,")))
    suffix = text[len(digits) :]
    value = Fraction(digits.replace(",", "").rstrip("."))
    if suffix in {"st", "nd", "rd", "th"}:
        return value, "th"
    return (value * _MULTIPLIERS[suffix], "") if suffix in _MULTIPLIERS else (value, suffix)


def _date(words: Sequence[Word], at: int) -> tuple[Fraction, str, int]:
    """January 1, 2028 · 1 January 2028 · 2028-01-01 · the start of 2028 · January 2028, each as one number."""
    texts = [_plain_day(word.text) for word in words[at : at + 3]]
    match texts:
        case [month, day, year] if _is_date(month, day, year):
            return _day(year, _MONTHS[month], day), "date", at + 3
        case [day, month, year] if _is_date(month, day, year):
            return _day(year, _MONTHS[month], day), "date", at + 3
        case [year, month, day] if _is_year(year) and _is_month_and_day(month, day):
            return _day(year, int(month), day), "date", at + 3
        case ["start" | "beginning", "of", year] if _is_year(year):
            return _day(year, 1, "1"), "date", at + 3
        case [month, year, *_] if month in _MONTHS and _is_year(year):
            return _day(year, _MONTHS[month], "0"), "date", at + 2
        case _:
            return Fraction(0), "", at


def _is_date(month: str, day: str, year: str) -> bool:
    return month in _MONTHS and _is(day, 31) and _is_year(year)


def _is_month_and_day(month: str, day: str) -> bool:
    return len(month) == len(day) == 2 and _is(month, 12) and _is(day, 31)  # noqa: PLR2004 - two digits each


def _plain_day(text: str) -> str:
    return text[:-2] if text[-2:] in {"st", "nd", "rd", "th"} and text[:-2].isdecimal() else text


def _day(year: str, month: int, day: str) -> Fraction:
    return Fraction(int(year) * 10_000 + month * 100 + int(day))


def _is(text: str, most: int) -> bool:
    return text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= most  # noqa: PLR2004 - at most two digits


def _is_year(text: str) -> bool:
    return text.isdecimal() and len(text) == 4  # noqa: PLR2004 - a year has four digits


def _bound(words: Sequence[Word], start: int, end: int) -> tuple[str, range]:
    """Whether the number is a least or a most: what stands right before it, or right after."""
    for back in range(start, max(start - _REACH, 0), -1):
        for phrase, bound in _BEFORE.get(words[back - 1].text, ()):
            if back >= len(phrase) and _texts(words, back - len(phrase), back) == phrase:
                return bound, range(back - len(phrase), back)
        if words[back - 1].text not in _BETWEEN:
            break
    for phrase, bound in _AFTER.get(words[end].text, ()) if end < len(words) else ():
        if _texts(words, end, end + len(phrase)) == phrase:
            return bound, range(end, end + len(phrase))
    return "", range(0)


def _texts(words: Sequence[Word], start: int, end: int) -> tuple[str, ...]:
    return tuple(word.text for word in words[start:end])


def _phrases(table: dict[str, str], key: int) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Phrases with what they mean, by their first or last word, the longest first."""
    found = [(tuple(phrase.split()), bound) for bound, listed in table.items() for phrase in listed.split(", ")]
    found.sort(key=lambda pair: -len(pair[0]))
    return {word: [pair for pair in found if pair[0][key] == word] for word in {phrase[key] for phrase, _ in found}}


_REACH: Final = 4
_LONGEST: Final = 40
"""Digits; a longer number is compared as it is written."""
_HUNDRED: Final = 100
_BETWEEN: Final = word_set("a an the of by to $ € £ about around some total usd eur gbp cad aud chf")
_BEFORE: Final = _phrases(
    {
        "at least": "at least, minimum, minimum of, no less than, no fewer than, not less than, not fewer than, ≥, "
        "not below, not under",
        "more than": "more than, greater than, higher than, larger than, bigger than, longer than, over, above, "
        "exceed, exceeds, exceeding, exceeded, surpass, surpasses, surpassing, surpassed, beyond, upwards of, "
        "in excess of, >",
        "at most": "at most, maximum, maximum of, no more than, not more than, no greater than, up to, no higher than, "
        "no larger than, no longer than, ≤, not over, not above, not exceed, not exceeding",
        "less than": "less than, fewer than, lower than, smaller than, shorter than, under, below, <",
    },
    -1,
)
_AFTER: Final = _phrases(
    {
        "at least": "or more, or above, or higher, or greater, or over, or larger, or longer, and above, and up, +, "
        "and more, minimum, at least, at minimum",
        "at most": "or less, or fewer, or below, or lower, or under, or smaller, or shorter, and below, maximum, "
        "at most, at maximum",
    },
    0,
)
_CURRENCIES: Final = frozenset({"$", "€", "£"})
_MULTIPLIERS: Final = {
    "k": 1000,
    "thousand": 1000,
    "m": 10**6,
    "mn": 10**6,
    "million": 10**6,
    "bn": 10**9,
    "billion": 10**9,
    "trillion": 10**12,
    "tn": 10**12,
    "dozen": 12,
}
_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety"
_SPELLED: Final = (
    {word: number for number, word in enumerate(_SMALL.split())}
    | {word: 10 * tens for tens, word in enumerate(_TENS.split(), 3)}
    | {"hundred": _HUNDRED, "once": 1, "twice": 2, "dozen": 12}
)
_PLACES: Final = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS: Final = {word: number for number, word in enumerate(_PLACES.split(), 1)}
_LOOSE: Final = frozenset({"one", "once", "first"})
_LATIN: Final = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
_ROMAN: Final = {word: number for number, word in enumerate(_LATIN.split(), 1)}
MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTHS: Final = {name[:length]: number for number, name in enumerate(MONTHS, 1) for length in (3, 4, len(name))}
_MINUTE, _HOUR, _DAY = Fraction(60), Fraction(3600), Fraction(86_400)


def _units() -> dict[str, tuple[str, Fraction]]:
    """Unit as it is written: its dimension, and how much of the dimension's own unit it is."""
    table: dict[str, tuple[str, Fraction]] = {}
    for dimension, sizes in _DIMENSIONS.items():
        for factor, names in sizes:
            table |= dict.fromkeys(names.split(), (dimension, Fraction(factor)))
    return table


_DIMENSIONS: Final[dict[str, tuple[tuple[Fraction | int, str], ...]]] = {
    "%": ((1, "% percent pct percentage"), (Fraction(1, 100), "bps bp")),
    "$": ((1, "dollar dollars usd"), (Fraction(1, 100), "cent cents")),
    "€": ((1, "euro euros eur"),),
    "£": ((1, "pound pounds gbp"),),
    "s": (
        (Fraction(1, 1000), "ms millisecond milliseconds msec"),
        (1, "s sec secs second seconds"),
        (_MINUTE, "min mins minute minutes"),
        (_HOUR, "h hr hrs hour hours"),
        (_DAY, "d day days"),
        (7 * _DAY, "week weeks wk wks"),
    ),
    "months": ((1, "month months"), (3, "quarter quarters"), (12, "y yr yrs year years"), (120, "decade decades")),
    "bytes": (
        (1, "b byte bytes"),
        (10**3, "kb kilobyte kilobytes"),
        (2**10, "kib"),
        (10**6, "mb megabyte megabytes"),
        (2**20, "mib"),
        (10**9, "gb gigabyte gigabytes"),
        (2**30, "gib"),
        (10**12, "tb terabyte terabytes"),
        (2**40, "tib"),
        (10**15, "pb petabyte petabytes"),
    ),
    "bits": ((10**3, "kbps"), (10**6, "mbps"), (10**9, "gbps")),
    "m": (
        (Fraction(1, 1000), "mm millimeter millimeters millimetre millimetres"),
        (Fraction(1, 100), "cm centimeter centimeters centimetre centimetres"),
        (1, "meter meters metre metres"),
        (1000, "km kilometer kilometers kilometre kilometres"),
    ),
    "ft": ((1, "ft foot feet"), (5280, "mile miles mi"), (Fraction(1, 12), "inch inches")),
    "g": ((Fraction(1, 1000), "mg"), (1, "g gram grams"), (1000, "kg kilo kilos kilogram kilograms")),
    "t": ((1, "ton tons tonne tonnes"),),
    "w": ((1, "w watt watts"), (10**3, "kw"), (10**6, "mw megawatt megawatts"), (10**9, "gw gigawatt gigawatts")),
    "hz": ((10**6, "mhz"), (10**9, "ghz")),
    "degrees": ((1, "degree degrees"),),
    "x": ((1, "x times fold"),),
}
_UNITS: Final = _units()
_BEGINNINGS: Final = frozenset({"start", "beginning", *_CURRENCIES, *_SPELLED, *_ORDINALS, *_ROMAN, *_MONTHS})
"""Words that a date or a number may begin with, beside digits."""
