"""Files into documents, by their kind: text, Markdown, HTML, PDF."""

import codecs
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from quorate.evidence.document_reader import DocumentReader, ParsedDocument
from quorate.evidence.source_document import CATEGORIES, Document, UnreadFile, claimed_address, day_of

__all__ = ["LARGEST", "NO_KIND", "is_readable", "read_file"]

LARGEST: Final = 10 * 2**20
"""Bytes of one file that are read; a larger one is listed and left."""
FRONT: Final = 65_536
"""Characters in which a file's front matter ends, if it has any."""
NO_KIND: Final = "of a kind that is not read"

_FENCE: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$\r?\n?", re.DOTALL | re.MULTILINE)
# What surrounds a value is stripped afterwards: a pattern for it takes quadratic time on a long run of spaces.
_FIELD: Final = re.compile(r"^([A-Za-z_-]+)[ \t]*:(.*)$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$|^(.+)\r?\n(?:=+|-+)[ \t]*$", re.MULTILINE)
_CHARSET: Final = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]+)")
_CHARSETS: Final = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "cp866", "cp874", "tis-620"),
        *("big5", "big5hkscs", "gb2312", "gbk", "gb18030", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr"),
        "cp949",
    )
)
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def is_readable(name: str) -> bool:
    """Whether a file of this name is of a kind that is read."""
    return PurePosixPath(name).suffix.casefold() in _READERS


def read_file(content: bytes, name: str, reader: DocumentReader) -> Document | UnreadFile:
    """What a file holds, or why it could not be read; nothing in a file raises.

    Raises:
        ReadingStopped: nobody waits for it any more.
    """
    reader.check()
    if len(content) > LARGEST:
        return UnreadFile(name, f"larger than {LARGEST // 2**20} MB")
    read = _READERS.get(PurePosixPath(name).suffix.casefold())
    if read is None:
        return UnreadFile(name, NO_KIND)
    document = read(content, name, reader)
    if isinstance(document, Document) and not document.text.strip():
        return UnreadFile(name, "without any words")
    return document


def _plain(content: bytes, name: str, _: DocumentReader) -> Document | UnreadFile:
    """Text is read here: that takes time in proportion to its size, which is limited."""
    text = _decoded(content)
    return UnreadFile(name, "no text") if text is None else _titled(text, name)


def _page(content: bytes, name: str, reader: DocumentReader) -> Document | UnreadFile:
    text = _decoded(content)
    if text is None:
        return UnreadFile(name, "no text")
    return _document(reader.parse("page", text.encode(errors="replace")), name)


def _titled(text: str, name: str) -> Document:
    """Text, with front matter between dashes if it has any, and a title from its first heading or line."""
    front = _FENCE.match(text[:FRONT])
    stated = _FIELD.findall(front[1]) if front else ()
    said = {key.casefold(): value.strip().strip("\"'") for key, value in stated}
    body = text[front.end() :] if front else text
    category = said.get("category", "")
    addresses = (claimed_address(said.get(key, "")) for key in ("url", "source", "link", "canonical"))
    return Document(
        url=next(filter(None, addresses), name),
        title=" ".join((said.get("title") or _heading(body[:4_000])).split())[:300],
        date=day_of(said.get("date", "") or said.get("published", "")),
        category=category if category in CATEGORIES else "",
        text=body,
    )


def _heading(text: str) -> str:
    """The first heading, else the first line that says something."""
    heading = _HEADING.search(text)
    if heading:
        return heading[1] or heading[2]
    return next((line for line in text.splitlines() if line.strip()), "")


def _decoded(content: bytes) -> str | None:
    """Bytes as text: what they are marked as, UTF-8, what a page states, else Windows' own; None if they are none."""
    marked = next((codec for mark, codec in _MARKS if content.startswith(mark)), None)
    if marked is None and b"\0" in content[:8_192]:
        return None
    stated = _CHARSET.search(content[:2_048])
    for codec in (marked, "utf-8", _charset(stated[1].decode("ascii")) if stated else None):
        try:
            return content.decode(codec or "utf-8")
        except UnicodeError:
            continue
    return content.decode("cp1252", "replace")


def _charset(name: str) -> str | None:
    """A character set that pages are written in. Python knows others, such as punycode, that take quadratic time."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    return found if found in _CHARSETS or found.startswith(("iso8859-", "cp125")) else None


def _pdf(content: bytes, name: str, reader: DocumentReader) -> Document | UnreadFile:
    return _document(reader.parse("pdf", content), name)


def _document(parsed: ParsedDocument, name: str) -> Document | UnreadFile:
    """What the child made of it; `name` is its address unless it claims one."""
    if parsed.why:
        return UnreadFile(name, parsed.why)
    return Document(
        url=claimed_address(parsed.url) or name, title=parsed.title, date=day_of(parsed.date), text=parsed.text
    )


_READERS: Final[Mapping[str, Callable[[bytes, str, DocumentReader], Document | UnreadFile]]] = MappingProxyType(
    dict.fromkeys((".txt", ".text", ".md", ".markdown", ".rst", ".org", ".adoc"), _plain)
    | dict.fromkeys((".html", ".htm", ".xhtml"), _page)
    | {".pdf": _pdf}
)
