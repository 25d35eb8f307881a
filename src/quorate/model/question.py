"""What is put to the panel."""

from dataclasses import field
from typing import Literal

from quorate.frozen import dataclass
from quorate.model.texts import WORDS

Tier = Literal["strong", "related", "brief"]
"""How near an earlier decision is to a question, and so how much of it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """An earlier decision as seats are shown it: quoted, under a label that says how it stands. It decides nothing."""

    id: str
    tier: Tier
    label: str = field(metadata=WORDS)
    text: str = field(metadata=WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFile:
    """A file that was read as context, with its bytes; or one that was left out, and why."""

    name: str = field(metadata=WORDS)
    size: int = 0
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, what is known around it, the options to choose from and by what it is to be settled."""

    text: str = field(kw_only=False, metadata=WORDS)
    options: tuple[str, ...] = field(default=(), metadata=WORDS)
    context: str = field(default="", metadata=WORDS)
    criteria: str = field(default="", metadata=WORDS)
    # Not in its repr: that is part of the name under which a graph finds again what it began.
    precedents: tuple[Precedent, ...] = field(default=(), repr=False)
    files: tuple[ContextFile, ...] = field(default=(), repr=False)


Where = Literal["question", "context", "criteria", "option", "precedent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check noticed, where, and whether that is enough to turn the question away."""

    check: str
    turn_away: bool
    reason: str
    where: Where
