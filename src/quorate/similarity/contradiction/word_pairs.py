"""Whether two texts put a different word in the same place: opposites, names, substitutions, places exchanged."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from quorate.similarity.contradiction.text_reading import Reading, initial
from quorate.similarity.lexicon import lexicon

__all__ = ["addition", "joints", "names", "opposites", "same", "substitution"]

_PAIRS: Final = 100_000
_LONGEST: Final = 30
"""Words of a text that are compared with each other; an option is shorter, and a speech is no option."""


@lru_cache(maxsize=4096)
def unmatched_words(a: Reading, b: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of each that the other has no word for: not itself, no synonym, no derived word, no initials."""
    here = _initialled([stem for stem in dict.fromkeys(a.stems) if stem not in b.stems], b)
    there = _initialled([stem for stem in dict.fromkeys(b.stems) if stem not in a.stems], a)
    here = [stem for stem in here if not any(same(stem, other) for other in b.stems)]
    there = [stem for stem in there if not any(same(stem, other) for other in a.stems)]
    return tuple(here), tuple(there)


@lru_cache(maxsize=_PAIRS)
def same(one: str, other: str) -> bool:
    """Whether two words can be put for each other."""
    return lexicon().same(one, other) or _shared_root(one, other)


def _shared_root(one: str, other: str) -> bool:
    """Forms that no lexicon lists: Ukraine and Ukrainian, microservice and microservices."""
    shorter, longer = sorted((one, other), key=len)
    root = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    return root >= _ROOT and len(longer) - root <= _ENDING and len(shorter) - root <= 1


def _initialled(missing: Sequence[str], other: Reading) -> list[str]:
    """Without those that are the other's initials, or spelled out in them: US and United States."""
    if not missing:
        return []
    spelled = {
        stem
        for size in range(2, 6)
        for at in range(len(missing) - size + 1)
        for stem in missing[at : at + size]
        if initial(missing[at : at + size]) in other.stems
    }
    return [stem for stem in missing if stem not in other.initials and stem not in spelled]


def opposites(a: Reading, b: Reading) -> str:
    """Increase and decrease, safe and unsafe, harmful and harmless, before and after."""
    for one, other in () if _TURNING.isdisjoint(a.line) else _CONTRARY:
        if _against(a.line, b.line, one, other):
            return f"{one}/{other}"
        if _against(b.line, a.line, one, other):
            return f"{other}/{one}"
    here, there = Counter(a.stems) - Counter(b.stems), Counter(b.stems) - Counter(a.stems)
    for one in here:
        for other in there:
            if _opposed(one, other):
                return f"{one}/{other}"
    return ""


@lru_cache(maxsize=_PAIRS)
def _opposed(one: str, other: str) -> bool:
    return _prefixed(one, other) or (lexicon().opposed(one, other) and not lexicon().same(one, other))


def _against(here: Sequence[str], there: Sequence[str], one: str, other: str) -> bool:
    """Whether one text has more of the one word, and the other more of the other."""
    return here.count(one) > there.count(one) and there.count(other) > here.count(other)


