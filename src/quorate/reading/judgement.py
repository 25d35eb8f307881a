"""A judge's marks for two sides it knows as A and B: evidence and logic, each from 0 to 1."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.model.ballot import Argument, Ballot, Choice, Finish, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.conflict import Answer, folded_words
from quorate.reading.text.marked_objects import ObjectForm, once
from quorate.reading.text.objects import Object
from quorate.reading.text.pattern import answer_line, object_schema, with_mark
from quorate.reading.text.unreadable import CONFLICT_SAID
from quorate.reading.text.values import of_one

MARKS: Final = ("a_evidence", "a_logic", "b_evidence", "b_logic")
_FORM: Final = ObjectForm(
    keys=frozenset({*MARKS, *(name.replace("_", "-") for name in MARKS), *(n.replace("_", " ") for n in MARKS)}),
    missing="no_ballot",
    answer=lambda stated, _: Answer(differs=lambda text, _: _names_other(stated, text)),
)


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The four marks in a reply, as shares of a ballot that nobody counts, or why there are none."""
    return _FORM.read(text, terms, finish, lambda part, cut: _ballot(part, cut=cut))


def _ballot(part: Object, *, cut: bool) -> Ballot | str:
    if part.state != "closed" or cut:
        return "cut_short"
    written = [once(part, name, name.replace("_", "-"), name.replace("_", " ")) for name in MARKS]
    if None in written:
        return "duplicate"
    stated = [one for one in written if one]
    return _marked(stated) if len(stated) == len(MARKS) else "incomplete"


def _marked(stated: list[str]) -> Ballot | str:
    """The ballot of four marks as they are written, or why they are none."""
    marks = [number for one in stated if (number := of_one(one)) is not None]
    if len(marks) != len(MARKS):
        return "placeholder" if any(one.startswith("<") for one in stated) else "bad_number"
    return Ballot(vote=Choice(_ahead(marks)), shares=tuple(zip(MARKS, marks, strict=True)))


def _names_other(stated: Ballot | Argument, text: str) -> bool:
    """Whether a text names a side that is not the one ahead."""
    named = folded_words(text).removeprefix("side ").upper()
    return isinstance(stated, Ballot) and named in {"A", "B"} and named != stated.choice


def _ahead(marks: list[Fraction]) -> str:
    a, b = marks[0] * marks[1], marks[2] * marks[3]
    return "even" if a == b else "A" if a > b else "B"


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The marks as providers can enforce them; the reasons come first."""
    reasons = {"type": "string", "description": "What is strong and weak on either side."}
    marks = {name: {"type": "number", "description": "0 to 1."} for name in MARKS}
    return object_schema(terms.mark, {"reasons": reasons, **marks})


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the marks. Echoed as they stand, they are none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the marks alone."""
    return _REPAIR.format(said=_SAID.get(why, "no marks could be read in it"), line=with_mark(_LINE, terms.mark))


def sample(terms: AnswerTerms) -> str:
    """Marks that can be read, the same for both."""
    return answer_line("JUDGEMENT", terms.mark, dict.fromkeys(MARKS, 0.5))


SPEC: Final = FormSpec(read=read, instructions=instructions, repair=repair, schema=schema, sample=sample, vote=Choice)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CONFLICT_SAID,
        "no_ballot": "there were no marks in the wanted form",
        "unmarked": "its marks did not bear the code",
        "placeholder": "it held a placeholder instead of a number",
        "incomplete": "one of the four numbers was missing",
        "bad_number": "a mark was not a number from 0 to 1",
        "duplicate": "a mark stood in it twice",
        "cut_short": "it was cut short; write less",
    }
)

_LINE: Final = (
    'JUDGEMENT {{{mark}"a_evidence": <number>, "a_logic": <number>, "b_evidence": <number>, "b_logic": <number>}}'
)

_INSTRUCTIONS: Final = """\
First say in plain prose, in the language of the question, what is strong and what is weak on either side. \
Then write one line of JSON, the last of your reply, on the pattern

{line}

with your own numbers, each from 0 to 1, where the pattern has angle brackets:
- evidence: how good the evidence of that side is. logic: how consistent its reasoning is and how well it answers.
Copy everything else as it stands, the mark included. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your marks again and nothing else: one line of JSON on the pattern

{line}

All four are numbers from 0 to 1. Copy the mark as it stands."""
