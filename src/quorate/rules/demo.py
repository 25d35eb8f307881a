"""A demo panel's answers carry no information, so it never approves."""

from quorate.model import Tally, Verdict


def cap(tally: Tally, verdict: Verdict, *, instead_of: str = "", means: str = "") -> Verdict | None:
    if not tally.demo or not tally.options:
        return None
    bold, careful = instead_of or tally.options[0], means or tally.options[1]
    if verdict.outcome != bold:
        return None
    because = f"this is a demo panel, which does not answer the question: what would be {bold} is {careful}"
    return Verdict.on(tally, careful, because, decided=False, review=True)