def _prefixed(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _SHORTEST:
        return False
    if any(longer == prefix + shorter for prefix in _PREFIXES) or longer == f"{shorter}less":
        return True
    return any(shorter.removesuffix(full) + "less" in {one, other} for full in ("ful", "y") if shorter.endswith(full))


def joints(a: Reading, b: Reading) -> str:
    """The same words, joined the other way: to and from, and and or, must and may."""
    for one, other in _MODALS if any(unmatched_words(a, b)) else (*PARTICLE_PAIRS, *_MODALS):
        if _against(a.line, b.line, one, other) or _against(b.line, a.line, one, other):
            return f"{one}/{other}"
    return ""


def names(a: Reading, b: Reading) -> str:
    """Each names something the other does not."""
    here, there = unmatched_words(a, b)
    mine = [stem for stem in here if stem in a.names]
    yours = [stem for stem in there if stem in b.names]
    return f"{mine[0]}/{yours[0]}" if mine and yours else ""


def addition(a: Reading, b: Reading) -> str:
    """One joins something to what the other has alone: Redis, Redis and Kafka; or says more of the same."""
    here, there = unmatched_words(a, b)
    if len(_JOINTS & set(a.line)) == len(_JOINTS & set(b.line)):
        return ""
    if not here and not there:
        return _repeated(a.stems, b.stems)
    if bool(here) == bool(there):
        return ""
    more, stems = (a, here) if here else (b, there)
    joined = [stem for stem in stems if stem in more.names or is_short(a, b)]
    return joined[0] if joined and not _JOINTS.isdisjoint(more.line) else ""


def _repeated(a: Sequence[str], b: Sequence[str]) -> str:
    """A word that both have, and one of them more often."""
    again = (Counter(a) - Counter(b)) | (Counter(b) - Counter(a))
    return next((stem for stem in again if stem in a and stem in b), "")


def is_short(a: Reading, b: Reading) -> bool:
    return min(len(one.stems) + len(one.amounts) for one in (a, b)) <= _SHORT


def substitution(a: Reading, b: Reading) -> str:
    """A word stands where another stood and the two are no synonyms, or as much differs as is shared."""
    here, there = unmatched_words(a, b)
    if not (a.stems or b.stems or a.amounts or a.marks):
        return "" if a.line == b.line else f"{' '.join(a.line)}/{' '.join(b.line)}"
    if not here or not there:
        return ""
    if len(here) == len(there) == 1:
        return "" if _openings(a, b, here[0], there[0]) else f"{here[0]}/{there[0]}"
    return _replaced(a, b, here, there)


def _replaced(a: Reading, b: Reading, here: Sequence[str], there: Sequence[str]) -> str:
    """Of several words that the other has none for: all, or the first pair that stands in one place."""
    short = is_short(a, b)
    shared = len(set(a.stems) & set(b.stems)) + len(set(a.amounts) & set(b.amounts))
    if short and shared <= max(len(here), len(there)) and not _explained(here, there):
        return f"{' '.join(here)}/{' '.join(there)}"
    slots = ((one, other) for one, other in _slots(a.stems, b.stems) if one in here or other in there)
    return next((f"{one}/{other}" for one, other in slots if _differ(one, other, short=short)), "")


def _differ(one: str, other: str, *, short: bool) -> bool:
    """Whether one is another choice than the other; in a long text only what is chosen among its like is."""
    return not lexicon().akin(one, other) and (short or lexicon().siblings(one, other))


def _openings(a: Reading, b: Reading, one: str, other: str) -> bool:
    """Whether the two are what each text asks to do, one a way of doing the other: raise wages, increase wages."""
    return (a.stems[0], b.stems[0]) == (one, other) and lexicon().akin(one, other)


def _explained(here: Sequence[str], there: Sequence[str]) -> bool:
    """Whether every word of the shorter side is akin to one of the longer."""
    fewer, more = sorted((here, there), key=len)
    return all(any(lexicon().akin(one, other) for other in more) for one in fewer)


def _slots(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Words with the same neighbour before and behind."""
    framed = {(before, behind): word for before, word, behind in zip(("", *a), a, (*a[1:], ""), strict=False)}
    for before, word, behind in zip(("", *b), b, (*b[1:], ""), strict=False):
        one = framed.get((before, behind))
        if one is not None and one != word:
            yield one, word


_SHORT: Final = 7
"""In so short a text a word in another's place is another choice; in a long one it may be another way to say it."""
_ROOT: Final = 5
_ENDING: Final = 4
_SHORTEST: Final = 3
_PREFIXES: Final = ("un", "dis", "in", "im", "il", "ir", "non", "de", "mis", "anti", "counter", "a", "under", "over")
_CONTRARY: Final = (
    ("before", "after"),
    ("for", "against"),
    ("support", "against"),
    ("above", "below"),
    ("more", "less"),
    ("more", "few"),
    ("most", "least"),
    ("high", "low"),
    ("add", "remove"),
    ("support", "oppose"),
    ("keep", "remove"),
    ("inside", "outside"),
    ("with", "without"),
    ("upper", "low"),
    ("continue", "stop"),
    ("good", "bad"),
    ("good", "worse"),
    ("better", "worse"),
    ("best", "worst"),
    ("since", "until"),
)
_TURNING: Final = frozenset(word for pair in _CONTRARY for word in pair)
PARTICLE_PAIRS: Final = (
    ("to", "from"),
    ("into", "from"),
    ("in", "out"),
    ("on", "off"),
    ("up", "down"),
    ("over", "under"),
    ("and", "or"),
    ("before", "during"),
    ("during", "after"),
    ("until", "after"),
    ("before", "since"),
    ("by", "after"),
)
_MODALS: Final = (("must", "may"), ("must", "can"), ("must", "might"), ("must", "could"))
_JOINTS: Final = frozenset({"and", "or", "plus"})
