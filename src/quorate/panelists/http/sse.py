"""Server-sent events, one line at a time: whatever the format, a stream is put together as if it had come at once."""

from abc import ABC, abstractmethod
from typing import Any

from quorate.panelists import WordListener
from quorate.panelists.http.reply_fields import is_error, load_json, storable

__all__ = ["Stream"]


class Stream(ABC):
    """Hears events until the stream says that it is done, one of them cannot be read, or too much was written."""

    def __init__(self, overheard: WordListener, longest: int) -> None:
        """`longest` is how many characters it may write, thoughts included, before it is cut off."""
        self._overheard = overheard
        self._texts: list[str] = []
        self._lines: list[bytes] = []
        self._left = longest
        self._done = False
        self.whole = False
        """Whether the reply has said that it is complete; a stream may end before that."""
        self.broken = False
        """Whether an event could not be read: it may have been any word, so the reply is not to be believed."""
        self.several = False
        """Whether it brought more than one answer: which of them is meant, nobody can tell."""
        self.error: object = None
        self._error_event = False

    @property
    def cut(self) -> bool:
        """Whether it wrote more than it may."""
        return self._left < 0

    def line(self, line: bytes) -> bool:
        """Take in one line; false when nothing that follows matters."""
        if not line.startswith(b"data:"):
            self._error_event = self._error_event or line.replace(b" ", b"").strip() == b"event:error"
            return bool(line.strip()) or self._ended()
        event = line[5:].strip()
        if event == b"[DONE]":
            self.whole = True
            return False
        # Nearly every event stands on one line; one that does not is read when the empty line behind it comes.
        if self._lines or not self._read(event):
            self._lines.append(event)
        return self._goes_on()

    def _ended(self) -> bool:
        """An event is over: what was left of it must make sense together."""
        if self._lines:
            event = b"\n".join(self._lines)
            self._lines.clear()
            self.broken = (bool(event) and not self._read(event)) or self.broken
        return self._goes_on()

    def _read(self, event: bytes) -> bool:
        """Take in an event, if it can be read."""
        try:
            said = load_json(event)
        except (ValueError, RecursionError):
            return False
        if isinstance(said, dict):
            if self._error_event or is_error(said):
                self.error = said.get("error") or said or "error"
            self._done = not self._take(said)
        return isinstance(said, dict)

    def only(self, choices: object) -> dict[str, Any] | None:
        """The one choice in an event; none if there is none, or if it belongs to another than the first."""
        if not isinstance(choices, list) or not choices:
            return None
        if len(choices) == 1 and isinstance(choices[0], dict) and choices[0].get("index") in (0, None):
            return choices[0]
        self.several = True
        return None

    def _goes_on(self) -> bool:
        return not (self._done or self.broken or self.several or self.error or self.cut)

    def hear(self, words: str) -> None:
        """Keep words and let them be overheard."""
        if words:
            self._texts.append(words)
            self._left -= len(words)
            self._overheard(storable(words))

    def think(self, words: str) -> None:
        """Count thoughts, which are paid for too; the listener learns that the model writes, but not what."""
        if words:
            self._left -= len(words)
            self._overheard("")

    def completion(self) -> dict[str, Any] | None:
        """The same as if it had come at once, none if the stream broke off."""
        self._ended()
        if self.error or self._error_event:
            return {"error": self.error or "error"}
        if self.several:
            return {}
        return self._whole("".join(self._texts)) if (self.whole or self.cut) and not self.broken else None

    @abstractmethod
    def _take(self, said: dict[str, Any]) -> bool:
        """Take in one event; false if it is the last."""

    @abstractmethod
    def _whole(self, text: str) -> dict[str, Any]:
        """What was said, in the shape of a reply that comes at once."""
