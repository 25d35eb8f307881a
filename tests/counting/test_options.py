"""Latest votes, options that mean the same counted as one, and what the votes amount to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from quorate import presets
from quorate.analysis.conference_course import ConferenceSettings, count_rounds
from quorate.counting.options import count, stricter_count
from quorate.model import Brief, ErrandKey, Found, Heard, Panel, Question, Seat, Tally, Verdict
from quorate.rules import decide
from tests.conference import CLAUDE, CODEX, GEMINI, LOGGING, PANEL, SEATS, mute, voted


def heard(*rounds: Sequence[str], panel: Panel = PANEL) -> Heard:
    """By round, what each seat votes for; "-" is silence, "" a speech without a vote."""
    return Heard.of(
        panel,
        *(
            mute(seat, number) if option == "-" else voted(seat, number, option)
            for number, row in enumerate(rounds, 1)
            for seat, option in zip(panel, row, strict=True)
        ),
    )


def alike(so_far: Heard, number: int, *scores: tuple[int, int, str], same: bool = True) -> Heard:
    """The same with how alike the options of a round are; `same`: those of 0.70 and more are the same words."""
    found = Found(
        kind="compare",
        round=str(number),
        about="options",
        scores=tuple((i, j, Fraction(score)) for i, j, score in scores),
        same=tuple((i, j) for i, j, score in scores if same and Fraction(score) >= Fraction(7, 10)),
    )
    return so_far.plus_found(ErrandKey("compare", str(number), "", "options"), found)


def still(so_far: Heard, number: int, *scores: str) -> Heard:
    """The same with how like its last speech each seat's is."""
    for seat, score in zip(so_far.panel, scores, strict=True):
        found = Found(kind="compare", round=str(number), seat=seat.name, scores=((0, 1, Fraction(score)),))
        so_far = so_far.plus_found(ErrandKey("compare", str(number), seat.name, ""), found)
    return so_far


def tally(so_far: Heard) -> Tally:
    return count(Brief(question=LOGGING, panel=so_far.panel), so_far, ())


def heads(counted: Tally) -> dict[str, int]:
    return {option: counted.heads(option) for option in counted.cast}


def ruled(so_far: Heard) -> Verdict:
    return decide(tally(so_far), presets.rulebook("plurality"))


def of(*options: str) -> Heard:
    """One round of as many seats."""
    return heard(options, panel=Panel(seats=tuple(Seat(name=f"s{number}") for number, _ in enumerate(options))))


def test_votes_of_earlier_rounds_are_history_and_never_added_up() -> None:
    so_far = heard(("Structured", "Flags", "Scrubbed"), ("Flags", "Flags", "Flags"))

    assert heads(tally(so_far)) == {"Flags": 3}
    assert tally(so_far).course.status == "unanimous_consensus"


def test_a_seat_silent_in_the_end_keeps_its_earlier_vote_marked_as_carried() -> None:
    counted = tally(heard(("A", "B", "B"), ("-", "A", "B"), ("-", "A", "-")))

    assert heads(counted) == {"A": 2, "B": 1}
    assert [(voice.seat, voice.carried_from) for voice in counted.voices] == [
        ("Claude", "1"),
        ("Codex", ""),
        ("Gemini", "2"),
    ]
    assert [(caution.name, caution.seat) for caution in counted.cautions] == [
        ("carried", "Claude"),
        ("carried", "Gemini"),
    ]


def test_the_four_kinds_of_participation_add_up() -> None:
    counted = tally(heard(("A", "-", "ABSTAIN"), ("-", "-", "ABSTAIN")))
    part = counted.participation

    assert (part.received, part.carried, part.abstained, part.failed) == (0, 1, 1, 1)
    assert counted.abstained == ("Gemini",)
    assert [(gone.seat, gone.why) for gone in counted.silent] == [("Codex", "timeout")]


def test_an_abstention_is_no_option_and_can_never_win() -> None:
    counted = tally(of("ABSTAIN", "ABSTAIN", "ABSTAIN", "A"))

    assert heads(counted) == {"A": 1}
    assert counted.course.status == "no_quorum"


def test_who_abstains_after_voting_holds_nothing() -> None:
    assert heads(tally(heard(("A", "B", "B"), ("ABSTAIN", "B", "B")))) == {"B": 2}


def test_the_sealed_votes_keep_abstentions_and_silence_apart_too() -> None:
    sealed = tally(heard(("ABSTAIN", "-", "A"), ("A", "A", "A"))).sealed

    assert sealed is not None
    assert sealed.abstained == ("Claude",)
    assert [voice.seat for voice in sealed.voices] == ["Gemini"]
    assert [(gone.seat, gone.why) for gone in sealed.silent] == [("Codex", "timeout")]


