"""What one deliberation teaches: who voted alike, what was decided, how sure it was, and what was right.

Options are numbers here, so that nothing anybody said is kept.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import Final

from quorate import catalogue, chair, rules
from quorate.analysis.verdict_score import verdict_score
from quorate.evaluate.voted_question import SeatNames, VotedQuestion
from quorate.frozen import dataclass
from quorate.ledger.serde import canonical_bytes
from quorate.model import Convened, Decided, Event, Halted, PartRef, Question, Rulebook, Tally, TurnedAway
from quorate.model.panel import is_uninformed
from quorate.settings.route_table import load_table
from quorate.views.result import right_of

__all__ = [
    "ACT_ERROR",
    "PastDecision",
    "certified_scores",
    "labelled_scores",
    "likeness",
    "past_decision",
    "recorded_votes",
    "seat_name",
    "without_act_error",
]

ACT_ERROR: Final = "act_error"
"""The cap that holds back what is not sure enough."""
LEARNED: Final = frozenset({"skills", "questions", "sharpness", "bonus"})
"""Settings that were learned: another fit of the same rule is still the same rule."""
OF_THE_QUESTION: Final = frozenset({"options", "sources"})
"""Settings that come with a question and not with the panel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """One deliberation that has ended. A `right` answer may be a number that nobody voted for.

    `outcome` and `score` are those before anything was held for lack of labels; no outcome where nothing was decided.
    `like` is the same for decisions that can vouch for each other: protocol, settings, rules and models are the same.
    """

    id: str
    begun: str
    protocol: str
    kind: str
    like: str
    models: Mapping[str, str]
    listed: int | None
    first: Mapping[str, int]
    last: Mapping[str, int]
    heard: Mapping[str, Sequence[str]]
    outcome: int | None = None
    score: str | None = None
    right: int | None = None
    certified: int | None = None
    """The right answer by labels that may open a gate; none where only callers gave one."""
    acted: bool = False
    """Whether it came to the boldest outcome of its scale."""
    may_act: bool | None = None
    """Whether it should have, by labels that may open a gate."""

    @property
    def is_right(self) -> bool | None:
        """Whether the panel was right; none where nobody knows, or nothing was decided."""
        return None if self.right is None or self.outcome is None else self.right == self.outcome

    @property
    def exact_score(self) -> Fraction | None:
        return None if self.score is None else Fraction(self.score)

    def votes(self, names: SeatNames) -> VotedQuestion:
        """Its votes by seat or by model, as everything that learns from votes takes them."""
        called = self.models if names == "model" else {}
        return VotedQuestion(
            id=self.id,
            votes=_called(self.first, called),
            listed=self.listed,
            right=None if self.right is None else str(self.right),
            later=_called(self.last, called),
            heard={
                seat_name(seat, called): tuple(seat_name(one, called) for one in heard)
                for seat, heard in self.heard.items()
            },
        )


def recorded_votes(id_: str, events: Sequence[Event], names: SeatNames) -> VotedQuestion | None:
    """The votes of a deliberation in the words of its options, by model or by seat.

    None where nobody chose among options, as in a debate, or where what answered carries no information.

    Raises:
        QuorateError: the record cannot be opened here.
    """
    state = chair.replay(events, check=False)
    tally = chair.tally_of(state)
    models = {seat: sat.model for seat, sat in state.models.items()}
    first, last = _voted(tally)
    if not first or tally.demo or any(map(is_uninformed, models.values())):
        return None
    called = models if names == "model" else {}
    return VotedQuestion(
        id=id_,
        votes=_called(first, called),
        listed=len(tally.listed or catalogue.protocol(state.convened.protocol).outcomes) or None,
        right=right_of(events),
        later=_called(last, called),
    )


def past_decision(
    id_: str, begun: str, events: Sequence[Event], folded: chair.State | None = None
) -> PastDecision | None:
    """What a deliberation teaches; none where it has not ended or what answered carries no information.

    `folded` are the same events, where somebody has folded them already.

    Raises:
        QuorateError: the record cannot be opened here.
    """
    state = folded or chair.replay(events, check=False)
    tally = chair.tally_of(state)
    models = {seat: sat.model for seat, sat in state.models.items()}
    ended = isinstance(state.closed, Decided | TurnedAway | Halted)
    if not ended or tally.demo or any(map(is_uninformed, models.values())):
        return None
    first, last = _voted(tally)
    chosen, score = _decided(state.convened, tally) if isinstance(state.closed, Decided) else (None, None)
    numbers, certified = _Numbers(), right_of(events, certified=True)
    acted, may_act = _approvals(state.convened.protocol, chosen, certified)
    return PastDecision(
        id=id_,
        begun=begun,
        protocol=state.convened.protocol,
        kind=f"{state.convened.protocol}: {task_of(state.convened.question)}",
        like=likeness(state.convened, models.values()),
        models=models,
        listed=len(tally.listed or catalogue.protocol(state.convened.protocol).outcomes) or None,
        first=numbers.all(first),
        last=numbers.all(last),
        heard={change.seat: change.heard for change in tally.changes},
        outcome=numbers.of(chosen),
        score=None if score is None else str(score),
        right=numbers.of(right_of(events)),
        certified=numbers.of(certified),
        acted=acted,
        may_act=may_act,
    )


