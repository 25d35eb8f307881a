"""What seats were worth before decides a conference: a table of votes, and what keeps it from doing harm."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from quorate import catalogue, presets
from quorate.errors import BadPanel, BadSetting
from quorate.model import Change, Course, PartRef, Rulebook, Tally, Voice
from quorate.rules import apply_rulebook, check, decide
from quorate.settings.rulebook_file import amend_rulebook, check_outcomes

SKILLS = '{"ann": 1.7, "ben": 0.5, "cat": 0.5, "dan": -0.5, "eve": 0.5}'


def book(**more: str) -> Rulebook:
    changes = {"skills": SKILLS, "questions": "100", **more}
    return amend_rulebook(
        presets.rulebook("track_record"), ((f"track_record.{name}", text) for name, text in changes.items())
    )


def tally(votes: str, listed: str = "abcd") -> Tally:
    """One letter a seat, in the order of their names; a dash is a seat that chose nothing."""
    seats = ("ann", "ben", "cat", "dan", "eve")[: len(votes)]
    voices = tuple(Voice(seat=seat, option=vote) for seat, vote in zip(seats, votes, strict=True) if vote != "-")
    return Tally(eligible=seats, options=(), voices=voices, listed=tuple(listed))


@pytest.mark.parametrize(
    ("votes", "outcome", "rule"),
    [
        ("aaaaa", "a", "unanimous"),
        ("abbcd", "a", "track_record"),
        ("abbbb", "b", "track_record"),
        ("-bbcd", "b", "track_record"),
        ("abbb-", "b", "track_record"),
        ("abb--", "b", "plurality"),
        ("abc--", "a", "track_record"),
        ("-bc-d", None, "no_winner"),
    ],
)
def test_the_most_probable_option_is_chosen(votes: str, outcome: str | None, rule: str) -> None:
    verdict = decide(tally(votes), book(at_least="1/1000"))

    assert (verdict.outcome, verdict.rule) == (outcome, rule)


@pytest.mark.parametrize(("votes", "who"), [("abbcd", "the one seat that"), ("abbbb", "the 4 seats that")])
def test_it_says_how_many_chose_it(votes: str, who: str) -> None:
    assert f"by the past votes of {who} chose it" in decide(tally(votes), book(at_least="1/1000")).because


@pytest.mark.parametrize("votes", ["-----", "a----"])
def test_a_panel_that_did_not_vote_decides_nothing(votes: str) -> None:
    assert not decide(tally(votes), book()).decided


def test_it_is_plurality_until_it_is_told_what_seats_are_worth() -> None:
    told, untold = tally("abbcd"), presets.rulebook("track_record")

    assert decide(told, untold).outcome == decide(told, presets.rulebook("plurality")).outcome == "b"
    assert decide(told, book(questions="7")).rule == "plurality"


def test_below_the_threshold_nothing_is_decided_and_a_person_is_asked() -> None:
    verdict = decide(tally("abbcd"), book(at_least="99/100"))

    assert (verdict.outcome, verdict.decided, verdict.requires_human_review) == (None, False, True)
    assert "so nothing is decided" in verdict.because


def test_first_votes_are_counted_and_the_last_round_breaks_ties() -> None:
    first = tally("-bbcc")
    moved = (Voice(seat="ben", option="c"), *first.voices[1:])
    course = Course(rounds=("1", "2"))
    turned = (Change(seat="ben", was="b", now="c"),)
    last = replace(first, voices=moved, sealed=first, changes=turned, course=course)
    equal = book(skills='{"ben": 1, "cat": 1, "dan": 1, "eve": 1}', at_least="1/1000")

    assert decide(last, equal).outcome == "c"
    assert decide(last, equal).rule == "track_record"


@pytest.mark.parametrize(("rounds", "outcome"), [((), "a"), (("1",), "a"), (("1", "2"), "b")])
def test_a_small_lead_gives_way_to_more_heads_only_after_a_second_round(rounds: tuple[str, ...], outcome: str) -> None:
    level = book(skills='{"ann": 1.3, "ben": 0.5, "cat": 0.5, "dan": -0.5, "eve": 0.5}', at_least="1/1000")

    assert decide(replace(tally("abbcd"), course=Course(rounds=rounds)), level).outcome == outcome


def test_a_majority_of_any_size_is_kept_where_that_is_asked_for() -> None:
    strong = {"skills": '{"ann": 6, "ben": 0, "cat": 0, "dan": 0, "eve": 0}', "at_least": "1/1000"}

    assert decide(tally("abbbc"), book(**strong)).outcome == "a"
    assert decide(tally("abbbc"), book(**strong, keep_majority="true")).outcome == "b"
    assert decide(tally("abbcd"), book(**strong, keep_majority="true")).outcome == "a"


def test_labels_can_turn_it() -> None:
    assert decide(tally("abbbb"), book(at_least="1/1000")).outcome == "b"
    assert decide(tally("abbbb"), book(at_least="1/1000", sharpness="1/10", bonus='{"ann": 2}')).outcome == "a"


def test_the_order_of_ballots_and_the_names_of_options_never_show(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        votes = "".join(chance.choice("abcd-") for _ in range(5))
        told = tally(votes)
        voices = chance.sample(told.voices, len(told.voices))
        renamed = tally(votes.translate(str.maketrans("abcd", "wxyz")), "wxyz")
        one, other = (apply_rulebook(one, book()) for one in (told, replace(told, voices=tuple(voices))))

        assert (one.outcome, one.rule) == (other.outcome, other.rule)
        turned = apply_rulebook(renamed, book()).outcome
        assert (turned or "").translate(str.maketrans("wxyz", "abcd")) == (one.outcome or "")


@pytest.mark.parametrize("protocol", ["tribunal", "ranked", "approval", "delphi"])
def test_no_other_protocol_takes_it(protocol: str) -> None:
    own = catalogue.protocol(protocol).rulebook
    learned = replace(own, rules=(PartRef("track_record"), *own.rules))

    with pytest.raises(BadPanel, match="decides on the counts findings and options alone"):
        check_outcomes(learned, protocol)


def test_an_oracle_takes_it() -> None:
    own = catalogue.protocol("oracle").rulebook
    learned = replace(own, rules=(PartRef("track_record"), *own.rules))

    assert check_outcomes(learned, "oracle") == learned


@pytest.mark.parametrize(
    "text", ["ann=3", "[1]", '{"ann": "x"}', '{"ann": true}', '{"ann": 1e999}', "NaN", '{"ann": NaN}']
)
def test_what_is_no_number_by_seat_is_refused_before_anybody_is_asked(text: str) -> None:
    with pytest.raises(BadSetting, match="numbers by seat"):
        check(Rulebook(name="mine", rules=(PartRef("track_record", (("skills", text),)),), otherwise=PartRef("hold")))


def test_a_number_without_bounds_is_held_within_what_a_fit_can_come_to() -> None:
    wild = book(skills='{"ann": 1e30, "ben": -1e30, "cat": 0, "dan": 0, "eve": 0}', at_least="1/1000")

    assert decide(tally("abbcd"), wild).outcome == "a"


def test_the_numbers_are_exact() -> None:
    reads = catalogue.bind(catalogue.rule("track_record").function, (("skills", '{"ann": 0.1}'),), "rule")

    assert reads == {"skills": (("ann", Fraction(1, 10)),)}


def test_a_list_of_one_option_is_left_to_the_rules_that_follow() -> None:
    only = tally("aaaa-", listed="a")

    assert decide(only, book(at_least="1/1000")).outcome == "a"
