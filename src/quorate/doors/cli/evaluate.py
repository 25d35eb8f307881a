"""`quorate evaluate`: how right a panel is on recorded votes."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import note_progress, require_numpy
from quorate.doors.cli.screen import put_file, say, say_json
from quorate.settings.table import ACT_ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.doors.cli.evaluate_live import LiveVotes
    from quorate.evaluate.evaluation import Evaluation
    from quorate.evaluate.targets import CostPoint, TargetRow

__all__ = ["evaluate"]


class EvaluateOptions(TypedDict):
    """What `quorate evaluate` was told beside the panel."""

    file: str
    html: str | None
    live: bool
    output: str | None
    workers: int
    total_budget: str | None
    name: str
    trust: bool
    as_json: bool


@click.command(
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate evaluate votes.jsonl
  quorate evaluate votes.csv --act-error 2.5% --html a.html
  quorate evaluate questions.jsonl --live -o answers.jsonl --model ollama:NAME --total-budget '$5'""",
)
@click.argument("file", metavar="DATA")
@click.option("--html", metavar="FILE", help="Write an HTML page with tables and plots; it needs no other file.")
@click.option("--live", is_flag=True, help="Ask a panel the questions of DATA first, as a batch; see quorate batch.")
@click.option("--output", "-o", metavar="FILE", help="With --live: where the results of the batch go.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, metavar="N", help="With --live: processes.")
@click.option("--total-budget", metavar="LIMITS", help="With --live: the most it may spend in all.")
@click.option("--name", default="", metavar="TEXT", help="With --live: another name asks everything again.")
@options.settings
@options.consent
@options.as_json
def evaluate(said: dict[str, Any], **wish: Unpack[EvaluateOptions]) -> int:
    """Measure how right a panel is.

    DATA holds questions with what each seat chose and, where it is known, the right answer: JSON lines, JSON rows, CSV
    or a log of inspect_ai. Shown are each seat alone, each way to choose with its interval and a test beside plurality,
    what the discussion changed, and who errs alike. No model is asked.

    With --live, DATA holds questions with their options and right answers, and a panel is asked first: a conference, if
    nothing else is said. It can be stopped and gone on with like any batch.
    """
    require_numpy()
    from quorate.evaluate.datasets import load_votes
    from quorate.evaluate.evaluation import evaluate_votes
    from quorate.evaluate.targets import cost_points, target_rows

    act_error = said.pop(ACT_ERROR.name, None)
    share = None if act_error is None else float(ACT_ERROR.read(act_error))
    if wish["live"]:
        held = _live(said, wish)
        if held is None:
            return stopping.exit_code()
        questions, points, targets = (
            held.questions,
            cost_points(held.questions, held.costs),
            target_rows(held.questions, held.decided),
        )
    else:
        _refuse_settings(said, wish)
        questions, points = load_votes(wish["file"]), ()
        targets = target_rows(questions)
    _show(evaluate_votes(questions, share, note_progress), points, targets, wish)
    return DONE


def _show(
    found: "Evaluation", points: "Sequence[CostPoint]", targets: "Sequence[TargetRow]", wish: EvaluateOptions
) -> None:
    from quorate.evaluate.evaluation_page import evaluation_html, evaluation_lines
    from quorate.evaluate.target_page import point_lines, target_html, target_lines

    if wish["html"] is not None:
        put_file(evaluation_html(found, target_html(points, targets)).encode(), wish["html"])
    elif wish["as_json"]:
        more = {"frontier": [asdict(one) for one in points], "targets": [asdict(one) for one in targets]}
        say_json({**found.document(), **more})
    else:
        for line in (*evaluation_lines(found), *point_lines(points), *target_lines(targets)):
            say(line)


def _live(said: dict[str, Any], wish: EvaluateOptions) -> "LiveVotes | None":
    from quorate.doors.cli.evaluate_live import LiveWish, live_votes

    if wish["output"] is None:
        raise click.UsageError("--live keeps the answers in a file, so that it can go on: add -o ANSWERS.jsonl")
    told = LiveWish(
        wish["file"], wish["output"], wish["workers"], wish["total_budget"], wish["name"], trust=wish["trust"]
    )
    return live_votes(said, told)


def _refuse_settings(said: dict[str, Any], wish: EvaluateOptions) -> None:
    """A panel that nobody asks, given all the same, would be a mistake that nobody notices."""
    named = [name for name, value in said.items() if value]
    named += [name for name in ("output", "total_budget", "name") if wish[name]]
    if named:
        flag = named[0].replace("_", "-")
        raise click.UsageError(f"--{flag} is for a panel that is asked; add --live, or leave it out to measure votes")
