"""Findings as counted: what each seat cites and what became of it, on which side it stands, and what is told of it."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate.counting.findings import count
from quorate.model import Ballot, Brief, Evidence, Heard, Passage, Question, Speech, Tally
from quorate.protocols.oracle import OUTCOMES
from tests.oracle import ballot, heard_of, panel_of, passage, sources, tally_of, with_found

CITIES = Question(text="Which?", options=("Paris", "Rome"))


def texts(tally: Tally, name: str) -> list[tuple[str, str]]:
    """Whom a caution of that name is about, and what it says."""
    return [(one.seat, one.text) for one in tally.cautions if one.name == name]


def counted(heard: Heard, **settings: object) -> Tally:
    return count(Brief(question=Question(text="?"), panel=heard.panel), heard, OUTCOMES, **settings)  # type: ignore[arg-type]


def given(kinds: Sequence[int], begin: int = 0) -> tuple[Evidence, ...]:
    """So many official sources, news, and of three other categories."""
    names = ("official", "news", "social", "domain_specific", "fact_check")
    every = [name for name, number in zip(names, kinds, strict=True) for _ in range(number)]
    return tuple(
        replace(one, category=name)  # type: ignore[arg-type]
        for one, name in zip(sources(len(every), begin), every, strict=True)
    )


ENOUGH = (5, 15, 10, 10, 10)


@pytest.mark.parametrize(
    ("kinds", "lacks"),
    [
        (ENOUGH, ""),
        ((5, 15, 10, 10, 9), "49 of 50 sources"),
        (
            (5, 15, 10, 20, 0),
            "4 of 5 categories (domain_specific, news, official, social; other words count as domain_specific)",
        ),
        ((4, 16, 10, 10, 10), "4 of 5 official sources"),
        ((6, 14, 10, 10, 10), "14 of 15 news sources"),
    ],
)
def test_unless_told_otherwise_fifty_sources_of_five_kinds_are_asked_for(kinds: Sequence[int], lacks: str) -> None:
    tally = tally_of([ballot("YES", cited=given(kinds))])

    assert texts(tally, "few_sources") == [("r0", f"r0 has fewer sources than asked for: {lacks}")] * bool(lacks)


def test_of_several_seats_the_same_is_said_once_and_each_thing_in_its_own_caution() -> None:
    short = (5, 15, 10, 10, 9)
    two, three = given(short), given(ENOUGH, 200)
    tally = tally_of([ballot("YES", cited=cited) for cited in (two, two, (*three, three[0]))])

    assert texts(tally, "few_sources") == [("", "r0 and r1 have fewer sources than asked for: 49 of 50 sources")]
    assert texts(tally, "repeated_source") == [
        ("r2", "r2 cites once more a page or a text cited already; each counts once")
    ]
    assert texts(tally, "unverified") == []


def quoting(url: str, quote: str) -> Evidence:
    return Evidence(url=url, quote=quote)


BRIDGE = passage("https://a.example/1", "the bridge is open to all")
TRUE = quoting("https://a.example/1", "the bridge is open")


@pytest.mark.parametrize(
    ("cited", "unverified", "repeated"),
    [
        ((TRUE,), "", ""),
        ((TRUE, TRUE), "", "cites once more"),
        ((TRUE, TRUE, TRUE), "", "cites 2 times more"),
        (
            (TRUE, quoting("https://b.example", "the bridge is shut")),
            "r0 cites 2 sources of which 1 does not count: its quote stands in no passage the seat was given",
            "",
        ),
        (
            (TRUE, quoting("https://b.example", "the bridge is shut"), quoting("https://b.example", "shut"), TRUE),
            (
                "r0 cites 4 sources of which 2 do not count: its quote stands in no passage the seat was given; "
                "its quote has fewer than 10 characters, too few to be looked up"
            ),
            "cites once more",
        ),
    ],
)
def test_what_does_not_count_is_told_with_the_reason_and_what_is_repeated_apart(
    cited: tuple[Evidence, ...], unverified: str, repeated: str
) -> None:
    tally = counted(with_found(heard_of(panel_of(1), [ballot("YES", cited=cited)]), "r0", BRIDGE))

    assert [text for _, text in texts(tally, "unverified")] == [unverified] * bool(unverified)
    assert [repeated in text for _, text in texts(tally, "repeated_source")] == [True] * bool(repeated)
    assert [voice.evidence for voice in tally.voices] == [1]


@pytest.mark.parametrize(
    ("noticed", "said"),
    [
        ("scale", "r0 gave a number above 1; it was read as a percentage, 85 as 85 %"),
        ("many_sources", "r0 cites more sources than are read; the first 2 were"),
    ],
)
def test_what_was_noticed_while_reading_is_told_of_the_seat(noticed: str, said: str) -> None:
    heard = heard_of(panel_of(2), [ballot("YES", cited=sources(2)), ballot("YES")])
    words = {
        place: replace(word, cautions=(noticed,)) if isinstance(word, Speech) and word.seat == "r0" else word
        for place, word in heard.words.items()
    }

    assert texts(counted(replace(heard, words=words)), noticed) == [("r0", said)]
    assert texts(counted(heard), noticed) == []


def test_who_was_found_nothing_is_told_with_the_reason() -> None:
    heard = heard_of(panel_of(2), [ballot("YES"), ballot("YES")])
    tally = counted(with_found(with_found(heard, "r0", why="the search is down"), "r1", BRIDGE))

    assert texts(tally, "no_search") == [("r0", "nothing was found for r0: the search is down")]


def test_who_cites_nothing_and_who_cites_too_little_are_silent_for_different_reasons() -> None:
    bare, few, full = ballot("NO", cited=()), ballot("NO", cited=sources(3)), ballot("YES", cited=sources(4, 10))
    tally = tally_of([bare, few, full, "timeout"], few_sources="exclude", min_sources=4)

    assert [(gone.seat, gone.why) for gone in tally.silent] == [
        ("r0", "unsupported"), ("r1", "few_sources"), ("r3", "timeout"),
    ]  # fmt: skip
    assert [voice.seat for voice in tally.voices] == ["r2"]
    assert texts(tally, "unsupported") == [
        ("r0", "r0 cited no source that counts, and a finding without one does not count")
    ]
    assert [seat for seat, _ in texts(tally_of([bare, bare]), "unsupported")] == [""]


def in_library(size: int, cited: Sequence[int], **settings: object) -> Tally:
    """Seats that cite so many of a closed library's pages each."""
    pages = [(f"https://site{at}.example", f"page number {at:03} of this library") for at in range(max(cited))]
    casts = [ballot("YES", cited=tuple(quoting(*page) for page in pages[:number])) for number in cited]
    heard = heard_of(panel_of(len(cited)), casts)
    shelf = tuple(Passage(url=url, text=text, digest=url) for url, text in pages)
    for seat in heard.panel:
        heard = with_found(heard, seat.name, *shelf)
    closed = {key: replace(found, library=size) for key, found in heard.finds.items()}
    return counted(replace(heard, finds=closed), **settings)


