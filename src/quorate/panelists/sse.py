"""Server-sent events, one line at a time: whatever the format, a stream is put together as if it had come at once."""

import json
from abc import ABC, abstractmethod
from typing import Any

from quorate.panelists import Overheard
from quorate.panelists.words import storable

__all__ = ["Stream"]


class Stream(ABC):
    """Hears events until the stream says that it is done; what is no JSON object is passed over."""

    def __init__(self, overheard: Overheard) -> None:
        self._overheard = overheard
        self._texts: list[str] = []
        self.whole = False
        """Whether the reply has said that it is complete; a stream may end before that."""
        self.error: object = None

    def line(self, line: bytes) -> bool:
        """Take in one line; false when the stream has said that it is done."""
        if not line.startswith(b"data:"):
            return True
        event = line[5:].strip()
        if event == b"[DONE]":
            self.whole = True
            return False
        try:
            said = json.loads(event)
        except (ValueError, RecursionError):
            return True
        return not isinstance(said, dict) or (self._take(said) and not self.error)

    def hear(self, words: str) -> None:
        """Keep words and let them be overheard."""
        if words:
            self._texts.append(words)
            self._overheard(storable(words))

    def completion(self) -> dict[str, Any] | None:
        """The same as if it had come at once, none if the stream broke off."""
        if self.error:
            return {"error": self.error}
        return self._whole("".join(self._texts)) if self.whole else None

    @abstractmethod
    def _take(self, said: dict[str, Any]) -> bool:
        """Take in one event; false if it is the last."""

    @abstractmethod
    def _whole(self, text: str) -> dict[str, Any]:
        """What was said, in the shape of a reply that comes at once."""
