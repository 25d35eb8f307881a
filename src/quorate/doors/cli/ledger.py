"""`quorate ledger`: copy records from one ledger into another, and prepare a database to be one."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.records import ledger_path
from quorate.doors.cli.screen import complain, note, one_line, say, say_json
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.offline.ledger_copy import CopyReport

__all__ = ["ledger"]


@click.command(
    epilog="""\b
Examples:
  quorate ledger copy ~/.local/share/quorate/ledger.db postgresql://db.example/quorate
  quorate ledger init postgresql://db.example/quorate --roles"""
)
@click.argument("action", type=click.Choice(("copy", "init")), metavar="copy|init")
@click.argument("places", nargs=-1, metavar="[FROM] LEDGER")
@click.option("--roles", is_flag=True, help="For init: also make the roles that may read, write, or erase texts.")
@options.as_json
def ledger(action: str, places: tuple[str, ...], *, roles: bool, as_json: bool) -> int:
    """Copy all records to another ledger, or set up a database.

    `quorate ledger copy FROM TO` copies every record that TO does not have. Each one is checked before and after: its
    chain of hashes, the number of entries, and that its votes lead to its verdict. What does not pass, or is being
    written, is left out and named, and the exit code is 1. You can stop it and run it again.

    `quorate ledger init ADDRESS` creates the tables in a PostgreSQL database. Tables of another version of quorate are
    refused and left as they are. With --roles it also creates three roles without login: one that reads, one that adds
    entries and cannot change or delete any, and one that may erase texts for `quorate forget`.
    """
    if action == "copy":
        return _copy(places, as_json=as_json)
    return _init(places, roles=roles, as_json=as_json)


def _copy(places: tuple[str, ...], *, as_json: bool) -> int:
    from quorate.ledger import open_ledger
    from quorate.ledger.address import shown_ledger
    from quorate.offline.ledger_copy import copy_ledger

    source, target = _two(places)

    async def work() -> "CopyReport":
        from_, to = open_ledger(source), open_ledger(target)
        try:
            return await copy_ledger(from_, to, lambda id_: None if as_json else note(f"copied {one_line(id_)}"))
        finally:
            await from_.close()
            await to.close()

    report = stopping.run(work)
    for id_, why in report.left_out.items():
        complain(f"left out {one_line(id_)}: {one_line(why)}")
    if as_json:
        say_json(report.document())
    else:
        say(f"from      {shown_ledger(source)}")
        say(f"to        {shown_ledger(target)}")
        say(f"records   copied and checked: {len(report.copied)}, already there: {len(report.already)}, ", end="")
        say(f"left out: {len(report.left_out)}")
        say(f"entries   {report.entries}")
    return ERROR if report.left_out else DONE


def _two(places: tuple[str, ...]) -> tuple[str, str]:
    from quorate.ledger.address import place_of, scheme_of

    if len(places) != 2:  # noqa: PLR2004 - from one to the other
        raise BadSetting("name two ledgers: quorate ledger copy FROM TO, each a file or a postgresql:// address")
    source, target = map(ledger_path, places)
    if not scheme_of(source) and not Path(source).is_file():
        raise BadSetting(f"there is no ledger {source!r} to copy from")
    if place_of(source) == place_of(target):
        raise BadSetting("both are the same ledger; name another one to copy to")
    return source, target


def _init(places: tuple[str, ...], *, roles: bool, as_json: bool) -> int:
    from quorate.ledger.address import Address, is_address, scheme_of, shown_ledger

    if len(places) > 1:
        raise BadSetting("name one ledger: quorate ledger init ADDRESS")
    where = ledger_path(places[0] if places else None)
    if not is_address(where):
        kind = "another kind of ledger" if scheme_of(where) else "a file"
        raise BadSetting(
            f"{shown_ledger(where)!r} is {kind}, made when it is first used; init is for a PostgreSQL database: "
            "quorate ledger init postgresql://HOST/DATABASE"
        )
    from quorate.ledger.postgres.ledger import PostgresLedger

    async def work() -> tuple[str, ...]:
        held = PostgresLedger(Address.of(where))
        try:
            return tuple(await held.init(roles=roles))
        finally:
            await held.close()

    names = stopping.run(work)
    if as_json:
        say_json({"ledger": shown_ledger(where), "roles": list(names)})
        return DONE
    say(f"ready: {shown_ledger(where)}")
    for name in names:
        say(f"role   {name}")
    if names:
        note(f"Give one to a login of yours with: GRANT {names[1]} TO your_login")
    return DONE
