"""How close it was: what is said of the fewest ballots is what every way to vote comes to."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from random import Random

import pytest

from quorate import presets, rules
from quorate.analysis.flip_margin import FlipMargin, flip_margin, single_flips
from quorate.model import Rulebook, Silence, Tally, Voice
from quorate.views.document import flips_document

GATE = ("ACT", "WARN", "REFUSE")
OPTIONS = ("A", "B", "C")
BOOKS = {"tribunal": GATE, "strict": GATE, "plurality": OPTIONS, "oracle": ("YES", "UNDETERMINED", "NO")}
NUMBERS = tuple(map(Fraction, ("0", "1/2", "9/10", "1")))


def tally_of(*choices: str, options: tuple[str, ...] = GATE, guardians: tuple[str, ...] = ()) -> Tally:
    """Seats s0, s1 … that chose so; an empty choice is silence."""
    names = tuple(f"s{at}" for at in range(len(choices)))
    return Tally(
        eligible=names,
        options=options,
        voices=tuple(
            Voice(seat=seat, option=choice, confidence=Fraction(9, 10), risk=Fraction(1, 10))
            for seat, choice in zip(names, choices, strict=True)
            if choice
        ),
        silent=tuple(
            Silence(seat=seat, why="timeout") for seat, choice in zip(names, choices, strict=True) if not choice
        ),
        guardians=guardians,
    )


def margin(tally: Tally, book: str) -> FlipMargin:
    found = flip_margin(tally, partial(rules.apply_rulebook, rulebook=presets.rulebook(book)))
    assert found is not None
    return found


def test_a_majority_of_one_hangs_on_each_seat_of_it() -> None:
    found = margin(tally_of("ACT", "ACT", "WARN"), "tribunal")

    assert found.ballots == 1
    assert {seats for flip in found.flips for seats in flip.seats} >= {"s0", "s1"}


def test_all_of_five_for_one_option_is_far_from_another() -> None:
    found = margin(tally_of(*"AAAAA", options=()), "plurality")

    assert found.ballots == 3
    assert found.flips[0].outcome != "A" or not found.flips[0].decided


def test_each_example_brings_what_it_says() -> None:
    tally, book = tally_of("ACT", "ACT", "WARN"), presets.rulebook("tribunal")
    for flip in single_flips(tally, partial(rules.apply_rulebook, rulebook=book)):
        (seat,) = flip.seats
        choices = [
            flip.vote if name == seat else vote
            for name, vote in zip(tally.eligible, ("ACT", "ACT", "WARN"), strict=True)
        ]
        if flip.vote != "VETO":
            verdict = rules.apply_rulebook(tally_of(*choices), book)
            assert (verdict.outcome, verdict.decided) == (flip.outcome, flip.decided)


def test_of_rankings_sides_and_demonstrations_nothing_is_said() -> None:
    decide = partial(rules.apply_rulebook, rulebook=presets.rulebook("tribunal"))
    tally = tally_of("ACT", "ACT", "ACT")

    assert flip_margin(replace(tally, sides=True), decide) is None
    assert flip_margin(replace(tally, demo=True), decide) is None
    assert flips_document(None) is None


def test_a_large_panel_that_agrees_is_searched_as_fast_as_a_small_one() -> None:
    """Any caller may seat one, and the server computes this: to go through all sets of 30 seats takes hours."""
    found = margin(tally_of(*(["A"] * 30), options=OPTIONS), "plurality")

    assert found.ballots == found.at_least == 15
    assert found.flips[0].seats == tuple(f"s{at}" for at in range(15))


def test_a_list_of_options_that_is_too_long_for_the_search_gives_no_margin() -> None:
    options = tuple(f"option {at}" for at in range(250))
    tally = tally_of("option 0", "option 0", "option 0", options=options)
    decide = partial(rules.apply_rulebook, rulebook=presets.rulebook("plurality"))

    assert flip_margin(tally, decide) is None
    assert single_flips(tally, decide) == ()


def ballots(tally: Tally, seat: str) -> list[Voice | None]:
    """Every ballot a seat could have cast, None for silence."""
    plain = [
        Voice(seat=seat, option=option, confidence=sure, risk=risk)
        for option, sure, risk in product(tally.options, NUMBERS, NUMBERS)
    ]
    veto = [Voice(seat=seat, option=tally.options[-1], veto=True)] if seat in tally.guardians else []
    return [None, *plain, *veto]


def cast(tally: Tally, changed: dict[str, Voice | None]) -> Tally:
    voices = {voice.seat: voice for voice in tally.voices} | changed
    return replace(
        tally,
        voices=tuple(voice for seat in tally.eligible if (voice := voices.get(seat)) is not None),
        silent=tuple(Silence(seat=seat, why="timeout") for seat in tally.eligible if voices.get(seat) is None),
    )


def brute(tally: Tally, book: Rulebook) -> int | None:
    """The fewest ballots, by trying every way to cast them."""
    before = rules.apply_rulebook(tally, book)
    for size in range(1, len(tally.eligible) + 1):
        for seats in combinations(tally.eligible, size):
            for ways in product(*(ballots(tally, seat) for seat in seats)):
                after = rules.apply_rulebook(cast(tally, dict(zip(seats, ways, strict=True))), book)
                if (after.outcome, after.decided) != (before.outcome, before.decided):
                    return size
    return None


@pytest.mark.promise
@pytest.mark.timeout(300)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_no_way_to_vote_refutes_it(book: str, seats: int) -> None:
    seed = f"{book} {seats}"
    chance, options, rulebook = Random(seed), BOOKS[book], presets.rulebook(book)
    for _ in range(60 if seats < 4 else 15):
        choices = [chance.choice((*options, options[0], "")) for _ in range(seats)]
        guardians = ("s0",) if book in {"tribunal", "strict"} and chance.random() < 1 / 2 else ()
        tally = tally_of(*choices, options=options, guardians=guardians)
        voices = tuple(
            replace(voice, confidence=chance.choice(NUMBERS), risk=chance.choice(NUMBERS)) for voice in tally.voices
        )
        tally = replace(tally, voices=voices)
        assert margin(tally, book).ballots == brute(tally, rulebook), (seed, tally)


def test_where_only_the_numbers_matter_the_seat_is_shown_with_its_own_option() -> None:
    decide = partial(rules.apply_rulebook, rulebook=presets.rulebook("strict"))

    flips = single_flips(tally_of("ACT", "WARN", "WARN"), decide)

    assert [(flip.seats, flip.vote, flip.outcome) for flip in flips] == [
        (("s0",), "ACT", "REFUSE"),
        (("s1",), "WARN", "REFUSE"),
        (("s2",), "WARN", "REFUSE"),
    ]
