"""Every option a seat approves of, on a closed list: any number of them, or none; confidence from 0 to 1 and why."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Approval, Ballot
from quorate.model.once import lazy_pattern
from quorate.reading.text.answer_fields import CONFIDENCE, REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.listed_options import (
    abstains,
    listed_option,
    no_choice,
    option_names,
    plain_option,
    told_options,
)
from quorate.reading.text.object_form import object_form
from quorate.reading.text.objects import Object
from quorate.reading.text.unreadable import ballot_reasons
from quorate.reading.vote import ABSTAIN, also_abstains, lacks_confidence

_BETWEEN: Final = lazy_pattern(r"\s*(?:[,;\n]\s*(?:and\s|&)?|\sand\s|&)\s*", re.IGNORECASE)
_NOTHING: Final = frozenset({"nothing", "none of them", "none of these", "none of the above"})
_NO_OPTION: Final = _NOTHING | {"true", "false", "null"}
"""What is never an option to win, unless these very words are on the list."""
_MOST: Final = 100
"""Options in one answer; a list that needs more is none."""
_WORDS: Final = 24
"""Pieces of one text that are looked at; more are written as a list."""

Chosen = tuple[str, ...]


def judge(fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
    """The options that these fields approve of; without a list any words are an option."""
    texts, listed = fields.values["approved"], _is_list(fields)
    if fields.part is not None and _holds_objects(fields.part):
        return "unknown_option"  # an object in the place of an option, or of the whole list
    if any(no_choice(text) == "placeholder" for text in texts):
        return "placeholder"
    chosen, confidence = _chosen(texts, terms.options, listed=listed), fields.share("confidence")
    if isinstance(chosen, str):
        return chosen
    abstained = chosen is None
    why = lacks_confidence(fields, abstained=abstained) or also_abstains(fields, abstained=abstained)
    if why:
        return why
    vote = Approval(chosen or ())
    return Ballot(vote=vote, confidence=confidence, rationale=fields.text("rationale"), abstain=abstained)


def _holds_objects(part: Object) -> bool:
    listed = any(name in _KEYS and isinstance(item, Object) for name, item in part.items)
    return listed or any(inner.name in _KEYS for inner in part.inner)


def _is_list(fields: AnswerFields) -> bool:
    if fields.part is None:
        return isinstance(next(fields.handed[key] for key in _KEYS if key in fields.handed), list)
    return any(name in _KEYS and value is None for name, value in fields.part.members)


def _chosen(texts: tuple[str, ...], options: tuple[str, ...], *, listed: bool) -> Chosen | str | None:
    """The options that were named, in the order of the list, or why not; none where the seat abstains."""
    only = plain_option(texts[0]) if len(texts) == 1 else ""
    if only and abstains(texts[0], options):
        return None
    if only in _NOTHING and listed_option(only, options) is None:
        return ()
    if not listed:
        return _split(texts[0], options) if only else "no_option"
    if len(texts) > _MOST:
        return "overfull"
    return _in_order([_named(text, options) for text in texts], options)


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


_KEYS: Final = ("approved", "approves", "approve", "approvals")
_OPEN: Final = "every option you could live with, each in quotation marks, in a few clear words."
_BY_NUMBER: Final = (
    "the numbers of all options you could live with, each in quotation marks: one, several, or an empty list for none. "
    "Nothing counts but these:\n{listed}"
)
_BY_NAME: Final = (
    "all options you could live with, word for word, each in quotation marks: one, several, or an empty list for none. "
    "Nothing counts but these:\n{listed}"
)


def _schema(terms: AnswerTerms) -> dict[str, object]:
    enum = {"enum": option_names(terms.options)} if terms.options else {}
    items = {"type": "string", **enum}
    return {"type": "array", "items": items, "description": "Every option you approve of; empty for none."}


def _sample(terms: AnswerTerms) -> list[str]:
    return [next(iter(option_names(terms.options)), "something")]


SPEC: Final = object_form(
    "BALLOT",
    {
        "approved": FormField(
            told=lambda terms: told_options(terms.options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME),
            sample=_sample,
            schema=_schema,
            aliases=_KEYS[1:],
            pattern="[<options>]",
            listed=True,
        ),
        "confidence": CONFIDENCE,
        "rationale": REASONING,
        "would_change": WOULD_CHANGE,
        "abstain": ABSTAIN,
    },
    judge,
    vote=Approval,
    states=("confidence",),
    shows=("abstain",),
    intro=(
        "First say what speaks for and against each option, in plain prose and in the language of the question. "
        "Then cast your ballot: one line, the last of your reply,"
    ),
    outro=(
        "Approving of an option costs another nothing: leave out those you would not want. "
        'To abstain write "abstain" in place of the list.'
    ),
    noun="ballot",
    reasons=ballot_reasons("ballot"),
    example='[{"seat": "First", "approved": ["Tuesday", "Friday"], "confidence": 0.8, "rationale": "…"}]',
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
