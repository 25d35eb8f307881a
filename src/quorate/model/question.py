"""What is put to the panel."""

from dataclasses import dataclass, field
from typing import Literal

from quorate.model.texts import WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, what is known around it, the options to choose from and by what it is to be settled."""

    text: str = field(metadata=WORDS)
    options: tuple[str, ...] = field(default=(), metadata=WORDS)
    context: str = field(default="", metadata=WORDS)
    criteria: str = field(default="", metadata=WORDS)


Where = Literal["question", "context", "criteria", "option"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check noticed, where, and whether that is enough to turn the question away."""

    check: str
    turn_away: bool
    reason: str
    where: Where
