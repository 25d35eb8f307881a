"""The page on the MCP server says what the server offers, and nothing else."""

from typing import Any

import pytest

from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.server import mcp_server
from tests.docs.tables import page, rows, section

PAGE = "reference/mcp.md"


async def tools() -> dict[str, Any]:
    return {tool.name: tool for tool in await mcp_server(Deliberations(reviews=True)).list_tools()}


def listed(heading: str) -> tuple[set[str], set[str]]:
    """The arguments and the fields of a tool as the page has them."""
    parts = section(page(PAGE), f"## {heading}").partition("| field |")
    return tuple({row[0].strip("`") for row in rows(part) if row[0].startswith("`")} for part in (parts[0], parts[2]))  # type: ignore[return-value]


async def test_every_tool_has_a_section_with_its_arguments_and_fields() -> None:
    for name, tool in (await tools()).items():
        arguments, fields = listed(name)

        assert arguments == set(tool.input_schema["properties"]), name
        if fields:
            assert fields == set(tool.output_schema["properties"]), name


@pytest.mark.parametrize("name", ["wait", "resume", "review"])
async def test_what_gives_the_same_as_deliberate_says_so(name: str) -> None:
    offered = await tools()

    assert offered[name].output_schema == offered["deliberate"].output_schema
    assert "Gives what `deliberate` gives." in section(page(PAGE), f"## {name}")


async def test_every_resource_and_prompt_is_listed() -> None:
    server = mcp_server(Deliberations())
    uris = {one.uri_template for one in await server.list_resource_templates()} | {"quorate://deliberations"}
    prompts = {one.name for one in await server.list_prompts()}

    assert {row[0].strip("`") for row in rows(section(page(PAGE), "## Resources")) if "`" in row[0]} == uris
    assert {row[0].strip("`") for row in rows(section(page(PAGE), "## Prompts")) if "`" in row[0]} == prompts
