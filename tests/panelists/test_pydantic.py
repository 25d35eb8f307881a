import subprocess
import sys
from collections.abc import AsyncIterator
from fractions import Fraction

import pytest
from pydantic_ai.exceptions import ContentFilterError, ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from quorate.errors import BadSetting, NoModel, PanelistError
from quorate.model import Ask, Prompt, Seat
from quorate.panelists.http.client import Http
from quorate.panelists.http.wire_format import SamplingOptions
from quorate.panelists.price import Price
from quorate.panelists.pydantic import Pydantic
from quorate.panelists.registry import open_panelist


def ask(wants: str = "speech") -> Ask:
    return Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"), wants=wants, mark="5eed5eed5eed")


async def test_a_model_of_pydantic_ai_s_is_asked_once_with_the_form_and_the_tuning() -> None:
    seen: list[tuple[list[ModelMessage], AgentInfo]] = []

    async def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info))
        return ModelResponse(
            parts=[ThinkingPart("Hm."), TextPart("Yes, but.")],
            usage=RequestUsage(input_tokens=11, output_tokens=7),
            finish_reason="length",
        )

    tuning = SamplingOptions(most=99, temperature=0.5, effort="low")
    reply = await Pydantic(FunctionModel(function, model_name="x-2"), tuning, Price.per_million("2", "10")).answer(
        ask("decision")
    )

    ((messages, info),) = seen
    form = info.model_request_parameters.output_object
    assert (reply.text, reply.model, reply.finish) == ("Yes, but.", "x-2", "length")
    assert (reply.usage.asked, reply.usage.answered, reply.usage.money) == (11, 7, Fraction(92, 10**6))
    assert messages[0].parts[0].content == "Shall we?"  # type: ignore[union-attr]
    assert form is not None
    assert form.json_schema["required"][0] == "mark"
    assert info.model_settings is not None
    assert {**info.model_settings}.items() >= {"max_tokens": 99, "temperature": 0.5, "max_retries": 0}.items()


async def test_words_beside_a_tool_that_nobody_offered_count_as_cut_off() -> None:
    async def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del messages, info
        return ModelResponse(parts=[TextPart("Yes."), ToolCallPart("reject", {})], finish_reason="stop")

    reply = await Pydantic(FunctionModel(function)).answer(ask("decision"))

    assert (reply.text, reply.finish) == ("Yes.", "length")


async def test_words_are_overheard_as_they_are_written() -> None:
    heard: list[str] = []

    async def function(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        del messages, info
        for word in ("Yes,", " but", " not now."):
            yield word

    reply = await Pydantic(FunctionModel(stream_function=function)).answer(ask(), heard.append)

    assert "".join(heard) == reply.text == "Yes, but not now."
    assert len(list(filter(None, heard))) == 3


@pytest.mark.parametrize(
    ("wrong", "why", "again"),
    [
        (ModelHTTPError(401, "m", {"error": {"message": "no"}}), "wrong_key", False),
        (ModelHTTPError(400, "m", {"error": {"message": "prompt is too long"}}), "too_long", False),
        (ModelHTTPError(404, "m", {"message": "no such model"}), "no_such_model", False),
        (ModelHTTPError(429, "m", None, headers={"retry-after": "7"}), "rate_limited", True),
        (ModelHTTPError(529, "m", "busy"), "overloaded", True),
        (ContentFilterError("withheld"), "filter", False),
        (UnexpectedModelBehavior("odd"), "bad_reply", False),
        (TimeoutError(), "timeout", False),
        (ConnectionResetError(), "unreachable", True),
    ],
)
async def test_what_goes_wrong_there_is_said_in_our_words(wrong: Exception, why: str, again: bool) -> None:
    asked = 0

    async def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal asked
        del messages, info
        asked += 1
        raise wrong

    with pytest.raises(PanelistError) as raised:
        await Pydantic(FunctionModel(function)).answer(ask())

    assert (raised.value.why, raised.value.again, asked) == (why, again, 1)
    assert raised.value.__context__ is None
    assert raised.value.after == (7.0 if why == "rate_limited" else None)


async def test_a_model_is_found_by_its_name_there() -> None:
    reply = await open_panelist("pydantic:test", Http(), {}).answer(ask())

    assert reply.text == "success (no tool calls)"


@pytest.mark.parametrize(
    ("model", "kind", "helps"),
    [
        ("pydantic:nobody:m", BadSetting, "'pydantic:nobody:m' cannot be opened: Unknown model"),
        ("pydantic:groq:m", NoModel, "pydantic-ai-slim[groq]"),
    ],
)
def test_what_cannot_be_opened_is_said_at_once(model: str, kind: type[Exception], helps: str) -> None:
    with pytest.raises(kind) as raised:
        open_panelist(model, Http(), {})

    assert helps in str(raised.value)


def test_naming_models_does_not_load_pydantic_ai() -> None:
    asked = "registry.domain('pydantic:cohere:x'); print('pydantic_ai' in sys.modules)"
    code = f"import sys; from quorate.panelists import registry; {asked}"

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
