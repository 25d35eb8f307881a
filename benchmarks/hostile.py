"""How long the reader takes for replies that were written to keep it busy: 1 MiB each, in every form."""

from collections.abc import Iterator, Sequence
from time import process_time
from typing import Final

from benchmarks.table import Row
from quorate import catalogue
from quorate.model.ask import AnswerTerms

__all__ = ["MARK", "MEBIBYTE", "SHAPES", "hostile", "repeated"]

MEBIBYTE: Final = 1 << 20
GOAL: Final = 50
SHORT: Final = 0.005
"""Seconds below which twice as long says nothing."""
MARK: Final = "a1b2c3d4e5f6"
_BALLOT: Final = f'BALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "so"}}\n'
SHAPES: Final = (
    *("{", "}", '"', "'", "\\", "[", ">", "`", "\n", " ", "-", "“", "\u200b", "é{", "\ud800"),
    *('{"a":', '{"a":"', '{"a":1,', '{"a":1}', '{"a":[', '{"a":"\\', '{"a":",“', "{'a':'x',", '{"a":"b" ', "{“", "{//"),
    *("VOTE:{", "{/*", "/*", "{#{\n", "{a:1 ", "**BALLOT ", "```\n{", '> {"decision":1}', MARK, "I cannot "),
    *("\uff1c", "\uff1cthink\uff1e"),
    *("<think>", "</think>", "<think></think>", "[THINK]", "<|channel|>", "<|start|>", "<", "< think"),
    *("Decision: ACT\n", "risk:1\nconfidence:1\n", '{"decision":"ACT","decision":', _BALLOT, f'{{"a":"{_BALLOT}'),
)
"""What a hostile reply says over and over."""
_LINES: Final = "Decision: ACT\nConfidence: 80\nRisk: 20\n"
_BEHIND: Final = ("\n", "a ", "a: b\n", "it is so\n", "deny\n", "é")
"""What it says behind a ballot that can be read, or behind lines that are one."""


def repeated(shape: str, size: int = MEBIBYTE, before: str = "") -> str:
    """A reply of so many characters."""
    return (before + shape * (size // len(shape) + 1))[:size]


def hostile(forms: Sequence[str], runs: int) -> Sequence[Row]:
    """The slowest of all replies in these forms, and how much longer any of them takes than half of it does."""
    measured = [_seconds(form, text, runs) for form in forms for text in _replies(form)]
    slow = [whole / half for whole, half in measured if whole > SHORT] or [1.0]
    worst = max(whole for whole, _ in measured) * 1000
    name = f"slowest of {len(measured)} hostile replies of 1 MiB"
    return (
        Row(name=name, measured=worst, unit="ms", goal=GOAL),
        Row(name="hostile replies: time of twice the text, at most", measured=max(slow), unit="×", goal=2.5),
    )


def _replies(form: str) -> Iterator[str]:
    own = catalogue.form(form).sample(AnswerTerms(mark=MARK))
    for shape in (*SHAPES, own, f"> {own}\n"):
        yield repeated(shape)
    for before in (_BALLOT, _LINES, own):
        for shape in _BEHIND:
            yield repeated(shape, before=before)


def _seconds(form: str, text: str, runs: int) -> tuple[float, float]:
    """The least CPU time that it takes, and that half of it takes."""
    halved = text[: len(text) // 2]
    return min(_once(form, text) for _ in range(runs)), min(_once(form, halved) for _ in range(runs))


def _once(form: str, text: str) -> float:
    began = process_time()
    catalogue.form(form).read(text, AnswerTerms(mark=MARK), "stop")
    return process_time() - began
