"""A moderator's view of a debate: how settled it is from 0 to 1, where it leans, what is agreed and what is open."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice
from quorate.reading.text.answer_fields import AnswerFields, FormField
from quorate.reading.text.object_form import object_form
from quorate.reading.text.objects import fold_case
from quorate.reading.text.unreadable import ballot_reasons

BALANCED: Final = "balanced"
_FOR: Final[tuple[str, ...]] = ("for", "pro", "support", "supports", "proponent", "yes")
_AGAINST: Final[tuple[str, ...]] = ("against", "con", "oppose", "opposes", "opponent", "no")
SIDE_WORDS: Final[Mapping[str, str]] = MappingProxyType[str, str](
    {**dict.fromkeys(_FOR, "for"), **dict.fromkeys(_AGAINST, "against")}
)
"""What models call the two sides."""


def judge(fields: AnswerFields, _terms: AnswerTerms) -> Ballot | str:
    """A ballot that nobody counts: the side it leans to, and how settled the matter is."""
    confidence = fields.share("confidence")
    if confidence is None:
        return "bad_number"
    if fields.handed.get("claims"):  # a case of a file, not a view of one
        return "no_ballot"
    points = (("Agreed", fields.lines("agreed")), ("Open", fields.lines("open")))
    return Ballot(
        vote=Choice(SIDE_WORDS.get(fold_case(fields.text("leaning")), BALANCED)),
        confidence=confidence,
        rationale="\n".join(f"{title}: {'; '.join(lines)}" for title, lines in points if lines),
    )


_LINES: Final = {"type": "array", "items": {"type": "string"}}
_POINTS: Final = "[<point>, <point>]"

SPEC: Final = object_form(
    "ASSESSMENT",
    {
        "agreed": FormField(
            told="what both sides accept, a list of texts in double quotes.",
            sample=[],
            schema={**_LINES, "description": "What both sides accept."},
            required=False,
            pattern=_POINTS,
        ),
        "open": FormField(
            told="what is still in dispute, a list of texts in double quotes.",
            sample=["The cost"],
            schema={**_LINES, "description": "What is still in dispute."},
            required=False,
            pattern=_POINTS,
        ),
        "leaning": FormField(
            told="one of the words for, against, balanced.",
            sample=BALANCED,
            schema={"type": "string", "enum": ["for", "against", BALANCED]},
            required=False,
            aliases=("leans", "position"),
            pattern="<word>",
        ),
        "confidence": FormField(
            told=(
                "how settled the matter is, from 0 to 1. Close to 1 means that another round would bring nothing new; "
                "if important points are open, it is low."
            ),
            sample=0.5,
            schema={"type": "number", "description": "How settled the matter is, 0 to 1."},
            pattern="<number>",
            missing="no_confidence",
        ),
    },
    judge,
    vote=Choice,
    states=("confidence",),
    keys=("agreed", "open", "leaning", "confidence"),
    intro=(
        "First assess in plain prose, in the language of the question. Then write one line of JSON, the last of your "
        "reply,"
    ),
    noun="assessment",
    reasons=ballot_reasons("assessment"),
    optional_in_files=(),
    example='[{"seat": "Moderator", "round": 1, "confidence": 0.6}]',
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
