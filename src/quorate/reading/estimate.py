"""A seat's estimate: a number, between which two it most likely lies, confidence from 0 to 1 and why."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.model.ballot import Argument, Ballot, Estimate, Finish, Read
from quorate.model.numbers import exact
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.answer_file import read_number, read_reason
from quorate.reading.text.conflict import Answer, folded_words
from quorate.reading.text.doubt import stray_of
from quorate.reading.text.listed_options import abstains
from quorate.reading.text.marked_objects import ObjectForm, once, placeholder, written_reason
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.pattern import (
    WOULD_CHANGE,
    answer_line,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.unreadable import SAID
from quorate.reading.text.values import number_digits, of_one

_VALUE: Final = ("value", "estimate")
_FORM: Final = ObjectForm(
    keys=frozenset(_VALUE),
    missing="no_ballot",
    reasoned=True,
    stray=stray_of("value|estimate|low|high|decision|choice|option|outcome|answer|confidence|rationale|mark"),
    answer=lambda stated, _: Answer(differs=lambda text, _: _is_other(stated, text)),
    own=frozenset({"low", "high"}),
)
_NUMBERS: Final = frozenset({*_VALUE, "low", "high", "confidence"})
_UNKNOWN: Final = frozenset({"undetermined", "unknown", "no estimate", "cannot say"})
_NOTHING: Final = frozenset({"", "null", "none"})
"""What stands for a bound that is not given."""


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The estimate in a reply, or why there is none."""
    return _FORM.read(text, terms, finish, lambda part, cut: _ballot(part, cut=cut))


def _ballot(part: Object, *, cut: bool) -> Ballot | str:
    written = [once(part, *names) for names in (_VALUE, ("low",), ("high",), ("confidence",))]
    stated = [one for one in written if one is not None]
    if any(map(placeholder, stated)):
        return "placeholder"
    if part.state != "closed" or cut:
        return "cut_short"
    if len(stated) != len(written):
        return "duplicate"
    value, low, high, confidence = stated
    if not value or not confidence:
        return "incomplete"
    if _has_no_plain_number(part):
        return "bad_number"
    return _cast((value, low, high), of_one(confidence), written_reason(part))


def _is_other(stated: Ballot | Argument, text: str) -> bool:
    """Whether a text is another number, or says that there is none."""
    number = _number(text)
    if number is None:
        return folded_words(text) in _UNKNOWN or abstains(text)
    return isinstance(stated, Ballot) and isinstance(stated.vote, Estimate) and number != stated.vote.value


def _has_no_plain_number(part: Object) -> bool:
    """Whether a list or an object stands for a number, perhaps beside one: it is not left out, and it is none."""
    return any(name in _NUMBERS and value is None for name, value in part.members)


def _cast(numbers: tuple[str, str, str], confidence: Fraction | None, rationale: str) -> Ballot | str:
    value, low, high = (_number(one) for one in numbers)
    given = [one for one in numbers if fold_case(one) not in _NOTHING]
    stands = [one for one in (low, value, high) if one is not None]
    if value is None or confidence is None or len(stands) != len(given) or stands != sorted(stands):
        return "bad_number"
    return Ballot(vote=Estimate(value, low, high), confidence=confidence, rationale=rationale)


def _number(written: str) -> Fraction | None:
    return exact(number_digits(written))


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The estimate as providers can enforce it; the rationale comes first."""
    estimate: Mapping[str, object] = {
        "rationale": {"type": "string", "description": "How you come to your number, and what speaks against it."},
        "value": {"type": "number", "description": "Your number, in digits and without a unit."},
        "low": {"type": "number", "description": "It is hardly less than this."},
        "high": {"type": "number", "description": "It is hardly more than this."},
        "confidence": {"type": "number", "description": "How sure you are that it lies between them, 0 to 1."},
        "would_change": would_change_schema(),
    }
    return object_schema(terms.mark, estimate)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the estimate. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark), change=WOULD_CHANGE)


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the estimate alone."""
    said = _SAID.get(why) or SAID.get(why, "no estimate could be read in it")
    return _REPAIR.format(said=said, line=with_mark(_LINE, terms.mark))


def sample(terms: AnswerTerms) -> str:
    """An estimate that can be read."""
    stated = {"value": 12, "low": 10, "high": 15, "confidence": 0.5, "rationale": "as said"}
    return answer_line("BALLOT", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """An estimate of a file; a confidence may be left out there."""
    values = [fields[key] for key in _VALUE if key in fields]
    confidence = read_number(fields, "confidence")
    if len(values) != 1 or isinstance(confidence, str):
        return Read(unreadable="bad_number" if isinstance(confidence, str) else "duplicate" if values else "no_ballot")
    numbers = (_handed(values[0]), _handed(fields.get("low")), _handed(fields.get("high")))
    cast = _cast(numbers, Fraction(0) if confidence is None else confidence, read_reason(fields))
    if isinstance(cast, str):
        return Read(unreadable=cast)
    return _FORM.handed(fields, replace(cast, confidence=confidence), terms)


def _handed(value: object) -> str:
    """A number as it was handed over; what is neither left out nor a text is none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else "?"


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Estimate,
    states=("confidence",),
    from_file=from_file,
    example='[{"seat": "First", "value": 12, "low": 10, "high": 15, "confidence": 0.7, "rationale": "…"}]',
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_ballot": "there was no estimate in it",
        "placeholder": "it held a placeholder instead of a number",
        "incomplete": "its value or its confidence was missing",
        "bad_number": "a number could not be read, or low, value and high did not stand in this order",
        "unmarked": "its estimate did not bear the mark",
        "cut_short": "its estimate was cut short",
        "duplicate": "something stood in its estimate twice",
    }
)

_LINE: Final = (
    'BALLOT {{{mark}"value": <number>, "low": <number>, "high": <number>, "confidence": <number>, '
    '"rationale": <why, in quotes>, "would_change": <fact in quotes>}}'
)

_INSTRUCTIONS: Final = """\
First say how you come to your number and what speaks against it, in plain prose and in the language of the question. \
Then state it: one line, the last of your reply, on the pattern

{line}

with your own values where the pattern has angle brackets:
- value: your number, in digits and without a unit, in the unit the question asks for.
- low and high: between which two numbers it most likely lies, low not above value and high not below it. \
Leave both out if you cannot say.
- confidence: how sure you are that it lies between them, from 0 to 1.
- rationale: your main reason, in one to three sentences; put a backslash before any double quote in it. \
Others are shown it without your name, so name nobody.
{change}
Copy everything else as it stands, the mark included. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your estimate again and nothing else: one line on the pattern

{line}

All are numbers in digits; low is not above value, high is not below it, confidence is from 0 to 1. \
Copy the mark as it stands."""
