"""What a seat cites."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from quorate.model.texts import WORDS

Category = Literal["official", "news", "social", "domain_specific", "fact_check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A source, the passage quoted from it, and how far it can be believed."""

    url: str = field(metadata=WORDS)
    title: str = field(default="", metadata=WORDS)
    quote: str = field(default="", metadata=WORDS)
    category: Category = "domain_specific"
    relevance: Fraction = Fraction(1)
    credibility: Fraction = Fraction(1, 2)
