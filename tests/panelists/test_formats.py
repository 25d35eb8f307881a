import json
import random
from dataclasses import replace
from typing import Any

import pytest

from quorate.errors import PanelistError
from quorate.model import Ask, Prompt, Seat, Usage
from quorate.panelists.http.anthropic import Anthropic
from quorate.panelists.http.client import Http
from quorate.panelists.http.gemini import Gemini
from quorate.panelists.http.wire_format import Endpoint, SamplingOptions, Wire
from tests import servers
from tests.panelists.formats import FORMATS, KEY, MODEL, Format, ask, generated, message, named, once, response, whole

EVERY = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
LISTENING = {"overheard": lambda _: None}


@EVERY
async def test_a_reply_brings_words_model_finish_and_usage(client: Http, form: Format) -> None:
    async with servers.Endpoint([form.says("Yes, but.")]) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(ask())

    assert (reply.text, reply.model, reply.finish) == ("Yes, but.", MODEL, "stop")
    assert reply.usage == Usage(asked=11, answered=7)


@EVERY
async def test_a_request_goes_where_the_format_says_with_the_key_in_its_head(client: Http, form: Format) -> None:
    async with servers.Endpoint(otherwise=form.says("Yes.")) as endpoint:
        panelist = form.panelist(endpoint.url, client)
        await panelist.answer(ask())
        await panelist.answer(ask(), **LISTENING)

    assert [seen.path for seen in endpoint.seen] == [form.path, form.streams]
    assert all(KEY in seen.headers[form.key] and KEY not in seen.path for seen in endpoint.seen)
    assert all("Shall we?" in json.dumps(seen.body) for seen in endpoint.seen)


@EVERY
async def test_whoever_listens_hears_the_words_and_no_thoughts(client: Http, form: Format) -> None:
    heard: list[str] = []
    async with servers.Endpoint([form.says("Yes, but not now.")]) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(ask(), heard.append)

    assert "".join(heard) == reply.text == "Yes, but not now."
    assert len(list(filter(None, heard))) == 4
    assert (reply.model, reply.finish, reply.usage.asked) == (MODEL, "stop", 11)


@EVERY
async def test_a_ballot_is_asked_for_by_schema(client: Http, form: Format) -> None:
    async with servers.Endpoint(otherwise=form.says("{}")) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(ask(wants="decision"))
        words = await form.panelist(endpoint.url, client).answer(ask())

    # Of another endpoint that speaks as OpenAI does nobody knows whether it heeds the schema.
    assert reply.enforced_by == ("" if form is FORMATS["completions"] else "schema")
    assert words.enforced_by == ""
    # Where the schema is enforced the whole reply is the seat's own ballot, and no mark is asked for.
    assert ("5eed5eed5eed" in json.dumps(endpoint.seen[0].body)) == (reply.enforced_by == "")


@EVERY
async def test_a_seat_that_may_look_things_up_is_asked_for_its_mark_under_every_schema(
    client: Http, form: Format
) -> None:
    async with servers.Endpoint(otherwise=form.says("{}")) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(replace(ask(wants="decision"), lookups=4))

    sent = json.dumps(endpoint.seen[0].body)
    assert reply.enforced_by == ""
    assert ("5eed5eed5eed" in sent) == ('"reasoning"' in sent)


@EVERY
async def test_an_endpoint_that_declines_a_form_is_asked_without_it_and_never_again(client: Http, form: Format) -> None:
    declining = form.fails(400, "structured output by json schema is not supported by this model; mime, tools neither")
    async with servers.Endpoint([declining, declining], otherwise=form.says("Yes.")) as endpoint:
        panelist = once(form.panelist(endpoint.url, client))
        reply = await panelist.answer(ask(wants="decision"))
        await panelist.answer(ask(wants="decision"))

    assert (reply.text, reply.enforced_by) == ("Yes.", "")
    assert len(endpoint.seen) == 4
    assert '"enum"' not in json.dumps([endpoint.seen[2].body, endpoint.seen[3].body])


SENT: dict[str, dict[str, Any]] = {
    "completions": {"max_tokens": 99, "temperature": 0.5, "reasoning_effort": "low"},
    "messages": {"max_tokens": 99, "temperature": 0.5, "output_config": {"effort": "low"}},
    "generate": {
        "generationConfig": {"maxOutputTokens": 99, "temperature": 0.5, "thinkingConfig": {"thinkingLevel": "low"}}
    },
    "responses": {"max_output_tokens": 99, "temperature": 0.5, "reasoning": {"effort": "low"}, "store": False},
}


