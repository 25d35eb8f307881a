"""Commands on what is in the ledger: show, replay, export, import, forget."""

import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.screen import (
    bytes_from,
    complain,
    confirm,
    is_terminal,
    note,
    one_line,
    say,
    say_bytes,
    say_json,
)
from quorate.errors import BadSetting, LedgerMismatch, NotRecorded
from quorate.settings.table import ALLOW_KEYS, LEDGER, PANEL, RULEBOOK

if TYPE_CHECKING:
    from quorate.engine.verify import Verification
    from quorate.ledger import Entry, Ledger, LedgerReader
    from quorate.settings.resolve import Settings
    from quorate.views import Record

__all__ = [
    "export",
    "forget",
    "import_",
    "ledger_path",
    "load_record",
    "looked_up",
    "place",
    "replay",
    "say_as",
    "show",
    "whole_id",
    "with_ledger",
    "with_reader",
]

T = TypeVar("T")


def place(ledger: str | None, panel: str | None = None, allow_keys: tuple[str, ...] = ()) -> "Settings":
    """The ledger that flags, environment and the user's file name; no panel is looked at unless one is named."""
    from quorate.settings.resolve import resolve

    said = {LEDGER.name: ledger, PANEL.name: panel or "tribunal", ALLOW_KEYS.name: allow_keys}
    return resolve(said, os.environ, Path("~").expanduser())


def ledger_path(ledger: str | None) -> str:
    """Where the ledger is, by the same sources; nothing of a panel is loaded for it."""
    from quorate.settings.base_folders import ledger_place

    return ledger_place(ledger, os.environ, Path("~").expanduser())


def with_ledger(ledger: str | None, work: "Callable[[Ledger], Awaitable[T]]") -> T:
    """Open the ledger, do the work, close it."""
    from quorate.ledger import open_ledger

    where = ledger_path(ledger)

    async def opened() -> T:
        held = open_ledger(where)
        try:
            return await work(held)
        finally:
            await held.close()

    return stopping.run(opened)


def with_reader(ledger: str | None, work: "Callable[[LedgerReader], Coroutine[Any, Any, T]]") -> T:
    """Do work that only reads the ledger; a file needs no event loop for it, which takes long to load."""
    from quorate.ledger import open_directly, run_directly

    reader = open_directly(ledger_path(ledger))
    return with_ledger(ledger, work) if reader is None else run_directly(work(reader))


async def whole_id(held: "LedgerReader", id_: str) -> str:
    """The id behind `last`, a unique beginning or a unique ending: ids of one day begin alike and end otherwise.

    Raises:
        NotRecorded: none, or several.
    """
    try:
        return await held.find(id_)
    except NotRecorded:
        ending = id_.casefold()
        found = [one.id async for one in held.list() if one.id.endswith(ending)] if len(id_) >= SHORTEST else []
        if len(found) != 1:
            raise
        return found[0]


SHORTEST: Final = 4
"""Characters of an ending: fewer are soon not unique."""


def load_record(ledger: str | None, id_: str) -> "Record":
    """A record from the ledger, judged again.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
    """
    from quorate.engine.verify import MISREAD, refuse

    record = looked_up(ledger, id_)
    refuse(record, *MISREAD)
    return record


def looked_up(ledger: str | None, id_: str) -> "Record":
    """A record from the ledger, its chain checked and nothing else.

    Raises:
        LedgerBroken: the chain does not hold.
        NotRecorded: no such deliberation, or nothing in it.
    """
    from quorate.offline.attest import stored_record

    async def work(held: "LedgerReader") -> "Record":
        whole = await stored_record(held, await whole_id(held, id_))
        if not whole.rows:
            raise NotRecorded(f"nothing of {whole.id} is saved yet; continue with: quorate resume {whole.id}")
        return whole.record

    return with_reader(ledger, work)


