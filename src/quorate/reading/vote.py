"""A conference vote: any option in a few words, confidence from 0 to 1, the rationale, and whether to go on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from quorate.model.ballot import Ballot, Choice, Finish, Read
from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.another_option import answer_of_options
from quorate.reading.text.answer_file import read_choice, read_number, read_reason
from quorate.reading.text.conflict import CONFLICTS, Extra, conflict, extra_fields, extra_members
from quorate.reading.text.inner_ballots import all_marks, ballots_in, has_key, marks_in
from quorate.reading.text.listed_options import abstains, listed_option, no_choice, option_names, told_options
from quorate.reading.text.marked_objects import with_remarks
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.page import CHOICES, Page, laid_out, with_label
from quorate.reading.text.pattern import (
    WOULD_CHANGE,
    answer_line,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.selection import Candidate, on_rationale, select
from quorate.reading.text.unreadable import CONFLICT_SAID
from quorate.reading.text.values import prose

STILL_SPEECH: Final = CONFLICTS | {"no_vote", "unmarked", "no_option", "unknown_option", "bad_number", "duplicate"}
"""Without a vote for one of these reasons, a reply is a speech all the same."""

_BEFORE: Final = 96
_MARKER: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])VOTE[^A-Za-z0-9{]{0,24}+(?:json[\s{(`]{0,8}+)?[{(]{0,2}+\Z", re.IGNORECASE
)
_LONGEST_MARKER: Final = len("VOTE") + 24 + len("json") + 8 + 2
_CLAIMS: Final = frozenset(
    {"my", "i", "final", "revised", "updated", "corrected", "changed", "new", "last", "definitive"}
)
"""Words that make a vote the writer's own in the middle of a line."""
_LEADS: Final = _CLAIMS | frozenset(
    {
        *("a", "an", "the", "this", "is", "here", "now", "so", "then", "thus", "hence", "therefore", "finally", "in"),
        *(
            "and",
            "but",
            "no",
            "or",
            "rather",
            "actually",
            "wait",
            "sorry",
            "make",
            "that",
            "cast",
            "change",
            "to",
            "on",
        ),
        *("reflection", "correction", "update", "edit", "revision", "conclusion", "answer", "own", "boxed", "text"),
    }
)
"""What may stand before a vote on its line and leave it the writer's own."""
_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CLAUSE: Final = lazy_pattern(r"[.;,!?–—]")
_REPORTS: Final = lazy_pattern(
    r"['’]s\b|\b(?:according|said|says|saying|wrote|writes?|vote[sd]|end(?:ed|s)|puts?|quot\w*+|state[sd]|answer(?:ed|s)"
    r"|argue[sd]|repl(?:ied|ies)|close[sd]|conclude[sd])\b",
    re.IGNORECASE,
)
"""How a line looks that tells what somebody else said."""
_OWN: Final = CHOICES | {
    "confidence",
    "rationale",
    "reasoning",
    "reason",
    "continue_debate",
    "mark",
    "conditions",
    "would_change",
}
_OWN_AROUND: Final = _OWN - CHOICES
_NAMES: Final = tuple(sorted(CHOICES))
_OPENS: Final = ('"', "'", "“", "‘", "«")


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The last valid vote of a reply, or why there is none; `options` is the closed list, where there is one."""
    page = laid_out(text)
    cuts = page.cuts(terms.mark)
    if finish in ("filter", "refusal"):
        return Read(cuts=cuts, unreadable=finish)
    vote = select(page, partial(_votes, mark=terms.mark, options=terms.options), terms)
    if vote.stated is not None:
        ballot = with_remarks(vote.stated, vote.core)
        return Read(ballot=ballot, cuts=cuts, cautions=(*vote.cautions, *on_rationale(ballot)))
    return Read(cuts=cuts, unreadable=vote.why or _nothing(page, finish))


def _nothing(page: Page, finish: Finish) -> str:
    why = hollow(page.words)
    if why == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why or ("cut_short" if finish == "length" else "no_vote")


def _votes(page: Page, *, mark: str, options: tuple[str, ...]) -> list[Candidate[Ballot]]:
    return list(_found(page, mark, options))


def _found(page: Page, mark: str, options: tuple[str, ...]) -> Iterator[Candidate[Ballot]]:
    sole = _sole_object(page)
    block = {sighting.object.start for sighting in page.sightings if sighting.quoted}
    ended = page.start
    for thing in page.objects:
        label = _marker(page, thing.start)
        parts = ballots_in(thing, lambda part: has_key(part, CHOICES), mark)
        span = with_label(page.text, thing.start, thing.end)
        marks = all_marks(page.text, span[0], thing, *parts)
        # In the middle of prose an object that merely names an option is no vote: it must say so, or bear the mark.
        if parts and (label or thing is sole or parts[0] is not thing or (mark and mark in marks)):
            begin = label.start() if label else thing.start
            vote = _vote(page, _Place(ended, begin, thing, thing.start in block), parts, options)
            yield replace(vote, spans=(span,), marks=marks, lent=mark not in marks_in(parts[0]))
        ended = thing.end


def _marker(page: Page, begin: int) -> re.Match[str] | None:
    near = max(page.start, begin - _LONGEST_MARKER)
    return _MARKER.search(page.text, near, begin) if "vote" in page.text[near:begin].lower() else None


def _sole_object(page: Page) -> Object | None:
    """The object that is the whole reply, but for a code fence around it."""
    words = page.words.strip(" \t\r\n`").removeprefix("json").lstrip()
    if len(page.objects) != 1 or words.startswith("VOTE"):
        return None
    thing = page.objects[0]
    around = page.text[page.start : thing.start] + page.text[thing.end : page.end]
    return None if around.replace("json", "").strip(" \t\r\n`") else thing


class _Place(NamedTuple):
    """Where a vote stands: behind the object before it, from its marker on, in which object and in a block quote."""

    ended: int
    begin: int
    thing: Object
    quoted: bool


def _vote(page: Page, place: _Place, parts: list[Object], options: tuple[str, ...]) -> Candidate[Ballot]:
    begin, thing, part = place.begin, place.thing, parts[0]
    near = max(0, begin - _BEFORE)
    line = page.text.rfind("\n", near, begin) + 1
    since = max(line or near, place.ended)
    before = page.text[since:begin]
    leads = _leads(before, whole=since > near or near == 0)
    ballot = _uncontradicted(_ballot(part, options), thing, part, options) if len(parts) == 1 else "ambiguous"
    opened = before.rstrip("*_ ").endswith(_OPENS if leads else (*_OPENS, "`"))
    stated = None if isinstance(ballot, str) else ballot
    return Candidate(
        stated=stated,
        values=(fold_case(stated.choice), stated.confidence) if stated else (),
        why=ballot if isinstance(ballot, str) else "",
        core=page.text[part.start : part.end],
        quoted=place.quoted or opened or before.lstrip(" \t*+-").startswith(">"),
        leading=leads or stated is None,
    )


def _leads(before: str, *, whole: bool) -> bool:
    """Whether words on its line leave a vote the writer's own: nothing else stands there, or its last clause says so.

    Not `whole`: the line begins further up, and nobody looks there for who is speaking.
    """
    if _are_all(before, _LEADS):
        return True
    clause = _CLAUSE.split(before)[-1]
    claims = any(word in _CLAIMS for word in _WORD.findall(clause.lower()))
    return whole and claims and _are_all(clause, _LEADS) and _REPORTS.search(before) is None


def _are_all(text: str, known: frozenset[str]) -> bool:
    return all(word in known for word in _WORD.findall(text.lower()))


def _ballot(part: Object, options: tuple[str, ...]) -> Ballot | str:
    values = _values(part)
    chosen = [raw for name in _NAMES for raw in values.get(name, ())]
    option = prose(chosen[0]) if chosen else ""
    if part.state != "closed":
        return "placeholder" if no_choice(option) == "placeholder" else "cut_short"
    if not chosen:
        return "no_option"
    if any(len(set(written)) > 1 for written in (chosen, *values.values())):
        return "duplicate"
    return no_choice(option) or _cast(option, values, options)


def _uncontradicted(ballot: Ballot | str, thing: Object, part: Object, options: tuple[str, ...]) -> Ballot | str:
    """The same vote, or how something in its own object contradicts it."""
    return ballot if isinstance(ballot, str) else _conflict(ballot, _beside(thing, part), options) or ballot


def _conflict(ballot: Ballot, extras: list[Extra], options: tuple[str, ...]) -> str:
    if ballot.abstain or not extras:
        return ""
    return conflict(extras, answer_of_options((ballot.choice,), options))


def _beside(thing: Object, part: Object) -> list[Extra]:
    """What stands beside a vote and around it, another vote included."""
    around = extra_members((thing,), _OWN_AROUND) if part is not thing else []
    return extra_members((part,), _OWN) + around


def _values(part: Object) -> Mapping[str, Sequence[str]]:
    """What is written under each name; nothing where that is a list or an object."""
    values: dict[str, list[str]] = {name: [] for name, _ in part.members}
    for name, value in part.members:
        if value is not None:
            values[name].append(value.raw)
    return values


def _first(values: Mapping[str, Sequence[str]], *names: str) -> str:
    return next((raw for name in names for raw in values.get(name, ())), "")


def _cast(option: str, values: Mapping[str, Sequence[str]], options: tuple[str, ...]) -> Ballot | str:
    confidence = _share(_first(values, "confidence"))
    abstained = abstains(option, options)
    if confidence is None and not (abstained and "confidence" not in values):
        return "bad_number"
    listed = listed_option(option, options) if options else option
    if listed is None and not abstained:
        return "unknown_option"
    return Ballot(
        vote=Choice(listed or option),
        confidence=confidence,
        rationale=prose(_first(values, "rationale", "reasoning", "reason")),
        abstain=abstained,
        continue_debate=fold_case(_first(values, "continue_debate")) != "false",
    )


def _share(written: str) -> Fraction | None:
    number = exact(written)
    return number if number is not None and 0 <= number.numerator <= number.denominator else None


def _choices(options: tuple[str, ...]) -> str:
    """What may be written as the option."""
    return told_options(options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME)


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The vote as providers can enforce it; the rationale comes first and is the speech."""
    options = terms.options
    vote: Mapping[str, object] = {
        "rationale": {"type": "string", "description": "Your whole speech: reasons, and answers to the others."},
        "option": {"type": "string", "enum": option_names(options)} if options else {"type": "string"},
        "confidence": {"type": "number", "description": "How sure you are, 0 to 1."},
        "continue_debate": {"type": "boolean", "description": "Whether another round would help."},
        "would_change": would_change_schema(),
    }
    return object_schema(terms.mark, vote)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the vote. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark), change=WOULD_CHANGE, which=_choices(terms.options))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the vote line alone."""
    said = _SAID.get(why, "no vote could be read in it")
    return _REPAIR.format(said=said, line=with_mark(_LINE, terms.mark), which=_choices(terms.options))


def sample(terms: AnswerTerms) -> str:
    """A vote that can be read: the first of the list, or anything, and for going on."""
    option = next(iter(option_names(terms.options)), "something")
    stated = {"option": option, "confidence": 0.5, "rationale": "as said", "continue_debate": True}
    return answer_line("VOTE:", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """A vote of a file: any words are an option, without a list."""
    option, why = read_choice(fields)
    confidence = read_number(fields, "confidence")
    why = why or no_choice(option) or (confidence if isinstance(confidence, str) else "")
    if why:
        return Read(unreadable=why)
    goes_on = str(fields.get("continue_debate", True)).strip().casefold() != "false"
    ballot = Ballot(
        vote=Choice(option),
        confidence=None if isinstance(confidence, str) else confidence,
        rationale=read_reason(fields),
        abstain=abstains(option, terms.options),
        continue_debate=goes_on,
    )
    beside = _conflict(ballot, extra_fields(fields, _OWN), terms.options)
    return Read(unreadable=beside) if beside else Read(ballot=ballot)


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Choice,
    states=("confidence",),
    shows=("abstain", "continue_debate"),
    still_speech=STILL_SPEECH,
    from_file=from_file,
    example=(
        '[{"seat": "Alpha", "option": "Use PostgreSQL", "confidence": 0.8, "rationale": "…", "continue_debate": false}]'
    ),
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CONFLICT_SAID,
        "no_vote": "there was no vote in it",
        "unmarked": "its vote did not bear the mark",
        "no_option": "its vote named no option",
        "placeholder": "its vote held a placeholder instead of an option",
        "unknown_option": "its vote named an option that is not on the list",
        "bad_number": "confidence was not a number from 0 to 1",
        "duplicate": "something stood in its vote twice",
        "ambiguous": "it held several votes in one object",
        "cut_short": "its vote was cut short",
    }
)

_LINE: Final = (
    'VOTE: {{{mark}"option": <your choice>, "confidence": <number>, "rationale": <why, in quotes>, '
    '"continue_debate": <true or false>, "would_change": <fact in quotes>}}'
)

_OPEN: Final = "- option: what you are for, in a few clear words; no letter or number that stands for it."

_BY_NUMBER: Final = """\
- option: the number of one of these, as a text; nothing else counts:
{listed}"""

_BY_NAME: Final = """\
- option: one of these, as a text, word for word; nothing else counts:
{listed}"""

_INSTRUCTIONS: Final = """\
First speak, in plain prose and in the language of the question. Then vote: one line, the last of your reply, \
on the pattern

{line}

with your own values where the pattern has angle brackets:
{which}
- confidence: how sure you are, from 0 to 1.
- rationale: your main reason, in one to three sentences.
- continue_debate: false when you are content to end here, true when another round could change something. \
When enough seats say false, the discussion ends.
{change}
Copy everything else as it stands, the mark included. To abstain write "abstain" as the option. \
If you can only answer with a single JSON object, answer with that object alone, your whole speech as its rationale."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your vote again and nothing else: one line on the pattern

{line}

{which}
Confidence is a number from 0 to 1. Copy the mark as it stands."""