@pytest.mark.parametrize(
    ("size", "cited", "narrow"), [(7, (1, 4), 7), (8, (1, 4), None), (3, (2, 1), 3), (4, (2, 1), None)]
)
def test_a_library_is_narrow_if_the_seat_that_cites_most_had_less_than_twice_as_much(
    size: int, cited: Sequence[int], narrow: int | None
) -> None:
    assert in_library(size, cited).figure("library") == narrow


def test_of_a_closed_library_nobody_is_asked_for_more_than_it_holds() -> None:
    small, large = in_library(8, (4,)), in_library(60, (4,))

    assert texts(small, "closed_library") == [
        ("", "the library holds 8 documents and 50 sources are asked for, so 8 are enough")
    ]
    assert "4 of 8 sources" in texts(small, "few_sources")[0][1]
    assert texts(large, "closed_library") == []
    assert in_library(1, (1,), min_verified=2).figure("library") is None, "nobody's finding counts"


def test_pairs_that_share_three_fifths_of_their_sources_are_named_and_no_others() -> None:
    alike = [ballot("YES", cited=sources(4)), ballot("YES", cited=sources(4, 1)), ballot("YES", cited=sources(4, 3))]
    tally = tally_of(alike)

    assert texts(tally, "source_overlap") == [("", "these share most of their sources: r0 and r1 (60 %)")]
    assert tally.figure("overlap") == Fraction(3, 5)
    assert texts(tally_of(alike[::2]), "source_overlap") == []


@pytest.mark.parametrize(
    ("answers", "question", "options"),
    [
        ("yes_no", CITIES, ("YES", "UNDETERMINED", "NO")),
        ("probability", CITIES, ("YES", "UNDETERMINED", "NO")),
        ("options", CITIES, ("Paris", "Rome", "UNDETERMINED")),
        ("options", Question(text="Which?"), ()),
        ("number", CITIES, ()),
    ],
)
def test_the_words_a_seat_may_choose_follow_from_what_is_asked_for(
    answers: str, question: Question, options: tuple[str, ...]
) -> None:
    assert tally_of([ballot("1")], question=question, answers=answers).options == options


@pytest.mark.parametrize(
    ("chance", "side"), [("0.49", "NO"), ("0.5", "UNDETERMINED"), ("0.51", "YES"), ("UNDETERMINED", "UNDETERMINED")]
)
def test_a_probability_stands_on_the_side_of_a_half_that_it_is_on(chance: str, side: str) -> None:
    assert [voice.option for voice in tally_of([ballot(chance)], answers="probability").voices] == [side]


@pytest.mark.parametrize(("number", "option"), [("104.9", "100"), ("105", "100"), ("105.01", "105.01"), ("95", "100")])
def test_a_number_within_a_twentieth_of_the_median_counts_for_it(number: str, option: str) -> None:
    casts = [ballot(text) for text in ("100", number, "100", "100")]

    assert [voice.option for voice in tally_of(casts, answers="number").voices] == ["100", option, "100", "100"]


def casts(*numbers: str) -> list[Ballot]:
    return [ballot(number) for number in numbers]


def test_numbers_are_told_by_their_median_and_probabilities_by_what_they_pool_to() -> None:
    numbers = tally_of(casts("7", "9", "2", "UNDETERMINED"), answers="number")
    chances = tally_of(casts("0", "0.5", "1"), answers="probability")

    assert dict(numbers.figures) == {"overlap": 0, "median": 7, "lowest": 2, "highest": 9}
    assert dict(chances.figures) == {
        "overlap": 0, "probability": Fraction(1, 2), "lowest": Fraction(1, 100), "highest": Fraction(99, 100),
    }  # fmt: skip
    assert dict(tally_of(casts("YES")).figures) == {"overlap": 0}
    assert dict(tally_of(casts("UNDETERMINED"), answers="number").figures) == {"overlap": 0}


def test_a_round_was_held_only_if_somebody_was_heard() -> None:
    assert counted(Heard(panel_of(1))).course.rounds == ()
    assert [gone.why for gone in counted(Heard(panel_of(1))).silent] == ["not_asked"]
    assert tally_of(["timeout"]).course.rounds == ("research",)