@pytest.mark.parametrize("name", FORMATS)
async def test_tokens_temperature_and_effort_are_sent_as_the_format_calls_them(client: Http, name: str) -> None:
    form = FORMATS[name]
    async with servers.Endpoint(otherwise=form.says("Yes.")) as endpoint:
        await form.panelist(endpoint.url, client, SamplingOptions(most=99, temperature=0.5, effort="low")).answer(ask())

    body = endpoint.seen[0].body
    assert {key: body.get(key) for key in SENT[name]} == SENT[name]


def choices(words: str, reason: object) -> dict[str, Any]:
    return servers.completion("", choices=[{"message": {"content": words}, "finish_reason": reason}])


def refused(words: str) -> dict[str, Any]:
    said = {"type": "message", "content": [{"type": "refusal", "refusal": words}]}
    return response("", output=[said])


@pytest.mark.parametrize(
    ("name", "said", "finish", "text"),
    [
        ("messages", message("Half a bal", stop_reason="max_tokens"), "length", "Half a bal"),
        ("messages", message("Half", stop_reason="model_context_window_exceeded"), "length", "Half"),
        ("messages", message("No.", stop_reason="refusal"), "refusal", "No."),
        ("messages", message("Wait.", stop_reason="pause_turn"), "length", "Wait."),
        ("messages", message("Odd.", stop_reason="compaction"), "length", "Odd."),
        ("messages", message("So far", stop_reason=None), "length", "So far"),
        ("messages", message("Done.", stop_reason="stop_sequence"), "stop", "Done."),
        ("generate", generated("Half", candidates=[{"finishReason": "MAX_TOKENS"}]), "length", ""),
        ("generate", generated("", candidates=[{"finishReason": "SAFETY"}]), "filter", ""),
        ("generate", generated("", candidates=[{"finishReason": "PROHIBITED_CONTENT"}]), "filter", ""),
        *(
            ("generate", generated("", candidates=[{"finishReason": reason}]), "length", "")
            for reason in ("LANGUAGE", "OTHER", "FINISH_REASON_UNSPECIFIED", "MALFORMED_FUNCTION_CALL", "ODD", None)
        ),
        *(
            ("generate", generated("", candidates=[{"finishReason": reason}]), "filter", "")
            for reason in ("RECITATION", "BLOCKLIST", "SPII", "IMAGE_SAFETY")
        ),
        ("generate", {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": MODEL}, "filter", ""),
        ("responses", response("Half", incomplete_details={"reason": "max_output_tokens"}), "length", "Half"),
        ("responses", response("", incomplete_details={"reason": "content_filter"}), "filter", ""),
        ("responses", refused("I will not."), "refusal", "I will not."),
        ("responses", response("Half", status="incomplete"), "length", "Half"),
        ("responses", response("Half", status="in_progress"), "length", "Half"),
        ("responses", response("Half", incomplete_details={"reason": "odd"}), "length", "Half"),
        *(
            ("completions", choices("Half", reason), "length", "Half")
            for reason in ("length", "model_length", "MAX_TOKENS", "max_output_tokens", "tool_calls", "odd", "", 3)
        ),
        *(("completions", choices("Done.", reason), "stop", "Done.") for reason in ("stop", "STOP", "eos", None)),
    ],
)
async def test_how_a_reply_ended_is_told_apart(
    client: Http, name: str, said: dict[str, Any], finish: str, text: str
) -> None:
    async with servers.Endpoint([whole(said)]) as endpoint:
        reply = await FORMATS[name].panelist(endpoint.url, client).answer(ask())

    assert (reply.finish, reply.text, reply.model) == (finish, text, MODEL)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(("completions", choices("ACT, bu", reason)) for reason in ("error", "ERROR", "abort")),
        ("completions", choices("ACT, bu", "insufficient_system_resource")),
        ("messages", message("ACT, bu", stop_reason="error")),
        ("generate", generated("", candidates=[{"finishReason": "ERROR"}])),
        ("responses", response("ACT, bu", status="failed")),
        ("responses", response("ACT, bu", status="cancelled")),
    ],
)
async def test_a_reply_that_ended_by_an_error_is_a_failure_to_be_tried_again(
    client: Http, name: str, said: dict[str, Any]
) -> None:
    async with servers.Endpoint([whole(said)]) as endpoint:
        with pytest.raises(PanelistError, match="server_error") as raised:
            await FORMATS[name].panelist(endpoint.url, client).answer(ask())

    assert (raised.value.again, raised.value.billed) == (True, True)


