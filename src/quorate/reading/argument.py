"""One side's case in a debate: claims, the evidence for them, and confidence from 0 to 1."""

from types import MappingProxyType
from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Argument, Side
from quorate.reading.text.answer_fields import CONFIDENCE, AnswerFields, FormField
from quorate.reading.text.object_form import object_form
from quorate.reading.text.unreadable import ballot_reasons


def judge(fields: AnswerFields, terms: AnswerTerms) -> Argument | str:
    """The case for the side that the options name, pro or con."""
    side: Side = "con" if terms.options == ("con",) else "pro"
    claims, confidence = fields.lines("claims"), fields.share("confidence")
    if not claims:
        return "no_claim"
    if confidence is None:
        return "bad_number"
    return Argument(side=side, claims=claims, evidence=fields.lines("evidence"), confidence=confidence)


_LINES: Final = {"type": "array", "items": {"type": "string"}}

SPEC: Final = object_form(
    "ARGUMENT",
    {
        "claims": FormField(
            told=(
                "what you claim, one sentence each, at most six, the strongest first. Answer what was put to you in "
                "them."
            ),
            sample=["It works"],
            schema={**_LINES, "description": "What you claim, one sentence each, the strongest first."},
            aliases=("claim", "points", "arguments"),
            pattern="[<claim>, <claim>]",
            missing="no_claim",
        ),
        "evidence": FormField(
            told=(
                "what supports it, one piece each. A passage from the material above, word for word and in quotation "
                "marks, counts most; then a source that can be looked up, a figure, a name, an example. A bare "
                "assertion counts least. Invent nothing: a passage that is not in the material counts against you."
            ),
            sample=["It took 3 hours"],
            schema={**_LINES, "description": "What supports it: quotations, sources, figures, names, examples."},
            required=False,
            aliases=("supporting_evidence", "sources", "support"),
            pattern="[<piece>, <piece>]",
        ),
        "confidence": CONFIDENCE,
    },
    judge,
    vote=None,
    states=("confidence",),
    intro=(
        "First argue in plain prose, in the language of the question. Then write down your case: one line of JSON, the "
        "last of your reply,"
    ),
    outro="Put a backslash before a double quote inside a text.",
    noun="case",
    missing="no_argument",
    reasons=MappingProxyType(
        {
            **ballot_reasons("case"),
            "refusal": "it declined to answer; you are asked for the best honest case for one side, not for your own "
            "view",
        }
    ),
    optional_in_files=(),
    example=(
        '[{"seat": "Proponent", "round": 1, "claims": ["…"], "evidence": ["…"], "confidence": 0.8}, '
        '{"seat": "Moderator", "round": 1, "confidence": 0.6}]'
    ),
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
