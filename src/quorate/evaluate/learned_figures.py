"""What the past says about one verdict: how often such verdicts were right, and how independent its seats are.

It is shown beside the verdict and decides nothing: the verdict is a function of its own record alone.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from quorate.errors import QuorateError
from quorate.evaluate.act_threshold import Interval
from quorate.evaluate.calibration import FEWEST_LABELS, calibrate
from quorate.evaluate.decision_cache import cached_decisions
from quorate.evaluate.independence import Independence, measure_independence
from quorate.evaluate.past_decisions import PastDecision, labelled_scores, past_decision
from quorate.frozen import dataclass
from quorate.views import Record

__all__ = ["LearnedFigures", "learned_document", "learned_figures"]

Row = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedFigures:
    """Both, with how many labels they rest on and the day of the last decision that was looked at."""

    score: float | None
    sure: Interval | None
    labels: int
    as_of: str
    independence: Independence | None

    def document(self) -> dict[str, object]:
        """For the one document; `sure` is a chance that labels taught, never a score or what models stated."""
        sure = None if self.sure is None else {"chance": self.sure.value, "low": self.sure.low, "high": self.sure.high}
        return {
            "score": self.score,
            "sure": sure,
            "labels": self.labels,
            "labels_needed": FEWEST_LABELS,
            "as_of": self.as_of or None,
            "stated_confidence": STATED,
            "independence": self.independence.document() if self.independence else None,
        }

    @property
    def rows(self) -> Iterator[Row]:
        """For the card: only what was measured here."""
        if self.sure is not None:
            between = f"{100 * self.sure.low:.0f} to {100 * self.sure.high:.0f} %"
            told = f"about {100 * self.sure.value:.0f} % of such verdicts were right ({between}"
            yield "how sure", (f"{told}; {self.labels} labelled decisions up to {self.as_of[:10]})",)
        if self.independence is not None and self.independence.source == "record":
            yield "independence", (self.independence.sentence,)


STATED: Final = "shown, and left out of what is learned"


def learned_figures(record: Record, decisions: Sequence[PastDecision]) -> LearnedFigures | None:
    """What other decisions say about this one; none where it has not ended, or carries no information."""
    try:
        own = past_decision(record.id, "", record.events, record.state)
    except QuorateError:
        return None
    if own is None:
        return None
    others = [one for one in decisions if one.id != own.id]
    cases = labelled_scores(others, own.like)
    learned, score = calibrate(cases), None if own.exact_score is None else float(own.exact_score)
    return LearnedFigures(
        score=score,
        sure=learned.chance(score) if learned is not None and score is not None else None,
        labels=len(cases),
        as_of=max((one.begun for one in others), default=""),
        independence=_independence(own, others),
    )


def _independence(own: PastDecision, others: Sequence[PastDecision]) -> Independence | None:
    seats = sorted(own.votes("model").votes)
    questions = [one.votes("model") for one in others if one.right is not None]
    return measure_independence(questions, seats) if seats else None


def learned_document(record: Record, ledger: str) -> dict[str, object] | None:
    """The same from what is kept beside a ledger, for doors that show a document."""
    found = learned_figures(record, cached_decisions(ledger))
    return None if found is None else found.document()
