"""What `quorate seats` tells: how reliable each seat has been, how independent they are, and what the rule takes."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from quorate.evaluate.conformity import Conformity, measure_conformity
from quorate.evaluate.evaluation import SeatFigures, families_of, seat_figures
from quorate.evaluate.evaluation_page import seat_lines
from quorate.evaluate.independence import Independence, independence_lines, measure_independence
from quorate.evaluate.interval_words import interval_text
from quorate.evaluate.learning_report import panel_of
from quorate.evaluate.past_decisions import PastDecision
from quorate.evaluate.seat_records import SeatRecord, seat_records
from quorate.evaluate.skill_fit import FEWEST, fit_labels, fit_skills, rule_settings
from quorate.evaluate.voted_question import SeatNames
from quorate.evaluate.votes import VoteTable
from quorate.frozen import dataclass
from quorate.views.escape import one_line

__all__ = ["SeatReport", "report_seats"]

_LONGEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReport:
    """All of it; `settings` are those of the rule track_record, none while too little is known."""

    questions: int
    labelled: int
    figures: tuple[SeatFigures, ...]
    records: tuple[SeatRecord, ...]
    independence: Independence | None
    conformity: Conformity | None
    settings: dict[str, str]

    def document(self) -> dict[str, object]:
        """For --json."""
        known = {one.seat: asdict(one) for one in self.records}
        return {
            "schema": 1,
            "questions": self.questions,
            "labelled": self.labelled,
            "seats": [{**known[one.seat], **asdict(one)} for one in self.figures],
            "independence": self.independence.document() if self.independence else None,
            "conformity": self.conformity.document() if self.conformity else None,
            "settings": self.settings,
        }

    def lines(self) -> Iterator[str]:
        """For a person."""
        yield f"{self.questions} deliberations with votes, {self.labelled} of them with a known answer"
        if self.figures:
            yield from seat_lines(self.figures)
        yield from _kinds(self.records)
        yield from _drifts(self.records)
        if self.independence is not None and len(self.figures) > 1:
            yield from independence_lines(self.independence)


def _kinds(records: Sequence[SeatRecord]) -> Iterator[str]:
    """Where a seat was asked several kinds of question, each kind."""
    for one in records:
        if len(one.kinds) > 1:
            told = ", ".join(f"{kind.kind} {kind.right} of {kind.labelled} right" for kind in one.kinds)
            yield f"{one_line(one.seat, _LONGEST)} by kind of question: {told}"


def _drifts(records: Sequence[SeatRecord]) -> Iterator[str]:
    """Whose reliability has changed."""
    for one in records:
        if one.drift is not None and one.drift.is_drift:
            how = "less" if one.drift.later.value < one.drift.earlier.value else "more"
            halves = f"{interval_text(one.drift.earlier)} before, {interval_text(one.drift.later)} since"
            yield f"{one_line(one.seat, _LONGEST)} has become {how} reliable: {halves} (p = {one.drift.p_value:.3f})"


def report_seats(decisions: Sequence[PastDecision], names: SeatNames) -> SeatReport:
    """Learn from decisions in the order of their time; what seats were worth before anybody had heard anybody."""
    voted = [one for one in decisions if one.first]
    questions = [one.votes(names) for one in voted]
    table = VoteTable.of(questions)
    learned = fit_skills(table, families_of(table.seats) if names == "model" else {})
    model = fit_labels(learned, questions)
    return SeatReport(
        questions=len(questions),
        labelled=sum(question.right is not None for question in questions),
        figures=seat_figures(questions, model),
        records=seat_records(voted, names),
        independence=measure_independence(questions, panel_of(voted, names)) if voted else None,
        conformity=measure_conformity(questions),
        settings=dict(rule_settings(model, table.seats)) if model.questions >= FEWEST else {},
    )
