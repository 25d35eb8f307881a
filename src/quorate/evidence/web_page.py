"""HTML into words: the text a reader sees, with title, date and address as the page states them."""

from html.parser import HTMLParser
from typing import Final

from quorate.evidence.source_document import Document, claimed_address, day_of

__all__ = ["read_page"]

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
