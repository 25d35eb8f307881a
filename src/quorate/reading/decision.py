"""A tribunal ballot: ACT, WARN, REFUSE or VETO, with confidence and risk from 0 to 100 and the reasoning."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal

from quorate.model.ballot import Ballot, Choice, Finish, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.answer_file import BAD, is_share_of_hundred, read_choice, read_number, read_reason
from quorate.reading.text.conflict import extra_fields, nested_fields, plain_name
from quorate.reading.text.decision_ballot import NAMES, cast_at, conflict_with, judge, with_veto
from quorate.reading.text.labelled_lines import LabelledBallot, labelled_ballot, other_labels
from quorate.reading.text.marked_objects import with_remarks
from quorate.reading.text.page import Page, laid_out
from quorate.reading.text.pattern import (
    CONDITIONS,
    WOULD_CHANGE,
    answer_line,
    conditions_schema,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.refusal_lines import lines_deciding_otherwise, lines_taking_back
from quorate.reading.text.selection import Candidate, are_shown, is_shown, on_rationale, select
from quorate.reading.text.unreadable import SAID, Why


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """Read the one ballot a reply holds, or say in a word why there is none."""
    page = laid_out(text)
    lines = _labelled(page)
    cuts = page.cuts(terms.mark, *(lines.spans if lines else ()))
    if finish in ("filter", "refusal"):
        return Read(cuts=cuts, unreadable=finish)
    if page.overfull:
        return Read(cuts=cuts, unreadable="overfull")
    cut = finish == "length"
    found = _candidates(page, lines, terms.mark, cut=cut)

    def find(place: Page) -> list[Candidate[Ballot]]:
        return found if place is page else _candidates(place, _labelled(place), terms.mark, cut=False)

    cast = select(page, find, terms, "agree")
    why = cast.why or _lacks_mark(cast, terms) or _taken_back(page, cast, found, terms)
    if cast.stated is None or why:
        return Read(cuts=cuts, unreadable=why or _nothing(page))
    ballot = with_remarks(cast.stated, cast.core)
    return Read(ballot=ballot, cuts=cuts, cautions=(*cast.cautions, *on_rationale(ballot)))


def _labelled(page: Page) -> LabelledBallot | None:
    return None if page.objects else labelled_ballot(page.text, page.start, page.end, NAMES)


def _lacks_mark(cast: Candidate[Ballot], terms: AnswerTerms) -> Why | Literal[""]:
    """Why a ballot for ACT without the mark is none where it needs one: anybody may have put it there."""
    lacks = cast.stated is not None and cast.stated.choice == "ACT" and "unmarked" in cast.cautions
    return "unmarked" if lacks and terms.act_needs_mark else ""


def _candidates(page: Page, lines: LabelledBallot | None, mark: str, *, cut: bool) -> list[Candidate[Ballot]]:
    if page.sightings:
        return [cast_at(page, sighting, mark, cut=cut) for sighting in page.sightings]
    if lines is None:
        return []
    others = other_labels(page.text, page.start, page.end, NAMES)
    judged = judge(lines.members, [(plain_name(name), (value,)) for name, value in others], complete=not cut)
    return [replace(judged, spans=lines.spans, lines=lines.lines, marks=lines.marks, lent=True)]


def _taken_back(page: Page, cast: Candidate[Ballot], found: list[Candidate[Ballot]], terms: AnswerTerms) -> str:
    """Why a ballot for ACT does not stand: behind it the seat states something else, or refuses in words."""
    if cast.stated is None or cast.stated.choice != "ACT":
        return ""
    if cast.followed:
        return cast.followed
    refuses = _states_otherwise(cast, found, terms) or _refuses_in_words(page, cast, terms)
    return "contradicted" if refuses or _reasons_otherwise(cast.stated.rationale, terms) else ""


def _reasons_otherwise(rationale: str, terms: AnswerTerms) -> bool:
    """Whether a line of its own reasoning states another decision: two ballots may have run into one."""
    return any(not are_shown(terms, line) for line in lines_deciding_otherwise(rationale))


def _states_otherwise(cast: Candidate[Ballot], found: list[Candidate[Ballot]], terms: AnswerTerms) -> bool:
    """Whether a later passage of the seat's own is no ballot for ACT."""
    behind = [one for one in found if one.spans > cast.spans and one.why != "placeholder"]
    return any(one.values[:1] != ("ACT",) and not one.quoted and not is_shown(terms, one) for one in behind)


