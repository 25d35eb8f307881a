"""The server as a stranger meets it: the SDK's own client, the server in another process, both protocol modes."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from aiohttp import ClientSession
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextResourceContents

from tests.doors.test_cli_detached import Gate
from tests.servers import MARK, Endpoint, failing

COMMAND = "from quorate.doors.cli import main; main()"
SERVE = """
import sys, uvicorn
from quorate.doors.mcp.server import http_app
uvicorn.run(http_app(), fd=int(sys.argv[1]), log_level="critical")
"""
QUESTION = "Should we delete the staging database?"
BALLOT = (
    f'Fine by me.\n\nBALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}}'
)
Mode = Literal["auto", "legacy"]
MODES: tuple[Mode, ...] = ("auto", "legacy")
pytestmark = pytest.mark.promise


def program(*flags: str, **more: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-W", "error", "-c", COMMAND, "mcp", *flags], env={**os.environ, **more}
    )


@asynccontextmanager
async def over_stdio(mode: Mode, *flags: str, **more: str) -> AsyncGenerator[Client]:
    async with Client(program(*flags, **more), mode=mode) as client:
        yield client


@asynccontextmanager
async def web_server(**more: str) -> AsyncGenerator[str]:
    # Handed over while it listens: a port that is only known to have been free may be somebody else's by now.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number, port = listening.fileno(), listening.getsockname()[1]
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SERVE, str(number)), pass_fds=[number], env={**os.environ, **more}
        )
    try:
        # A client that asks for the newest protocol and is not answered soon takes an older one: first it must be up.
        async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}/mcp"):
            pass
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        await server.wait()


@asynccontextmanager
async def over_http(mode: Mode, **more: str) -> AsyncGenerator[Client]:
    async with web_server(**more) as url, Client(url, mode=mode) as client:
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  what JSON holds
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:  # noqa: ANN401  the same
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error
    (said,) = result.content
    assert said.type == "text"
    return said.text


def ways() -> list[Any]:
    return [
        pytest.param(lambda mode=mode, way=way, **more: way(mode, **more), id=f"{way.__name__}-{mode}")
        for way in (over_stdio, over_http)
        for mode in MODES
    ]


Way = Any


@pytest.mark.parametrize("way", ways())
async def test_every_tool_answers_in_its_declared_shape(home: Path, way: Way) -> None:
    connect: AbstractAsyncContextManager[Client] = way()
    async with connect as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        answers = {name: answer async for name, answer in calls(client)}

    assert answers.keys() == tools.keys()
    for name, answer in answers.items():
        schema = tools[name].output_schema
        assert schema is not None
        Draft202012Validator(schema).validate(answer)
    assert answers["deliberate"]["verdict"]["outcome"] == "WARN"
    assert answers["wait"]["state"] == "decided"
    assert answers["verify"]["holds"] is True
    assert answers["decide"]["verdict"]["rule"] == "veto"
    assert answers["query_decisions"]["results"][0]["question"] == QUESTION


async def test_reviews_and_labels_are_offered_only_to_whoever_was_given_them(home: Path) -> None:
    async with over_stdio("auto", "--reviews") as client:
        id_ = (await called(client, "deliberate", question=QUESTION, panel="demo"))["id"]
        review = {"outcome": "REFUSE", "by": "Ann", "because": "There is no backup."}
        assert (await called(client, "review", id=id_, **review))["notes"] == ["Ann reviewed it: REFUSE"]
        assert (await called(client, "record_outcome", id=id_, value="ACT"))["notes"] == ["it turned out: ACT"]


async def calls(client: Client) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Every tool once, in an order in which each finds something."""
    yield "deliberate", await called(client, "deliberate", question=QUESTION, panel="demo")
    yield "start", await called(client, "start", question="May we go home?", panel="demo")
    for name in ("wait", "resume", "explain", "verify", "get_quality_metrics"):
        yield name, await called(client, name, id="last")
    yield "decide", await called(client, "decide", ballots=[{"seat": "Safety", "decision": "VETO"}])
    yield "list_models", await called(client, "list_models")
    yield "set_session_models", await called(client, "set_session_models", claude="sonnet", codex=None)
    yield "query_decisions", await called(client, "query_decisions", query_text="delete the staging database")
    waiting = await called(client, "start", question="Shall we wait?", panel="people.yaml")
    yield "cancel", await called(client, "cancel", id=waiting["id"])