@click.command(epilog="\b\nExample:\n  quorate show last --as minutes > minutes.md")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.option(
    "--as",
    "form",
    type=click.Choice(options.FORMS),
    help="The form to print; default: minutes, or a drawn page on a terminal.",
)
@options.as_json
@options.ledger
def show(id_: str, form: str | None, ledger: str | None, *, as_json: bool) -> int:
    """Show a recorded deliberation in a form of your choice.

    On a terminal the verdict comes first, then what was said. Minutes are Markdown; json is one document with
    everything; html is one file for a browser, with the deliberation to play back. For a tribunal: s4 and s4-log, the
    decision and log of the S4 system. For a conference: counsel, the result of AI Counsel, and markdown, a transcript
    with its votes. For a debate: debate, the arguments with their marks. For an oracle: oracle, the result with what
    became of every source. ID may be `last`, or a beginning or end that only one id has. The record is
    checked before it is shown: if its verdict does not follow from its words, that is said first, and the exit code
    is 1.
    """
    from quorate.engine.verify import refusal, verify_record
    from quorate.offline.record_view import record_warning

    record = looked_up(ledger, id_)
    checked, form = verify_record(record), _form(form, as_json=as_json)
    if not checked.same and form not in _WITH_A_WARNING:
        raise LedgerMismatch(f"{record.id} {refusal(checked)}; to see it all the same: --as minutes, or --as json")
    if not checked.same and form != "json":
        say(f"{record_warning(record, checked)}\n")
    say_as(form, record, checked, ledger_path(ledger))
    if not checked.same:
        complain(f"{record.id} {refusal(checked)}")
    return DONE if checked.same else ERROR


def _draw(record: "Record", where: str) -> None:
    """The verdict first, then the question, who sits and what was said."""
    from quorate.doors.cli.live import Live, screen
    from quorate.doors.cli.past_figures import with_learned
    from quorate.doors.cli.watchers import show_verdict
    from quorate.views.result import Result

    result = with_learned(Result.of(record), record, where)
    if result.decision is not None:
        show_verdict(result, result.decision.verdict, record.state.convened.protocol)
    live = Live(screen())
    live.begin(record.state.convened)
    live.catch_up(record.state)


def _form(form: str | None, *, as_json: bool) -> str:
    if as_json:
        return "json"
    return form or (DRAWN if is_terminal(sys.stdout) else "minutes")


DRAWN: Final = "drawn"
"""How a terminal shows it unless a form is named."""
_WITH_A_WARNING: Final = (DRAWN, "minutes", "markdown", "json")
"""The forms that can say first that a record does not hold; the others are other systems' own."""


def say_as(form: str, record: "Record", checked: "Verification", where: str, transcript: str | None = None) -> None:
    """Print a deliberation in one of its forms; `transcript` is the file its minutes were written to.

    Raises:
        QuorateError: it has no such form.
    """
    from importlib import import_module

    from quorate.views import VIEWS

    if form == DRAWN:
        _draw(record, where)
        return
    view: Callable[[Record], Any] = getattr(import_module(VIEWS[form].module), VIEWS[form].function)
    shown = _document(record, checked, where) if form == "json" else view(record)
    if isinstance(shown, str):
        say(shown, end="")
    elif "transcript_path" in shown:
        say_json({**shown, "transcript_path": transcript})
    else:
        say_json(shown)


def _document(record: "Record", checked: "Verification", where: str) -> dict[str, object]:
    from quorate.doors.cli.past_figures import learned_document
    from quorate.views.document import document

    return document(record, checked.document(), learned_document(record, where))


@click.command(epilog="\b\nExample:\n  quorate replay last --rulebook strict")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@options.flag(RULEBOOK, required=True, help="The rulebook to try.")
@options.ledger
@options.as_json
@options.quiet
def replay(id_: str, rulebook: str, ledger: str | None, *, as_json: bool, quiet: bool) -> int:
    """Show what another rulebook would have decided.

    The recorded ballots are counted again; no model is asked and nothing is written. ID may be `last`, or a
    beginning or end that only one id has.
    """
    from quorate.doors.cli.watchers import show_verdict
    from quorate.engine.verify import decide_with, replay_with
    from quorate.offline.record_view import fitting_rulebook
    from quorate.views.card import verdict_line
    from quorate.views.result import Result

    record = load_record(ledger, id_)
    result = Result.of(record)
    if result.state != "decided":
        raise BadSetting(f"{record.id} is {result.state}, so there are no ballots to decide on again; resume it first")
    book, protocol = fitting_rulebook(rulebook, record), record.state.convened.protocol
    if as_json:
        say_json(replay_with(record, book))
        return DONE
    if not quiet:
        note(f"on record: {verdict_line(result)}")
    again = decide_with(record, book)
    show_verdict(Result(decision=again, id=record.id), again.verdict, protocol, quiet=quiet)
    return DONE


