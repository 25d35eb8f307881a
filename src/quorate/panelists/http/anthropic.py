"""Anthropic's Messages: a form by schema, else by a tool, else in text; a shared beginning is marked for the cache."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from quorate import catalogue
from quorate.model import Usage
from quorate.model.ballot import Enforcement
from quorate.panelists import WordListener
from quorate.panelists.http.client import Http
from quorate.panelists.http.finishes import broke_down, finish_of, most_careful
from quorate.panelists.http.lookup_tools import TOOLS, ToolCall
from quorate.panelists.http.reply_fields import count_of, part_error, refuses, text_of, usage_from
from quorate.panelists.http.sse import Stream
from quorate.panelists.http.wire_format import ABOUT_FORMS, Endpoint, SamplingOptions, Wire, WireReply, declines_any
from quorate.panelists.price import Price

__all__ = ["Anthropic"]

VERSION: Final = "2023-06-01"
WORTH_CACHING: Final = 4096
"""Characters, about 1024 tokens: below that nothing is cached."""

_ABOUT_FORMAT: Final = (*ABOUT_FORMS, "output_config", "output_format")
_ABOUT_TOOLS: Final = ("tool_choice", "tools", "tool use", "input_schema")


class Anthropic(Wire):
    """Answers for a seat from an endpoint that speaks Anthropic's Messages."""

    what = "message"

    def __init__(
        self, endpoint: Endpoint, http: Http, tuning: SamplingOptions | None = None, price: Price | None = None
    ) -> None:
        super().__init__(endpoint, http, tuning, price)
        self._before = ""

    def _url(self, *, streaming: bool) -> str:
        del streaming
        return f"{self._endpoint.url.rstrip('/').removesuffix('/v1')}/v1/messages"

    def _headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def _wanted(
        self, wants: str, content: object, schema: Mapping[str, object], declined: frozenset[str]
    ) -> dict[str, Any]:
        tuning, output = self._tuning, dict[str, Any]()
        wanted: dict[str, Any] = {"model": self._endpoint.model, "max_tokens": tuning.most}
        if tuning.temperature is not None and "temperature" not in declined:
            wanted["temperature"] = tuning.temperature
        if tuning.effort and "effort" not in declined:
            output["effort"] = tuning.effort
        if schema and "format" not in declined:
            output["format"] = {"type": "json_schema", "schema": schema}
        elif schema and "tools" not in declined:
            wanted["tools"] = [{"name": wants, "description": "How to cast the ballot.", "input_schema": schema}]
            wanted["tool_choice"] = {"type": "tool", "name": wants}
        if output:
            wanted["output_config"] = output
        return {**wanted, "messages": [{"role": "user", "content": content}]}

    def _lookup_tools(self) -> dict[str, Any]:
        return {"tools": [{**_named(tool), "input_schema": tool["parameters"]} for tool in TOOLS]}

    def _enforced_by(self, declined: frozenset[str]) -> Enforcement:
        if "format" not in declined:
            return "schema"
        return "tool" if "tools" not in declined else ""

    def _takes_tools_beside_form(self, declined: frozenset[str]) -> bool:
        return "format" not in declined

    def _content(self, prompt: str, declined: frozenset[str]) -> list[dict[str, Any]]:
        """The prompt, with a mark behind the paragraphs that it shares with the one before."""
        shared = prompt.rfind("\n\n", 0, _alike(prompt, self._before)) + 2
        self._before = prompt
        if "cache_control" in declined or shared < WORTH_CACHING or shared >= len(prompt):
            return [{"type": "text", "text": prompt}]
        mark = {"type": "ephemeral"}
        return [
            {"type": "text", "text": prompt[:shared], "cache_control": mark},
            {"type": "text", "text": prompt[shared:]},
        ]

    def _declines(self, sent: Mapping[str, Any], reason: str) -> str:
        output, content = sent.get("output_config", ()), sent["messages"][0]["content"]
        if "cache_control" in reason and "cache_control" in content[0]:
            return "cache_control"
        left_out = declines_any((name for name in ("temperature", "effort") if name in (*sent, *output)), reason)
        if left_out:
            return left_out
        parts = (
            ("format", output, _ABOUT_FORMAT),
            ("effort", output, ("output_config",)),
            ("tools", sent, _ABOUT_TOOLS),
        )
        found = (part for part, where, words in parts if part in where and any(word in reason for word in words))
        return next(found, "")

    def _stream(self, overheard: WordListener) -> Stream:
        return _Events(overheard, self._longest)

    def _load(self, body: bytes) -> object:
        return json.loads(body)  # what a tool was given is written out as the ballot: every digit of it counts

    def _meant(self, said: dict[str, Any]) -> WireReply | None:
        content = said.get("content")
        if not isinstance(content, list):
            return None
        used = [*_used(content)]
        cast = [given for name, given in used if isinstance(given, dict) and _is_ballot_tool(name)]
        if len(cast) > 1:  # two ballots by tool: which of them is meant nobody can tell
            return None
        stop = said.get("stop_reason")
        return WireReply(
            text="".join(_written(part) for part in content),
            # To use the tool that is the ballot paper is to have cast it; any other makes the reply one cut off.
            finish="refusal" if refuses(content) else "stop" if stop == "tool_use" else finish_of(stop),
            model=said.get("model"),
            usage=_usage(said.get("usage"), self._price),
            error=part_error(content) or broke_down(stop),
            calls=tuple(used),
        )


