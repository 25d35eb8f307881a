"""`quorate wait`: follow a deliberation that a process of its own holds, and leave with its code."""

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import ERROR
from quorate.doors.cli.hints import flags_of
from quorate.doors.cli.screen import complain, note
from quorate.doors.cli.session import Session, admit
from quorate.service.option_table import LEDGER, PANEL

if TYPE_CHECKING:
    from quorate.chair import State
    from quorate.doors.cli.watchers import Watcher
    from quorate.ledger import Entry
    from quorate.service.host_processes import HostTerms
    from quorate.service.records import AuditRecord
    from quorate.views import Record

__all__ = ["wait"]


class WaitOptions(options.OutputOptions):
    """What `quorate wait` was told."""

    panel: str | None
    ledger: str | None
    allow_keys: tuple[str, ...]
    trust: bool
    form: str | None
    timeout: str | None


@click.command(
    epilog="""\b
Examples:
  quorate wait last
  quorate wait 01k… --gate --timeout 5m"""
)
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.option("--timeout", metavar="TIME", help="The longest to wait, such as 60s or 5m. It goes on all the same.")
@click.option(
    "--as", "form", type=click.Choice(options.FORMS), help="Print the result in this form, as `quorate show` does."
)
@options.flag(
    PANEL,
    metavar="FILE",
    shell_complete=None,
    help="A panel file to take rate, breaker, cache, routes and keys from, should it have to be resumed.",
)
@options.ledger
@options.allow_key
@options.consent
@options.manner
def wait(id_: str, **wish: Unpack[WaitOptions]) -> int:
    """Wait for a deliberation that another process holds.

    It shows what is said, then the verdict, and leaves with the code that `quorate ask` would. If the process that held
    the deliberation is gone, another one goes on with it; answers that were recorded are not paid for again. Stopping
    this command stops nothing else. ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.doors.cli.records import place
    from quorate.doors.cli.watchers import watcher_for
    from quorate.service.host_processes import HostTerms

    limit = _limit(wish["timeout"])
    resolved = admit(place(wish["ledger"], wish["panel"], wish["allow_keys"]), trust=wish["trust"])
    session = Session(
        resolved=resolved,
        flags=flags_of(dict(wish), resolved),
        as_json=wish["as_json"],
        quiet=wish["quiet"],
        wanted=wish["gate"],
        form=wish["form"],
    )
    silent = bool(session.form or session.as_json or session.quiet)
    watcher = watcher_for(silent=silent, notes=not session.quiet, drawn=True)
    terms = HostTerms.of(resolved, trust=wish["trust"])
    try:
        record = stopping.run(lambda: _follow(session, id_, watcher, terms, limit))
    except KeyboardInterrupt:
        note(f"\nquorate: {stopping.describe_stop()} waiting. {_how_to_wait(session)}")
        return stopping.exit_code()
    except TimeoutError:
        complain(f"{session.id} has not ended within {wish['timeout']}. {_how_to_wait(session)}")
        return ERROR
    return session.finished(record, watcher)


def _limit(written: str | None) -> float | None:
    """Raises: BadSetting: it is no time."""
    from quorate.service.value_readers import seconds

    return None if written is None else float(seconds(written))


def _how_to_wait(session: Session) -> str:
    return f"It goes on by itself. Follow it again with: quorate wait {session.id or 'ID'}{session.flags}"


async def _follow(session: Session, id_: str, watcher: "Watcher", terms: "HostTerms", limit: float | None) -> "Record":
    import asyncio

    from quorate.doors.cli.records import whole_id
    from quorate.ledger import open_ledger
    from quorate.service.host_processes import follow, host_record

    def watch(entry: "Entry", state: "State") -> None:
        watcher.saw(state, entry.event)

    def catch_up(earlier: "AuditRecord") -> None:
        watcher.begin(earlier.state.convened)
        watcher.catch_up(earlier.state)

    ledger = open_ledger(session.resolved[LEDGER])
    try:
        session.begun(await whole_id(ledger, id_))
        async with asyncio.timeout(limit), watcher:
            return await follow(ledger, session.id, partial(host_record, terms), catch_up=catch_up, watch=watch)
    finally:
        await ledger.close()
