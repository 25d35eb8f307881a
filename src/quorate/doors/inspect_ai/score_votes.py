"""Scores of one sample as votes: a rulebook chooses one of them."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Final, Literal

from inspect_ai.scorer import NOANSWER, Score, ScoreReducer, Value, score_reducer, value_to_float

from quorate.errors import UnknownName
from quorate.evaluate.rulebook_votes import apply_to_votes, chosen_option, voting_rulebook
from quorate.evaluate.voted_question import VotedQuestion
from quorate.model import Rulebook, Verdict
from quorate.settings.rulebook_file import amend_rulebook

__all__ = ["reducer_of"]

On = Literal["answer", "value"]
ON: Final = ("answer", "value")


def reducer_of(name: str, on: On, settings: Mapping[str, str]) -> ScoreReducer:
    """The reducer; what was said is looked up now, so that a mistake is told before anything is asked."""
    if on not in ON:
        raise UnknownName("thing that scores may vote with", on, ON)
    book = amend_rulebook(voting_rulebook(name), settings.items())

    @score_reducer(name=f"quorate_{name}")
    def quorate_rulebook(rulebook: str, on: On, settings: Mapping[str, str]) -> ScoreReducer:
        del rulebook, settings  # they are in the log

        def reduce(scores: list[Score]) -> Score:
            return _reduced(scores, on, book)

        return reduce

    return quorate_rulebook(name, on, dict(settings))


def _reduced(scores: Sequence[Score], on: On, book: Rulebook) -> Score:
    seats = [f"{place}" for place in range(1, len(scores) + 1)]
    cast = {seat: vote for seat, score in zip(seats, scores, strict=True) if (vote := _vote(score, on))}
    question = VotedQuestion(id="", votes=cast)
    verdict = apply_to_votes(question, seats, book)
    chosen = chosen_option(question, verdict)
    told = {"quorate": _told(verdict, {seat: cast.get(seat) for seat in seats}, book)}
    if chosen is None:
        why = f"nothing is decided: {verdict.because}"
        return Score(value=NOANSWER, answer="", explanation=why, reason="no_response", metadata=told)
    behind = [score for seat, score in zip(seats, scores, strict=True) if cast.get(seat) == chosen]
    value = _lowest([score.value for score in behind])
    return Score(value=value, answer=behind[0].answer, explanation=verdict.because, metadata=told)


def _vote(score: Score, on: On) -> str:
    """What a score votes for; nothing, if it was not scored or has no answer."""
    if isinstance(score.value, float) and isnan(score.value):
        return ""
    if on == "value":
        return "" if score.value == NOANSWER else repr(score.value)
    return " ".join((score.answer or "").split())


def _lowest(values: Sequence[Value]) -> Value:
    """The value of an answer; where it was scored differently, the lowest, so that no reduction flatters."""
    if all(value == values[0] for value in values):
        return values[0]
    return min(values, key=value_to_float())


def _told(verdict: Verdict, votes: Mapping[str, str | None], book: Rulebook) -> dict[str, object]:
    return {
        "rulebook": book.name,
        "rule": verdict.rule,
        "decided": verdict.decided,
        "agreement": None if verdict.agreement is None else float(verdict.agreement),
        "votes": dict(votes),
    }
