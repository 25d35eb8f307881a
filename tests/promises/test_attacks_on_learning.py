"""What learning loses when seats game it: printed, and bounded by the rules that keep it from doing harm."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from quorate import catalogue
from quorate.evaluate.methods import learn_as_it_goes
from quorate.evaluate.skill_fit import SkillModel, best_options, fit_skills
from quorate.evaluate.votes import VotedQuestion, VoteTable, plurality
from quorate.model import PartRef, Tally, Voice
from tests.evaluate.panels import drawn, question

pytestmark = pytest.mark.promise

HONEST = {"ann": 1.5, "ben": 1.2, "cat": 1.0, "dan": 0.8, "eve": 1.5}
LIE = "the liar's choice"
BEFORE, AFTER = 200, 400


def lying(one: VotedQuestion, *liars: str) -> VotedQuestion:
    """The question with one wrong option for all who lie: that which most others fell for, where there is one."""
    wrong = [vote for vote in one.votes.values() if vote != one.right]
    lie = max(sorted(set(wrong)), key=wrong.count) if wrong else LIE
    return replace(one, votes={**one.votes, **dict.fromkeys(liars, lie)})


def losses(name: str, questions: Sequence[VotedQuestion], since: int) -> tuple[float, float]:
    """What learning is right less than plurality from a question on, in points; as it is, and with majorities kept."""
    asked = questions[since:]
    chosen = [one.options for one in learn_as_it_goes(questions, {})[since:]]
    kept = [
        first if is_majority(one) else best
        for one, best in zip(asked, chosen, strict=True)
        for first in (plurality(one.votes),)
    ]
    plain = score(asked, [plurality(one.votes) for one in asked])
    learned, careful = score(asked, chosen), score(asked, kept)
    print(f"{name}: plurality {plain:.1f} %, learned {learned:.1f} %, majorities kept {careful:.1f} %")  # noqa: T201
    return plain - learned, plain - careful


def score(questions: Sequence[VotedQuestion], chosen: Sequence[tuple[str, ...]]) -> float:
    pairs = zip(questions, chosen, strict=True)
    return 100 * sum((one.right in best) / max(1, len(best)) for one, best in pairs) / len(questions)


def is_majority(one: VotedQuestion) -> bool:
    """Whether the rule stays silent under keep_majority: more than half of the votes agree."""
    voices = tuple(Voice(seat=seat, option=vote) for seat, vote in one.votes.items())
    told = Tally(eligible=tuple(one.votes), options=(), voices=voices, listed=("a", "b", "c", "d"))
    skilled = tuple((seat, Fraction(1)) for seat in one.votes)
    rule = catalogue.rule("track_record").function
    silent = rule(told, skills=skilled, questions=100, keep_majority=True) is None
    return silent and 2 * max(map(list(one.votes.values()).count, one.votes.values())) > len(one.votes)


def test_a_seat_that_behaves_and_then_lies_is_found_out(seed: int) -> None:
    questions = drawn(Random(seed), BEFORE + AFTER, HONEST)
    attacked = [*questions[:BEFORE], *(lying(one, "ann") for one in questions[BEFORE:])]

    assert max(losses("a turncoat, from the turn on", attacked, BEFORE)) < 10
    assert max(losses("a turncoat, long after", attacked, BEFORE + AFTER // 2)) < 5


def test_two_that_behave_and_then_lie_together_take_over_unless_majorities_are_kept(seed: int) -> None:
    questions = drawn(Random(seed), BEFORE + AFTER, HONEST)
    attacked = [*questions[:BEFORE], *(lying(one, "ann", "eve") for one in questions[BEFORE:])]

    assert losses("two turncoats of five, from the turn on", attacked, BEFORE)[1] < 15


def test_two_that_collude_from_the_start_may_take_over_unless_majorities_are_kept(seed: int) -> None:
    attacked = [lying(one, "dan", "eve") for one in drawn(Random(seed), AFTER, HONEST)]

    assert losses("two colluding of five", attacked, 0)[1] < 15


def test_a_flood_of_easy_questions_makes_nobody_skilled(seed: int) -> None:
    chance = Random(seed)
    easy = [VotedQuestion(id=f"easy {n}", votes=dict.fromkeys(HONEST, "obvious"), listed=4) for n in range(2000)]
    questions = [question(chance, str(n), {**HONEST, "eve": -1.0}, 4) for n in range(AFTER)]
    flooded, plain = (fit_skills(VoteTable.of(votes)) for votes in ([*easy, *questions], questions))

    def right(model: SkillModel) -> float:
        return score(questions, [best_options(one, model) for one in questions])

    print(f"a flood of easy questions: {right(plain):.1f} % without, {right(flooded):.1f} % with")  # noqa: T201
    assert flooded.skills["eve"] == min(flooded.skills.values())
    assert right(flooded) > right(plain) - 5


def test_three_votes_are_never_captured(seed: int) -> None:
    trusted = SkillModel(skills={"ann": 6.0, "ben": -6.0, "cat": -6.0}, questions=100_000)
    for one in drawn(Random(seed), 500, {"ann": 0.0, "ben": 1.0, "cat": 1.0}):
        told = lying(one, "ann")
        if len(told.votes) == 3 and told.votes["ben"] == told.votes["cat"]:
            assert best_options(told, trusted) == (told.votes["ben"],)


def test_a_tribunal_takes_no_such_rule() -> None:
    tribunal = catalogue.protocol("tribunal")
    learned = replace(tribunal.rulebook, rules=(PartRef("track_record"), *tribunal.rulebook.rules))

    assert catalogue.foreign_votes(learned, tribunal) != ""
    assert all("track_record" not in {rule.name for rule in book.rules} for book in tribunal.books)