@pytest.fixture(autouse=True)
def people(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel that waits for somebody, in the folder where the server runs."""
    monkeypatch.chdir(home)
    Path("people.yaml").write_text("extends: tribunal\nmodel: demo:scripted\nseats: [{name: Safety, model: person}]\n")


@pytest.mark.parametrize("way", ways())
async def test_progress_is_told_for_every_event(home: Path, way: Way) -> None:
    told: list[tuple[float, str | None]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with way() as client:
        await client.call_tool("deliberate", {"question": QUESTION, "panel": "demo"}, progress_callback=progress)

    assert [number for number, _ in told] == list(range(1, 28))
    assert told[0][1] == "the panel is convened"
    assert told[-1][1] == "verdict: WARN"
    assert "Safety has answered: revision" in {message for _, message in told}


@pytest.mark.parametrize("way", ways())
async def test_resources_and_prompts(home: Path, way: Way) -> None:
    async with way() as client:
        done = await called(client, "deliberate", question=QUESTION, panel="demo")
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        texts = {
            end: await read(client, f"quorate://deliberations{end}") for end in ("", "/last/json", "/last/verdict")
        }
        minutes = await read(client, f"quorate://deliberations/{done['id']}")
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        asked = await client.get_prompt("go_no_go", {"action": "delete the staging database"})

    assert f"quorate://deliberations/{done['id']}" in listed
    assert minutes.startswith("> Speeches, reasons, options")
    assert f"# Minutes of {done['id']}" in minutes
    assert json.loads(texts[""])["deliberations"][0]["outcome"] == "WARN"
    assert json.loads(texts["/last/json"])["check"]["state"] == "holds"
    assert json.loads(texts["/last/verdict"])["verdict"]["outcome"] == "WARN"
    assert prompts == ["architecture_decision", "security_review", "go_no_go"]
    assert "Do nothing unless the outcome is ACT." in str(asked.messages[0].content)


@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_whoever_listens_is_told_of_new_and_changed_deliberations(home: Path, connect: Way) -> None:
    waiting = {"question": "Shall we wait?", "panel": "people.yaml"}
    async with connect("auto") as client:
        begun = await called(client, "start", **waiting)
        uri = f"quorate://deliberations/{begun['id']}"
        async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as told:
            await called(client, "start", **waiting)
            first = await anext(told)
            await called(client, "wait", id=begun["id"], seconds=0)
            second = await anext(told)

    assert type(first).__name__ == "ResourcesListChanged"
    assert (type(second).__name__, getattr(second, "uri", "")) == ("ResourceUpdated", uri)


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


@pytest.mark.parametrize("mode", MODES)
async def test_a_slow_panel_is_answered_for_in_time_and_the_result_comes_on_the_next_call(
    home: Path, mode: Mode
) -> None:
    """Ninety seconds and a client that gives up after fifty, at a tenth of the size: the panel waits for the client."""
    loop, gate = asyncio.get_running_loop(), Gate(4)
    async with (
        Endpoint(otherwise=gate, latency=0.5) as endpoint,
        over_stdio(mode, "--answer-within", "4.5s", **models_at(endpoint)) as client,
    ):
        began = loop.time()
        first = await called(client, "deliberate", question=QUESTION, protocol="tribunal", participants=three())
        took = loop.time() - began
        gate.opened.set()
        then = await called(client, "wait", id=first["id"], seconds=40)

        assert 4 < took < 15  # a machine that is busy needs some of it to start a process
        assert (first["state"], first["status"], first["verdict"]) == ("running", "running", None)
        assert first["progress"]["asked"] > 0
        assert f"Call wait with id '{first['id']}'" in first["next"]
        assert (then["state"], then["verdict"]["outcome"]) == ("decided", "ACT")
        assert len(endpoint.seen) == 12


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", MODES)
async def test_a_panel_of_90_seconds_and_a_client_that_gives_up_after_50(home: Path, mode: Mode) -> None:
    """At full size: three waves of thirty seconds each, and the server's own limit."""
    loop = asyncio.get_running_loop()
    async with (
        Endpoint(otherwise=BALLOT, latency=30) as endpoint,
        over_stdio(mode, **models_at(endpoint)) as client,
    ):
        began = loop.time()
        async with asyncio.timeout(50):
            first = await called(client, "deliberate", question=QUESTION, protocol="tribunal", participants=three())
        then = await called(client, "wait", id=first["id"], seconds=120)
        took = loop.time() - began

    assert (first["state"], first["verdict"], then["state"]) == ("running", None, "decided")
    assert then["verdict"]["outcome"] == "ACT"
    assert took >= 90
    assert len(endpoint.seen) == 12


def models_at(endpoint: Endpoint) -> dict[str, str]:
    return {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}


def three() -> list[dict[str, str]]:
    return [{"cli": "openai", "model": name} for name in ("a", "b", "c")]


@pytest.mark.parametrize("way", ways())
async def test_a_call_that_is_taken_back_ends_nothing(home: Path, way: Way) -> None:
    gate = Gate()
    async with (
        Endpoint(otherwise=gate) as endpoint,
        way(**models_at(endpoint)) as client,
    ):
        arguments = {"question": QUESTION, "protocol": "tribunal", "participants": three()}
        calling = asyncio.ensure_future(client.call_tool("deliberate", arguments))
        while not endpoint.seen:  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.05)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        gate.opened.set()
        then = await called(client, "wait", id="last")

        assert then["verdict"]["outcome"] == "ACT"
        assert len(endpoint.seen) == 12


