"""A tribunal ballot: ACT, WARN, REFUSE or VETO, with confidence and risk from 0 to 100 and the reasoning."""

from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.reading._casting import NAMES, Cast, cast_at, judge
from quorate.reading._labelled import labelled
from quorate.reading._page import Page, Span, laid_out
from quorate.reading._plain import hollow
from quorate.reading._why import SAID, Why

SCALE: Final = 100


def read(text: str, *, mark: str = "", finish: Finish = "stop") -> Read:
    """Read the one ballot a reply holds, or say in a word why there is none."""
    page = laid_out(text)
    spans, cast = _found(page, mark, cut=finish == "length")
    if finish in ("filter", "refusal"):
        cast = Cast(why="filter" if finish == "filter" else "refusal")
    return Read(ballot=cast.ballot, cuts=page.cuts(mark, *spans), unreadable=cast.why or "", cautions=cast.cautions)


def _found(page: Page, mark: str, *, cut: bool) -> tuple[tuple[Span, ...], Cast]:
    if page.sightings:
        return (), _chosen(page, [cast_at(page, sighting, mark, cut=cut) for sighting in page.sightings], mark)
    lines = None if page.objects else labelled(page.text, page.start, page.end, NAMES)
    if lines is None:
        return (), Cast(why=_nothing(page))
    if mark and lines.mark not in ("", mark):
        return lines.spans, Cast(why="no_ballot")
    return lines.spans, judge(lines.members, complete=not cut)


def _chosen(page: Page, casts: list[Cast], mark: str) -> Cast:
    """The last valid one that bears the seat's mark; without any mark, the one all that count agree on."""
    if any(cast.why == "overfull" for cast in casts):
        return Cast(why="overfull")
    own = [cast for cast in casts if mark and cast.mark == mark]
    if own:
        return next((cast for cast in reversed(own) if cast.ballot), own[-1])
    counting = [cast for cast in casts if not cast.quoted and not (mark and cast.mark)]
    if not counting or page.bears(mark):
        return Cast(why="unmarked" if counting else "no_ballot")
    valid = {_stated(cast): cast for cast in counting if cast.ballot}
    if len(valid) > 1:
        return Cast(why="ambiguous")
    return next(iter(valid.values()), counting[-1])


def _stated(cast: Cast) -> tuple[object, ...]:
    ballot = cast.ballot
    return (ballot.choice, ballot.veto, ballot.confidence, ballot.risk) if ballot else ()


def _nothing(page: Page) -> Why:
    why = hollow(page.words)
    if why == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why or "no_ballot"


def schema(mark: str) -> Mapping[str, object]:
    """The ballot as providers can enforce it; the reasoning comes first, so that it is thought before it is decided."""
    ballot: dict[str, object] = {"mark": {"type": "string", "enum": [mark]}} if mark else {}
    ballot |= {
        "reasoning": {"type": "string", "description": "Why, answering what has been raised against it."},
        "decision": {"type": "string", "enum": ["ACT", "WARN", "REFUSE", "VETO"]},
        "confidence": {"type": "integer", "description": "How sure you are of the decision, 0 to 100."},
        "risk": {"type": "integer", "description": "How much harm acting could do, 0 to 100."},
    }
    return {"type": "object", "properties": ballot, "required": list(ballot), "additionalProperties": False}


def instructions(mark: str, *, veto: bool = False) -> str:
    """How to write the ballot. Echoed as it stands, it is no ballot."""
    return _INSTRUCTIONS.format(line=_line(mark), words=_VETO_TOO if veto else _WORDS)


def repair(why: str, mark: str, *, veto: bool = False) -> str:
    """Ask once more, for the ballot alone."""
    said = SAID.get(why, "no ballot could be read in it")
    return _REPAIR.format(said=said, line=_line(mark), words=_VETO_TOO if veto else _WORDS)


def _line(mark: str) -> str:
    return _LINE.format(mark=f'"mark": "{mark}", ' if mark else "")


_LINE: Final = (
    'BALLOT {{{mark}"decision": <word>, "confidence": <number>, "risk": <number>, "reasoning": <why, in quotes>}}'
)

_WORDS: Final = """\
- decision: one of the words ACT (go ahead as asked), WARN (go ahead only with the concerns you name), \
REFUSE (do not go ahead)."""

_VETO_TOO: Final = """\
- decision: one of the words ACT (go ahead as asked), WARN (go ahead only with the concerns you name), \
REFUSE (do not go ahead), VETO (it must not happen, whatever the others say; yours alone to use, for grave harm)."""

_INSTRUCTIONS: Final = """\
First give your reasoning in plain prose, in the language of the question. Then cast your ballot: one line of JSON, \
the last line of your reply, on the pattern

{line}

with your own values where the pattern has angle brackets:
{words}
- confidence: how sure you are of that decision, a number from 0 to 100.
- risk: how much harm going ahead could do, a number from 0 to 100.
- reasoning: your main reason, in one to three sentences; put a backslash before any double quote in it.
Copy everything else as it stands, the mark included: without it the ballot may not count. Cast one ballot, your own. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your ballot again and nothing else: one line of JSON on the pattern

{line}

{words}
Confidence and risk are numbers from 0 to 100. Copy the mark as it stands."""
