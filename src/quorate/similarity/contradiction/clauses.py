"""A text as its words follow each other: what each is led by, with lists and fronted clauses in one order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from quorate.frozen import dataclass
from quorate.similarity.lexicon import lexicon
from quorate.similarity.words import Word, word_set

__all__ = ["AMOUNT", "DENIAL", "END", "PARTICLES", "PERSON", "PREPOSITIONS", "Clause", "Token", "clause"]

DENIAL: Final = "¬"
"""The key of every negator."""
END: Final = ""
"""The key of the token that closes a text: what leads it are the words after the last."""
AMOUNT, PERSON = "#", "@"
"""What the keys of amounts and pronouns begin with."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word that carries something, and the function words right before it; `closes` when a clause ends after it."""

    key: str
    text: str = ""
    """As it was said, if it is a word of its own: neither an amount nor a negator nor a pronoun."""
    lead: tuple[str, ...] = ()
    closes: bool = False
    role: frozenset[str] = frozenset()
    """What leads the phrase that it is a part of."""

    @property
    def is_amount(self) -> bool:
        return self.key.startswith(AMOUNT)

    @property
    def is_share(self) -> bool:
        """Ten percent: cut it 10 %, cut it by 10 %."""
        return self.is_amount and " % " in self.key

    @property
    def is_word(self) -> bool:
        return bool(self.text)

    @property
    def is_passive(self) -> bool:
        """Is reviewed, be sent; not is reviewing."""
        if _BE.isdisjoint(self.lead) or self.text.endswith("ing") or not _may_be_verb(self.text):
            return False
        return self.text.endswith("ed") or self.key != self.text


@dataclass(frozen=True, slots=True)
class Clause:
    """Every token of a text, the end being the last: in order, with what is free to move moved, and lists sorted."""

    tokens: tuple[Token, ...]
    moved: tuple[Token, ...]
    settled: tuple[Token, ...]


def clause(words: Sequence[Word], keys: Mapping[int, str], skipped: frozenset[int]) -> Clause:
    """Read a text's words; `keys` are those of the amounts and negators by place, and `skipped` says nothing more."""
    tokens, lead = _tokens(words, keys, skipped)
    tokens = [_in_time(token, tokens[at + 1 : at + 3]) for at, token in enumerate(tokens)]
    end = Token(END, lead=lead)
    moved = _active(_with_means(_unfronted(tokens)))
    settled = list(_with_lists(moved))
    plain = tuple(_with_roles((*tokens, end)))
    after = plain if moved == tokens else tuple(_with_roles((*moved, end)))
    return Clause(plain, after, after if settled == moved else tuple(_with_roles((*settled, end))))


def _tokens(
    words: Sequence[Word], keys: Mapping[int, str], skipped: frozenset[int]
) -> tuple[list[Token], tuple[str, ...]]:
    """The tokens, each with what leads it, and what stands behind the last."""
    tokens: list[Token] = []
    lead: list[str] = []
    for at, word in enumerate(words):
        read = at in keys or at not in skipped
        token = _token(word, keys.get(at, ""), is_verb=_is_backing(words, at)) if read else None
        if token is not None:
            tokens.append(replace(token, lead=tuple(lead)))
            lead = []
        elif at not in skipped and not _is_infinitive(words, at):
            lead.append(_SPELLED.get(word.text, word.text))
        if word.ends and tokens:
            tokens[-1] = replace(tokens[-1], closes=True)
    return tokens, tuple(lead)


def _with_roles(tokens: Iterable[Token]) -> Iterator[Token]:
    """Each with what leads it, or the one right before it in the same phrase."""
    before: Token | None = None
    for token in tokens:
        if before and not token.lead and not before.closes:
            role = before.role
        else:
            role = frozenset(_ROLES.get(word, word) for word in token.lead if word in PREPOSITIONS or word in _BE)
        before = replace(token, role=role if before else role - {"be"})
        yield before


def _token(word: Word, key: str, *, is_verb: bool) -> Token | None:
    if key:
        return Token(key)
    if word.text in _KEYS:
        return Token(_KEYS[word.text])
    if (word.text in PARTICLES and not is_verb) or not word.weighs:
        return None
    return Token(word.stem, word.text)


