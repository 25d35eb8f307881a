"""The pages that are written from the source are those the source writes, and the index leads to them."""

from collections.abc import Mapping

import pytest

from quorate.doors.langgraph import Options
from quorate.panelists.cli.tools import TOOLS
from quorate.panelists.registry import PROVIDERS
from tests.docs.tables import first, page, rows, section
from tools.reference import PAGES, pages


@pytest.fixture(scope="module")
def written() -> Mapping[str, str]:
    return {path.name: text for path, text in pages()}


@pytest.mark.parametrize("name", ["langgraph.md", "providers.md"])
def test_a_page_is_up_to_date_and_found_from_the_index(name: str, written: Mapping[str, str]) -> None:
    assert (PAGES / name).read_text(encoding="utf-8") == written[name], "run: make docs"
    assert f"(reference/{name})" in page("index.md")


def test_every_provider_and_tool_is_listed_with_what_it_is_asked_by() -> None:
    text = page("reference/providers.md")
    spoken = {row[0].strip("`"): row[4] for row in rows(section(text, "## Providers"))}
    formats = rows(section(text, "## Wire formats"))

    assert spoken == {name: provider.speaks for name, provider in PROVIDERS.items()}
    assert {row[0] for row in formats} == set(spoken.values())
    assert all(len(row) == 4 and all(row) for row in formats)
    assert first(section(text, "## Command-line tools")) == {f"cli:{name}" for name in TOOLS}


def test_every_option_of_a_graph_is_listed() -> None:
    assert first(section(page("reference/langgraph.md"), "## Options")) == set(Options.__annotations__)
