"""Takes our keys out of what a panelist says, before anything is cached, logged, shown or recorded.

A server knows the key it was sent, and a model may be told one. Keys are looked for among letters and digits alone,
without their case, so that nothing put between them hides one; and as base64, as hexadecimal and as a URL writes them.
A piece of sixteen is as good as the whole. Time is in proportion to the text.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from quorate.errors import PanelistError
from quorate.frozen import dataclass
from quorate.model import Ask, Reply
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.registry import PROVIDERS

__all__ = ["REMOVED", "RedactedPanelist", "Redaction", "secrets_of"]

REMOVED: Final = "[key removed]"

PIECE: Final = 16
"""Letters and digits in a row that are taken for a piece of a key."""
SHORTEST: Final = 12
"""What has fewer is a word such as `ollama` or `lm-studio`, put where a key must stand and none is needed."""
_GRAM: Final = 8
_STRIDE: Final = PIECE - _GRAM + 1
_HELD: Final = 400
"""Characters that are held back at most while they are written: some languages have few of those letters."""

_SIGN: Final = re.compile("[0-9A-Za-z]")
_BETWEEN: Final = bytes(sign for sign in range(128) if not chr(sign).isalnum())
_LOWER: Final = bytes(range(256)).lower()
_SECRET: Final = re.compile(r"(?:API_?KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD)\Z", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:_proxy|_ledger)\Z", re.IGNORECASE)


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every value that by the name of its variable is a key, a token or a password; a proxy's or a ledger's too."""
    variables = {provider.variable for provider in PROVIDERS.values()}
    named = (value for name, value in environ.items() if name in variables or _SECRET.search(name))
    addresses = (_password(value) for name, value in environ.items() if _ADDRESS.search(name))
    return tuple(dict.fromkeys(one.strip() for one in (*named, *addresses) if len(_plain(one)) >= SHORTEST))


def _password(address: str) -> str:
    try:
        return unquote(urlsplit(address if "://" in address else f"http://{address}").password or "")
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class Redaction:
    """What to look for: pieces of keys, their beginnings, and the keys that are shorter than a piece."""

    pieces: frozenset[str] = field(repr=False)
    grams: frozenset[str] = field(repr=False)
    short: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, secrets: Iterable[str]) -> "Redaction | None":
        """For these keys; None if there are none."""
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= SHORTEST}
        pieces = {form[at : at + PIECE] for form in forms for at in range(len(form) - PIECE + 1)}
        grams = {piece[at : at + _GRAM] for piece in pieces for at in range(_STRIDE)}
        short = tuple(sorted(form for form in forms if len(form) < PIECE))
        return cls(frozenset(pieces), frozenset(grams), short) if forms else None

    def clean(self, text: str) -> str:
        """The text with a plain sign where a key was."""
        at, kept = 0, list[str]()
        for begin, end in self.places(text):
            kept += (text[at:begin], REMOVED)
            at = end
        return "".join((*kept, text[at:])) if kept else text

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where keys stand, in order, without overlaps."""
        plain = _plain(text)
        found = sorted((*self._pieces(plain), *self._short(plain)))
        if not found:
            return []
        where = _signs(text)
        places: list[tuple[int, int]] = []
        for begin, end in ((where[first], where[last - 1] + 1) for first, last in found):
            if places and begin <= places[-1][1]:
                places[-1] = (places[-1][0], max(end, places[-1][1]))
            else:
                places.append((begin, end))
        return places

    def _pieces(self, plain: str) -> Iterator[tuple[int, int]]:
        """Every stride a few signs are looked up; where they may be of a key, the places around them are."""
        strides = range(0, len(plain) - _GRAM + 1, _STRIDE)
        if self.grams.isdisjoint([plain[at : at + _GRAM] for at in strides]):
            return
        at, seen = 0, 0
        while at <= len(plain) - _GRAM:
            begin = self._begins(plain, seen, at) if plain[at : at + _GRAM] in self.grams else -1
            if begin < 0:
                at += _STRIDE
                continue
            seen = begin + PIECE
            while plain[seen - PIECE + 1 : seen + 1] in self.pieces:
                seen += 1
            yield begin, seen
            at = seen

    def _begins(self, plain: str, seen: int, at: int) -> int:
        places = range(max(seen, at - _STRIDE + 1), at + 1)
        return next((place for place in places if plain[place : place + PIECE] in self.pieces), -1)

    def _short(self, plain: str) -> Iterator[tuple[int, int]]:
        for form in self.short:
            at = plain.find(form)
            while at >= 0:
                yield at, at + len(form)
                at = plain.find(form, at + len(form))


def _plain(text: str) -> str:
    """Letters and digits alone, in lower case; all at once, since every reply goes through here."""
    return text.encode("ascii", "ignore").translate(_LOWER, _BETWEEN).decode("ascii")


def _signs(text: str) -> list[int]:
    """Where letters and digits stand."""
    return [found.start() for found in _SIGN.finditer(text)]


def _forms(secret: str) -> Iterator[str]:
    """A key as it may be written, letters and digits alone."""
    octets = secret.encode()
    yield from map(_plain, (secret, quote(secret, safe=""), octets.hex()))
    for before in range(3):  # base64 depends on where in a longer text the key begins
        written = b64encode(bytes(before) + octets).decode()
        yield _plain(written[-(-8 * before // 6) : 8 * (before + len(octets)) // 6])


class RedactedPanelist:
    """A panelist in whose words none of our keys stands."""

    def __init__(self, panelist: Panelist, redaction: Redaction) -> None:
        self._panelist = panelist
        self._redaction = redaction

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """What the panelist says, without keys.

        Raises:
            PanelistError: what the panelist raises, without keys.
        """
        clean = self._redaction.clean
        hearing = ignore_words if overheard is ignore_words else _Hearing(self._redaction, overheard)
        try:
            reply = await self._panelist.answer(ask, hearing)
        except PanelistError as gone:
            gone.detail = clean(gone.detail)
            gone.args = tuple(clean(arg) if isinstance(arg, str) else arg for arg in gone.args)
            raise
        text, model = clean(reply.text), clean(reply.model)
        return reply if text is reply.text and model is reply.model else replace(reply, text=text, model=model)


class _Hearing:
    """Passes words on as they are written, but for the last few, with which a key may begin; those are in the reply."""

    def __init__(self, redaction: Redaction, overheard: WordListener) -> None:
        self._redaction = redaction
        self._overheard = overheard
        self._held = ""

    def __call__(self, words: str, /) -> None:
        self._held += words
        until = self._sure()
        # Even where all of it is held back, the listener learns that the model is still writing.
        self._overheard(self._redaction.clean(self._held[:until]))
        self._held = self._held[until:]

    def _sure(self) -> int:
        """How much of what is held back can belong to no key that is still being written."""
        signs = _signs(self._held)
        until = signs[-PIECE + 1 :][0] if signs else len(self._held)
        until = max(until, len(self._held) - _HELD)
        begun = (begin for begin, end in self._redaction.places(self._held) if begin < until < end)
        return until if len(self._held) > 2 * _HELD else next(begun, until)
