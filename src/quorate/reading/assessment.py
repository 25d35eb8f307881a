"""A moderator's view of a debate: how settled it is from 0 to 1, where it leans, what is agreed and what is open."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.ballot import Ballot, Choice, Finish, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.marked_objects import ObjectForm, once, texts_under
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.pattern import answer_line, object_schema, with_mark
from quorate.reading.text.side_words import SIDE_WORDS, answer_of_side
from quorate.reading.text.unreadable import CONFLICT_SAID
from quorate.reading.text.values import of_one, prose

_LEANING: Final = ("leaning", "leans", "position")
_FORM: Final = ObjectForm(
    keys=frozenset({*_LEANING, "agreed", "open", "confidence"}),
    missing="no_ballot",
    answer=lambda stated, _: answer_of_side(stated.choice if isinstance(stated, Ballot) else ""),
)
BALANCED: Final = "balanced"


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The assessment in a reply as a ballot that nobody counts, or why there is none."""
    return _FORM.read(text, terms, finish, lambda part, cut: _ballot(part, cut=cut))


def _ballot(part: Object, *, cut: bool) -> Ballot | str:
    if part.state != "closed" or cut:
        return "cut_short"
    stated, leaning = once(part, "confidence"), once(part, *_LEANING)
    if stated is None or leaning is None:
        return "duplicate"
    if not stated:
        return "incomplete"
    confidence = of_one(stated)
    if confidence is None:
        return "placeholder" if stated.startswith("<") else "bad_number"
    points = (("Agreed", texts_under(part, "agreed")), ("Open", texts_under(part, "open")))
    return Ballot(
        vote=Choice(SIDE_WORDS.get(fold_case(prose(leaning)), BALANCED)),
        confidence=confidence,
        rationale="\n".join(f"{title}: {'; '.join(lines)}" for title, lines in points if lines),
    )


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The assessment as providers can enforce it."""
    lines = {"type": "array", "items": {"type": "string"}}
    view: Mapping[str, object] = {
        "agreed": {**lines, "description": "What both sides accept."},
        "open": {**lines, "description": "What is still in dispute."},
        "leaning": {"type": "string", "enum": ["for", "against", BALANCED]},
        "confidence": {"type": "number", "description": "How settled the matter is, 0 to 1."},
    }
    return object_schema(terms.mark, view)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the assessment. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the assessment alone."""
    return _REPAIR.format(said=_SAID.get(why, "no assessment could be read in it"), line=with_mark(_LINE, terms.mark))


def sample(terms: AnswerTerms) -> str:
    """An assessment that can be read: half settled, leaning nowhere."""
    stated = {"agreed": [], "open": ["The cost"], "leaning": BALANCED, "confidence": 0.5}
    return answer_line("ASSESSMENT", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """An assessment of a file."""
    confidence = of_one(str(fields.get("confidence", "")))
    if confidence is None:
        return Read(unreadable="bad_number" if "confidence" in fields else "incomplete")
    if fields.get("claims"):
        return Read(unreadable="no_ballot")
    ballot = Ballot(vote=Choice(str(fields.get("leaning", BALANCED))), confidence=confidence)
    return _FORM.handed(fields, ballot, terms)


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Choice,
    states=("confidence",),
    from_file=from_file,
    example='[{"seat": "Moderator", "round": 1, "confidence": 0.6}]',
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CONFLICT_SAID,
        "no_ballot": "there was no assessment in the wanted form",
        "unmarked": "its assessment did not bear the mark",
        "placeholder": "it held a placeholder instead of a number",
        "incomplete": "it did not say how settled the matter is",
        "bad_number": "confidence was not a number from 0 to 1",
        "duplicate": "something stood in it twice",
        "cut_short": "it was cut short; write less",
    }
)

_LINE: Final = (
    'ASSESSMENT {{{mark}"agreed": [<point>, <point>], "open": [<point>, <point>], '
    '"leaning": <word>, "confidence": <number>}}'
)

_INSTRUCTIONS: Final = """\
First assess in plain prose, in the language of the question. Then write one line of JSON, the last of your reply, \
on the pattern

{line}

with your own values where the pattern has angle brackets, every text in double quotes:
- agreed: what both sides accept. open: what is still in dispute.
- leaning: one of the words for, against, balanced.
- confidence: how settled the matter is, from 0 to 1. Close to 1 means that another round would bring nothing new; \
if important points are open, it is low.
Copy everything else as it stands, the mark included. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your assessment again and nothing else: one line of JSON on the pattern

{line}

Confidence is a number from 0 to 1; leaning is for, against or balanced. Copy the mark as it stands."""