@click.command(epilog="\b\nExample:\n  quorate export last > record.jsonl")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@options.ledger
def export(id_: str, ledger: str | None) -> int:
    """Write a record to stdout as JSON lines.

    `import` and `verify` read this form. ID may be `last`, or a beginning or end that only one id has. Until the
    deliberation has ended, its seed and prompts are left out.
    """
    from quorate.ledger import export as records

    async def work(held: "Ledger") -> "Sequence[bytes]":
        return await records.export(held, await whole_id(held, id_))

    lines = b"".join(with_ledger(ledger, work))
    if sys.stdout.isatty():
        say(lines.decode(errors="backslashreplace"), end="")
    else:
        say_bytes(lines)
    return _vouched(ledger, id_)


def _vouched(ledger: str | None, id_: str) -> int:
    """Whoever passes on a record that does not hold is told so; the file itself shows it to whoever checks it."""
    from quorate.engine.verify import refusal, verify_record

    record = looked_up(ledger, id_)
    checked = verify_record(record)
    if not checked.same:
        complain(f"{record.id} was exported, but it {refusal(checked)}")
    return DONE if checked.same else ERROR


@click.command("import", epilog="\b\nExample:\n  quorate import record.jsonl")
@click.argument("file", metavar="FILE|-")
@options.ledger
def import_(file: str, ledger: str | None) -> int:
    """Import a record that `export` wrote.

    It is checked first: its chain of hashes, that every reply in it reads as its ballot says, and that the ballots
    lead to its verdict. If part of it can't be checked, because texts are gone, it is imported with a note on
    stderr, and no gate opens for it. A record of another version of quorate is refused. The printed id is how to
    name it: `last` never means an imported record.
    """
    from quorate.engine.verify import CHANGED, record_of, refuse
    from quorate.ledger import export as records

    with bytes_from(file) as opened:
        lines = opened.readlines()

    def check(id_: str, entries: "Sequence[Entry]") -> None:
        checked = refuse(record_of(id_, entries), *CHANGED)
        for said in filter(None, (checked.why, *checked.notes)):
            note(f"note: {one_line(said)}")

    async def work(held: "Ledger") -> str:
        return await records.import_(held, lines, check)

    say(one_line(with_ledger(ledger, work)))
    return DONE


@click.command(epilog="\b\nExample:\n  quorate forget 01k… --yes")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.ledger
def forget(id_: str, ledger: str | None, *, yes: bool) -> int:
    """Delete every text of a deliberation for good.

    Its hashes stay, so the chain can still be checked. Deliberations in which words of it were shown as precedent are
    named. ID may be `last`, or a beginning or end that only one id
    has.
    """
    from quorate.ledger import export as records
    from quorate.offline.precedents import quoted_in

    async def find(held: "Ledger") -> str:
        return await whole_id(held, id_)

    async def work(held: "Ledger") -> "tuple[str, list[str]]":
        return await records.forget(held, found), await quoted_in(held, found)

    found = with_ledger(ledger, find)
    if not yes and not confirm(f"Delete every text of {one_line(found)} for good? [y/N] "):
        complain(f"nothing was deleted; answer yes, or run: quorate forget {found} --yes")
        return ERROR
    forgotten, quoting = with_ledger(ledger, work)
    say(f"forgotten: {one_line(forgotten)}")
    for other in quoting:
        note(f"note: words of it were shown as precedent in {other}; to delete those too: quorate forget {other}")
    return DONE
