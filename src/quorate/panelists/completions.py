"""Reads a chat completion, whole or as it is streamed: words, finish, usage; never what the words mean."""

from collections.abc import Mapping
from typing import Any, Final

from quorate.model import Finish, Usage
from quorate.panelists import Overheard
from quorate.panelists.price import Price
from quorate.panelists.sse import Stream
from quorate.panelists.words import text_of, usage_from

__all__ = ["Chunks", "finish_of", "usage_of"]

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "refusal": "refusal",
}


class Chunks(Stream):
    """Puts a completion together from its server-sent events."""

    def __init__(self, overheard: Overheard) -> None:
        super().__init__(overheard)
        self._refusals: list[str] = []
        self._last: dict[str, Any] = {}

    def _take(self, said: dict[str, Any]) -> bool:
        self.error = said.get("error") or self.error
        self._last |= {name: said[name] for name in ("model", "usage") if said.get(name)}
        match said.get("choices"):
            case [{} as choice, *_]:
                if choice.get("finish_reason"):
                    self._last["finish_reason"] = choice["finish_reason"]
                    self.whole = True
                delta = choice.get("delta")
                if isinstance(delta, dict):
                    self._refusals.append(text_of(delta.get("refusal")))
                    self.hear(text_of(delta.get("content")))
            case _:
                pass
        return True

    def _whole(self, text: str) -> dict[str, Any]:
        message = {"content": text, "refusal": "".join(self._refusals)}
        return {**self._last, "choices": [{"message": message, "finish_reason": self._last.get("finish_reason")}]}


def finish_of(said: object) -> Finish:
    """How a reply ended; some endpoints never say, and a word we do not know is `other`."""
    if not said:
        return "stop"
    return _FINISHES.get(said, "other") if isinstance(said, str) else "other"


def usage_of(said: object, price: Price | None) -> Usage:
    """Tokens and money as far as they were said."""
    if not isinstance(said, dict):
        return Usage()
    return usage_from(said.get("prompt_tokens"), said.get("completion_tokens"), price, said.get("cost"))
