"""Commands on what is in the ledger: list, show, verify, replay, export, import, forget."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import click

from quorate.doors.cli import options
from quorate.doors.cli.codes import DONE, ERROR
from quorate.doors.cli.screen import agreed, bytes_from, complain, note, one_line, say, say_bytes, say_json
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.engine.config import Resolved
    from quorate.engine.verify import Checked
    from quorate.ledger import Ledger, Summary
    from quorate.ledger.chain import Checked as Chain
    from quorate.views import Record

__all__ = [
    "export",
    "forget",
    "import_",
    "list_",
    "listed",
    "place",
    "recorded",
    "replay",
    "show",
    "summary_document",
    "verify",
    "within",
]

T = TypeVar("T")


def place(ledger: str | None, panel: str | None = None) -> "Resolved":
    """The ledger that flags, environment and the user's file name; no panel is looked at unless one is named."""
    from quorate.engine.config import Flags, resolve

    return resolve(Flags(ledger=ledger, panel=panel or "tribunal"), os.environ, Path("~").expanduser())


def within(ledger: str | None, work: "Callable[[Ledger], Awaitable[T]]") -> T:
    """Open the ledger, do the work, close it."""
    import asyncio

    from quorate.ledger import open_ledger

    where = place(ledger).ledger

    async def opened() -> T:
        held = open_ledger(where)
        try:
            return await work(held)
        finally:
            await held.close()

    return asyncio.run(opened())


def recorded(ledger: str | None, id_: str) -> "Record":
    """A record from the ledger, for the views."""
    from quorate.engine.chamber import record_of

    async def work(held: "Ledger") -> "Record":
        return record_of(await held.find(id_), await held.read(id_))

    return within(ledger, work)


@click.command("list", epilog="\b\nExample:\n  quorate list --json")
@options.ledger
@options.as_json
def list_(ledger: str | None, *, as_json: bool) -> int:
    """List what is in the ledger, newest first."""

    async def work(held: "Ledger") -> "list[Summary]":
        return [await _told(held, summary) async for summary in held.list()]

    found = within(ledger, work)
    if as_json:
        say_json({"schema": 1, "deliberations": [summary_document(summary) for summary in found]})
        return DONE
    if not found:
        note('nothing is recorded yet; begin with: quorate ask "…" --panel demo')
    for summary in found:
        say(listed(summary))
    return DONE


async def _told(held: "Ledger", summary: "Summary") -> "Summary":
    """A summary that says whether what is open waits for a person; only its entries know."""
    if summary.state != "open":
        return summary
    from quorate.views.document import state_of

    return replace(summary, state=state_of([entry.event for entry in await held.read(summary.id)]))


def summary_document(summary: "Summary") -> dict[str, object]:
    return {
        "id": summary.id,
        "state": _state(summary),
        "question": summary.question,
        "protocol": summary.protocol,
        "outcome": summary.outcome,
        "review": _review(summary),
        "begun": summary.begun,
    }


def _state(summary: "Summary") -> str:
    """The document knows no `open`: what was begun and not finished is halted, until it is resumed."""
    return "halted" if summary.state == "open" else summary.state


def _review(summary: "Summary") -> dict[str, object] | None:
    if summary.reviewed is None and not summary.awaits:
        return None
    return {"state": "pending" if summary.awaits else "given", "outcome": summary.reviewed}


def listed(summary: "Summary") -> str:
    """A deliberation in one line: the panel's outcome, and what a person says of it or is asked to say."""
    outcome = one_line(summary.outcome or _state(summary), 12)
    said = f"  (reviewed: {one_line(summary.reviewed, 12)})" if summary.reviewed is not None else ""
    waits = "  (waits for review)" if summary.awaits else ""
    begun = summary.begun[:16].replace("T", " ")
    return f"{summary.id}  {begun}  {outcome:<12}  {one_line(summary.question, 80)}{said}{waits}"


