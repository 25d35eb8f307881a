"""What in an answer's own object takes the answer back: a veto, an abstention, a refusal, or another answer.

Models write more into an object than they were asked for, and most of it is harmless. What says the opposite of the
answer is not: nobody can tell which of the two is meant, so there is no answer, and the seat is asked once more.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final, Literal, cast

from quorate.frozen import dataclass
from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern, pattern
from quorate.reading.text.objects import Object, Scalar
from quorate.reading.text.page import CHOICES
from quorate.reading.text.values import prose

__all__ = [
    "CONFLICTS",
    "Answer",
    "Conflict",
    "Extra",
    "Place",
    "affirms",
    "affirms_veto",
    "conflict",
    "denies",
    "extra_fields",
    "extra_members",
    "folded_words",
    "is_veto",
    "nested_fields",
    "plain_name",
]

Conflict = Literal["also_vetoed", "also_abstained", "also_refused", "two_answers"]
CONFLICTS: Final[frozenset[str]] = frozenset({"also_vetoed", "also_abstained", "also_refused", "two_answers"})

Extra = tuple[str, tuple[str, ...]]
"""A member beside those of the form: its name without case and signs, and its value, or those of its list."""

_OBJECT: Final = "an object"
"""What stands for an object, which says neither yes nor no."""
_LONGEST: Final = 400
_MOST: Final = 50
"""Texts under a name for answers that are looked at; each is compared with a whole list of options."""

_SIGNS: Final = lazy_pattern(r"[\W_]+")
_LEAD: Final = (
    r"(?:i|is|my|the|do|does|did|should|must|would|will|used?|uses|invoked?|cast|exercised?|apply|applied|seat|vote)"
    r"{0,3}"
)
_VETOES: Final = (
    _LEAD + r"veto(?:e[ds]|ing)?(?:used?|applied|invoked|exercised|cast|flag|vote|ballot|decision|it|this)?"
)
_ABSTAINS: Final = _LEAD + r"(?:abstain(?:s|ed|ing)?|abstention)(?:flag|vote|ballot|decision)?"
_REFUSES: Final = _LEAD + r"(?:refuse[ds]?|refusal|refusing)(?:flag|vote|it|this)?"
_GOES: Final = r"(?:act|approve[ds]?|approval|proceed|goahead|allow(?:ed)?|permit(?:ted)?|accept(?:ed)?|valid)"
_REJECTS: Final = (
    rf"{_LEAD}(?:not{_GOES}|nogo|reject(?:s|ed|ion)?|den(?:y|ies|ied|ial)|declined?|block(?:s|ed)?|abort(?:ed)?|stop|halt"
    r"|disapproved?|oppose[ds]?|against|forbid(?:den)?|withdr[ae]wn?|retract(?:ed)?|invalid|void|cancel(?:l?ed)?)"
    r"(?:it|this|flag)?"
)
_APPROVES: Final = rf"{_LEAD}{_GOES}(?:it|this|flag)?"
_WARNS: Final = _LEAD + r"(?:warn|unsafe|notsafe)(?:flag)?"
_SAFE: Final = _LEAD + r"safe(?:toact|toproceed|togoahead|enough)?"
_OWN: Final = (
    r"(?:my|the|own|final|revised|updated|corrected|actual|real|true|overall|definitive|ultimate|current){0,3}"
)
_ANSWERS: Final = (
    rf"{_OWN}(?:decision|vote|verdict|choice|option|outcome|answer|selection|(?:selected|chosen)option|pick)"
    r"(?:final|word)?|final"
)
_REMARKS: Final = (
    rf"{_OWN}(?:decision|vote|verdict|choice|option|outcome|answer|ruling|judge?ment|determination|conclusion"
    r"|recommendation|recommended(?:action|decision|option)|position|stance|side|leaning|result|action|ballot|response"
    r"|call|winner|resolution|status|estimate|value)[0-9]{0,2}"
)
"""Names for an answer, and names under which an answer or anything else may stand. Few replies need any of these."""

Place = Literal["answer", "remark"]
"""Whether a text stands under a name for answers alone, or under one for many things."""

_YES: Final = frozenset({"true", "yes", "y", "t", "on"})
_NO: Final = frozenset({"false", "no", "none", "n", "f", "off", "never", "nope", "unused", "null", "nil", "na"})
_NOTHING: Final = frozenset({"", "null", "nil", "na", "n a", "none", "not applicable"})
_NOT: Final = lazy_pattern(
    r"not (?:applicable|applied|appropriate|exercised|invoked|justified|necessary|needed|required|used|warranted)\b"
)
_SHOUTS: Final = lazy_pattern(r"\b(?:VETO|REFUSE)(?:ED|D|S|ES)?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that may be contradicted.

    `differs` tells of a text whether it is another one, given where it stands. `chosen` are the options it chooses:
    who rejects one of them takes it back. `strict`: whatever is said of a veto or a refusal is one unless it is a no.
    `bold`: it says that all is well, so that a warning contradicts it.
    """

    differs: Callable[[str, Place], bool]
    chosen: tuple[str, ...] = ()
    strict: bool = False
    bold: bool = False


def conflict(extras: Iterable[Extra], answer: Answer) -> Conflict | Literal[""]:
    """How what stands beside an answer contradicts it; empty if nothing does."""
    for name, texts in extras:
        why = _flagged(name, texts, answer)
        if why:
            return why
        if _is_other(name, texts, answer):
            return "two_answers"
    return ""


def _is_other(name: str, texts: tuple[str, ...], answer: Answer) -> bool:
    """Whether another answer stands under a name; a list of very many is none that anybody could agree with."""
    place = _place(name)
    if place == "answer" and len(texts) > _MOST:
        return True
    return place is not None and any(answer.differs(text, place) for text in texts if text is not _OBJECT)


