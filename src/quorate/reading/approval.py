"""Every option a seat approves of, on a closed list: any number of them, or none; confidence from 0 to 1 and why."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, cast

from quorate.frozen import dataclass
from quorate.model.ballot import Approval, Argument, Ballot, Finish, Read
from quorate.model.once import lazy_pattern
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.another_option import answer_of_options
from quorate.reading.text.answer_file import read_number, read_reason
from quorate.reading.text.conflict import Answer
from quorate.reading.text.doubt import stray_of
from quorate.reading.text.listed_options import (
    abstains,
    listed_option,
    no_choice,
    option_names,
    plain_option,
    told_options,
)
from quorate.reading.text.marked_objects import ObjectForm, once, written_reason
from quorate.reading.text.objects import Object, Scalar
from quorate.reading.text.pattern import (
    WOULD_CHANGE,
    answer_line,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.strict_json import Twice
from quorate.reading.text.unreadable import SAID
from quorate.reading.text.values import of_one, prose

_KEYS: Final = frozenset({"approved", "approves", "approve", "approvals"})
_FORM: Final = ObjectForm(
    keys=_KEYS,
    missing="no_ballot",
    reasoned=True,
    stray=stray_of("approve[sd]?|approvals|decision|choice|option|outcome|answer|confidence|rationale|mark"),
    answer=lambda stated, terms: _answer(stated, terms.options),
)
_BETWEEN: Final = lazy_pattern(r"\s*(?:[,;\n]\s*(?:and\s|&)?|\sand\s|&)\s*", re.IGNORECASE)
_NOTHING: Final = frozenset({"nothing", "none of them", "none of these", "none of the above"})
_NO_OPTION: Final = _NOTHING | {"true", "false", "null"}
"""What is never an option to win, unless these very words are on the list."""
_MOST: Final = 100
"""Options in one answer; a list that needs more is none."""
_WORDS: Final = 24
"""Pieces of one text that are looked at; more are written as a list."""

Chosen = tuple[str, ...]


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The options a reply approves of, or why none could be read; without a list any words are an option."""
    return _FORM.read(text, terms, finish, lambda part, cut: _ballot(part, terms.options, cut=cut))


def _ballot(part: Object, options: tuple[str, ...], *, cut: bool) -> Ballot | str:
    written = _written(part)
    if isinstance(written, _Written) and _is_copied(written.texts):
        return "placeholder"
    if part.state != "closed" or cut:
        return "cut_short"
    stated = once(part, "confidence")
    if stated is None or isinstance(written, str):
        return written if isinstance(written, str) else "duplicate"
    confidence, chosen = of_one(stated), _chosen(written, options)
    if isinstance(chosen, str):
        return chosen
    if confidence is None:
        return "bad_number" if stated else "incomplete"
    return _cast(chosen, confidence, written_reason(part))


def _answer(stated: Ballot | Argument, options: tuple[str, ...]) -> Answer | None:
    """What would contradict an approval. Who approves of nothing lets nothing pass, whatever else is said."""
    approved = stated.vote.approved if isinstance(stated, Ballot) and isinstance(stated.vote, Approval) else ()
    return answer_of_options(approved, options) if approved else None


def _is_copied(texts: Sequence[str]) -> bool:
    """Whether the pattern was copied as it stands."""
    return any(no_choice(one) == "placeholder" for one in texts)


def _cast(chosen: Chosen | None, confidence: Fraction | None, rationale: str) -> Ballot:
    vote = Approval(chosen or ())
    return Ballot(vote=vote, confidence=confidence, rationale=rationale, abstain=chosen is None)


@dataclass(frozen=True, slots=True)
class _Written:
    """The texts of a list, or one text that may name several options."""

    texts: tuple[str, ...]
    listed: bool


def _written(part: Object) -> _Written | str:
    """What is written under the one name an answer has; else why nothing is."""
    values = [value for name, value in part.members if name in _KEYS]
    if len(values) != 1:
        return "duplicate"
    if values[0] is not None:
        return _Written((prose(values[0].raw),), listed=False)
    return _written_list(part)


def _written_list(part: Object) -> _Written | str:
    items = [item for name, item in part.items if name in _KEYS]
    texts = tuple(prose(item.raw) for item in items if isinstance(item, Scalar))
    if len(texts) != len(items) or (not items and part.inner):
        return "unknown_option"  # an object in the place of an option, or of the whole list
    return _Written(texts, listed=True)


def _chosen(written: _Written, options: tuple[str, ...]) -> Chosen | str | None:
    """The options that were named, in the order of the list, or why not; none where the seat abstains."""
    only = plain_option(written.texts[0]) if len(written.texts) == 1 else ""
    if only and abstains(written.texts[0], options):
        return None
    if only in _NOTHING and listed_option(only, options) is None:
        return ()
    if not written.listed:
        return _split(written.texts[0], options) if only else "no_option"
    if len(written.texts) > _MOST:
        return "overfull"
    return _in_order([_named(text, options) for text in written.texts], options)


def _named(words: str, options: tuple[str, ...]) -> str | None:
    if options:
        return listed_option(words, options)
    return None if no_choice(words) or abstains(words) or plain_option(words) in _NO_OPTION else words


def _in_order(named: Sequence[str | None], options: tuple[str, ...]) -> Chosen | str:
    known = [one for one in named if one is not None]
    if len(known) < len(named):
        return "unknown_option"
    if options:
        return tuple(option for option in dict.fromkeys(options) if option in known)
    first = {plain_option(one): one for one in reversed(known)}
    return tuple(first[words] for words in dict.fromkeys(map(plain_option, known)))


