"""Precedent: earlier decisions on similar questions, written for the seats within a number of tokens.

They are found once, before anybody is asked, and recorded by value with the question: a replay shows the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from quorate import guard
from quorate.frozen import dataclass
from quorate.ledger import Ledger
from quorate.middleware.budget import CostEstimate
from quorate.model import Convened, Precedent, Question
from quorate.model.ask import precedent_quotes
from quorate.model.question import Tier
from quorate.offline.earlier_decisions import EarlierDecision, EarlierDecisions, SimilarDecision
from quorate.views.escape import one_line, visible

__all__ = ["Recall", "quoted_in", "recall", "status_words"]

MOST: Final = 8
"""Earlier decisions that are shown at most."""
LOOKED_AT: Final = 24
"""So many of the most alike are looked at: demos and what was imported are among them, and are not shown."""
TIERS: Final[tuple[Tier, ...]] = ("strong", "related", "brief")
_QUESTION: Final[dict[Tier, int]] = {"strong": 1_200, "related": 400, "brief": 200}
"""Characters of the question, by how near it is."""
_BECAUSE: Final[dict[Tier, int]] = {"strong": 600, "related": 240, "brief": 0}
_OUTCOME: Final = 240
_FENCE: Final = "0" * 12
"""As long as what the lines around a quote bear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """A deliberation with what its seats are shown of earlier ones, and what to say about that."""

    convened: Convened
    tokens: int = 0
    most: int = 0

    @property
    def sentence(self) -> str:
        """What is shown, for whoever asked for it; nothing where it is off."""
        shown = self.convened.question.precedents
        if not self.most:
            return ""
        if not shown:
            return "no similar earlier decision of this ledger can be shown to the seats"
        what = "1 earlier decision" if len(shown) == 1 else f"{len(shown)} earlier decisions"
        named = ", ".join(f"{one.id} ({one.tier})" for one in shown)
        return f"{what} shown to the seats as precedent, {self.tokens} of {self.most} tokens: {named}"


async def recall(ledger: Ledger, convened: Convened, most: int) -> Recall:
    """Show the seats what was decided on similar questions, within so many tokens; nothing at all with none."""
    if not most:
        return Recall(convened=convened)
    earlier = await EarlierDecisions.of(ledger)
    found = await earlier.similar(convened.question, LOOKED_AT)
    shown = _fitting([one for one in found if one.decision.is_own], most)
    question = replace(convened.question, precedents=shown)
    return Recall(convened=replace(convened, question=question), tokens=_tokens(shown), most=most)


async def quoted_in(ledger: Ledger, id_: str) -> list[str]:
    """The deliberations whose seats were shown a decision: its words stand in their records too."""
    found = list[str]()
    async for summary in ledger.list():
        # The first entry holds the question, and the id of a precedent stands in its public part.
        if summary.id != id_ and summary.entries and id_.encode() in (await ledger.rows(summary.id))[0].public:
            found.append(summary.id)
    return found


def _fitting(found: Sequence[SimilarDecision], most: int) -> tuple[Precedent, ...]:
    """The nearest first, each in as much detail as its tier has and the rest of the tokens allow."""
    shown: tuple[Precedent, ...] = ()
    for one in sorted(found, key=lambda one: (TIERS.index(one.tier), -one.score, one.decision.id)):
        fits = (with_it for with_it in _longer(shown, one) if _tokens(with_it) <= most)
        shown = next(fits, shown)
        if len(shown) == MOST:
            break
    return shown


def _longer(shown: tuple[Precedent, ...], one: SimilarDecision) -> Iterator[tuple[Precedent, ...]]:
    """With one more, in ever less detail; what the guard would turn a question away for is shown in none."""
    for tier in TIERS[TIERS.index(one.tier) :]:
        made = _written(one, tier)
        if not any(finding.turn_away for finding in guard.examine(Question(text="?", precedents=(made,)))):
            yield (*shown, made)


def _tokens(shown: tuple[Precedent, ...]) -> int:
    """As many as a prompt is reckoned at that holds them, the lines around each included."""
    quotes = precedent_quotes(Question(text="", precedents=shown))
    around = f"[{_FENCE} begin: ]\n\n[{_FENCE} end]\n\n"
    return CostEstimate("".join(f"{around}{one.label}{one.text}" for one in quotes), 0, None).asked


def _written(one: SimilarDecision, tier: Tier) -> Precedent:
    decision = one.decision
    label = f"an earlier decision of {decision.begun[:10]}, {', '.join(status_words(decision, one.replaced_by))}"
    return Precedent(id=decision.id, tier=tier, label=label, text="\n".join(_lines(one, tier)))


def status_words(decision: EarlierDecision, replaced_by: str = "") -> Iterator[str]:
    """How a decision stands, in words of ours alone."""
    verdict, review = decision.verdict, decision.review
    yield f"decided by the rule {one_line(verdict.rule)}" if verdict.decided else "not decided by the panel"
    if decision.confirmed is not None:
        yield "reviewed by a person"
    elif review is not None:
        yield "a review by a program that no person confirmed"
    else:
        yield "waits for review by a person" if verdict.awaits_review else "not reviewed by a person"
    if replaced_by:
        yield "superseded by a later decision"
    if decision.demo:
        yield "a demo that means nothing"
    if decision.imported:
        yield "imported from elsewhere"


def _lines(one: SimilarDecision, tier: Tier) -> Iterator[str]:
    decision, verdict = one.decision, one.decision.verdict
    question = decision.question
    yield f"Asked then: {_cut(question.text, _QUESTION[tier])}"
    if one.differs:
        yield "That is a related question, not the same one."
    elif not one.same_terms:
        yield "It was asked then with another context, other criteria or other options."
    if question.options and tier == "strong":
        yield f"Options then: {_cut(' | '.join(question.options), _QUESTION[tier])}"
    yield f"Outcome: {_cut(verdict.outcome or 'none', _OUTCOME)}"
    if decision.confirmed is not None:
        yield f"A person said: {_cut(decision.confirmed.outcome, _OUTCOME)}"
    if _BECAUSE[tier] and verdict.because:
        yield f"Because: {_cut(verdict.because, _BECAUSE[tier])}"
    if tier == "strong":
        yield from (f"{one_line(point.who)} ({point.kind}): {_cut(point.text, 240)}" for point in verdict.points)


def _cut(text: str, most: int) -> str:
    return one_line(visible(text), most)