@pytest.mark.parametrize(
    ("votes", "status", "outcome", "rule", "because"),
    [
        (("A", "A", "A"), "unanimous_consensus", "A", "unanimous", "all 3 seats chose A"),
        (("A", "A", "B"), "majority_decision", "A", "plurality", "'A', 1 ahead of the next, more than half"),
        (("A", "A", "-"), "majority_decision", "A", "plurality", "2 of 3 seats chose 'A', more than half of the seats"),
        (("A", "A", "ABSTAIN"), "majority_decision", "A", "plurality", "2 of 3 seats"),
        (("A", "A", "B", "C"), "majority_decision", "A", "plurality", "1 ahead of the next: the most votes"),
        (("A", "A", "B", "-"), "majority_decision", "A", "plurality", "2 of 4 seats chose 'A', 1 ahead"),
        (("A", "B", "C"), "tie", None, "no_winner", "3 options lead with 1 each, so none wins"),
        (("A", "A", "B", "B"), "tie", None, "no_winner", "2 options lead with 2 each"),
        (("A", "B", "-"), "tie", None, "no_winner", "2 options lead"),
        (("A", "-", "-"), "no_quorum", None, "quorum", "only 1 of 3 seats has a vote, which is no quorum"),
        (("A", "A", "-", "-"), "no_quorum", None, "quorum", "only 2 of 4 seats"),
        (("A", "A", "ABSTAIN", "ABSTAIN"), "no_quorum", None, "quorum", "only 2 of 4 seats"),
        (("-", "-", "-"), "", None, "all_silent", "none of the 3 seats gave a ballot"),
        (("ABSTAIN", "ABSTAIN", "ABSTAIN"), "", None, "all_silent", "none of the 3 seats"),
        (("A",), "unanimous_consensus", "A", "unanimous", "the only seat"),
    ],
)  # fmt: skip
def test_what_the_votes_amount_to(
    votes: Sequence[str], status: str, outcome: str | None, rule: str, because: str
) -> None:
    verdict = ruled(of(*votes))

    assert tally(of(*votes)).course.status == status
    assert (verdict.outcome, verdict.rule) == (outcome, rule)
    assert because in verdict.because
    assert verdict.decided == (outcome is not None)
    assert verdict.requires_human_review == (outcome is None)


def test_a_carried_vote_counts_for_quorum_and_unanimity() -> None:
    assert tally(heard(("A", "A", "A"), ("-", "-", "A"))).course.status == "unanimous_consensus"
    assert ruled(heard(("A", "A", "A"), ("-", "-", "A"))).outcome == "A"


def test_options_that_mean_the_same_are_one_under_the_name_seen_first() -> None:
    votes = heard(("Self-documenting code", "Prioritize self-documenting code", "Focus on comprehensive unit tests"))
    scored = alike(votes, 1, (0, 1, "0.85"), (0, 2, "0.42"), (1, 2, "0.42"))

    assert tally(votes).course.status == "tie"
    assert heads(tally(scored)) == {"Self-documenting code": 2, "Focus on comprehensive unit tests": 1}
    assert tally(scored).course.status == "majority_decision"


def test_options_that_contradict_are_never_one_whatever_their_score() -> None:
    votes = alike(heard(("Approve", "Do not approve", "-")), 1, (0, 1, "0.99"), same=False)

    assert heads(tally(votes)) == {"Approve": 1, "Do not approve": 1}


def test_a_failed_comparison_leaves_every_option_alone_and_says_so() -> None:
    votes = heard(("Use A", "Please use A", "Use A"))
    found = Found(kind="compare", round="1", about="options", why="the backend is gone")
    counted = tally(votes.plus_found(ErrandKey("compare", "1", "", "options"), found))

    assert heads(counted) == {"Use A": 2, "Please use A": 1}
    assert [caution.text for caution in counted.cautions] == ["round 1: the backend is gone"]


def test_votes_go_before_similarity_and_both_are_reported() -> None:
    votes = still(
        heard(("Option A", "Option B", "Option B"), ("Option A", "Option A", "Option B")), 2, "0.60", "0.70", "0.55"
    )
    counted = tally(votes)

    assert heads(counted) == {"Option A": 2, "Option B": 1}
    assert (counted.course.status, counted.course.similarity) == ("majority_decision", Fraction(60, 100))