def _split(text: str, options: tuple[str, ...]) -> Chosen | str:
    """Several options in one text. A comma may belong to an option: what can be read in two ways is not read at all."""
    if not options:
        return _in_order([_named(piece, ()) for piece in _BETWEEN.split(text) if piece], ())
    ends = [(found.start(), found.end()) for found in _BETWEEN.finditer(text)]
    if len(ends) >= _WORDS:
        return "unknown_option"
    begins, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)]
    ways = {frozenset(way) for way in _ways(text, begins, stops, options)}
    if len(ways) != 1:
        return "ambiguous" if ways else "unknown_option"
    return _in_order(tuple(next(iter(ways))), options)


def _ways(text: str, begins: list[int], stops: list[int], options: tuple[str, ...]) -> list[Chosen]:
    """Up to a few ways to cut a text into options of the list, from its end to its beginning."""
    found: list[list[Chosen]] = [*(list[Chosen]() for _ in begins), [()]]
    for at in reversed(range(len(begins))):
        for stop in range(at, len(stops)):
            option = listed_option(text[begins[at] : stops[stop]], options) if found[stop + 1] else None
            if option is not None:
                found[at] += [(option, *rest) for rest in found[stop + 1]]
        found[at] = list(_distinct(found[at]))[:2]
    return found[0]


def _distinct(ways: list[Chosen]) -> Iterator[Chosen]:
    seen = set[frozenset[str]]()
    for way in ways:
        if frozenset(way) not in seen:
            seen.add(frozenset(way))
            yield way


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The approval as providers can enforce it; the rationale comes first."""
    options = terms.options
    item: Mapping[str, object] = {"type": "string", "enum": option_names(options)} if options else {"type": "string"}
    approval: Mapping[str, object] = {
        "rationale": {"type": "string", "description": "What speaks for and against each option."},
        "approved": {"type": "array", "items": item, "description": "Every option you approve of; empty for none."},
        "confidence": {"type": "number", "description": "How sure you are, 0 to 1."},
        "would_change": would_change_schema(),
    }
    return object_schema(terms.mark, approval)


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the approval. Echoed as it stands, it is none."""
    return _INSTRUCTIONS.format(line=with_mark(_LINE, terms.mark), change=WOULD_CHANGE, which=_which(terms.options))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the approval alone."""
    said = _SAID.get(why) or SAID.get(why, "no ballot could be read in it")
    return _REPAIR.format(said=said, line=with_mark(_LINE, terms.mark), which=_which(terms.options))


def _which(options: tuple[str, ...]) -> str:
    return told_options(options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME)


def sample(terms: AnswerTerms) -> str:
    """An approval that can be read: of the first of the list, or of anything."""
    option = next(iter(option_names(terms.options)), "something")
    stated = {"approved": [option], "confidence": 0.5, "rationale": "as said"}
    return answer_line("BALLOT", terms.mark, stated)


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """An approval of a file: a list of options, or a text; any words are an option, without a list."""
    values = [fields[key] for key in sorted(_KEYS) if key in fields]
    values += [value for value in values if isinstance(value, Twice)]
    confidence = read_number(fields, "confidence")
    if len(values) != 1 or isinstance(confidence, str):
        return Read(unreadable="bad_number" if isinstance(confidence, str) else "duplicate" if values else "no_ballot")
    chosen = _handed(values[0], terms.options)
    if isinstance(chosen, str):
        return Read(unreadable=chosen)
    return _FORM.handed(fields, _cast(chosen, confidence, read_reason(fields)), terms)


def _handed(value: object, options: tuple[str, ...]) -> Chosen | str | None:
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = tuple(" ".join(one.split()) for one in listed if isinstance(one, str))
    if len(texts) != len(listed):
        return "unknown_option"
    if _is_copied(texts):
        return "placeholder"
    return _chosen(_Written(texts, listed=isinstance(value, list)), options)


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Approval,
    states=("confidence",),
    shows=("abstain",),
    from_file=from_file,
    example='[{"seat": "First", "approved": ["Tuesday", "Friday"], "confidence": 0.8, "rationale": "…"}]',
)

_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_ballot": "there was no list of approved options in it",
        "no_option": "it did not say which options you approve of; for none of them write an empty list",
        "unknown_option": "it named an option that is not on the list",
        "ambiguous": "the options could be read in two ways; write them as a list",
        "incomplete": "its confidence was missing",
        "bad_number": "confidence was not a number from 0 to 1",
    }
)

_LINE: Final = (
    'BALLOT {{{mark}"approved": [<options>], "confidence": <number>, "rationale": <why, in quotes>, '
    '"would_change": <fact in quotes>}}'
)

_OPEN: Final = "- approved: every option you could live with, each in quotation marks, in a few clear words."

_BY_NUMBER: Final = """\
- approved: the numbers of all options you could live with, each in quotation marks: one, several, or an empty list \
for none. Nothing counts but these:
{listed}"""

_BY_NAME: Final = """\
- approved: all options you could live with, word for word, each in quotation marks: one, several, or an empty list \
for none. Nothing counts but these:
{listed}"""

_INSTRUCTIONS: Final = """\
First say what speaks for and against each option, in plain prose and in the language of the question. \
Then cast your ballot: one line, the last of your reply, on the pattern

{line}

with your own values where the pattern has angle brackets:
{which}
- confidence: how sure you are, from 0 to 1.
- rationale: your main reason, in one to three sentences; put a backslash before any double quote in it.
{change}
Copy everything else as it stands, the mark included. Approving of an option costs another nothing: leave out those \
you would not want. To abstain write "abstain" in place of the list. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your ballot again and nothing else: one line on the pattern

{line}

{which}
Confidence is a number from 0 to 1. Copy the mark as it stands."""
