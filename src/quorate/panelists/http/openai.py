"""Any endpoint that speaks OpenAI's chat completions: the wire format, and nothing of what the words mean."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from quorate.model import Usage
from quorate.model.ballot import Enforcement
from quorate.panelists import WordListener
from quorate.panelists.http.finishes import broke_down, finish_of, known_finish, most_careful
from quorate.panelists.http.lookup_tools import TOOLS, ToolCall
from quorate.panelists.http.reply_fields import part_error, refuses, text_of, usage_from
from quorate.panelists.http.sse import Stream
from quorate.panelists.http.wire_format import ABOUT_FORMS, Endpoint, SamplingOptions, Wire, WireReply, declines_any
from quorate.panelists.price import Price

__all__ = ["Endpoint", "OpenAI", "SamplingOptions"]


class Chunks(Stream):
    """Puts a completion together from its server-sent events."""

    def __init__(self, overheard: WordListener, longest: int) -> None:
        super().__init__(overheard, longest)
        self._refusals: list[str] = []
        self._refused = False
        self._calls: dict[str, dict[str, str]] = {}
        self._last: dict[str, Any] = {}

    def _take(self, said: dict[str, Any]) -> bool:
        self._last |= {name: said[name] for name in ("model", "usage") if said.get(name)}
        choice = self.only(said.get("choices"))
        if choice is None:
            return True
        delta = choice.get("delta")
        self.error = self.error or _error_in(choice, delta)
        if choice.get("finish_reason"):
            self.whole = True
        self._last["finish_reason"] = most_careful(self._last.get("finish_reason"), _ending(said, choice, delta))
        if isinstance(delta, dict):
            self._refused = self._refused or bool(delta.get("refusal")) or refuses(delta.get("content"))
            self._refusals.append(text_of(delta.get("refusal")))
            self.think(text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning")))
            self.hear(text_of(delta.get("content")))
            self._call(delta)
        return True

    def _call(self, delta: dict[str, Any]) -> None:
        """Calls of tools come in pieces too, each with the number of its call."""
        for piece in _called(delta):
            whole = self._calls.setdefault(str(piece.get("index")), {"name": "", "arguments": ""})
            match piece:
                case {"function": {} as function}:
                    for name in whole:
                        whole[name] += text_of(function.get(name))
                        self.think(text_of(function.get(name)))
                case _:  # a call of another kind than ours
                    pass

    def _whole(self, text: str) -> dict[str, Any]:
        calls = [{"function": call} for call in self._calls.values()]
        message = {"content": text, "refusal": "".join(self._refusals) or self._refused, "tool_calls": calls}
        return {**self._last, "choices": [{"message": message, "finish_reason": self._last.get("finish_reason")}]}


def usage_of(said: object, price: Price | None) -> Usage:
    """Tokens and money as far as they were said."""
    if not isinstance(said, dict):
        return Usage()
    return usage_from(said.get("prompt_tokens"), said.get("completion_tokens"), price, said.get("cost"))


OWN_HOST: Final = "api.openai.com"
_CAPS: Final = ("max_completion_tokens", "max_tokens")
_OTHER_ENDINGS: Final = ("finish_reason", "native_finish_reason", "stop_reason")
_LEFT_OUT: Final = ("temperature", "reasoning_effort", *_CAPS)


def _form(name: str, schema: Mapping[str, object], declined: frozenset[str]) -> dict[str, Any]:
    """The strictest form of a reply that the endpoint has not declined."""
    if "json_schema" not in declined:
        form = {"name": name, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    return {} if "json_object" in declined else {"response_format": {"type": "json_object"}}


class OpenAI(Wire):
    """Answers for a seat from an OpenAI-compatible endpoint."""

    def _url(self, *, streaming: bool) -> str:
        del streaming
        return f"{self._endpoint.url.rstrip('/')}/chat/completions"

    def _headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _wanted(
        self, wants: str, content: object, schema: Mapping[str, object], declined: frozenset[str]
    ) -> dict[str, Any]:
        there, tuning = self._endpoint, self._tuning
        wanted: dict[str, Any] = {"model": there.model}
        if tuning.temperature is not None and "temperature" not in declined:
            wanted["temperature"] = tuning.temperature
        if tuning.effort and "reasoning_effort" not in declined:
            wanted["reasoning_effort"] = tuning.effort
        wanted["messages"] = [{"role": "user", "content": content}]
        cap = next((name for name in (there.cap, *_CAPS) if name not in declined), "")
        if cap:
            wanted[cap] = tuning.most
        return wanted | (_form(wants, schema, declined) if schema else {})

    def _lookup_tools(self) -> dict[str, Any]:
        return {"tools": [{"type": "function", "function": tool} for tool in TOOLS]}

    def _takes_tools_beside_form(self, declined: frozenset[str]) -> bool:
        # OpenAI itself does; most others who speak this hold every word to the form, and no tool is ever called.
        return urlsplit(self._endpoint.url).hostname == OWN_HOST and "json_schema" not in declined

    def _enforced_by(self, declined: frozenset[str]) -> Enforcement:
        # Of others who speak this nobody knows whether they heed a schema or pass over it.
        return "schema" if self._takes_tools_beside_form(declined) else ""

    def _streaming(self, declined: frozenset[str]) -> dict[str, Any]:
        usage = {} if "stream_options" in declined else {"stream_options": {"include_usage": True}}
        return {"stream": True, **usage}

    def _declines(self, sent: Mapping[str, Any], reason: str) -> str:
        if "stream_options" in sent and "stream_options" in reason:
            return "stream_options"
        left_out = declines_any((name for name in _LEFT_OUT if name in sent), reason)
        if not left_out and "response_format" in sent and any(words in reason for words in ABOUT_FORMS):
            return str(sent["response_format"]["type"])
        return left_out

    def _stream(self, overheard: WordListener) -> Chunks:
        return Chunks(overheard, self._longest)

    def _meant(self, said: dict[str, Any]) -> WireReply | None:
        match said.get("choices"):
            case [{"message": {} as message} as choice]:
                pass
            case _:  # none, or several: which of them is the answer nobody can tell
                return None
        content, ended = message.get("content"), _ending(said, choice, message)
        refused = bool(message.get("refusal")) or refuses(content)
        return WireReply(
            text=text_of(message.get("refusal")) or text_of(content),
            # Some endpoints of this format never say how a reply ended; its JSON, or its [DONE], says that it did.
            finish="refusal" if refused else "stop" if ended is None else finish_of(ended),
            model=said.get("model"),
            usage=usage_of(said.get("usage"), self._price),
            error=_error_in(choice, message) or broke_down(ended),
            calls=tuple(_calls(message)),
        )


def _ending(said: Mapping[str, Any], choice: Mapping[str, Any], message: object) -> object:
    """How a choice ended: gateways repeat it under other names, and the most careful word counts.

    The other names also hold the text or token that stopped the model, so only words we know are taken there.
    """
    places = [said, choice, *([message] if isinstance(message, dict) else [])]
    other = (known_finish(place.get(name)) for place in places for name in _OTHER_ENDINGS)
    return most_careful(choice.get("finish_reason"), *other)


def _error_in(choice: Mapping[str, Any], message: object) -> object:
    parts = [dict(choice), message]
    content = message.get("content") if isinstance(message, dict) else None
    return part_error(parts) or part_error(content)


def _called(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls in a message or in a piece of one; the older field for a single call counts as well."""
    listed, single = message.get("tool_calls"), message.get("function_call")
    calls = [*(listed if isinstance(listed, list) else ()), *([{"function": single}] if single else ())]
    return (call for call in calls if isinstance(call, dict))


def _calls(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    """Every call; one of another kind than ours has no name here, so it is none that was offered."""
    for call in _called(message):
        match call:
            case {"function": {"name": name, "arguments": given}}:
                yield name, given
            case _:
                yield "", None
