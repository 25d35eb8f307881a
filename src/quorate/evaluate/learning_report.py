"""What a ledger's past teaches about its panels, for `quorate seats` and `quorate report`; it needs numpy."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from quorate.evaluate.conformity import Conformity, conformity_lines, measure_conformity
from quorate.evaluate.evaluation import families_of
from quorate.evaluate.independence import Independence, independence_lines, measure_independence
from quorate.evaluate.methods import MethodChoice, by_skill, learn_as_it_goes
from quorate.evaluate.past_decisions import PastDecision
from quorate.evaluate.skill_fit import FEWEST
from quorate.evaluate.voted_question import SeatNames, VotedQuestion
from quorate.frozen import dataclass
from quorate.views.escape import one_line

__all__ = ["LearningReport", "Proposal", "learn_from", "panel_of", "proposal_of"]

COUNTED: Final = frozenset({"conference", "oracle"})
"""Protocols whose votes the rule track_record may count."""
SHOWN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What counting seats by their past would have changed, each question decided by what came before it."""

    questions: int
    changed: int
    ids: tuple[str, ...]
    """Whose leading answer would have been another, the latest last."""
    labelled: int
    to_right: int
    to_wrong: int

    @property
    def is_ready(self) -> bool:
        return self.questions >= FEWEST

    @property
    def lines(self) -> Iterator[str]:
        """For a person: nothing is done by itself."""
        if not self.is_ready:
            have = f"{self.questions} {'question' if self.questions == 1 else 'questions'} of a conference or oracle"
            yield f"too little to count seats by their past: {have}, and {FEWEST} are needed"
            return
        yield f"counting seats by their past would have changed {self.changed} of {self.questions} leading answers"
        if self.labelled:
            turned = f"{self.to_right} from wrong to right, {self.to_wrong} from right to wrong"
            yield f"of the {self.labelled} with a known answer: {turned}"
        yield "to count by it, see: quorate seats --by seat"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningReport:
    """Everything beside costs and outcomes that `quorate report` tells."""

    decisions: int
    labelled: int
    right: int
    """Labelled decisions on which the verdict was right; those that decided nothing are not counted."""
    decided: int
    conformity: Conformity | None
    independence: Independence | None
    proposal: Proposal

    def document(self) -> dict[str, object]:
        return {
            **asdict(self),
            "independence": self.independence.document() if self.independence else None,
        }

    def lines(self) -> Iterator[str]:
        yield f"{self.labelled} of {self.decisions} past decisions are labelled (quorate outcome, quorate review)"
        if self.decided:
            yield f"of the {self.decided} that were decided and labelled, {self.right} were right"
        if self.conformity is not None:
            yield from map(one_line, conformity_lines(self.conformity))
        if self.independence is not None:
            yield from independence_lines(self.independence)
        yield from map(one_line, self.proposal.lines)


def learn_from(decisions: Sequence[PastDecision], names: SeatNames = "model") -> LearningReport:
    """All of it, from decisions in the order of their time."""
    questions = [one.votes(names) for one in decisions]
    told = [one.is_right for one in decisions if one.is_right is not None]
    counted = [one.votes(names) for one in decisions if one.protocol in COUNTED and one.first]
    panel = panel_of(decisions, names)
    return LearningReport(
        decisions=len(decisions),
        labelled=sum(one.right is not None for one in decisions),
        right=sum(told),
        decided=len(told),
        conformity=measure_conformity(questions),
        independence=measure_independence(questions, panel) if panel else None,
        proposal=proposal_of(counted, names),
    )


def panel_of(decisions: Sequence[PastDecision], names: SeatNames) -> tuple[str, ...]:
    """Who voted in the latest decision that had votes: the panel as it is now."""
    latest = next((one for one in reversed(decisions) if one.first), None)
    return tuple(sorted(latest.votes(names).votes)) if latest is not None else ()


def proposal_of(questions: Sequence[VotedQuestion], names: SeatNames) -> Proposal:
    """Decide every question by what came before it, and beside it by the most votes."""
    families = families_of({seat for one in questions for seat in one.votes}) if names == "model" else {}
    chosen = learn_as_it_goes(questions, families)
    pairs = list(zip(questions, map(_most, questions), chosen, strict=True))
    apart = [one.id for one, before, after in pairs if before.options != after.options]
    known = [
        (before.credit(one.right), after.credit(one.right)) for one, before, after in pairs if one.right is not None
    ]
    return Proposal(
        questions=len(questions),
        changed=len(apart),
        ids=tuple(apart[-SHOWN:]),
        labelled=len(known),
        to_right=sum(before < after for before, after in known),
        to_wrong=sum(before > after for before, after in known),
    )


def _most(question: VotedQuestion) -> MethodChoice:
    """What plurality says with the last round breaking ties, as the rules that keep learning from harm have it."""
    return by_skill(None)(question)