@pytest.mark.parametrize(
    ("last", "now", "status"),
    [
        (("0.9", "0.9", "0.9"), ("0.85", "0.9", "0.9"), "converged"),
        (("0.9", "0.9", "0.8"), ("0.85", "0.9", "0.9"), "refining"),
        (("0.9", "0.9", "0.9"), ("0.84", "0.9", "0.9"), "refining"),
        (("0.9", "0.9", "0.9"), ("0.40", "0.9", "0.9"), "refining"),
        (("0.9", "0.9", "0.9"), ("0.39", "0.9", "0.9"), "diverging"),
        (("0.39", "0.9", "0.9"), ("0.39", "0.9", "0.9"), "impasse"),
    ],
)
def test_without_any_vote_similarity_gives_the_status_and_the_outcome_is_null(
    last: Sequence[str], now: Sequence[str], status: str
) -> None:
    spoken = still(still(heard(*[("", "", "")] * 3), 2, *last), 3, *now)

    assert tally(spoken).course.status == status
    assert ruled(spoken).outcome is None
    assert [gone.why for gone in tally(spoken).silent] == ["no_vote"] * 3


def test_a_seat_that_only_words_its_option_otherwise_has_not_changed() -> None:
    votes = alike(
        heard(("Use A", "Use B", "Use A"), ("Use A", "Use B", "Please use A")),
        2,
        (0, 1, "0"),
        (0, 2, "0.9"),
        (1, 2, "0"),
    )

    assert [change.seat for change in tally(votes).changes] == []


@pytest.mark.parametrize(
    ("last", "name"),
    [
        (("Use A", "Use A", "Please use A"), "Use A"),
        (("Use A", "Use A", "-"), "Use A"),
        (("-", "Use A", "-"), "Use A"),
    ],
)
def test_a_seat_whose_option_counts_under_another_name_has_not_changed(last: Sequence[str], name: str) -> None:
    votes = heard(("Use A", "Use B", "Please use A"), last)
    counted = tally(alike(votes, 2, (0, 2, "0.9")))

    assert heads(counted) == {name: 3}
    assert [(one.seat, one.was, one.now, one.heard) for one in counted.changes] == [
        ("Codex", "Use B", name, ("Claude", "Gemini"))
    ]


def test_only_a_comparison_that_failed_is_worth_a_caution() -> None:
    votes = alike(heard(("Use A", "Use B", "Use A")), 1, (0, 1, "0.1"))
    found = Found(kind="find", round="1", why="nothing was found")

    assert tally(votes.plus_found(ErrandKey("find", "1", "", ""), found)).cautions == ()


def test_the_list_that_seats_must_choose_from_is_kept_where_it_was_given() -> None:
    question = Question(text="Which?", options=("A", "B"))
    brief = Brief(question=question, panel=PANEL, settings=(("options", "given"),))

    assert count(brief, heard(("A", "A", "B")), ()).listed == ("A", "B")
    assert count(replace(brief, settings=()), heard(("A", "A", "B")), ()).listed == ()


def test_a_round_that_is_not_over_is_not_counted() -> None:
    begun = Heard.of(PANEL, *(voted(seat, 1, "A") for seat in SEATS), voted(CLAUDE, 2, "B"), voted(CODEX, 2, "B"))

    assert count_rounds(begun) == 1
    assert heads(tally(begun)) == {"A": 3}
    assert count_rounds(Heard.of(PANEL, voted(GEMINI, 1, "A"))) == 0


def test_a_panel_on_which_nobody_may_vote_holds_no_round() -> None:
    watching = Panel(seats=(Seat(name="watcher", powers=()),))

    assert count_rounds(Heard(watching)) == 0
    assert (
        decide(
            count(Brief(question=Question(text="?"), panel=watching), Heard(watching), ()),
            presets.rulebook("plurality"),
        ).outcome
        is None
    )


def test_the_verdict_says_why_the_discussion_stopped_with_its_figures() -> None:
    content = Heard.of(PANEL, *(voted(seat, at, "A", more=at == 1) for at in (1, 2) for seat in PANEL))
    stuck = still(still(heard(*[["A", "B", "B"]] * 3), 2, "0.90", "0.90", "0.90"), 3, "0.88", "0.95", "0.99")
    spent = heard(*[["A", "B", "B"]] * 5)

    assert ruled(content).because.endswith(
        "it stopped after round 2: 3 of 3 seats had heard enough (66.7 % were needed)"
    )
    assert ruled(stuck).because.endswith(
        "it stopped after round 3: an impasse: every seat said nearly the same as before (88 % alike or more), and the "
        "votes differ"
    )
    assert ruled(spent).because.endswith("it stopped after round 5, the last one allowed")
    assert "stopped" not in ruled(of("A", "A", "B")).because


