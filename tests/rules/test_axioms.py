"""What holds for every rule and every rulebook that ships. A rule that breaks an axiom declares it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import catalogue, presets
from quorate.analysis.ranked_choice import Order
from quorate.model import Ballot, PartRef, Ranking, Rulebook, Silence, Tally, Verdict, Voice, Vote
from quorate.model.ballot import Approval, Estimate
from quorate.model.numbers import decimal
from quorate.model.specs import VoteKind
from quorate.rules import decide
from tests.rankings import rankings
from tests.tribunal import GATES, OUTCOMES, ballot, panel_of, tally_of

RULES = [name for name in catalogue.names("rule") if catalogue.rule(name).rule is not None]
SHARES = st.none() | st.fractions(0, 1)
CASTS = ("ACT", "WARN", "REFUSE")


def voted(option: str, vote: Vote | None = None) -> dict[str, Any]:
    """What a voice holds of a vote."""
    return {"option": option, "vote": vote}


def ranked(ranking: Order) -> dict[str, Any]:
    """A head for the first place, where it is not shared."""
    return voted(ranking[0][0] if len(ranking[0]) == 1 else "", Ranking(ranking))


def approved(options: tuple[str, ...]) -> dict[str, Any]:
    return voted(str(Approval(options)), Approval(options))


def estimated(number: Fraction) -> dict[str, Any]:
    return {**voted(decimal(number), Estimate(number)), "value": number}


CAST: Mapping[VoteKind | None, st.SearchStrategy[dict[str, Any]]] = {
    None: st.sampled_from(OUTCOMES).map(voted),
    Ranking: rankings(OUTCOMES).map(ranked),
    Approval: st.sets(st.sampled_from(OUTCOMES)).map(lambda chosen: approved(tuple(sorted(chosen)))),
    Estimate: st.sampled_from((10, 11, 12, 12, 40)).map(lambda number: estimated(Fraction(number))),
}
"""What a seat may cast, by the kind of vote that a rule looks into; none if it goes by heads alone."""


def cast_for(name: str) -> VoteKind | None:
    """The kind of vote that a rule looks into."""
    return next(iter(catalogue.rule(name).votes), None)


@st.composite
def tallies(draw: st.DrawFn, kind: VoteKind | None = None) -> Tally:
    """Any tally there can be: seats that vote, are silent or abstain, with any numbers or none."""
    seats = [f"s{number}" for number in range(draw(st.integers(0, 6)))]
    guardians = tuple(seat for seat in seats if draw(st.booleans()))
    kinds = {seat: draw(st.sampled_from(("votes", "silent", "abstains"))) for seat in seats}
    voices = tuple(
        Voice(
            seat=seat,
            **draw(CAST[kind]),
            confidence=draw(SHARES),
            risk=draw(SHARES),
            veto=seat in guardians and draw(st.booleans()),
        )
        for seat in seats
        if kinds[seat] == "votes"
    )
    tally = Tally(
        eligible=tuple(seats),
        options=OUTCOMES,
        voices=voices,
        silent=tuple(Silence(seat=seat, why="timeout") for seat in seats if kinds[seat] == "silent"),
        abstained=tuple(seat for seat in seats if kinds[seat] == "abstains"),
        guardians=guardians,
        demo=draw(st.booleans()),
    )
    return replace(tally, sealed=draw(st.none() | st.just(tally)))


def tables(seats: int) -> list[tuple[str, ...]]:
    return list(product(CASTS, repeat=seats))


def outcome(book: Rulebook, votes: tuple[str, ...]) -> str | None:
    casts: list[Ballot | None] = [ballot(vote, 90, 10) for vote in votes]
    return decide(tally_of(casts, panel_of(len(votes), guardian=False)), book).outcome


@pytest.mark.slow
@pytest.mark.parametrize("book", GATES)
@given(tally=tallies())
def test_every_rulebook_answers_every_possible_input(book: str, tally: Tally) -> None:
    verdict = decide(tally, presets.rulebook(book))

    assert verdict.outcome in OUTCOMES
    assert verdict.because
    assert not (tally.demo and verdict.outcome == "ACT")
    assert verdict.agreement is None or 0 <= verdict.agreement <= 1


@pytest.mark.slow
@pytest.mark.parametrize("book", GATES)
@given(tally=tallies(), order=st.randoms(use_true_random=False))
def test_the_order_of_ballots_never_changes_a_verdict(book: str, tally: Tally, order: object) -> None:
    voices, silent = list(tally.voices), list(tally.silent)
    order.shuffle(voices)  # type: ignore[attr-defined]
    order.shuffle(silent)  # type: ignore[attr-defined]
    shuffled = replace(tally, voices=tuple(voices), silent=tuple(silent))

    one, other = decide(tally, presets.rulebook(book)), decide(shuffled, presets.rulebook(book))
    assert (one.outcome, one.rule, one.agreement, one.confidence, set(one.dissent)) == (
        other.outcome, other.rule, other.agreement, other.confidence, set(other.dissent),
    )  # fmt: skip


NEW = {"ACT": "GO", "WARN": "SLOW", "REFUSE": "STOP"}


def renamed_vote(vote: Vote | None) -> Vote | None:
    match vote:
        case Ranking(ranking=places):
            return Ranking(tuple(tuple(NEW[option] for option in place) for place in places))
        case Approval(approved=options):
            return Approval(tuple(NEW[option] for option in options))
        case Estimate():
            return vote
        case _:
            assert vote is None, f"say how {vote!r} is renamed"
            return None


def renamed(tally: Tally) -> Tally:
    voices = tuple(
        replace(voice, option=NEW.get(voice.option, ""), vote=renamed_vote(voice.vote)) for voice in tally.voices
    )
    sealed = renamed(tally.sealed) if tally.sealed else None
    return replace(tally, options=tuple(NEW[option] for option in tally.options), voices=voices, sealed=sealed)


def said(name: str, tally: Tally, means: str) -> str | None:
    rule = catalogue.rule(name).function
    takes = {setting.name for setting in catalogue.settings(rule)}
    verdict: Verdict | None = rule(tally, **({"means": means} if "means" in takes else {}))
    return verdict.outcome if verdict else None


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_renaming_the_options_renames_the_outcome_and_nothing_else(name: str, data: st.DataObject) -> None:
    tally = data.draw(tallies(cast_for(name)))
    before, after = said(name, tally, "WARN"), said(name, renamed(tally), "SLOW")

    assert after == (NEW.get(before, before) if before else None)  # a number has no other name


LOOKING = [name for name in RULES if cast_for(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKING)
@given(data=st.data(), order=st.randoms(use_true_random=False))
def test_a_rule_that_looks_into_votes_does_not_see_whose_they_are(
    name: str, data: st.DataObject, order: object
) -> None:
    tally = data.draw(tallies(cast_for(name)))
    voices = list(tally.voices)
    order.shuffle(voices)  # type: ignore[attr-defined]

    assert said(name, replace(tally, voices=tuple(voices)), "WARN") == said(name, tally, "WARN")


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKING)
@given(data=st.data())
def test_a_rule_that_looks_into_votes_is_helped_by_nobody_who_has_none(name: str, data: st.DataObject) -> None:
    tally = data.draw(tallies(cast_for(name)))
    alone = replace(tally, eligible=tuple(voice.seat for voice in tally.voices), silent=(), abstained=())

    assert said(name, tally, "WARN") in {said(name, alone, "WARN"), None}


@pytest.mark.parametrize("book", GATES)
@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
def test_adding_support_to_the_outcome_keeps_it_unless_a_rule_declares_otherwise(book: str, seats: int) -> None:
    rulebook = presets.rulebook(book)
    kept = tuple(rule for rule in rulebook.rules if "adding support" not in breaks(rule))
    obedient = replace(rulebook, rules=kept)
    for votes in tables(seats):
        wins = outcome(obedient, votes)
        for place in range(seats):
            more = (*votes[:place], str(wins), *votes[place + 1 :])
            assert outcome(obedient, more) == wins, f"{votes} gives {wins}, {more} does not"


def breaks(named: PartRef) -> tuple[str, ...]:
    return catalogue.rule(named.name).breaks


def test_the_tie_rule_really_breaks_what_it_declares() -> None:
    tribunal = presets.rulebook("tribunal")

    assert outcome(tribunal, ("ACT", "ACT", "WARN", "REFUSE", "REFUSE")) == "REFUSE"
    assert outcome(tribunal, ("ACT", "ACT", "REFUSE", "REFUSE", "REFUSE")) == "WARN"


@pytest.mark.slow
@pytest.mark.parametrize("book", GATES)
@given(tally=tallies(), number=st.integers(0, 5))
def test_silencing_a_seat_never_brings_approval(book: str, tally: Tally, number: int) -> None:
    voices = tally.voices
    if not voices:
        return
    gone = voices[number % len(voices)]
    quieter = replace(
        tally,
        voices=tuple(voice for voice in voices if voice is not gone),
        silent=(*tally.silent, Silence(seat=gone.seat, why="timeout")),
    )
    if decide(tally, presets.rulebook(book)).outcome != "ACT":
        assert decide(quieter, presets.rulebook(book)).outcome != "ACT"