def _in_time(token: Token, behind: Sequence[Token]) -> Token:
    """For any year, during each quarter: in it."""
    if token.key in _EACH and any(other.key in _TIMES for other in behind):
        return replace(token, lead=tuple("in" if word in _DURING else word for word in token.lead))
    return token


def _is_backing(words: Sequence[Word], at: int) -> bool:
    """Whether it is the verb: we formally back the plan."""
    if words[at].text != "back" or at + 1 == len(words) or words[at + 1].text not in _DETERMINERS:
        return False
    return at == 0 or words[at - 1].text in _AUXILIARIES or words[at - 1].text.endswith("ly")


def _is_infinitive(words: Sequence[Word], at: int) -> bool:
    """Whether it is the to of a verb, which leads nowhere: plan to publicly discover; not of what may be a thing."""
    behind = [word.text for word in words[at + 1 : at + 4]]
    behind = behind[1:] if behind and behind[0].endswith("ly") else behind
    if words[at].text != "to" or not behind:
        return False
    parts = lexicon().entry(behind[0]).parts
    return "v" in parts and ("n" not in parts or (len(behind) > 1 and behind[1] in _DETERMINERS))


def _unfronted(tokens: Sequence[Token]) -> list[Token]:
    """Before the launch, test: as test before the launch."""
    end = next((at + 1 for at, token in enumerate(tokens) if token.closes), 0)
    if not 0 < end < len(tokens) or not (PREPOSITIONS & set(tokens[0].lead) or tokens[0].key == DENIAL):
        return list(tokens)
    return [*tokens[end:], *tokens[:end]]


def _with_means(tokens: Sequence[Token]) -> list[Token]:
    """Implement storage using Postgres: as use Postgres for storage."""
    means = [at for at, token in enumerate(tokens) if "using" in token.lead]
    if len(means) != 1 or means[0] == 0 or not (means[0] > 1 or "implement" in tokens[0].lead):
        return list(tokens)
    first = replace(tokens[0], lead=("for",) if "implement" in tokens[0].lead else ("to",))
    return [*tokens[means[0] :], first, *tokens[1 : means[0]]]


def _active(tokens: list[Token]) -> list[Token]:
    """Bob is reviewed by Alice: as Alice reviews Bob. Two in one text are left as they are."""
    doers = _places(tokens, _is_doer) or [len(tokens)]
    verbs = _places(tokens, _is_suffered)
    if len(verbs) != 1 or len(doers) != 1 or not 0 < verbs[0] <= doers[0]:
        return tokens
    verb, doer = verbs[0], doers[0]
    behind = next((at for at in range(verb + 1, doer) if PREPOSITIONS & set(tokens[at].lead)), doer)
    end = next((at for at in range(doer + 1, len(tokens)) if _is_behind(tokens, at)), len(tokens))
    does = [*_unled(tokens[doer:end]), *_unled(tokens[verb:behind])]
    return [*does, *tokens[:verb], *tokens[behind:doer], *tokens[end:]]


def _places(tokens: Sequence[Token], wanted: Callable[[Token], bool]) -> list[int]:
    return [at for at, token in enumerate(tokens) if wanted(token)]


def _is_doer(token: Token) -> bool:
    return "by" in token.lead and not token.is_amount


def _is_suffered(token: Token) -> bool:
    return token.is_passive or _is_used_by(token.lead)


def _unled(tokens: Sequence[Token]) -> list[Token]:
    return [replace(token, lead=token.lead if at else ()) for at, token in enumerate(tokens)]


def _is_used_by(lead: Sequence[str]) -> bool:
    """The passive of a verb that weighs nothing stands in what leads the doer."""
    return "by" in lead and not _BE.isdisjoint(lead) and not _USED.isdisjoint(lead)


def _is_behind(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at - 1].closes or not (PREPOSITIONS - {"of"}).isdisjoint(tokens[at].lead)


