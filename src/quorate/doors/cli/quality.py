"""`quorate quality`: how well a deliberation went, what it cost beside one call, and beside one seat alone."""

import os
from typing import TYPE_CHECKING, Any

import click

from quorate.doors.cli import options
from quorate.doors.cli.codes import DONE
from quorate.doors.cli.records import place, recorded
from quorate.doors.cli.screen import say, say_json

if TYPE_CHECKING:
    from quorate.views import Record

__all__ = ["quality"]


@click.command(epilog="\b\nExamples:\n  quorate quality last\n  quorate quality last --against single --json")
@click.argument("id_", metavar="ID")
@click.option(
    "--against", type=click.Choice(("single",)), help="Also ask one seat alone: one call, recorded for itself."
)
@click.option("--model", metavar="MODEL", help="Who is asked alone; else who answered for the first voting seat.")
@options.ledger
@options.as_json
def quality(id_: str, against: str | None, model: str | None, ledger: str | None, *, as_json: bool) -> int:
    """Measure a finished deliberation.

    Logical consistency, evidence quality, diversity of arguments, quality of the consensus, confidence, and their mean;
    who changed after hearing whom; what it cost beside a single call. Nothing here knows which answer is right.
    ID may be `last` or a unique beginning.
    """
    from quorate.engine.prices import price_table
    from quorate.views.quality import beside, lines
    from quorate.views.quality import quality as report_of

    record = recorded(ledger, id_)
    report: dict[str, Any] = {**report_of(record), "prices": price_table()}
    if against:
        report["single"] = beside(report, report_of(_alone(record, ledger, model)))
    if as_json:
        say_json(report)
    else:
        for line in lines(report, report["prices"]):
            say(line)
    return DONE


def _alone(record: "Record", ledger: str | None, model: str | None) -> "Record":
    """Hold the deliberation of one."""
    import asyncio

    from quorate import chair
    from quorate.engine.alone import alone
    from quorate.engine.chamber import Chamber
    from quorate.engine.convene import convene
    from quorate.engine.layers import model_name
    from quorate.ledger import open_ledger

    question, charter = alone(chair.replay(record.events, check=False), model and model_name(model))
    resolved = place(ledger)

    async def work() -> "Record":
        held = open_ledger(resolved.ledger)
        try:
            async with Chamber(held, env=os.environ, care=resolved.care) as chamber:
                return await chamber.hold(convene(question, charter, os.environ))
        finally:
            await held.close()

    return asyncio.run(work())
