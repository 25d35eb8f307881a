"""The contradiction guard: why two texts must never be merged, however alike they look."""

from typing import Final

from quorate.similarity.contradiction import arguments, polarity
from quorate.similarity.contradiction import word_pairs as wording
from quorate.similarity.contradiction.quantities import difference
from quorate.similarity.contradiction.text_reading import Reading, read

__all__ = ["VERSION", "refusal"]

VERSION: Final = "guard 2 (WordNet 3.0)"


def refusal(a: str, b: str) -> str:
    """Why two texts may not be merged, in a word and what differs; empty if they may. It never raises."""
    one, other = read(a), read(b)
    if _said(one) == _said(other):
        return ""
    for name, check in _CHECKS:
        found = check(one, other)
        if found:
            return f"{name}: {found}"[:_LONGEST]
    return ""


def _said(one: Reading) -> tuple[object, ...]:
    return one.label, one.answer, one.line, one.clause.tokens, one.denied, one.scope


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
    ("order", arguments.order),
    ("particle", wording.joints),
    ("particle", arguments.particles),
    ("name", wording.names),
    ("name", arguments.persons),
    ("addition", wording.addition),
    ("substitution", wording.substitution),
)
