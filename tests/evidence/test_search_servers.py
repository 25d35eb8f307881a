"""Search servers as they are documented: what they are sent, what is made of their answers, and how they fail."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from quorate.evidence.errand_find import EvidenceFinder
from quorate.evidence.search_settings import SearchSettings
from quorate.model import Errand, Found
from tests.evidence.web import Listener, page

KEY = "secret-key-1"
SERVER = """
from mcp.server import MCPServer
server = MCPServer("search")

@server.tool()
def listed(query: str) -> list[dict[str, str]]:
    return [{"url": "https://www.reuters.com/w", "title": "Walrus", "snippet": f"About {query}."}]

@server.tool()
def told(q: str) -> str:
    first = "1. Walrus\\nURL: https://apnews.com/w.\\nThe walrus sleeps."
    return first + "\\n\\nNo address here.\\n---\\nTwo https://x.com/2 end"

@server.tool()
def fails(query: str) -> str:
    raise ValueError("the index is down")

@server.tool()
def bare(query: str) -> str:
    return "nothing with an address"

server.run()
"""


def errand(*texts: str) -> Errand:
    return Errand(kind="find", round="research", seat="Broad", texts=texts)


async def asked(search: str, env: Mapping[str, str], *texts: str) -> Found:
    return await EvidenceFinder.of(SearchSettings(search=search, env=env)).find(errand(*(texts or ("walrus",))))


def listed(key: str, **item: object) -> bytes:
    whole = {
        "url": "https://www.reuters.com/a",
        "title": "A <b>walrus</b>",
        key: "It &amp; others <strong>sleep</strong>.",
    }
    return json.dumps([{**whole, **item}, {"url": "javascript:1", key: "x"}, {"url": "https://b.example"}, 3]).encode()


def served(body: bytes, *path: str) -> bytes:
    for step in reversed(path):
        body = b'{"%s": %s}' % (step.encode(), body)
    return page(body.decode(), kind="application/json")


async def test_searxng_is_asked_for_json_and_its_sources_are_read() -> None:
    async with Listener("127.0.0.1") as server:
        first = "/search?q=walrus&format=json&pageno=1"
        server.pages = {first: served(listed("content", publishedDate="2024-05-06T07:08"), "results")}
        found = await asked("searxng", {"SEARXNG_URL": f"http://127.0.0.1:{server.port}/"})

    [passage] = found.passages
    assert (passage.url, passage.title, passage.text) == ("https://www.reuters.com/a", "A walrus", "It & others sleep.")
    assert (passage.date, passage.category, found.by) == ("2024-05-06", "news", "searxng (127.0.0.1)")
    assert passage.digest


async def test_brave_is_given_its_key_and_no_more_words_than_it_takes() -> None:
    async with Listener(
        "127.0.0.1", every=served(listed("description", extra_snippets=["More."]), "web", "results")
    ) as server:
        env = {"BRAVE_API_KEY": KEY, "BRAVE_BASE_URL": f"http://127.0.0.1:{server.port}"}
        found = await asked("brave", env, "word " * 200)

    assert server.heads[0]["x-subscription-token"] == KEY
    assert server.asked[0].startswith("/res/v1/web/search?q=word+word")
    assert server.asked[0].count("word") == 50
    assert found.passages[0].text == "It & others sleep.\nMore."


async def test_tavily_is_posted_to_with_its_key() -> None:
    async with Listener("127.0.0.1", every=served(listed("content", published_date="2024-01-02"), "results")) as server:
        env = {"TAVILY_API_KEY": KEY, "TAVILY_BASE_URL": f"http://127.0.0.1:{server.port}"}
        found = await asked("tavily", env)

    assert (server.heads[0]["authorization"], server.asked) == (f"Bearer {KEY}", ["/search"])
    assert json.loads(server.bodies[0])["query"] == "walrus"
    assert found.passages[0].date == "2024-01-02"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (page("no", status=401), "answered 401; is BRAVE_API_KEY right?"),
        (page("no", status=429), "answered 429; it asks for patience"),
        (page("", "Location: http://127.0.0.1:1/", status=302), "answered 302"),
        (page("<html>"), "sent no JSON"),
        (page("[" * 100_000), "sent no JSON"),
        (page("x" * (4 * 2**20 + 1)), "sent more than is read"),
        (b"nonsense\r\n\r\n", "cannot be asked"),
    ],
)
async def test_a_server_that_fails_is_a_find_with_a_reason_and_never_tells_the_key(answer: bytes, said: str) -> None:
    async with Listener("127.0.0.1", every=answer) as server:
        env = {"BRAVE_API_KEY": KEY, "BRAVE_BASE_URL": f"http://127.0.0.1:{server.port}"}
        found = await asked("brave", env)

    assert (found.passages, found.by) == ((), "brave (127.0.0.1)")
    assert said in found.why
    assert KEY not in repr((found, SearchSettings(search="brave", env=env)))


async def test_searxng_without_json_says_what_to_do() -> None:
    async with Listener("127.0.0.1", every=page("no", status=403)) as server:
        found = await asked("searxng", {"SEARXNG_URL": f"http://127.0.0.1:{server.port}"})

    assert "search.formats must list json" in found.why


async def test_a_server_that_is_not_there_is_a_find_with_a_reason() -> None:
    found = await asked("searxng", {"SEARXNG_URL": "http://127.0.0.1:1"})

    assert "searxng (127.0.0.1) cannot be asked" in found.why


async def test_nowhere_to_look_is_a_find_with_a_reason() -> None:
    assert "name sources, or a search server" in (await asked("none", {})).why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "urls", "said"),
    [
        ("listed query", ["https://www.reuters.com/w"], ""),
        ("told q", ["https://apnews.com/w", "https://x.com/2"], ""),
        ("fails query", [], "says that it failed"),
        ("bare query", [], "named no addresses"),
        ("absent query", [], "mcp absent"),
    ],
)
async def test_any_server_that_speaks_mcp_is_asked(tmp_path: Path, tool: str, urls: list[str], said: str) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    command = f"{tool} {sys.executable} {tmp_path / 'server.py'}"
    found = await asked("mcp", {"QUORATE_SEARCH_MCP": command})

    assert [passage.url for passage in found.passages] == urls
    assert said in found.why
    assert bool(found.why) == bool(said)


async def test_a_command_that_is_not_there_is_a_find_with_a_reason() -> None:
    found = await asked("mcp", {"QUORATE_SEARCH_MCP": "search query no-such-command-anywhere"})

    assert "mcp search cannot be asked" in found.why
