"""How probable options are, in whole numbers: the same to the last digit as the formula with fractions at each step."""

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, prod
from random import Random

import pytest

from quorate.analysis.option_masses import option_masses
from quorate.model.numbers import exponential

SEATS = tuple("stuvwxyz")


def as_written(votes: Mapping[str, str], listed: int, skills: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The formula as the docs have it, with nothing brought over one denominator."""
    options = sorted(set(votes.values()))
    size = max(listed, len(options)) if listed else len(options) + 1
    guess, root = Fraction(1, size) if listed else Fraction(1, 100), Fraction(isqrt((size - 1) * 10**30), 10**15)
    masses = dict.fromkeys((*options, ""), Fraction(0))
    for step in range(-6, 7):
        b = Fraction(step, 2)
        right = {seat: guess + (1 - guess) / (1 + exponential(b - skills[seat])) for seat in votes}
        rest = exponential(-b * b / 8) * prod((1 - one for one in right.values()), start=Fraction(1))
        for option in options:
            behind = [right[seat] for seat, vote in votes.items() if vote == option]
            masses[option] += rest * prod((max(Fraction(1), one / (1 - one) * root) for one in behind), start=1)
        masses[""] += rest * (size - len(options)) * (1 / root if listed and size > 1 else 1)
    whole = sum(masses.values())
    return {option: mass / whole for option, mass in masses.items()}


def test_whole_numbers_come_to_the_same_shares_as_fractions(seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        seats = random.sample(SEATS, random.randint(1, len(SEATS)))
        listed = random.choice((0, 2, 3, 4, 10))
        votes = {seat: random.choice("ABCDEFGHIJ"[: listed or 3]) for seat in seats}
        skills = {seat: Fraction(random.randint(-10_000, 10_000), 1000) for seat in seats}

        masses = option_masses(votes, listed, skills)

        whole = sum(masses.values())
        assert {option: Fraction(mass, whole) for option, mass in masses.items()} == as_written(votes, listed, skills)


@pytest.mark.parametrize("listed", [0, 2, 10])
def test_seats_of_one_worth_that_split_evenly_are_level_to_the_last_digit(listed: int) -> None:
    masses = option_masses({"s": "A", "t": "B"}, listed, {"s": Fraction(1, 3), "t": Fraction(1, 3)})

    assert masses["A"] == masses["B"]


def test_a_list_of_one_option_has_nothing_to_be_right_about() -> None:
    assert option_masses({"s": "A"}, 1, {"s": Fraction(1)}) == {"A": 0, "": 0}
