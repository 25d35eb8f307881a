"""Which protocol suits a question where nobody named one: a formula over its words."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from quorate.errors import Suggestion
from quorate.frozen import dataclass
from quorate.model import Question
from quorate.model.charter import DEFAULT_PROTOCOL

__all__ = ["LANGUAGES", "Language", "ProtocolChoice", "choose_protocol"]

Kind = Literal["asks", "should", "may"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The words of one language: what asks for an answer, what asks for a course, what asks for leave, and `or`."""

    asks: tuple[str, ...]
    should: tuple[str, ...]
    may: tuple[str, ...]
    either: tuple[str, ...]
    weighs: tuple[str, ...]
    no: tuple[str, ...]
    """What may follow `or` without being an alternative."""


LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        "English": Language(
            asks=(
                *("which", "what", "who", "whom", "whose", "how", "where", "when", "why"),
                *("choose", "pick", "recommend", "suggest", "compare"),
            ),
            should=("should", "shall", "do we", "do i", "would", "ought"),
            may=(
                *("may", "can", "could", "must", "might", "will", "is", "are", "was", "were", "does", "did", "has"),
                *("have", "had", "do"),
            ),
            either=("or",),
            weighs=("pros and cons", "for and against", "advantages and disadvantages", "upsides and downsides"),
            no=(
                *("not", "no", "more", "less", "fewer", "later", "newer", "older", "earlier", "higher", "lower"),
                *("above", "below", "so", "else", "any", "other", "similar", "something", "anything", "equivalent"),
            ),
        ),
        "German": Language(
            asks=(
                *("welche", "welcher", "welches", "welchen", "welchem", "wer", "wen", "wem", "wie", "wo", "wann"),
                *("warum", "weshalb", "womit", "was ist", "was sind", "was soll", "was sollen", "was sollte"),
                *("was sollten", "was kann", "was können", "was machen", "was tun", "was wäre", "was für"),
            ),
            should=("soll", "sollen", "sollte", "sollten", "wollen"),
            may=("darf", "dürfen", "kann", "können", "muss", "müssen", "ist", "sind", "hat", "haben"),
            either=("oder",),
            weighs=("vor- und nachteile", "für und wider", "pro und contra", "pro und kontra"),
            no=("nicht", "nein", "mehr", "weniger", "später", "neuer", "älter", "so", "ähnliches"),
        ),
        "French": Language(
            asks=(
                *("quel", "quelle", "quels", "quelles", "lequel", "laquelle", "que", "qui", "quoi", "comment", "où"),
                *("quand", "pourquoi", "qu'est-ce"),
            ),
            should=("devons-nous", "devrions-nous", "doit-on", "devrait-on", "faut-il", "vaut-il mieux"),
            may=("peut-on", "pouvons-nous", "puis-je", "est-ce", "est-il", "est-elle"),
            either=("ou",),
            weighs=("le pour et le contre", "avantages et inconvénients", "avantages et les inconvénients"),
            no=("non", "pas", "plus", "moins"),
        ),
        "Spanish": Language(
            asks=(
                *("cuál", "cual", "cuáles", "cuales", "qué", "que", "quién", "quien", "quiénes", "cómo", "dónde"),
                *("donde", "cuándo", "cuando", "por qué"),
            ),
            should=("debemos", "deberíamos", "conviene", "debería", "hay que"),
            may=("podemos", "puedo", "puede", "es", "está", "son"),
            either=("o", "u"),
            weighs=("pros y contras", "los pros y los contras", "ventajas y desventajas"),
            no=("no", "más", "menos"),
        ),
        "Italian": Language(
            asks=(
                *("quale", "quali", "che cosa", "cosa", "che", "chi", "come dobbiamo", "come possiamo", "come si"),
                *("come dovremmo", "dove", "quando", "perché"),
            ),
            should=("dobbiamo", "dovremmo", "conviene", "bisogna"),
            may=("possiamo", "posso", "può", "è", "sono"),
            either=("o", "oppure"),
            weighs=("pro e contro", "vantaggi e svantaggi", "i pro e i contro"),
            no=("no", "meno", "più"),
        ),
        "Portuguese": Language(
            asks=("qual", "quais", "que", "o que", "quem", "como", "onde", "quando", "por que"),
            should=("devemos", "deveríamos", "deve-se"),
            may=("podemos", "posso", "pode", "é", "são"),
            either=("ou",),
            weighs=("prós e contras", "vantagens e desvantagens"),
            no=("não", "mais", "menos"),
        ),
        "Dutch": Language(
            asks=("welk", "welke", "wat", "wie", "hoe", "waar", "wanneer", "waarom"),
            should=("moeten", "moet", "zullen", "zouden"),
            may=("mogen", "mag", "kunnen", "kan", "zijn"),
            either=("of",),
            weighs=("voor- en nadelen", "voors en tegens"),
            no=("niet", "nee", "meer", "minder"),
        ),
        "Russian": Language(
            asks=(
                *("какой", "какая", "какое", "какие", "какую", "каким", "что", "кто", "кого", "как", "где", "когда"),
                *("почему", "сколько"),
            ),
            should=("стоит", "следует", "нужно", "надо", "нам"),
            may=("можно", "может", "можем", "должны", "безопасно"),
            either=("или",),
            weighs=("за и против", "плюсы и минусы", "преимущества и недостатки"),
            no=("нет", "не", "больше", "меньше"),
        ),
    }
)
"""Words are read without regard to case. What two languages share counts for both."""

