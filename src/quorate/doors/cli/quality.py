"""`quorate quality`: how well a deliberation went, what it cost beside one call, and beside one seat alone."""

import os
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import note_progress
from quorate.doors.cli.records import load_record, place
from quorate.doors.cli.screen import say, say_json
from quorate.service.option_table import MODEL

if TYPE_CHECKING:
    from quorate.views import Record

__all__ = ["quality"]


class QualityOptions(TypedDict):
    """What `quorate quality` was told."""

    against: str | None
    model: str | None
    ledger: str | None
    allow_keys: tuple[str, ...]
    trust: bool
    as_json: bool


@click.command(epilog="\b\nExamples:\n  quorate quality last\n  quorate quality last --against single --json")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.option(
    "--against",
    type=click.Choice(("single",)),
    help="Also ask one model alone, to compare: one call, with a record of its own.",
)
@options.flag(MODEL, help="The model to ask alone; default: that of the first seat with a vote.")
@options.ledger
@options.allow_key
@options.consent
@options.as_json
def quality(id_: str, **wish: Unpack[QualityOptions]) -> int:
    """Measure a finished deliberation.

    Logical consistency, quality of the evidence, diversity of arguments, quality of the consensus, confidence, and
    their mean; who changed after hearing whom; what it cost compared with a single call. None of these figures
    knows which answer is right. ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.service.available_models import price_table
    from quorate.views.quality import compare_single, lines, report_of

    record = load_record(wish["ledger"], id_)
    report, prices = report_of(record), price_table()
    single = report_of(_alone(record, wish)) if wish["against"] else None
    if wish["as_json"]:
        compared = {} if single is None else {"single": compare_single(report, single)}
        say_json({**report.document(), "prices": prices, **compared})
    else:
        for line in lines(report, prices, single):
            say(line)
    return DONE


def _alone(record: "Record", wish: QualityOptions) -> "Record":
    """Hold the deliberation of one; whom a record names is asked as if it were resumed."""
    from quorate.service.permissions import admit_settings
    from quorate.service.runs import hold_alone
    from quorate.service.value_readers import model_name

    settings = admit_settings(place(wish["ledger"], allow_keys=wish["allow_keys"]), os.environ, trust=wish["trust"])
    model = wish["model"] and model_name(wish["model"])
    return stopping.run(lambda: hold_alone(record, settings, os.environ, model=model, note=note_progress))
