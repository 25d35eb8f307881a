"""Ranked ballots: published elections with their published results, and what each method promises."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import catalogue, presets
from quorate.analysis.ranked_choice import (
    Order,
    beatpath_winners,
    borda_points,
    condorcet_winner,
    instant_runoff,
    orders_of,
    pairwise_counts,
)
from quorate.chair.tolerance import tolerance_of
from quorate.model import PartRef, Tally, Verdict
from quorate.rules import decide
from tests.rankings import order, orders, raised, rankings, tally_of_orders

METHODS = ("borda", "condorcet", "instant_runoff")
OPTIONS = ("A", "B", "C", "D")
BALLOTS = st.lists(rankings(OPTIONS), max_size=7).map(tuple)

TENNESSEE = orders(
    (42, "Memphis > Nashville > Chattanooga > Knoxville"),
    (26, "Nashville > Chattanooga > Knoxville > Memphis"),
    (15, "Chattanooga > Knoxville > Nashville > Memphis"),
    (17, "Knoxville > Chattanooga > Nashville > Memphis"),
)
"""The capital of Tennessee, as in the encyclopedias: 100 voters, four cities."""

SCHULZE = orders(
    (5, "A > C > B > E > D"), (5, "A > D > E > C > B"), (8, "B > E > D > A > C"), (3, "C > A > B > E > D"),
    (7, "C > A > E > B > D"), (2, "C > B > A > D > E"), (7, "D > C > E > B > A"), (8, "E > B > A > D > C"),
)  # fmt: skip
"""Schulze's own example of 45 voters."""

CONDORCET = orders((23, "A > B > C"), (17, "B > C > A"), (2, "B > A > C"), (10, "C > A > B"), (8, "C > B > A"))
"""Condorcet, Essai sur l'application de l'analyse, 1785: 60 voters whose majorities run in a circle."""

BURLINGTON = orders(
    (1332, "Montroll > Kiss > Wright"), (767, "Montroll > Wright > Kiss"), (455, "Montroll"),
    (2043, "Kiss > Montroll > Wright"), (371, "Kiss > Wright > Montroll"), (568, "Kiss"),
    (1513, "Wright > Montroll > Kiss"), (495, "Wright > Kiss > Montroll"), (1289, "Wright"),
)  # fmt: skip
"""Burlington, Vermont, mayor 2009, its last three: Kiss won the runoff, and Montroll every pair."""

STRAFFIN = orders((6, "A > B > C"), (2, "B > A > C"), (4, "B > C > A"), (5, "C > A > B"))
"""Straffin, Topics in the Theory of Voting: two voters who raise the winner of a runoff make it lose."""


def ruled(name: str, ballots: tuple[Order, ...]) -> Verdict:
    verdict = catalogue.rule(name).function(tally_of_orders(ballots))
    assert verdict is not None
    return verdict


@pytest.mark.parametrize(
    ("ballots", "rule", "winner"),
    [
        (TENNESSEE, "condorcet", "Nashville"),
        (TENNESSEE, "borda", "Nashville"),
        (TENNESSEE, "instant_runoff", "Knoxville"),
        (SCHULZE, "condorcet", "E"),
        (CONDORCET, "condorcet", "B"),
        (BURLINGTON, "instant_runoff", "Kiss"),
        (BURLINGTON, "condorcet", "Montroll"),
        (STRAFFIN, "instant_runoff", "A"),
    ],
)
def test_a_published_election_has_its_published_winner(ballots: tuple[Order, ...], rule: str, winner: str) -> None:
    verdict = ruled(rule, ballots)

    assert (verdict.outcome, verdict.decided) == (winner, True)


def test_the_capital_of_tennessee_has_the_published_borda_points() -> None:
    assert borda_points(TENNESSEE) == {"Nashville": 194, "Chattanooga": 173, "Memphis": 126, "Knoxville": 107}


def test_equals_share_the_points_of_their_places() -> None:
    points = borda_points(orders((1, "A > B = C > D"), (1, "B = D > A = C")))

    assert points == {"A": Fraction(7, 2), "B": 4, "C": 2, "D": Fraction(5, 2)}
    assert sum(points.values()) == 2 * (3 + 2 + 1)


def test_the_runoff_of_tennessee_goes_round_by_round() -> None:
    runoff = instant_runoff(TENNESSEE)

    assert [held.eliminated for held in runoff.rounds] == [("Chattanooga",), ("Nashville",), ()]
    assert dict(runoff.rounds[-1].held) == {"Knoxville": 58, "Memphis": 42}
    assert (
        "round 2: 'Memphis' 42, 'Knoxville' 32, 'Nashville' 26, 'Nashville' eliminated"
        in ruled("instant_runoff", TENNESSEE).because
    )


