"""A conference vote: any option in a few words, confidence from 0 to 1, the rationale, and whether to go on."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice
from quorate.reading.text.answer_fields import CONFIDENCE_OR_NONE, REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.listed_options import abstains, listed_option, no_choice, option_names, told_options
from quorate.reading.text.object_form import object_form
from quorate.reading.text.objects import fold_case
from quorate.reading.text.unreadable import STILL_SPEECH, ballot_reasons

__all__ = ["ABSTAIN", "SPEC", "STILL_SPEECH", "also_abstains", "lacks_confidence"]

_NAMES: Final = ("option", "choice", "decision", "outcome")
_OPEN: Final = "what you are for, in a few clear words; no letter or number that stands for it."
_BY_NUMBER: Final = "the number of one of these, as a text; nothing else counts:\n{listed}"
_BY_NAME: Final = "one of these, as a text, word for word; nothing else counts:\n{listed}"


def judge(fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
    """The vote that these fields cast; without a list any words are an option."""
    truth = any(isinstance(fields.handed.get(name), bool) for name in _NAMES)  # in a file, which has types
    option, confidence = "" if truth else fields.text("option"), fields.share("confidence")
    abstained = abstains(option, terms.options)
    listed = listed_option(option, terms.options) if terms.options else option
    why = no_choice(option) or lacks_confidence(fields, abstained=abstained)
    why = why or ("" if listed is not None or abstained else "unknown_option")
    why = why or also_abstains(fields, abstained=abstained)
    if why:
        return why
    return Ballot(
        vote=Choice(listed or option),
        confidence=confidence,
        rationale=fields.text("rationale"),
        abstain=abstained,
        continue_debate=fold_case(fields.raw("continue_debate")) != "false",
    )


def lacks_confidence(fields: AnswerFields, *, abstained: bool) -> str:
    """Why it isn't said how sure a seat is; who abstains, and who votes in a file, need not say."""
    if fields.share("confidence") is not None:
        return ""
    if "confidence" in fields.values:
        return "bad_number"
    return "" if abstained or fields.part is None else "no_confidence"


def also_abstains(fields: AnswerFields, *, abstained: bool) -> str:
    """Why an option beside an abstention is none: nobody can tell which of the two is meant."""
    return "" if abstained or fields.flag("abstain") is False else "two_answers"


ABSTAIN: Final = FormField(required=False, aliases=("abstains", "abstained"))
"""What some models write besides; next to an option nobody can tell which of the two is meant."""


def _sample(terms: AnswerTerms) -> str:
    return next(iter(option_names(terms.options)), "something")


SPEC: Final = object_form(
    "VOTE:",
    {
        "option": FormField(
            told=lambda terms: told_options(terms.options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME),
            sample=_sample,
            schema=lambda terms: {"type": "string", **({"enum": option_names(terms.options)} if terms.options else {})},
            aliases=_NAMES[1:],
            pattern="<your choice>",
            missing="no_option",
        ),
        "confidence": CONFIDENCE_OR_NONE,
        "rationale": REASONING,
        "continue_debate": FormField(
            told=(
                "false when you are content to end here, true when another round could change something. When enough "
                "seats say false, the discussion ends."
            ),
            sample=True,
            schema={"type": "boolean", "description": "Whether another round would help."},
            required=False,
            pattern="<true or false>",
        ),
        "would_change": WOULD_CHANGE,
        "abstain": ABSTAIN,
    },
    judge,
    vote=Choice,
    states=("confidence",),
    shows=("abstain", "continue_debate"),
    intro=(
        "First speak, in plain prose and in the language of the question. Then vote: one line, the last of your reply,"
    ),
    outro='To abstain write "abstain" as the option.',
    noun="vote",
    missing="no_vote",
    still_speech=STILL_SPEECH,
    reasons=ballot_reasons("vote"),
    last=True,
    example=(
        '[{"seat": "Alpha", "option": "Use PostgreSQL", "confidence": 0.8, "rationale": "…", "continue_debate": false}]'
    ),
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
