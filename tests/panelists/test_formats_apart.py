"""What only one wire format has: a ballot by tool, marks for a cache, a budget for thinking."""

import json
from fractions import Fraction

import pytest

from quorate.errors import PanelistError
from quorate.panelists.http.anthropic import Anthropic
from quorate.panelists.http.client import Http
from quorate.panelists.http.wire_format import Endpoint, SamplingOptions
from quorate.panelists.price import Price
from tests import servers
from tests.panelists.formats import FORMATS, MODEL, ask, message, named, once, whole
from tests.servers import http, sends


async def test_a_claude_without_schemas_casts_its_ballot_by_tool(client: Http) -> None:
    cast = {"mark": "5eed5eed5eed", "decision": "ACT"}
    declining = FORMATS["messages"].fails(400, "output_config.format: Extra inputs are not permitted")
    by_tool = message("", stop_reason="tool_use", content=[{"type": "tool_use", "name": "decision", "input": cast}])
    async with servers.Endpoint([declining, whole(by_tool)]) as endpoint:
        reply = await once(FORMATS["messages"].panelist(endpoint.url, client)).answer(ask(wants="decision"))

    assert (json.loads(reply.text), reply.finish) == (cast, "stop")
    assert endpoint.seen[1].body["tool_choice"] == {"type": "tool", "name": "decision"}
    assert endpoint.seen[1].body["tools"][0]["input_schema"]["required"][0] == "mark"


async def test_a_ballot_cast_by_tool_may_be_streamed(client: Http) -> None:
    form, heard = FORMATS["messages"], list[str]()
    pieces = ['{"mark": "5eed', '5eed5eed"}']
    deltas = [named("content_block_delta", delta={"type": "input_json_delta", "partial_json": one}) for one in pieces]
    begun, *_, delta, stop = form.events([""])
    async with servers.Endpoint([form.streamed(begun, *deltas, delta, stop)]) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(ask(wants="decision"), heard.append)

    assert (reply.text, heard) == ("".join(pieces), pieces)


async def test_a_long_beginning_that_prompts_share_is_marked_for_the_cache(client: Http) -> None:
    shared = "The file. " * 600 + "\n\n"
    form = FORMATS["messages"]
    async with servers.Endpoint(otherwise=form.says("Yes.")) as endpoint:
        panelist = form.panelist(endpoint.url, client)
        for question in ("You are Ann. Speak.", "You are Ben. Speak.", "Short."):
            await panelist.answer(ask(shared + question if question != "Short." else question))

    first, second, third = (seen.body["messages"][0]["content"] for seen in endpoint.seen)
    assert first == [{"type": "text", "text": f"{shared}You are Ann. Speak."}]
    assert second == [
        {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "You are Ben. Speak."},
    ]
    assert third == [{"type": "text", "text": "Short."}]


async def test_cached_tokens_count_as_asked_and_cost_what_they_cost(client: Http) -> None:
    usage = {
        "input_tokens": 100,
        "cache_creation_input_tokens": 1000,
        "cache_read_input_tokens": 10_000,
        "output_tokens": 10,
    }
    async with servers.Endpoint([whole(message("Yes.", usage=usage))]) as endpoint:
        there = Endpoint(url=endpoint.url, model=MODEL)
        reply = await Anthropic(there, client, price=Price.per_million("4", "20")).answer(ask())

    assert (reply.usage.asked, reply.usage.answered) == (11_100, 10)
    assert reply.usage.money == (100 + Fraction(5, 4) * 1000 + Fraction(10_000, 10)) * 4 / 10**6 + Fraction(200, 10**6)


async def test_google_s_wrong_key_and_its_delay_stand_in_the_body(client: Http) -> None:
    wrong = {"error": {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
    later = {"error": {"code": 429, "message": "quota", "details": [{"retryDelay": "17s"}]}}
    acts: list[str | servers.Act] = [sends(http(json.dumps(wrong).encode(), 400), "keep")]
    async with servers.Endpoint([*acts, sends(http(json.dumps([later]).encode(), 429), "keep")]) as endpoint:
        panelist = FORMATS["generate"].panelist(endpoint.url, client)
        with pytest.raises(PanelistError) as first:
            await panelist.answer(ask())
        with pytest.raises(PanelistError) as second:
            await panelist.answer(ask())

    assert (first.value.why, first.value.detail[-18:]) == ("wrong_key", "check TEST_API_KEY")
    assert (second.value.why, second.value.after) == ("rate_limited", 17.0)


async def test_a_model_that_knows_no_thinking_level_is_given_a_budget(client: Http) -> None:
    declining = FORMATS["generate"].fails(400, "Thinking level is not supported for this model.")
    async with servers.Endpoint([declining], otherwise=FORMATS["generate"].says("Yes.")) as endpoint:
        await once(FORMATS["generate"].panelist(endpoint.url, client, SamplingOptions(effort="low"))).answer(ask())

    assert endpoint.seen[1].body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 1024}
