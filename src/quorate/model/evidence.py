"""What a seat cites."""

from dataclasses import field
from fractions import Fraction
from typing import Literal

from quorate.frozen import dataclass
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
    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What a search found or an address held: whose words, how far its place is believed, and why.

    `digest` names the whole document's text, so that one text under many addresses is known to be one.
    """

    url: str = field(metadata=WORDS)
    title: str = field(default="", metadata=WORDS)
    text: str = field(default="", metadata=WORDS)
    category: Category = "domain_specific"
    credibility: Fraction = Fraction(1, 2)
    why: str = ""
    date: str = ""
    digest: str = ""