def _refuses_in_words(page: Page, cast: Candidate[Ballot], terms: AnswerTerms) -> bool:
    return any(not are_shown(terms, line) for words in _behind(page, cast) for line in lines_taking_back(words))


def _behind(page: Page, cast: Candidate[Ballot]) -> Iterator[str]:
    """What stands behind a ballot, without other ballots: those are looked at by themselves."""
    at = max((end for _, end in cast.spans), default=page.end)
    for sighting in page.sightings:
        if sighting.begin >= at:
            yield page.text[at : sighting.begin]
            at = sighting.end
    yield page.text[at : page.end]


def _nothing(page: Page) -> Why:
    why = hollow(page.words)
    if why == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why or "no_ballot"


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The ballot as providers can enforce it; the reasoning comes first, so that it is thought before it is decided."""
    ballot: Mapping[str, object] = {
        "reasoning": {"type": "string", "description": "Why, answering what has been raised against it."},
        "decision": {"type": "string", "enum": ["ACT", "WARN", "REFUSE", "VETO"]},
        "confidence": {"type": "integer", "description": "How sure you are of the decision, 0 to 100."},
        "risk": {"type": "integer", "description": "How much harm acting could do, 0 to 100."},
        "conditions": conditions_schema(),
        "would_change": would_change_schema(),
    }
    return object_schema(terms.mark, ballot)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the ballot. Echoed as it stands, it is no ballot."""
    return _INSTRUCTIONS.format(
        line=with_mark(_LINE, terms.mark), words=_words(terms), remarks=f"{CONDITIONS}\n{WOULD_CHANGE}"
    )


def _words(terms: AnswerTerms) -> str:
    return _VETO_TOO if terms.veto else _WORDS


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the ballot alone."""
    said = SAID.get(why, "no ballot could be read in it")
    return _REPAIR.format(said=said, line=with_mark(_LINE, terms.mark), words=_words(terms))


def sample(terms: AnswerTerms) -> str:
    """A ballot that can be read: WARN, neither sure nor alarmed."""
    stated = {"decision": "WARN", "confidence": 50, "risk": 50, "reasoning": "as said"}
    return answer_line("BALLOT", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """A ballot of a file: its word is one of the options, or VETO."""
    word, why = _file_word(fields, terms)
    numbers = [read_number(fields, name, HUNDRED) for name in STATES]
    if why or BAD in numbers:
        return Read(unreadable=why or BAD)
    extras = [*extra_fields(fields, _OWN), *nested_fields(fields)]
    if beside := conflict_with(word, extras):
        return Read(unreadable=beside)
    confidence, risk = (None if isinstance(number, str) else number for number in numbers)
    word, veto = with_veto((terms.options[-1], True) if word == "VETO" else (word, False), extras)
    vote = Choice(word)
    ballot = Ballot(vote=vote, confidence=confidence, risk=risk, rationale=read_reason(fields), veto=veto)
    return Read(ballot=ballot, cautions=("scale",) if is_share_of_hundred(fields, STATES) else ())


def _file_word(fields: Mapping[str, object], terms: AnswerTerms) -> tuple[str, str]:
    """The word of a ballot in capitals, and why it cannot be counted; that is empty if it can."""
    written, why = read_choice(fields)
    word = written.upper()
    if why or word == "VETO" or word in terms.options:
        return word, why
    return word, "bad_decision"


HUNDRED: Final = 100
_OWN: Final = frozenset({*NAMES, "conditions", "would_change"})
STATES: Final = ("confidence", "risk")

SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Choice,
    states=("confidence", "risk"),
    from_file=from_file,
    example='[{"seat": "Safety", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "…"}]',
)

_LINE: Final = (
    'BALLOT {{{mark}"decision": <word>, "confidence": <number>, "risk": <number>, "reasoning": <why, in quotes>, '
    '"conditions": [<condition>, <condition>], "would_change": <fact in quotes>}}'
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
{remarks}
Copy everything else as it stands, the mark included: without it the ballot may not count. Cast one ballot, your own. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your ballot again and nothing else: one line of JSON on the pattern

{line}

{words}
Confidence and risk are numbers from 0 to 100. Copy the mark as it stands."""
