"""Events in plain JSON types, for whoever shows, passes on or compares them; their hashed form is `serde`'s."""

from typing import Any

from quorate.ledger.event_writers import write_event
from quorate.model import Event
from quorate.model.texts import is_forgotten

__all__ = ["count_forgotten", "plain", "wordless"]


def plain(event: Event) -> dict[str, Any]:
    """Write an event with its words in place."""
    return write_event(event, str)


def wordless(event: Event) -> dict[str, Any]:
    """Write an event without its words, to compare what is left when they are gone."""
    return write_event(event, _blank)


def _blank(_text: str) -> str:
    return ""


def count_forgotten(event: Event) -> tuple[int, int]:
    """How many words of an event have been forgotten, and how many are there."""
    gone: list[bool] = []

    def keep(text: str) -> str:
        gone.append(is_forgotten(text))
        return ""

    write_event(event, keep)
    return sum(gone), len(gone) - sum(gone)
