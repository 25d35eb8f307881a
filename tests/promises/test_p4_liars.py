"""P4: up to the stated number of lying seats cannot carry a decision, and one more can."""

import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest

from quorate.analysis.fault_tolerance import FaultTolerance, largest_within
from quorate.chair.tolerance import tolerance_of
from quorate.model import Rulebook, Tally, Verdict, Voice
from quorate.rules import decide
from quorate.settings.rulebook_file import amend_rulebook
from tests.figures import Figure
from tests.oracle import BOOK

OUTCOMES = ("YES", "NO", "UNDETERMINED")
OPTIONS = ("YES", "UNDETERMINED", "NO")
SILENT = "silent"
LIGHT, HEAVY = Fraction(0), Fraction(1)
PASSES = ("YES", "NO")
WAYS = ("heads", "weighted", "both")
SEATS = int(os.environ.get("QUORATE_SEATS", "25"))
"""Seats of the long size."""


def book_by(way: str, **changes: str) -> Rulebook:
    return amend_rulebook(
        BOOK, (("consensus.decide_by", way), *((key.replace("__", "."), v) for key, v in changes.items()))
    )


def ruled(casts: tuple[str, ...], book: Rulebook, weights: tuple[Fraction, ...] | None = None) -> Verdict:
    """The verdict on these findings; a seat weighs what it says of itself."""
    seats = tuple(f"r{at}" for at in range(len(casts)))
    weighed = weights or (Fraction(1, 2),) * len(casts)
    voices = tuple(
        Voice(seat=seat, option=cast, weight=weight, confidence=Fraction(4, 5))
        for seat, cast, weight in zip(seats, casts, weighed, strict=True)
        if cast != SILENT
    )
    return decide(Tally(eligible=seats, options=OPTIONS, voices=voices), book)


def figures(domains: tuple[str, ...], book: Rulebook) -> FaultTolerance:
    seats = tuple(f"r{at}" for at in range(len(domains)))
    tally = Tally(eligible=seats, options=OPTIONS, domains=tuple(zip(seats, domains, strict=True)))
    found = tolerance_of(tally, book).figures
    assert found is not None
    return found


def held(seats: int, book: Rulebook) -> tuple[int, int]:
    found = figures(tuple(str(at) for at in range(seats)), book)
    assert found.safe is not None
    return found.safe, found.live


def weights_against(casts: tuple[str, ...], liars: tuple[int, ...], outcome: str) -> tuple[Fraction, ...]:
    """The worst there can be: whoever is behind the outcome weighs all, everybody else nothing."""
    return tuple(HEAVY if at in liars or cast == outcome else LIGHT for at, cast in enumerate(casts))


def carried(casts: tuple[str, ...], liars: tuple[int, ...], outcome: str, book: Rulebook) -> bool:
    """Whether an outcome passes that no more than half of the honest seats stand behind."""
    honest = [cast for at, cast in enumerate(casts) if at not in liars]
    if 2 * honest.count(outcome) > len(honest):
        return False
    verdict = ruled(casts, book, weights_against(casts, liars, outcome))
    return verdict.decided and verdict.outcome == outcome


def every(seats: int, lying: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], str]]:
    """Every place of the liars, every finding or silence of every seat."""
    for liars in combinations(range(seats), lying):
        for casts in product((*OUTCOMES, SILENT), repeat=seats):
            for outcome in PASSES:
                if all(casts[at] in (outcome, SILENT) for at in liars):
                    yield casts, liars, outcome


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seats", range(3, 8))
def test_liars_up_to_the_bound_carry_nothing(seats: int, way: str) -> None:
    book = book_by(way)
    safe, _ = held(seats, book)
    checked, known = 0, dict[tuple[object, ...], bool]()
    for lying in range(safe + 1):
        for casts, liars, outcome in every(seats, lying):
            key = (lying, *sorted((cast, at in liars) for at, cast in enumerate(casts)), outcome)
            if key not in known:
                known[key] = carried(casts, liars, outcome, book)
            assert not known[key], f"{casts} with liars {liars} carries {outcome}"
            checked += 1
    print(f"{seats} seats, {way}: {checked} cases up to {safe} liars, 0 violations")  # noqa: T201
    assert checked


