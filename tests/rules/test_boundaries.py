"""Where a rule begins to speak, to the seat, and what it then says of the count."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from quorate import catalogue
from quorate.errors import UnknownName
from quorate.model import Approval, PartRef, Rulebook, Silence, Tally, Verdict, Voice
from quorate.rules import apply_rulebook, check
from tests.rules.test_debate import tally as debated


def tally(votes: str, options: tuple[str, ...] = (), **more: Any) -> Tally:  # noqa: ANN401 - as a voice takes it
    """One letter a seat, which is its option; a dash is silence."""
    seats = tuple(f"s{at}" for at in range(len(votes)))
    given = list(zip(seats, votes, strict=True))
    voices = tuple(Voice(seat=seat, option=vote, **more) for seat, vote in given if vote != "-")
    silent = tuple(Silence(seat=seat, why="timeout") for seat, vote in given if vote == "-")
    return Tally(eligible=seats, options=options, voices=voices, silent=silent)


def said(name: str, counted: Tally, **settings: object) -> Verdict | None:
    spec = catalogue.rule(name)
    assert spec.rule is not None
    return spec.rule(counted, **settings)


def because(name: str, counted: Tally, **settings: object) -> str:
    verdict = said(name, counted, **settings)
    return verdict.because if verdict is not None else "silent"


@pytest.mark.parametrize(
    ("seats", "settings", "needed"),
    [
        (7, {}, 5),
        (7, {"at_least": Fraction(1, 4)}, 4),
        (7, {"decide_by": "both"}, 5),
        # Four heavy seats of seven weigh just two thirds of all if the other three are light.
        (7, {"decide_by": "weighted"}, 4),
        # Two heavy of five weigh just a half, which is not more than the rest.
        (5, {"decide_by": "weighted", "at_least": Fraction(1, 4)}, 3),
        (5, {"decide_by": "weighted", "at_least": Fraction(1, 4), "weight_ratio": Fraction(1)}, 3),
        (6, {"decide_by": "weighted", "weight_ratio": Fraction(1)}, 4),
    ],
)
def test_so_many_researchers_are_needed(seats: int, settings: dict[str, object], needed: int) -> None:
    needs = catalogue.rule("consensus").needs

    assert needs is not None
    assert needs(seats, **settings) == needed


@pytest.mark.parametrize(
    ("votes", "at_least", "outcome"),
    [("AAB", "2/3", "A"), ("AAAB", "3/4", "A"), ("AABC", "1/2", None), ("AABB", "1/4", None), ("AAABBC", "1/3", None)],
)
def test_weights_carry_at_the_threshold_and_never_with_half(votes: str, at_least: str, outcome: str | None) -> None:
    settings = {"decide_by": "weighted", "weight_ratio": Fraction(1), "at_least": Fraction(at_least)}
    verdict = said("consensus", tally(votes), **settings)

    assert (verdict.outcome if verdict else None) == outcome


def test_a_consensus_tells_the_weight_only_where_weights_decide() -> None:
    assert because("consensus", tally("AAB")) == "2 of 3 researchers (66.7 %) find A"
    weighted = because("consensus", tally("AAB"), decide_by="weighted", weight_ratio=Fraction(1))
    assert weighted == "2 of 3 researchers (66.7 %) find A, 66.7 % of the weight"


@pytest.mark.parametrize(("sure", "held"), [("1/2", False), ("49/100", True)])
def test_just_half_sure_on_average_is_sure_enough(sure: str, held: bool) -> None:
    verdict = said("consensus", tally("AAA", confidence=Fraction(sure)))

    assert verdict is not None
    assert ([note.name for note in verdict.cautions] == ["low_confidence"]) == held


@pytest.mark.parametrize(
    ("name", "counted", "words"),
    [
        (
            "plurality",
            tally("AAAABBBC"),
            "4 of 8 seats chose 'A', 1 ahead of the next: the most votes, but not more than half of the seats",
        ),
        ("plurality", tally("AAA"), "3 of 3 seats chose 'A', more than half of the seats"),
        ("no_winner", tally("AABB"), "2 options lead with 2 each, so none wins"),
        ("no_winner", tally("--"), "0 options lead with 0 each, so none wins"),
        ("unsure", tally("AB", confidence=Fraction(1, 10)), "s0 and s1 are less than 40 % sure"),
        ("unsure", tally("A", confidence=Fraction(1, 10)), "s0 is less than 40 % sure"),
        ("unsure", tally("AB"), "s0 and s1 state no confidence"),
        ("hold", tally("AAB"), "the seats disagree: 2 A, 1 B; WARN is the default"),
        ("hold", tally("AAA"), "no other rule decides on 3 A; WARN is the default"),
        ("no_winner", tally("AAB"), "'A' leads with 2 of 3 seats, which is not enough"),
        ("no_consensus", tally("AAB"), "no consensus: 2 A, 1 B"),
        ("none_most_approved", tally(""), "no seat approves of any option, so none wins"),
    ],
)
def test_the_reason_counts_rightly(name: str, counted: Tally, words: str) -> None:
    assert because(name, counted) == words


def approving(*votes: str) -> Tally:
    seats = tuple(f"s{at}" for at in range(len(votes)))
    voices = tuple(
        Voice(seat=seat, option="", vote=Approval(tuple(vote))) for seat, vote in zip(seats, votes, strict=True)
    )
    return Tally(eligible=seats, options=(), voices=voices)


def test_the_next_most_approved_option_is_the_next_and_a_lead_may_be_too_small() -> None:
    three = approving("ABC", "AB", "A")

    assert because("most_approved", three).endswith("; the next option has 2")
    assert because("none_most_approved", three) == "'A' leads with 3 of 3 seats, which is not enough"


def test_nobody_with_a_source_is_told_from_nobody_at_all() -> None:
    bare = Tally(eligible=("a", "b"), options=(), silent=tuple(Silence(seat=seat, why="unsupported") for seat in "ab"))

    assert because("all_silent", bare) == "none of the 2 seats gave a finding that stands on a source"
    assert because("too_few", bare, min_seats=0) == "Only 0 agents succeeded, need 1; a, b cited no source that counts"


def test_a_tie_without_a_winner_waits_for_a_person() -> None:
    verdict = said("no_winner", tally("AABB"))

    assert verdict is not None
    assert verdict.requires_human_review


def test_rounds_won_are_told_of_both_sides() -> None:
    told = because("majority_vote", debated((Fraction(9, 10), Fraction(1, 10)), (Fraction(8, 10), Fraction(1, 10))))

    assert told.startswith("SUPPORT won 2 of 2 rounds, OPPOSE 0")


SKILLS = (("s0", Fraction(1, 2)), ("s1", Fraction(1, 2)))


def learned(votes: str, skills: tuple[tuple[str, Fraction], ...] = SKILLS, **settings: object) -> Verdict | None:
    counted = tally(votes)
    listed = Tally(eligible=counted.eligible, options=(), voices=counted.voices, listed=("A", "B"))
    return said("track_record", listed, **{"skills": skills, "questions": 100, "at_least": Fraction(0), **settings})


def test_a_seat_that_is_new_is_worth_an_average_one() -> None:
    assert learned("AABB") is None


def test_just_eight_questions_are_enough_to_learn_from() -> None:
    heavy = (("s0", Fraction(5)), *((f"s{at}", Fraction(1, 10)) for at in (1, 2, 3)))

    assert learned("ABBB", heavy, questions=7) is None
    assert (learned("ABBB", heavy, questions=8) or Verdict.on(tally(""), None, "", decided=False)).outcome == "A"


def test_of_three_votes_two_are_never_overturned() -> None:
    assert learned("ABB", (("s0", Fraction(9)), ("s1", Fraction(1, 10)), ("s2", Fraction(1, 10)))) is None


def test_sharpness_squares_the_chances_and_the_score_is_the_chance() -> None:
    plain, sharp = learned("AAAB"), learned("AAAB", sharpness=Fraction(2))

    assert plain is not None
    assert sharp is not None
    assert plain.score is not None
    assert sharp.score is not None
    chance = float(plain.score)
    assert 0.5 < chance < 1
    assert float(sharp.score) == pytest.approx(chance**2 / (chance**2 + (1 - chance) ** 2), abs=1e-6)


def test_what_was_learned_is_told_only_where_something_was() -> None:
    terms = catalogue.rule("track_record").terms

    assert terms is not None
    assert terms(questions=8) == "each seat counts by what it was worth on 8 past questions"
    assert terms() == ""


@pytest.mark.parametrize(("part", "there", "not_there"), [("rule", "plurality", "demo"), ("cap", "demo", "plurality")])
def test_who_names_the_wrong_kind_of_rule_is_told_those_of_the_right_kind(
    part: str, there: str, not_there: str
) -> None:
    wrong, hold = PartRef(not_there), PartRef("hold")
    book = Rulebook(name="mine", rules=(wrong,) if part == "rule" else (), otherwise=hold,
                    unless=(wrong,) if part == "cap" else ())  # fmt: skip

    with pytest.raises(UnknownName) as caught:
        check(book)

    _, _, listed = str(caught.value).partition(";")
    assert there in listed
    assert not_there not in listed


@pytest.mark.parametrize("options", [("ACT", "WARN", "REFUSE"), ("YES", "NO", "UNDETERMINED"), ("A", "B")])
@pytest.mark.parametrize("means", ["ACT", "SUPPORT", "YES", "A"])
def test_no_setting_of_the_cap_lets_a_demo_panel_approve(options: tuple[str, ...], means: str) -> None:
    bold = options[0]
    cap = PartRef("demo", (("instead_of", bold), ("means", means)))
    book = Rulebook(name="mine", rules=(), otherwise=PartRef("hold", (("means", bold),)), unless=(cap,))
    counted = tally("", options)
    voices = tuple(Voice(seat=f"s{at}", option=bold) for at in range(3))
    counted = replace(counted, eligible=tuple(voice.seat for voice in voices), voices=voices)

    assert apply_rulebook(counted, book).outcome == bold
    assert apply_rulebook(replace(counted, demo=True), book).outcome not in {bold, "ACT", "SUPPORT", "YES"}


def test_a_demo_panel_is_capped_once_and_no_cap_is_asked_that_has_nothing_to_say() -> None:
    plain = Rulebook(name="mine", rules=(), otherwise=PartRef("hold", (("means", "B"),)))
    named = Rulebook(name="mine", rules=(), otherwise=PartRef("hold", (("means", "B"),)), unless=(PartRef("demo"),))
    counted = replace(tally("AA", ("A", "B")), demo=True)

    for book in (plain, named):
        assert [line.rule for line in apply_rulebook(counted, book).trace] == ["hold", "demo"]
