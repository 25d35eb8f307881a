"""Exact answers: what is equal is one option on every backend, and a sign, a fraction or a day apart never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.option_groups import group
from quorate.offline.group import group_options
from quorate.similarity.backend_choice import choose
from quorate.similarity.contradiction import refusal
from quorate.similarity.exact_answers import ExactForm, exact_form, plain_name

OVERLAP = choose("overlap")


@pytest.mark.parametrize(
    "texts",
    [
        ("1/2", "0.5", r"\frac{1}{2}", r"$\frac{1}{2}$"),
        ("7", "7.0", r"$\boxed{7}$", '"7"'),
        ("1,000,000", "1000000"),
        ("-10 %", "−10%"),
        ("May 12, 1999", "12 May 1999", "12th of May 1999", "1999-05-12"),
        ("x + 1", "x+1"),
        ("The Beatles", "Beatles", '"The Beatles"', "the beatles."),
        ("U.S.A.", "USA"),
    ],
)
def test_one_answer_in_several_spellings_is_one_option(texts: tuple[str, ...]) -> None:
    assert [one.members for one in group_options(texts, OVERLAP).groups] == [texts]


@pytest.mark.parametrize(
    "texts",
    [
        ("-10 %", "+10 %", "10 GB"),
        ("Raise it by -10 %", "Raise it by +10 %"),
        ("Change it by -10 % in May", "Change it by 10 % in May"),
        ("1/2", "2/1"),
        ("3/4 of the budget", "4/3 of the budget"),
        ("x", "-x", "−2x"),
        ("sin x", "-sin x"),
        ("$5", "-$5"),
        ("May 12, 1999", "May 13, 1999"),
        ("Turn the switch to it", "Turn the switch off it"),
        ("Move into the cloud", "Move out of the cloud"),
        ("even", "odd"),
        ("50 %", "0.5"),
    ],
)
def test_a_sign_a_fraction_or_a_particle_apart_stays_apart(texts: tuple[str, ...]) -> None:
    assert len(group_options(texts, OVERLAP).groups) == len(texts)
    assert all(refusal(one, other) for one in texts for other in texts if one != other)


def test_words_are_no_formula_and_a_hyphen_is_no_sign() -> None:
    assert exact_form("Use PostgreSQL") is None
    assert exact_form("v1") is None
    assert not refusal("a well-known way", "a well known way")


def test_a_group_is_named_without_the_quotation_marks_of_its_first_option() -> None:
    assert [one.name for one in group_options(('"Paris"', "Paris", "“London”"), OVERLAP).groups] == ["Paris", "London"]


def test_a_name_without_its_quotation_marks_is_never_that_of_another_group() -> None:
    assert [one.name for one in group(('"a b"', "a b"), ()).groups] == ['"a b"', "a b"]


@given(st.text(max_size=80))
def test_any_text_has_an_exact_form_or_none(text: str) -> None:
    assert exact_form(text) is None or isinstance(exact_form(text), ExactForm)
    assert isinstance(plain_name(text), str)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_numbers_are_merged_only_if_they_are_equal(one: int, other: int) -> None:
    groups = group_options((str(one), f"{other:,}"), OVERLAP).groups

    assert (len(groups) == 1) == (one == other)
