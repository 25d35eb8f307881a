"""A text is too long to be put to a panel."""

from typing import Final

from quorate.guard import Finding, Where
from quorate.model import Question
from quorate.model.specs import CheckSpec


def check(question: Question, *, longest: int = 100_000, longest_context: int = 1_000_000) -> tuple[Finding, ...]:
    sizes: tuple[tuple[Where, str, int, int], ...] = (
        ("question", "question has", len(question.text), longest),
        ("context", "context has", len(question.context), longest_context),
        ("criteria", "criteria have", len(question.criteria), longest),
        ("option", "options together have", sum(map(len, question.options)), longest),
    )
    return tuple(
        Finding(
            check="length",
            turn_away=True,
            reason=f"the {what} {size:,} characters; at most {limit:,} are allowed",
            where=where,
        )
        for where, what, size, limit in sizes
        if size > limit
    )


SPEC: Final = CheckSpec(check=check)