def _place(name: str) -> Place | None:
    if pattern(_ANSWERS).fullmatch(name):
        return "answer"
    return "remark" if pattern(_REMARKS).fullmatch(name) else None


def _flagged(name: str, texts: tuple[str, ...], answer: Answer) -> Conflict | Literal[""]:
    """What a name says that is true or false: of a veto, an abstention, a refusal, or that it may go ahead."""
    if is_veto(name):
        return "also_vetoed" if any(_takes_back(text, answer) for text in texts) else ""
    if pattern(_ABSTAINS).fullmatch(name):
        return "also_abstained" if not all(map(_is_no, texts)) else ""
    refuses = _takes_back if pattern(_REFUSES).fullmatch(name) else partial(_refuses, name)
    return "also_refused" if any(refuses(text, answer) for text in texts) else ""


def _refuses(name: str, text: str, answer: Answer) -> bool:
    if pattern(_REJECTS).fullmatch(name):
        return affirms(text) or _is_chosen(text, answer)
    if pattern(_APPROVES).fullmatch(name):
        return denies(text)
    warns = affirms(text) and pattern(_WARNS).fullmatch(name) is not None
    return answer.bold and (warns or (denies(text) and pattern(_SAFE).fullmatch(name) is not None))


def _takes_back(text: str, answer: Answer) -> bool:
    return (not _is_no(text) if answer.strict else affirms(text)) or _is_chosen(text, answer)


def _is_chosen(text: str, answer: Answer) -> bool:
    return bool(answer.chosen) and folded_words(text) in map(folded_words, answer.chosen)


def is_veto(name: str) -> bool:
    """Whether a name says of a veto that it is cast or not."""
    return pattern(_VETOES).fullmatch(name) is not None


def affirms_veto(extras: Iterable[Extra]) -> bool:
    """Whether a veto is said to be cast, in as many words; what is neither yes nor no casts none."""
    return any(is_veto(name) and any(map(affirms, texts)) for name, texts in extras)


def affirms(text: str) -> bool:
    """Whether a text says yes."""
    return folded_words(text) in _YES or exact(text.strip()) == 1


def _is_no(text: str) -> bool:
    """Whether a text says no, or nothing at all. Who writes no and shouts the word all the same has not said no."""
    words = folded_words(text)
    first = words.partition(" ")[0]
    no = words in _NOTHING or first in _NO or _NOT.match(words) is not None or exact(text.strip()) == 0
    return no and _SHOUTS.search(text) is None


def denies(text: str) -> bool:
    """Whether a text says no, and not just nothing."""
    words = folded_words(text)
    first = words.partition(" ")[0]
    return words not in _NOTHING and (first in _NO or first == "not" or exact(text.strip()) == 0)


def folded_words(text: str) -> str:
    """The words of a text without case and signs."""
    return _SIGNS.sub(" ", unicodedata.normalize("NFKD", text[:_LONGEST]).casefold()).strip()


def extra_members(parts: Iterable[Object], own: frozenset[str]) -> list[Extra]:
    """What stands in these objects beside the names that are the form's own."""
    return [extra for part in parts for extra in _extras(part, own)]


def _extras(part: Object, own: frozenset[str]) -> Iterator[Extra]:
    lists = [name for name, value in part.members if value is None and name not in own]
    yield from _of_lists(part, lists) if lists else ()
    for name, value in part.members:
        if value is not None and name not in own:
            yield plain_name(name), (prose(value.raw),)


def _of_lists(part: Object, names: list[str]) -> Iterator[Extra]:
    """The texts of each list; of an object, which is not told from others within, what is chosen in it."""
    texts: dict[str, list[str]] = {name: [] for name in names}
    for name, item in part.items:
        if name in texts:
            texts[name].append(prose(item.raw) if isinstance(item, Scalar) else _OBJECT)
    within = (_OBJECT, *(text for inner in part.inner for text in _chosen_in(inner))) if part.inner else ()
    for name, listed in texts.items():
        yield plain_name(name), tuple(listed) or within


def _chosen_in(part: Object) -> list[str]:
    return [prose(value.raw) for name, value in part.members if value and name in CHOICES]


def extra_fields(fields: Mapping[str, object], own: frozenset[str]) -> list[Extra]:
    """The same of an object that was handed over in a file."""
    return [(plain_name(name), _written(value)) for name, value in fields.items() if name not in own]


def nested_fields(fields: Mapping[str, object]) -> Iterator[Extra]:
    """Every veto and every choice that stands deeper in such an object; a choice is named with what it stands in."""
    for within, name, value in _nested([(plain_name(name), value) for name, value in fields.items()]):
        if is_veto(name):
            yield name, _written(value)
        elif name in CHOICES:
            yield within + name, _written(value)


def _nested(open_: list[tuple[str, object]]) -> Iterator[tuple[str, str, object]]:
    """What each inner member stands in, its name and its value."""
    while open_:
        within, value = open_.pop()
        if isinstance(value, list):
            open_ += ((within, one) for one in cast("list[object]", value))
        elif isinstance(value, dict):
            members = [(plain_name(name), one) for name, one in cast("dict[str, object]", value).items()]
            open_ += ((within + name, one) for name, one in members)
            yield from ((within, name, one) for name, one in members)


def _written(value: object) -> tuple[str, ...]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(_OBJECT if isinstance(one, dict | list) else "" if one is None else str(one) for one in values)


def plain_name(name: str) -> str:
    """The name of a member without case and signs."""
    return folded_words(name).replace(" ", "")
