"""Texts as words: hyphens split, forms of one word are one word, and function words weigh nothing."""

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal

from quorate.frozen import dataclass
from quorate.similarity.common_words import word_set

__all__ = ["FORMS", "FUNCTION_WORDS", "LABELS", "Word", "stems", "words"]

FORMS: Final = 20_000
"""How many words and texts are kept at hand; somebody else's text may hold any number."""

Kind = Literal["word", "number", "mark", "sign"]


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared and as it was written; `ends` when a sentence or clause ends after it."""

    text: str
    written: str
    kind: Kind = "word"
    ends: bool = False

    @property
    def stem(self) -> str:
        return _stem(self.text) if self.kind == "word" else self.text

    @property
    def weighs(self) -> bool:
        """Whether it is more than a function word."""
        return self.kind != "word" or not (self.text in FUNCTION_WORDS or self.stem in _WEIGHTLESS)


@lru_cache(maxsize=FORMS)
def words(text: str) -> tuple[Word, ...]:
    """Every word, number, mark (Option A, v2, C++) and comparison sign of a text, in order."""
    plain = _plain(text)
    found: list[Word] = []
    for match in _WORD.finditer(plain):
        ends = plain[match.end() : match.end() + 1] in _ENDS
        found += _read(match.group(), match.lastgroup or "word", ends=ends)
    if not plain.isupper():
        found = [_unconfused(word) for word in found]
    return tuple(_mark_letters(_united(found)))


@lru_cache(maxsize=FORMS)
def stems(text: str) -> tuple[str, ...]:
    """What weighs something in a text, in order: numbers, marks, and every word that is no function word."""
    return tuple(word.stem for word in words(text) if word.weighs)


def _plain(text: str) -> str:
    """Its usual signs and digits, in whatever script it is written."""
    if text.isascii():
        return text.translate(_PLAIN)
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN)).translate(_PLAIN)
    plain = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")  # a soft hyphen in a word
    plain = _LETTERS.sub(_of_one_script, plain)
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in plain)


def _of_one_script(match: re.Match[str]) -> str:
    """A word with letters of two scripts is Latin in disguise: not, with a Cyrillic o."""
    word = match.group()
    return word.translate(_LOOKALIKES) if any(letter.isascii() for letter in word) else word


def _read(written: str, kind: str, *, ends: bool) -> list[Word]:
    folded = written.casefold()
    match kind:
        case "initials":
            return [Word(folded.replace(".", ""), written.replace(".", "").upper())]
        case "sign":
            return [Word(_SIGNS.get(folded, folded), written, "sign")]
        case "number":
            return [Word(folded.replace(",", ""), written, "number", ends)]
        case "mark":
            return [Word(folded, written, "mark", ends)]
        case _:
            return [Word(part, written, ends=ends) for part in _apart(folded)]


def _unconfused(word: Word) -> Word:
    """US is no pronoun and IT is a trade; every other function word stays one, however loud: NOT, OR, FROM."""
    return replace(word, text=_INITIALS[word.written]) if word.written in _INITIALS else word


def _united(found: list[Word]) -> list[Word]:
    """The one country whose name is written in three ways more often than not; nobody says the us."""
    kept: list[Word] = []
    for word in found:
        if word.text == "states" and kept and kept[-1].text == "united":
            kept[-1] = replace(word, text="usa", written="USA")
        elif word.text == "us" and kept and kept[-1].text == "the":
            kept.append(replace(word, text="usa"))
        else:
            kept.append(word)
    return kept


def _apart(folded: str) -> list[str]:
    """A contraction is two words, and a possessive is the word itself."""
    if folded in _CONTRACTED:
        return [_CONTRACTED[folded], "not"]
    if folded.endswith("n't"):
        verb = _CONTRACTED.get(folded.replace("'", ""), folded[:-3])
        return [verb, "not"] if verb else ["not"]
    return [folded.partition("'")[0] or folded]


def _mark_letters(found: list[Word]) -> list[Word]:
    """A letter alone is a mark: Option A, Vitamin C; unless it is the article, the pronoun or somebody's middle."""
    for at, word in enumerate(found):
        if word.kind == "word" and len(word.text) == 1 and word.text.isascii() and not _is_small(found, at):
            found[at] = Word(word.text, word.written, "mark", word.ends)
    return found


