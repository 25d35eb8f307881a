"""`quorate evaluate --live`: a dataset put to a live panel as a batch, and its votes measured like recorded ones."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from quorate.doors.cli.batch_progress import BatchProgress
from quorate.doors.cli.batch_session import INTERRUPTED, BatchSession, hold_batch, read_total
from quorate.doors.cli.records import with_ledger
from quorate.errors import BadSetting
from quorate.settings.table import LEDGER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.evaluate.live_votes import LabelledLine, SeatCost
    from quorate.evaluate.votes import VotedQuestion
    from quorate.settings.resolve import Settings

__all__ = ["LiveVotes", "LiveWish", "live_votes"]


class LiveWish(NamedTuple):
    """What a live evaluation was told."""

    file: str
    output: str
    workers: int
    total_budget: str | None
    name: str
    trust: bool


class LiveVotes(NamedTuple):
    """What the panel voted, what its seats cost, and how often it came to a verdict."""

    questions: "tuple[VotedQuestion, ...]"
    costs: "tuple[SeatCost, ...]"
    decided: tuple[bool, ...]


def live_votes(said: dict[str, Any], wish: LiveWish) -> LiveVotes | None:
    """Put every question of a dataset to the panel and read its votes; none if it was interrupted.

    Raises:
        QuorateError: nothing can be asked, or nothing in the answers is a vote.
    """
    from quorate.evaluate.live_votes import labelled_lines
    from quorate.service.host import Host
    from quorate.service.prepare import open_panel
    from quorate.service.request import Request

    panel = open_panel(Request(options=said, trust=wish.trust), Host.here("evaluation"))
    lines = labelled_lines(wish.file)
    session = BatchSession(
        panel=panel,
        limits=read_total(wish.total_budget),
        progress=BatchProgress(),
        workers=wish.workers,
        name=wish.name,
        trust=wish.trust,
    )
    session.progress.counts.total = len(lines)
    if hold_batch(session, lambda: _run(session, lines, wish.output)) == INTERRUPTED:
        return None
    return _measured(panel.settings, lines, wish.output)


async def _run(session: BatchSession, lines: "Sequence[LabelledLine]", output: str) -> None:
    from quorate.engine.batches.result_lines import ResultFile

    results, complete = ResultFile.open(output, "jsonl"), False
    try:
        await session.run((one.line for one in lines), results)
        complete = True
    finally:
        results.close(complete=complete)


def _measured(resolved: "Settings", lines: "Sequence[LabelledLine]", output: str) -> LiveVotes:
    from quorate.evaluate.live_votes import votes_of

    with Path(output).open(encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    ids = {str(one["key"]): str(one["id"]) for one in results if one["id"] and not one["error"]}
    questions, costs = with_ledger(resolved[LEDGER], lambda held: votes_of(held, ids, lines, "seat"))
    if not questions:
        raise BadSetting(
            "no answer is a vote that can be measured: a demo's answers carry no information, and debates, rankings "
            "and numbers are no choice among options. The results are kept"
        )
    decided = tuple(bool(one["decided"]) for one in results if not one["error"])
    return LiveVotes(questions, costs, decided)
