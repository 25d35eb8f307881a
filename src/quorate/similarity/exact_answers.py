r"""Answers that are exact: numbers, dates, formulas and names. What is equal is the same, and what differs never is.

`1/2`, `0.5` and `\frac{1}{2}` are one number, `May 12, 1999` and `1999-05-12` one day, `The Beatles` and `Beatles` one
name; `-x` is not `x`, and `-10 %` is not `+10 %`.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

__all__ = ["ExactForm", "differs", "exact_form", "plain_name", "signs"]


class ExactForm(NamedTuple):
    """What kind of exact answer it is, and its value; of another kind it is neither the same nor another."""

    kind: str
    value: str


_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NUMBERS: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, month in enumerate(_MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
)
_MONTH: Final = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_DATES: Final = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"),
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\.?,?\s+(?P<year>\d{{4}})"),
    re.compile(rf"(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"),
    re.compile(rf"(?P<month>{_MONTH})\.?,?\s+(?P<year>\d{{4}})(?P<day>)"),
)
_NUMBER: Final = re.compile(
    r"(?P<sign>[-+]?)\s?(?P<unit>[$€£¥]?)\s?(?P<sign2>[-+]?)(?P<digits>\d{1,3}(?:,\d{3}){1,6}|\d{1,30})(?P<rest>\.\d{1,30})?"
    r"(?:\s?/\s?(?P<under>[1-9]\d{0,29}))?\s?(?P<share>%?)"
)
_FRACTION: Final = re.compile(r"\\[dt]?frac\s?\{\s?(-?\d{1,30})\s?\}\s?\{\s?(\d{1,30})\s?\}")
_AROUND: Final = re.compile(
    r"\s*(?:\"(?P<a>[^\"]*)\"|'(?P<b>[^']*)'|“(?P<c>[^”]*)”|‘(?P<d>[^’]*)’|\$(?P<e>[^$]*)\$|\\boxed\{(?P<f>.*)\}"
    r"|\\text\{(?P<g>[^{}]*)\}|`(?P<h>[^`]*)`)[.\s]*",
    re.DOTALL,
)
_FORMULA: Final = re.compile(r"[-+]?(?:[a-z]|\d|sin|cos|tan|log|ln|exp|sqrt|pi|[-+*/^=().,{}\\|<> ])+")
_WORD: Final = re.compile(r"[a-z]+")
_FUNCTIONS: Final = frozenset({"sin", "cos", "tan", "log", "ln", "exp", "sqrt", "pi"})
_OPERATES: Final = re.compile(r"[-+*/^=()]|\d[a-z]|\b[a-z]\b")
_LONGEST: Final = 200
_LAYERS: Final = 4
_ARTICLE: Final = re.compile(r"(?:the|an?)\s+(?=\w)")
_INITIALS: Final = re.compile(r"\b([^\W\d_])\.(?=[^\W\d_]\b|\s|\Z)")
_SIGNED: Final = re.compile(r"(?<![\w.)\]}%])([-+])(?=[$€£¥]?[\w\\(.])(\$?[€£¥]?[\w.]{1,40})")
_DASHES: Final = re.compile("[\u2212\u2012\u2013\ufe63\uff0d]")


@lru_cache(maxsize=4096)
def exact_form(text: str) -> ExactForm | None:
    """A text as the exact answer it is, if it is one."""
    said = _bare(text)
    if not said or len(said) > _LONGEST:
        return None
    return _date(said) or _number(said) or _formula(said)


def differs(a: str, b: str) -> str:
    """What differs between two exact answers of one kind; empty if they are equal, or not both exact."""
    one, other = exact_form(a), exact_form(b)
    if one is None or other is None or one.kind != other.kind or one == other:
        return ""
    return f"{one.value} / {other.value}"


@lru_cache(maxsize=4096)
def plain_name(text: str) -> str:
    """A name without article, quotation marks, case, dots of initials and the full stop behind it."""
    said = " ".join(_bare(text).split())
    return _INITIALS.sub(r"\1", _ARTICLE.sub("", said, count=1)).strip(" .!")


def signs(a: str, b: str) -> str:
    """A number or letter that bears a minus in one text and not in the other."""
    here, there = _signs(a), _signs(b)
    for one, other, text in ((here, there, b), (there, here, a)):
        for thing, sign in one.items():
            if sign == "-" and other.get(thing, "+") != "-" and _holds(text, thing):
                return f"-{thing}"
    return ""


def _signs(text: str) -> dict[str, str]:
    found = _SIGNED.findall(_DASHES.sub("-", text[:_SCANNED]))
    return {thing.casefold().rstrip("."): sign for sign, thing in found}


_SCANNED: Final = 4_000


def _holds(text: str, thing: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(thing)}(?!\w)", text[:_SCANNED].casefold()) is not None


def _bare(text: str) -> str:
    said = _DASHES.sub("-", text.strip()).casefold()
    for _ in range(_LAYERS):
        found = _AROUND.fullmatch(said)
        if found is None:
            break
        said = next((part for part in found.groups() if part is not None), "").strip()
    return said.rstrip(". ")


def _date(said: str) -> ExactForm | None:
    found = next((match for pattern in _DATES if (match := pattern.fullmatch(said))), None)
    if found is None:
        return None
    month = _MONTH_NUMBERS.get(found["month"]) or int(found["month"])
    day = f"-{int(found['day']):02}" if found["day"] else ""
    return ExactForm("day" if day else "month", f"{found['year']}-{month:02}{day}")


def _number(said: str) -> ExactForm | None:
    latex = _FRACTION.fullmatch(said.lstrip("+-"))
    if latex is not None and int(latex[2]):
        value = Fraction(int(latex[1]), int(latex[2])) * (-1 if said.startswith("-") else 1)
        return ExactForm("number", str(value))
    found = _NUMBER.fullmatch(said)
    if found is None or (found["sign"] and found["sign2"]):
        return None
    value = Fraction(found["digits"].replace(",", "") + (found["rest"] or "")) / int(found["under"] or 1)
    value = -value if "-" in (found["sign"], found["sign2"]) else value
    return ExactForm(f"number {found['unit']}{found['share']}".strip(), str(value))


def _formula(said: str) -> ExactForm | None:
    """Letters that stand alone, figures and signs; words are none."""
    said = said[1:-1] if said.startswith("(") and said.find(")") == len(said) - 1 else said
    if not _FORMULA.fullmatch(said) or not _OPERATES.search(said):
        return None
    if any(len(word) > 1 and word not in _FUNCTIONS for word in _WORD.findall(said.replace("\\", " "))):
        return None
    return ExactForm("formula", said.replace(" ", "").replace("\\", "").lstrip("+"))
