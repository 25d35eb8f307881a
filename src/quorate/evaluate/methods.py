"""Ways to choose from recorded votes: plurality, stated confidence, one coin per seat, and what seats are worth."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import exp, log

from quorate.evaluate.skill_fit import SkillModel, best_options, fit_skills, is_refit_due, option_chances
from quorate.evaluate.votes import VotedQuestion, VoteTable, plurality
from quorate.frozen import dataclass

__all__ = [
    "Method",
    "MethodChoice",
    "by_confidence",
    "by_plurality",
    "by_seat",
    "by_skill",
    "fit_one_coin",
    "learn_as_it_goes",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """What a method chooses, more than one in a tie, and how sure it is: a number that is only compared."""

    options: tuple[str, ...]
    sure: float

    def credit(self, right: str | None) -> float:
        """1 if it is right, 0 if not; a tie counts as if it were drawn from."""
        return (right in self.options) / len(self.options) if self.options else 0.0


Method = Callable[[VotedQuestion], MethodChoice]


def by_plurality(question: VotedQuestion) -> MethodChoice:
    """The most votes; as sure as its share of them."""
    first = plurality(question.votes)
    share = sum(vote in first[:1] for vote in question.votes.values()) / max(1, len(question.votes))
    return MethodChoice(options=first, sure=share / max(1, len(first)))


def by_seat(seat: str) -> Method:
    """What one seat says alone; nothing where it said nothing."""

    def choose(question: VotedQuestion) -> MethodChoice:
        vote = question.votes.get(seat)
        return MethodChoice(options=() if vote is None else (vote,), sure=question.stated.get(seat, 0.0))

    return choose


def by_confidence(question: VotedQuestion) -> MethodChoice:
    """The most stated confidence, in log-odds; a vote without one counts as an average one."""
    known = [logit(stated) for stated in question.stated.values()]
    usual = sum(known) / len(known) if known else 1.0
    scores: dict[str, float] = defaultdict(float)
    for seat, vote in sorted(question.votes.items()):
        scores[vote] += logit(question.stated[seat]) if seat in question.stated else usual
    return _highest(scores)


def logit(chance: float) -> float:
    held = min(max(chance, 0.01), 0.99)
    return log(held / (1.0 - held))


def _highest(scores: Mapping[str, float]) -> MethodChoice:
    most = max(scores.values(), default=0.0)
    best = tuple(sorted(option for option, score in scores.items() if score >= most - 1e-9))
    total = sum(exp(score - most) for score in scores.values())
    return MethodChoice(options=best, sure=1.0 / total if total else 0.0)


def fit_one_coin(questions: Sequence[VotedQuestion], *, steps: int = 50) -> Method:
    """The usual EM: each seat is right with one probability on every question, and wrong answers are equally likely."""
    weights: dict[str, float] = defaultdict(lambda: 1.0)
    method = _weighted(weights)
    for _ in range(steps):
        right: dict[str, float] = defaultdict(float)
        voted: Counter[str] = Counter()
        for question in questions:
            chances = _chances(question, weights)
            for seat, vote in question.votes.items():
                right[seat] += chances[vote]
                voted[seat] += 1
        moved = {seat: logit((right[seat] + 1) / (voted[seat] + 2)) for seat in voted}
        step = max((abs(moved[seat] - weights[seat]) for seat in moved), default=0.0)
        weights.update(moved)
        if step < 1e-6:  # noqa: PLR2004 - as close as it need be
            break
    return method


def _weighted(weights: Mapping[str, float]) -> Method:
    def choose(question: VotedQuestion) -> MethodChoice:
        return _highest(_scores(question, weights))

    return choose


def _scores(question: VotedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
    scores: dict[str, float] = defaultdict(float)
    spread = log(max(question.size - 1, 1))
    for seat, vote in sorted(question.votes.items()):
        scores[vote] += weights[seat] + spread
    return scores


def _chances(question: VotedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
    scores = _scores(question, weights)
    most = max(scores.values(), default=0.0)
    rest = max(0, question.size - len(scores)) * exp(-most)
    total = sum(exp(score - most) for score in scores.values()) + rest
    return {option: exp(score - most) / total for option, score in scores.items()}


def by_skill(model: SkillModel | None) -> Method:
    """What is most probable under what seats are worth, with all rules that keep it from doing harm."""

    def choose(question: VotedQuestion) -> MethodChoice:
        best = best_options(question, model)
        chances = {} if model is None else option_chances(question, model)
        return MethodChoice(options=best, sure=max((chances.get(option, 0.0) for option in best), default=0.0))

    return choose


def learn_as_it_goes(questions: Sequence[VotedQuestion], families: Mapping[str, str]) -> list[MethodChoice]:
    """Choose on each question by what those before it taught; fitted again whenever they have grown by a quarter."""
    table, model = VoteTable(), None
    chosen: list[MethodChoice] = []
    for question in questions:
        chosen.append(by_skill(model)(question))
        table.append(question)
        if is_refit_due(model, table.questions):
            model = fit_skills(table, families, model)
    return chosen
