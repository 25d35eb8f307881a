"""Whether what stands beside a vote names another option than the vote does."""

from fractions import Fraction
from typing import Final

from quorate.model.numbers import exact
from quorate.reading.text.conflict import Answer, affirms, denies, folded_words
from quorate.reading.text.listed_options import abstains, listed_option

__all__ = ["answer_of_options", "names_another"]

_MOST: Final = 8
"""Words of an option on no list; more of them are a sentence about one."""
_NOTHING: Final = frozenset({"", "null", "n a", "na"})
_AGREES: Final = frozenset(
    {"for", "pro", "agree", "agreed", "in favour", "in favor", "support", "confirm", "confirmed"}
)
_OPPOSES: Final = frozenset({"against", "con", "disagree", "oppose", "opposed", "reject", "rejected", "refuse", "veto"})
_NEGATIONS: Final = frozenset({"no", "not", "never", "without", "against", "don", "dont", "avoid", "reject"})


def answer_of_options(chosen: tuple[str, ...], options: tuple[str, ...]) -> Answer:
    """What contradicts a vote for these options: another option under a name for answers, or a no to one of them."""
    return Answer(differs=lambda text, place: place == "answer" and names_another(text, chosen, options), chosen=chosen)


def names_another(text: str, chosen: tuple[str, ...], options: tuple[str, ...]) -> bool:
    """Whether a text names another option than those that were chosen; a yes or a sentence about them names none."""
    listed = listed_option(text, options) if options else None
    if listed is not None:
        return listed not in chosen
    number = exact(text)
    if number is not None:
        return _is_other_number(number, chosen)
    words = folded_words(text)
    if words in {*_NOTHING, *_AGREES, *map(folded_words, chosen)} or affirms(text):
        return False
    if denies(text) or words in _OPPOSES or abstains(text, options):
        return True
    return _names_listed(words, chosen, options) if options else _is_unlike(words, chosen)


def _is_other_number(number: Fraction, chosen: tuple[str, ...]) -> bool:
    """Whether numbers were chosen, and not this one."""
    numbers = [value for one in chosen if (value := exact(one)) is not None]
    return bool(numbers) and number not in numbers


def _names_listed(words: str, chosen: tuple[str, ...], options: tuple[str, ...]) -> bool:
    """Whether a sentence names options of the list, and none of those that were chosen."""
    named = [option for option in options if f" {folded_words(option)} " in f" {words} "]
    return bool(named) and not any(option in chosen for option in named)


def _is_unlike(words: str, chosen: tuple[str, ...]) -> bool:
    """Whether a few words are another option than any of these: neither says the other and a little more."""
    said = frozenset(words.split())
    return len(said) <= _MOST and not any(_is_more(said, frozenset(folded_words(one).split())) for one in chosen)


def _is_more(said: frozenset[str], option: frozenset[str]) -> bool:
    return (said <= option or option <= said) and _NEGATIONS.isdisjoint(said ^ option)
