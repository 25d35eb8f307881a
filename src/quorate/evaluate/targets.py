"""Targets that a debate between models was once given, beside what is measured: a target met is shown, never assumed.

And what accuracy costs: each seat alone and the whole panel, where replies told what they used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import mean
from typing import Final

from quorate.evaluate.act_threshold import Interval, share_interval
from quorate.evaluate.intervals import bootstrap
from quorate.evaluate.live_votes import SeatCost
from quorate.evaluate.methods import by_plurality
from quorate.evaluate.votes import VotedQuestion
from quorate.frozen import dataclass

__all__ = ["CostPoint", "TargetRow", "cost_points", "target_rows"]

UNMEASURED: Final = "not measured by votes"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """One target, what was measured instead of claimed, on how many questions; `why` where nothing can be."""

    name: str
    target: str
    measured: Interval | None
    questions: int
    met: bool | None
    why: str = ""


def target_rows(questions: Sequence[VotedQuestion], decided: Sequence[bool] = ()) -> tuple[TargetRow, ...]:
    """The table: accuracy beside one seat alone, consensus, and what votes cannot show."""
    known = [question for question in questions if question.right is not None and question.votes]
    return (
        _accuracy(known),
        _consensus(questions, decided),
        _confidence(questions),
        TargetRow(name="hallucination reduction", target="60 %", measured=None, questions=0, met=None, why=UNMEASURED),
        TargetRow(name="reasoning depth", target="over 0.8", measured=None, questions=0, met=None, why=UNMEASURED),
    )


def _accuracy(known: Sequence[VotedQuestion]) -> TargetRow:
    """How much more right the panel is than a seat drawn by chance, as a share of how right that seat is.

    Questions are drawn again for the interval; how right one seat is, is held fixed.
    """
    gains = [_panel(question) - mean(vote == question.right for vote in question.votes.values()) for question in known]
    alone = mean(mean(vote == one.right for vote in one.votes.values()) for one in known) if known else 0.0
    name, target = "accuracy beside one seat", "+30 %"
    if not known or not alone:
        why = "no seat was ever right" if known else "no right answer is known"
        return TargetRow(name=name, target=target, measured=None, questions=0, met=None, why=why)
    gain = bootstrap([one / alone for one in gains], least=-1.0, most=1 / alone - 1)
    return TargetRow(name=name, target=target, measured=gain, questions=len(known), met=gain.low >= 0.3)  # noqa: PLR2004 - the target


def _panel(question: VotedQuestion) -> float:
    last = VotedQuestion(id=question.id, votes=question.later or question.votes)
    return by_plurality(last).credit(question.right)


def _consensus(questions: Sequence[VotedQuestion], decided: Sequence[bool]) -> TargetRow:
    """How often a verdict was reached; on recorded votes, how often two thirds chose the same in the end."""
    reached = list(decided) or [_agrees(question) for question in questions]
    found = share_interval(sum(reached), len(reached))
    met = found.low > 0.7  # noqa: PLR2004 - the target
    return TargetRow(name="consensus rate", target="over 70 %", measured=found, questions=len(reached), met=met)


def _confidence(questions: Sequence[VotedQuestion]) -> TargetRow:
    """How sure seats say they are; that is what they say, and no measure of how right they are."""
    stated = [mean(question.stated.values()) for question in questions if question.stated]
    name, target = "stated confidence", "over 80 %"
    if not stated:
        return TargetRow(name=name, target=target, measured=None, questions=0, met=None, why="nobody stated any")
    found = bootstrap(stated)
    met = found.low > 0.8  # noqa: PLR2004 - the target
    return TargetRow(name=name, target=target, measured=found, questions=len(stated), met=met)


def _agrees(question: VotedQuestion) -> bool:
    votes = list((question.later or question.votes).values())
    return bool(votes) and 3 * max(votes.count(vote) for vote in set(votes)) >= 2 * len(votes)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPoint:
    """How right something is and what it takes per question; money is none where some reply did not tell."""

    name: str
    accuracy: Interval
    tokens: float
    money: float | None
    best: bool = False
    """Whether nothing else is at least as right for less."""


def cost_points(questions: Sequence[VotedQuestion], costs: Sequence[SeatCost]) -> tuple[CostPoint, ...]:
    """Each seat alone and the panel's plurality, the cheapest first."""
    known = [question for question in questions if question.right is not None]
    if not known or not costs or any(cost.untold for cost in costs):
        return ()
    points = sorted(_points(known, costs), key=lambda point: (point.tokens, -point.accuracy.value))
    best, marked = -1.0, list[CostPoint]()
    for point in points:
        marked.append(replace(point, best=point.accuracy.value > best))
        best = max(best, point.accuracy.value)
    return tuple(marked)


def _points(known: Sequence[VotedQuestion], costs: Sequence[SeatCost]) -> Iterator[CostPoint]:
    count = len(known)
    for cost in costs:
        votes = [question for question in known if cost.seat in question.votes]
        if votes:
            hits = sum(question.votes[cost.seat] == question.right for question in votes)
            accuracy = share_interval(hits, len(votes))
            yield CostPoint(name=cost.seat, accuracy=accuracy, tokens=cost.tokens / count, money=_money((cost,), count))
    whole = bootstrap([_panel(question) for question in known])
    tokens = sum(cost.tokens for cost in costs) / count
    yield CostPoint(name="the panel", accuracy=whole, tokens=tokens, money=_money(costs, count))


def _money(costs: Sequence[SeatCost], count: int) -> float | None:
    return None if any(cost.unpriced for cost in costs) else sum(cost.money for cost in costs) / count