@click.command(epilog="\b\nExample:\n  quorate show last --as minutes > minutes.md")
@click.argument("id_", metavar="ID")
@click.option(
    "--as", "form", type=click.Choice(options.FORMS), default="minutes", show_default=True, help="In which form."
)
@options.as_json
@options.ledger
def show(id_: str, form: str, ledger: str | None, *, as_json: bool) -> int:
    """Show a deliberation, as minutes or otherwise.

    Minutes are Markdown, json is the one document. A tribunal has s4 and s4-log, the S4 system's own decision and
    log; a conference has counsel, AI Counsel's own result, and markdown, a transcript with its votes. A debate has
    debate, its arguments with their marks; an oracle has oracle, its result with what became of every source.
    ID may be `last` or a unique beginning.
    """
    say_as("json" if as_json else form, recorded(ledger, id_))
    return DONE


def say_as(form: str, record: "Record") -> None:
    """Print a deliberation in one of its forms.

    Raises:
        QuorateError: it has no such form.
    """
    from importlib import import_module

    from quorate.views import VIEWS

    view: Callable[[Record], Any] = getattr(import_module(f"quorate.views.{VIEWS[form]}"), VIEWS[form])
    shown = view(record)
    if isinstance(shown, str):
        say(shown, end="")
    else:
        say_json(shown)


@click.command(
    epilog="""\b
Examples:
  quorate verify last
  quorate verify exported.jsonl --json
  quorate verify attestation.json --key ed25519:…"""
)
@click.argument("what", metavar="ID|FILE|-")
@options.trust
@options.ledger
@options.as_json
def verify(what: str, ledger: str | None, *, as_json: bool, **trust: Unpack[options.Trust]) -> int:
    """Check a record's hash chain, asks and verdict.

    The verdict is recomputed from the ballots on record. It takes an ID (`last` or a unique beginning will do),
    or a FILE that `quorate export` wrote, or one that `quorate attest` wrote: an attestation is checked against the
    keys you trust, and against its record where that is at hand.
    """
    from quorate.engine.verify import verify_record

    file = _file(what) if what == "-" or Path(what).is_file() else None
    if file is not None and file.startswith(b"{\n"):
        from quorate.doors.cli.attesting import verify_statement

        return verify_statement(file, trust, ledger, as_json=as_json)
    record, chain = _kept(ledger, what) if file is None else _exported(file)
    checked = verify_record(record)
    if as_json:
        say_json(
            {
                "schema": 1,
                "id": record.id,
                "entries": chain.entries,
                "head": chain.head,
                "missing": chain.missing,
                "recorded": checked.recorded,
                "recomputed": checked.recomputed,
                "holds": checked.same,
                "finished": checked.finished,
                "notes": list(checked.notes),
            }
        )
    else:
        for line in _verified(chain, checked):
            say(line)
    if not checked.same:
        complain(f"the verdict on record is {checked.recorded}; from its ballots it would be {checked.recomputed}")
    return DONE if checked.same else ERROR


def _file(what: str) -> bytes:
    with bytes_from(what) as file:
        return file.read()


def _verified(chain: "Chain", checked: "Checked") -> Iterator[str]:
    gone = f"; {chain.missing} texts have been forgotten" if chain.missing else ""
    yield f"chain    holds: {chain.entries} entries, the last is {chain.head}{gone}"
    if not checked.finished:
        yield "verdict  none yet: the deliberation is not finished"
    elif checked.same:
        yield f"verdict  holds: {checked.recorded}, recomputed from the record"
    else:
        yield f"verdict  DIFFERS: {checked.recorded} on record, {checked.recomputed} recomputed"
    yield from (f"note     {one_line(said)}" for said in checked.notes)


