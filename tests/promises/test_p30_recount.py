"""P30: every statement is true of its record: recounted from the events by code that shares nothing with the views."""

import os
from collections import Counter
from pathlib import Path

import pytest

from quorate.model import Decided, Silent, Withdrawn
from quorate.views import Record
from tests.figures import Figure
from tests.promises.recount import Facts
from tests.promises.recount_draw import drawn_plays, fill_library, hold_all
from tests.promises.recount_documents import refuted_statements

EVERYDAY = 420
DRAWN = int(os.environ.get("QUORATE_RECOUNTED", "2100"))
"""Deliberations of the long size, every protocol as often."""


def recounted(records: list[Record], figure: Figure, seed: int) -> list[str]:
    decided = [record for record in records if any(isinstance(event, Decided) for event in record.events)]
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


@pytest.mark.long
def test_no_statement_of_2_100_drawn_deliberations_is_refuted(seed: int, figure: Figure, tmp_path: Path) -> None:
    records = hold_all(drawn_plays(DRAWN, seed, fill_library(tmp_path / "library")))

    assert recounted(records, figure, seed) == []
