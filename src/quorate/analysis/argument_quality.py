"""How good an argument is: its evidence by kind and by what can be found again, its logic by what it contradicts.

The measures are counts over words. They see form, not truth: what they can and cannot tell is written down in the
explanation of debates.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from quorate.analysis.word_sets import sense, senses_oppose, shared_share, topics
from quorate.frozen import dataclass
from quorate.model import Argument, Question
from quorate.model.once import lazy_pattern

__all__ = [
    "MARKS",
    "EvidenceGrade",
    "answered_share",
    "argument_strength",
    "coherence",
    "evidence_quality",
    "grade_evidence",
    "logical_consistency",
    "material",
    "new_claims",
    "novelty",
]

Kind = Literal["passage", "citation", "figure", "name", "example", "assertion"]

MARKS: Final[Mapping[Kind, tuple[Fraction, Fraction]]] = MappingProxyType(
    {
        "passage": (Fraction(1), Fraction(3, 10)),
        "citation": (Fraction(9, 10), Fraction(6, 10)),
        "figure": (Fraction(8, 10), Fraction(5, 10)),
        "name": (Fraction(7, 10), Fraction(4, 10)),
        "example": (Fraction(3, 10), Fraction(3, 10)),
        "assertion": (Fraction(1, 10), Fraction(1, 10)),
    }
)
"""By kind of evidence, what a piece is worth if it stands in the material given with the question, and if not."""

PASSAGE: Final = 4
"""Words a quotation must have; fewer stand somewhere by chance."""
NAMES: Final = 12
"""Names of one piece that are looked up: each is looked for in all of the material."""
ANSWERS: Final = 2
"""Words an answer must have in common with the claim it answers."""

_QUOTED: Final = lazy_pattern(r"[\"“„«]([^\"“”„«»]{1,1000}+)[\"”“»]")
_CITED: Final = (
    re.compile(r"(?:https?://|www\.|doi:|\b10\.\d{4,9}/)[^\s\"'<>)\]]{1,300}+", re.IGNORECASE),
    re.compile(r"\b(?:RFC|ISO|DIN|IEC|ADR|CVE|NIST|arXiv)[\s:-]{0,2}+\d[\w.:/-]{0,30}+", re.IGNORECASE),
    re.compile(
        r"(?:§|\b(?:section|article|chapter|page|table|figure|appendix)\b\.?)\s{0,2}+\d[\d.]{0,10}+", re.IGNORECASE
    ),
    re.compile(r"\b[^\W\d_]{2,40}+(?: et al\.?)?,? \(?(?:19|20)\d\d\)?"),
)
_LETTER: Final = lazy_pattern(r"[^\W_]")
_NUMBER: Final = lazy_pattern(r"\d+(?:[.,]\d+)*")
_WHOLE_NUMBER: Final = lazy_pattern(r"(?<![\w.,])\d++(?:[.,]\d++|(?!))*+(?!\w|[.,]\d)")
_NAME: Final = lazy_pattern(r"(?<![.!?]\s)(?<!\A)\b[A-Z][\w&-]{1,30}+(?: [A-Z][\w&-]{1,30}+|(?!)){0,3}+")
_EXAMPLE: Final = lazy_pattern(
    r"\b(?:for example|for instance|e\.g\.|such as|in the case of|last (?:week|month|year)|once|when we|zum beispiel|"
    r"par exemple|por ejemplo)\b",
    re.IGNORECASE,
)
_ACCORDING: Final = lazy_pattern(r"\b(?:according to|as reported by|laut|selon|según) [^\W_]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceGrade:
    """One piece of evidence: what kind it is, whether it stands in the material, and what it is worth."""

    piece: str
    kind: Kind
    found: bool
    mark: Fraction


def material(question: Question) -> str:
    """What evidence can be checked against: the context. The question itself is evidence of nothing."""
    return question.context


def evidence_quality(argument: Argument, context: str) -> Fraction:
    """The mean of what the pieces of evidence are worth; a case without any has none."""
    pieces = grade_evidence(argument, context)
    return sum((one.mark for one in pieces), Fraction(0)) / len(pieces) if pieces else Fraction(0)


def grade_evidence(argument: Argument, context: str) -> tuple[EvidenceGrade, ...]:
    """Every piece of an argument's evidence, each once, with its mark."""
    text = _plain(context)
    known = _Material(text, frozenset(_WHOLE_NUMBER.findall(text)))
    return tuple(_graded(piece, known) for piece in dict.fromkeys(argument.evidence))


@dataclass(frozen=True, slots=True)
class _Material:
    """The material as pieces are looked up in it: its text without case, and the numbers that stand in it whole."""

    text: str
    numbers: frozenset[str]


