"""Whether two texts put the same words in the same places: who does what to whom, from where, to where, on or off.

A word may stand elsewhere and mean the same: in a list, in a clause that was fronted, in the passive. Those are put in
one order before the places are compared. What else moves is taken for an exchange, unless both texts have words of
their own: then a word may have moved because it is said otherwise, and only an exchange of places counts.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from quorate.frozen import dataclass
from quorate.similarity.contradiction.clauses import END, PERSON, PREPOSITIONS, Token
from quorate.similarity.contradiction.text_reading import Reading
from quorate.similarity.contradiction.word_pairs import PARTICLE_PAIRS, same, unmatched_words
from quorate.similarity.words import word_set

__all__ = ["order", "particles", "persons"]

Tokens = tuple[Token, ...]
Places = tuple[int, int]
"""Where a word stands in the one text and in the other."""
Words = frozenset[str]


class Gap(NamedTuple):
    """What stands in two texts from a word that both have to the next one, which is the last of either."""

    mine: Tokens
    yours: Tokens
    before: tuple[Token, Token] | None
    """The word that the gap begins behind, as each text has it; none where the texts begin."""

    @property
    def is_direct(self) -> bool:
        return len(self.mine) == len(self.yours) == 1

    @property
    def is_governed(self) -> bool:
        """Whether the very same word stands right before, so that what leads the next is its own choice."""
        return self.is_direct and (self.before is None or self.before[0].key == self.before[1].key)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The tokens of two texts, and the places of those that both have, in the order of the first."""

    first: Tokens
    second: Tokens
    places: tuple[Places, ...]
    reworded: bool
    """Whether each has words of its own."""

    @property
    def in_order(self) -> bool:
        return all(j < behind for (_, j), (_, behind) in pairwise(self.places))

    @property
    def is_far(self) -> bool:
        """Whether it is too long to look at every two words."""
        return len(self.places) > _FAR

    @property
    def inversions(self) -> Iterator[tuple[Places, Places]]:
        """Words that stand the other way round; in a long text only neighbours."""
        pairs = pairwise(self.places) if self.is_far else combinations(self.places, 2)
        return ((one, other) for one, other in pairs if other[1] < one[1])

    @property
    def gaps(self) -> Iterator[Gap]:
        """All of them where nothing moved, else those between neighbours."""
        moved = not self.in_order
        for (i, j), (here, there) in pairwise(((-1, -1), *self.places)):
            before = (self.first[i], self.second[j]) if i >= 0 else None
            gap = Gap(self.first[i + 1 : here + 1], self.second[j + 1 : there + 1], before)
            if not moved or gap.is_direct:
                yield gap


def order(a: Reading, b: Reading) -> str:
    """The same words with their places exchanged: speed over safety, safety over speed."""
    return _exchange(_aligned(a, b))


def particles(a: Reading, b: Reading) -> str:
    """The same words, led otherwise: roll back and roll out, buy Acme and buy from Acme, reviews and is reviewed."""
    aligned = _aligned(a, b)
    loose = aligned.reworded and min(len(aligned.first), len(aligned.second)) > _SHORT
    for gap in aligned.gaps:
        one, other = _leads(gap.mine, gap), _leads(gap.yours, gap)
        if one != other and not _is_harmless(one, other, gap, loose=loose):
            return f"{_shown(one - other)}/{_shown(other - one)}"
    here, there = _adverbs(aligned.first), _adverbs(aligned.second)
    if not aligned.in_order and here != there:
        return f"{_shown(here)}/{_shown(there)}"
    return _voice(aligned)


def persons(a: Reading, b: Reading) -> str:
    """Our data and your data; pay us and pay Acme."""
    for gap in _aligned(a, b).gaps:
        mine, yours = _keys(gap.mine), _keys(gap.yours)
        one, other = _persons(mine), _persons(yours)
        if mine and yours and mine.isdisjoint(yours) and ((one and other) or one == mine or other == yours):
            return f"{_shown(mine)}/{_shown(yours)}".replace(PERSON, "")
    return ""


@lru_cache(maxsize=4096)
def _aligned(a: Reading, b: Reading) -> Alignment:
    """As the texts stand; or, if that is not the same order, with what is free to move moved."""
    reworded = all(unmatched_words(a, b))
    here, there = a.clause, b.clause
    plain = _align(here.tokens, there.tokens, reworded=reworded)
    if not _exchange(plain):
        return plain
    others = ((here.moved, there.moved), (here.settled, there.settled))
    aligned = (_align(first, second, reworded=reworded) for first, second in others)
    return next((one for one in aligned if not _exchange(one)), plain)


def _align(first: Tokens, second: Tokens, *, reworded: bool) -> Alignment:
    """The same word the same time it is said; words that only one of the texts has by their synonyms."""
    here, there = _by_key(first), _by_key(second)
    partners = {key: key for key in here if key in there} | _synonyms(
        [key for key in here if key not in there and first[here[key][0]].is_word],
        [key for key in there if key not in here and second[there[key][0]].is_word],
    )
    pairs = sorted(pair for key, other in partners.items() for pair in zip(here[key], there[other], strict=False))
    return Alignment(first, second, tuple(pairs), reworded)


def _by_key(tokens: Tokens) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        places.setdefault(token.key, []).append(at)
    return places


def _synonyms(here: Sequence[str], there: Sequence[str]) -> dict[str, str]:
    """One partner each, the nearest, drawn alike whichever text comes first."""
    candidates = sorted(
        (abs(i - j), min(one, other), max(one, other), one, other)
        for i, one in enumerate(here[:_MOST])
        for j, other in enumerate(there[:_MOST])
        if same(one, other)
    )
    partners: dict[str, str] = {}
    taken: set[str] = set()
    for *_, one, other in candidates:
        if one not in partners and other not in taken:
            partners[one] = other
            taken.add(other)
    return partners


