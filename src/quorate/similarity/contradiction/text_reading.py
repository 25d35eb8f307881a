"""A text as the guard reads it: what it says yes or no to, its marks and amounts, and the words that carry it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Final

from quorate.frozen import dataclass
from quorate.similarity.contradiction.clauses import AMOUNT, DENIAL, Clause, clause
from quorate.similarity.contradiction.quantities import Amount, amounts
from quorate.similarity.lexicon import lexicon
from quorate.similarity.words import LABELS, Word, word_set, words

__all__ = ["NEGATORS", "Reading", "initial", "read"]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Everything the checks look at, read once a text; one is itself and no other, which makes it quick to look up."""

    label: str
    """A letter or number that it is listed under: A: …, 2) …, Option C. …"""
    answer: str
    """`yes` or `no` when the text opens by answering."""
    negators: int
    denied: frozenset[str]
    """What stands right behind a negator."""
    scope: frozenset[str]
    """What stands within reach of one."""
    amounts: tuple[Amount, ...]
    marks: frozenset[str]
    stems: tuple[str, ...]
    initials: frozenset[str]
    """Of any two to five words of it in a row."""
    names: frozenset[str]
    small: frozenset[str]
    """Its function words."""
    line: tuple[str, ...]
    """All of it in order, function words included, amounts left out."""
    clause: Clause
    """The same with its amounts, each word with those that lead it."""


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    label, found = _labelled(words(text))
    found = _without_idioms(found)
    answer = _answer(found)
    counted, places = amounts(found)
    places |= {0} if answer else frozenset()
    kept = [at for at in range(len(found)) if at not in places]
    rest = [found[at] for at in kept]
    stems = tuple(word.stem for word in filter(_is_content, rest))[:_MOST]
    denials = [at for at in range(len(rest)) if _negates(rest, at)]
    behind = list(filter(None, (_behind(rest, at) for at in denials)))
    keys = {at: _amount_key(amount) for at, amount in counted.items()} | {kept[at]: DENIAL for at in denials}
    return Reading(
        label=label,
        answer=answer,
        negators=len(denials),
        denied=frozenset(map(itemgetter(0), behind)),
        scope=frozenset(chain.from_iterable(behind)),
        amounts=tuple(counted.values()),
        marks=_texts(rest, _is_mark),
        stems=stems,
        initials=frozenset(_initials(stems)),
        names=frozenset(_names(rest)),
        small=_texts(rest, _is_light),
        line=tuple(map(attrgetter("stem"), rest)),
        clause=clause(found, keys, places),
    )


def _amount_key(amount: Amount) -> str:
    return f"{AMOUNT}{amount.value} {amount.unit} {amount.bound}"


def _texts(words: Iterable[Word], wanted: Callable[[Word], bool]) -> frozenset[str]:
    return frozenset(word.text for word in words if wanted(word))


def _is_mark(word: Word) -> bool:
    return word.kind == "mark"


def _is_light(word: Word) -> bool:
    return not word.weighs


def _initials(stems: Sequence[str]) -> Iterator[str]:
    """What two to five words in a row are shortened to."""
    for size in range(2, 6):
        yield from (initial(stems[at : at + size]) for at in range(len(stems) - size + 1))


def initial(stems: Sequence[str]) -> str:
    return "".join([stem[0] for stem in stems])


def _is_content(word: Word) -> bool:
    return word.kind == "word" and word.weighs and word.text not in NEGATORS


def _without_idioms(found: Sequence[Word]) -> list[Word]:
    """What looks like a negation and is none is left out; what is said in several words becomes one."""
    kept: list[Word] = []
    at = 0
    while at < len(found):
        for phrase, instead in _IDIOMS.get(found[at].text, ()):
            if tuple(word.text for word in found[at : at + len(phrase)]) == phrase:
                kept += [Word(instead, instead)] if instead else []
                at += len(phrase)
                break
        else:
            kept.append(found[at])
            at += 1
    return kept


def _labelled(found: Sequence[Word]) -> tuple[str, Sequence[Word]]:
    """The label a text begins with, and the text without it."""
    at = int(bool(found) and found[0].stem in LABELS)
    if len(found) > at + 1 and found[at].kind in {"mark", "number"} and found[at].ends:
        return found[at].text, found[at + 1 :]
    return "", found


def _answer(found: Sequence[Word]) -> str:
    if not found or not (len(found) == 1 or found[0].ends or found[0].text in _SURE):
        return ""
    return "yes" if found[0].text in _YES else "no" if found[0].text in _NO else ""


def _behind(rest: Sequence[Word], at: int) -> tuple[str, ...]:
    """The content words within reach of a negator: up to three, in the same clause."""
    reach: list[str] = []
    if rest[at].ends:
        return ()
    for other in rest[at + 1 : at + 1 + _FAR]:
        if _is_content(other):
            reach.append(other.stem)
        if other.ends or other.text in _CLAUSES or len(reach) == _REACH:
            break
    return tuple(reach)


