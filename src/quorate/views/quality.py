"""How well a deliberation went and what it cost beside one call: five measures, who changed, tokens and money."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from quorate import chair
from quorate.analysis.deliberation_quality import depth
from quorate.analysis.deliberation_quality import quality as measured
from quorate.errors import QuorateError
from quorate.model import Decided, Event, Spoken
from quorate.views import Record
from quorate.views.document import changes_document, cost, number
from quorate.views.escape import one_line

__all__ = ["beside", "lines", "quality"]

Json = dict[str, Any]


def quality(record: Record) -> Json:
    """The report of a finished deliberation of any protocol.

    Raises:
        QuorateError: nothing was decided, so there is nothing to measure.
    """
    docket = record.docket
    if not isinstance(docket.closed, Decided):
        raise QuorateError(f"deliberation {record.id!r} has no verdict, so there is nothing to measure")
    verdict, tally = docket.closed.verdict, chair.tally_of(docket)
    found = measured(docket.brief, docket.heard, tally, verdict)
    return {
        "schema": 1,
        "id": record.id,
        "protocol": docket.convened.protocol,
        "outcome": verdict.outcome,
        "quality": {
            "logical_consistency": number(found.logical_consistency),
            "evidence_quality": number(found.evidence_quality),
            "argument_diversity": number(found.argument_diversity),
            "consensus_quality": number(found.consensus_quality),
            "decision_confidence": number(found.decision_confidence),
            "overall": number(found.overall),
        },
        "depth": depth(docket.heard),
        "changed": changes_document(tally) if tally.sealed else [],
        "cost": cost(record.events),
        "single_call": _one_call(record.events),
        "seconds": round(record.seconds, 3),
    }


def _one_call(events: Sequence[Event]) -> Json:
    """What one call of this deliberation took: the mean of its first round, in which everybody is asked alone."""
    spoken = [event for event in events if isinstance(event, Spoken) and event.attempt == 1]
    first = [event.reply.usage.credible for event in spoken if event.round == spoken[0].round and not event.about]
    tokens, money = [usage.tokens for usage in first], [usage.money for usage in first]
    return {"tokens": _mean(tokens), "money": _mean(money)}


def _mean(numbers: Sequence[Fraction | int | None]) -> float | None:
    """The mean, none if any is unknown: half a sum is no sum."""
    known = [Fraction(one) for one in numbers if one is not None]
    return number(sum(known, Fraction(0)) / len(known)) if known and len(known) == len(numbers) else None


def beside(panel: Json, single: Json) -> Json:
    """A deliberation beside one seat asked alone. Which of them is right nobody knows here, so that is not said."""
    confidences = {"panel": panel["quality"]["decision_confidence"], "single": single["quality"]["decision_confidence"]}
    return {
        "id": single["id"],
        "outcome": single["outcome"],
        "agrees": _same(panel["outcome"], single["outcome"]),
        "depth": {"panel": panel["depth"], "single": single["depth"]},
        "confidence": confidences,
        "cost": single["cost"],
    }


def _same(one: str | None, other: str | None) -> bool | None:
    return None if one is None or other is None else one.casefold() == other.casefold()


def lines(report: Mapping[str, Any], prices: str) -> Iterator[str]:
    """The report for a person; `prices` says which price table is installed."""
    for name, value in report["quality"].items():
        yield f"{name:<22}{'not measurable here' if value is None else f'{value:.2f}'}"
    for change in report["changed"]:
        heard = f" after hearing {', '.join(change['heard'])}" if change["heard"] else ""
        yield f"{'changed':<22}{one_line(change['seat'])}: {one_line(change['from'])} → {one_line(change['to'])}{heard}"
    yield f"{'cost':<22}{_cost(report['cost'])}; {prices}"
    yield f"{'one call of it':<22}{_cost({'calls': 1, **report['single_call']})}{_times(report)}"
    single = report.get("single")
    if single:
        yield from _compared(single)


def _compared(single: Mapping[str, Any]) -> Iterator[str]:
    agrees = {True: "the same", False: "another", None: "cannot be compared"}[single["agrees"]]
    yield f"{'one seat alone':<22}{one_line(str(single['outcome'] or 'no outcome'))} ({agrees}), {single['id']}"
    sure = {who: "none" if value is None else f"{value:.2f}" for who, value in single["confidence"].items()}
    yield f"{'confidence':<22}panel {sure['panel']}, alone {sure['single']}"
    yield f"{'depth':<22}panel {single['depth']['panel']} words, alone {single['depth']['single']}"
    yield f"{'cost alone':<22}{_cost(single['cost'])}"


def _cost(cost: Mapping[str, Any]) -> str:
    tokens, money = cost["tokens"], cost["money"]
    said = "tokens unknown" if tokens is None else f"{tokens:,.0f} tokens"
    paid = "price unknown" if money is None else f"${money:.4f}"
    return f"{cost['calls']} {'call' if cost['calls'] == 1 else 'calls'}, {said}, {paid}"


def _times(report: Mapping[str, Any]) -> str:
    whole, one = report["cost"]["tokens"], report["single_call"]["tokens"]
    return f"; the whole took {whole / one:.1f} times its tokens" if whole and one else ""