def _graded(piece: str, known: _Material) -> EvidenceGrade:
    kinds = tuple(_kinds(piece, known))
    invented = known.text and any(kind == "passage" and not found for kind, found in kinds)
    # Words put in quotation marks that stand nowhere in the material outweigh whatever else the piece names.
    counted = [one for one in kinds if one[0] == "passage"] if invented else kinds
    kind, found = max(counted, key=lambda one: _mark(*one))
    if invented:
        found = False
    return EvidenceGrade(piece=piece, kind=kind, found=found, mark=_mark(kind, found))


def _mark(kind: Kind, found: bool) -> Fraction:  # noqa: FBT001  the two columns of the table
    return MARKS[kind][0 if found else 1]


def _kinds(piece: str, known: _Material) -> Iterator[tuple[Kind, bool]]:
    """What a piece of evidence is, and for each kind whether all of it stands in the material."""
    yield from _in_words(piece, known)
    rest = _uncited(piece)
    numbers = _NUMBER.findall(rest)
    if numbers:
        yield "figure", known.numbers.issuperset(numbers)
    names = [found[0] for found in _NAME.finditer(rest)]
    if names or _ACCORDING.search(piece):
        yield "name", _all_in(tuple(dict.fromkeys(map(_plain, names))), known.text)
    if _EXAMPLE.search(piece):
        yield "example", False
    yield "assertion", False


def _in_words(piece: str, known: _Material) -> Iterator[tuple[Kind, bool]]:
    """A passage or a citation, which stands in the material word for word or not at all."""
    passages = [text for text in _QUOTED.findall(piece) if _long_enough(text)]
    whole = _plain(piece)
    if passages or (_long_enough(whole) and whole in known.text):
        yield "passage", all(_plain(text) in known.text for text in passages)
    cited = [found[0] for pattern in _CITED for found in pattern.finditer(piece)]
    if cited:
        yield "citation", all(_plain(text) in known.text for text in dict.fromkeys(cited))


def _long_enough(text: str) -> bool:
    """Words, not signs: four dots stand everywhere."""
    return sum(_LETTER.search(word) is not None for word in _plain(text).split()) >= PASSAGE


def _uncited(piece: str) -> str:
    """A piece without its citations: their names and numbers are not a second kind of evidence."""
    for pattern in _CITED:
        piece = pattern.sub("§", piece)
    return piece


def _all_in(wanted: Sequence[str], known: str) -> bool:
    """Whether each stands there as a whole, and is not a piece of something longer; of very many nobody looks."""
    return 0 < len(wanted) <= NAMES and all(_stands(re.escape(one), known) for one in wanted)


def _stands(name: str, known: str) -> bool:
    """The pattern begins with the name itself, which is looked for many times faster than what may not precede it."""
    return re.search(rf"{name}(?<![\w.,]{name})(?!\w|[.,]\d)", known) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .,;:")


def logical_consistency(
    argument: Argument, earlier: Sequence[Argument] = (), against: Sequence[Argument] = ()
) -> Fraction:
    """Two parts coherence and one part answering; coherence alone where there was nothing to answer."""
    coherent = coherence(argument, earlier)
    if not any(other.claims for other in against):
        return coherent
    return (2 * coherent + answered_share(argument, against)) / 3


def coherence(argument: Argument, earlier: Sequence[Argument] = ()) -> Fraction:
    """The share of the claims that contradict neither the speaker's earlier claims nor one made just before."""
    before = [sense(claim) for case in earlier for claim in case.claims]
    whole = 0
    for claim in map(sense, argument.claims):
        whole += not any(senses_oppose(claim, other) for other in before)
        before.append(claim)
    return Fraction(whole, len(argument.claims)) if argument.claims else Fraction(0)


def answered_share(argument: Argument, against: Sequence[Argument]) -> Fraction:
    """The share of the claims put to a speaker that something in its case takes up."""
    own = [topics(text) for text in (*argument.claims, *argument.evidence)]
    put = [about for case in against for claim in case.claims if (about := topics(claim))]
    taken = sum(any(len(about & words) >= min(ANSWERS, len(about)) for words in own) for about in put)
    return Fraction(taken, len(put)) if put else Fraction(1)


def novelty(argument: Argument, earlier: Sequence[Argument]) -> Fraction:
    """How new the newest claim is: the share of its words that no single earlier claim of that side has."""
    before = [topics(claim) for case in earlier for claim in case.claims]
    return max((1 - _most_shared(topics(claim), before) for claim in argument.claims), default=Fraction(0))


def new_claims(
    argument: Argument, earlier: Sequence[Argument], *, alike: Fraction = Fraction(7, 10)
) -> tuple[str, ...]:
    """The claims of which no earlier one, of whichever side, has as large a share of the words."""
    before = [topics(claim) for case in earlier for claim in case.claims]
    return tuple(claim for claim in argument.claims if _most_shared(topics(claim), before) < alike)


def _most_shared(own: frozenset[str], before: Sequence[frozenset[str]]) -> Fraction:
    return max((shared_share(own, other) for other in before), default=Fraction(0))


def argument_strength(confidence: Fraction, quality: Fraction, consistency: Fraction) -> Fraction:
    """What one argument weighs."""
    return confidence * quality * consistency