LEADS: Final = frozenset(
    (
        *("and", "but", "so", "then", "ok", "now", "in", "on", "at", "to", "for", "by", "from", "with", "of"),
        *("und", "aber", "also", "auf", "für", "mit", "bei", "an", "zu", "von", "et", "mais", "dans", "à", "avec"),
        *("pour", "sur", "de", "y", "pero", "con", "en", "para", "ma", "per", "su", "em", "mas", "op", "met", "voor"),
        *("naar", "van", "и", "но", "на", "для", "по"),
    )
)
"""What may stand before the word that asks: in which, mit welchem, avec quel."""

OWN_SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tribunal": "go or no-go",
        "conference": "a discussion that ends in an answer",
        "debate": "a debate for and against",
        "oracle": "a finding of fact from sources",
    }
)
TAKES: Final = frozenset(
    (
        *("use", "choose", "pick", "take", "adopt", "buy", "prefer", "keep", "hire", "try", "nehmen", "nutzen"),
        *("wählen", "utiliser", "choisir", "usar", "elegir", "usare", "scegliere", "escolher", "gebruiken", "kiezen"),
    )
)
"""Verbs behind which the alternatives begin at once: use Postgres or MySQL."""
LONGEST: Final = 8
"""Words of an option that is read off: longer ones are clauses, and no names."""

LOOKED_AT: Final = 4000
"""Characters of a question: what it asks stands at its beginning."""
_GATED: Final = frozenset(("", "act", "warn", "refuse"))
_SENTENCES: Final = re.compile(r"(?<=[.?!…])\s+|\n+")
_CLAUSES: Final = re.compile(r"[,;:—–(]+\s*|\s-+\s")
_WORDS: Final = re.compile(r"[\w'-]+")
_DIFF: Final = re.compile(r"^(?:diff --git |--- \S|\+\+\+ \S|@@ -\d)", re.MULTILINE)
_COMMAND: Final = re.compile(
    r"\s*(?:\$ |# |sudo |rm |kubectl |terraform |docker |psql |drop table|delete from)", re.IGNORECASE
)
_TAIL: Final = re.compile(
    r"\s(?:for|in|on|as|when|if|because|given|with|für|im|pour|para|per|voor|для)\s.*$", re.IGNORECASE
)


class _Hit(NamedTuple):
    kind: Kind
    word: str
    languages: tuple[str, ...]
    clause: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolChoice:
    """What was chosen and why; `options` are those that could be read off the question."""

    protocol: str
    why: str
    options: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was chosen and why, in one line."""
        among = f" among {', '.join(self.options)}" if self.options else ""
        what = OWN_SENTENCES.get(self.protocol, "what was asked for")
        return f"using the {self.protocol} protocol ({what}){among}, because {self.why}"

    @property
    def alternative(self) -> Suggestion:
        """What most who expected something else would want."""
        other = "conference" if self.protocol == DEFAULT_PROTOCOL else DEFAULT_PROTOCOL
        return Suggestion("protocol", other, f"for {OWN_SENTENCES[other]}")


def choose_protocol(question: Question, *, sources: bool = False, gate: str | None = None) -> ProtocolChoice:
    """Choose by what was given, then by the question's words; what fits nothing goes to the tribunal."""
    if sources:
        return ProtocolChoice(protocol="oracle", why="sources are named")
    if question.options:
        return ProtocolChoice(protocol="conference", why="options are named")
    if gate is not None and gate.casefold() in _GATED:
        return ProtocolChoice(protocol=DEFAULT_PROTOCOL, why="a gate is asked for")
    text = question.text[:LOOKED_AT].replace("\u2019", "'")
    if weighed := _weighed(text):
        return ProtocolChoice(protocol="debate", why=f"it speaks of {weighed!r}")
    return _by_words(text) or ProtocolChoice(protocol=DEFAULT_PROTOCOL, why=_fallback(question.context))


def _fallback(context: str) -> str:
    if _DIFF.search(context):
        return "the context is a change to judge"
    if _COMMAND.match(context):
        return "the context is a command to judge"
    return "the question names no other kind of answer"


def _weighed(text: str) -> str:
    low = f" {' '.join(text.casefold().split())} "
    return next((one for words in LANGUAGES.values() for one in words.weighs if one in low), "")


def _by_words(text: str) -> ProtocolChoice | None:
    sentences = [one.strip().lstrip("¿¡\"'«„“ ") for one in _SENTENCES.split(text) if one.strip()]
    asked = [one for one in sentences if one.rstrip("\"'»“” ").endswith("?")]
    for sentence in asked or sentences:
        hit = _hit(sentence) or (_anywhere(sentence) if asked else None)
        choice = _chosen(sentence, hit)
        if choice is not None:
            return choice
    return None


