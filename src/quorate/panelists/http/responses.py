"""OpenAI's Responses, which reasoning models speak best: nothing is stored there, and refusals are told apart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from quorate.model import Usage
from quorate.model.ballot import Enforcement
from quorate.panelists import WordListener
from quorate.panelists.http.finishes import broke_down, finish_of, most_careful
from quorate.panelists.http.lookup_tools import TOOLS, ToolCall
from quorate.panelists.http.reply_fields import part_error, refuses, text_of, usage_from
from quorate.panelists.http.sse import Stream
from quorate.panelists.http.wire_format import ABOUT_FORMS, Wire, WireReply, declines_any

__all__ = ["Responses"]

_ENDED: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_LEFT_OUT: Final = ("store", "max_output_tokens", "temperature", "reasoning")


class Responses(Wire):
    """Answers for a seat from an endpoint that speaks OpenAI's Responses."""

    what = "response"

    def _url(self, *, streaming: bool) -> str:
        del streaming
        return f"{self._endpoint.url.rstrip('/')}/responses"

    def _headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _wanted(
        self, wants: str, content: object, schema: Mapping[str, object], declined: frozenset[str]
    ) -> dict[str, Any]:
        tuning = self._tuning
        wanted: dict[str, Any] = {"model": self._endpoint.model, "input": content}
        wanted |= {"store": False, "max_output_tokens": tuning.most}
        if tuning.temperature is not None:
            wanted["temperature"] = tuning.temperature
        if tuning.effort:
            wanted["reasoning"] = {"effort": tuning.effort}
        if schema and "json_schema" not in declined:
            wanted["text"] = {"format": {"type": "json_schema", "name": wants, "strict": True, "schema": schema}}
        elif schema and "json_object" not in declined:
            wanted["text"] = {"format": {"type": "json_object"}}
        return {name: value for name, value in wanted.items() if name not in declined}

    def _lookup_tools(self) -> dict[str, Any]:
        return {"tools": [{"type": "function", "strict": False, **tool} for tool in TOOLS]}

    def _takes_tools_beside_form(self, declined: frozenset[str]) -> bool:
        return "json_schema" not in declined

    def _enforced_by(self, declined: frozenset[str]) -> Enforcement:
        return "schema" if "json_schema" not in declined else ""

    def _declines(self, sent: Mapping[str, Any], reason: str) -> str:
        left_out = declines_any((name for name in _LEFT_OUT if name in sent), reason)
        if left_out:
            return left_out
        if "text" in sent and any(words in reason for words in (*ABOUT_FORMS, "text.format")):
            return str(sent["text"]["format"]["type"])
        return ""

    def _stream(self, overheard: WordListener) -> Stream:
        return _Deltas(overheard, self._longest)

    def _meant(self, said: dict[str, Any]) -> WireReply | None:
        output = said.get("output")
        if not isinstance(output, list):
            return None
        messages = [*_messages(output)]
        refused = refuses(output) or any(refuses(message.get("content")) for message in messages)
        answers = [message.get("content") for message in messages if message.get("phase") != "commentary"]
        if len(answers) > 1 and not refused:  # nobody can tell which of them is the answer
            return None
        ended, usage = _ending(said, messages), said.get("usage")
        return WireReply(
            text=_text(answers),
            finish="refusal" if refused else finish_of(ended),
            model=said.get("model"),
            usage=usage_from(usage.get("input_tokens"), usage.get("output_tokens"), self._price)
            if isinstance(usage, dict)
            else Usage(),
            error=_error(output, messages) or broke_down(ended),
            calls=tuple(_calls(output)),
        )


def _messages(output: list[Any]) -> Iterator[dict[str, Any]]:
    return (item for item in output if isinstance(item, dict) and item.get("type") == "message")


def _text(answers: Sequence[object]) -> str:
    return "".join(map(_refusal, answers)) or "".join(text_of(content, "output_text") for content in answers)


def _error(output: list[Any], messages: list[dict[str, Any]]) -> object:
    errors = (part_error(message.get("content")) for message in messages)
    return part_error(output) or next(filter(None, errors), None)


def _calls(output: list[Any]) -> Iterator[ToolCall]:
    for item in output:
        match item:
            case {"type": "function_call"}:
                yield item.get("name"), item.get("arguments")
            case {"type": str() as kind} if kind.endswith("_call"):  # tools that the provider runs itself
                yield kind, None
            case _:
                pass


def _ending(said: Mapping[str, Any], messages: list[dict[str, Any]]) -> object:
    """The most careful of its status, why it is incomplete, and the status of each message."""
    details = said.get("incomplete_details")
    cut = details.get("reason") if isinstance(details, dict) else None
    return most_careful(said.get("status"), cut, *(message.get("status") for message in messages))


class _Deltas(Stream):
    """Words come in pieces; the last event holds the whole of it."""

    def __init__(self, overheard: WordListener, longest: int) -> None:
        super().__init__(overheard, longest)
        self._last: dict[str, Any] = {}
        self._refused = False

    def _take(self, said: dict[str, Any]) -> bool:
        kind = said.get("type")
        if kind == "response.output_text.delta":
            self.hear(text_of(said.get("delta")))
        elif kind == "response.reasoning_text.delta":
            self.think(text_of(said.get("delta")))
        elif isinstance(kind, str) and kind.startswith("response.refusal"):
            self._refused = True
        elif kind in _ENDED and isinstance(said.get("response"), dict):
            self._last, self.whole = said["response"], True
        return not self.whole

    def _whole(self, text: str) -> dict[str, Any]:
        said = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        whole = {"status": "incomplete", "output": [said]} if self.cut else self._last
        if self._refused and isinstance(whole.get("output"), list):
            refusal = {"type": "message", "content": [{"type": "refusal", "refusal": ""}]}
            return {**whole, "output": [*whole["output"], refusal]}
        return whole


def _refusal(content: object) -> str:
    parts = content if isinstance(content, list) else ()
    said = (part.get("refusal") for part in parts if isinstance(part, dict) and part.get("type") == "refusal")
    return "".join(words for words in said if isinstance(words, str))
