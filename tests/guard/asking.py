"""What the guard says of a question, in one word."""

from quorate.guard import examine
from quorate.model import Question


def answer(text: str, *, context: str = "", criteria: str = "", options: tuple[str, ...] = ()) -> str:
    findings = examine(Question(text=text, context=context, criteria=criteria, options=options))
    if any(finding.turn_away for finding in findings):
        return "turned away"
    return "caution" if findings else "allow"


def checks(text: str, *, context: str = "", options: tuple[str, ...] = ()) -> set[str]:
    return {finding.check for finding in examine(Question(text=text, context=context, options=options))}
