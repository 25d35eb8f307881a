"""A weight that nothing would look at is refused; one that a rule weighs is taken."""

from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import catalogue
from quorate.errors import BadSetting
from quorate.model import Panel, Question, Seat
from quorate.model.charter import Charter
from quorate.settings.convene import convene

HEAVY = Panel(seats=(Seat(name="Ann", weight=Fraction(5, 2)), Seat(name="Ben")))
MODELS = (("Ann", "ollama:a"), ("Ben", "ollama:b"))


def test_a_weight_that_no_rule_looks_at_is_refused_in_a_sentence() -> None:
    charter = Charter(panel=HEAVY, protocol="conference", models=MODELS)

    with pytest.raises(
        BadSetting, match=r"seat 'Ann' has weight 2\.5, and no rule of rulebook 'plurality' weighs seats"
    ):
        convene(Question(text="Which?"), charter)


def test_the_weight_of_one_is_no_weight() -> None:
    even = Panel(seats=tuple(replace(seat, weight=Fraction(1)) for seat in HEAVY))

    assert convene(Question(text="Which?"), Charter(panel=even, protocol="conference", models=MODELS)).panel == even


def test_no_rule_that_ships_claims_to_weigh_seats() -> None:
    assert [name for name in catalogue.names("rule") if catalogue.rule(name).weighs] == []
