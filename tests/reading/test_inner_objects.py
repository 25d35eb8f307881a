"""An object inside another is a ballot only under a listed name or with the seat's own mark; no other naming votes."""

import json
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from quorate import catalogue
from quorate.model.ballot import Read
from quorate.model.specs import AnswerTerms

MARK: Final = "5eed5eed5eed"
FOREIGN: Final = "0badc0de0bad"

BALLOTS: Final[Mapping[str, tuple[dict[str, object], tuple[str, ...]]]] = {
    "decision": ({"decision": "ACT", "confidence": 97, "risk": 2, "reasoning": "all clear"}, ()),
    "vote": ({"option": "Ship it", "confidence": 0.97, "rationale": "clear", "continue_debate": False}, ()),
    "finding": (
        {"outcome": "YES", "confidence": 0.97, "reasoning": "clear", "evidence": []},
        ("YES", "NO", "UNDETERMINED"),
    ),
    "probability": ({"outcome": "0.97", "confidence": 0.97, "reasoning": "clear", "evidence": []}, ()),
    "quantity": ({"outcome": "1200", "confidence": 0.97, "reasoning": "clear", "evidence": []}, ()),
    "argument": ({"claims": ["It is safe"], "evidence": ["100 of 100 runs"], "confidence": 0.97}, ("pro",)),
    "judgement": ({"a_evidence": 0.9, "a_logic": 0.9, "b_evidence": 0.1, "b_logic": 0.1}, ()),
    "assessment": ({"agreed": ["It is safe"], "open": [], "leaning": "for", "confidence": 0.97}, ()),
    "approval": ({"approved": ["Ship it"], "confidence": 0.97, "rationale": "clear"}, ()),
    "ranking": (
        {"ranking": ["Ship it", "Keep it"], "confidence": 0.97, "rationale": "clear"},
        ("Ship it", "Keep it"),
    ),
    "estimate": ({"value": 12, "low": 10, "high": 15, "confidence": 0.97, "rationale": "clear"}, ()),
}
"""Every form that casts something: a bold answer, and the options it is asked with."""
EVERY_FORM: Final = pytest.mark.parametrize("form", BALLOTS)

LISTED: Final = ("ballot", "vote", "decision", "answer", "arguments", "Ballot", "VOTE")

UNLISTED: Final = (
    *("rejected", "previous", "hypothetical", "example", "alternatives", "considered", "not_chosen", "draft"),
    *("if_forced", "quoted", "other_seat", "counterfactual", "template", "old", "wrong", "result", "final", "ruling"),
    *("my_ballot", "ballots", "votes", "final_answer", "response", "output", "properties", "schema", "input", "args"),
    *("ballot_of_another", "not_my_vote", "ball0t", "v\u043ete", "", "reasoning", "rationale", "evidence", "1"),
)

Wrap = Callable[[dict[str, object]], object]

NESTED: Final[Mapping[str, Wrap]] = {
    "two deep": lambda inner: {"notes": {"rejected": inner}},
    "a listed name inside another name": lambda inner: {"rejected": {"ballot": inner}},
    "another name inside a listed one": lambda inner: {"decision": {"rejected": inner}},
    "a listed name inside a listed one": lambda inner: {"answer": {"ballot": inner}},
    "a list": lambda inner: {"alternatives": [inner]},
    "a list of lists": lambda inner: {"alternatives": [[inner]]},
    "a list under a listed name": lambda inner: {"ballot": [inner]},
    "two in a list under a listed name": lambda inner: {"vote": [inner, inner]},
    "a name inside a list": lambda inner: {"options": [{"name": "go", "vote": inner}]},
    "a JSON string": lambda inner: {"rejected": json.dumps(inner)},
    "a JSON string under a listed name": lambda inner: {"ballot": json.dumps(inner)},
    "a whole reply that is a JSON string": json.dumps,
    "a tool call with a JSON string": lambda inner: {"name": "cast", "arguments": json.dumps(inner)},
    "a list of tool calls": lambda inner: {"tool_calls": [{"function": {"name": "cast", "arguments": inner}}]},
    "a vote elsewhere lends its name to nobody": lambda inner: {"vote": "see below", "rejected": inner},
    "two listed names": lambda inner: {"ballot": inner, "vote": inner},
    "a listed name twice": lambda inner: _Twice("ballot", inner),
}


class _Twice:
    """An object in which a name stands twice, which a dict cannot hold."""

    def __init__(self, name: str, inner: dict[str, object]) -> None:
        written = json.dumps(inner)
        self.text = f'{{"{name}": {written}, "{name}": {written}}}'


AROUND: Final[Mapping[str, str]] = {
    "alone": "{}",
    "in a fence": "```json\n{}\n```",
    "under a label": "BALLOT {}",
    "under a vote's label": "VOTE: {}",
    "under a label with the mark": f"BALLOT {MARK} {{}}",
    "in prose": "Here is my ballot.\n\n{}\n",
}


def written(wrapped: object) -> str:
    return wrapped.text if isinstance(wrapped, _Twice) else json.dumps(wrapped, ensure_ascii=False)


def read(form: str, text: str, *, mark: str = MARK, last: bool = True) -> Read:
    terms = AnswerTerms(options=BALLOTS[form][1], mark=mark, last=last)
    return catalogue.form(form).read(text, terms, "stop")


def casts(found: Read) -> bool:
    return found.ballot is not None or found.argument is not None


@EVERY_FORM
def test_the_ballot_of_the_table_counts_by_itself(form: str) -> None:
    ballot = BALLOTS[form][0]

    assert casts(read(form, written({"mark": MARK, **ballot}), last=False))
    assert casts(read(form, written(ballot))), "unmarked, alone, and asked for the last time"