@EVERY
@pytest.mark.parametrize(
    "case",
    [
        (400, "no such thing", "bad_request", False),
        (400, "prompt is too long: 9 tokens > 8 maximum", "too_long", False),
        (401, "bad key", "wrong_key", False),
        (402, "no credit", "no_quota", False),
        (400, "Your credit balance is too low", "no_quota", False),
        (429, "insufficient_quota", "no_quota", False),
        (403, "not yours", "wrong_key", False),
        (404, "no model of that name", "no_such_model", False),
        (408, "slow", "overloaded", True),
        (409, "conflict", "overloaded", True),
        (413, "too large", "too_long", False),
        (500, "oops", "server_error", True),
        (502, "oops", "server_error", True),
        (503, "busy", "overloaded", True),
        (529, "overloaded", "overloaded", True),
    ],
)
async def test_a_status_becomes_a_reason(client: Http, form: Format, case: tuple[int, str, str, bool]) -> None:
    status, said, why, again = case
    async with servers.Endpoint(otherwise=form.fails(status, f"{said} for {KEY}")) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await form.panelist(endpoint.url, client).answer(ask())

    assert (raised.value.why, raised.value.again) == (why, again)
    assert said.split(";")[0] in raised.value.detail
    assert KEY not in raised.value.detail
    assert len(endpoint.seen) == 1


@EVERY
@pytest.mark.parametrize(("head", "after"), [(("Retry-After: 7",), 7.0), ((), None)])
async def test_too_many_requests_say_how_long_to_wait_if_they_do(
    client: Http, form: Format, head: tuple[str, ...], after: float | None
) -> None:
    async with servers.Endpoint(otherwise=form.fails(429, "slow down", *head)) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await form.panelist(endpoint.url, client).answer(ask())

    assert (raised.value.why, raised.value.again, raised.value.after) == ("rate_limited", True, after)


@pytest.mark.parametrize(
    ("name", "error", "why"),
    [
        ("messages", named("error", error={"type": "overloaded_error", "message": "Overloaded"}), "overloaded"),
        ("messages", named("error", error={"type": "rate_limit_error", "message": "slow"}), "rate_limited"),
        ("messages", named("error", error={"type": "odd", "message": "odd"}), "server_error"),
        ("generate", servers.event({"error": {"code": 503, "message": "x", "status": "UNAVAILABLE"}}), "overloaded"),
        ("responses", named("error", code="rate_limit_exceeded", message="slow"), "rate_limited"),
        (
            "responses",
            named("response.failed", response=response("", error={"code": "server_error", "message": "x"})),
            "server_error",
        ),
    ],
)
async def test_an_error_within_a_stream_is_an_error(client: Http, name: str, error: bytes, why: str) -> None:
    form = FORMATS[name]
    async with servers.Endpoint([form.streamed(*form.events(["So", " far"])[:1], error)]) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await form.panelist(endpoint.url, client).answer(ask(), **LISTENING)

    assert (raised.value.why, raised.value.billed) == (why, True)


@EVERY
async def test_a_stream_that_ends_before_its_reply_is_no_reply(client: Http, form: Format) -> None:
    async with servers.Endpoint([form.streamed(*form.events(["So", " far", "."])[:2])]) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await form.panelist(endpoint.url, client).answer(ask(), **LISTENING)

    assert (raised.value.why, raised.value.again, raised.value.billed) == ("bad_reply", True, True)


@EVERY
@pytest.mark.parametrize("garbage", [b"data: {{{\n\n", b'data: {"choices": [\n\n', b"data: not\n\n", b"data: 3\n\n"])
async def test_an_event_that_cannot_be_read_may_have_been_any_word_so_the_reply_is_none(
    client: Http, form: Format, garbage: bytes
) -> None:
    first, *events = form.events(["We", " should", " act."])
    async with servers.Endpoint([form.streamed(first, garbage, *events)]) as endpoint:
        with pytest.raises(PanelistError, match="an event that cannot be read") as raised:
            await form.panelist(endpoint.url, client).answer(ask(), **LISTENING)

    assert (raised.value.why, raised.value.again, raised.value.billed) == ("bad_reply", True, True)


