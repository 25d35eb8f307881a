"""P30: every statement is true of its record: recounted from the events by code that shares nothing with the views."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from quorate.model import Silent, Withdrawn
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.result import Result
from tests.figures import Figure
from tests.promises.recount import Facts
from tests.promises.recount_claims import quotes_of, refuted
from tests.promises.recount_documents import refuted_statements
from tests.promises.recount_draw import drawn_plays, fill_library, hold_all
from tests.promises.recount_sums import refuted_sums

EVERYDAY = 420
DRAWN = int(os.environ.get("QUORATE_RECOUNTED", "2100"))
"""Deliberations of the long size, every protocol as often."""
RECOUNTED = {"because", "votes", "no vote", "agreement", "confidence", "cost"}
"""Rows whose numbers are counted by hand; others quote rules, and what a seat has to fear is searched."""
ENOUGH = 0.95


def recounted(records: list[Record], figure: Figure, seed: int) -> list[str]:
    decided = [record for record in records if Facts(record.events).decided]
    refuted = [f"{record.state.convened.protocol} {told}" for record in decided for told in refuted_statements(record)]
    kinds = Counter(type(event).__name__ for record in records for event in record.events)
    merged = sum(
        len(set(Facts(record.events).groups.values())) < len(Facts(record.events).groups) for record in decided
    )
    figure(
        f"{len(decided)} deliberations recounted (seed {seed}): {len(refuted)} statements refuted; with "
        f"{kinds[Silent.__name__]} silences, {kinds[Withdrawn.__name__]} cancellations, {merged} with merged options"
    )
    assert kinds[Silent.__name__]
    assert kinds[Withdrawn.__name__]
    assert merged
    return refuted


@pytest.mark.promise
def test_no_statement_of_420_drawn_deliberations_is_refuted(seed: int, figure: Figure, tmp_path: Path) -> None:
    records = hold_all(drawn_plays(EVERYDAY, seed, fill_library(tmp_path / "library")))

    assert recounted(records, figure, seed) == []


@pytest.mark.promise
def test_numbers_that_are_one_too_high_are_noticed(seed: int, figure: Figure, tmp_path: Path) -> None:
    """Control: of every line the first number is raised by one."""
    tried = noticed = 0
    for record in hold_all(drawn_plays(140, seed, fill_library(tmp_path / "library"))):
        facts, lines = Facts(record.events), rows(Result.of(record))
        for label, told in lines if facts.decided else ():
            for line in told if label in RECOUNTED else ():
                raised = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), line, count=1)
                if raised != line and "round" not in line.partition(":")[0]:
                    tried += 1
                    changed = {**dict(lines), label: (raised,)}
                    noticed += any((*refuted(facts, label, raised, quotes_of(facts)), *refuted_sums(facts, changed)))

    figure(f"of {tried} numbers raised by one {noticed} are noticed (seed {seed})")
    assert noticed > ENOUGH * tried


@pytest.mark.long
def test_no_statement_of_2_100_drawn_deliberations_is_refuted(seed: int, figure: Figure, tmp_path: Path) -> None:
    records = hold_all(drawn_plays(DRAWN, seed, fill_library(tmp_path / "library")))

    assert recounted(records, figure, seed) == []
