"""What the ledger's past teaches, at the command line: read once, kept beside the ledger, shown beside a verdict."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from quorate.ledger import Summary
    from quorate.service.learned_values import LearnedFigures
    from quorate.service.past_votes import PastDecision
    from quorate.views import Record
    from quorate.views.result import Result

__all__ = ["learned_decisions", "learned_document", "with_learned"]


def learned_decisions(ledger: str | None, fits: "Callable[[Summary], bool] | None" = None) -> "list[PastDecision]":
    """Past decisions of the ledger, the oldest first; what is new since the last time is read and kept."""
    from quorate.doors.cli.records import ledger_path, with_ledger
    from quorate.service.past_votes import cache_place, past_decisions

    where = ledger_path(ledger)
    return with_ledger(ledger, lambda held: past_decisions(held, cache_place(where), fits))


def learned_document(record: "Record", where: str) -> dict[str, object] | None:
    """What the past says about a verdict, for the one document."""
    found = _figures(record, where)
    return None if found is None else found.document()


def with_learned(result: "Result", record: "Record", where: str) -> "Result":
    """The same for the card."""
    from dataclasses import replace

    found = _figures(record, where)
    return result if found is None else replace(result, learned=tuple(found.rows))


def _figures(record: "Record", where: str) -> "LearnedFigures | None":
    """From what is kept beside the ledger: nothing is read here that was not read before."""
    from quorate.service.learned_values import learned_figures
    from quorate.service.past_votes import cached_decisions

    return learned_figures(record, cached_decisions(where))