def test_burlington_has_its_published_pairs() -> None:
    counts = pairwise_counts(orders_of(tally_of_orders(BURLINGTON)))

    assert (counts["Montroll", "Kiss"], counts["Kiss", "Montroll"]) == (4067, 3477)
    assert (counts["Montroll", "Wright"], counts["Wright", "Montroll"]) == (4597, 3668)
    assert (counts["Kiss", "Wright"], counts["Wright", "Kiss"]) == (4314, 4064)


def test_schulzes_example_has_no_condorcet_winner_and_the_rule_says_so() -> None:
    assert condorcet_winner(SCHULZE) is None
    assert beatpath_winners(SCHULZE) == ("E",)
    assert "there is no Condorcet winner; 'E' wins by beatpaths" in ruled("condorcet", SCHULZE).because
    assert "it is the Condorcet winner" in ruled("condorcet", TENNESSEE).because


@pytest.mark.parametrize(
    ("ballots", "rule", "because"),
    [
        (orders((1, "A > B > C"), (1, "B > C > A"), (1, "C > A > B")), "condorcet", "'A', 'B' and 'C' are tied by"),
        (orders((1, "A > B > C"), (1, "B > C > A"), (1, "C > A > B")), "borda", "'A', 'B' and 'C' have the most"),
        (orders((1, "A > B > C"), (1, "B > C > A"), (1, "C > A > B")), "instant_runoff", "'A', 'B' and 'C' are tied"),
        (orders((1, "A > B"), (1, "B > A")), "condorcet", "'A' and 'B' are tied by beatpaths"),
        (orders((1, "A > B"), (1, "B > A")), "instant_runoff", "'A' and 'B' are tied in round 1"),
        (orders((3, "A > B > C"), (2, "B > A > C"), (2, "C > B > A")), "instant_runoff", "a tie in round 1 who is"),
        ((), "borda", "no seat ranked an option"),
        ((), "condorcet", "no seat ranked an option"),
        ((), "instant_runoff", "no seat ranked an option"),
    ],
)
def test_a_tie_is_named_and_decides_nothing(ballots: tuple[Order, ...], rule: str, because: str) -> None:
    verdict = ruled(rule, ballots)

    assert (verdict.outcome, verdict.decided, verdict.requires_human_review) == (None, False, True)
    assert because in verdict.because
    assert verdict.agreement is None


def test_the_last_go_together_only_if_the_order_in_which_they_go_changes_nothing() -> None:
    safe = orders((5, "A > B > C > D"), (4, "B > A > C > D"), (1, "C > B > A > D"), (1, "D > C > B > A"))
    open_ = orders((5, "A > B > C > D"), (2, "B > A > C > D"), (1, "C > D > B > A"), (1, "D > C > B > A"))

    assert instant_runoff(safe).rounds[0].eliminated == ("C", "D")
    assert instant_runoff(safe).winner == "B"
    assert instant_runoff(open_).winner == "A"  # more than half already
    assert instant_runoff(open_[1:]).tied == ("C", "D")


def test_a_single_option_that_everybody_ranks_wins_alone() -> None:
    for rule in METHODS:
        assert ruled(rule, orders((2, "A"))).outcome == "A"


@given(BALLOTS, st.permutations(OPTIONS))
def test_renaming_the_options_renames_the_winner(ballots: tuple[Order, ...], names: list[str]) -> None:
    new = dict(zip(OPTIONS, names, strict=True))
    renamed = tuple(tuple(tuple(new[one] for one in place) for place in ballot) for ballot in ballots)
    for rule in METHODS:
        before, after = ruled(rule, ballots).outcome, ruled(rule, renamed).outcome
        assert after == (new[before] if before else None)


@given(BALLOTS, st.randoms(use_true_random=False))
def test_whose_ballot_it_is_never_matters(ballots: tuple[Order, ...], order_: object) -> None:
    shuffled = list(ballots)
    order_.shuffle(shuffled)  # type: ignore[attr-defined]
    for rule in METHODS:
        assert ruled(rule, ballots).because == ruled(rule, tuple(shuffled)).because


@given(BALLOTS.filter(bool), st.integers(0, 6), st.integers(0, 3))
def test_raising_the_winner_keeps_it_unless_the_rule_declares_otherwise(
    ballots: tuple[Order, ...], at: int, to: int
) -> None:
    for rule in METHODS:
        wins = ruled(rule, ballots).outcome
        if wins is None or "raising the winner" in catalogue.rule(rule).breaks:
            continue
        whole = orders_of(tally_of_orders(ballots))
        place = at % len(ballots)
        more = (*whole[:place], raised(whole[place], wins, to), *whole[place + 1 :])
        assert ruled(rule, more).outcome == wins, (rule, whole, more)


def test_the_runoff_really_breaks_what_it_declares() -> None:
    kinder = orders((8, "A > B > C"), (4, "B > C > A"), (5, "C > A > B"))

    assert "raising the winner" in catalogue.rule("instant_runoff").breaks
    assert ruled("instant_runoff", STRAFFIN).outcome == "A"
    assert ruled("instant_runoff", kinder).outcome == "C"


