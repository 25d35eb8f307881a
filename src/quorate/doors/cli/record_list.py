"""`quorate list`: what is in the ledger, newest first, each judged again from its words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import complain, note, one_line, say, say_json
from quorate.errors import LedgerMismatch, LedgerNewer, NotRecorded, QuorateError

if TYPE_CHECKING:
    from quorate.ledger import Ledger, Summary

__all__ = ["ListedRecord", "list_", "say_list", "verify_summary"]


@click.command("list", epilog="\b\nExample:\n  quorate list --json")
@options.ledger
@options.as_json
def list_(ledger: str | None, *, as_json: bool) -> int:
    """List what is in the ledger, newest first.

    The newest 100 are judged again from their words; what does not hold is marked, and the exit code is 1.
    """

    async def work(held: "Ledger") -> "list[ListedRecord]":
        found = [summary async for summary in held.list()]
        return [await verify_summary(held, one) for one in found[:MOST]] + [
            ListedRecord(one, "unchecked") for one in found[MOST:]
        ]

    found = with_ledger(ledger, work)
    if not found and not as_json:
        note('nothing is recorded yet; begin with: quorate ask "…" --panel demo')
    return say_list(found, as_json=as_json)


def say_list(found: "Sequence[ListedRecord]", *, as_json: bool) -> int:
    """Print a list, and of what does not hold say so on stderr and with the exit code."""
    if as_json:
        shown = [{**summary_document(one.summary), "check": one.check} for one in found]
        say_json({"schema": 1, "deliberations": shown})
    for one in () if as_json else found:
        say(summary_line(one.summary) + _MARKS.get(one.check, ""))
    wrong = [one.summary.id for one in found if one.check in _MARKS and one.check != "unchecked"]
    for id_ in wrong:
        complain(f"{id_} does not hold, or not by this version's reading; see: quorate verify {id_}")
    return ERROR if wrong else DONE


MOST: Final = 100
"""So many are judged again in a list: a second's work at most."""
_MARKS: Final = {
    "broken": "  (BROKEN: the chain does not hold)",
    "differs": "  (DOES NOT HOLD)",
    "newer": "  (written by a newer quorate)",
    "partly_forgotten": "  (words are missing)",
    "read_otherwise": "  (READ OTHERWISE today)",
    "unchecked": "  (not checked)",
}


class ListedRecord(NamedTuple):
    """A line of the list, and what came of judging the record again."""

    summary: "Summary"
    check: str


async def verify_summary(held: "Ledger", summary: "Summary") -> ListedRecord:
    """What a record says by its own entries: the columns beside them are not chained, so they are not believed."""
    from quorate.engine.verify import verify_record
    from quorate.ledger.book import summarize
    from quorate.ledger.chain import open_row
    from quorate.offline.attest import stored_record
    from quorate.views.document import state_of

    if not summary.entries:
        return ListedRecord(summary, "unfinished")
    try:
        whole = await stored_record(held, summary.id)
        checked = verify_record(whole.record)
    except NotRecorded:
        return ListedRecord(summary, "unchecked")
    except LedgerNewer:
        return ListedRecord(summary, "newer")
    except LedgerMismatch:
        return ListedRecord(summary, "differs")
    except QuorateError:
        return ListedRecord(summary, "broken")
    told = replace(summarize(whole.id, [open_row(row) for row in whole.rows]), imported=summary.imported)
    if told.state == "open":
        told = replace(told, state=state_of(whole.record.events))
    return ListedRecord(told, checked.state)


def summary_document(summary: "Summary") -> dict[str, object]:
    return {
        "id": summary.id,
        "state": _state(summary),
        "question": summary.question,
        "protocol": summary.protocol,
        "outcome": summary.outcome,
        "review": _review(summary),
        "begun": summary.begun,
        "imported": summary.imported,
    }


def _state(summary: "Summary") -> str:
    """The document knows no `open`: what was begun and not finished is halted, until it is resumed."""
    return "halted" if summary.state == "open" else summary.state


def _review(summary: "Summary") -> dict[str, object] | None:
    if summary.reviewed is None and not summary.awaits:
        return None
    return {"state": "pending" if summary.awaits else "given", "outcome": summary.reviewed}


def summary_line(summary: "Summary") -> str:
    """A deliberation in one line: the panel's outcome, and what a person says of it or is asked to say."""
    state = _state(summary)
    outcome = one_line(summary.outcome or ("no outcome" if state == "decided" else state), 12)
    said = f"  (reviewed: {one_line(summary.reviewed, 12)})" if summary.reviewed is not None else ""
    waits = "  (waits for review)" if summary.awaits else ""
    begun = one_line(summary.begun[:16].replace("T", " "))
    came = "  (imported)" if summary.imported else ""
    return f"{one_line(summary.id)}  {begun}  {outcome:<12}  {one_line(summary.question, 80)}{said}{waits}{came}"