@pytest.mark.parametrize(
    ("settings", "rounds", "why"),
    [
        (ConferenceSettings(mode="quick"), 1, ""),
        (ConferenceSettings(), 1, ""),
        (ConferenceSettings(max_rounds=2), 2, "it stopped after round 2, the last one allowed"),
    ],
)
def test_a_single_round_is_not_stopped_by_anything(settings: ConferenceSettings, rounds: int, why: str) -> None:
    held = heard(*[("A", "B", "B")] * rounds)

    assert count(Brief(question=LOGGING, panel=PANEL), held, (), terms=settings).course.why == why


@pytest.mark.parametrize(
    ("votes", "likeness", "why"),
    [
        ("AAA", "0.85", "for two rounds every seat said nearly the same as before (85 % alike or more)"),
        (
            "ABB",
            "0.85",
            "an impasse: every seat said nearly the same as before (85 % alike or more), and the votes differ",
        ),
        ("ABB", "0.39", "an impasse: for two rounds a seat said something else than before (39 % alike in the last)"),
    ],
)
def test_talk_that_stands_still_or_falls_apart_is_told_with_its_likeness(votes: str, likeness: str, why: str) -> None:
    spoken = still(still(heard(*[tuple(votes)] * 3), 2, *[likeness] * 3), 3, *[likeness] * 3)

    assert tally(spoken).course.why == f"it stopped after round 3: {why}"


def stricter(votes: str, *scores: tuple[int, int, str]) -> Tally:
    """One letter a seat, and how alike two of the letters are, by their place among them."""
    so_far = alike(of(*votes), 1, *scores, same=False)
    return stricter_count(tally(so_far), so_far, lambda counted: decide(counted, presets.rulebook("plurality")))


def grouping_cautions(counted: Tally) -> list[str]:
    return [one.text for one in counted.cautions if one.name == "grouping_matters"]


def test_of_several_ways_to_count_the_one_that_decides_nothing_is_taken() -> None:
    counted = stricter("AAABBCCD", (1, 2, "0.8"), (1, 3, "0.7"))

    assert heads(counted) == {"A": 3, "B": 3, "C": 2}
    assert grouping_cautions(counted) == [
        "it is uncertain whether options mean the same: 'B' with 'D'. Counted as one: no decision. Counted apart: 'A'"
    ]


@pytest.mark.parametrize(
    ("votes", "rivals", "told"),
    [
        ("AAAAABBCCDD", 3, "'B' with 'C' and 'B' with 'D' and 'C' with 'D'. "),
        ("AAAAAAABBCCDDEE", 4, "'B' with 'C' and 'B' with 'D' and 'B' with 'E' and 3 more pairs. "),
    ],
)
def test_where_every_way_decides_the_count_stays_and_at_most_three_pairs_are_named(
    votes: str, rivals: int, told: str
) -> None:
    pairs = combinations(range(1, rivals + 1), 2)
    counted = stricter(votes, *((i, j, "0.7") for i, j in pairs))

    assert heads(counted) == dict(Counter(votes))
    assert grouping_cautions(counted) == [
        f"it is uncertain whether options mean the same: {told}Counted as one: 'B'. Counted apart: 'A'"
    ]


def test_an_outcome_that_only_gets_another_name_is_the_same_outcome() -> None:
    assert grouping_cautions(stricter("ABBC", (0, 1, "0.8"))) == []
    assert heads(stricter("ABBC", (0, 1, "0.8"))) == {"A": 1, "B": 2, "C": 1}


def test_options_that_read_alike_are_named_where_the_outcome_is_the_same_and_never_both_cautions() -> None:
    counted = stricter("ABBC", (0, 1, "0.8"))

    assert [(one.name, one.text) for one in counted.cautions] == [
        (
            "similar_options",
            "options that read alike were counted apart: 'A' and 'B'. Counted as one, the outcome is the same",
        )
    ]
    assert [one.name for one in stricter("AABBC", (1, 2, "0.8")).cautions] == ["grouping_matters"]


def test_the_sealed_vote_is_counted_in_the_same_groups_and_votes_keep_their_words() -> None:
    votes = heard(("Use A", "Adopt A", "Use B"), ("Adopt A", "Use A", "Use B"))
    counted = tally(alike(votes, 2, (0, 1, "0.9")))

    assert counted.sealed is not None
    assert [voice.option for voice in counted.sealed.voices] == ["Use A", "Use A", "Use B"]
    assert [(voice.option, voice.words) for voice in counted.voices] == [
        ("Use A", "Adopt A"),
        ("Use A", "Use A"),
        ("Use B", "Use B"),
    ]
    assert counted.changes == ()
