"""What a model charges, as a value."""

from fractions import Fraction
from typing import Final

from quorate.frozen import dataclass

__all__ = ["FREE", "Price"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for one token asked and for one answered."""

    asked: Fraction
    answered: Fraction

    @classmethod
    def per_million(cls, asked: str, answered: str) -> "Price":
        """A price as it is published: dollars for a million tokens, in digits."""
        return cls(asked=Fraction(asked) / 1_000_000, answered=Fraction(answered) / 1_000_000)

    def of(self, asked: int, answered: int) -> Fraction:
        """What so many tokens cost."""
        one, other = self.asked, self.answered
        under = one.denominator * other.denominator
        # Reduced once, not thrice: this is done several times a call.
        return Fraction(one.numerator * other.denominator * asked + other.numerator * one.denominator * answered, under)


FREE: Final = Price(asked=Fraction(0), answered=Fraction(0))
