"""The contradiction guard: why two texts must never be merged, however alike they look."""

from typing import Final

from quorate.similarity.contradiction import polarity, wording
from quorate.similarity.contradiction.amounts import difference
from quorate.similarity.contradiction.reading import Reading, read

__all__ = ["VERSION", "refusal"]

VERSION: Final = "guard 1 (WordNet 3.0)"


def refusal(a: str, b: str) -> str:
    """Why two texts may not be merged, in a word and what differs; empty if they may. It never raises."""
    one, other = read(a), read(b)
    if (one.line, one.amounts, one.answer, one.label) == (other.line, other.amounts, other.answer, other.label):
        return ""
    for name, check in _CHECKS:
        found = check(one, other)
        if found:
            return f"{name}: {found}"[:_LONGEST]
    return ""


def _marks(a: Reading, b: Reading) -> str:
    if a.label and b.label and a.label != b.label:
        return f"{a.label.upper()}/{b.label.upper()}"
    here, there = sorted(a.marks - b.marks - {b.label}), sorted(b.marks - a.marks - {a.label})
    if not here and not there:
        return ""
    return f"{here[0].upper() if here else 'none'}/{there[0].upper() if there else 'none'}"


def _numbers(a: Reading, b: Reading) -> str:
    return difference(a.amounts, b.amounts)


_LONGEST: Final = 120
_CHECKS: Final = (
    ("yes/no", polarity.answers),
    ("negation", polarity.negation),
    ("enumerator", _marks),
    ("number", _numbers),
    ("opposite", wording.opposites),
    ("quantity", polarity.quantifiers),
    ("reversal", polarity.reversal),
    ("order", wording.order),
    ("particle", wording.particles),
    ("name", wording.names),
    ("addition", wording.addition),
    ("substitution", wording.substitution),
)