def _negates(rest: Sequence[Word], at: int) -> bool:
    word = rest[at]
    if word.kind != "word":
        return False
    if word.text in NEGATORS:
        return not (word.text == "no" and rest[at + 1 : at + 2] and rest[at + 1].kind == "number")
    if word.stem in _CEASING and not word.ends:
        return any(_is_doing(other) for other in rest[at + 1 : at + 1 + _NEAR])
    return word.stem in _FAILING and rest[at + 1 : at + 2] != [] and rest[at + 1].text in _TO


def _is_doing(word: Word) -> bool:
    """Whether it is the -ing of a verb: to stop deleting is not to delete."""
    return word.kind == "word" and word.text.endswith("ing") and word.stem != word.text


def _names(rest: Sequence[Word]) -> Iterator[str]:
    """Words that name something: unknown ones, and those written with a capital where no sentence begins."""
    letters = [word for word in rest if _is_content(word)]
    capitals = sum(word.written[:1].isupper() for word in letters)
    titled = capitals > _TITLED and capitals * 10 > 9 * len(letters)
    for at, word in enumerate(rest):
        begins = titled or at == 0 or rest[at - 1].ends
        if _is_content(word) and _is_name(word, begins=begins):
            yield word.stem


def _is_name(word: Word, *, begins: bool) -> bool:
    """Whether it is unknown, or has a capital that the beginning of a sentence does not account for."""
    capital = any(letter.isupper() for letter in word.written[1:]) or (word.written[:1].isupper() and not begins)
    return capital or not lexicon().knows(word.text)


_YES: Final = word_set("yes yep yeah yup true agree agreed affirmative sure aye approved correct ok okay")
_NO: Final = word_set("no nope nah false disagree negative nay rejected incorrect")
_SURE: Final = frozenset({"yes", "yep", "yeah", "nope", "nah", "yup"})
_FAILING: Final = word_set("fail failure refuse refusal decline neglect forget omit unwilling unable")
_CEASING: Final = word_set("stop cease quit halt discontinue")
_NEAR: Final = 2
"""Words in which what is stopped follows: stop ever deleting."""
_TO: Final = frozenset({"to", "in"})
_CLAUSES: Final = frozenset({"and", "but", "or", "while", "because", "so"})
_REACH: Final = 3
_FAR: Final = 12
_MOST: Final = 120
"""Words of a text that are compared with another's; an option is shorter, and a speech is no option."""
_TITLED: Final = 3

NEGATORS: Final = word_set(
    "not no never none nobody nothing nowhere neither nor without non cannot hardly barely scarcely rarely seldom "
    "lack lacks lacking absent absence avoid avoids avoided avoiding avoidance refrain refrains refrained refraining "
    "abstain abstains abstaining except excluding unless instead otherthan ratherthan sans minus zero "
    "не нет ни никогда nicht kein keine keinen nie pas jamais aucun sin nunca não sem niet geen nessuno ikke inte"
)
_FRAMES: Final = tuple(
    (tuple(f"is it {how}".split()), "will")
    for how in (
        *(f"{word} {joint}" for word in ("expected", "possible", "anticipated", "likely") for joint in ("that", "for")),
        "the case that",
        "true that",
    )
)
"""Ways to ask whether something will be: they are no part of what."""
_LISTED: Final = (
    *_FRAMES,
    (("going", "to"), "will"),
    (("whether", "or", "not"), "whether"),
    (("not", "only"), ""),
    (("not", "just"), ""),
    (("not", "merely"), ""),
    (("no", "doubt"), ""),
    (("no", "matter"), ""),
    (("no", "later", "than"), "by"),
    (("no", "one"), "nobody"),
    (("no", "longer"), "not"),
    *(((one, "that"), "not") for one in ("false", "untrue", "incorrect")),
    (("wrong", "to"), "not"),
    *(((one, "but"), "otherthan") for one in ("anything", "anyone", "anybody", "everything", "everyone", "all")),
    (("other", "than"), "otherthan"),
    (("rather", "than"), "ratherthan"),
    (("instead", "of"), "instead"),
    (("to", "implement"), "for"),
    (("for", "implementing"), "for"),
    (("in", "order", "to"), "to"),
    (("prior", "to"), "before"),
    (("ahead", "of"), "before"),
    (("earlier", "than"), "before"),
    (("later", "than"), "after"),
    (("in", "favor", "of"), "for"),
    (("in", "favour", "of"), "for"),
)
_IDIOMS: Final = {
    first: tuple(pair for pair in _LISTED if pair[0][0] == first) for first in {phrase[0] for phrase, _ in _LISTED}
}
