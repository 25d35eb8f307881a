"""Whether what came is what the page shows: chance and time do not count, and `…` stands for anything."""

import re
from collections.abc import Sequence
from difflib import unified_diff

ANYTHING = re.compile(r"…|\.\.\.")

SAME = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<salt>"),
    (re.compile(r"\b(?=[0-9a-z]*[a-z])[0-9a-z]{26}\b"), "<id>"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{12}\b"), "<mark>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "<day>"),
    (re.compile(r"\b\d+\.\d+ s\b"), "<number> s"),
    (re.compile(r'"seconds": \d+(?:\.\d+)?'), '"seconds": <number>'),
    (re.compile(r"(?<=\S) {2,}"), "  "),
)
"""What differs from run to run, and how both sides are written instead. Columns may shift with it."""

PASSING = re.compile(r"^\S.* is thinking: ")
"""Lines that only tell a person to wait."""


def plain(text: str) -> list[str]:
    """Lines as they are compared."""
    for pattern, instead in SAME:
        text = pattern.sub(instead, text)
    lines = [line.rstrip() for line in text.splitlines() if not PASSING.match(line)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def difference(expected: str, came: str) -> str:
    """What differs, as a diff; empty if nothing does."""
    wanted, got = plain(expected), plain(came)
    if wanted and all(_anything(line) for line in wanted):
        return "it expects nothing in particular; write at least one line that must be there"
    if matches(wanted, got):
        return ""
    return "\n".join(unified_diff(wanted, got, "the page", "what came", lineterm="", n=1))


def matches(wanted: Sequence[str], got: Sequence[str]) -> bool:
    """Whether lines fit, where a line of `…` stands for any number of them."""
    here, there, resume, taken = 0, 0, -1, 0
    while there < len(got):
        if here < len(wanted) and _anything(wanted[here]):
            resume, taken = here, there
            here += 1
        elif here < len(wanted) and fits(wanted[here], got[there]):
            here, there = here + 1, there + 1
        elif resume >= 0:
            taken += 1
            here, there = resume + 1, taken
        else:
            return False
    return all(_anything(line) for line in wanted[here:])


def fits(wanted: str, got: str) -> bool:
    """Whether a line fits, where `…` stands for any words in it."""
    first, *others = ANYTHING.split(wanted)
    if not others:
        return wanted == got
    if not got.startswith(first) or not got[len(first) :].endswith(others[-1]):
        return False
    at, end = len(first), len(got) - len(others[-1])
    for piece in others[:-1]:
        found = got.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end


def _anything(line: str) -> bool:
    return line.strip() in {"…", "..."}
