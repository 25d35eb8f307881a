"""How right a panel is on recorded votes: each seat alone, each way to choose, sealed against final, who helps whom."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from statistics import mean
from typing import Final

from quorate.analysis.fault_domains import family
from quorate.evaluate.act_threshold import ActThreshold, Interval, act_threshold, share_interval
from quorate.evaluate.calibration import CalibrationReport, judge_calibration
from quorate.evaluate.conformity import Conformity, measure_conformity
from quorate.evaluate.independence import Independence, measure_independence
from quorate.evaluate.intervals import PairedTest, bootstrap, compare_pairs
from quorate.evaluate.methods import (
    Method,
    MethodChoice,
    by_confidence,
    by_plurality,
    by_skill,
    fit_one_coin,
    learn_as_it_goes,
)
from quorate.evaluate.rulebook_votes import apply_to_votes, books_for, chosen_option
from quorate.evaluate.skill_fit import SkillModel, fit_skills, rule_settings
from quorate.evaluate.votes import VotedQuestion, VoteTable
from quorate.frozen import dataclass
from quorate.model import Rulebook
from quorate.settings.rulebook_file import amend_rulebook

__all__ = ["Evaluation", "MethodFigures", "SeatFigures", "evaluate_votes", "families_of", "seat_figures"]

ALIKE: Final = 5
"""Pairs of seats that are shown, those that err alike most often."""
FEWEST_ERRORS: Final = 5
STEPS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFigures:
    """One seat alone: how often it was right where that is known, and what its votes have taught about it."""

    seat: str
    votes: int
    labelled: int
    accuracy: Interval | None
    skill: float | None
    """None where the fit took all seats for guessers, so that nothing was learned."""
    adds: float | None = None
    """What the panel's plurality is more right with this seat than without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFigures:
    """One way to choose: how often it was right, how often it chose at all, and beside plurality."""

    method: str
    accuracy: Interval
    decided: float
    beside_plurality: PairedTest
    coverage: tuple[tuple[float, float], ...]
    """Of the surest decisions: their share of all, and how right they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedErrors:
    """Two seats that erred together: how often with the same wrong answer."""

    a: str
    b: str
    both_wrong: int
    same_answer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that was measured on one file of votes."""

    questions: int
    labelled: int
    methods: tuple[MethodFigures, ...]
    seats: tuple[SeatFigures, ...]
    alike: tuple[SharedErrors, ...]
    act: ActThreshold | None
    settings: tuple[tuple[str, str], ...]
    conformity: Conformity | None = None
    calibration: CalibrationReport | None = None
    """How far chances that labels taught can be believed; of the track record, each question by those before it."""
    independence: Independence | None = None

    def document(self) -> dict[str, object]:
        """For --json."""
        worth = self.independence.document() if self.independence else None
        return {"schema": 1, **asdict(self), "settings": dict(self.settings), "independence": worth}


def families_of(seats: Iterable[str]) -> dict[str, str]:
    """The model behind each name, without its edition and without the seat it held."""
    return {seat: family(seat.partition(" (")[0]) for seat in seats}


def evaluate_votes(
    questions: Sequence[VotedQuestion], act_error: float | None, progress: Callable[[str], None]
) -> Evaluation:
    """Measure everything; right answers score, and teach nothing but the threshold above which to act."""
    known = [question for question in questions if question.right is not None]
    table = VoteTable.of(questions)
    progress(f"learning from {len(questions)} questions")
    families = families_of(table.seats)
    model = fit_skills(table, families)
    arriving = {id(one): choice for one, choice in zip(questions, learn_as_it_goes(questions, families), strict=True)}
    methods = []
    for name, method in _methods(questions, model, lambda question: arriving[id(question)]):
        progress(f"measuring {name}")
        methods.append(_figures(name, [method(one) for one in known], [by_plurality(one) for one in known], known))
    act = _act(known, [arriving[id(one)] for one in known], act_error)
    return Evaluation(
        questions=len(questions),
        labelled=len(known),
        methods=tuple(methods) if known else (),
        seats=seat_figures(questions, model),
        alike=tuple(_alike(known, table.seats))[:ALIKE],
        act=act,
        settings=rule_settings(model, table.seats),
        conformity=measure_conformity(questions),
        calibration=judge_calibration([(arriving[id(one)].sure, _is_right(arriving[id(one)], one)) for one in known]),
        independence=measure_independence(known, table.seats) if known else None,
    )


def _is_right(choice: MethodChoice, question: VotedQuestion) -> bool:
    return choice.options == (question.right,)


def _methods(questions: Sequence[VotedQuestion], model: SkillModel, learned: Method) -> Iterator[tuple[str, Method]]:
    """Every way to choose that the votes allow; what is learned is learned from votes alone."""
    yield "plurality of first votes", by_plurality
    if any(question.later for question in questions):
        yield "plurality of last votes", _by_last_votes
    if any(question.stated for question in questions):
        yield "stated confidence", by_confidence
    yield "one coin per seat", fit_one_coin(questions)
    yield "track record, one question at a time", learned
    yield "track record, all votes known", by_skill(model)
    seats = VoteTable.of(questions).seats
    for book in books_for(questions):
        yield f"rulebook {book.name}", _by_rulebook(book, model, seats)


