"""Files into documents, by their kind: text, Markdown, HTML, PDF."""

import codecs
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from io import BytesIO
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from quorate.evidence.source_document import CATEGORIES, Document, UnreadFile, claimed_address, day_of

__all__ = ["LARGEST", "NO_KIND", "is_readable", "read_file"]

LARGEST: Final = 10 * 2**20
"""Bytes of one file that are read; a larger one is listed and left."""
NO_KIND: Final = "of a kind that is not read"
NO_PYPDF: Final = "PDF, which needs pip install 'quorate[documents]'"
PAGES: Final = 1_000

_FENCE: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$\r?\n?", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r"^([A-Za-z_-]+)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$|^(.+)\r?\n(?:=+|-+)[ \t]*$", re.MULTILINE)
_CHARSET: Final = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]+)")
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def is_readable(name: str) -> bool:
    """Whether a file of this name is of a kind that is read."""
    return PurePosixPath(name).suffix.casefold() in _READERS


def read_file(content: bytes, name: str) -> Document | UnreadFile:
    """What a file holds, or why it could not be read; nothing in a file raises."""
    if len(content) > LARGEST:
        return UnreadFile(name, f"larger than {LARGEST // 2**20} MB")
    read = _READERS.get(PurePosixPath(name).suffix.casefold())
    if read is None:
        return UnreadFile(name, NO_KIND)
    found = read(content, name)
    if isinstance(found, Document) and not found.text.strip():
        return UnreadFile(name, "without any words")
    return found


def _plain(content: bytes, name: str) -> Document | UnreadFile:
    text = _decoded(content)
    return UnreadFile(name, "no text") if text is None else _titled(text, name)


def _page(content: bytes, name: str) -> Document | UnreadFile:
    text = _decoded(content)
    return UnreadFile(name, "no text") if text is None else read_page(text, name)


def _titled(text: str, name: str) -> Document:
    """Text, with front matter between dashes if it has any, and a title from its first heading or line."""
    front = _FENCE.match(text)
    said = {key.casefold(): value.strip("\"'") for key, value in _FIELD.findall(front[1])} if front else {}
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
    for codec in (marked, "utf-8", stated[1].decode("ascii") if stated else None):
        try:
            return content.decode(codec or "utf-8")
        except (LookupError, UnicodeError):
            continue
    return content.decode("cp1252", "replace")


def _portable(content: bytes, name: str) -> Document | UnreadFile:
    try:
        import pypdf  # noqa: PLC0415  an extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415
    except ImportError:
        return UnreadFile(name, NO_PYPDF)
    # A broken file raises whatever its reader stumbles over.
    faults = (PyPdfError, ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError)
    others = (TypeError, ValueError, MemoryError, struct.error, zlib.error)
    try:
        reader = pypdf.PdfReader(BytesIO(content))
        about = reader.metadata
        text = "\n\n".join(page.extract_text() for page in reader.pages[:PAGES])
        title, made = (about.title or "", about.creation_date_raw or "") if about else ("", "")
    except (*faults, *others):
        return UnreadFile(name, "a PDF that cannot be read")
    day = re.match(r"D:(\d{4})(\d{2})(\d{2})", str(made))
    heading = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return Document(
        url=name, title=(str(title).strip() or heading)[:300], date="-".join(day.groups()) if day else "", text=text
    )


_READERS: Final[Mapping[str, Callable[[bytes, str], Document | UnreadFile]]] = MappingProxyType(
    dict.fromkeys((".txt", ".text", ".md", ".markdown", ".rst", ".org", ".adoc"), _plain)
    | dict.fromkeys((".html", ".htm", ".xhtml"), _page)
    | {".pdf": _portable}
)


_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select"})
_VOID: Final = frozenset({"meta", "link", "br", "img", "hr", "input", "source", "wbr", "base", "col", "area", "embed"})
_BLOCKS: Final = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "blockquote", "pre"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "figure", "figcaption", "main", "nav", "aside", "hr", "td", "th"}
)
_DATES: Final = frozenset({"article:published_time", "date", "dc.date", "dcterms.date", "datepublished", "pubdate"})
_TITLES: Final = frozenset({"og:title", "dc.title", "twitter:title"})


def read_page(text: str, name: str) -> Document:
    """Read a page; `name` stands where it states no address of its own."""
    page = _Page()
    page.feed(text)
    page.close()
    title = " ".join("".join(page.title).split()) or page.stated.get("title", "") or page.heading()
    return Document(
        url=claimed_address(page.stated.get("url", "")) or name,
        title=title[:300],
        date=day_of(page.stated.get("date", "")),
        text="".join(page.words),
    )


class _Page(HTMLParser):
    """Gathers what is seen; a tag that is never closed hides nothing after the head."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self.title: list[str] = []
        self.stated: dict[str, str] = {}
        self._hidden = ""
        self._in: str = ""
        self._headings: list[str] = []

    def heading(self) -> str:
        return " ".join("".join(self._headings).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self._hidden = ""
        elif tag == "title":
            self._in = "title"
        elif tag in {"meta", "link", "time"}:
            self._state(tag, {name: value or "" for name, value in attrs})
        elif tag in _UNSEEN and not self._hidden:
            self._hidden = tag
        elif tag == "h1" and not self._headings:
            self._in = "h1"
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._hidden = ""
        if tag == self._in:
            self._in = ""
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_data(self, words: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  it is given by place
        if self._in == "title":
            self.title.append(words)
        elif not self._hidden:
            self.words.append(words)
            if self._in == "h1":
                self._headings.append(words)

    def _state(self, tag: str, said: dict[str, str]) -> None:
        """What a page says of itself; the first word counts."""
        if tag == "link":
            named, value = ("url" if said.get("rel", "").casefold() == "canonical" else ""), said.get("href", "")
        elif tag == "time":
            named, value = "date", said.get("datetime", "")
        else:
            key = said.get("property") or said.get("name") or said.get("itemprop") or ""
            named, value = _field(key.casefold()), said.get("content", "")
        if named and value:
            self.stated.setdefault(named, value.strip())


def _field(key: str) -> str:
    if key in _DATES:
        return "date"
    if key in _TITLES:
        return "title"
    return "url" if key == "og:url" else ""
