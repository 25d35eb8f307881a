"""Earlier decisions: which are like a question, and which are on the same one; each judged again before it is told of.

What the list says finds them, what their own entries say is told. Nothing is kept beside the ledger, so whatever it
has forgotten cannot be found here either.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from quorate.engine.verify import verify_record
from quorate.engine.work_limit import check_work
from quorate.errors import BadSetting, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Ledger, Summary
from quorate.model import Decided, Question, Verdict
from quorate.model.question import Tier
from quorate.model.texts import is_forgotten
from quorate.offline.attest import StoredRecord, stored_record
from quorate.similarity.question_index import QuestionIndex
from quorate.similarity.same_option import VERSION, fold
from quorate.similarity.tfidf import tfidf
from quorate.views.result import Result, Review

__all__ = [
    "BACKEND",
    "SAME",
    "EarlierDecision",
    "EarlierDecisions",
    "SimilarDecision",
    "is_same_text",
    "question_score",
    "text_difference",
]

SAME: Final = 0.9
"""Equal questions reach this score; it only finds them, and equal words make them the same."""
RELATED: Final = 0.5
BRIEF: Final = 0.4
LONGEST: Final = 10_000
"""Characters by which a question is found and scored; whether it is the same one, all of its text says."""
BACKEND: Final = f"{tfidf().name}, {VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierDecision:
    """A deliberation that came to a verdict, and whose record holds; the outcome is what holds of it now."""

    id: str
    begun: str
    protocol: str
    question: Question
    verdict: Verdict
    review: Review | None = None
    demo: bool = False
    imported: bool = False

    @property
    def confirmed(self) -> Review | None:
        """The last review, if its owner gave it; any other may be a program's, which could plant its own precedent."""
        return self.review if self.review is not None and self.review.origin.may_loosen else None

    @property
    def outcome(self) -> str | None:
        """What the owner said last, else the panel's."""
        return self.verdict.outcome if self.confirmed is None else self.confirmed.outcome

    @property
    def is_settled(self) -> bool:
        """Whether the owner said what holds, or the rules decided, asked for nobody and nobody objected."""
        return self.confirmed is not None or (self.review is None and not self.verdict.awaits_review)

    @property
    def is_own(self) -> bool:
        """Whether it was held here, by models that mean what they say: nothing else becomes precedent."""
        return not (self.demo or self.imported)

    def replaces(self, other: "EarlierDecision") -> bool:
        """Whether it was settled later, on the same terms; only a person's word replaces a person's."""
        counts = self.is_own and self.is_settled and (self.confirmed is not None or other.review is None)
        return counts and self.begun > other.begun and self.has_terms_of(other.question)

    def has_terms_of(self, question: Question) -> bool:
        """Whether context, criteria and options are the same, however they are laid out."""
        return _terms(self.question) == _terms(question)


def _terms(question: Question) -> tuple[object, ...]:
    return _folded(question.context), _folded(question.criteria), frozenset(map(_folded, question.options))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def text_difference(one: str, other: str) -> str:
    """What sets two questions apart; empty if they are equal but for case, white space and the like."""
    return "" if fold(one) == fold(other) else "other words"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDecision:
    """An earlier decision beside a question: how alike, what sets them apart, and what has replaced it since."""

    decision: EarlierDecision
    score: float
    differs: str = ""
    has_all_words: bool = False
    same_terms: bool = False
    replaced_by: str = ""

    @property
    def is_same(self) -> bool:
        """Whether it is the same question in the same terms."""
        return self.same_terms and self.has_same_text

    @property
    def has_same_text(self) -> bool:
        return not self.differs

    @property
    def tier(self) -> Tier:
        """How near it is; only the same question is the nearest, however alike another one reads."""
        if not self.differs:
            return "strong"
        return "related" if self.score >= RELATED else "brief"