def _with_lists(tokens: Sequence[Token]) -> Iterator[Token]:
    """Redis and Postgres: as Postgres and Redis."""
    at = 0
    while at < len(tokens):
        end = _list_end(tokens, at)
        items = tokens[at:end]
        if len(items) > 1 and _is_pure(tokens, at, end):
            ordered = sorted(items, key=lambda token: token.key)
            yield from (
                replace(item, lead=old.lead, closes=old.closes) for item, old in zip(ordered, items, strict=True)
            )
        else:
            yield from items
        at = end


def _list_end(tokens: Sequence[Token], start: int) -> int:
    """Behind the last of the words that and, or or a comma joins, from here on."""
    end = start + 1
    while end < len(tokens) and _is_joined(tokens[end - 1], tokens[end]):
        end += 1
    return end


def _is_joined(before: Token, token: Token) -> bool:
    plain = set(token.lead) - _ARTICLES
    return (
        before.is_word
        and token.is_word
        and (plain <= _JOINTS if before.closes else len(plain & _JOINTS) == len(plain) == 1)
    )


def _is_pure(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the places of a list are free: one joint, nothing it may bind to before or behind, no steps."""
    items = tokens[start:end]
    joints = {word for item in items[1:] for word in item.lead} & _JOINTS
    open_behind = end < len(tokens) and not items[-1].closes and not PREPOSITIONS & set(tokens[end].lead)
    commas = any(item.closes for item in items[:-1])
    if len(joints) != 1 or open_behind or (commas and PREPOSITIONS & set(items[0].lead)):
        return False
    return _names_things(tokens[start - 1] if start else None, items, commas=commas)


def _names_things(before: Token | None, items: Sequence[Token], *, commas: bool) -> bool:
    """Whether a list names things: steps are done in order, and an adjective may be said of the first alone."""
    lead = set(items[0].lead)
    if lead & (_ARTICLES | PREPOSITIONS | {"use", "using", "adopt"}) - {"to"}:
        return not commas or before is None or before.is_word
    if before is None or before.closes or lead:
        return not all(_may_be_verb(item.text) for item in items)
    return before.is_word and _may_be_verb(before.text) and not before.lead


def _may_be_verb(text: str) -> bool:
    return any("v" in lexicon().entry(lemma).parts for lemma in lexicon().meaning(text).lemmas)


PARTICLES: Final = word_set(
    "up down in out on off over under back forward forwards backward backwards away apart aside ahead forth together "
    "through around along across by onwards upward upwards downward downwards"
)
"""What turns a verb into another: roll back, roll out, set up, set off."""
PREPOSITIONS: Final = PARTICLES | word_set(
    "of to at for from with within into onto upon about above below between among during before after until till since "
    "against toward towards via per than then or"
)
"""What tells whose place a word takes, and how clauses follow each other."""
_AUXILIARIES: Final = word_set("to not will would shall should can could may might must do does did we they i you")
_EACH: Final = word_set("any each every")
_TIMES: Final = word_set("year quarter month week day season decade")
_DURING: Final = word_set("for during within")
_JOINTS: Final = frozenset({"and", "or"})
_ARTICLES: Final = word_set("a an the")
_DETERMINERS: Final = _ARTICLES | word_set("this that these those any each every all my our your his her its their")
_SPELLED: Final = {
    "till": "until",
    "towards": "toward",
    "upon": "on",
    "onto": "on",
    "forwards": "forward",
    "backwards": "back",
    "backward": "back",
}
_KEYS: Final = {"only": "only"} | {
    word: f"{PERSON}{person}"
    for person, words in {
        "we": "i me my mine we us our ours",
        "you": "you your yours",
        "he": "he him his",
        "she": "she her hers",
        "they": "they them their theirs",
    }.items()
    for word in words.split()
}
"""Function words whose place counts."""
_USED: Final = word_set("used implemented adopted")
_BE: Final = word_set("be is are was were been being")
_ROLES: Final = (
    dict.fromkeys(_BE, "be") | dict.fromkeys(("off", "out"), "from") | dict.fromkeys(("into", "toward"), "to")
)
