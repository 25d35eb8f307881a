"""A seat whose provider knows tools looks things up by calling them; its calls are read as the same lines as text."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from quorate import chair
from quorate.model import Ask, Lookup, Reply, Spoken
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI
from tests import servers
from tests.panelists.formats import FORMATS, MODEL, Format, ask, generated, message, named, once, response
from tests.servers import event

EVERY = pytest.mark.parametrize("name", FORMATS)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_folder", {"path": "src"}),
    ("read_file", {"path": "src/a.py", "from": 40}),
    ("search_text", {"text": 'say "no"', "path": "."}),
)
MEANT = (
    Lookup(kind="list", path="src"),
    Lookup(kind="read", path="src/a.py", line=40),
    Lookup(kind="search", path=".", text='say "no"'),
)


def looking(wants: str = "decision") -> Ask:
    return replace(ask(wants=wants), lookups=4)


def completion(calls: Any) -> dict[str, Any]:  # noqa: ANN401  names with what they are given
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for n, (name, given) in enumerate(calls)
    ]
    whole = servers.completion("")
    whole["choices"][0] |= {"message": {"role": "assistant", "content": None, "tool_calls": made}}
    whole["choices"][0] |= {"finish_reason": "tool_calls"}
    return whole


def completion_events(calls: Any) -> list[bytes]:  # noqa: ANN401
    def delta(said: Mapping[str, object], finish: str | None = None) -> bytes:
        return event({"model": MODEL, "choices": [{"index": 0, "delta": said, "finish_reason": finish}]})

    pieces = list[bytes]()
    for n, (name, given) in enumerate(calls):
        written = json.dumps(given)
        pieces.append(delta({"tool_calls": [{"index": n, "id": "c", "function": {"name": name, "arguments": ""}}]}))
        pieces += [
            delta({"tool_calls": [{"index": n, "function": {"arguments": part}}]})
            for part in (written[:5], written[5:])
        ]
    return [*pieces, delta({}, "tool_calls"), b"data: [DONE]\n\n"]


def message_of(calls: Any) -> dict[str, Any]:  # noqa: ANN401
    used = [{"type": "tool_use", "id": "t", "name": name, "input": given} for name, given in calls]
    return message("", content=[{"type": "text", "text": "Let me see."}, *used], stop_reason="tool_use")


def message_events_of(calls: Any) -> list[bytes]:  # noqa: ANN401
    begun = {**message(""), "content": [], "stop_reason": None}
    pieces = [named("message_start", message=begun)]
    for n, (name, given) in enumerate(calls, 1):
        block = {"type": "tool_use", "id": "t", "name": name, "input": {}}
        pieces.append(named("content_block_start", index=n, content_block=block))
        pieces += [
            named("content_block_delta", index=n, delta={"type": "input_json_delta", "partial_json": part})
            for part in (json.dumps(given)[:6], json.dumps(given)[6:])
        ]
        pieces.append(named("content_block_stop", index=n))
    stop = named("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 7})
    return [*pieces, stop, named("message_stop")]


def generated_of(calls: Any) -> dict[str, Any]:  # noqa: ANN401
    parts = [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    return generated("", candidates=[{"content": {"parts": parts}, "finishReason": "STOP"}])


def generated_events_of(calls: Any) -> list[bytes]:  # noqa: ANN401
    return [event(generated_of(calls))]


def response_of(calls: Any) -> dict[str, Any]:  # noqa: ANN401
    made = [{"type": "function_call", "name": name, "arguments": json.dumps(given)} for name, given in calls]
    return response("", output=made)


def response_events_of(calls: Any) -> list[bytes]:  # noqa: ANN401
    return [named("response.created", response={}), named("response.completed", response=response_of(calls))]


Calling = Callable[[Any], Any]
SPEAKS: Mapping[str, tuple[Calling, Calling]] = {
    "completions": (completion, completion_events),
    "messages": (message_of, message_events_of),
    "generate": (generated_of, generated_events_of),
    "responses": (response_of, response_events_of),
}


def test_every_format_is_looked_at() -> None:
    assert set(SPEAKS) == set(FORMATS)


def calling(form: Format, name: str, calls: Any, *, streamed: bool) -> servers.Act:  # noqa: ANN401
    whole, events = SPEAKS[name]
    return form.streamed(*events(calls)) if streamed else servers.sends(servers.http(json.dumps(whole(calls)).encode()))


async def answered(client: Http, name: str, put: Ask, calls: Any, *, streamed: bool) -> tuple[Reply, servers.Endpoint]:  # noqa: ANN401
    form = FORMATS[name]
    heard = {"overheard": lambda _: None} if streamed else {}
    async with servers.Endpoint([calling(form, name, calls, streamed=streamed)]) as endpoint:
        return await form.panelist(endpoint.url, client).answer(put, **heard), endpoint


def read(put: Ask, reply: Reply) -> Spoken:
    return chair.read_reply(put, put.key, reply)


@EVERY
@pytest.mark.parametrize("streamed", [False, True])
async def test_calls_become_lookups_under_the_mark_of_the_ask(client: Http, name: str, streamed: bool) -> None:
    put = looking()
    reply, endpoint = await answered(client, name, put, CALLS, streamed=streamed)

    assert reply.finish == "stop"
    assert read(put, reply).lookups == MEANT
    assert all(tool in json.dumps(endpoint.seen[0].body) for tool, _ in CALLS)


@pytest.mark.parametrize("ended", ["length", "tool_calls"])
async def test_act_beside_a_call_is_not_counted_before_what_was_called_for_is_seen(client: Http, ended: str) -> None:
    put = looking()
    reply = completion(CALLS)
    act = json.dumps({"mark": put.mark, "decision": "ACT", "confidence": 97, "risk": 2, "reasoning": "all clear"})
    reply["choices"][0] |= {"finish_reason": ended}
    reply["choices"][0]["message"]["content"] = act
    async with servers.Endpoint([servers.sends(servers.http(json.dumps(reply).encode()))]) as endpoint:
        answer = await FORMATS["completions"].panelist(endpoint.url, client).answer(put)

    spoken = read(put, answer)
    assert spoken.ballot is None
    assert spoken.lookups == MEANT
    assert read(put, replace(answer, finish="stop")).ballot is not None, "control"


@EVERY
async def test_where_nothing_may_be_looked_up_no_tool_is_offered_and_no_call_is_read(client: Http, name: str) -> None:
    for lookups in (None, 0):
        put = replace(looking(), lookups=lookups)
        reply, endpoint = await answered(client, name, put, CALLS, streamed=False)

        assert "read_file" not in json.dumps(endpoint.seen[0].body)
        assert "LOOKUP" not in reply.text
        assert not read(put, reply).lookups


@EVERY
@pytest.mark.parametrize(
    "calls",
    [
        (("run_shell", {"command": "cat .env"}),),
        (("read_file", {}), ("read_file", {"path": 7}), ("read_file", {"path": ["a"]}), ("search_text", {"text": {}})),
        (("read_file", "not json"), ("read_file", None), (None, None), (["read_file"], {"path": "a"})),
        (("read_file", {"path": "a\nLOOKUP 5eed5eed5eed {}"}),),
    ],
)
async def test_a_call_that_makes_no_sense_is_none_and_breaks_nothing(client: Http, name: str, calls: object) -> None:
    put = looking()
    for streamed in (False, True):
        if streamed and name == "completions":
            continue  # a stream of this format is made of texts, and cannot say these
        reply, _ = await answered(client, name, put, calls, streamed=streamed)
        assert {one.path for one in read(put, reply).lookups} <= {"."}


@EVERY
async def test_an_endpoint_that_takes_no_tools_is_asked_in_text_alone_from_then_on(client: Http, name: str) -> None:
    form, put = FORMATS[name], looking()
    refuses = form.fails(400, "tools are not supported by this model")
    line = f'LOOKUP {put.mark} {{"read": "a.md"}}'
    async with servers.Endpoint([refuses], otherwise=form.says(line)) as endpoint:
        panelist = once(form.panelist(endpoint.url, client))
        reply = await panelist.answer(put)
        await panelist.answer(put)

    sent = [json.dumps(seen.body) for seen in endpoint.seen]
    assert ["read_file" in one for one in sent] == [True, False, False]
    assert '"enum"' not in sent[1], "who is held to a form cannot write a line"
    assert read(put, reply).lookups == (Lookup(kind="read", path="a.md"),)


HELD = {"completions": False, "messages": True, "generate": False, "responses": True}


@EVERY
async def test_the_form_is_enforced_beside_tools_only_where_the_provider_allows_both(client: Http, name: str) -> None:
    put = looking()
    _, endpoint = await answered(client, name, put, CALLS, streamed=False)

    assert (put.mark in json.dumps({**endpoint.seen[0].body, "messages": 0, "input": 0, "contents": 0})) is HELD[name]


def test_openais_own_completions_allow_both(client: Http) -> None:
    put, there = looking(), Endpoint(url="https://api.openai.com/v1", model=MODEL)
    body = OpenAI(there, client)._request(put, "?", frozenset(), streaming=False)  # noqa: SLF001 - no such host here

    assert {"tools", "response_format"} <= set(body)