def _chosen(sentence: str, hit: _Hit | None) -> ProtocolChoice | None:
    either = _either(sentence, hit)
    if hit is None:
        options = _list(sentence, either) if either else ()
        return ProtocolChoice(protocol="conference", why=_OFFERS, options=options) if options else None
    if hit.kind == "asks":
        options = _listed(sentence, hit, either) if either else ()
        return ProtocolChoice(protocol="conference", why=f"it asks {hit.word!r}", options=options)
    if either and (hit.kind == "should" or _compares(sentence)):
        return ProtocolChoice(protocol="conference", why=_OFFERS, options=_objects(sentence, either))
    return ProtocolChoice(protocol=DEFAULT_PROTOCOL, why=f"it asks {hit.word!r}")


_OFFERS: Final = "it offers alternatives"


def _hit(sentence: str) -> _Hit | None:
    """The first clause that begins with a word of ours, but for what may stand before it."""
    for place, clause in enumerate(_CLAUSES.split(sentence)):
        words = _WORDS.findall(clause.casefold())
        while len(words) > 1 and words[0] in LEADS and not _phrase(words):
            words = words[1:]
        if found := _phrase(words):
            return _Hit(*found, place)
    return None


def _anywhere(sentence: str) -> _Hit | None:
    words = _WORDS.findall(sentence.casefold())
    found = next((found for place in range(len(words)) if (found := _phrase(words[place:]))), None)
    return _Hit(*found, 0) if found else None


def _phrase(words: list[str]) -> tuple[Kind, str, tuple[str, ...]] | None:
    """The longest phrase of ours that these words begin with."""
    for length in (3, 2, 1):
        begin = " ".join(words[:length])
        if len(words) >= length and begin in _PHRASES:
            kind, languages = _PHRASES[begin]
            return kind, begin, languages
    return None


def _phrases() -> Mapping[str, tuple[Kind, tuple[str, ...]]]:
    known: dict[str, tuple[Kind, tuple[str, ...]]] = {}
    for name, words in LANGUAGES.items():
        kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (
            ("asks", words.asks),
            ("should", words.should),
            ("may", words.may),
        )
        for kind, phrases in kinds:
            for phrase in phrases:
                first, languages = known.get(phrase, (kind, ()))
                known[phrase] = (first, (*languages, name))
    return MappingProxyType(known)


_PHRASES: Final = _phrases()
_CERTAIN: Final = ("English", "German", "French", "Russian")
"""Whose `or` is no word of another language."""


def _either(sentence: str, hit: _Hit | None) -> re.Pattern[str] | None:
    """The `or` that stands between alternatives, none if there is none: `or not` and `or more` are none."""
    languages = hit.languages if hit else _CERTAIN
    ors = "|".join(sorted({one for name in languages for one in LANGUAGES[name].either}))
    no = "|".join(sorted({one for name in languages for one in LANGUAGES[name].no}))
    found = re.compile(rf",?\s+(?:{ors})\s+(?!(?:{no})\b)", re.IGNORECASE)
    return found if found.search(sentence) else None


def _compares(sentence: str) -> bool:
    return (
        re.search(
            r"\b(?:better|best|preferable|cheaper|faster|safer|besser|mieux|mejor|meglio|melhor|beter)\b",
            sentence,
            re.IGNORECASE,
        )
        is not None
    )


def _listed(sentence: str, hit: _Hit, either: re.Pattern[str]) -> tuple[str, ...]:
    """Alternatives behind the clause that asks: Which one, A, B or C?"""
    pieces = [piece.strip() for piece in _CLAUSES.split(sentence)]
    last = max((place for place, piece in enumerate(pieces) if either.search(f" {piece} ")), default=0)
    if last <= hit.clause:
        return ()
    return _names(one for piece in pieces[hit.clause + 1 : last + 1] for one in either.split(f" {piece} "))


def _list(sentence: str, either: re.Pattern[str]) -> tuple[str, ...]:
    """Alternatives that are the whole of it: A, B or C?"""
    return _names(one for piece in _CLAUSES.split(sentence) for one in either.split(piece))


def _objects(sentence: str, either: re.Pattern[str]) -> tuple[str, ...]:
    """Alternatives behind a verb that takes them: Should we use A, B or C for this?"""
    words = [(found.group().casefold(), found.end()) for found in _WORDS.finditer(sentence)]
    begin = next((end for word, end in words[:5] if word in TAKES), None)
    if begin is None:
        return ()
    listed = _TAIL.sub("", sentence[begin:].rstrip("? "))
    return _names(one for piece in _CLAUSES.split(listed) for one in either.split(piece))


def _names(pieces: Iterable[str]) -> tuple[str, ...]:
    """Pieces as options if all of them can be: none blank, long or twice."""
    names = [piece.strip(" ?.!\"'«»„“”)") for piece in pieces]
    names = [name for name in names if name]
    short = all(len(name.split()) <= LONGEST for name in names)
    return tuple(names) if short and 1 < len({name.casefold() for name in names}) == len(names) else ()
