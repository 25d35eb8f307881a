"""How two deliberations differ: question, rules, models, votes, verdict and cost, field by field."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from quorate.views import Record
from quorate.views.card import portion
from quorate.views.document import document
from quorate.views.result import Result

__all__ = ["Difference", "compare_records", "comparison_document"]


class Difference(NamedTuple):
    """A field that is not the same in both, in words."""

    field: str
    first: str
    second: str


def compare_records(first: Record, second: Record) -> tuple[Difference, ...]:
    """All that differs."""
    one, other = dict(_facts(first)), dict(_facts(second))
    found = (Difference(name, one.get(name, ""), other.get(name, "")) for name in {**one, **other})
    return tuple(row for row in found if row.first != row.second)


def comparison_document(first: Record, second: Record) -> dict[str, object]:
    """The same for --json."""
    rows = [row._asdict() for row in compare_records(first, second)]
    return {"schema": 1, "ids": [first.id, second.id], "differences": rows}


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    """What is compared, each by its name, in words."""
    told: dict[str, Any] = document(record)
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


def _decision(record: Record) -> Iterator[tuple[str, str]]:
    decision = Result.of(record).decision
    if decision is None:
        return
    yield "agreement", portion(decision.verdict.agreement)
    yield "confidence", portion(decision.verdict.confidence)
    yield "cautions", ", ".join(sorted({caution.name for caution in decision.verdict.cautions}))
    yield from ((f"vote of {vote.seat}", vote.choice) for vote in decision.votes)
