"""Parses HTML and PDF in a process of its own, because a small document can keep either parser busy for hours.

`document_reader` runs this file by its path, as `python -I -S -B document_parsers.py FOLDER`, without the rest of
quorate: it uses the standard library, and pypdf from FOLDER. A request is a line with a kind and a length, then as many
bytes; a reply is a line with a length, then JSON. The limits are set here, because code that runs between fork and exec
is not safe in a program with threads.
"""

import json
import re
import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from html.parser import HTMLParser
from io import BytesIO
from typing import Final

__all__ = ["CPU_SECONDS", "LONGEST_TEXT", "MEMORY", "WALL_SECONDS", "parse_page", "parse_pdf"]

CPU_SECONDS: Final = 10
"""Processor time for one document."""
WALL_SECONDS: Final = 30
"""Time for one document on a busy machine."""
MEMORY: Final = 512 * 2**20
LONGEST_TEXT: Final = 2_000_000
"""Characters of one document that are handed back."""
PAGES: Final = 1_000
TOO_BIG: Final = f"needs more than {MEMORY // 2**20} MB of memory"


def parse_pdf(content: bytes) -> dict[str, str]:
    """The text of a PDF, and what it says of itself."""
    import pypdf  # noqa: PLC0415  an extra, and slow to load

    reader = pypdf.PdfReader(BytesIO(content))
    about = reader.metadata
    pieces, room = list[str](), LONGEST_TEXT
    for page in reader.pages[:PAGES]:
        pieces.append(page.extract_text())
        room -= len(pieces[-1])
        if room <= 0:
            break
    text = "\n\n".join(pieces)
    title, made = (about.title or "", about.creation_date_raw or "") if about else ("", "")
    day = re.match(r"D:(\d{4})(\d{2})(\d{2})", str(made))
    heading = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return {"text": text, "title": str(title).strip() or heading, "date": "-".join(day.groups()) if day else ""}


_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select"})
_BLOCKS: Final = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "blockquote", "pre"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "figure", "figcaption", "main", "nav", "aside", "hr", "td", "th"}
)
_DATES: Final = frozenset({"article:published_time", "date", "dc.date", "dcterms.date", "datepublished", "pubdate"})
_TITLES: Final = frozenset({"og:title", "dc.title", "twitter:title"})


def parse_page(text: str) -> dict[str, str]:
    """The words of a page that are seen, and what it says of itself."""
    page = _Page()
    page.feed(text)
    page.close()
    title = " ".join("".join(page.title).split()) or page.stated.get("title", "") or page.heading()
    return {
        "text": "".join(page.words),
        "title": title,
        "url": page.stated.get("url", ""),
        "date": page.stated.get("date", ""),
    }


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

    def handle_data(self, words: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  passed by place
        if self._in == "title":
            self.title.append(words)
        elif not self._hidden:
            self.words.append(words)
            if self._in == "h1":
                self._headings.append(words)

    def _state(self, tag: str, attributes: dict[str, str]) -> None:
        """What a page says of itself; the first word counts."""
        if tag == "link":
            is_address = attributes.get("rel", "").casefold() == "canonical"
            field, value = ("url" if is_address else ""), attributes.get("href", "")
        elif tag == "time":
            field, value = "date", attributes.get("datetime", "")
        else:
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            field, value = _field(key.casefold()), attributes.get("content", "")
        if field and value:
            self.stated.setdefault(field, value.strip())


def _field(key: str) -> str:
    if key in _DATES:
        return "date"
    if key in _TITLES:
        return "title"
    return "url" if key == "og:url" else ""


def parse(kind: bytes, content: bytes) -> dict[str, str]:
    """What a document holds. A broken one raises whatever its parser stumbles over, which ends this process."""
    try:
        fields = parse_pdf(content) if kind == b"pdf" else parse_page(content.decode())
        shortest = {"text": LONGEST_TEXT, "title": 300, "url": 4_000, "date": 100}
        # Half of a surrogate pair is no text for whoever reads the reply.
        return {name: text[: shortest[name]].encode("utf-8", "replace").decode() for name, text in fields.items()}
    except MemoryError:
        return {"why": TOO_BIG}


def limit_process() -> None:
    """Take away what a parser doesn't need: memory, files, other processes."""
    limits = ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0))
    for kind, most in limits:
        with suppress(OSError, ValueError):  # not every system knows them all; time is limited by the parent too
            resource.setrlimit(kind, (most, most))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process itself


def limit_cpu_time() -> None:
    """Begin to count processor time for the next document."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + CPU_SECONDS + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def main(folders: Iterable[str]) -> None:
    """Answer requests until there are no more."""
    sys.path.extend(filter(None, folders))
    limit_process()
    while line := sys.stdin.buffer.readline(64):
        kind, size = line.split()
        content = sys.stdin.buffer.read(int(size))
        limit_cpu_time()
        reply = json.dumps(parse(kind, content)).encode()
        sys.stdout.buffer.write(b"%d\n%s" % (len(reply), reply))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
