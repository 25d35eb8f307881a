"""Google's generateContent: a form by JSON schema, thinking by level or by budget, and what its filters withheld."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from quorate.errors import PanelistError
from quorate.model import Usage
from quorate.model.ballot import Enforcement
from quorate.panelists import WordListener
from quorate.panelists.http.client import HttpResponse
from quorate.panelists.http.failures import from_status, in_one_line, seconds_to_wait
from quorate.panelists.http.finishes import broke_down, finish_of, most_careful
from quorate.panelists.http.lookup_tools import TOOLS, ToolCall
from quorate.panelists.http.reply_fields import count_of, part_error, reason_of, refuses, usage_from
from quorate.panelists.http.sse import Stream
from quorate.panelists.http.wire_format import ABOUT_FORMS, Wire, WireReply, declines_any
from quorate.panelists.price import Price

__all__ = ["Gemini"]

_BUDGETS: Final[Mapping[str, int]] = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192}
_MOST_THINKING: Final = 24_576
_VERSIONED: Final = re.compile(r"/v\d\w*$")
_DELAY: Final = re.compile(rb'"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"')
_ABOUT_THINKING: Final = ("thinking_level", "thinking level")
_NO_KEY: Final = (b"API_KEY_INVALID", b"API key not valid", b"API key expired")


class Gemini(Wire):
    """Answers for a seat from Google's Gemini API."""

    what = "generated content"

    def _url(self, *, streaming: bool) -> str:
        base = self._endpoint.url.rstrip("/")
        name = self._endpoint.model.removeprefix("models/")
        how = "streamGenerateContent?alt=sse" if streaming else "generateContent"
        return f"{base if _VERSIONED.search(base) else f'{base}/v1beta'}/models/{name}:{how}"

    def _headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def _wanted(
        self, wants: str, content: object, schema: Mapping[str, object], declined: frozenset[str]
    ) -> dict[str, Any]:
        del wants
        tuning = self._tuning
        how: dict[str, Any] = {"maxOutputTokens": tuning.most}
        if tuning.temperature is not None and "temperature" not in declined:
            how["temperature"] = tuning.temperature
        if tuning.effort and ("thinkingLevel" in declined or tuning.effort == "none"):
            how["thinkingConfig"] = {"thinkingBudget": _BUDGETS.get(tuning.effort, _MOST_THINKING)}
        elif tuning.effort:
            how["thinkingConfig"] = {"thinkingLevel": tuning.effort}
        if schema and "responseMimeType" not in declined:
            how["responseMimeType"] = "application/json"
            if "responseJsonSchema" not in declined:
                how["responseJsonSchema"] = schema
        return {"contents": [{"role": "user", "parts": [{"text": content}]}], "generationConfig": how}

    def _lookup_tools(self) -> dict[str, Any]:
        return {"tools": [{"functionDeclarations": list(TOOLS)}]}

    def _enforced_by(self, declined: frozenset[str]) -> Enforcement:
        return "schema" if declined.isdisjoint({"responseMimeType", "responseJsonSchema"}) else ""

    def _streaming(self, declined: frozenset[str]) -> dict[str, Any]:
        del declined
        return {}

    def _declines(self, sent: Mapping[str, Any], reason: str) -> str:
        how = sent["generationConfig"]
        if "thinkingLevel" in how.get("thinkingConfig", ()) and any(words in reason for words in _ABOUT_THINKING):
            return "thinkingLevel"
        if "temperature" in how and declines_any(("temperature",), reason):
            return "temperature"
        parts = (("responseJsonSchema", ABOUT_FORMS), ("responseMimeType", ("mime", "json mode")))
        return next((part for part, about in parts if part in how and any(words in reason for words in about)), "")

    def _stream(self, overheard: WordListener) -> Stream:
        return _Pieces(overheard, self._longest)

    def _trouble(self, came: HttpResponse) -> PanelistError:
        """A wrong key is a bad request there, and how long to wait stands in the body."""
        if came.status == 400 and any(words in came.body for words in _NO_KEY):  # noqa: PLR2004  the status itself
            return from_status(401, in_one_line(reason_of(came.body), self._endpoint.key), self._route)
        delay = _DELAY.search(came.body)
        if delay and seconds_to_wait(came.retry_after) is None:
            came = HttpResponse(came.status, came.body, delay[1].decode())
        return super()._trouble(came)

    def _meant(self, said: dict[str, Any]) -> WireReply | None:
        model, usage = said.get("modelVersion"), _usage(said.get("usageMetadata"), self._price)
        feedback = said.get("promptFeedback")
        blocked = isinstance(feedback, dict) and bool(feedback.get("blockReason"))
        match said.get("candidates"):
            case [{} as candidate]:
                finish = candidate.get("finishReason")
            case None | [] if blocked:
                return WireReply(finish="filter", model=model, usage=usage)
            case _:  # none, or several: which of them is the answer nobody can tell
                return None
        parts = [*_parts(candidate)]
        ended = "refusal" if refuses(parts) else finish_of(finish)
        return WireReply(
            text=_text(candidate),
            finish="filter" if blocked else ended,
            model=model,
            usage=usage,
            error=part_error([candidate, *parts]) or broke_down(finish),
            calls=tuple(_calls(candidate)),
        )


class _Pieces(Stream):
    """Every event is a whole reply with a piece of the text; there is no last word but a finish reason."""

    def __init__(self, overheard: WordListener, longest: int) -> None:
        super().__init__(overheard, longest)
        self._last: dict[str, Any] = {}
        self._finish: object = None
        self._calls: list[ToolCall] = []
        self._refusals: list[dict[str, Any]] = []

    def _take(self, said: dict[str, Any]) -> bool:
        self._last |= {name: said[name] for name in ("modelVersion", "usageMetadata", "promptFeedback") if name in said}
        candidate = self.only(said.get("candidates"))
        if candidate is not None:
            self.error = self.error or part_error([candidate, *_parts(candidate)])
            self._finish = most_careful(self._finish, candidate.get("finishReason") or None)
            self._refusals += (part for part in _parts(candidate) if refuses([part]))
            self.hear(_text(candidate))
            self.think(_text(candidate, thoughts=True))
            self._calls += _calls(candidate)
        self.whole = bool(self._finish) or "promptFeedback" in self._last
        return True

    def _whole(self, text: str) -> dict[str, Any]:
        if not self._finish and not self.cut:
            return self._last
        calls = [{"functionCall": {"name": name, "args": given}} for name, given in self._calls]
        candidate = {"content": {"parts": [{"text": text}, *self._refusals, *calls]}, "finishReason": self._finish}
        return {**self._last, "candidates": [candidate]}


def _text(candidate: Mapping[str, Any], *, thoughts: bool = False) -> str:
    """The words of a candidate, or its thoughts, which are not part of them."""
    spoken = (part for part in _parts(candidate) if bool(part.get("thought")) is thoughts)
    return "".join(part["text"] for part in spoken if isinstance(part.get("text"), str))


def _calls(candidate: Mapping[str, Any]) -> Iterator[ToolCall]:
    for part in _parts(candidate):
        match part:
            case {"functionCall": {} as call}:
                yield call.get("name"), call.get("args")
            case _:
                pass


def _parts(candidate: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return (part for part in parts or () if isinstance(part, dict))


def _usage(said: object, price: Price | None) -> Usage:
    """Thoughts are charged as answers."""
    if not isinstance(said, dict):
        return Usage()
    written = [count_of(said.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    known = [count for count in written if count is not None]
    return usage_from(said.get("promptTokenCount"), sum(known) if known else None, price)
