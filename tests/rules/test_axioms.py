"""What holds for every rule and every rulebook that ships. A rule that breaks an axiom declares it."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import catalogue, presets
from quorate.model import Ballot, Named, Rulebook, Silence, Tally, Verdict, Voice
from quorate.rules import decide
from tests.tribunal import GATES, OUTCOMES, ballot, panel_of, tally_of

RULES = [name for name in catalogue.names("rule") if catalogue.rule(name).rule is not None]
SHARES = st.none() | st.fractions(0, 1)
CASTS = ("ACT", "WARN", "REFUSE")


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    """Any tally there can be: seats that vote, are silent or abstain, with any numbers or none."""
    seats = [f"s{number}" for number in range(draw(st.integers(0, 6)))]
    guardians = tuple(seat for seat in seats if draw(st.booleans()))
    kinds = {seat: draw(st.sampled_from(("votes", "silent", "abstains"))) for seat in seats}
    voices = tuple(
        Voice(
            seat=seat,
            option=draw(st.sampled_from(OUTCOMES)),
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


def renamed(tally: Tally) -> Tally:
    voices = tuple(replace(voice, option=NEW[voice.option]) for voice in tally.voices)
    sealed = renamed(tally.sealed) if tally.sealed else None
    return replace(tally, options=tuple(NEW[option] for option in tally.options), voices=voices, sealed=sealed)


def said(name: str, tally: Tally, means: str) -> str | None:
    rule = catalogue.rule(name).function
    takes = {setting.name for setting in catalogue.settings(rule)}
    verdict: Verdict | None = rule(tally, **({"means": means} if "means" in takes else {}))
    return verdict.outcome if verdict else None


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
@given(tally=tallies())
def test_renaming_the_options_renames_the_outcome_and_nothing_else(name: str, tally: Tally) -> None:
    before, after = said(name, tally, "WARN"), said(name, renamed(tally), "SLOW")

    assert after == (NEW[before] if before else None)


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


def breaks(named: Named) -> tuple[str, ...]:
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
