from itertools import permutations
from pathlib import Path

import pytest

from quorate import presets
from quorate.model.numbers import percent
from quorate.rules import decide
from tests.tribunal import ballot, tally_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tribunal.md"


def published() -> list[tuple[str, str, str, str]]:
    """The rows of the table in the reference, as they stand there."""
    section = PAGE.read_text().partition("## The table")[2].partition("## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(row[0], row[1], row[2], row[3]) for row in rows[1:]]


@pytest.mark.parametrize(("votes", "agreement", "outcome", "rule"), published())
def test_every_published_row_holds_in_every_order(votes: str, agreement: str, outcome: str, rule: str) -> None:
    if "/" in votes:
        act, warn, refuse = (int(part) for part in votes.split("/"))
        choices = ["ACT"] * act + ["WARN"] * warn + ["REFUSE"] * refuse
        orders = set(permutations(choices)) if len(choices) < 6 else {tuple(choices), tuple(reversed(choices))}
    else:
        orders = {(one, other, "VETO") for one in ("ACT", "WARN", "REFUSE") for other in ("ACT", "WARN", "REFUSE")}

    for order in orders:
        verdict = decide(tally_of([ballot(choice) for choice in order]), presets.rulebook("tribunal"))

        assert (verdict.outcome, verdict.rule) == (outcome, rule)
        assert ("none" if verdict.agreement is None else percent(verdict.agreement)) == agreement


def test_the_table_holds_all_ten_splits_of_three_seats() -> None:
    three = {row[0] for row in published() if "/" in row[0] and sum(map(int, row[0].split("/"))) == 3}

    assert len(three) == 10