def _exported(file: bytes) -> "tuple[Record, Chain]":
    from quorate.engine.chamber import record_of
    from quorate.ledger import records
    from quorate.ledger.chain import opened

    lines = BytesIO(file).readlines()
    checked = records.verify_lines(lines)
    parsed = records.parse(lines)
    return record_of(parsed.id, [opened(row) for row in parsed.rows]), checked


def _kept(ledger: str | None, id_: str) -> "tuple[Record, Chain]":
    from quorate.engine.chamber import record_of
    from quorate.ledger import records

    async def work(held: "Ledger") -> "tuple[Record, Chain]":
        checked = await records.verify(held, id_)
        return record_of(await held.find(id_), await held.read(id_)), checked

    return within(ledger, work)


@click.command(epilog="\b\nExample:\n  quorate replay last --rulebook strict")
@click.argument("id_", metavar="ID")
@click.option(
    "--rulebook",
    required=True,
    metavar="NAME",
    shell_complete=options.completed("rulebook"),
    help="Which rules to try.",
)
@options.ledger
@options.as_json
@options.quiet
def replay(id_: str, rulebook: str, ledger: str | None, *, as_json: bool, quiet: bool) -> int:
    """Say what another rulebook would have decided.

    The ballots are those on record; nothing is asked or written. ID may be `last` or a unique beginning.
    """
    from quorate.doors.cli.decide import show_verdict
    from quorate.engine.verify import replay_with
    from quorate.views.card import verdict_line
    from quorate.views.document import document

    record = recorded(ledger, id_)
    shown = document(record)
    if shown["state"] != "decided":
        raise BadSetting(
            f"{record.id} is {shown['state']}, so there are no ballots to decide on again; resume it first"
        )
    if not as_json and not quiet:
        note(f"on record: {verdict_line(shown)}")
    show_verdict(replay_with(record, rulebook), str(shown["protocol"]), as_json=as_json, quiet=quiet)
    return DONE


@click.command(epilog="\b\nExample:\n  quorate export last > record.jsonl")
@click.argument("id_", metavar="ID")
@options.ledger
def export(id_: str, ledger: str | None) -> int:
    """Write a record to stdout as JSON lines.

    That is the form `import` and `verify` take. ID may be `last` or a unique beginning. The seed and the prompts
    stay inside until the deliberation has ended.
    """
    from quorate.ledger import records
    from quorate.views.escape import visible_json

    async def work(held: "Ledger") -> "Sequence[bytes]":
        return await records.export(held, id_)

    lines = within(ledger, work)
    if sys.stdout.isatty():
        for line in lines:
            say(visible_json(line.decode(errors="backslashreplace")), end="")
    else:
        say_bytes(b"".join(lines))
    return DONE


@click.command("import", epilog="\b\nExample:\n  quorate import record.jsonl")
@click.argument("file", metavar="FILE|-")
@options.ledger
def import_(file: str, ledger: str | None) -> int:
    """Take in a record that `export` wrote.

    It is checked first; what is printed is its id.
    """
    from quorate.ledger import records

    with bytes_from(file) as opened:
        lines = opened.readlines()

    async def work(held: "Ledger") -> str:
        return await records.import_(held, lines)

    say(within(ledger, work))
    return DONE


@click.command(epilog="\b\nExample:\n  quorate forget 01k… --yes")
@click.argument("id_", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.ledger
def forget(id_: str, ledger: str | None, *, yes: bool) -> int:
    """Remove every text of a deliberation for good.

    Its hashes stay, so the chain still verifies. ID may be `last` or a unique beginning.
    """
    from quorate.ledger import records

    async def find(held: "Ledger") -> str:
        return await held.find(id_)

    async def work(held: "Ledger") -> str:
        return await records.forget(held, found)

    found = within(ledger, find)
    if not yes and not agreed(f"Forget every text of {found} for good? [y/N] "):
        complain(f"nothing was forgotten; say yes, or run: quorate forget {found} --yes")
        return ERROR
    say(f"forgotten: {within(ledger, work)}")
    return DONE
