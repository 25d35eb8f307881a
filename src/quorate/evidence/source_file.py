"""Sources given as a JSON list: [{"url": …, "title": …, "text" or "quote": …, "category": …, "date": …}, …]."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.evidence.document_reader import DocumentReader
from quorate.evidence.source_document import CATEGORIES, Document, UnreadFile, claimed_address, day_of

__all__ = ["LARGEST", "check_list", "read_list"]

LARGEST: Final = 8 * 2**20
"""Bytes of a list; whoever has more has a folder."""


def check_list(path: Path) -> None:
    """See before anything is spent that a list is one.

    Raises:
        BadSetting: it is too large, no JSON, or no list of sources, with the place of the first fault.
    """
    for found in read_list(path):
        if isinstance(found, UnreadFile):
            raise BadSetting(f"the sources {str(path)!r}: {found.why}")


def read_list(path: Path, _: DocumentReader | None = None) -> Iterator[Document | UnreadFile]:
    """Every source of a list, or what is wrong with it."""
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            yield UnreadFile(
                path.name, f"a list of more than {LARGEST // 2**20} MB; put the texts into a folder of files"
            )
            return
        items = json.loads(content)
    except OSError as wrong:
        yield UnreadFile(path.name, wrong.strerror or "cannot be opened")
        return
    except (ValueError, RecursionError) as wrong:
        yield UnreadFile(path.name, f"no JSON ({str(wrong)[:120]})")
        return
    if not isinstance(items, list):
        yield UnreadFile(path.name, 'no list; it begins with [ and holds {"url": …, "title": …, "text": …}')
        return
    for place, item in enumerate(items, 1):
        yield _source(item, place, path.name)


def _source(item: object, place: int, name: str) -> Document | UnreadFile:
    if not isinstance(item, dict):
        return UnreadFile(name, f"entry {place} is no object with url and text")
    said = {key: value for key, value in item.items() if isinstance(value, str)}
    text, url = said.get("text") or said.get("quote") or "", claimed_address(said.get("url", ""))
    if not text.strip() or not url:
        return UnreadFile(name, f"entry {place} needs a url that begins with http:// or https://, and a text or quote")
    category = said.get("category", "")
    if category and category not in CATEGORIES:
        return UnreadFile(name, f"entry {place}: no category {category[:40]!r}; there are {', '.join(CATEGORIES)}")
    return Document(
        url=url, title=said.get("title", "")[:300], date=day_of(said.get("date", "")), category=category, text=text
    )
