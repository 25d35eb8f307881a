"""Nothing is asked: the question, or an option, is blank or made of invisible characters only."""

from typing import Final
from unicodedata import category

from quorate.guard import Finding
from quorate.model import Question
from quorate.model.specs import CheckSpec


def check(question: Question) -> tuple[Finding, ...]:
    found: list[Finding] = []
    if not any(map(visible, question.text)):
        found.append(Finding(check="empty", turn_away=True, reason="the question is blank", where="question"))
    if not all(any(map(visible, option)) for option in question.options):
        found.append(Finding(check="empty", turn_away=True, reason="an option is blank", where="option"))
    return tuple(found)


def visible(char: str) -> bool:
    """Whether a reader would see anything of it, standing alone."""
    return category(char) not in UNSEEN and char not in BLANKS


UNSEEN = frozenset({"Cc", "Cf", "Cn", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"})

BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that are drawn as nothing: Hangul fillers, the empty Braille cell."""


SPEC: Final = CheckSpec(check=check)
