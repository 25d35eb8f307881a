"""The oracle's reference page is what the source does."""

from fractions import Fraction

import pytest

from quorate import catalogue
from quorate.analysis.citations import COUNTS, STATES
from quorate.analysis.source_overlap import BANDS
from quorate.chair.tolerance import tolerance_of
from quorate.counting.findings import count
from quorate.model import Tally
from quorate.presets import rulebook
from quorate.protocols.oracle import SPEC, WAYS
from tests.docs.tables import first, page, rows, section

PAGE = "reference/oracle.md"


def table(heading: str) -> list[list[str]]:
    return [[cell.strip("` ") for cell in row] for row in rows(section(page(PAGE), heading))]


def test_answers_and_ways_are_those_listed() -> None:
    assert first(section(page(PAGE), "## Outcomes")) == set(SPEC.variants)
    assert first(section(page(PAGE), "## Ways to research")) == set(WAYS)


def test_the_minima_are_those_listed() -> None:
    defaults = {setting.name: str(setting.default) for setting in catalogue.settings(count)}

    assert {row[0]: row[1] for row in table("## Minima")} == {n: v for n, v in defaults.items() if n.startswith("min_")}


def test_the_bands_are_those_listed() -> None:
    assert {Fraction(row[0].removesuffix(" %")) / 100: row[1] for row in table("## Overlap")} == dict(BANDS)


def test_every_check_of_a_citation_is_listed() -> None:
    assert {row[0]: row[1] for row in table("## Citations")} == {
        state: "yes" if state in COUNTS else "no" for state in STATES
    }


def test_the_rules_are_those_listed_in_their_order() -> None:
    book = rulebook("oracle")
    listed = table("## Rules")
    order = [row[0] for row in listed if len(row) == 3]

    assert order == [named.name for named in (*book.rules, book.otherwise)]
    assert {row[0]: row[1] for row in listed if len(row) == 2} == dict(SPEC.aliases)


@pytest.mark.parametrize("row", table("## What a panel withstands"))
def test_a_panel_withstands_what_the_page_says(row: list[str]) -> None:
    seats, safe, live = map(int, row)
    bench = Tally(eligible=tuple(map(str, range(seats))), options=("YES", "UNDETERMINED", "NO"))
    held = tolerance_of(bench, rulebook("oracle")).figures

    assert held is not None
    assert (held.safe, held.live) == (safe, live)