def vectors(seats: int, lying: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Every count of honest findings, the liars last: order never matters."""
    honest = seats - lying
    for yes in range(honest + 1):
        for no in range(honest - yes + 1):
            for unknown in range(honest - yes - no + 1):
                gone = honest - yes - no - unknown
                casts = ("YES",) * yes + ("NO",) * no + ("UNDETERMINED",) * unknown + (SILENT,) * gone
                yield (*casts, *(("YES",) * lying)), tuple(range(honest, seats))


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", WAYS)
def test_the_same_by_counts_up_to_17_seats(way: str, figure: Figure) -> None:
    book, checked = book_by(way), 0
    for seats in range(3, 18):
        safe, _ = held(seats, book)
        for lying in sorted({0, safe}):
            for casts, liars in vectors(seats, lying):
                assert not carried(casts, liars, "YES", book), f"{casts} carries YES with {lying} liars"
                checked += 1
    figure(f"by {way}: {checked:,} count vectors up to 17 seats, no liar or as many as stated: 0 carried")
    assert checked > 5_000


def lies(lying: int) -> Iterator[tuple[str, ...]]:
    """Whatever so many liars may do: for an outcome, against it, for none, and be silent; order never matters."""
    return combinations_with_replacement((*OUTCOMES, SILENT), lying)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_liars_in_any_number_up_to_the_bound_and_with_any_lie_carry_nothing_up_to_25_seats(
    way: str, figure: Figure
) -> None:
    book, checked = book_by(way), 0
    for seats in range(3, SEATS + 1):
        safe, _ = held(seats, book)
        for lying in range(safe + 1):
            for told in lies(lying):
                for casts, liars in vectors(seats, lying):
                    lied = (*casts[: seats - lying], *told)
                    assert not carried(lied, liars, "YES", book), f"{lied} carries YES with {lying} liars"
                    checked += 1
    figure(f"by {way}: {checked:,} count vectors up to {SEATS} seats, every number of liars and every lie: 0 carried")


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", WAYS)
def test_one_above_the_bound_there_is_a_case_and_it_is_shown(way: str) -> None:
    book = book_by(way)
    for seats in range(3, 26):
        safe, _ = held(seats, book)
        lied = reversed(list(vectors(seats, safe + 1)))  # with more of the honest behind it, one is found sooner
        broken = next((casts for casts, liars in lied if carried(casts, liars, "YES", book)), None)
        assert broken, f"{seats} seats withstand more than {safe}"
        print(f"{seats} seats, {way}: {safe + 1} liars carry {', '.join(broken)}")  # noqa: T201


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("least", [1, 2, 3])
def test_the_others_decide_whoever_is_missing_or_against_it(way: str, least: int) -> None:
    book = book_by(way, too_few__min_seats=str(least))
    for seats in range(3, 26):
        _, live = held(seats, book)
        for faulty in range(live + 1):
            for lost in range(faulty + 1):
                casts = ("YES",) * (seats - faulty) + (SILENT,) * lost + ("NO",) * (faulty - lost)
                weights = (LIGHT,) * (seats - faulty) + (HEAVY,) * faulty
                verdict = ruled(casts, book, weights)
                assert (verdict.outcome, verdict.decided) == ("YES", True), f"{casts}"
        if live + 1 < seats:
            stopped = ("YES",) * (seats - live - 1) + (SILENT,) * (live + 1)
            assert not ruled(stopped, book, (LIGHT,) * seats).decided


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", WAYS)
def test_knocking_honest_researchers_out_never_makes_an_outcome_pass(way: str, figure: Figure) -> None:
    figure(knocked_out(way, 8))


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_the_same_for_up_to_ten_seats(way: str, figure: Figure) -> None:
    figure(knocked_out(way, 10))


def knocked_out(way: str, most: int) -> str:
    """Silence every seat in every count vector, and see that nothing passes for it that did not before."""
    book, checked = book_by(way), 0
    for seats in range(3, most + 1):
        for casts, _ in vectors(seats, 0):
            for outcome in PASSES:
                weights = weights_against(casts, (), outcome)
                if ruled(casts, book, weights).outcome == outcome:
                    continue
                for at, cast in enumerate(casts):
                    if cast not in (outcome, SILENT):
                        fewer = (*casts[:at], SILENT, *casts[at + 1 :])
                        assert ruled(fewer, book, weights).outcome != outcome, f"{casts} without {at}"
                        checked += 1
    assert checked > 1000
    return f"by {way}: {checked:,} seats knocked out of panels up to {most}: nothing passes for it"


def test_three_liars_of_ten_gain_nothing_by_knocking_six_out_and_seven_are_needed() -> None:
    for liars in range(3, 7):
        assert not ruled(("YES",) * liars + (SILENT,) * (10 - liars), BOOK).decided

    assert ruled(("YES",) * 7 + (SILENT,) * 3, BOOK).outcome == "YES"


def test_a_seat_that_votes_twice_counts_once() -> None:
    twice = tuple(Voice(seat="r0", option="YES", weight=HEAVY) for _ in range(9))
    others = tuple(Voice(seat=f"r{at}", option="NO") for at in (1, 2))
    for way in WAYS:
        verdict = decide(Tally(eligible=("r0", "r1", "r2"), options=OPTIONS, voices=(*twice, *others)), book_by(way))
        assert verdict.outcome != "YES"


@pytest.mark.parametrize(
    ("seats", "least", "safe", "live"), [(3, 3, 0, 0), (3, 2, 0, 1), (4, 3, 1, 1), (5, 3, 2, 1), (7, 3, 2, 2)]
)
def test_the_stated_bounds(seats: int, least: int, safe: int, live: int) -> None:
    assert held(seats, book_by("heads", too_few__min_seats=str(least))) == (safe, live)


@pytest.mark.promise
@pytest.mark.parametrize("seats", range(3, 26))
def test_two_thirds_is_the_support_that_the_formula_asks_for(seats: int) -> None:
    faulty = (seats - 1) // 3
    found = figures(tuple(map(str, range(seats))), book_by("heads", too_few__min_seats="1"))

    assert found.carry == found.needed == max((seats + faulty) // 2 + 1, seats // 2 + 1)


@pytest.mark.promise
def test_the_largest_domains_that_may_lie_hold_no_more_than_the_bound() -> None:
    for seats in range(3, 8):
        for domains in product("abcd", repeat=seats):
            for bound in range(seats):
                number = largest_within(domains, bound)
                sizes = sorted((domains.count(name) for name in set(domains)), reverse=True)
                assert sum(sizes[:number]) <= bound
                assert number == len(sizes) or sum(sizes[: number + 1]) > bound


@pytest.mark.promise
def test_what_seats_say_of_themselves_changes_no_outcome() -> None:
    """With the default rules weights may be permuted at will; on a tie they name who leads, and accept nothing."""
    scale = (Fraction(0), Fraction(1, 3), Fraction(1))
    for seats in range(3, 5):
        for casts in product((*OUTCOMES, SILENT), repeat=seats):
            verdicts = {
                (verdict.outcome, verdict.decided, verdict.agreement)
                for weights in product(scale, repeat=seats)
                for verdict in (ruled(casts, BOOK, weights),)
            }
            assert len(verdicts) == 1
