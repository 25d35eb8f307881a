"""A record as doors show it: checked first, in any of its forms, with a warning where it does not hold."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from quorate import catalogue
from quorate.engine.verify import MISREAD, Verification, refusal, refuse, verify_record
from quorate.errors import BadPanel, BadSetting, LedgerMismatch, NotRecorded
from quorate.ledger import Ledger
from quorate.ledger.chain import ChainCheck, verify_chain
from quorate.model import Rulebook
from quorate.offline.attest import StoredRecord, stored_record
from quorate.views import VIEWS, Record
from quorate.views.escape import harmless_markdown, one_line

__all__ = [
    "CheckedRecord",
    "fitting_rulebook",
    "judged_record",
    "look_up",
    "record_warning",
    "shown_record",
    "verification_document",
]

WITH_A_WARNING: Final = ("minutes", "markdown", "json")
"""The forms that can say first that a record does not hold; the others are other systems' own."""


class CheckedRecord(NamedTuple):
    """A record in the words of today, its chain, and what came of judging it."""

    record: Record
    chain: ChainCheck
    checked: Verification


async def look_up(ledger: Ledger, id_: str) -> CheckedRecord:
    """A record from the ledger, its chain checked and its verdict worked out again.

    Raises:
        LedgerBroken: the chain does not hold.
        NotRecorded: no such deliberation, or nothing in it.
    """
    whole = await stored_record(ledger, id_)
    if not whole.rows:
        raise NotRecorded(f"nothing of {whole.id} is saved yet; continue with: quorate resume {whole.id}")
    # Others may be deliberating on this loop.
    import asyncio  # noqa: PLC0415 - whoever has no loop does without it

    return await asyncio.to_thread(_checked, whole)


def _checked(whole: StoredRecord) -> CheckedRecord:
    chain, checked = verify_chain(whole.id, whole.rows), verify_record(whole.record)
    return CheckedRecord(whole.record, chain, checked)


def judged_record(record: Record) -> Record:
    """The record, if its verdict may be relied on.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
    """
    refuse(record, *MISREAD)
    return record


def shown_record(form: str, record: Record, checked: Verification) -> str | dict[str, Any]:
    """A deliberation in one of its forms: text, or what JSON is made of.

    Raises:
        BadSetting: this deliberation has no such form.
        LedgerMismatch: it does not hold, and the form cannot say so.
    """
    if not VIEWS[form].fits(record.state.convened.protocol):
        shows, protocol = VIEWS[form].shows, record.state.convened.protocol
        raise BadSetting(f"{form} shows a {shows}, and this is a {protocol}; take minutes or json")
    if not checked.same and form not in WITH_A_WARNING:
        raise LedgerMismatch(f"{record.id} {refusal(checked)}; to see it all the same: minutes, or json")
    view: Callable[[Record], Any] = getattr(import_module(VIEWS[form].module), VIEWS[form].function)
    if form == "json":
        from quorate.views.document import document  # noqa: PLC0415 - for this form alone

        return document(record, checked.document())
    shown: str | dict[str, Any] = view(record)
    return f"{record_warning(record, checked)}\n\n{shown}" if isinstance(shown, str) and not checked.same else shown


def record_warning(record: Record, checked: Verification) -> str:
    """What stands before a record that does not hold."""
    return f"**WARNING: {record.id} {harmless_markdown(one_line(refusal(checked)))}**"


def verification_document(record: Record, chain: ChainCheck, checked: Verification) -> dict[str, object]:
    """What came of checking a record, for --json."""
    return {
        "schema": 1,
        "id": record.id,
        "entries": chain.entries,
        "head": chain.head,
        "missing": chain.missing,
        "recorded": checked.recorded,
        "recomputed": checked.recomputed,
        "state": checked.state,
        "holds": checked.holds,
        "because": checked.why or None,
        "finished": checked.finished,
        "notes": list(checked.notes),
    }


def fitting_rulebook(name: str, record: Record) -> Rulebook:
    """The rulebook, if what it stands for are outcomes that this deliberation could come to.

    Raises:
        BadPanel: it is another protocol's.
        UnknownName: no such rulebook.
    """
    from quorate import presets  # noqa: PLC0415 - a record is shown far more often than replayed
    from quorate.settings.rulebook_file import check_outcomes  # noqa: PLC0415  a record is shown far more often than replayed

    convened = record.state.convened
    book, spec = presets.rulebook(name), catalogue.protocol(convened.protocol)
    named = (*book.rules, book.otherwise, *book.unless)
    means = {word for one in named for key, word in one.settings if key == "means" and word}
    if not spec.outcomes and means - {*convened.question.options}:
        own = ", ".join(one.name for one in spec.books)
        raise BadPanel(
            f"rulebook {name!r} decides on {', '.join(sorted(means))}, and a {convened.protocol} has no such outcomes; "
            f"it takes {own}"
        )
    return check_outcomes(book, convened.protocol)