def _is_small(found: list[Word], at: int) -> bool:
    """Whether a letter is the pronoun, or the article before what it belongs to."""
    word = found[at]
    if word.text not in "ai" or word.ends or at == len(found) - 1:
        return False
    if at > 0 and word.written == "A" and found[at - 1].stem in LABELS:
        return False
    begins = at == 0 or found[at - 1].ends
    return word.text == "i" or begins or _is_article(word, found[at + 1])


def _is_article(word: Word, behind: Word) -> bool:
    """No article stands before a function word: A over B. A capital is one only among capitals: Use A Cache."""
    return behind.weighs and (word.written.islower() or behind.written[:1].isupper())


@lru_cache(maxsize=FORMS)
def _stem(word: str) -> str:
    """A word without its commonest endings: document, documents, documented and documenting are one."""
    if word in FUNCTION_WORDS or not word.isascii():
        return word
    if word in ("use", "uses", "used", "using"):
        return "use"
    for ending, instead in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            word = stem + instead
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]  # planning, plan
    return word.removesuffix("e") if len(word) > _SHORTEST else word


_PLAIN: Final = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4`"), "'") | dict.fromkeys(
    range(0x2010, 0x2016), "-"
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u04bb\u0442\u03bf\u03c4\u03bd\u0410\u0415\u041e\u0420\u0421\u0422\u041d\u039d\u039f\u03a4",
    "aeopcxyijshtotvAEOPCTHNOT",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_INITIALS: Final = {"US": "usa", "IT": "IT", "WHO": "WHO"}
"""What spells a function word and is more often initials, where not everything is in capitals."""
_ENDS: Final = frozenset(".,:;!?()")
_SIGNS: Final = {">=": "≥", "=>": "≥", "<=": "≤", "=<": "≤"}
_WORD: Final = re.compile(
    r"(?P<initials>(?<!\w)(?:[^\W\d_]\.){2,})"
    r"|(?P<sign>[<>]=?|=[<>]|[≤≥%$€£]|(?<=\d)\+)"
    r"|(?P<mark>(?<!\w)(?:[A-Za-z](?:\+\+|\#)|v?\d+(?:\.\d+){2,}|[^\W\d_]+\d\w*))"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?:[^\W\d_]+(?!\w))?)"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?)"
)
_CONTRACTED: Final = {
    "cannot": "can",
    "cant": "can",
    "can't": "can",
    "wont": "will",
    "won't": "will",
    "shant": "shall",
    "shan't": "shall",
    "aint": "is",
    "ain't": "is",
    "dont": "do",
    "doesnt": "does",
    "didnt": "did",
    "isnt": "is",
    "arent": "are",
    "wasnt": "was",
    "shouldnt": "should",
    "wouldnt": "would",
    "couldnt": "could",
    "mustnt": "must",
    "neednt": "need",
    "hasnt": "has",
    "havent": "have",
    "hadnt": "had",
    "werent": "were",
}

LABELS: Final = word_set(
    "option plan choice variant version candidate proposal group team type class tier phase stage step level grade "
    "vendor model site zone room section part appendix schedule exhibit building product scenario approach design "
    "answer alternative category set strategy path route track stream batch cohort series volume chapter article "
    "release milestone sprint priority package lot solution method case vitamin hepatitis column row item "
    "number no v ver"
)
"""What a letter or a number after it names one of."""

FUNCTION_WORDS: Final = word_set(
    "a an the this that these those such "
    "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs who whom whose "
    "which what when where why how whether if then than as so "
    "and or but nor yet both either neither "
    "of to in on at by for from with within into onto upon about over under above below between among across through "
    "during before after until till since against toward towards via per off out up down around along without "
    "be am is are was were been being have has had having do does did doing done will would shall should can could "
    "may might must ought "
    "not no there here also too very just only even still again ever already please let s t d ll re ve m"
)
"""They weigh nothing, though they may turn a text round: how alike two texts are merges nothing by itself."""

_ENDINGS: Final = (
    ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("is", "is"),
    ("ing", ""), ("ed", ""), ("es", ""), ("s", ""),
)  # fmt: skip
_SHORTEST: Final = 3
_WEIGHTLESS: Final = frozenset({"use", "implement", "adopt", "choos", "go"})
"""In every form: verbs that say nothing of what is chosen."""
