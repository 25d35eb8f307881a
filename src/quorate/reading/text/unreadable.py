"""Why a reply could not be read, in a word, and as the repair question says it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Why = Literal[
    "empty",
    "thinking_only",
    "placeholder",
    "refusal",
    "filter",
    "lookup",
    "no_ballot",
    "no_vote",
    "no_option",
    "no_argument",
    "no_claim",
    "unknown_option",
    "unmarked",
    "incomplete",
    "bad_decision",
    "bad_number",
    "duplicate",
    "ambiguous",
    "contradicted",
    "also_vetoed",
    "also_abstained",
    "also_refused",
    "two_answers",
    "cut_short",
    "overfull",
]

CONFLICT_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        "also_vetoed": "its object states an answer and a veto; state only one of them",
        "also_abstained": "its object states an answer and an abstention; state only one of them",
        "also_refused": "its object states an answer and refuses or withdraws it; state only one of them",
        "two_answers": "its object states two answers that differ; state one",
    }
)
"""How a reply contradicts itself in one object, whatever its form."""

SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty": "it was empty",
        "thinking_only": "it held nothing but private thinking",
        "placeholder": "it held a placeholder instead of an answer",
        "refusal": "it declined to answer; if that is your decision, state it as a ballot",
        "filter": "it was withheld by a filter",
        "lookup": "it asked to look something up, and nothing more can be",
        "no_ballot": "there was no ballot in it",
        "unmarked": "its ballot did not bear the mark",
        "incomplete": "its ballot lacked the decision, the confidence or the risk",
        "bad_decision": "the decision was not one of the words",
        "bad_number": "confidence or risk was not a number from 0 to 100",
        "duplicate": "something stood in its ballot twice",
        "ambiguous": "it held several ballots that differ",
        "contradicted": "words after its ballot say the opposite",
        **CONFLICT_SAID,
        "cut_short": "its ballot was cut short",
        "overfull": "it held far too much besides the ballot",
    }
)
