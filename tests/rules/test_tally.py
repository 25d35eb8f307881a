"""What a tally adds up in one walk is what each of its questions means by itself, whatever is in it."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from quorate.model import Tally, Voice
from quorate.model.ballot import Approval, Ranking

SEATS = ("Ann", "Ben", "Cleo")
OPTIONS = ("ACT", "WARN", "REFUSE")
VOTES = (
    None,
    Approval(()),
    Approval(("WARN", "REFUSE")),
    Ranking((("ACT", "WARN"), ("REFUSE",))),
    Ranking((("WARN",), ("ACT",))),
)

voices = st.builds(
    Voice,
    seat=st.sampled_from(SEATS),
    option=st.sampled_from((*OPTIONS, "", "unlisted")),
    confidence=st.sampled_from((None, Fraction(1, 3), Fraction(7, 10))),
    veto=st.booleans(),
    assumed=st.booleans(),
    vote=st.sampled_from(VOTES),
)
tallies = st.builds(
    Tally,
    eligible=st.sampled_from((SEATS, SEATS[:1], ())),
    options=st.sampled_from((OPTIONS, ())),
    voices=st.lists(voices, max_size=6).map(tuple),
)
QUESTIONS = ("vetoes", "assumed", "all_stated", "is_plain", "counted", "leaders", "agreement")


@given(tallies)
def test_who_voted_how_is_said_of_the_voices_one_by_one(tally: Tally) -> None:
    assert tally.vetoes == tuple(voice for voice in tally.voices if voice.veto)
    assert tally.assumed == tuple(voice for voice in tally.voices if voice.assumed)
    assert tally.stated() == tuple(voice for voice in tally.voices if not voice.assumed)
    assert tally.is_plain is all(voice.vote is None for voice in tally.voices)


@given(tallies)
def test_a_seat_is_one_head_for_an_option_however_often_it_names_it(tally: Tally) -> None:
    named = [option for voice in tally.voices for option in voice.choices]
    listed = [option for option in tally.options if option in named]
    heads = {option: {voice.seat for voice in tally.voices if option in voice.choices} for option in named}

    assert tally.counted == {option: len(seats) for option, seats in heads.items()}
    assert tally.cast == tuple(dict.fromkeys((*listed, *named)))


@given(tallies)
def test_leaders_have_the_most_heads_and_agreement_is_their_share_of_the_seats(tally: Tally) -> None:
    most = max(tally.counted.values(), default=0)

    assert tally.leaders == tuple(option for option in tally.cast if tally.heads(option) == most)
    assert tally.agreement == (Fraction(most, len(tally.eligible)) if tally.eligible else 0)


@given(tallies, st.sampled_from((*OPTIONS, "unlisted", None)))
def test_for_an_outcome_are_those_who_back_it_and_against_it_all_others(tally: Tally, outcome: str | None) -> None:
    sure, others = tally.for_and_against(outcome)
    backing = [voice for voice in tally.stated() if voice.backs(outcome)]

    assert sure == [voice.confidence for voice in backing if voice.confidence is not None]
    assert tuple(others) == tuple(dict.fromkeys(voice.seat for voice in tally.stated() if voice not in backing))


@given(tallies, st.permutations(QUESTIONS))
def test_it_makes_no_difference_what_is_asked_first(tally: Tally, order: tuple[str, ...]) -> None:
    again = Tally(eligible=tally.eligible, options=tally.options, voices=tally.voices)

    assert {name: getattr(tally, name) for name in QUESTIONS} == {name: getattr(again, name) for name in order}
