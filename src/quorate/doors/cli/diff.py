"""`quorate diff`: how two deliberations differ, field by field."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import load_record
from quorate.doors.cli.screen import one_line, say, say_json

if TYPE_CHECKING:
    from quorate.views import Record

__all__ = ["diff"]


@click.command(epilog="\b\nExample:\n  quorate diff last aqk3")
@click.argument("first", metavar="ID", shell_complete=options.complete_ids)
@click.argument("second", metavar="ID", shell_complete=options.complete_ids)
@options.ledger
@options.as_json
def diff(first: str, second: str, ledger: str | None, *, as_json: bool) -> int:
    """Compare two deliberations.

    It compares the question, the protocol and rules, the models, each seat's vote, the verdict and the cost, and
    shows only what differs. Each ID may be `last`, or a beginning or end that only one id has.
    """
    records = load_record(ledger, first), load_record(ledger, second)
    ids = [record.id for record in records]
    differing = _differences(dict(_facts(records[0])), dict(_facts(records[1])))
    if as_json:
        rows = [{"field": name, "first": before, "second": after} for name, before, after in differing]
        say_json({"schema": 1, "ids": ids, "differences": rows})
        return DONE
    say(f"{one_line(ids[0])} → {one_line(ids[1])}")
    for line in _lines(differing):
        say(line)
    return DONE


def _differences(one: dict[str, str], other: dict[str, str]) -> list[tuple[str, str, str]]:
    found = [(name, one.get(name, ""), other.get(name, "")) for name in {**one, **other}]
    return [row for row in found if row[1] != row[2]]


def _lines(differing: list[tuple[str, str, str]]) -> Iterator[str]:
    if not differing:
        yield "no difference in what is compared"
    wide = max((len(name) for name, *_ in differing), default=0)
    for name, before, after in differing:
        yield f"{one_line(name):<{wide}}  {one_line(before or '-', 60)} → {one_line(after or '-', 60)}"


def _facts(record: "Record") -> Iterator[tuple[str, str]]:
    """What is compared, each by its name, in words."""
    from quorate.views.document import document

    told: dict[str, Any] = document(record, {})
    convened = record.state.convened
    verdict: dict[str, Any] = told.get("verdict") or {}
    yield "question", convened.question.text
    yield "protocol", convened.protocol
    yield "rulebook", convened.rulebook.name
    yield from ((f"setting {key}", text) for key, text in convened.settings)
    yield from ((f"model of {sat.seat}", sat.model) for sat in record.state.seated)
    yield "state", str(told.get("state", ""))
    for name in ("outcome", "decided", "rule", "because"):
        yield name, "" if verdict.get(name) is None else str(verdict[name])
    yield from _decision(record)
    for name, value in (told.get("cost") or {}).items():
        yield name, "" if value is None else str(value)


def _decision(record: "Record") -> Iterator[tuple[str, str]]:
    from quorate.views.card import portion
    from quorate.views.result import Result

    decision = Result.of(record).decision
    if decision is None:
        return
    yield "agreement", portion(decision.verdict.agreement)
    yield "confidence", portion(decision.verdict.confidence)
    yield "cautions", ", ".join(sorted({caution.name for caution in decision.verdict.cautions}))
    yield from ((f"vote of {vote.seat}", vote.choice) for vote in decision.votes)
