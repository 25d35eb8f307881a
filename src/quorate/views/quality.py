"""How well a deliberation went and what it cost beside one call: five measures, who changed, tokens and money."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from quorate import chair
from quorate.analysis.deliberation_quality import Quality, depth
from quorate.analysis.deliberation_quality import quality as measured
from quorate.errors import QuorateError
from quorate.frozen import dataclass
from quorate.model import Change, Decided, Event, Spoken
from quorate.views import Record
from quorate.views.card import dollars
from quorate.views.document import changes_document, cost_document, number
from quorate.views.escape import one_line
from quorate.views.result import Cost, cost_of

__all__ = ["Report", "compare_single", "lines", "quality", "report_of"]

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How well a deliberation went; `tokens` and `money` are those of one call of it, none if unknown."""

    id: str
    protocol: str
    outcome: str | None
    quality: Quality
    depth: int
    changes: tuple[Change, ...]
    cost: Cost
    tokens: Fraction | None
    money: Fraction | None
    seconds: float

    @property
    def figures(self) -> dict[str, float | None]:
        """The measures by name, and their mean."""
        found = self.quality
        return {
            "logical_consistency": number(found.logical_consistency),
            "evidence_quality": number(found.evidence_quality),
            "argument_diversity": number(found.argument_diversity),
            "consensus_quality": number(found.consensus_quality),
            "decision_confidence": number(found.decision_confidence),
            "overall": number(found.overall),
        }

    def document(self) -> Json:
        """The report as JSON."""
        return {
            "schema": 1,
            "id": self.id,
            "protocol": self.protocol,
            "outcome": self.outcome,
            "quality": self.figures,
            "depth": self.depth,
            "changed": changes_document(self.changes),
            "cost": cost_document(self.cost),
            "single_call": {"tokens": number(self.tokens), "money": number(self.money)},
            "seconds": round(self.seconds, 3),
        }


def quality(record: Record) -> Json:
    """The report of a finished deliberation of any protocol, as JSON.

    Raises:
        QuorateError: nothing was decided, so there is nothing to measure.
    """
    return report_of(record).document()


def report_of(record: Record) -> Report:
    """The report of a finished deliberation of any protocol.

    Raises:
        QuorateError: nothing was decided, so there is nothing to measure.
    """
    state = record.state
    if not isinstance(state.closed, Decided):
        raise QuorateError(f"deliberation {record.id!r} has no verdict, so there is nothing to measure")
    verdict, tally = state.closed.verdict, chair.tally_of(state)
    tokens, money = _one_call(record.events)
    return Report(
        id=record.id,
        protocol=state.convened.protocol,
        outcome=verdict.outcome,
        quality=measured(state.brief, state.heard, tally, verdict),
        depth=depth(state.heard),
        changes=tally.changes if tally.sealed else (),
        cost=cost_of(record.events),
        tokens=tokens,
        money=money,
        seconds=record.seconds,
    )


def _one_call(events: Sequence[Event]) -> tuple[Fraction | None, Fraction | None]:
    """What one call that was answered took on average; none where a reply doesn't say."""
    spent = [event.reply.usage.credible for event in events if isinstance(event, Spoken)]
    return _mean([usage.tokens for usage in spent]), _mean([usage.money for usage in spent])


def _mean(numbers: Sequence[Fraction | int | None]) -> Fraction | None:
    """The mean, none if any is unknown: half a sum is no sum."""
    known = [Fraction(one) for one in numbers if one is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(numbers) else None


def compare_single(panel: Report, single: Report) -> Json:
    """A deliberation beside one seat asked alone. Which of them is right nobody knows here, so that is not said."""
    return {
        "id": single.id,
        "outcome": single.outcome,
        "agrees": _same(panel.outcome, single.outcome),
        "depth": {"panel": panel.depth, "single": single.depth},
        "confidence": {
            "panel": number(panel.quality.decision_confidence),
            "single": number(single.quality.decision_confidence),
        },
        "cost": cost_document(single.cost),
    }


def _same(one: str | None, other: str | None) -> bool | None:
    return None if one is None or other is None else one.casefold() == other.casefold()


def lines(report: Report, prices: str, single: Report | None = None) -> Iterator[str]:
    """The report for a person; `prices` says which price table is installed, `single` is one seat asked alone."""
    for name, value in report.figures.items():
        label = name.replace("_", " ")
        yield f"{label:<22}{'cannot be measured here' if value is None else f'{value:.2f} of 1'}"
    for change in report.changes:
        heard = f" after hearing {', '.join(change.heard)}" if change.heard else ""
        yield f"{'changed':<22}{one_line(change.seat)}: {one_line(change.was)} → {one_line(change.now)}{heard}"
    yield f"{'cost':<22}{_cost_of(report)}; {prices}"
    yield f"{'an average call':<22}{_used(number(report.tokens), report.money)}{_times(report)}"
    if single is not None:
        yield from _compared(report, single)


def _compared(panel: Report, single: Report) -> Iterator[str]:
    same = _same(panel.outcome, single.outcome)
    agrees = "cannot be compared" if same is None else "the same outcome" if same else "another outcome"
    yield f"{'one seat alone':<22}{one_line(str(single.outcome or 'no outcome'))} ({agrees}), {single.id}"
    sure, alone = (_sure(one.quality.decision_confidence) for one in (panel, single))
    yield f"{'confidence':<22}panel {sure}, alone {alone}"
    yield f"{'different words':<22}panel {panel.depth:,}, alone {single.depth:,}"
    yield f"{'cost alone':<22}{_cost_of(single)}"


def _sure(confidence: Fraction | None) -> str:
    return "none" if confidence is None else f"{number(confidence):.2f}"


def _cost_of(report: Report) -> str:
    cost = report.cost
    return f"{cost.calls} {'call' if cost.calls == 1 else 'calls'}, {_used(cost.tokens, cost.money)}"


def _used(tokens: float | None, money: Fraction | None) -> str:
    return f"{'tokens unknown' if tokens is None else f'{tokens:,.0f} tokens'}, {dollars(money)}"


def _times(report: Report) -> str:
    whole, one = report.cost.tokens, number(report.tokens)
    return f"; the deliberation took {whole / one:.1f} times its tokens" if whole and one else ""
