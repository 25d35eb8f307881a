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
    "no_confidence",
    "no_risk",
    "unknown_option",
    "unmarked",
    "other_mark",
    "quoted",
    "incomplete",
    "bad_decision",
    "bad_number",
    "duplicate",
    "ambiguous",
    "contradicted",
    "two_answers",
    "cut_short",
    "overfull",
]


def ballot_reasons(noun: str) -> Mapping[str, str]:
    """Why an answer is none, in a sentence, for what an answer of this form is called."""
    return MappingProxyType(
        {
            "empty": "it was empty",
            "thinking_only": "it held nothing but private thinking",
            "placeholder": "it held a placeholder instead of an answer",
            "refusal": f"it declined to answer; if that is your decision, state it as a {noun}",
            "filter": "it was withheld by a filter",
            "lookup": "it asked to look something up, and nothing more can be",
            "no_ballot": f"there was no {noun} in it",
            "no_vote": f"there was no {noun} in it",
            "no_argument": f"there was no {noun} in it",
            "no_option": f"its {noun} named no option",
            "no_claim": "it claimed nothing",
            "no_confidence": f"its {noun} did not say how sure you are",
            "no_risk": f"its {noun} did not say the risk",
            "unknown_option": f"its {noun} named something that is not on the list",
            "unmarked": f"its {noun} did not bear the mark",
            "other_mark": f"its {noun} bore the mark of another seat",
            "quoted": f"its {noun} stands in what you were shown; write your own",
            "incomplete": f"its {noun} lacked a part",
            "bad_decision": f"its {noun} did not decide for one of the listed words",
            "bad_number": f"a number in its {noun} was missing or out of range",
            "duplicate": f"something stood in its {noun} twice",
            "ambiguous": f"its {noun} could be read in two ways",
            "contradicted": "words around it refuse",
            "two_answers": f"it stated two different decisions; cast one {noun}",
            "cut_short": f"its {noun} was cut off; write less",
            "overfull": f"it held far too much besides the {noun}",
        }
    )


SAID: Final[Mapping[str, str]] = ballot_reasons("ballot")

STILL_SPEECH: Final = frozenset(
    {
        *("no_vote", "no_ballot", "no_option", "unknown_option", "unmarked", "other_mark", "quoted", "incomplete"),
        *("no_confidence", "bad_number", "duplicate", "two_answers", "contradicted"),
    }
)
"""Without a ballot for one of these reasons, a reply is a speech all the same."""
