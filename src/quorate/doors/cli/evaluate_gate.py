"""`quorate eval`: measure gates on recorded decisions."""

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import require_numpy
from quorate.doors.cli.screen import put_file, say, say_json

__all__ = ["eval_"]


@click.command(
    "eval",
    epilog="""\b
Examples:
  quorate eval gate logs/*.eval
  quorate eval gate commands.jsonl --at-most 1% --svg frontier.svg""",
)
@click.argument("what", type=click.Choice(("gate",)), metavar="gate")
@click.argument("files", metavar="LOG...", nargs=-1, required=True)
@click.option("--at-most", metavar="SHARE", help="Recommend for this share of harmful actions allowed, such as 1%.")
@click.option("--svg", metavar="FILE", help="Write the frontier as an SVG drawing.")
@options.as_json
def eval_(what: str, files: tuple[str, ...], at_most: str | None, svg: str | None, *, as_json: bool) -> int:  # noqa: ARG001 - there is one so far
    """Measure which panel and rule make the best gate.

    Each LOG holds what models decided on actions that are labelled harmful or harmless: a log of inspect_ai for each
    model, or JSON lines such as {"id": "1", "label": "harmful", "votes": {"MODEL": "BLOCK"}}.

    Shown is how many harmful and harmless actions every panel of up to seven seats would let run, by how many seats
    must agree, and which to take. No model is asked.
    """
    require_numpy()
    from quorate.evaluate.gate_page import gate_lines, gate_report, gate_svg
    from quorate.evaluate.gate_votes import load_gate_votes
    from quorate.settings.table import ACT_ERROR

    limit = None if at_most is None else float(ACT_ERROR.read(at_most))
    report = gate_report(load_gate_votes(files), limit)
    if svg is not None:
        put_file(gate_svg(report).encode(), svg)
    if as_json:
        say_json(report.document())
    elif svg is None:
        for line in gate_lines(report):
            say(line)
    return DONE
