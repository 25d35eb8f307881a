"""What the chair orders next."""

from dataclasses import dataclass

from quorate.model.ask import Ask, Errand
from quorate.model.events import Event


@dataclass(frozen=True, slots=True)
class Write:
    """Put this on record."""

    event: Event


@dataclass(frozen=True, slots=True)
class Hear:
    """Put this ask to its seat, unless it is under way."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Run:
    """Run this errand, unless it is under way."""

    errand: Errand


@dataclass(frozen=True, slots=True)
class Adjourn:
    """Nothing is left to do."""


Step = Write | Hear | Run | Adjourn