def _effort(written: str) -> dict[str, str]:
    return {"cli": "openai", "model": "m", "reasoning_effort": written}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"panel": "/etc/passwd"}, "no panel '/etc/passwd'; name one that ships"),
        ({"panel": "../people.yaml"}, "no panel"),
        ({"panel": "nobody.yaml"}, "no panel"),
        ({"participants": [{"model": "openai:m@http://192.0.2.1/v1"}] * 2}, "addresses and options belong"),
        ({"participants": [{"model": "openai:m@127.0.0.1:9000"}] * 2}, "addresses and options belong"),
        ({"participants": [{"cli": "openai", "model": "m@localhost"}] * 2}, "addresses and options belong"),
        ({"participants": [_effort("high@http://192.0.2.1/v1")] * 2}, "addresses and options belong"),
        ({"participants": [_effort("high&max_tokens=9")] * 2}, "addresses and options belong"),
        ({"participants": [_effort("high, openai:other@http://192.0.2.1/v1")] * 2}, "addresses and options belong"),
        ({"participants": [{"model": "recording:/etc/passwd"}] * 2}, "no adapter for"),
        ({"participants": [{"cli": "sh", "model": "-c id"}] * 2}, "no adapter for"),
        ({"participants": [{"cli": "openai", "model": "m"}]}, "from 2 to 25 participants"),
        ({"panel": "demo", "participants": three()}, "participants or a panel, not both"),
        ({"panel": "demo", "budget": "a lot"}, "budget"),
        ({"protocol": "tribunel"}, "tribunel"),
    ],
)
async def test_what_a_client_may_not_name_is_refused_in_a_sentence(
    home: Path, arguments: dict[str, Any], said: str
) -> None:
    from quorate.doors.mcp.deliberations import Deliberations
    from quorate.doors.mcp.server import mcp_server

    async with Client(mcp_server(Deliberations())) as client:
        assert said in await refused(client, "deliberate", question=QUESTION, **arguments)


ANSWERED: tuple[tuple[dict[str, str], int], ...] = (
    ({}, 200),
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1.evil.example:80"}, 421),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost:3000"}, 200),
    ({"Content-Type": "text/plain"}, 400),
)
"""What somebody sends besides the usual headers, and the status of the answer."""


async def test_only_this_machine_is_answered_over_http(home: Path) -> None:
    frame = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    found = list[tuple[dict[str, str], int]]()
    async with web_server() as url:
        for headers, _ in ANSWERED:
            async with (
                ClientSession() as session,
                session.post(url, data=json.dumps(frame), headers={**usual, **headers}) as answer,
            ):
                found.append((headers, answer.status))

    assert found == list(ANSWERED)


async def test_all_descriptions_together_are_short() -> None:
    from quorate.doors.mcp.deliberations import Deliberations
    from quorate.doors.mcp.server import INSTRUCTIONS, mcp_server

    server = mcp_server(Deliberations())
    listed: list[Any] = [*await server.list_tools(), *await server.list_prompts()]
    said = [text for one in listed for text in descriptions(one.model_dump(mode="json"))]

    assert sum(len(text.encode()) for text in (INSTRUCTIONS, *said)) < 8_000


def descriptions(value: object) -> list[str]:
    match value:
        case dict():
            own = [one for name, one in value.items() if name == "description" and isinstance(one, str)]
            return own + [text for one in value.values() for text in descriptions(one)]
        case list():
            return [text for one in value for text in descriptions(one)]
        case _:
            return []


async def test_a_panel_that_could_not_be_asked_is_an_error_that_resume_mends(home: Path) -> None:
    async with (
        Endpoint(otherwise=failing(401, "Incorrect API key provided")) as endpoint,
        over_stdio("auto", **models_at(endpoint)) as client,
    ):
        arguments = {"question": QUESTION, "protocol": "tribunal", "participants": three()}
        told = await refused(client, "deliberate", **arguments)
        endpoint.otherwise = BALLOT
        ended = await called(client, "resume", id="last")

    assert "answered 401: Incorrect" in told
    assert "call resume" in told
    assert (ended["state"], ended["verdict"]["outcome"], ended["may_act"]) == ("decided", "ACT", True)
