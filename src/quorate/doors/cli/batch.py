"""`quorate batch`: put every question of a file to one panel; stop at any time, and go on with the same command."""

import sys
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.batch_progress import BatchProgress, summary_document, summary_line
from quorate.doors.cli.batch_session import INTERRUPTED, BatchSession, batch_code, hold_batch, read_total
from quorate.doors.cli.screen import bytes_from, note, say_json
from quorate.settings.table import ALLOW_PARTIAL

if TYPE_CHECKING:
    from quorate.engine.batches.batch_run import BatchCounts

__all__ = ["batch"]

MOST_WORKERS: Final = 64


class BatchOptions(TypedDict):
    """What `quorate batch` was told beside the settings."""

    file: str
    output: str | None
    workers: int
    name: str
    total_budget: str | None
    allow_partial: bool
    as_json: bool
    quiet: bool
    trust: bool


@click.command(
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate batch questions.jsonl --panel demo -o verdicts.jsonl
  quorate batch actions.csv --model ollama:NAME --workers 2 --total-budget '$5' -o verdicts.csv""",
)
@click.argument("file", metavar="QUESTIONS")
@click.option("--output", "-o", metavar="FILE", help="Write results here, as CSV if it ends in .csv; default: stdout.")
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=1,
    metavar="N",
    help="Processes that hold deliberations; more than one helps when this machine is the bottleneck.",
)
@click.option("--total-budget", metavar="LIMITS", help="The most the whole batch may spend, such as '$20, 5M tokens'.")
@click.option("--name", default="", metavar="TEXT", help="A name for this batch; another name asks everything again.")
@options.settings
@options.flag(ALLOW_PARTIAL)
@options.consent
@options.as_json
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
def batch(said: dict[str, Any], **wish: Unpack[BatchOptions]) -> int:
    """Put many questions to one panel.

    QUESTIONS holds one question per line: JSON with `question` and, where wanted, `key`, `context`, `criteria` and
    `options`; or CSV with these columns; or - for JSON lines from stdin. Results are written in the order of the
    questions, one line each. Stop it whenever you like and run the same command again: what was decided is in the
    ledger and is not asked or paid for twice. A line that cannot be asked has an error in its result and stops nothing.
    """
    if wish["as_json"] and wish["output"] is None:
        raise click.UsageError("--json prints a summary on stdout, so the results need a file: add -o RESULTS.jsonl")
    from quorate.service.host import Host
    from quorate.service.prepare import open_panel
    from quorate.service.request import Request

    panel = open_panel(
        Request(options=said, trust=wish["trust"], allow_partial=wish["allow_partial"]), Host.here("batch")
    )
    session = BatchSession(
        panel=panel,
        workers=wish["workers"],
        name=wish["name"],
        limits=read_total(wish["total_budget"]),
        trust=wish["trust"],
        progress=BatchProgress(shown=not wish["quiet"]),
    )
    stopped = hold_batch(session, partial(_run, session, wish["file"], wish["output"]))
    return _finish(session.progress.counts, stopped, wish)


def _finish(counts: "BatchCounts", stopped: str, wish: BatchOptions) -> int:
    """Say what came of it, and give the exit code."""
    if stopped == INTERRUPTED:
        return stopping.exit_code()
    if wish["as_json"]:
        say_json(summary_document(counts, stopped))
    elif not wish["quiet"]:
        note(summary_line(counts))
    return batch_code(counts, stopped)


async def _run(session: BatchSession, file: str, output: str | None) -> None:
    from quorate.engine.batches.question_lines import count_lines, is_csv, read_lines
    from quorate.engine.batches.result_lines import ResultFile

    as_csv = is_csv(file)
    if file != "-":
        with bytes_from(file) as source:
            session.progress.counts.total = count_lines(source, as_csv=as_csv)
    if output is None:
        results = ResultFile(sys.stdout.buffer, "jsonl")
    else:
        results = ResultFile.open(output, "csv" if is_csv(output) else "jsonl")
    complete = False
    try:
        with bytes_from(file) if file != "-" else nullcontext(bytes_from(file)) as source:
            await session.run(read_lines(source, as_csv=as_csv), results, waits=file == "-")
        complete = True
    finally:
        results.close(complete=complete)
