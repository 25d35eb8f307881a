"""Approval: the most approved option wins, a tie is visible, and what approval voting is known to keep holds."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import presets
from quorate.counting.approvals import count
from quorate.model import Ballot, Brief, Heard, Panel, Question, Seat, Silence, Speech, Tally, Verdict
from quorate.model.ballot import Approval
from quorate.rules import decide
from quorate.rules.most_approved import rule

OPTIONS = ("A", "B", "C", "D")
Cast = tuple[str, ...] | str | None
"""What a seat approves of, a reason for silence, or none if it abstains."""


def counted(casts: Sequence[Cast]) -> Tally:
    panel = Panel(seats=tuple(Seat(name=f"s{at}") for at in range(max(1, len(casts)))))
    brief = Brief(question=Question(text="Which?", options=OPTIONS), panel=panel)
    said = (_said(seat.name, cast) for seat, cast in zip(panel, casts, strict=False))
    return count(brief, Heard.of(panel, *(("1", "", one) for one in said)), ())


def _said(seat: str, cast: Cast) -> Speech | Silence:
    if isinstance(cast, str):
        return Silence(seat=seat, why=cast)
    ballot = Ballot(vote=Approval(cast or ()), confidence=Fraction(4, 5), abstain=cast is None)
    return Speech(seat=seat, round="1", about="", prose="", ballot=ballot)


def verdict(*casts: Cast) -> Verdict:
    return decide(counted(casts), presets.rulebook("approval"))


WINS, NONE = "most_approved", "none_most_approved"


@pytest.mark.parametrize(
    ("casts", "outcome", "by", "because"),
    [
        ([("A", "B"), ("A",), ("B", "A")], "A", WINS, "3 of 3 seats (100 %) approve of 'A'; the next option has 2"),
        ([("A",), ("A",), ()], "A", WINS, "2 of 3 seats (66.7 %) approve of 'A'; the next option has 0"),
        ([("A", "B"), ("B", "A"), ("C",)], None, NONE, "'A' and 'B' lead with 2 of 3 seats each, so none wins"),
        ([("A",), ("B",), ("C",)], None, NONE, "'A', 'B' and 'C' lead with 1 of 3 seats each, so none wins"),
        ([(), (), ()], None, NONE, "no seat approves of any option, so none wins"),
        ([("A",), "timeout", "timeout"], None, "quorum", "only 1 of 3 seats has a vote, which is no quorum"),
        ([("A",), None, None], None, "quorum", "only 1 of 3 seats has a vote, which is no quorum"),
        (
            ["timeout", "refusal"],
            None,
            "all_silent",
            "none of the 2 seats gave a ballot: 1 gave no answer in time, 1 declined",
        ),
    ],
)
def test_the_most_approved_option_wins_and_several_are_all_named(
    casts: list[Cast], outcome: str | None, by: str, because: str
) -> None:
    found = verdict(*casts)

    assert (found.outcome, found.rule, found.because) == (outcome, by, because)
    assert found.decided is (outcome is not None)
    assert found.requires_human_review is (outcome is None)


def test_a_share_of_all_seats_can_be_asked_for() -> None:
    tally = counted([("A",), ("A", "B"), ("C",), "timeout", "timeout"])

    assert rule(tally, at_least=Fraction(2, 5)) is not None
    assert rule(tally, at_least=Fraction(1, 2)) is None


def test_figures_are_those_of_the_seats_that_approve() -> None:
    found = verdict(("A", "B"), ("A",), ("C",), "timeout", ())

    assert found.agreement == Fraction(2, 5)
    assert found.confidence == Fraction(4, 5)
    assert found.dissent == ("s2", "s4")


def test_seats_and_silences_are_counted_apart() -> None:
    part = counted([("A",), (), None, "timeout"]).participation

    assert (part.eligible, part.received, part.abstained, part.failed) == (4, 2, 1, 1)


def test_the_published_example_of_four_cities_elects_the_second_choice_of_many() -> None:
    """Tennessee's capital, every voter approving of the two nearest cities: Nashville has 68 of 100."""
    casts = [("M", "N")] * 42 + [("N", "C")] * 26 + [("C", "K")] * 15 + [("K", "C")] * 17
    tally = counted(casts)

    assert {city: tally.heads(city) for city in "MNCK"} == {"M": 42, "N": 68, "C": 58, "K": 32}
    assert verdict(*casts).outcome == "N"


def test_a_demo_panel_decides_nothing() -> None:
    found = decide(replace(counted([("A",)] * 3), demo=True), presets.rulebook("approval"))

    assert (found.outcome, found.decided, found.rule) == (None, False, "demo_finds")


APPROVALS = st.sets(st.sampled_from(OPTIONS)).map(lambda chosen: tuple(sorted(chosen)))
CASTS = st.lists(APPROVALS | st.just("timeout") | st.none(), min_size=1, max_size=7)


@given(casts=CASTS, seed=st.integers(0, 2**32))
def test_anonymous_who_approves_of_what_does_not_matter(casts: list[Cast], seed: int) -> None:
    shuffled = random.Random(seed).sample(casts, len(casts))

    assert verdict(*casts).outcome == verdict(*shuffled).outcome
    assert verdict(*casts).agreement == verdict(*shuffled).agreement


@given(casts=CASTS, order=st.permutations(OPTIONS))
def test_neutral_renaming_the_options_renames_the_outcome(casts: list[Cast], order: list[str]) -> None:
    new = dict(zip(OPTIONS, order, strict=True))
    renamed = [tuple(new[option] for option in cast) if isinstance(cast, tuple) else cast for cast in casts]
    before = verdict(*casts).outcome

    assert verdict(*renamed).outcome == (new[before] if before else None)


@given(casts=CASTS, place=st.integers(0, 6))
def test_monotone_more_approval_never_takes_the_win_away(casts: list[Cast], place: int) -> None:
    wins, at = verdict(*casts).outcome, place % len(casts)
    cast = casts[at]
    if wins is not None:
        more = (*(cast if isinstance(cast, tuple) else ()), wins)
        assert verdict(*casts[:at], tuple(dict.fromkeys(more)), *casts[at + 1 :]).outcome == wins


@given(one=CASTS, other=CASTS)
def test_consistent_what_two_panels_choose_they_choose_together(one: list[Cast], other: list[Cast]) -> None:
    first, second = rule(counted(one)), rule(counted(other))
    if first is not None and second is not None and first.outcome == second.outcome:
        both = rule(counted([*one, *other]))
        assert both is not None
        assert both.outcome == first.outcome


@given(casts=CASTS, place=st.integers(0, 6), gone=st.just("timeout") | st.none())
def test_silence_and_abstention_never_help_what_the_seat_approves_of(casts: list[Cast], place: int, gone: Cast) -> None:
    at = place % len(casts)
    cast = casts[at]
    before, after = verdict(*casts).outcome, verdict(*casts[:at], gone, *casts[at + 1 :]).outcome
    if isinstance(cast, tuple) and after in cast:
        assert before == after
