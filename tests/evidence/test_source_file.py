"""Sources in a JSON list, and what is said before anything is spent."""

import json
from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.evidence.credibility import table_of
from quorate.evidence.errand_find import Library
from quorate.evidence.search_settings import SearchSettings

GOOD = {
    "url": "https://acme.example/a",
    "title": "A",
    "quote": "The walrus sleeps.",
    "category": "official",
    "date": "2024-05-06",
}


def test_a_list_is_searched_like_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "sources.json"
    path.write_text(json.dumps([GOOD, {"url": "https://x.com/1", "text": "A heron."}]))
    means = SearchSettings(sources=(path,))
    means.check()
    [found] = Library(means, table_of()).find(("walrus",), 5)

    assert (found.url, found.title, found.text) == ("claimed:https://acme.example/a", "A", "The walrus sleeps.")
    assert (found.category, found.date) == ("official", "2024-05-06")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" + b" " * (10 * 2**20) + b"]", "a list of more than 8 MB; put the texts into a folder of files"),
        (b"{", "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b"{}", "no list; it begins with"),
        (b"[3]", "entry 1 is no object"),
        (b'[{"url": "ftp://x", "text": "y"}]', "entry 1 needs a url"),
        (b'[{"url": "https://x.example"}]', "and a text or quote"),
        (
            b'[{"url": "https://x.example", "text": "y", "category": "rumour"}]',
            "no category 'rumour'; there are official",
        ),
    ],
)
def test_a_list_that_is_none_is_refused_before_anything_is_spent(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "sources.json").write_bytes(content)

    with pytest.raises(BadSetting, match=said):
        SearchSettings(sources=(tmp_path / "sources.json",)).check()


def test_sources_that_are_not_there_or_of_no_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.exe").write_bytes(b"x")

    with pytest.raises(BadSetting, match="no sources at"):
        SearchSettings(sources=(tmp_path / "none",)).check()
    with pytest.raises(BadSetting, match="of a kind that is not read"):
        SearchSettings(sources=(tmp_path / "a.exe",)).check()


@pytest.mark.parametrize(
    ("search", "env", "said"),
    [
        ("brave", {}, "export BRAVE_API_KEY="),
        ("tavily", {}, "export TAVILY_API_KEY="),
        ("searxng", {}, "export SEARXNG_URL="),
        ("gopher", {}, "search takes none, searxng, brave, tavily or mcp"),
        ("mcp", {}, "search = mcp needs QUORATE_SEARCH_MCP"),
        ("mcp", {"QUORATE_SEARCH_MCP": "search 'query"}, "QUORATE_SEARCH_MCP: No closing quotation"),
    ],
)
def test_a_search_server_without_key_or_address_is_refused(search: str, env: dict[str, str], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        SearchSettings(search=search, env=env).check()
