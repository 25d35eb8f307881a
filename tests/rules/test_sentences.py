"""What rules say of a count, to the word, and the cases in which a careless change of one would go unnoticed."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest

from quorate import catalogue, presets
from quorate.analysis.option_masses import option_masses
from quorate.errors import UnknownName
from quorate.model import Approval, PartRef, Ranking, Rulebook, Silence, Tally, Verdict, Voice
from quorate.rules import apply_rulebook, check, decide
from tests.rules.test_boundaries import because, said, tally

GATE = ("ACT", "WARN", "REFUSE")


def capped(name: str, counted: Tally, verdict: Verdict, **settings: object) -> Verdict | None:
    cap = catalogue.rule(name).cap
    assert cap is not None
    return cap(counted, verdict, **settings)


def undetermined(seats: int) -> Tally:
    voices = tuple(Voice(seat=f"s{at}", option="UNDETERMINED") for at in range(seats))
    return Tally(eligible=tuple(voice.seat for voice in voices), options=("YES", "UNDETERMINED", "NO"), voices=voices)


def ranked(*orders: str) -> Tally:
    voices = tuple(
        Voice(seat=f"s{at}", option=order[0], vote=Ranking(tuple((one,) for one in order)))
        for at, order in enumerate(orders)
    )
    return Tally(eligible=tuple(voice.seat for voice in voices), options=(), voices=voices)


@pytest.mark.parametrize(
    ("name", "counted", "words"),
    [
        ("veto", tally("C", veto=True, reason="unsafe"), "s0 used the veto: unsafe"),
        ("veto", tally("CC", veto=True), "s0 and s1 used the veto"),
        ("hold", tally("AAB", ("A", "B", "C")), "the seats disagree: 2 A, 1 B, 0 C; WARN is the default"),
        ("hold", tally("AAB"), "the seats disagree: 2 A, 1 B; WARN is the default"),
        ("hold", tally("AAA", ("A", "B")), "no other rule decides on 3 A, 0 B; WARN is the default"),
        (
            "plurality",
            tally("AAB-"),
            "2 of 4 seats chose 'A', 1 ahead of the next: the most votes, but not more than half of the seats",
        ),
        ("plurality", tally("AA-"), "2 of 3 seats chose 'A', more than half of the seats"),
        ("unanimous", tally("A"), "the only seat chose A"),
        ("unanimous", tally("AA"), "both seats chose A"),
        ("unanimous", tally("AAA"), "all 3 seats chose A"),
        ("all_undetermined", undetermined(1), "the only researcher finds that it cannot be determined"),
        ("all_undetermined", undetermined(2), "both researchers find that it cannot be determined"),
        ("all_undetermined", undetermined(3), "all 3 researchers find that it cannot be determined"),
        ("no_winner", tally("AABBC"), "2 options lead with 2 each, so none wins"),
        ("one_sided", tally("AB"), "no round in which both sides spoke"),
        ("one_sided", tally("A-"), "no round in which both sides spoke: nothing from s1 (timeout)"),
        ("short_of_refusal", tally("AABCC", ("A", "B", "C")), "60 % of the seats chose A or B"),
        ("tie", tally("AB", ("A", "B")), "A and B lead with 1 each; a tie is settled on the safe side"),
        ("tie", tally("AADD", ("A", "B", "C", "D")), "A and D lead with 2 each; a tie is settled on the safe side"),
    ],
)
def test_a_rule_says_what_it_has_counted(name: str, counted: Tally, words: str) -> None:
    assert because(name, counted) == words


@pytest.mark.parametrize(
    ("name", "votes", "settings", "words"),
    [
        ("hold", "AAA--", {}, "no other rule decides on 3 A, 0 B, 2 C; WARN is the default"),
        ("hold", "AAB--", {}, "the seats disagree: 2 A, 1 B, 2 C; WARN is the default"),
        ("plurality", "A--", {}, "2 of 3 seats count for 'C', 1 ahead of the next, more than half of the seats"),
        ("plurality", "AA-", {}, "2 of 3 seats chose 'A', 1 ahead of the next, more than half of the seats"),
        ("safe_act", "A--", {"assume": "A", "risk": Fraction(0)}, "3 of 3 seats count for A, every risk below 30 %"),
        ("safe_act", "AAAAA-", {"assume": "C", "risk": Fraction(0)}, "5 of 6 seats chose A, every risk below 30 %"),
        ("short_of_refusal", "AC-", {"assume": "B"}, "66.7 % of the seats count for A or B"),
        ("short_of_refusal", "AB-", {"assume": "C"}, "66.7 % of the seats chose A or B"),
        ("supermajority", "A--", {}, "2 of 3 seats (66.7 %) count for C"),
        ("supermajority", "AA-", {}, "2 of 3 seats (66.7 %) chose A"),
    ],
)
def test_nobody_is_said_to_have_chosen_or_to_disagree_by_a_vote_that_was_assumed(
    name: str, votes: str, settings: dict[str, Any], words: str
) -> None:
    counted = tally(votes, ("A", "B", "C"), risk=settings.get("risk")).assuming(settings.get("assume", "C"))

    assert because(name, counted) == words


@pytest.mark.parametrize("book", ["tribunal", "strict", "plurality"])
def test_no_reason_says_more_of_the_seats_than_they_did(book: str) -> None:
    """Of any tally of up to five seats that choose or stay silent."""
    words = Counter[str]()
    for seats in range(1, 6):
        for votes in combinations_with_replacement(("ACT", "WARN", "REFUSE", ""), seats):
            counted = gate(votes, Fraction(13, 20))
            verdict = decide(counted, presets.rulebook(book))
            told = " ".join((verdict.because, *(note.text for note in verdict.cautions)))
            chosen = {vote for vote in votes if vote}
            if "disagree" in told:
                assert len(chosen) > 1, (votes, told)
            if "ahead of the next" in told:
                assert len(chosen) > 1, (votes, told)
            if "all agree" in told or told.startswith(("all ", "both ")):
                assert (len(chosen), "" in votes) == (1, False), (votes, told)
            if (claimed := re.search(r"(\d) of \d seats(?: \(.*?\))? chose '?([A-Z]+)", told)) is not None:
                assert votes.count(claimed[2]) == int(claimed[1]), (votes, told)
            words.update(re.findall(r"disagree|ahead of the next|all agree|^all |^both |seats.* chose", told))
    assert words.total() > 10, words


def gate(votes: Sequence[str], sure: Fraction) -> Tally:
    seats = tuple(f"s{at}" for at in range(len(votes)))
    voices = tuple(
        Voice(seat=seat, option=vote, confidence=sure, risk=Fraction(1, 10))
        for seat, vote in zip(seats, votes, strict=True)
        if vote
    )
    silent = tuple(Silence(seat=seat, why="timeout") for seat, vote in zip(seats, votes, strict=True) if not vote)
    return Tally(eligible=seats, options=GATE, voices=voices, silent=silent)


def test_only_the_reasons_that_were_given_for_a_veto_are_told() -> None:
    counted = tally("CC", veto=True)
    first, second = counted.voices

    told = because("veto", replace(counted, voices=(first, replace(second, reason="unsafe"))))

    assert told == "s0 and s1 used the veto: unsafe"


def test_every_pair_is_told_once_and_its_winner_first() -> None:
    cycle = because("condorcet", ranked("ABC", "BCA", "CAB"))
    even = because("condorcet", ranked("ABC", "BCA", "CAB", "CBA", "BAC", "ACB"))

    assert cycle.endswith(": 'A' 2 to 1 against 'B', 'C' 2 to 1 against 'A', 'B' 2 to 1 against 'C'")
    assert even.endswith(": 'A' 3 to 3 against 'B', 'A' 3 to 3 against 'C', 'B' 3 to 3 against 'C'")


def test_points_are_told_from_the_most_to_the_fewest_and_then_by_name() -> None:
    assert because("borda", ranked("BAC", "BCA")).endswith(": 'B' 4, 'A' 1, 'C' 1")
    assert because("borda", ranked("BA", "AB")).endswith(": 'A' 1, 'B' 1")


def test_one_finding_without_a_source_is_told_though_another_seat_gave_no_answer() -> None:
    gone = (Silence(seat="a", why="unsupported"), Silence(seat="b", why="timeout"))

    assert "stands on a source" in because("all_silent", Tally(eligible=("a", "b"), options=(), silent=gone))


def test_what_was_sealed_before_everybody_fell_silent_is_told() -> None:
    gone = replace(tally("--"), sealed=tally("AA"))

    assert because("all_silent", gone).endswith("; the votes before the discussion were 2 A")
    assert "before the discussion" not in because("all_silent", replace(gone, sealed=tally("--")))


def test_too_few_findings_wait_for_a_person() -> None:
    verdict = said("too_few", tally("AA-"))

    assert verdict is not None
    assert verdict.requires_human_review


def test_weights_are_told_of_only_where_they_decide() -> None:
    terms = catalogue.rule("consensus").terms

    assert terms is not None
    assert terms() == ""
    assert terms(decide_by="weighted") == "the heaviest seat counts at most 3/2 times the lightest"


@pytest.mark.parametrize(("votes", "outcome"), [("AAABBCC", None), ("AAABCDE", None), ("AAAABCD", "A")])
def test_less_than_more_than_half_of_the_researchers_find_nothing(votes: str, outcome: str | None) -> None:
    verdict = said("consensus", tally(votes), at_least=Fraction(1, 4))

    assert (verdict.outcome if verdict else None) == outcome


def test_a_threshold_above_everything_takes_more_seats_than_there_are() -> None:
    needs = catalogue.rule("consensus").needs

    assert needs is not None
    assert needs(5, decide_by="weighted", at_least=Fraction(2)) == 6


@pytest.mark.parametrize("library", [(), (("library", Fraction(7)),)])
@pytest.mark.parametrize(("shared", "noted"), [("4/5", False), ("81/100", True)])
def test_just_as_many_sources_in_common_as_are_allowed_are_allowed(
    shared: str, noted: bool, library: tuple[tuple[str, Fraction], ...]
) -> None:
    verdict = said("consensus", replace(tally("AAA"), figures=(("overlap", Fraction(shared)), *library)))

    assert verdict is not None
    assert verdict.requires_human_review == (noted and not library), "of a closed library nobody can cite much else"


def test_a_spread_is_told_only_if_both_its_ends_are_known() -> None:
    verdict = said("consensus", replace(tally("AAA"), figures=(("lowest", Fraction(1)),)))

    assert verdict is not None
    assert verdict.because == "3 of 3 researchers (100 %) find A"


def test_where_somebody_did_not_approve_of_options_nobody_is_most_approved() -> None:
    mixed = (Voice(seat="a", option="", vote=Approval(("A",))), Voice(seat="b", option="A"))

    assert said("most_approved", Tally(eligible=("a", "b"), options=(), voices=mixed)) is None


def test_a_share_of_many_seats_is_many_seats() -> None:
    needs = catalogue.rule("most_approved").needs

    assert needs is not None
    assert needs(10, at_least=Fraction(9, 10)) == 9


def test_these_rules_look_at_arguments_and_no_others() -> None:
    looking = {name for name in catalogue.names("rule") if catalogue.rule(name).arguments}

    assert looking == {"confidence_weighted", "evidence_based", "majority_vote", "one_sided"}


@pytest.mark.parametrize(
    ("settings", "outcome", "becomes"),
    [
        ({}, "GO", "STAY"),
        ({}, "STAY", None),
        ({"instead_of": "STAY", "means": "NO"}, "STAY", "NO"),
        ({"instead_of": "STAY", "means": "NO"}, "GO", None),
    ],
)
def test_a_demo_panel_cannot_say_the_bold_word(settings: dict[str, str], outcome: str, becomes: str | None) -> None:
    counted = replace(tally("AA", ("GO", "STAY", "NO")), demo=True)
    lowered = capped("demo", counted, Verdict.on(counted, outcome, "", decided=True), **settings)

    assert (lowered.outcome if lowered else None) == becomes


@pytest.mark.parametrize(("votes", "lowered"), [("AAA", False), ("AAB", True)])
def test_two_thirds_of_the_seats_with_models_of_their_own_are_enough(votes: str, lowered: bool) -> None:
    apart = (("s0", "x"), ("s1", "y"), ("s2", "z"))
    counted = replace(tally(votes, ("A", "B")), meant=apart, domains=(("s0", "x"), ("s1", "x"), ("s2", "z")))
    verdict = capped("one_voice", counted, Verdict.on(counted, "A", "", decided=True))

    assert (verdict is not None) == lowered
    if verdict is not None:
        assert "the 2 seats for A share models and count as 1 voice" in verdict.because


@pytest.mark.parametrize(
    ("labels", "needed", "words"),
    [
        (1, 5, "5 error-free acts are needed, and there is 1 label"),
        (2, 5, "5 error-free acts are needed, and there are 2 labels"),
        (5, 5, "the 5 labelled past decisions do not carry the promise"),
    ],
)
def test_what_labels_are_missing_is_told(labels: int, needed: int, words: str) -> None:
    counted = tally("AAA", ("A", "B", "C"))
    verdict = capped(
        "act_error", counted, Verdict.on(counted, "A", "", decided=True), certified=False, labels=labels, needed=needed
    )

    assert verdict is not None
    assert words in verdict.because


def test_once_a_cap_has_spoken_no_other_is_asked() -> None:
    caps = (PartRef("demo"), PartRef("act_error"))
    book = Rulebook(name="mine", rules=(PartRef("unanimous"),), otherwise=PartRef("hold"), unless=caps)
    counted = replace(tally("AA", ("A", "B")), demo=True)

    assert [line.rule for line in apply_rulebook(counted, book).trace] == ["unanimous", "demo"]


@pytest.mark.parametrize(("part", "says"), [("rule", "rule that may decide"), ("cap", "rule that may cap")])
def test_what_a_rule_cannot_do_is_said(part: str, says: str) -> None:
    rules = (PartRef("demo"),) if part == "rule" else ()
    caps = (PartRef("plurality"),) if part == "cap" else ()

    with pytest.raises(UnknownName, match=says):
        check(Rulebook(name="mine", rules=rules, otherwise=PartRef("hold"), unless=caps))


def learned(votes: str, skills: dict[str, Fraction], options: str = "AB", **settings: object) -> Verdict | None:
    listed = replace(tally(votes), listed=tuple(options))
    given = {"skills": tuple(skills.items()), "questions": 100, "at_least": Fraction(0), **settings}
    return said("track_record", listed, **given)


def test_one_of_two_is_no_majority_that_could_not_be_overturned() -> None:
    verdict = learned("AB", {"s0": Fraction(3), "s1": Fraction(-1)})

    assert verdict is not None
    assert verdict.outcome == "A"


def test_what_labels_taught_of_one_seat_counts_for_that_seat_alone() -> None:
    skills = {f"s{at}": Fraction(1) for at in range(4)}
    verdict = learned("AABB", skills, bonus=(("s0", Fraction(1)),))

    assert verdict is not None
    assert verdict.outcome == "A"


def test_of_four_votes_a_small_lead_is_a_lead_and_of_three_it_is_not() -> None:
    skills = {"s0": Fraction(11, 10), **{f"s{at}": Fraction(1) for at in (1, 2, 3)}}
    four = learned("AABB", skills)

    assert four is not None
    assert four.outcome == "A"
    assert learned("ABC", skills, options="ABC") is None


def test_that_none_of_the_options_is_right_is_never_the_outcome() -> None:
    verdict = learned("AAAB", {f"s{at}": Fraction(-2) for at in range(4)}, options="ABCDEFGHIJ")

    assert verdict is not None
    assert verdict.outcome == "A"


def test_just_as_probable_as_is_asked_for_is_probable_enough() -> None:
    skills = {f"s{at}": Fraction(1) for at in range(4)}
    masses = option_masses(dict(zip(skills, "AAAB", strict=True)), 2, skills)
    chance = Fraction(masses["A"], sum(masses.values()))
    verdict, short = (learned("AAAB", skills, at_least=asked) for asked in (chance, chance + Fraction(1, 10**9)))

    assert verdict is not None
    assert short is not None
    assert (verdict.outcome, short.outcome) == ("A", None)