def _by_last_votes(question: VotedQuestion) -> MethodChoice:
    return by_plurality(VotedQuestion(id=question.id, votes=question.later or question.votes))


def _by_rulebook(book: Rulebook, model: SkillModel, seats: Sequence[str]) -> Method:
    """What a rulebook that ships decides on the same votes; told skills, if it has a rule that takes them."""
    if any(rule.name == "track_record" for rule in book.rules):
        changes = ((f"track_record.{key}", text) for key, text in rule_settings(model, seats))
        book = amend_rulebook(book, changes)

    def choose(question: VotedQuestion) -> MethodChoice:
        voted = [seat for seat in seats if seat in question.votes or seat in question.later]
        verdict = apply_to_votes(question, voted, book)
        chosen = chosen_option(question, verdict)
        return MethodChoice(options=() if chosen is None else (chosen,), sure=float(verdict.agreement or 0))

    return choose


def _figures(
    name: str, chosen: Sequence[MethodChoice], plain: Sequence[MethodChoice], known: Sequence[VotedQuestion]
) -> MethodFigures:
    scored = [choice.credit(question.right) for choice, question in zip(chosen, known, strict=True)]
    beside = [choice.credit(question.right) for choice, question in zip(plain, known, strict=True)]
    return MethodFigures(
        method=name,
        accuracy=bootstrap(scored),
        decided=mean(float(bool(choice.options)) for choice in chosen) if chosen else 0.0,
        beside_plurality=compare_pairs(beside, scored),
        coverage=tuple(_coverage(sorted(zip((one.sure for one in chosen), scored, strict=True), reverse=True))),
    )


def _coverage(surest: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    for step in range(1, STEPS + 1):
        part = surest[: max(1, len(surest) * step // STEPS)]
        if part:
            yield step / STEPS, mean(credit for _, credit in part)


def seat_figures(questions: Sequence[VotedQuestion], model: SkillModel) -> tuple[SeatFigures, ...]:
    """Every seat, the most skilled first; without a skill where the fit collapsed."""
    known = [question for question in questions if question.right is not None]
    whole = _plurality_accuracy(known)
    found = (
        _seat(seat, questions, known, whole, None if model.is_collapsed else model.skill(seat))
        for seat in VoteTable.of(questions).seats
    )
    return tuple(sorted(found, key=lambda one: (-(one.skill or 0.0), one.seat)))


def _seat(
    seat: str,
    questions: Sequence[VotedQuestion],
    known: Sequence[VotedQuestion],
    whole: float | None,
    skill: float | None,
) -> SeatFigures:
    voted = [question for question in known if seat in question.votes]
    hits = sum(question.votes[seat] == question.right for question in voted)
    without = _plurality_accuracy([_without(question, seat) for question in known])
    return SeatFigures(
        seat=seat,
        votes=sum(seat in question.votes for question in questions),
        labelled=len(voted),
        accuracy=share_interval(hits, len(voted)) if voted else None,
        skill=skill,
        adds=None if whole is None or without is None else whole - without,
    )


def _plurality_accuracy(known: Sequence[VotedQuestion]) -> float | None:
    return mean(by_plurality(question).credit(question.right) for question in known) if known else None


def _without(question: VotedQuestion, seat: str) -> VotedQuestion:
    votes = {name: vote for name, vote in question.votes.items() if name != seat}
    return VotedQuestion(id=question.id, votes=votes, listed=question.listed, right=question.right)


def _alike(known: Sequence[VotedQuestion], seats: Sequence[str]) -> list[SharedErrors]:
    """Pairs by how often they gave the same wrong answer when both were wrong."""
    errors = {seat: _wrong_answers(known, seat) for seat in seats}
    found: list[SharedErrors] = []
    for a, b in combinations(seats, 2):
        both = errors[a].keys() & errors[b].keys()
        if len(both) >= FEWEST_ERRORS:
            same = sum(errors[a][place] == errors[b][place] for place in both) / len(both)
            found.append(SharedErrors(a=a, b=b, both_wrong=len(both), same_answer=same))
    return sorted(found, key=lambda pair: (-pair.same_answer, -pair.both_wrong, pair.a, pair.b))


def _wrong_answers(known: Sequence[VotedQuestion], seat: str) -> dict[int, str]:
    return {
        place: vote
        for place, question in enumerate(known)
        if (vote := question.votes.get(seat)) is not None and vote != question.right
    }


def _act(
    known: Sequence[VotedQuestion], chosen: Sequence[MethodChoice], act_error: float | None
) -> ActThreshold | None:
    """From which score on to act alone, by decisions of the track record, each made from what came before it."""
    if act_error is None:
        return None
    right = [_is_right(choice, question) for choice, question in zip(chosen, known, strict=True)]
    return act_threshold([choice.sure for choice in chosen], right, act_error)
