"""The conference, played by hand through the chair."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import chair
from quorate.analysis.conference_course import named_options
from quorate.model import Ask, Course, Errand, Event, Found, Heard, Panel, Question, Reply, Seat, Spoken, Tally
from quorate.testing import vote
from tests.conference import (
    FLAGS,
    LOGGING,
    PANEL,
    PROTECTED,
    SEATS,
    STRUCTURED,
    conference,
    example,
    holding,
    scoring,
    voted,
)
from tests.play import Answer, Find, nothing, play, verdict

APART = (("Use A", "Use B", "Use C"),)
STILL, MOVING, WILD = (0.9, 0.9, 0.9), (0.6, 0.6, 0.6), (0.9, 0.9, 0.1)


def tally(events: Sequence[Event]) -> Tally:
    return chair.tally_of(chair.replay(events))


def course(answer: Answer, find: Find = nothing, /, **settings: str | int) -> Course:
    return tally(play(conference(settings=settings), answer, None, find)).course


def rounds_and_stop(answer: Answer, find: Find = nothing, /, **settings: str | int) -> tuple[int, str]:
    went = course(answer, find, **settings)
    return len(went.rounds), went.stop


def prompts(
    answer: Answer, panel: Panel = PANEL, question: Question = LOGGING, **settings: str | int
) -> dict[tuple[str, str], Ask]:
    """Every first ask by round and seat, as it went out."""
    asked: dict[tuple[str, str], Ask] = {}

    def listening(ask: Ask) -> Reply | str:
        asked.setdefault((ask.round, ask.seat.name), ask)
        return answer(ask)

    play(conference(panel, question, settings), listening)
    return asked


def test_the_worked_example_ties_in_round_one_and_is_unanimous_in_round_two() -> None:
    events = play(conference(), example, None, scoring((0.92, 0.94, 0.90), options=0.4))
    first = next(place for place, event in enumerate(events) if isinstance(event, Found))
    before, after = tally(events[: first + 1]), tally(events)
    decided = verdict(events).verdict

    assert (before.course.status, [before.heads(option) for option in before.cast]) == ("tie", [1, 1, 1])
    assert before.cast == (STRUCTURED, FLAGS, PROTECTED)
    assert (after.cast, after.heads(FLAGS)) == ((FLAGS,), 3)
    assert after.course.status == "unanimous_consensus"
    assert (after.course.rounds, after.course.stop) == (("1", "2"), "early")
    assert after.course.similarity == Fraction(92, 100)
    assert (decided.outcome, decided.decided, decided.rule) == (FLAGS, True, "unanimous")


def test_the_worked_example_shows_who_changed_and_whom_they_had_heard() -> None:
    changes = tally(play(conference(), example)).changes

    assert [(change.seat, change.was, change.now) for change in changes] == [
        ("Claude", STRUCTURED, FLAGS),
        ("Gemini", PROTECTED, FLAGS),
    ]
    assert changes[0].heard == ("Codex", "Gemini")


@pytest.mark.parametrize(
    ("done", "settings", "expected"),
    [
        ((0, 3), {"max_rounds": 5, "stop_share": "0.66", "respect_min_rounds": "false"}, (2, "early")),
        ((3, 0, 0), {"min_rounds": 3, "max_rounds": 3, "stop_share": "0.66"}, (3, "max_rounds")),
        ((0, 0, 2), {"min_rounds": 2, "max_rounds": 5, "stop_share": "0.66"}, (3, "early")),
        ((0, 1, 3), {"max_rounds": 5, "stop_share": "0.66"}, (3, "early")),
    ],
    ids=["unanimous early stop", "respect minimum rounds", "partial agreement", "threshold not met"],
)
def test_the_four_scenarios_of_early_stopping(
    done: Sequence[int], settings: dict[str, str | int], expected: tuple[int, str]
) -> None:
    assert rounds_and_stop(holding(APART, done=done), nothing, **settings) == expected


def test_all_content_in_round_one_still_hold_the_least_number_of_rounds() -> None:
    content = holding(APART, done=(3, 3, 3, 3, 3))

    assert rounds_and_stop(content) == (2, "early")
    assert rounds_and_stop(content, min_rounds=4) == (4, "early")
    assert rounds_and_stop(content, respect_min_rounds="false") == (1, "early")
    assert rounds_and_stop(content, early_stopping="false") == (5, "max_rounds")


def test_a_silent_seat_counts_against_an_early_stop() -> None:
    one_gone = holding((("-", "-", "Use A"), ("-", "Use A", "Use A")), done=(3, 3, 3, 3, 3))

    assert rounds_and_stop(one_gone) == (2, "early")
    assert rounds_and_stop(holding((("-", "-", "Use A"),), done=(3,) * 5)) == (5, "max_rounds")


def test_without_a_reason_to_stop_it_goes_on_to_the_last_round() -> None:
    assert rounds_and_stop(holding(APART)) == (5, "max_rounds")
    assert rounds_and_stop(holding(APART), max_rounds=3) == (3, "max_rounds")


def test_a_quick_conference_has_one_round() -> None:
    events = play(conference(settings={"mode": "quick"}), holding((("Use A", "Use A", "Use B"),)))

    assert tally(events).course.rounds == ("1",)
    assert verdict(events).verdict.outcome == "Use A"


def test_positions_that_stay_while_the_votes_agree_have_converged() -> None:
    went = course(holding((("Use A", "Use A", "Use A"),)), scoring(STILL))

    assert (len(went.rounds), went.stop, went.status) == (3, "converged", "unanimous_consensus")


def test_positions_that_stay_while_the_votes_differ_are_an_impasse() -> None:
    assert rounds_and_stop(holding(APART), scoring(STILL)) == (3, "impasse")


def test_drifting_apart_for_two_rounds_is_an_impasse() -> None:
    assert rounds_and_stop(holding((("Use A", "Use A", "Use A"),)), scoring(WILD)) == (3, "impasse")
    assert rounds_and_stop(holding(APART), scoring(WILD, MOVING, WILD, MOVING)) == (5, "max_rounds")


def test_one_still_round_is_not_yet_convergence_and_the_least_still_seat_decides() -> None:
    agreed = holding((("Use A", "Use A", "Use A"),))

    assert rounds_and_stop(agreed, scoring(STILL, MOVING, STILL, MOVING)) == (5, "max_rounds")
    assert rounds_and_stop(agreed, scoring((0.9, 0.9, 0.84))) == (5, "max_rounds")


@pytest.mark.parametrize(
    ("scores", "status"),
    [((STILL,), "converged"), ((WILD,), "impasse"), ((MOVING,), "refining"), ((*[MOVING] * 3, WILD), "diverging")],
)
def test_while_all_abstain_similarity_has_the_word(scores: Sequence[Sequence[float]], status: str) -> None:
    events = play(conference(), holding((("ABSTAIN",) * 3,)), None, scoring(*scores))

    assert tally(events).course.status == status
    assert verdict(events).verdict.outcome is None
    assert not verdict(events).verdict.decided


def test_no_similarity_stops_it_before_the_least_number_of_rounds() -> None:
    assert rounds_and_stop(holding(APART), scoring(STILL), min_rounds=4) == (4, "impasse")


def test_a_stance_is_an_instruction_and_a_role_stands_beside_it() -> None:
    pro, con = replace(SEATS[0], stance="for", role="You run the servers."), replace(SEATS[1], stance="against")
    asked = prompts(example, Panel(seats=(pro, con, SEATS[2])))

    for number in "12":
        assert "You run the servers.\nArgue for the proposal" in asked[number, "Claude"].prompt.template
        assert "Argue against the proposal" in asked[number, "Codex"].prompt.template
        assert "Argue " not in asked[number, "Gemini"].prompt.template


def test_context_and_criteria_reach_every_prompt() -> None:
    asked = prompts(example, question=replace(LOGGING, context="We log 3 TB a day.", criteria="Cost first."))

    assert all("We log 3 TB a day." in ask.prompt.template for ask in asked.values())
    assert all("Cost first." in ask.prompt.template for ask in asked.values())


def test_in_round_one_nobody_is_heard_and_later_everybody_of_the_round_before() -> None:
    asked = prompts(holding(APART), max_rounds=3)

    for seat in SEATS:
        first, second, third = (asked[number, seat.name].prompt.template for number in "123")
        assert not any(f"{other.name} in 1." in first for other in SEATS)
        assert all(f"{other.name} in 1." in second for other in SEATS)
        assert all(f"{other.name} in 2." in third and f"{other.name} in 1." not in third for other in SEATS)
        assert f"your own last speech]\n{seat.name} in 1." in second


def test_others_are_shown_a_position_and_never_a_vote_line_or_a_mark() -> None:
    asked = prompts(holding(APART))
    shown = asked["2", "Claude"].prompt.template.partition("Answer the others")[0]

    assert "Position: Use B (confidence 70 %)." in shown
    assert "VOTE" not in shown
    assert asked["1", "Codex"].mark not in shown


def speakers(ask: Ask) -> list[str]:
    """Whose words stand under A, B and so on, in that order."""
    shown = ask.prompt.template.split("the speech of speaker ")[1:]
    return [f"{part[0]}={next(seat.name for seat in BIG if f'word-{seat.role}.' in part)}" for part in shown]


BIG = tuple(Seat(name=f"Member-{number}", role=f"r{number}") for number in range(5))


def nameless(ask: Ask) -> Reply:
    return Reply(text=f"word-{ask.seat.role}.\n\n{vote(ask, 'Use A')}")


def test_anonymous_speakers_have_letters_in_an_order_of_each_listeners_own() -> None:
    asked = prompts(nameless, Panel(seats=BIG), anonymous="true")
    orders = {seat.name: speakers(asked["2", seat.name]) for seat in BIG}
    named = {name: [one.partition("=")[2] for one in order] for name, order in orders.items()}

    for seat in BIG:
        template = asked["2", seat.name].prompt.template
        assert [one[0] for one in orders[seat.name]] == ["A", "B", "C", "D"]
        assert not any(other.name in template for other in BIG)
        assert speakers(asked["3", seat.name]) == orders[seat.name]
    assert any(
        [one for one in named[BIG[0].name] if one in order] != [one for one in order if one in named[BIG[0].name]]
        for order in named.values()
    )


def test_a_letter_stays_with_its_speaker_while_another_is_silent() -> None:
    def answer(ask: Ask) -> Reply | str:
        return "timeout" if (ask.seat, ask.round) == (BIG[2], "1") else nameless(ask)

    asked = prompts(answer, Panel(seats=BIG), anonymous="true")

    for seat in BIG:
        assert set(speakers(asked["2", seat.name])) <= set(speakers(asked["3", seat.name]))


def test_with_names_the_others_speak_under_them() -> None:
    assert "the speech of Codex]" in prompts(example)["2", "Claude"].prompt.template


def test_given_options_are_a_closed_list_named_by_number() -> None:
    question = replace(LOGGING, options=("Log everything", "Log errors"))
    asked = prompts(holding((("1", "2", "Log errors"),)), question=question, options="given")
    events = play(conference(question=question, settings={"options": "given"}), holding((("1", "2", "Log errors"),)))

    assert "  1. Log everything\n  2. Log errors" in asked["1", "Claude"].prompt.template
    assert verdict(events).verdict.outcome == "Log errors"


def test_a_vote_off_the_closed_list_is_asked_for_once_more_and_then_silent() -> None:
    question = replace(LOGGING, options=("Log everything", "Log errors"))
    begin = conference(question=question, settings={"options": "given", "mode": "quick"})
    events = play(begin, holding((("Log nothing", "2", "2"),)))
    attempts = [event for event in events if isinstance(event, Spoken) and event.seat == "Claude"]

    assert [event.unreadable for event in attempts] == ["unknown_option", "unknown_option"]
    assert [gone.why for gone in tally(events).silent] == ["unknown_option"]


def test_options_of_a_closed_list_are_never_merged_however_alike() -> None:
    question = replace(LOGGING, options=("Rewrite it in Rust", "Rewrite it in Go"))
    events = play(
        conference(question=question, settings={"options": "given"}),
        holding((("1", "1", "2"),)),
        None,
        scoring(MOVING, options=1),
    )

    assert tally(events).cast == ("Rewrite it in Rust", "Rewrite it in Go")


def test_nominated_options_are_open_at_first_then_the_grouped_list() -> None:
    start = (("Use A", "Please use A", "Use A now"), ("1", "1", "1"))
    asked: list[Ask] = []

    def answer(ask: Ask) -> Reply | str:
        asked.append(ask)
        return holding(start)(ask)

    events = play(conference(settings={"options": "nominated"}), answer, None, scoring(MOVING, options=0.8))
    papers = {ask.round: ask.options for ask in asked}

    assert papers["1"] == ()
    assert papers["2"] == papers["5"] == ("Use A",)
    assert verdict(events).verdict.outcome == "Use A"


def test_a_vote_carried_from_before_the_list_was_closed_counts_for_its_group() -> None:
    rounds = (("Use A", "Use B", "Please use B"), ("1", "2", "-"))

    def find(errand: Errand) -> Found:
        found = scoring(MOVING)(errand)
        return (
            replace(found, scores=((0, 1, Fraction(0)), (0, 2, Fraction(0)), (1, 2, Fraction(9, 10))), same=((1, 2),))
            if found.about
            else found
        )

    events = play(conference(settings={"options": "nominated"}), holding(rounds), None, find)

    assert {option: tally(events).heads(option) for option in tally(events).cast} == {"Use A": 1, "Use B": 2}


def test_a_seat_silent_in_a_round_is_asked_again_in_the_next() -> None:
    rounds = (("-", "Use A", "Use B"), ("Use B", "Use A", "Use B"))
    events = play(conference(settings={"max_rounds": 2}), holding(rounds))

    assert tally(events).silent == ()
    assert verdict(events).verdict.outcome == "Use B"


def test_who_hears_nobody_is_told_so() -> None:
    asked = prompts(holding((("-", "-", "-"),)))

    assert "(Nobody else could be heard.)" in asked["2", "Claude"].prompt.template


def test_a_reply_without_a_vote_is_asked_for_the_vote_alone() -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Reply | str:
        asked.append(ask)
        return Reply(text="I am for A.") if ask.attempt == 1 else Reply(text=vote(ask, "Use A"))

    events = play(conference(settings={"mode": "quick"}), answer)
    again = [ask.prompt.template for ask in asked if ask.attempt == 2]

    assert len(again) == 3
    assert all("there was no vote in it" in prompt and "nothing else" in prompt for prompt in again)
    assert verdict(events).verdict.outcome == "Use A"


def test_from_the_second_round_on_the_options_so_far_are_put_to_the_vote_by_name() -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Reply | str:
        asked.append(ask)
        return holding((("Use A", "Adopt A", "Keep B"), ("Use A", "Use A", "Use A")))(ask)

    def find(errand: Errand) -> Found:
        found = scoring(MOVING)(errand)
        alike = ((0, 1, Fraction(9, 10)), (0, 2, Fraction(0)), (1, 2, Fraction(0)))
        return replace(found, scores=alike, same=((0, 1),)) if found.about else found

    events = play(conference(), answer, None, find)
    later = [ask for ask in asked if ask.round == "2"]

    assert len(later) == 3
    assert all("- Use A\n- Keep B\n" in ask.prompt.template for ask in later)
    assert not any("Adopt A\n" in ask.prompt.template.partition("put to the vote")[2] for ask in later)
    assert not any("put to the vote" in ask.prompt.template for ask in asked if ask.round == "1")
    assert all(ask.shown is not None and "- Keep B" not in ask.shown() for ask in later)  # copying is no quotation
    assert verdict(events).verdict.outcome == "Use A"


def test_at_most_twenty_options_are_listed_and_those_still_held_are_among_them() -> None:
    seats = tuple(Seat(name=f"s{number}") for number in range(25))
    words = [voted(seat, 1, f"Plan {place}") for place, seat in enumerate(seats)]
    last = [voted(seat, 2, "Plan 24") for seat in seats]
    listed = named_options(Heard.of(Panel(seats=seats), *words, *last), 2, Fraction(7, 10))

    assert len(listed) == 20
    assert listed == (*(f"Plan {place}" for place in range(19)), "Plan 24")
