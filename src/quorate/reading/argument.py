"""One side's case in a debate: claims, the evidence for them, and confidence from 0 to 1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.ballot import Argument, Finish, Read, Side
from quorate.reading.text.marked_objects import chosen, listed, nothing, once, papers, placeholder
from quorate.reading.text.objects import Object
from quorate.reading.text.page import laid_out
from quorate.reading.text.selection import Shown, Terms
from quorate.reading.text.values import of_one

SCALE: Final = 1

_CLAIMS: Final = ("claims", "claim", "points", "arguments")
_EVIDENCE: Final = ("evidence", "supporting_evidence", "sources", "support")
_KEYS: Final = frozenset(_CLAIMS)


def read(  # noqa: PLR0913 - how a reply was asked for, each named
    text: str,
    *,
    mark: str = "",
    finish: Finish = "stop",
    shown: Shown = "",
    last: bool = False,
    options: tuple[str, ...] = (),
) -> Read:
    """The case a reply makes, or why it makes none; `options` names the side it was asked to take, pro or con."""
    page = laid_out(text)
    cuts = page.cuts(mark, *(paper.span for paper in papers(page, _KEYS)))
    if finish in ("filter", "refusal"):
        return Read(cuts=cuts, unreadable=finish)
    side: Side = "con" if options == ("con",) else "pro"
    argument, why, cautions = chosen(
        page, _KEYS, Terms(mark, shown, last), lambda part: _argument(part, side, cut=finish == "length")
    )
    if argument is not None:
        return Read(argument=argument, cuts=cuts, cautions=cautions)
    return Read(cuts=cuts, unreadable=why or nothing(page, finish, "no_argument"))


def _argument(part: Object, side: Side, *, cut: bool) -> Argument | str:
    claims, evidence = listed(part, *_CLAIMS), listed(part, *_EVIDENCE)
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


def schema(mark: str, *, options: tuple[str, ...] = ()) -> Mapping[str, object]:
    """The case as providers can enforce it."""
    del options
    lines = {"type": "array", "items": {"type": "string"}}
    case: dict[str, object] = {"mark": {"type": "string", "enum": [mark]}} if mark else {}
    case |= {
        "claims": {**lines, "description": "What you claim, one sentence each, the strongest first."},
        "evidence": {**lines, "description": "What supports it: quotations, sources, figures, names, examples."},
        "confidence": {"type": "number", "description": "How sure you are that your side is right, 0 to 1."},
    }
    return {"type": "object", "properties": case, "required": list(case), "additionalProperties": False}


def instructions(mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """How to write the case. Echoed as it stands, it is none."""
    del veto, options
    return _INSTRUCTIONS.format(line=_line(mark))


def repair(why: str, mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """Ask once more, for the case alone."""
    del veto, options
    return _REPAIR.format(said=_SAID.get(why, "no argument could be read in it"), line=_line(mark))


def _line(mark: str) -> str:
    return _LINE.format(mark=f'"mark": "{mark}", ' if mark else "")


_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
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
