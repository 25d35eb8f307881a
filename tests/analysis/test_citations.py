"""What a source counts as: looked up in a seat's own passages, once a page, once a text."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate.analysis.citations import address, check_citations, unchecked_citations
from quorate.analysis.pooling import brier, deviation, pool_probabilities
from quorate.analysis.research import findings
from quorate.analysis.source_list import merge_sources
from quorate.analysis.source_overlap import band, overlap
from quorate.analysis.source_weights import quality, weight
from quorate.model import Brief, Evidence, Question
from tests.oracle import ballot, heard_of, panel_of, passage, sources, with_found

TEXT = "The council said on Monday: “The bridge  opened\nto traffic at noon”, and thanked everybody."
PAGE = passage("https://news.example/bridge", TEXT)


@pytest.mark.parametrize(
    ("quote", "url", "state"),
    [
        ("the bridge opened to traffic at noon", "https://news.example/bridge", "found"),
        ("The Bridge opened\n\nto traffic", "http://www.NEWS.example/bridge/?utm_source=x#top", "found"),
        ('said on Monday: "The bridge opened', "https://news.example/bridge", "found"),
        ("the bridge opened to traffic at noon", "https://elsewhere.example/", "elsewhere"),
        ("the bridge opened to traffic at noon", "", "elsewhere"),
        ("the bridge collapsed at noon", "https://news.example/bridge", "not_found"),
        ("", "https://news.example/bridge", "no_quote"),
        ("bridge", "https://news.example/bridge", "no_quote"),
    ],
)
def test_a_source_counts_only_if_its_quote_stands_in_a_passage(quote: str, url: str, state: str) -> None:
    (found,) = check_citations([Evidence(url=url, quote=quote, credibility=Fraction(1))], [PAGE])

    assert found.state == state
    assert found.counts is (state in {"found", "elsewhere"})
    assert found.credibility == (Fraction(9, 10) if found.counts else 0), "ours, never the seat's"


def test_one_page_under_fifty_mirrors_counts_once() -> None:
    mirrors = [passage(f"https://mirror{at}.example/", TEXT) for at in range(50)]
    cited = [Evidence(url=page.url, quote="opened to traffic at noon") for page in mirrors]
    found = check_citations(cited, mirrors)

    assert [one.state for one in found] == ["found", *["repeated"] * 49]
    assert len(merge_sources([("a", found)])) == 1


def test_a_claimed_source_without_an_address_does_not_count() -> None:
    found = unchecked_citations([Evidence(url="", title="a book"), Evidence(url="https://a.example/")])

    assert [one.state for one in found] == ["no_address", "claimed"]


def test_a_seat_is_checked_against_its_own_finds_and_the_question_alone() -> None:
    panel = panel_of(2)
    cited = (
        Evidence(url=PAGE.url, quote="opened to traffic at noon"),
        Evidence(url="context", quote="given with it here"),
    )
    heard = heard_of(panel, (ballot("YES", cited=cited), ballot("YES", cited=cited)))
    heard = with_found(with_found(heard, "r0", PAGE), "r1", why="nothing there")
    brief = Brief(question=Question(text="?", context="This was given with it here."), panel=panel)
    first, second = findings(brief, heard)

    assert [one.state for one in first.citations] == ["found", "found"]
    assert [one.state for one in second.citations] == ["not_found", "found"]


@pytest.mark.parametrize("other", ["http://www.a.example:80/x/", "https://A.example/x#y", "a.example/x?utm_medium=z"])
def test_spellings_of_one_address_are_one(other: str) -> None:
    assert address(other) == address("https://a.example/x")


@pytest.mark.parametrize(
    "other", ["https://a.example/y", "https://nota.example/x", "https://a.example/x?id=2", "a.example:8080/x"]
)
def test_other_addresses_are_others(other: str) -> None:
    assert address(other) != address("https://a.example/x")


def test_weights_are_the_published_formula() -> None:
    full = unchecked_citations(sources(50, credibility=Fraction(4, 5)))
    half = unchecked_citations(sources(25, credibility=Fraction(1, 2)))

    assert quality(full) == 1
    assert weight(Fraction(85, 100), full) == Fraction(85, 100)
    assert quality(half) == Fraction(7, 10)
    assert weight(Fraction(1), half) == Fraction(35, 100)
    assert weight(Fraction(1), ()) == 0
    assert quality(unchecked_citations([replace(sources(1)[0], credibility=Fraction(1, 2))])) == Fraction(54, 100)


def test_merging_keeps_everybody_who_cites_and_changes_no_input() -> None:
    one, other = unchecked_citations(sources(3)), unchecked_citations((*sources(1), *sources(2, 10)))
    kept = [("a", one), ("b", other)]
    found = merge_sources(kept)

    assert kept == [("a", unchecked_citations(sources(3))), ("b", unchecked_citations((*sources(1), *sources(2, 10))))]
    assert len(found) == 5
    assert next(s for s in found if "site0." in s.url).cited_by == ("a", "b")
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    shuffled = list(found)
    random.Random(4).shuffle(shuffled)
    assert {s.url for s in shuffled} == {s.url for s in merge_sources(list(reversed(kept)))}


def test_overlap_is_common_sources_among_all_of_two() -> None:
    shared = overlap([("a", unchecked_citations(sources(4))), ("b", unchecked_citations(sources(4, 2))), ("c", ())])

    assert [(pair.a, pair.b, pair.share) for pair in shared.pairs] == [
        ("a", "b", Fraction(1, 3)), ("a", "c", 0), ("b", "c", 0),
    ]  # fmt: skip
    assert (shared.unique, shared.mean, shared.largest) == (6, Fraction(1, 9), Fraction(1, 3))


@pytest.mark.parametrize(
    ("share", "name"),
    [
        ("0", "low"),
        ("0.1999", "low"),
        ("0.2", "moderate"),
        ("0.4", "high"),
        ("0.5999", "high"),
        ("0.6", "very high"),
        ("1", "very high"),
    ],
)
def test_bands_are_half_open(share: str, name: str) -> None:
    assert band(Fraction(share)) == name


def test_pooling_is_exact_clipped_and_indifferent_to_order() -> None:
    numbers = [Fraction(text) for text in ("0.9", "0.8", "0.7", "0.6", "0.2")]

    assert pool_probabilities(numbers) == pool_probabilities(list(reversed(numbers))) == Fraction(665_966, 1_000_000)
    assert pool_probabilities([Fraction(0), Fraction(0)]) == Fraction(1, 100)
    assert pool_probabilities([Fraction(1)]) == Fraction(99, 100)
    assert pool_probabilities([Fraction(3, 10), Fraction(7, 10)]) == Fraction(1, 2)
    assert pool_probabilities([]) is None
    assert brier(Fraction(3, 4), happened=True) == Fraction(1, 16)
    assert deviation([Fraction(2), Fraction(4)]) == 1
