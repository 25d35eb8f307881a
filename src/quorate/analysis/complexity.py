"""How complex a question is, from 0 to 1: five counts over its words, weighted; the same text, the same number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.model import Question

__all__ = ["WEIGHTS", "Complexity", "complexity"]

WEIGHTS: Final[Mapping[str, tuple[Fraction, int]]] = MappingProxyType(
    {
        "question": (Fraction(30, 100), 60),
        "context": (Fraction(25, 100), 300),
        "clauses": (Fraction(15, 100), 8),
        "tensions": (Fraction(15, 100), 4),
        "options": (Fraction(15, 100), 4),
    }
)
"""By what is counted: what it weighs, and from how many on it counts in full."""

_WORD: Final = re.compile(r"[^\W_]+")
_CLAUSE: Final = re.compile(r"[.!?;:,\n]+(?:\s|\Z)|[\u3001\u3002\uff01\uff1b\uff1f]")
_TENSION: Final = re.compile(
    r"\b(?:if|unless|although|though|however|but|despite|while|whereas|versus|vs|instead|rather than|trade-?offs?|"
    r"depends?|either|otherwise|except|balance|conflict\w{0,4}|uncertain\w{0,3}|"
    r"wenn|falls|aber|jedoch|obwohl|sondern|si|mais|sauf|pero|aunque|salvo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """The score, and what was counted."""

    score: Fraction
    counts: tuple[tuple[str, int], ...]


def complexity(question: Question) -> Complexity:
    """The weighted sum of the counts, each capped where it counts in full."""
    asked = f"{question.text}\n{question.criteria}"
    whole = f"{asked}\n{question.context}"
    counts = {
        "question": len(_WORD.findall(asked)),
        "context": len(_WORD.findall(question.context)),
        "clauses": len(_CLAUSE.findall(asked.strip())),
        "tensions": len(_TENSION.findall(whole)),
        "options": len(question.options),
    }
    parts = (weight * min(Fraction(counts[name], full), Fraction(1)) for name, (weight, full) in WEIGHTS.items())
    return Complexity(score=sum(parts, Fraction(0)), counts=tuple(counts.items()))
