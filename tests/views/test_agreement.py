"""Agreement is a share of the seats behind something: the document and the card name what, and it is so."""

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from quorate import catalogue, chair, presets, rules
from quorate.views.card import rows
from quorate.views.document import verdict_document
from quorate.views.result import Decision, Result, decision_of
from tests.capsule_plays import drawn_events
from tests.tribunal import PANEL, ballot, tally_of


def drawn(protocol: str, chance: Random) -> Decision | None:
    return decision_of(chair.replay(drawn_events(protocol, chance)))


def check(decision: Decision) -> bool:
    """See that what is said of the agreement is so; whether anything was said."""
    told: dict[str, Any] = verdict_document(decision)
    on, eligible = told["agreement_on"], decision.tally.eligible
    if told["agreement"] is None:
        assert on is None
        return False
    named = {option for vote in decision.votes for option in vote.choices}
    behind = {option: {vote.seat for vote in decision.votes if vote.backs(option)} for option in named}
    said = [
        option for option, seats in behind.items() if Fraction(len(seats), len(eligible)) == decision.verdict.agreement
    ]
    assert on in said if on is not None else len(said) != 1, told
    return on is not None


@pytest.mark.parametrize("protocol", [name for name in catalogue.names("protocol") if name not in {"delphi", "debate"}])
def test_so_many_seats_are_behind_what_the_agreement_is_said_to_be_on(protocol: str, seed: int) -> None:
    """Of estimates it is the share that lies close, and in a debate there is none."""
    decisions = [drawn(protocol, Random(f"{seed} {protocol} {number}")) for number in range(40)]

    assert sum(check(decision) for decision in decisions if decision is not None) > 5


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_every_seat_has_a_vote_or_is_named_with_the_reason_why_not(protocol: str, seed: int) -> None:
    for number in range(40):
        decision = drawn(protocol, Random(f"{seed} {protocol} {number}"))
        if decision is None or decision.tally.sides:
            continue
        told: dict[str, Any] = verdict_document(decision)
        voted, without = {vote["seat"] for vote in told["votes"]}, [gone["seat"] for gone in told["without_vote"]]

        assert voted.isdisjoint(without)
        assert voted | set(without) == set(decision.tally.eligible)
        assert all(gone["why"] for gone in told["without_vote"])


def test_where_a_cap_lowers_the_outcome_the_agreement_is_on_what_was_voted() -> None:
    counted = replace(tally_of([ballot("ACT")] * 3, PANEL), demo=True)
    book = presets.rulebook("tribunal")
    decision = Decision(rules.decide(counted, book), counted, book)

    assert (decision.verdict.outcome, decision.agreed_on) == ("WARN", "ACT")
    assert ("agreement", ("100 % on ACT, not on WARN",)) in rows(Result(decision=decision))