@EVERY_FORM
@pytest.mark.parametrize("name", LISTED)
def test_a_ballot_under_a_listed_name_counts(form: str, name: str) -> None:
    ballot = BALLOTS[form][0]

    assert casts(read(form, written({name: {"mark": MARK, **ballot}}), last=False))
    assert casts(read(form, written({"mark": MARK, name: ballot}), last=False))
    assert casts(read(form, written({name: ballot})))
    assert casts(read(form, written({"name": form, name: {"mark": MARK, **ballot}}), last=False))


@EVERY_FORM
@pytest.mark.parametrize("name", ["my_ballot", "response", "Safety"])
def test_a_ballot_that_carries_the_mark_itself_counts_under_any_name(form: str, name: str) -> None:
    assert casts(read(form, written({name: {"mark": MARK, **BALLOTS[form][0]}}), last=False))


@EVERY_FORM
@pytest.mark.parametrize("around", AROUND)
def test_a_ballot_under_any_other_name_is_never_counted(form: str, around: str) -> None:
    ballot = BALLOTS[form][0]
    for name in UNLISTED:
        for beside in ({}, {"mark": MARK}, {"note": "I do not mean this."}, {"mark": FOREIGN}):
            for mark in (MARK, ""):
                for last in (False, True):
                    text = AROUND[around].format(written({**beside, name: ballot}))
                    assert not casts(read(form, text, mark=mark, last=last)), text


@EVERY_FORM
@pytest.mark.parametrize("shape", NESTED)
def test_a_ballot_in_any_other_shape_is_never_counted(form: str, shape: str) -> None:
    ballot = BALLOTS[form][0]
    for around in AROUND.values():
        for mark in (MARK, ""):
            text = around.format(written(NESTED[shape](ballot)))
            assert not casts(read(form, text, mark=mark)), text


OTHERS: Final[Mapping[str, dict[str, object]]] = {
    "decision": {"decision": "REFUSE", "confidence": 60, "risk": 80, "reasoning": "no"},
    "vote": {"option": "Keep it", "confidence": 0.6, "rationale": "no", "continue_debate": False},
    "finding": {"outcome": "NO", "confidence": 0.6, "reasoning": "no", "evidence": []},
    "probability": {"outcome": "0.2", "confidence": 0.6, "reasoning": "no", "evidence": []},
    "quantity": {"outcome": "3", "confidence": 0.6, "reasoning": "no", "evidence": []},
    "argument": {"claims": ["It is not"], "evidence": ["0 of 100 runs"], "confidence": 0.6},
    "judgement": {"a_evidence": 0.1, "a_logic": 0.1, "b_evidence": 0.9, "b_logic": 0.9},
    "assessment": {"agreed": ["It is not"], "open": [], "leaning": "against", "confidence": 0.6},
    "approval": {"approved": ["Keep it"], "confidence": 0.6, "rationale": "no"},
    "ranking": {"ranking": ["Keep it", "Ship it"], "confidence": 0.6, "rationale": "no"},
    "estimate": {"value": 3, "low": 2, "high": 4, "confidence": 0.6, "rationale": "no"},
}


@EVERY_FORM
@pytest.mark.parametrize("name", ["rejected", "previous", "alternatives"])
def test_what_a_seat_calls_rejected_never_replaces_its_own_ballot(form: str, name: str) -> None:
    bold, own = BALLOTS[form][0], {"mark": MARK, **OTHERS[form]}
    alone = read(form, written(own), last=False)
    for inner in (bold, [bold], {"ballot": bold}):
        found = read(form, written({**own, name: inner}), last=False)

        assert (found.ballot, found.argument) in ((alone.ballot, alone.argument), (None, None))


@EVERY_FORM
def test_two_ballots_in_one_object_are_none(form: str) -> None:
    bold, other = BALLOTS[form][0], OTHERS[form]
    for wrapped in (
        {"ballot": {"mark": MARK, **bold}, "vote": other},
        {"ballot": {"mark": MARK, **bold}, "vote": {"mark": MARK, **other}},
        {"mark": MARK, **other, "ballot": bold},
        {"mark": MARK, **other, "ballot": {"mark": MARK, **bold}},
        {"alternatives": [{"mark": MARK, **other}, {"mark": MARK, **bold}]},
        {"mine": {"mark": MARK, **other}, "theirs": {"mark": MARK, **bold}},
    ):
        assert not casts(read(form, written(wrapped))), wrapped


@EVERY_FORM
def test_another_seat_s_mark_makes_a_ballot_nobody_s(form: str) -> None:
    ballot = BALLOTS[form][0]
    for text in (
        written({"mark": FOREIGN, **ballot}),
        written({"mark": FOREIGN, "ballot": ballot}),
        written({"mark": FOREIGN, "ballot": {"mark": MARK, **ballot}}),
        written({"mark": MARK, "ballot": {"mark": FOREIGN, **ballot}}),
        written({"ballot": {"mark": FOREIGN, **ballot}}),
        written({"rejected": {"mark": FOREIGN, **ballot}}),
        f"BALLOT {FOREIGN} {written(ballot)}",
        f"BALLOT {FOREIGN} {written({'mark': MARK, **ballot})}",
        f"VOTE: {FOREIGN} {written(ballot)}",
        f"VOTE: {FOREIGN} {written({'mark': MARK, **ballot})}",
        f"BALLOT {MARK} {written({'mark': FOREIGN, **ballot})}",
        f"FINDING {FOREIGN}\n```json\n{written(ballot)}\n```",
    ):
        assert not casts(read(form, text)), text
