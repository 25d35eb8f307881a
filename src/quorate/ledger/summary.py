"""What the list says of a deliberation, entry by entry."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from quorate.ledger import Entry, Summary
from quorate.model import Convened, Decided, Halted, Reviewed, TurnedAway

__all__ = ["add_entry", "summarize"]

SHOWN: Final = 300


def add_entry(summary: Summary, entry: Entry) -> Summary:
    """What a summary says after one more entry, the same one for most; the entries are not counted."""
    match entry.event:
        case Convened(protocol=protocol, question=question):
            return replace(summary, begun=entry.time, protocol=protocol, question=question.text[:SHOWN])
        case Decided(verdict=verdict):
            return replace(summary, state="decided", outcome=verdict.outcome, awaits=verdict.awaits_review)
        case TurnedAway(verdict=verdict):
            return replace(summary, state="turned_away", outcome=verdict.outcome)
        case Halted():
            return replace(summary, state="halted")
        case Reviewed(outcome=outcome):
            return replace(summary, awaits=False, reviewed=outcome)
        case _:
            return summary


def summarize(id_: str, entries: Sequence[Entry]) -> Summary:
    """The summary of a whole record."""
    summary = Summary(id=id_)
    for entry in entries:
        summary = add_entry(summary, entry)
    return replace(summary, entries=len(entries))
