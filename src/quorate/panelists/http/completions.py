"""Reads a chat completion, whole or as it is streamed: words, finish, usage; never what the words mean."""

from typing import Any

from quorate.model import Usage
from quorate.panelists import WordListener
from quorate.panelists.http.reply_fields import text_of, usage_from
from quorate.panelists.http.sse import Stream
from quorate.panelists.price import Price

__all__ = ["Chunks", "usage_of"]


class Chunks(Stream):
    """Puts a completion together from its server-sent events."""

    def __init__(self, overheard: WordListener, longest: int) -> None:
        super().__init__(overheard, longest)
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
                    self.think(text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning")))
                    self.hear(text_of(delta.get("content")))
            case _:
                pass
        return True

    def _whole(self, text: str) -> dict[str, Any]:
        message = {"content": text, "refusal": "".join(self._refusals)}
        return {**self._last, "choices": [{"message": message, "finish_reason": self._last.get("finish_reason")}]}


def usage_of(said: object, price: Price | None) -> Usage:
    """Tokens and money as far as they were said."""
    if not isinstance(said, dict):
        return Usage()
    return usage_from(said.get("prompt_tokens"), said.get("completion_tokens"), price, said.get("cost"))
