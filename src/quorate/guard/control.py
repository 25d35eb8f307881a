"""Control characters, which command a terminal or cut a text short, and halves of characters."""

from typing import Final

from quorate.guard import QUOTED, Finding, Where, code_points, parts
from quorate.model import Question
from quorate.model.once import lazy_pattern
from quorate.model.specs import CheckSpec


def check(question: Question) -> tuple[Finding, ...]:
    return tuple(finding for where, text in parts(question) for finding in check_text(text, where))


def check_text(text: str, where: Where) -> tuple[Finding, ...]:
    if text.isprintable():  # none of them is, and most questions are
        return ()
    found = "".join(sorted(set(COMMANDS.findall(text))))
    if not found:
        return ()
    harmless = where in QUOTED and not UNKEEPABLE.search(found)
    return (
        Finding(
            check="control",
            turn_away=not harmless,
            reason=f"it holds characters that are not text: {code_points(found)}",
            where=where,
        ),
    )


COMMANDS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""C0 without tab, line feed and return; delete; C1; lone surrogates, which nothing can store or send."""

UNKEEPABLE = lazy_pattern("[\x00\ud800-\udfff]")
"""What no store keeps and no endpoint takes. All else may well stand in a log or a page that is shown as context."""


SPEC: Final = CheckSpec(check=check)