@EVERY
async def test_an_event_may_stand_on_several_lines_and_an_empty_one_says_nothing(client: Http, form: Format) -> None:
    def spread(event: bytes) -> bytes:
        head, _, said = event.strip().rpartition(b"data: ")
        if not said.startswith(b"{"):
            return event
        lines = json.dumps(json.loads(said), indent=1).split("\n")
        return head + "".join(f"data: {line}\r\n" for line in lines).encode() + b"\r\n"

    pieces = [spread(event) for event in form.events(["Yes,", " but", " no."])]
    async with servers.Endpoint([form.streamed(b"data:\n\n", *pieces)]) as endpoint:
        reply = await form.panelist(endpoint.url, client).answer(ask(), **LISTENING)

    assert (reply.text, reply.finish) == ("Yes, but no.", "stop")


@EVERY
async def test_a_stream_that_ignores_its_cap_is_cut_off(client: Http, form: Format) -> None:
    words = ["and on "] * 1000
    async with servers.Endpoint([form.streamed(*form.events(words))]) as endpoint:
        reply = await form.panelist(endpoint.url, client, SamplingOptions(most=50)).answer(ask(), **LISTENING)

    assert reply.finish == "length"
    assert 390 <= len(reply.text) <= 400, "thoughts count too"
    assert "".join(words).startswith(reply.text)


@EVERY
async def test_a_reply_at_once_that_ignores_its_cap_is_cut_off_and_counted(client: Http, form: Format) -> None:
    async with servers.Endpoint([form.says("and on " * 1000)]) as endpoint:
        reply = await form.panelist(endpoint.url, client, SamplingOptions(most=50)).answer(ask())

    assert (reply.finish, len(reply.text), reply.usage.answered) == ("length", 400, 1750)


@EVERY
async def test_a_reply_at_once_that_is_far_too_long_is_not_read_to_its_end(client: Http, form: Format) -> None:
    async with servers.Endpoint([form.says("and on " * 40_000)]) as endpoint:
        with pytest.raises(PanelistError, match="sent more than 67 KiB") as raised:
            await form.panelist(endpoint.url, client, SamplingOptions(most=50)).answer(ask())

    assert (raised.value.why, raised.value.again, raised.value.billed) == ("bad_reply", False, True)


@pytest.mark.parametrize(
    ("wire", "url", "path"),
    [
        (Anthropic, "", "/v1/messages"),
        (Anthropic, "/v1", "/v1/messages"),
        (Anthropic, "/anthropic/", "/anthropic/v1/messages"),
        (Gemini, "", "/v1beta/models/m:generateContent"),
        (Gemini, "/v1beta", "/v1beta/models/m:generateContent"),
    ],
)
async def test_an_address_may_be_given_with_its_version_or_without(
    client: Http, wire: type[Wire], url: str, path: str
) -> None:
    async with servers.Endpoint() as endpoint:
        there = Endpoint(url=f"http://127.0.0.1:{endpoint.port}{url}", model="m")
        with pytest.raises(PanelistError, match="that is no"):
            await wire(there, client).answer(ask())

    assert endpoint.seen[0].path == path


ANY_WORDS = ("Shall we?", 'a "b" \\ {c}\n', "é ☃ \U0001f600", "half \ud83d", "5eed5eed5eed", "")
CLOSED = ((), ("Kafka", "NATS"), ('a "quoted" one', "é"), ("half \ud800", "whole"))


def random_ask(chance: random.Random) -> Ask:
    wants, options = chance.choice([("decision", ()), ("speech", ()), *(("vote", some) for some in CLOSED)])
    seat = Seat(name="Safety", powers=chance.choice([("vote",), ("vote", "veto")]))
    mark = chance.choice(["", "5eed5eed5eed", f"{chance.getrandbits(48):012x}", 'odd "mark"'])
    return Ask(seat, "analysis", Prompt(chance.choice(ANY_WORDS)), wants=wants, mark=mark, options=options)


@EVERY
async def test_a_request_is_the_same_whatever_was_asked_before(client: Http, form: Format, seed: int) -> None:
    chance = random.Random(seed)
    async with servers.Endpoint(otherwise=form.says("Yes.")) as endpoint:
        used = form.panelist(endpoint.url, client)
        for _ in range(60):
            asked, listening = random_ask(chance), chance.choice([{}, LISTENING])
            for panelist in (used, form.panelist(endpoint.url, client)):
                await panelist.answer(asked, **listening)
            one, other = (seen.body for seen in endpoint.seen[-2:])
            assert one == other, f"seed {seed}"