def _exchange(aligned: Alignment) -> str:
    """Two words that took each other's places; empty if none did."""
    if aligned.in_order:
        return ""
    for one, other in aligned.inversions:
        if not aligned.is_far and (_is_compound(aligned, one, other) or _may_move(aligned, one, other)):
            continue
        return f"{aligned.first[one[0]].key}/{aligned.first[other[0]].key}"
    return ""


def _may_move(aligned: Alignment, one: Places, other: Places) -> bool:
    """Whether a word moved because it is said otherwise, and not because two took each other's places."""
    if not aligned.reworded:
        return False
    x, y, now_x, now_y = (
        aligned.first[one[0]],
        aligned.first[other[0]],
        aligned.second[one[1]],
        aligned.second[other[1]],
    )
    if (x.key == now_x.key) != (y.key == now_y.key):
        return True  # waste reduction, reducing waste
    if x.is_amount != y.is_amount:
        between = (*aligned.first[one[0] : other[0] + 1], *aligned.second[other[1] : one[1] + 1])
        return all(_JOINTS.isdisjoint(token.lead) for token in between)  # cut it by 10 %, a cut of 10 %
    stayed = x.role == y.role == now_x.role == now_y.role
    traded = x.role == now_y.role and y.role == now_x.role
    crossed = bool(x.role) == bool(now_y.role) != bool(y.role) == bool(now_x.role)
    return not (stayed or traded or crossed)


def _is_compound(aligned: Alignment, one: Places, other: Places) -> bool:
    """Whether both are parts of one thing with two names: the security of the API, API security."""
    first, second = aligned.first[one[0] : other[0] + 1], aligned.second[other[1] : one[1] + 1]
    head, now_head = (first[0], second[-1]) if _OF & set(first[1].lead) else (first[-1], second[0])
    spelled, packed = (first, second) if head is first[0] else (second, first)
    return (
        head.text == now_head.text
        and bool(_OF & set(spelled[1].lead))
        and not any(token.lead for token in (*spelled[2:], *packed[1:]))
        and not any(token.closes for token in (*spelled[:-1], *packed[:-1]))
    )


def _leads(tokens: Tokens, gap: Gap) -> Words:
    """What leads the last of these tokens, past those before it; at the end only what turns a verb."""
    last = tokens[-1]
    if last.key == END:
        return _adverbs(tokens) | (PREPOSITIONS & set(last.lead))
    led = next((led for led in (PREPOSITIONS & set(token.lead) for token in reversed(tokens)) if led), frozenset[str]())
    if not last.is_amount:
        return led
    until = {"to"} if gap.before and gap.before[0].is_amount else set[str]()
    return frozenset(_DATED.get(word, word) for word in led - until)


def _is_harmless(one: Words, other: Words, gap: Gap, *, loose: bool) -> bool:
    """Whether a text only says more, or, where much is said otherwise, nothing that turns it round."""
    apart, both = one ^ other, bool(one and other)
    if loose and (both or not gap.is_governed):
        return apart.isdisjoint(_ADVERBS | {"or"}) and not any(apart >= {x, y} for x, y in PARTICLE_PAIRS)
    if gap.before is None:
        return apart <= _WEAK and not (both and gap.is_direct)
    return apart <= (_SILENT | _BY if gap.mine[-1].is_share else _SILENT)


def _voice(aligned: Alignment) -> str:
    """Whoever does it in one text suffers it in the other: Bob reviews Alice, Bob is reviewed by Alice."""
    turned = next((gap.mine[-1].key for gap in aligned.gaps if _is_turned(gap)), "")
    if turned:
        return turned
    moved = {places for pair in aligned.inversions for places in pair}
    stayed = ((aligned.first[i], aligned.second[j]) for i, j in aligned.places if (i, j) not in moved)
    return next((x.key for x, y in stayed if not x.is_amount and {x.role, y.role} == {_BY, frozenset[str]()}), "")


def _is_turned(gap: Gap) -> bool:
    x, y = gap.mine[-1], gap.yours[-1]
    return gap.is_direct and bool(gap.before) and x.key == y.key and x.is_passive != y.is_passive


def _adverbs(tokens: Tokens) -> Words:
    return _ADVERBS & {word for token in tokens for word in token.lead}


def _keys(tokens: Tokens) -> Words:
    return frozenset(token.key for token in tokens[:-1])


def _persons(keys: Words) -> Words:
    return frozenset(key for key in keys if key.startswith(PERSON))


def _shown(words: Words) -> str:
    return " ".join(sorted(words)) or "none"


_MOST: Final = 30
"""Words without a partner that are looked up; an option has fewer, and a speech is no option."""
_FAR: Final = 60
"""In a longer text than this nothing may move."""
_SHORT: Final = 6
"""In a text of fewer words, every one that leads another counts."""
_SILENT: Final = frozenset({"of"})
_OF: Final = frozenset({"of", "for"})
_BY: Final = frozenset({"by"})
_WEAK: Final = word_set("of to in on at for with by about through")
"""What may lead a text's first word where the other begins with it: go for it."""
_ADVERBS: Final = word_set("up down out off back away forward apart aside ahead forth together")
_JOINTS: Final = word_set("and or but")
_DATED: Final = {"before": "by", "through": "until", "between": "from"}
"""Before a date and by it are taken for the same."""
