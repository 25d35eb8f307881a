"""`quorate evaluate`: how right a panel is on recorded votes."""

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import note_progress, require_numpy
from quorate.doors.cli.screen import put_file, say, say_json
from quorate.settings.table import ACT_ERROR

__all__ = ["evaluate"]


@click.command(
    epilog="\b\nExamples:\n  quorate evaluate votes.jsonl\n  quorate evaluate votes.csv --act-error 2.5% --html a.html"
)
@click.argument("file", metavar="DATA")
@options.flag(ACT_ERROR, help="Find the score from which to act alone with at most so many errors.")
@click.option("--html", metavar="FILE", help="Write an HTML page with tables and plots; it needs no other file.")
@options.as_json
def evaluate(file: str, act_error: str | None, html: str | None, *, as_json: bool) -> int:
    """Measure how right a panel is on recorded votes.

    DATA holds questions with what each seat chose and, where it is known, the right answer: JSON lines, JSON rows or
    CSV. Shown are each seat alone, each way to choose with its interval and a test beside plurality, what the
    discussion changed, and who errs alike. No model is asked.
    """
    require_numpy()
    from quorate.evaluate.datasets import load_votes
    from quorate.evaluate.evaluation import evaluate_votes
    from quorate.evaluate.evaluation_page import evaluation_html, evaluation_lines

    at_most = None if act_error is None else float(ACT_ERROR.read(act_error))
    found = evaluate_votes(load_votes(file), at_most, note_progress)
    if html is not None:
        put_file(evaluation_html(found).encode(), html)
    elif as_json:
        say_json(found.document())
    else:
        for line in evaluation_lines(found):
            say(line)
    return DONE
