"""What the list says of a deliberation, entry by entry."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from quorate.errors import LedgerBroken
from quorate.ledger import Entry, LedgerReader, Summary
from quorate.ledger.chain import open_row
from quorate.model import Convened, Decided, Failed, Halted, Reviewed, TurnedAway, TurnedOut

__all__ = ["add_entry", "check_summary", "summarize"]

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
        case Failed() | Halted():
            return replace(summary, state="failed" if isinstance(entry.event, Failed) else "halted")
        case Reviewed(outcome=outcome):
            return replace(summary, awaits=False, reviewed=outcome)
        case _:
            again = summary.state == "failed" and not isinstance(entry.event, TurnedOut)
            return replace(summary, state="open") if again else summary


async def check_summary(ledger: LedgerReader, id_: str) -> None:
    """See that the list says of a deliberation what its entries say.

    Nothing hashes what the list says, so whoever may write to the ledger can change it alone.

    Raises:
        LedgerBroken: it says something else, with the fields.
        NotRecorded: no such deliberation.
    """
    # The list first: what is added meanwhile is then more than it says, never less.
    listed = next((one for one in [one async for one in ledger.list()] if one.id == id_), None)
    rows = await ledger.rows(id_)
    if listed is not None:
        entries = summarize(id_, [open_row(row) for row in rows[: listed.entries]])
        wrong = [name for name in _LISTED if getattr(listed, name) != getattr(entries, name)]
        if wrong:
            raise LedgerBroken(
                f"{id_} is listed with another {', another '.join(wrong)} than its entries have; the list was changed, "
                "so believe the entries: quorate show"
            )


_LISTED: Final = ("begun", "protocol", "question", "state", "outcome", "entries", "awaits", "reviewed")


def summarize(id_: str, entries: Sequence[Entry]) -> Summary:
    """The summary of a whole record."""
    summary = Summary(id=id_)
    for entry in entries:
        summary = add_entry(summary, entry)
    return replace(summary, entries=len(entries))
