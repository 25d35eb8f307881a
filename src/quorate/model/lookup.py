"""What a seat asks to see before it answers, and under which terms it may."""

from dataclasses import field
from typing import Final, Literal

from quorate.frozen import dataclass
from quorate.model.texts import WORDS

__all__ = ["LOOK", "PER_REPLY", "Lookup", "LookupTerms"]

LOOK: Final = "look"
"""The kind of errand that runs what one reply asks to see."""
PER_REPLY: Final = 4
"""Lookups of one reply that are run at most; what else it asks for is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTerms:
    """Where seats may look, and how many replies to one ask may ask to see something instead of answering."""

    root: str
    replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """One thing to see: a file, what is in a folder, or where a text stands. `line` is where a file is read from."""

    kind: Literal["read", "list", "search"]
    path: str = field(default="", metadata=WORDS)
    text: str = field(default="", metadata=WORDS)
    line: int = 0
