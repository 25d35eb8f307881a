"""`quorate seats`: what the ledger has taught about each seat or model."""

from typing import TYPE_CHECKING, Literal

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import require_numpy
from quorate.doors.cli.past_figures import learned_decisions
from quorate.doors.cli.record_list import since
from quorate.doors.cli.screen import note, say, say_json
from quorate.service.option_table import PROTOCOL, RULEBOOK, SETTINGS

if TYPE_CHECKING:
    from quorate.ledger import Summary

__all__ = ["seats"]


@click.command(epilog="\b\nExamples:\n  quorate seats\n  quorate seats --by seat --protocol conference --json")
@click.option(
    "--by",
    "names",
    type=click.Choice(("model", "seat")),
    default="model",
    help="Judge each model, or each seat.",
    show_default=True,
)
@options.flag(PROTOCOL, help="Only deliberations under this protocol.")
@since
@options.ledger
@options.as_json
def seats(
    names: Literal["model", "seat"], protocol: str | None, ledger: str | None, *, as_json: bool, begun: str | None
) -> int:
    """Show how reliable each seat or model has been.

    Skill is learned from who agreed with whom, first votes only. Where it is known what was right, from `quorate
    outcome` or a review, it is shown how often each was right, on which kind of question, whether that has changed,
    and whose errors go together. From 8 questions on, the settings are shown with which a conference counts seats by
    their skill. Imported records and demo panels are left out.
    """
    require_numpy()
    from quorate.service.lab import report_seats

    found = report_seats(learned_decisions(ledger, lambda one: _fits(one, protocol, begun)), names)
    if as_json:
        say_json(found.document())
        return DONE
    for line in found.lines():
        say(line)
    _propose(found.settings, found.questions, names)
    return DONE


def _fits(one: "Summary", protocol: str | None, begun: str | None) -> bool:
    from quorate.service.record_list import RecordFilter

    return RecordFilter(protocol=protocol, since=begun).fits(one)


def _propose(settings: dict[str, str], questions: int, names: str) -> None:
    """How a conference counts by this; nothing is done by itself."""
    from shlex import quote

    if not settings:
        left_out = "demonstrations and imported records do not count"
        held = "1 deliberation" if questions == 1 else f"{questions} deliberations"
        note(f"too little to learn from: {held}, and 8 are needed; {left_out}")
    elif names == "seat":
        sets = " ".join(f"{SETTINGS.flag} {quote(f'track_record.{name}={text}')}" for name, text in settings.items())
        note(f"to count seats by their skill in a conference: {RULEBOOK.flag} track_record {sets}")
    else:
        note("to count seats by their skill in a conference, see: quorate seats --by seat")
