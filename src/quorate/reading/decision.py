"""A tribunal ballot: ACT, WARN, REFUSE or VETO, with confidence and risk from 0 to 100 and the reasoning."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice
from quorate.reading.text.answer_fields import CONDITIONS, REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.object_form import object_form
from quorate.reading.text.own_words import Stated

STATES: Final = ("confidence", "risk")
_WORDS: Final = ("ACT", "WARN", "REFUSE", "VETO")
_REFUSALS: Final = frozenset({"REFUSE", "VETO"})

REFUSALS: Final = frozenset(
    {
        *("do not act", "don't act", "do not go ahead", "don't go ahead", "do not proceed", "don't proceed"),
        *("i refuse", "i refuse to do this", "i refuse this", "i veto", "i veto this", "i reject this", "i decline"),
        *("i would not", "i would not do this", "i would not act", "i would not go ahead", "i would not proceed"),
        *("i can't approve this", "i cannot approve this", "i do not approve this", "i don't approve this"),
        *("i take this back", "i withdraw this", "i withdraw my ballot", "i retract this", "this must not happen"),
    }
)
"""Sentences around an unmarked ballot for ACT that take it back."""


def judge(fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
    """The ballot that these fields cast. A veto of a seat is stated as the word, or beside REFUSE."""
    word = fields.raw("decision").upper() if fields.raw("decision").isascii() else ""
    confidence, risk = (fields.percentage(name) for name in STATES)
    vetoes = fields.flag("veto")
    if why := _flaw(word, fields, terms):
        return why
    return Ballot(
        vote=Choice((terms.options or _WORDS[:3])[-1] if word == "VETO" else word),
        confidence=confidence and confidence[0],
        risk=risk and risk[0],
        rationale=fields.text("reasoning"),
        veto=word == "VETO" or vetoes is True,
    )


def _flaw(word: str, fields: AnswerFields, terms: AnswerTerms) -> str:
    if word not in {*_WORDS, *terms.options}:
        return "bad_decision"
    if word not in _REFUSALS and fields.flag("veto") is not False:
        return "two_answers"
    return "bad_number" if any(name in fields.values and not fields.percentage(name) for name in STATES) else ""


def _scales(fields: AnswerFields) -> tuple[str, ...]:
    return ("scale",) if any(number and number[1] for number in map(fields.percentage, STATES)) else ()


def _acts(stated: Stated) -> bool:
    return isinstance(stated, Ballot) and stated.choice == "ACT"


def counts_at_once(stated: Stated, terms: AnswerTerms) -> bool:
    """Whether this ballot, in place of the seat's silence, can make no outcome bolder, whatever the others cast.

    Silence of a seat that holds the veto holds ACT back, so only its veto is as careful.
    """
    refuses = isinstance(stated, Ballot) and stated.choice == "REFUSE" and stated.veto == terms.veto
    return terms.at_once and refuses


def _told(terms: AnswerTerms) -> str:
    veto = ", VETO (it must not happen, whatever the others say; yours alone to use, for grave harm)"
    return (
        "one of the words ACT (go ahead as asked), WARN (go ahead only with the concerns you name), "
        f"REFUSE (do not go ahead){veto if terms.veto else ''}."
    )


SPEC: Final = object_form(
    "BALLOT",
    {
        "decision": FormField(
            told=_told,
            sample="WARN",
            schema={"type": "string", "enum": list(_WORDS)},
            aliases=("choice", "option", "outcome"),
            pattern="<word>",
            missing="bad_decision",
        ),
        "confidence": FormField(
            told="how sure you are of that decision, a number from 0 to 100.",
            sample=50,
            schema={"type": "integer", "description": "How sure you are of the decision, 0 to 100."},
            pattern="<number>",
            missing="no_confidence",
        ),
        "risk": FormField(
            told="how much harm going ahead could do, a number from 0 to 100.",
            sample=50,
            schema={"type": "integer", "description": "How much harm acting could do, 0 to 100."},
            pattern="<number>",
            missing="no_risk",
        ),
        "reasoning": REASONING,
        "conditions": CONDITIONS,
        "would_change": WOULD_CHANGE,
        "veto": FormField(required=False, aliases=("vetoes", "vetoed", "is_veto")),
    },
    judge,
    vote=Choice,
    states=STATES,
    intro=(
        "First give your reasoning in plain prose, in the language of the question. Then cast your ballot: one line of "
        "JSON, the last line of your reply,"
    ),
    outro="Cast one ballot, your own.",
    noun="ballot",
    notices=_scales,
    example='[{"seat": "Safety", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "…"}]',
    lines=True,
    careful=lambda stated: not _acts(stated),
    at_once=counts_at_once,
    approves=_acts,
    refusals=REFUSALS,
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
