"""`quorate seats`: what the ledger has taught about each seat or model."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import require_numpy
from quorate.doors.cli.learned import learned_decisions
from quorate.doors.cli.record_list import since
from quorate.doors.cli.screen import note, one_line, say, say_json
from quorate.settings.table import PROTOCOL, RULEBOOK, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quorate.evaluate.seat_records import SeatRecord
    from quorate.evaluate.skill_fit import SkillModel
    from quorate.ledger import Summary

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

    Skill is learned from who agreed with whom, first votes only. Where it is known what was right, from `quorate
    outcome` or a review, it is shown how often each was right, on which kind of question, whether that has changed,
    and whose errors go together. From 8 questions on, the settings are shown with which a conference counts seats by
    their skill. Imported records and demo panels are left out.
    """
    require_numpy()
    from quorate.evaluate.conformity import measure_conformity
    from quorate.evaluate.evaluation import families_of, seat_figures
    from quorate.evaluate.evaluation_page import seat_lines
    from quorate.evaluate.independence import independence_lines, measure_independence
    from quorate.evaluate.learning_report import panel_of
    from quorate.evaluate.seat_records import seat_records
    from quorate.evaluate.skill_fit import fit_labels, fit_skills
    from quorate.evaluate.votes import VoteTable

    decisions = learned_decisions(ledger, lambda one: _fits(one, protocol, begun))
    voted = [one for one in decisions if one.first]
    questions = [one.votes(names) for one in voted]
    table = VoteTable.of(questions)
    model = fit_labels(fit_skills(table, families_of(table.seats) if names == "model" else {}), questions)
    figures, records = seat_figures(questions, model), seat_records(voted, names)
    settings = _settings(model, table.seats)
    panel = measure_independence(questions, panel_of(voted, names)) if voted else None
    talk = measure_conformity(questions)
    labelled = sum(question.right is not None for question in questions)
    if as_json:
        known = {one.seat: asdict(one) for one in records}
        rows = [{**known[one.seat], **asdict(one)} for one in figures]
        told = {"independence": panel.document() if panel else None, "conformity": talk.document() if talk else None}
        counts = {"schema": 1, "questions": len(questions), "labelled": labelled}
        say_json({**counts, "seats": rows, **told, "settings": settings})
        return DONE
    say(f"{len(questions)} deliberations with votes, {labelled} of them with a known answer")
    for line in seat_lines(figures) if figures else ():
        say(line)
    for line in (*_record_lines(records), *(independence_lines(panel) if panel and len(figures) > 1 else ())):
        say(line)
    _propose(settings, len(questions), names)
    return DONE


def _fits(one: "Summary", protocol: str | None, begun: str | None) -> bool:
    from quorate.offline.ledger_list import RecordFilter

    return RecordFilter(protocol=protocol, since=begun).fits(one)


def _record_lines(records: "Sequence[SeatRecord]") -> "Iterator[str]":
    """Where a seat is asked several kinds of question, each kind; and whose reliability has changed."""
    from quorate.evaluate.evaluation_page import interval_text

    for one in records:
        if len(one.kinds) > 1:
            told = ", ".join(f"{kind.kind} {kind.right} of {kind.labelled} right" for kind in one.kinds)
            yield f"{one_line(one.seat, 40)} by kind of question: {told}"
    for one in records:
        if one.drift is not None and one.drift.is_drift:
            how = "less" if one.drift.later.value < one.drift.earlier.value else "more"
            halves = f"{interval_text(one.drift.earlier)} before, {interval_text(one.drift.later)} since"
            yield f"{one_line(one.seat, 40)} has become {how} reliable: {halves} (p = {one.drift.p_value:.3f})"


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
