"""The contradiction guard: why two texts must never be merged, however alike they look."""

from collections.abc import Iterator
from typing import Final

from quorate.similarity.contradiction import arguments
from quorate.similarity.contradiction import word_pairs as wording
from quorate.similarity.contradiction.quantities import MONTHS, difference
from quorate.similarity.contradiction.text_reading import Reading, read
from quorate.similarity.exact_answers import differs, exact_form, signs
from quorate.similarity.lexicon import lexicon
from quorate.similarity.words import word_set

__all__ = ["VERSION", "refusal"]


def answers(a: Reading, b: Reading) -> str:
    """Yes against no."""
    return f"{a.answer}/{b.answer}" if a.answer and b.answer and a.answer != b.answer else ""


def negation(a: Reading, b: Reading) -> str:
    """One is negated and the other is not, or they negate different things."""
    if _denies(a) != _denies(b) or a.negators != b.negators:
        return next(iter(sorted((a.denied ^ b.denied) or a.denied | b.denied)), "") or "not"
    for one, other in ((a, b), (b, a)):
        for stem in sorted(one.denied - other.scope):
            if stem in other.stems:
                return stem
    return ""


def _denies(one: Reading) -> bool:
    return one.negators > 0 or one.answer == "no"


def reversal(a: Reading, b: Reading) -> str:
    """One undoes, hinders or puts off what the other does."""
    here, there = tuple(_unanswered(a, b)), tuple(_unanswered(b, a))
    return "" if bool(here) == bool(there) else (here or there)[0]


def _unanswered(one: Reading, other: Reading) -> Iterator[str]:
    """Reversers that the other has nothing akin to."""
    for word in _reversers(one):
        if word not in other.small and not any(lexicon().akin(word, stem) for stem in other.stems):
            yield word


def _reversers(one: Reading) -> Iterator[str]:
    yield from (stem for stem in one.stems if stem in _REVERSERS)
    yield from sorted(one.small & {"against"})


def quantifiers(a: Reading, b: Reading) -> str:
    """All against some, daily against weekly, or a limit that only one of them sets: only, if."""
    one, other = _QUANTIFIERS & set(a.line), _QUANTIFIERS & set(b.line)
    if one == other:
        return ""
    for family in _FAMILIES:
        here, there = _of(one, family), _of(other, family)
        if here and there and not here & there:
            return f"{min(here)}/{min(there)}"
    return min(_LIMITS & (one | other)) if bool(_LIMITS & one) != bool(_LIMITS & other) else ""


def _of(said: frozenset[str], family: tuple[frozenset[str], ...]) -> set[str]:
    return {min(kind) for kind in family if kind & said}


def _family(*kinds: str) -> tuple[frozenset[str], ...]:
    return tuple(word_set(kind) for kind in kinds)


_LIMITS: Final = frozenset({"only", "solely", "exclusively", "if", "condition", "conditional", "conditionally"})
_FAMILIES: Final = (
    _family(
        "all every everyone everybody everything entire whole always fully completely full complete total",
        "some few several sometimes partial partially partly occasionally half",
        "most many majority mostly usually often",
    ),
    _family("hourly", "daily", "weekly", "biweekly", "monthly", "quarterly", "yearly annually annual"),
    _family("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekend"),
    _family(*(month for month in MONTHS if month != "may")),
    _family("today now immediately", "tomorrow", "yesterday", "later eventually"),
    _family("morning", "afternoon", "evening", "night"),
    _family("spring", "summer", "autumn", "winter"),
    _family("even", "odd"),
)
_QUANTIFIERS: Final = frozenset[str]().union(_LIMITS, *(kind for family in _FAMILIES for kind in family))
_REVERSERS: Final = word_set(
    "stop cease halt quit abandon cancel abort scrap drop discontinue terminate delay postpone defer suspend pause "
    "ban prohibit forbid block prevent reject refuse deny oppose resist veto disallow repeal revoke rescind reverse "
    "undo revert remove delete eliminate disable exclude withdraw abolish dismantle deprecate decommission unwind "
    "freeze shelve overturn overrule annul void nullify invalidate dismiss disapprove boycott ignore skip "
    "opposition rejection cancellation removal withdrawal ban suspension delay prohibition refusal denial end "
    "prevention termination abolition halt"
)


VERSION: Final = "guard 3 (WordNet 3.0)"


def refusal(a: str, b: str) -> str:
    """Why two texts may not be merged, in a word and what differs; empty if they may. It never raises."""
    exact = exact_form(a)
    if exact is not None and exact == exact_form(b):
        return ""
    found = next((f"{name}: {said}" for name, check in _BY_SIGNS if (said := check(a, b))), "")
    if found:
        return found[:_LONGEST]
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
_BY_SIGNS: Final = (("value", differs), ("sign", signs))
"""What is told by figures and signs, which no reading of words keeps."""
_CHECKS: Final = (
    ("yes/no", answers),
    ("negation", negation),
    ("enumerator", _marks),
    ("number", _numbers),
    ("opposite", wording.opposites),
    ("quantity", quantifiers),
    ("reversal", reversal),
    ("order", arguments.order),
    ("particle", wording.joints),
    ("particle", arguments.particles),
    ("name", wording.names),
    ("name", arguments.persons),
    ("addition", wording.addition),
    ("substitution", wording.substitution),
)
