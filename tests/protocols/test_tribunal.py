"""Who is asked what, when, and what they are shown: the tribunal played by hand."""

from quorate.model import Ask, Heard, Quote
from quorate.protocols.tribunal import protocol
from tests.tribunal import ACCURACY, BRIEF, PANEL, SAFETY, UTILITY, ballot, said, silent

OPENINGS = tuple(said(seat, "analysis", ballot("WARN")) for seat in PANEL)
CHALLENGES = tuple(said(one, "challenge", about=other) for one in PANEL for other in PANEL if one is not other)


def asks(heard: Heard, round_: str) -> list[Ask]:
    return [ask for ask in protocol(BRIEF, heard) if isinstance(ask, Ask) and ask.round == round_]


def who(asked: list[Ask]) -> list[tuple[str, str]]:
    return [(ask.seat.name, ask.about.name if ask.about else "") for ask in asked]


def shown(ask: Ask) -> set[str]:
    """The labels of everything quoted to a seat."""
    quotes = [part for _, part in ask.prompt.parts if not isinstance(part, str)]
    flat = [quote for part in quotes for quote in ((part,) if isinstance(part, Quote) else part)]
    return {quote.label for quote in flat}


def test_everyone_analyses_at_once_and_sees_the_question_only() -> None:
    opening = asks(Heard(PANEL), "analysis")

    assert who(opening) == [("Utility", ""), ("Accuracy", ""), ("Safety", "")]
    assert [shown(ask) for ask in opening] == [{"the question"}] * 3


def test_two_seats_challenge_each_other_as_soon_as_both_have_spoken() -> None:
    heard = Heard.of(PANEL, *OPENINGS[:2])

    assert who(asks(heard, "challenge")) == [("Utility", "Accuracy"), ("Accuracy", "Utility")]
    assert asks(heard, "revision") == []


def test_every_seat_challenges_every_other_and_sees_both_openings() -> None:
    challenges = asks(Heard.of(PANEL, *OPENINGS), "challenge")

    assert len(challenges) == 6
    assert shown(challenges[0]) == {"the question", "your own opening", "the opening of Accuracy"}


def test_a_seat_revises_once_all_challenges_to_it_are_in_and_sees_only_those() -> None:
    to_safety = [challenge for challenge in CHALLENGES if challenge[1] == "Safety"]
    (revision,) = asks(Heard.of(PANEL, *OPENINGS, *to_safety), "revision")

    assert revision.seat is SAFETY
    assert shown(revision) == {
        "the question", "your own opening", "a challenge by Utility", "a challenge by Accuracy",
    }  # fmt: skip


def test_nobody_revises_before_every_seat_has_spoken_or_fallen_silent() -> None:
    between = [challenge for challenge in CHALLENGES if SAFETY.name not in (challenge[1], challenge[2].seat)]

    assert asks(Heard.of(PANEL, *OPENINGS[:2], *between), "revision") == []


def test_a_seat_silent_at_first_takes_no_further_part() -> None:
    heard = Heard.of(PANEL, *OPENINGS[:2], silent(SAFETY, "analysis"))

    assert who(asks(heard, "challenge")) == [("Utility", "Accuracy"), ("Accuracy", "Utility")]
    assert "Safety" not in {ask.seat.name for ask in asks(heard, "revision")}


def test_a_silent_challenger_does_not_hold_up_a_revision() -> None:
    heard = Heard.of(
        PANEL,
        *OPENINGS,
        silent(UTILITY, "challenge", about=SAFETY),
        said(ACCURACY, "challenge", about=SAFETY),
    )
    (revision,) = asks(heard, "revision")

    assert shown(revision) == {"the question", "your own opening", "a challenge by Accuracy"}


def test_the_final_vote_costs_no_call_unless_it_is_asked_for() -> None:
    revised = tuple(said(seat, "revision", ballot("WARN")) for seat in PANEL)
    heard = Heard.of(PANEL, *OPENINGS, *CHALLENGES, *revised)
    confirming = [ask for ask in protocol(BRIEF, heard, final_vote="asked") if isinstance(ask, Ask)]

    assert asks(heard, "vote") == []
    assert [shown(ask) for ask in confirming if ask.round == "vote"] == [{"your revised position"}] * 3


def test_an_immediate_veto_leaves_nothing_to_ask() -> None:
    heard = Heard.of(PANEL, said(SAFETY, "analysis", ballot("VETO")))

    assert list(protocol(BRIEF, heard, veto="immediate")) == []
    assert list(protocol(BRIEF, heard)) != []


def test_a_veto_by_a_seat_without_the_power_stops_nothing() -> None:
    heard = Heard.of(PANEL, said(UTILITY, "analysis", ballot("VETO")))

    assert list(protocol(BRIEF, heard, veto="immediate")) != []


def test_a_lone_seat_still_revises() -> None:
    heard = Heard.of(PANEL, OPENINGS[0], silent(ACCURACY, "analysis"), silent(SAFETY, "analysis"))

    assert [ask.seat for ask in asks(heard, "revision")] == [UTILITY]


def test_every_prompt_asks_for_the_language_of_the_question() -> None:
    rounds = ((), OPENINGS, (*OPENINGS, *CHALLENGES))
    everything = [ask for said in rounds for ask in protocol(BRIEF, Heard.of(PANEL, *said))]
    prompts = {ask.prompt.template for ask in everything if isinstance(ask, Ask)}

    assert len(prompts) == 3
    assert all("language of the question" in prompt for prompt in prompts)