@dataclass(eq=False, slots=True)
class EarlierDecisions:
    """What a ledger has decided, to be looked through; records are opened as they are wanted, and once."""

    ledger: Ledger
    summaries: Sequence[Summary]
    index: QuestionIndex
    unusable: dict[str, str] = field(default_factory=dict[str, str])
    """Records that would have been told of and do not hold, with what is wrong."""
    _opened: dict[str, EarlierDecision | None] = field(default_factory=dict[str, EarlierDecision | None])

    @classmethod
    async def of(cls, ledger: Ledger) -> "EarlierDecisions":
        """Everything that was decided, the newest first."""
        decided = [one async for one in ledger.list() if one.state == "decided" and one.entries]
        index = await asyncio.to_thread(QuestionIndex, [one.question for one in decided], check_work)
        return cls(ledger, decided, index)

    async def open(self, place: int) -> EarlierDecision | None:
        """The decision at a place in the list; none if its record does not hold, or its words are gone."""
        summary = self.summaries[place]
        check_work()
        await asyncio.sleep(0)  # loops that open the same ones again and again leave others their turn
        if summary.id not in self._opened:
            self._opened[summary.id] = await self._open(summary)
        return self._opened[summary.id]

    async def _open(self, summary: Summary) -> EarlierDecision | None:
        try:
            whole = await stored_record(self.ledger, summary.id)
            found = await asyncio.to_thread(_judged, whole, summary)
        except QuorateError as wrong:
            self.unusable[summary.id] = str(wrong)
            return None
        if isinstance(found, str):
            self.unusable[summary.id] = found
            return None
        return found

    async def by_id(self, id_: str) -> EarlierDecision:
        """The decision of that id.

        Raises:
            NotRecorded: no such deliberation.
            BadSetting: it came to no verdict, or cannot be relied on.
        """
        whole = await self.ledger.find(id_)
        place = next((place for place, one in enumerate(self.summaries) if one.id == whole), None)
        if place is None:
            raise BadSetting(f"{whole} has come to no verdict, so there is no decision to compare")
        found = await self.open(place)
        if found is None:
            raise BadSetting(f"{whole} cannot be compared: {self.unusable[whole]}; see: quorate verify {whole}")
        return found

    async def similar(
        self, question: Question, limit: int, floor: float = BRIEF, but: str = ""
    ) -> list[SimilarDecision]:
        """The most alike, and those in which every word stands; `but` is the id of the question's own record."""
        text, found = question.text[:LONGEST], list[SimilarDecision]()
        for match in await asyncio.to_thread(self.index.search, text, floor):
            if len(found) >= limit:
                break
            decision = await self.open(match.place) if self.summaries[match.place].id != but else None
            if decision is not None:
                one = await asyncio.to_thread(_compared, question, decision, has_all_words=match.has_all_words)
                if one.score >= floor or one.has_all_words:
                    found.append(await self.with_replacement(one))
        return sorted(found, key=lambda one: (-one.score, one.decision.id))

    async def with_replacement(self, one: SimilarDecision) -> SimilarDecision:
        """The same with the id of what has replaced it, if anything has."""
        later = await self.replacement(one.decision)
        return one if later is None else replace(one, replaced_by=later.id)

    async def replacement(self, decision: EarlierDecision) -> EarlierDecision | None:
        """The latest decision that was settled later on the same question, in the same terms."""
        for place in self.same_text(decision.question.text):
            summary = self.summaries[place]
            if summary.begun > decision.begun and not summary.imported:
                other = await self.open(place)
                if other is not None and other.replaces(decision) and is_same_text(decision.question, other.question):
                    return other
        return None

    def same_text(self, text: str) -> Iterator[int]:
        """The places of questions that may be the same one, the latest first."""
        found = [match.place for match in self.index.search(text[:LONGEST], SAME) if match.score >= SAME]
        yield from sorted(
            found, key=lambda place: (self.summaries[place].begun, self.summaries[place].id), reverse=True
        )


def is_same_text(one: Question, other: Question) -> bool:
    """Whether two questions are the same words, whatever is known around them."""
    return not text_difference(one.text, other.text)


def question_score(one: str, other: str) -> float:
    """How alike two questions are, from 0 to 1."""
    return float(next(iter(tfidf().scores([one[:LONGEST], other[:LONGEST]])))[2])


def _compared(question: Question, decision: EarlierDecision, *, has_all_words: bool) -> SimilarDecision:
    """The whole question beside the whole other one: the list has only their beginnings."""
    text, other = question.text, decision.question.text
    return SimilarDecision(
        decision=decision,
        score=question_score(text, other),
        differs=text_difference(text, other),
        has_all_words=has_all_words,
        same_terms=decision.has_terms_of(question),
    )


def _judged(whole: StoredRecord, summary: Summary) -> EarlierDecision | str:
    """A decision by its own entries, or what is wrong with it."""
    record, checked = whole.record, verify_record(whole.record)
    result, convened = Result.of(record), record.state.convened
    if checked.state != "holds" or is_forgotten(convened.question.text):
        return checked.why or "its texts have been forgotten"
    if result.decision is None or not isinstance(record.state.closed, Decided):
        return "it came to no verdict"
    return EarlierDecision(
        id=whole.id,
        begun=whole.rows[0].time,
        protocol=convened.protocol,
        question=convened.question,
        verdict=result.decision.verdict,
        review=result.review,
        demo=result.decision.tally.demo,
        imported=summary.imported,
    )
