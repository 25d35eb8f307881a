"""What a provider says about a reply counts before its words: a second answer, a careful end, an error, a refusal."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from quorate import catalogue
from quorate.errors import PanelistError
from quorate.panelists.http.client import Http
from tests import servers
from tests.panelists.formats import (
    FORMATS,
    MODEL,
    ask,
    generated,
    message,
    message_events,
    named,
    response,
    response_events,
    whole,
)

MARK: Final = ask().mark
ACT: Final = json.dumps({"mark": MARK, "decision": "ACT", "confidence": 97, "risk": 2, "reasoning": "all clear"})
CAST: Final = json.loads(ACT)
BROKEN: Final = {"code": 500, "message": "the model broke down"}


def choice(text: str = ACT, **other: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    return {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, **other}


def chat(*choices: dict[str, Any], **other: object) -> dict[str, Any]:
    return servers.completion("", choices=list(choices), **other)


def spoken(**message: object) -> dict[str, Any]:
    return chat(choice(message={"role": "assistant", "content": ACT, **message}))


def candidate(text: str = ACT, **other: object) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0, **other}


def candidates(*given: dict[str, Any], **other: object) -> dict[str, Any]:
    return generated("", candidates=list(given), **other)


def said(*parts: dict[str, Any], **other: object) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "status": "completed", "content": list(parts), **other}


TEXT: Final = {"type": "text", "text": ACT}
OUTPUT: Final = {"type": "output_text", "text": ACT, "annotations": []}
REFUSAL: Final = {"type": "refusal", "refusal": "I won't."}
ERROR: Final = {"type": "error", "error": BROKEN}
BY_TOOL: Final = {"type": "tool_use", "name": "decision", "input": CAST}

Case = tuple[str, str, Any]
"""The wire format, what becomes of the reply, and the reply: whole, or a list of events."""

SOUND: Final[Mapping[str, Case]] = {
    "chat: one choice": ("completions", "stop", chat(choice())),
    "chat: the same end under another name": ("completions", "stop", chat(choice(native_finish_reason="STOP"))),
    "chat: the text that stopped it": ("completions", "stop", chat(choice(stop_reason="<|eot_id|>"))),
    "chat: empty error and refusal": ("completions", "stop", {**spoken(refusal=None), "error": None}),
    "messages: one text": ("messages", "stop", message(ACT)),
    "messages: a ballot by tool": ("messages", "stop", message("", content=[BY_TOOL], stop_reason="tool_use")),
    "gemini: one candidate": ("generate", "stop", candidates(candidate())),
    "responses: one message": ("responses", "stop", response(ACT)),
    "responses: a comment before it": (
        "responses",
        "stop",
        response("", output=[said({"type": "output_text", "text": "Let me see."}, phase="commentary"), said(OUTPUT)]),
    ),
}

WHOLE: Final[Mapping[str, Case]] = {
    "chat: two choices": ("completions", "bad_reply", chat(choice(), choice("No.", index=1))),
    "chat: the same choice twice": ("completions", "bad_reply", chat(choice(), choice())),
    "chat: a second choice of no kind": ("completions", "bad_reply", chat(choice(), {})),
    "chat: another end by the provider": ("completions", "filter", chat(choice(native_finish_reason="SAFETY"))),
    "chat: cut off by the provider": ("completions", "length", chat(choice(native_finish_reason="MAX_TOKENS"))),
    "chat: stop_reason refusal": ("completions", "refusal", chat(choice(stop_reason="refusal"))),
    "chat: another end outside": ("completions", "filter", chat(choice(), finish_reason="content_filter")),
    "chat: an end in the message": ("completions", "length", spoken(finish_reason="length")),
    "chat: a failed end by the provider": ("completions", "server_error", chat(choice(native_finish_reason="error"))),
    "chat: an error next to it": ("completions", "server_error", chat(choice(), error=BROKEN)),
    "chat: an error in words": ("completions", "server_error", chat(choice(), error="broke down")),
    "chat: typed as an error": ("completions", "server_error", chat(choice(), type="error")),
    "chat: an error in the choice": ("completions", "server_error", chat(choice(error=BROKEN))),
    "chat: an error in the message": ("completions", "server_error", spoken(error=BROKEN)),
    "chat: an error among the parts": ("completions", "server_error", spoken(content=[TEXT, ERROR])),
    "chat: a refusal next to it": ("completions", "refusal", spoken(refusal="I won't.")),
    "chat: a refusal that is no text": ("completions", "refusal", spoken(refusal={"reason": "policy"})),
    "chat: a refusal among the parts": ("completions", "refusal", spoken(content=[TEXT, REFUSAL])),
    "messages: two ballots by tool": (
        "messages",
        "bad_reply",
        message("", content=[BY_TOOL, {**BY_TOOL, "input": {**CAST, "decision": "REFUSE"}}], stop_reason="tool_use"),
    ),
    "messages: an error next to it": ("messages", "server_error", message(ACT, error=BROKEN)),
    "messages: typed as an error": ("messages", "server_error", message(ACT, type="error")),
    "messages: an error among the parts": ("messages", "server_error", message("", content=[TEXT, ERROR])),
    "messages: a refusal among the parts": ("messages", "refusal", message("", content=[TEXT, REFUSAL])),
    "messages: a refusal by tool": (
        "messages",
        "refusal",
        message("", content=[BY_TOOL, REFUSAL], stop_reason="tool_use"),
    ),
    "gemini: two candidates": ("generate", "bad_reply", candidates(candidate(), candidate("No.", index=1))),
    "gemini: a blocked prompt": (
        "generate",
        "filter",
        candidates(candidate(), promptFeedback={"blockReason": "SAFETY"}),
    ),
    "gemini: an error next to it": ("generate", "server_error", candidates(candidate(), error=BROKEN)),
    "gemini: an error in the candidate": ("generate", "server_error", candidates(candidate(error=BROKEN))),
    "gemini: a refusal among the parts": (
        "generate",
        "refusal",
        candidates(candidate(content={"parts": [{"text": ACT}, REFUSAL]})),
    ),
    "responses: two messages": ("responses", "bad_reply", response("", output=[said(OUTPUT), said(OUTPUT)])),
    "responses: an error next to it": ("responses", "server_error", response(ACT, error=BROKEN)),
    "responses: an error among the items": ("responses", "server_error", response("", output=[said(OUTPUT), ERROR])),
    "responses: an error among the parts": ("responses", "server_error", response("", output=[said(OUTPUT, ERROR)])),
    "responses: a refusal among the parts": ("responses", "refusal", response("", output=[said(OUTPUT, REFUSAL)])),
    "responses: an empty refusal": (
        "responses",
        "refusal",
        response("", output=[said(OUTPUT, {**REFUSAL, "refusal": ""})]),
    ),
    "responses: a refusal among the items": ("responses", "refusal", response("", output=[said(OUTPUT), REFUSAL])),
    "responses: a refusal in another message": (
        "responses",
        "refusal",
        response("", output=[said(OUTPUT), said(REFUSAL)]),
    ),
    "responses: a message cut off": ("responses", "length", response("", output=[said(OUTPUT, status="incomplete")])),
    "responses: failed and incomplete": (
        "responses",
        "server_error",
        response(ACT, status="failed", incomplete_details={"reason": "max_output_tokens"}),
    ),
    "responses: filtered, though completed": (
        "responses",
        "filter",
        response(ACT, incomplete_details={"reason": "content_filter"}),
    ),
}


CALL: Final = {"id": "1", "type": "function", "function": {"name": "reject", "arguments": "{}"}}
FUNCTION: Final = {"type": "function_call", "name": "reject", "arguments": "{}", "call_id": "1"}
REJECT: Final = {"type": "tool_use", "name": "reject", "input": CAST}
UNASKED: Final[Mapping[str, Case]] = {
    "chat: a call": ("completions", "length", spoken(tool_calls=[CALL])),
    "chat: a call of another kind": ("completions", "length", spoken(tool_calls=[{"type": "custom", "custom": {}}])),
    "chat: a call in the older field": ("completions", "length", spoken(function_call=CALL["function"])),
    "chat: a lookup that was not offered": (
        "completions",
        "length",
        spoken(tool_calls=[{**CALL, "function": {"name": "read_file", "arguments": "{}"}}]),
    ),
    "messages: a ballot by another tool": ("messages", "length", message("", content=[REJECT], stop_reason="tool_use")),
    "messages: another tool beside it": ("messages", "length", message("", content=[TEXT, REJECT])),
    "messages: another form": ("messages", "length", message("", content=[{**BY_TOOL, "name": "vote"}])),
    "gemini: a call": (
        "generate",
        "length",
        candidates(candidate(content={"parts": [{"text": ACT}, {"functionCall": {"name": "reject"}}]})),
    ),
    "responses: a call": ("responses", "length", response("", output=[said(OUTPUT), FUNCTION])),
    "responses: a search of the provider's": (
        "responses",
        "length",
        response("", output=[{"type": "web_search_call", "status": "completed"}, said(OUTPUT)]),
    ),
}
"""Ballots beside calls of tools that nobody offered; the providers say that all is well."""


def piece(text: str = "", index: object = 0, finish: str | None = None, **delta: object) -> bytes:
    return servers.event(
        {"model": MODEL, "choices": [{"index": index, "delta": {"content": text, **delta}, "finish_reason": finish}]}
    )


def google(*given: dict[str, Any], **other: object) -> bytes:
    return servers.event({"candidates": list(given), "modelVersion": MODEL, **other})


def block(at: int, **content: object) -> bytes:
    return named("content_block_start", index=at, content_block=content)


def tool_json(at: int) -> bytes:
    return named("content_block_delta", index=at, delta={"type": "input_json_delta", "partial_json": ACT})


def ends(reason: str | None) -> bytes:
    return named("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 7})


DONE: Final = b"data: [DONE]\n\n"
BEGUN, *REST = message_events([ACT])
LAST: Final = REST[-1]
WORDS: Final = REST[:-2]
OPENED, *_, COMPLETED = response_events([ACT])

STREAMED: Final[Mapping[str, Case]] = {
    "chat: another index": ("completions", "bad_reply", [piece(ACT), piece("No.", 1), piece(finish="stop"), DONE]),
    "chat: only another index": ("completions", "bad_reply", [piece(ACT, 1), piece(finish="stop", index=1), DONE]),
    "chat: an index of no kind": ("completions", "bad_reply", [piece(ACT), piece("", "x", "stop"), DONE]),
    "chat: two choices in an event": (
        "completions",
        "bad_reply",
        [servers.event({"choices": [{"delta": {"content": ACT}}, {"delta": {}}]}), piece(finish="stop"), DONE],
    ),
    "chat: length, then stop": (
        "completions",
        "length",
        [piece(ACT), piece(finish="length"), piece(finish="stop"), DONE],
    ),
    "chat: filter, then length, then stop": (
        "completions",
        "filter",
        [piece(ACT), *(piece(finish=one) for one in ("content_filter", "length", "stop")), DONE],
    ),
    "chat: error, then stop": (
        "completions",
        "server_error",
        [piece(ACT), piece(finish="error"), piece(finish="stop"), DONE],
    ),
    "chat: an error after the end": (
        "completions",
        "server_error",
        [piece(ACT, finish="stop"), servers.event({"error": BROKEN}), DONE],
    ),
    "chat: an event called error": (
        "completions",
        "server_error",
        [piece(ACT, finish="stop"), b'event: error\ndata: {"message": "broke down"}\n\n', DONE],
    ),
    "chat: an event called error, without a space": (
        "completions",
        "server_error",
        [piece(ACT, finish="stop"), b'event:error\ndata:{"message": "broke down"}\n\n', DONE],
    ),
    "chat: an event called error without data": (
        "completions",
        "server_error",
        [piece(ACT, finish="stop"), b"event: error\n\n", DONE],
    ),
    "chat: an error with words beside it": (
        "completions",
        "server_error",
        [servers.event({"error": BROKEN, "choices": [{"index": 0, "delta": {"content": ACT}}]}), DONE],
    ),
    "chat: an error in the choice": (
        "completions",
        "server_error",
        [piece(ACT), servers.event({"choices": [{"index": 0, "error": BROKEN, "finish_reason": "stop"}]}), DONE],
    ),
    "chat: a refusal": ("completions", "refusal", [piece(ACT), piece(refusal="I won't."), piece(finish="stop"), DONE]),
    "chat: a refusal that is no text": (
        "completions",
        "refusal",
        [piece(ACT), piece(refusal={"x": 1}), piece(finish="stop"), DONE],
    ),
    "messages: length, then end": ("messages", "length", [BEGUN, *WORDS, ends("max_tokens"), ends("end_turn"), LAST]),
    "messages: refusal, then end": ("messages", "refusal", [BEGUN, *WORDS, ends("refusal"), ends("end_turn"), LAST]),
    "messages: an error": (
        "messages",
        "server_error",
        [BEGUN, *WORDS, ends("end_turn"), named("error", error=BROKEN), LAST],
    ),
    "messages: a refusal block": ("messages", "refusal", [BEGUN, *WORDS, block(1, **REFUSAL), ends("end_turn"), LAST]),
    "messages: an error block": (
        "messages",
        "server_error",
        [BEGUN, *WORDS, block(1, **ERROR), ends("end_turn"), LAST],
    ),
    "messages: two ballots by tool": (
        "messages",
        "bad_reply",
        [BEGUN, block(0, **BY_TOOL), tool_json(0), block(1, **BY_TOOL), tool_json(1), ends("tool_use"), LAST],
    ),
    "gemini: another index": ("generate", "bad_reply", [google(candidate()), google(candidate("No.", index=1))]),
    "gemini: two candidates": ("generate", "bad_reply", [google(candidate(), candidate("No.", index=1))]),
    "gemini: filter, then stop": (
        "generate",
        "filter",
        [google(candidate(finishReason="SAFETY")), google(candidate(""))],
    ),
    "gemini: a blocked prompt": (
        "generate",
        "filter",
        [google(candidate()), servers.event({"promptFeedback": {"blockReason": "SAFETY"}})],
    ),
    "gemini: an error": ("generate", "server_error", [google(candidate()), servers.event({"error": BROKEN})]),
    "gemini: a refusal": ("generate", "refusal", [google(candidate(content={"parts": [{"text": ACT}, REFUSAL]}))]),
    "responses: an error": ("responses", "server_error", [OPENED, named("error", error=BROKEN), COMPLETED]),
    "responses: a refusal": (
        "responses",
        "refusal",
        [OPENED, named("response.refusal.delta", delta="I won't."), COMPLETED],
    ),
    "responses: completed with an error": (
        "responses",
        "server_error",
        [OPENED, named("response.completed", response=response(ACT, error=BROKEN))],
    ),
}


UNASKED_STREAMED: Final[Mapping[str, Case]] = {
    "chat: a call": ("completions", "length", [piece(ACT), piece(tool_calls=[CALL]), piece(finish="stop"), DONE]),
    "chat: a call in the older field": (
        "completions",
        "length",
        [piece(ACT), piece(function_call=CALL["function"]), piece(finish="stop"), DONE],
    ),
    "messages: a ballot by another tool": (
        "messages",
        "length",
        [BEGUN, block(0, **REJECT), tool_json(0), ends("tool_use"), LAST],
    ),
    "messages: another tool beside it": (
        "messages",
        "length",
        [BEGUN, *WORDS, block(1, **REJECT), tool_json(1), ends("end_turn"), LAST],
    ),
    "gemini: a call": (
        "generate",
        "length",
        [google(candidate(content={"parts": [{"text": ACT}, {"functionCall": {"name": "reject"}}]}))],
    ),
    "responses: a call": (
        "responses",
        "length",
        [OPENED, named("response.completed", response=response("", output=[said(OUTPUT), FUNCTION]))],
    ),
}

REFUSE: Final = f"BALLOT {json.dumps({**CAST, 'decision': 'REFUSE'})}"
STATED: Final = {"type": "text", "text": REFUSE}
BESIDE_TOOL: dict[str, dict[str, Any] | list[Any]] = {
    "words, then the tool": message("", content=[STATED, BY_TOOL], stop_reason="tool_use"),
    "the tool, then words": message("", content=[BY_TOOL, STATED], stop_reason="tool_use"),
    "streamed: words, then the tool": [
        *message_events([REFUSE])[:-2],
        block(1, **BY_TOOL),
        tool_json(1),
        ends("tool_use"),
        LAST,
    ],
    "streamed: the tool, then words": [
        BEGUN,
        block(0, **BY_TOOL),
        tool_json(0),
        *message_events([REFUSE])[1:-2],
        ends("tool_use"),
        LAST,
    ],
}


@pytest.mark.parametrize("reply", BESIDE_TOOL.values(), ids=BESIDE_TOOL)
async def test_a_ballot_in_words_and_another_by_tool_are_two_that_differ(
    client: Http, reply: dict[str, Any] | list[Any]
) -> None:
    act, heard = (
        (FORMATS["messages"].streamed(*reply), {"overheard": lambda _: None})
        if isinstance(reply, list)
        else (whole(reply), {})
    )
    async with servers.Endpoint([act]) as endpoint:
        answer = await FORMATS["messages"].panelist(endpoint.url, client).answer(ask(wants="decision"), **heard)

    read = catalogue.form("decision").read(answer.text, ask().terms(MARK), answer.finish)
    assert (read.ballot, read.unreadable) == (None, "two_answers")


async def outcome(client: Http, name: str, reply: Any, **listening: Any) -> str:  # noqa: ANN401  any JSON
    """How a reply ended, or why there is none; the words never cast a ballot unless it ended cleanly."""
    form, asked = FORMATS[name], ask(wants="decision")
    act = form.streamed(*reply) if isinstance(reply, list) else whole(reply)
    async with servers.Endpoint([act]) as endpoint:
        try:
            answer = await form.panelist(endpoint.url, client).answer(asked, **listening)
        except PanelistError as failed:
            return failed.why
    found = catalogue.form("decision").read(answer.text, asked.terms(MARK), answer.finish)
    assert (found.ballot is not None) is (answer.finish == "stop"), answer
    return answer.finish


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND)
async def test_a_reply_with_one_answer_and_a_clean_end_counts(client: Http, case: Case) -> None:
    name, expected, reply = case

    assert await outcome(client, name, reply) == expected


@pytest.mark.parametrize("case", [*UNASKED.values(), *UNASKED_STREAMED.values()], ids=[*UNASKED, *UNASKED_STREAMED])
async def test_beside_a_tool_that_nobody_offered_no_words_approve(client: Http, case: Case) -> None:
    name, expected, reply = case
    listening = {"overheard": lambda _: None} if isinstance(reply, list) else {}

    assert await outcome(client, name, reply, **listening) == expected


@pytest.mark.parametrize("case", WHOLE.values(), ids=WHOLE)
async def test_what_the_provider_says_beside_the_words_counts_first(client: Http, case: Case) -> None:
    name, expected, reply = case

    assert await outcome(client, name, reply) == expected


@pytest.mark.parametrize("case", STREAMED.values(), ids=STREAMED)
async def test_the_same_holds_of_a_stream(client: Http, case: Case) -> None:
    name, expected, events = case

    assert await outcome(client, name, events, overheard=lambda _: None) == expected
