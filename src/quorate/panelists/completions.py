"""Reads a chat completion, whole or as it is streamed: words, finish, usage; never what the words mean."""

import json
from collections.abc import Mapping
from typing import Any, Final

from quorate.model import Finish, Usage
from quorate.model.numbers import exact
from quorate.panelists import Overheard
from quorate.panelists.price import Price

__all__ = ["Stream", "finish_of", "message_of", "reason_of", "storable", "text_of", "usage_of"]

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "refusal": "refusal",
}


class Stream:
    """Puts a completion together from its server-sent events."""

    def __init__(self, overheard: Overheard) -> None:
        self._overheard = overheard
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._last: dict[str, Any] = {}
        self._whole = False

    def line(self, line: bytes) -> bool:
        """Take in one line; false when the stream has said that it is done."""
        if not line.startswith(b"data:"):
            return True
        event = line[5:].strip()
        if event == b"[DONE]":
            self._whole = True
            return False
        try:
            said = json.loads(event)
        except (ValueError, RecursionError):
            return True
        if isinstance(said, dict):
            self._take(said)
        return "error" not in self._last

    def _take(self, said: dict[str, Any]) -> None:
        for name in ("model", "usage", "error"):
            if said.get(name):
                self._last[name] = said[name]
        match said.get("choices"):
            case [{} as choice, *_]:
                if choice.get("finish_reason"):
                    self._last["finish_reason"] = choice["finish_reason"]
                    self._whole = True
                delta = choice.get("delta")
                if isinstance(delta, dict):
                    self._refusals.append(text_of(delta.get("refusal")))
                    self._hear(text_of(delta.get("content")))
            case _:
                pass

    def _hear(self, words: str) -> None:
        if words:
            self._texts.append(words)
            self._overheard(storable(words))

    def completion(self) -> dict[str, object] | None:
        """The same as if it had come at once, none if the stream broke off."""
        if "error" in self._last:
            return {"error": self._last["error"]}
        if not self._whole:
            return None
        message = {"content": "".join(self._texts), "refusal": "".join(self._refusals)}
        return {**self._last, "choices": [{"message": message, "finish_reason": self._last.get("finish_reason")}]}


def finish_of(said: object) -> Finish:
    """How a reply ended; some endpoints never say, and a word we do not know is `other`."""
    if not said:
        return "stop"
    return _FINISHES.get(said, "other") if isinstance(said, str) else "other"


def reason_of(body: bytes) -> str:
    """The sentence in an error's body."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip().startswith(b"<") else body[:2048].decode(errors="replace")
    return message_of(said.get("error") or said) if isinstance(said, dict) else ""


def message_of(error: object) -> str:
    """What an error says of itself."""
    if isinstance(error, dict):
        words = (error.get(name) for name in ("message", "detail", "code"))
        return " / ".join(dict.fromkeys(word for word in words if word and isinstance(word, str)))
    return error if isinstance(error, str) else ""


def text_of(content: object) -> str:
    """Words, in one string or in parts; what else there is (reasoning, tool calls) is not part of them."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def storable(text: str) -> str:
    """Text that can be stored: half a surrogate pair, which JSON can hold, becomes a replacement sign."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def usage_of(said: object, price: Price | None) -> Usage:
    """Tokens and money as far as they were said and make sense; the budget has its own opinion of them."""
    if not isinstance(said, dict):
        return Usage()
    asked, answered = _count(said.get("prompt_tokens")), _count(said.get("completion_tokens"))
    money = exact(str(said.get("cost"))) if isinstance(said.get("cost"), int | float) else None
    if money is not None and money < 0:
        money = None
    if money is None and price is not None and asked is not None and answered is not None:
        money = price.of(asked, answered)
    return Usage(asked=asked, answered=answered, money=money)


def _count(said: object) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else None
