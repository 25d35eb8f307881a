"""One side's case in a debate: claims, the evidence for them, and confidence from 0 to 1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

from quorate.model.ballot import Argument, Finish, Read, Side
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.marked_objects import LONGEST, MOST, ObjectForm, once, placeholder, texts_under
from quorate.reading.text.objects import Object
from quorate.reading.text.pattern import answer_line, object_schema, with_mark
from quorate.reading.text.side_words import answer_of_side
from quorate.reading.text.unreadable import CONFLICT_SAID
from quorate.reading.text.values import of_one, plain

_CLAIMS: Final = ("claims", "claim", "points", "arguments")
_EVIDENCE: Final = ("evidence", "supporting_evidence", "sources", "support")
_FORM: Final = ObjectForm(
    keys=frozenset(_CLAIMS),
    missing="no_argument",
    answer=lambda stated, _: answer_of_side(_NAMES[stated.side] if isinstance(stated, Argument) else ""),
    own=frozenset(_EVIDENCE),
)
_NAMES: Final[Mapping[Side, str]] = MappingProxyType[Side, str]({"pro": "for", "con": "against"})


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The case a reply makes, or why it makes none; `options` names the side it was asked to take, pro or con."""
    side: Side = "con" if terms.options == ("con",) else "pro"
    return _FORM.read(text, terms, finish, lambda part, cut: _argument(part, side, cut=cut))


def _argument(part: Object, side: Side, *, cut: bool) -> Argument | str:
    claims, evidence = texts_under(part, *_CLAIMS), texts_under(part, *_EVIDENCE)
    if any(map(placeholder, claims)):
        return "placeholder"
    if part.state != "closed" or cut:
        return "cut_short"
    stated = once(part, "confidence")
    if stated is None:
        return "duplicate"
    if not claims or not stated:
        return "no_claim" if not claims else "incomplete"
    confidence = of_one(stated)
    if confidence is None:
        return "bad_number"
    kept = tuple(line for line in evidence if not placeholder(line))
    return Argument(side=side, claims=claims, evidence=kept, confidence=confidence)


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The case as providers can enforce it."""
    lines = {"type": "array", "items": {"type": "string"}}
    case: Mapping[str, object] = {
        "claims": {**lines, "description": "What you claim, one sentence each, the strongest first."},
        "evidence": {**lines, "description": "What supports it: quotations, sources, figures, names, examples."},
        "confidence": {"type": "number", "description": "How sure you are that your side is right, 0 to 1."},
    }
    return object_schema(terms.mark, case)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the case. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the case alone."""
    return _REPAIR.format(said=_SAID.get(why, "no argument could be read in it"), line=with_mark(_LINE, terms.mark))


def sample(terms: AnswerTerms) -> str:
    """A case that can be read."""
    stated = {"claims": ["It works"], "evidence": ["It took 3 hours"], "confidence": 0.5}
    return answer_line("ARGUMENT", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """A case of a file, for the side that the options name."""
    confidence = of_one(str(fields.get("confidence", "")))
    claims, evidence = _texts(fields.get("claims")), _texts(fields.get("evidence"))
    if confidence is None:
        return Read(unreadable="bad_number" if "confidence" in fields else "incomplete")
    if not claims:
        return Read(unreadable="no_argument")
    side: Side = "con" if terms.options == ("con",) else "pro"
    case = Argument(side=side, claims=claims, evidence=evidence, confidence=confidence)
    return _FORM.handed(fields, case, terms)


def _texts(value: object) -> tuple[str, ...]:
    lines = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = (plain(text)[:LONGEST] for text in lines[: 4 * MOST] if isinstance(text, str))
    return tuple(dict.fromkeys(text for text in texts if text))[:MOST]


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    states=("confidence",),
    missing="no_argument",
    from_file=from_file,
    example=(
        '[{"seat": "Proponent", "round": 1, "claims": ["…"], "evidence": ["…"], "confidence": 0.8}, '
        '{"seat": "Moderator", "round": 1, "confidence": 0.6}]'
    ),
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CONFLICT_SAID,
        "no_argument": "there was no argument in the wanted form",
        "no_claim": "it claimed nothing",
        "unmarked": "its argument did not bear the mark",
        "placeholder": "it held a placeholder instead of a claim",
        "incomplete": "it did not say how sure you are",
        "bad_number": "confidence was not a number from 0 to 1",
        "duplicate": "confidence stood in it twice",
        "cut_short": "it was cut short; write less",
        "refusal": "it declined to answer; you are asked for the best honest case for one side, not for your own view",
    }
)

_LINE: Final = 'ARGUMENT {{{mark}"claims": [<claim>, <claim>], "evidence": [<piece>, <piece>], "confidence": <number>}}'

_INSTRUCTIONS: Final = """\
First argue in plain prose, in the language of the question. Then write down your case: one line of JSON, \
the last of your reply, on the pattern

{line}

with your own values where the pattern has angle brackets, every text in double quotes:
- claims: what you claim, one sentence each, at most six, the strongest first. Answer what was put to you in them.
- evidence: what supports it, one piece each. A passage from the material above, word for word and in quotation marks, \
counts most; then a source that can be looked up, a figure, a name, an example. A bare assertion counts least. \
Invent nothing: a passage that is not in the material counts against you.
- confidence: how sure you are that your side is right, from 0 to 1.
Put a backslash before a double quote inside a text. Copy everything else as it stands, the mark included. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your case again and nothing else: one line of JSON on the pattern

{line}

Claims and evidence are lists of texts in double quotes, confidence is a number from 0 to 1. \
Copy the mark as it stands."""
