"""A document as it is kept: whose words, where they stand, and the passages they are cut into."""

import re
import unicodedata
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, get_args

from quorate.evidence.document_parsers import LONGEST_TEXT
from quorate.frozen import dataclass
from quorate.model.evidence import Category

__all__ = [
    "CATEGORIES",
    "CLAIMED",
    "LONGEST",
    "Document",
    "UnreadFile",
    "claimed_address",
    "day_of",
    "digest_of",
    "split_passages",
    "web_address",
]

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
LONGEST: Final = 1_000
OVERLAP: Final = 150
"""Characters of a passage, and of it that the next one repeats, so that no sentence is cut in both."""

AT_ONCE: Final = 100
"""Words that are normalized in one step."""

CLAIMED: Final = "claimed:"
"""What stands before an address that a document gives itself: it was not fetched from there, so nobody knows."""

_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-/](\d{2})[-/](\d{2})(?!\d)")
_SPACE: Final = re.compile(r"[^\S\n]+")
_LONG_WORD: Final = re.compile(r"(\S{256})(?=\S)")
_LINES: Final = re.compile(r"\n\s*\n\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Words and what they say of themselves.

    `url` is the address on the web they were found at, one that they claim, or their name within the folder.
    """

    url: str
    title: str = ""
    date: str = ""
    category: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that could not be read, and why in a few words."""

    name: str
    why: str


def digest_of(text: str) -> str:
    """One text has one digest, however it is spaced, cased or composed."""
    # To normalize a long run of combining marks takes quadratic time: 9 s for 80,000 of them.
    plain = text if text.isascii() else _LONG_WORD.sub(r"\1 ", text[:LONGEST_TEXT])
    words, digest = plain.split(), sha256()
    for at in range(0, len(words), AT_ONCE):
        # In parts, because normalizing is one step of the interpreter and stops every other thread meanwhile.
        part = unicodedata.normalize("NFKC", " ".join(words[at : at + AT_ONCE]))
        digest.update((" " * (at > 0) + " ".join(part.casefold().split())).encode("utf-8", "replace"))
    return digest.hexdigest()


def split_passages(text: str) -> Iterator[str]:
    """Passages of a sensible size, cut between words and if possible between sentences; each repeats a little."""
    plain = _LINES.sub("\n\n", _SPACE.sub(" ", text[:LONGEST_TEXT])).strip()
    start = 0
    while start < len(plain):
        end = _end(plain, start)
        piece = plain[start:end].strip()
        if piece:
            yield piece
        if end >= len(plain):
            return
        space = plain.find(" ", end - OVERLAP, end)
        start = space + 1 if space >= 0 else end


def _end(text: str, start: int) -> int:
    """Where a passage ends: at a paragraph, a sentence, a word, in this order, else where it is full."""
    full = start + LONGEST
    if full >= len(text):
        return len(text)
    for mark in ("\n\n", ". ", "\n", " "):
        found = text.rfind(mark, start + LONGEST // 2, full)
        if found >= 0:
            return found + len(mark)
    return full


def web_address(text: str) -> str:
    """The same, if it is an address on the web and not too long to be one."""
    plain = text.strip()
    fits = len(plain) <= 2_048 and plain.isprintable() and " " not in plain  # noqa: PLR2004  as browsers cut
    return plain if fits and plain.casefold().startswith(("http://", "https://")) else ""


def claimed_address(text: str) -> str:
    """An address on the web that a document gives itself: it is told, and believed as little as the document is."""
    found = web_address(text)
    return f"{CLAIMED}{found}" if found else ""


def day_of(text: str) -> str:
    """The day in a date as people and pages write it, else nothing."""
    found = _DAY.search(text)
    return "-".join(found.groups()) if found else ""