def _used(content: list[Any]) -> Iterator[ToolCall]:
    """The tools that were used, each with what it was given."""
    for part in content:
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield part.get("name"), part.get("input")


def _written(part: object) -> str:
    """A part as words, in the order of the reply, as a stream brings them: a ballot by tool is one more."""
    match part:
        case {"type": "tool_use", "name": name, "input": {} as given} if _is_ballot_tool(name):
            return json.dumps(given, ensure_ascii=False)
        case _:
            return text_of([part])


def _is_ballot_tool(name: object) -> bool:
    """Whether a tool is called as a ballot paper is, by its form. A model may make up any other, such as `reject`."""
    return isinstance(name, str) and name in catalogue.names("form")


def _named(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tool[name] for name in ("name", "description")}


class _Events(Stream):
    def __init__(self, overheard: WordListener, longest: int) -> None:
        super().__init__(overheard, longest)
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._calls: dict[str, list[str]] = {}
        """Calls that cast no ballot, by the number of their block: their name, and their input piece by piece."""
        self._others: list[dict[str, Any]] = []
        """Blocks that are neither words nor thoughts: a ballot by tool, a refusal, an error."""

    def _take(self, said: dict[str, Any]) -> bool:
        delta = said.get("delta")
        match said.get("type"):
            case _ if self._calls_other(said):
                pass
            case "content_block_start" if isinstance(said.get("content_block"), dict):
                self._begin(said["content_block"])
            case "message_start" if isinstance(said.get("message"), dict):
                self._message = said["message"]
                self._count(self._message.get("usage"))
            case "content_block_delta" if isinstance(delta, dict):
                # A ballot cast by tool comes as pieces of JSON, and there is no text beside it.
                self.hear(text_of(delta.get("text")) or text_of(delta.get("partial_json")))
                self.think(text_of(delta.get("thinking")))
            case "message_delta" if isinstance(delta, dict):
                self._message["stop_reason"] = most_careful(self._message.get("stop_reason"), delta.get("stop_reason"))
                self._count(said.get("usage"))
            case "message_stop":
                self.whole = True
            case _:
                pass
        return not self.whole

    def _begin(self, block: dict[str, Any]) -> None:
        self._others += [block] if block.get("type") not in ("text", "thinking", "redacted_thinking") else []
        tools = [one.get("name") for one in self._others if one.get("type") == "tool_use"]
        self.several = self.several or sum(isinstance(name, str) for name in tools) > 1

    def _calls_other(self, said: dict[str, Any]) -> bool:
        """Keep a call that casts no ballot, or a piece of one; whether it was that."""
        at, block, delta = str(said.get("index")), said.get("content_block"), said.get("delta")
        if isinstance(block, dict) and block.get("type") == "tool_use" and not _is_ballot_tool(block.get("name")):
            self._calls[at] = [text_of(block.get("name"))]
        elif at in self._calls and isinstance(delta, dict):
            self._calls[at].append(text_of(delta.get("partial_json")))
            self.think(text_of(delta.get("partial_json")))
        return at in self._calls

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _whole(self, text: str) -> dict[str, Any]:
        calls = [{"type": "tool_use", "name": name, "input": "".join(pieces)} for name, *pieces in self._calls.values()]
        # The input of a ballot by tool was heard as the text, so the block itself would be a second, empty one.
        others = [block for block in self._others if block.get("type") != "tool_use"]
        return {**self._message, "usage": self._usage, "content": [{"type": "text", "text": text}, *others, *calls]}


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with in common; by halves, as texts compare faster than signs."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one.startswith(other[least:middle], least):
            least = middle
        else:
            most = middle - 1
    return least


def _usage(said: object, price: Price | None) -> Usage:
    """Tokens read from the cache cost a tenth, tokens written to it a quarter more; all of them were asked."""
    if not isinstance(said, dict):
        return Usage()
    fresh, answered = count_of(said.get("input_tokens")), count_of(said.get("output_tokens"))
    if fresh is None:
        return usage_from(None, answered, price)
    written = count_of(said.get("cache_creation_input_tokens")) or 0
    read = count_of(said.get("cache_read_input_tokens")) or 0
    money = None if price is None or answered is None else price.of(20 * fresh + 25 * written + 2 * read, 20 * answered)
    return Usage(asked=fresh + written + read, answered=answered, money=None if money is None else money / 20)
