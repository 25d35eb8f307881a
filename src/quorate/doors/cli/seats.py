"""`quorate seats`: what the ledger has taught about each seat or model."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import require_numpy
from quorate.doors.cli.record_list import since
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import note, say, say_json
from quorate.errors import QuorateError
from quorate.settings.table import PROTOCOL, RULEBOOK, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.evaluate.datasets import SeatNames
    from quorate.evaluate.skill_fit import SkillModel
    from quorate.evaluate.votes import VotedQuestion
    from quorate.ledger import Ledger

__all__ = ["seats"]


@click.command(epilog="\b\nExamples:\n  quorate seats\n  quorate seats --by seat --protocol conference --json")
@click.option("--by", "names", type=click.Choice(("model", "seat")), default="model", help="Whose votes are one's own.")
@options.flag(PROTOCOL, help="Only deliberations under this protocol.")
@since
@options.ledger
@options.as_json
def seats(
    names: Literal["model", "seat"], protocol: str | None, ledger: str | None, *, as_json: bool, begun: str | None
) -> int:
    """Show how reliable each seat or model has been.

    Skill is learned from who agreed with whom, first votes only. Where a person has reviewed a verdict, that is the
    right answer, and it is shown how often each was right. From 8 questions on, the settings are shown with which a
    conference counts seats by their skill. Imported records and demo panels are left out.
    """
    require_numpy()
    from quorate.evaluate.evaluation import families_of, seat_figures
    from quorate.evaluate.evaluation_page import seat_lines
    from quorate.evaluate.skill_fit import fit_skills
    from quorate.evaluate.votes import VoteTable

    questions = with_ledger(ledger, lambda held: _questions(held, names, protocol, begun))
    table = VoteTable.of(questions)
    model = fit_skills(table, families_of(table.seats) if names == "model" else {})
    figures = seat_figures(questions, model)
    settings = _settings(model, table.seats)
    labelled = sum(question.right is not None for question in questions)
    if as_json:
        rows = [asdict(one) for one in figures]
        say_json({"schema": 1, "questions": len(questions), "labelled": labelled, "seats": rows, "settings": settings})
        return DONE
    say(f"{len(questions)} deliberations with votes, {labelled} of them reviewed by a person")
    for line in seat_lines(figures) if figures else ():
        say(line)
    _propose(settings, len(questions), names)
    return DONE


def _settings(model: "SkillModel", names: "Sequence[str]") -> dict[str, str]:
    """Settings of the rule track_record; none while too little is known."""
    from quorate.evaluate.skill_fit import FEWEST, rule_settings

    return dict(rule_settings(model, names)) if model.questions >= FEWEST else {}


def _propose(settings: dict[str, str], questions: int, names: str) -> None:
    """How a conference counts by this; nothing is done by itself."""
    from shlex import quote

    if not settings:
        left_out = "demonstrations and imported records do not count"
        note(f"too little to learn from: {questions} deliberations, and 8 are needed; {left_out}")
    elif names == "seat":
        sets = " ".join(f"{SETTINGS.flag} {quote(f'track_record.{name}={text}')}" for name, text in settings.items())
        note(f"to count seats by their skill in a conference: {RULEBOOK.flag} track_record {sets}")
    else:
        note("to count seats by their skill in a conference, see: quorate seats --by seat")


async def _questions(
    held: "Ledger", names: "SeatNames", protocol: str | None, begun: str | None
) -> "list[VotedQuestion]":
    from quorate.offline.ledger_list import RecordFilter

    meant = RecordFilter(protocol=protocol, since=begun)
    listed = [one async for one in held.list() if meant.fits(one) and not one.imported and one.entries]
    found = [await _question(held, one.id, names) for one in listed]
    return [question for question in found if question is not None and question.votes]


async def _question(held: "Ledger", id_: str, names: "SeatNames") -> "VotedQuestion | None":
    """What one deliberation teaches; nothing if it cannot be opened."""
    from quorate.evaluate.datasets import recorded_votes

    try:
        return recorded_votes(id_, [entry.event for entry in await held.read(id_)], names)
    except QuorateError:
        return None