@given(BALLOTS)
def test_an_option_that_wins_every_pair_is_elected(ballots: tuple[Order, ...]) -> None:
    whole = orders_of(tally_of_orders(ballots))
    wins = condorcet_winner(whole)
    if wins is not None:
        assert beatpath_winners(whole) == (wins,)
        assert ruled("condorcet", ballots).outcome == wins


@given(BALLOTS)
def test_an_option_that_more_than_half_put_first_alone_wins_by_pairs_and_runoff(ballots: tuple[Order, ...]) -> None:
    for option in OPTIONS:
        if 2 * sum(ballot[0] == (option,) for ballot in ballots) > len(ballots):
            assert {ruled(rule, ballots).outcome for rule in ("condorcet", "instant_runoff")} == {option}


@given(BALLOTS, st.integers(0, 3), st.integers(0, 3))
def test_who_is_silent_or_abstains_helps_no_option(ballots: tuple[Order, ...], silent: int, abstained: int) -> None:
    for rule in METHODS:
        verdict = catalogue.rule(rule).function(tally_of_orders(ballots, silent, abstained))
        assert verdict is not None
        assert verdict.because == ruled(rule, ballots).because


@given(BALLOTS.filter(bool))
def test_points_and_runoff_votes_add_up(ballots: tuple[Order, ...]) -> None:
    whole = orders_of(tally_of_orders(ballots))
    count = sum(map(len, whole[0]))

    assert sum(borda_points(whole).values()) == Fraction(len(whole) * count * (count - 1), 2)
    for held in instant_runoff(whole).rounds:
        assert sum(votes for _, votes in held.held) == len(whole)


@pytest.mark.parametrize("book", METHODS)
def test_a_rulebook_asks_for_a_quorum_before_it_ranks(book: str) -> None:
    few = tally_of_orders(orders((2, "A > B")), silent=2)
    enough = tally_of_orders(orders((3, "A > B")), silent=2)
    nobody = tally_of_orders((), silent=1, abstained=2)

    assert (decide(few, presets.rulebook(book)).rule, decide(few, presets.rulebook(book)).outcome) == ("quorum", None)
    assert decide(enough, presets.rulebook(book)).outcome == "A"
    assert decide(nobody, presets.rulebook(book)).rule == "all_silent"


@pytest.mark.parametrize("book", METHODS)
def test_agreement_and_dissent_are_told_of_first_places_alone_or_shared(book: str) -> None:
    tally = tally_of_orders(orders((1, "A > B > C"), (1, "A = B > C"), (1, "B = C > A"), (1, "A > C > B")), silent=1)

    verdict = decide(tally, presets.rulebook(book))
    assert verdict.outcome == "A"
    assert verdict.agreement == Fraction(3, 5)
    assert verdict.dissent == ("s2",)
    assert tally.cast == ("A",)
    assert tally.heads("A") == 2
    assert (tally.participation.received, tally.participation.failed) == (4, 1)


def test_rules_for_heads_count_no_head_for_a_shared_first_place() -> None:
    tally = tally_of_orders(orders((2, "A > B"), (1, "A = B")))
    shared = tally_of_orders(orders((3, "A = B")))

    verdict = decide(tally, presets.rulebook("plurality"))
    assert (verdict.rule, verdict.because) == ("plurality", "2 of 3 seats chose 'A', more than half of the seats")
    assert decide(shared, presets.rulebook("plurality")).outcome is None


def test_seats_that_fell_back_on_one_model_are_one_voice_whatever_they_ranked_first() -> None:
    tally = tally_of_orders(orders((1, "A > B > C"), (1, "C > B > A"), (1, "B > A > C")))
    meant = tuple((seat, seat) for seat in tally.eligible)
    fallen = replace(tally, meant=meant, domains=tuple((seat, "one") for seat in tally.eligible))

    assert decide(replace(tally, meant=meant, domains=meant), presets.rulebook("condorcet")).decided
    verdict = decide(fallen, presets.rulebook("condorcet"))
    assert (verdict.decided, verdict.rule) == (False, "one_voice")
    held = "but after fallbacks the 3 seats that voted share models and count as 1 voice, so nothing is decided"
    assert verdict.because.endswith(held)


def test_nothing_is_claimed_of_liars_where_a_rule_looks_into_votes_or_is_not_known() -> None:
    unknown = replace(presets.rulebook("plurality"), otherwise=PartRef("of_somebody_else"))

    bench = Tally(eligible=("a", "b", "c"), options=())
    books = [*map(presets.rulebook, METHODS), unknown]
    assert [tolerance_of(bench, book).figures for book in books] == [None] * 4
    assert tolerance_of(bench, presets.rulebook("plurality")).figures is not None


def test_an_order_reads_as_it_is_written() -> None:
    assert order("B > A = C") == (("B",), ("A", "C"))
