"""A ranking: the options of a closed list in an order, the best first, equals together; and confidence from 0 to 1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.ballot import Argument, Ballot, Finish, Ranking, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.another_option import answer_of_options
from quorate.reading.text.answer_file import read_number, read_reason
from quorate.reading.text.conflict import CONFLICTS
from quorate.reading.text.doubt import STRAY_NAMES, stray_of
from quorate.reading.text.listed_options import abstains, no_choice, option_names, told_options
from quorate.reading.text.marked_objects import ObjectForm, once
from quorate.reading.text.objects import Object
from quorate.reading.text.order import Places, ordered_options, places_in_file, places_in_object
from quorate.reading.text.pattern import (
    WOULD_CHANGE,
    answer_line,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.unreadable import CONFLICT_SAID
from quorate.reading.text.values import of_one, prose

STILL_SPEECH: Final = (
    frozenset({"no_ballot", "unmarked", "no_option", "unknown_option", "bad_number", "duplicate"}) | CONFLICTS
)
"""Without a ranking for one of these reasons, a reply is a speech all the same."""

_NAME: Final = "ranking"
_FORM: Final = ObjectForm(
    keys=frozenset({_NAME}),
    missing="no_ballot",
    reasoned=True,
    stray=stray_of(f"{STRAY_NAMES}|{_NAME}"),
    answer=lambda stated, terms: answer_of_options(_first_place(stated), terms.options),
)


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The seat's own ranking in a reply, or why there is none; listed options that it leaves out come last."""
    return _FORM.read(text, terms, finish, lambda part, cut: _ballot(part, terms.options, cut=cut))


def _ballot(part: Object, options: tuple[str, ...], *, cut: bool) -> Ballot | str:
    places, stated = places_in_object(part, _NAME, options), once(part, "confidence")
    if part.state != "closed" or cut:
        return "placeholder" if _is_copied(places) else "cut_short"
    if stated is None:
        return "duplicate"
    if isinstance(places, str):
        return places
    vote = _vote(places, options)
    if isinstance(vote, str):
        return vote
    confidence = of_one(stated)
    if confidence is None and not (stated == "" and not vote.ranking):
        return "placeholder" if stated.startswith("<") else "bad_number"
    return Ballot(vote=vote, confidence=confidence, rationale=_rationale(part), abstain=not vote.ranking)


def _first_place(stated: Ballot | Argument) -> tuple[str, ...]:
    ranking = stated.vote.ranking if isinstance(stated, Ballot) and isinstance(stated.vote, Ranking) else ()
    return ranking[0] if ranking else ()


def _rationale(part: Object) -> str:
    reasons = (once(part, name) for name in ("rationale", "reasoning", "reason"))
    return prose(next(filter(None, reasons), ""))


def _is_copied(places: Places | str) -> bool:
    """Whether the pattern was copied as it stands."""
    return isinstance(places, list) and any(no_choice(text) == "placeholder" for place in places for text in place)


def _vote(places: Places, options: tuple[str, ...]) -> Ranking | str:
    """The ranking, one of nothing at all for a seat that abstains, or why there is none."""
    words = [text for place in places for text in place]
    return Ranking(()) if len(words) == 1 and abstains(words[0], options) else ordered_options(places, options)


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The ranking as providers can enforce it; the rationale comes first and is the speech."""
    listed = {"enum": option_names(terms.options)} if terms.options else {}
    place = {"type": "array", "items": {"type": "string", **listed}}
    ballot: Mapping[str, object] = {
        "rationale": {"type": "string", "description": "Your whole speech: reasons, and answers to the others."},
        "ranking": {"type": "array", "items": place, "description": "Places, the best first; equals share a place."},
        "confidence": {"type": "number", "description": "How sure you are, 0 to 1."},
        "would_change": would_change_schema(),
    }
    return object_schema(terms.mark, ballot)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the ranking. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark), change=WOULD_CHANGE, which=_which(terms.options))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the ranking alone."""
    said = _SAID.get(why, "no ranking could be read in it")
    return _REPAIR.format(said=said, line=with_mark(_LINE, terms.mark), which=_which(terms.options))


def _which(options: tuple[str, ...]) -> str:
    return told_options(options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME)


def sample(terms: AnswerTerms) -> str:
    """A ranking that can be read: the list as it stands, or anything."""
    listed = option_names(terms.options) or ["something", "something else"]
    return answer_line("BALLOT", terms.mark, {"ranking": listed, "confidence": 0.5, "rationale": "as said"})


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """A ranking of a file: any words are an option, without a list."""
    if _NAME not in fields:
        return Read(unreadable="no_ballot")
    places = places_in_file(fields[_NAME], terms.options)
    vote = places if isinstance(places, str) else _vote(places, terms.options)
    confidence = read_number(fields, "confidence")
    if isinstance(vote, str) or isinstance(confidence, str):
        return Read(unreadable=vote if isinstance(vote, str) else "bad_number")
    ballot = Ballot(vote=vote, confidence=confidence, rationale=read_reason(fields), abstain=not vote.ranking)
    return _FORM.handed(fields, ballot, terms)


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Ranking,
    states=("confidence",),
    shows=("abstain",),
    still_speech=STILL_SPEECH,
    from_file=from_file,
    example='[{"seat": "Alpha", "ranking": ["Kafka", ["NATS", "Redis"]], "confidence": 0.8, "rationale": "…"}]',
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CONFLICT_SAID,
        "no_ballot": "there was no ranking in the wanted form",
        "unmarked": "its ranking did not bear the mark",
        "no_option": "its ranking named no option",
        "placeholder": "it held a placeholder instead of an option or a number",
        "unknown_option": "its ranking named something that is not on the list",
        "bad_number": "confidence was not a number from 0 to 1, or a place not a whole number",
        "duplicate": "something stood in its ranking twice",
        "cut_short": "its ranking was cut short",
    }
)

_LINE: Final = (
    'BALLOT {{{mark}"ranking": [<best>, <next best>, <and so on>], "confidence": <number>, '
    '"rationale": <why, in quotes>, "would_change": <fact in quotes>}}'
)

_OPEN: Final = "- ranking: the options in a few clear words each, the best first."

_BY_NUMBER: Final = """\
- ranking: the numbers of these options, each as a text, the best first; nothing else counts:
{listed}"""

_BY_NAME: Final = """\
- ranking: these options, each as a text, word for word, the best first; nothing else counts:
{listed}"""

_EQUALS: Final = """\
Name each option once. Put options that you hold to be equally good into a list of their own within the ranking. \
Options that you leave out come last, together."""

_INSTRUCTIONS: Final = (
    """\
First speak, in plain prose and in the language of the question. Then rank the options: one line of JSON, the last of \
your reply, on the pattern

{line}

with your own values where the pattern has angle brackets:
{which}
"""
    + _EQUALS
    + """
- confidence: how sure you are of this order, from 0 to 1.
- rationale: your main reason, in one to three sentences.
{change}
Copy everything else as it stands, the mark included. To abstain write "abstain" as the ranking. \
If you can only answer with a single JSON object, answer with that object alone, your whole speech as its rationale."""
)

_REPAIR: Final = (
    """\
Your reply could not be counted: {said}. Write your ranking again and nothing else: one line on the pattern

{line}

{which}
"""
    + _EQUALS
    + """
Confidence is a number from 0 to 1. Copy the mark as it stands."""
)
