"""Pure. May this question be put at all? One check, one file.

A question is allowed, admitted with cautions, or turned away with the reasons; it is never altered.
What is asked (question, criteria) is spoken in the asker's own name and is held to the letter.
What is only shown (context, options, precedents) is material: it may well quote an attack, so there a check warns
where it would otherwise turn away, unless what it found cannot be there for any honest reason.
A context or precedent is never turned away for its wording: logs, diffs and prompts are what is to be judged.
The guard is no wall: containment is (fences, marks, powers). It keeps out what is plainly not a question.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.model.question import Finding, Question, Where

__all__ = [
    "LATIN_LOOKALIKES",
    "MATERIAL",
    "QUOTED",
    "Finding",
    "Where",
    "check_size",
    "code_points",
    "examine",
    "parts",
]

MATERIAL: Final[frozenset[Where]] = frozenset({"context", "option", "precedent"})
QUOTED: Final[frozenset[Where]] = frozenset({"context", "precedent"})


def examine(question: Question) -> tuple[Finding, ...]:
    """Run every check there is, in the order of their names; nothing found is a question allowed.

    What is too long is not looked at any further: that could take minutes, and it is turned away in any case.
    """
    if too_long := check_size(question):
        return too_long
    others = (name for name in catalogue.names("check") if name != _SIZE)
    found = (finding for name in others for finding in catalogue.check(name).check(question))
    return tuple(dict.fromkeys(found))


_SIZE: Final = "length"


def check_size(question: Question) -> tuple[Finding, ...]:
    """What of a question is longer than can be put."""
    return tuple(catalogue.check(_SIZE).check(question))


def parts(question: Question) -> Iterator[tuple[Where, str]]:
    """Every text of a question that is not empty, with its place."""
    if question.text:
        yield "question", question.text
    if question.context:
        yield "context", question.context
    if question.criteria:
        yield "criteria", question.criteria
    for option in filter(None, question.options):
        yield "option", option
    for one in question.precedents:
        for text in filter(None, (one.label, one.text)):
            yield "precedent", text


def code_points(characters: str) -> str:
    """Name characters without showing them: the first three, in order."""
    points = sorted(map(ord, set(characters)))
    return ", ".join(f"U+{point:04X}" for point in points[:3]) + (" and more" if len(points) > 3 else "")  # noqa: PLR2004


LATIN_LOOKALIKES: Final[Mapping[int, int]] = MappingProxyType(
    str.maketrans(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u0432\u043a\u043c\u043d\u0442"
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u04ae\u051a\u051c"
        "\u03bf\u03b9\u03bd\u03c1\u03c5\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
        "aeopcyxijsdqwhbkmhtABEKMHOPCTYXIJSYQWoivpuABEZHIKMNOPTYX",
    )
)
"""Cyrillic and Greek letters that a reader takes for Latin ones."""