def _approvals(protocol: str, chosen: str | None, certified: str | None) -> tuple[bool, bool | None]:
    """Whether the boldest outcome was decided on, and whether it should have been, where that is known."""
    bold = next(iter(catalogue.protocol(protocol).outcomes), None)
    return bold is not None and chosen == bold, None if None in {bold, certified} else certified == bold


def _decided(convened: Convened, tally: Tally) -> tuple[str | None, Fraction | None]:
    """What the rules decided and how sure they were, before it was held for lack of labels."""
    verdict = rules.apply_rulebook(tally, without_act_error(convened.rulebook))
    return (verdict.outcome, verdict_score(tally, verdict)) if verdict.decided else (None, None)


def certified_scores(decisions: Sequence[PastDecision], like: str) -> list[tuple[Fraction, bool]]:
    """The same by labels alone that may open a gate."""
    return labelled_scores([replace(one, right=one.certified) for one in decisions], like)


def labelled_scores(decisions: Sequence[PastDecision], like: str) -> list[tuple[Fraction, bool]]:
    """Scores of decisions that can vouch for each other, each with whether it was right, where that is known."""
    told = ((one.exact_score, one.is_right) for one in decisions if one.like == like)
    return [(score, right) for score, right in told if score is not None and right is not None]


class _Numbers:
    """Options by number, in the order they come up, seats by name: what an option is called never shows."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, option: str | None) -> int | None:
        return None if option is None else self._known.setdefault(option, len(self._known))

    def all(self, votes: Mapping[str, str]) -> dict[str, int]:
        return {seat: self._known.setdefault(votes[seat], len(self._known)) for seat in sorted(votes)}


def _voted(tally: Tally) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """First and last votes that name one option each; sides of a debate, rankings and numbers teach nothing here."""
    if tally.sides or any(voice.vote is not None for voice in tally.voices):
        return {}, {}
    return tally.first_votes, {voice.seat: voice.option for voice in tally.stated() if voice.option}


def without_act_error(book: Rulebook) -> Rulebook:
    """The rulebook as it decides before anything is held for lack of labels."""
    return replace(book, unless=tuple(cap for cap in book.unless if cap.name != ACT_ERROR))


def likeness(convened: Convened, answered: Iterable[str] | None = None) -> str:
    """A name for everything about a panel that a promise made on its past rests on.

    `answered` are the models that did answer: where one fell back on another, or `auto` chose, that is another panel.
    """
    book = without_act_error(convened.rulebook)
    settings = sorted(pair for pair in convened.settings if pair[0] not in OF_THE_QUESTION)
    models = sorted((sat.model for sat in convened.seated) if answered is None else answered)
    whole = (convened.protocol, settings, list(_parts(book)), book.silence, models)
    return sha256(canonical_bytes(whole)).hexdigest()[:16]


def _parts(book: Rulebook) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for named in (*book.rules, PartRef("otherwise"), book.otherwise, PartRef("unless"), *book.unless):
        yield named.name, sorted(pair for pair in named.settings if pair[0] not in LEARNED)


def task_of(question: Question) -> str:
    """What kind of question it is, by its words; the same table that `auto` chooses models from, as it ships."""
    words = frozenset(question.text.casefold().split())
    known = _tasks()
    counted = [(sum(word.strip(".,;:?!()'\"") in task for word in words), name) for name, task in known]
    most = max((count for count, _ in counted), default=0)
    return next((name for count, name in counted if count == most and most), OTHER)


OTHER: Final = "other"


@cache
def _tasks() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((name, frozenset(task.words)) for name, task in load_table().tasks.items())


def _called(votes: Mapping[str, int] | Mapping[str, str], models: Mapping[str, str]) -> dict[str, str]:
    return {seat_name(seat, models): str(vote) for seat, vote in votes.items()}


def seat_name(seat: str, models: Mapping[str, str]) -> str:
    """The model of a seat; with the seat, where it holds several, so that no vote is lost."""
    model = models.get(seat, seat)
    return f"{model} ({seat})" if list(models.values()).count(model) > 1 else model
