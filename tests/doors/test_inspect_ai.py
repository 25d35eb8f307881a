"""A panel as a solver of inspect_ai's and a rulebook as its reducer: evaluations that are really run, in process."""

import gc
import math
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as run_evaluation
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, choice, match
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver, system_message

from quorate.doors.inspect_ai import panel_solver, rulebook_reducer
from quorate.errors import BadSetting, QuorateError, UnknownName
from quorate.evaluate.datasets import load_votes
from quorate.model import Ask
from quorate.panelists import Panelist
from quorate.testing import Faulty, Scripted, vote
from tests.doors.conftest import Quorate

SEATS = ("Alpha", "Beta", "Gamma")
CITIES = ("Paris", "Lyon", "Nice")
QUICK = {"mode": "quick", "similarity": "overlap"}


def panel(**votes: str) -> Mapping[str, Panelist]:
    """Seats that always vote the same."""

    def seat(name: str, option: str) -> Scripted:
        def answer(ask: Ask) -> str:
            return vote(ask, option)

        return Scripted({name: [answer] * 9})

    return {name: seat(name, option) for name, option in votes.items()}


def held(folder: Path, samples: list[Sample], *before: Solver, panelists: Mapping[str, Panelist]) -> EvalLog:
    """An evaluation by a panel; its own model is never asked."""
    scorer = choice() if samples[0].choices else match()
    solvers = [*before, panel_solver(ledger=folder / "ledger.db", settings=QUICK, panelists=panelists)]
    task = Task(dataset=MemoryDataset(samples), solver=solvers, scorer=scorer)
    return ran(folder, task)


def ran(
    folder: Path, task: Task, *, form: Literal["eval", "json"] = "eval", model: str | Model = "mockllm/model"
) -> EvalLog:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inspect_ai leaves streams of its own open, for the collector to close
        (log,) = run_evaluation(task, model=model, log_dir=str(folder), log_format=form, display="none")
        gc.collect()
    return log


def only(log: EvalLog) -> EvalSample:
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def of(sample: EvalSample) -> Score:
    assert sample.scores is not None
    (score,) = sample.scores.values()
    return score


CAPITAL = Sample(id="capital", input="What is the capital of France?", choices=list(CITIES), target="A")


@pytest.mark.promise
def test_what_a_panel_decides_is_the_letter_that_is_scored(tmp_path: Path, quorate: Quorate) -> None:
    sample = only(held(tmp_path, [CAPITAL], panelists=panel(Alpha="Paris", Beta="Paris", Gamma="Lyon")))

    assert sample.output.completion == "ANSWER: A"
    assert (of(sample).value, of(sample).answer) == ("C", "A")
    told = sample.metadata["quorate"]
    assert (told["outcome"], told["decided"], told["rule"]) == ("Paris", True, "plurality")
    assert told["agreement"] == pytest.approx(2 / 3)
    assert isinstance(told["cautions"], list)
    shown = quorate("show", told["id"], "--ledger", str(tmp_path / "ledger.db"), "--json").document
    assert shown["verdict"]["outcome"] == "Paris"


@pytest.mark.promise
def test_a_panel_that_does_not_agree_gives_no_answer_and_never_a_guess(tmp_path: Path) -> None:
    sample = only(held(tmp_path, [CAPITAL], panelists=panel(Alpha="Paris", Beta="Lyon", Gamma="Nice")))

    assert sample.output.completion == ""
    assert (of(sample).value, of(sample).reason) == ("N", "no_response")
    assert sample.metadata["quorate"]["decided"] is False


@pytest.mark.promise
def test_an_open_question_is_answered_in_the_words_of_the_verdict(tmp_path: Path) -> None:
    asked = Sample(input="What is the capital of France?", target="Paris")

    sample = only(
        held(
            tmp_path, [asked], system_message("Be brief."), panelists=panel(Alpha="Paris", Beta="Paris", Gamma="Paris")
        )
    )

    assert (sample.output.completion, of(sample).value) == ("Paris", "C")


@pytest.mark.promise
def test_two_choices_in_the_same_words_are_told_apart_by_their_letters(tmp_path: Path) -> None:
    twice = Sample(input="Which?", choices=["same", "other", "same"], target="C")

    sample = only(held(tmp_path, [twice], panelists=panel(Alpha="C) same", Beta="C) same", Gamma="C) same")))

    assert (sample.output.completion, of(sample).value) == ("ANSWER: C", "C")


@pytest.mark.promise
def test_a_panel_that_nobody_could_hear_is_an_error_of_the_sample_and_no_wrong_answer(tmp_path: Path) -> None:
    log = held(tmp_path, [CAPITAL], panelists=dict.fromkeys(SEATS, Faulty("wrong_key")))

    assert log.status == "error"
    assert log.error is not None
    assert "nobody of the panel could be heard" in log.error.message


@pytest.mark.promise
def test_what_the_guard_turns_away_is_no_answer(tmp_path: Path) -> None:
    blank = Sample(input="   \u200b", choices=list(CITIES), target="A")

    log = held(tmp_path, [blank], panelists=panel(Alpha="Paris", Beta="Paris", Gamma="Paris"))

    assert log.status == "error" or only(log).output.completion == ""


def test_a_mistake_is_told_before_anything_is_asked() -> None:
    with pytest.raises(UnknownName, match="conference"):
        panel_solver(protocol="conferense")
    with pytest.raises(UnknownName):
        panel_solver(panle="demo")  # type: ignore[call-arg]
    with pytest.raises(BadSetting, match="earlier verdicts"):
        panel_solver(memory=3)
    with pytest.raises(UnknownName, match="oracle, plurality, track_record, tribunal"):
        rulebook_reducer("pluralty")
    with pytest.raises(QuorateError, match="at_least"):
        rulebook_reducer("tribunal", settings={"supermajority.at_leest": "3/4"})


def test_without_inspect_ai_the_error_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "inspect_ai.py").write_text("raise ModuleNotFoundError('No module named inspect_ai')", encoding="utf-8")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from quorate.doors.inspect_ai import panel_solver, rulebook_reducer\n"
        "from quorate.errors import BadSetting\n"
        "for make in (panel_solver, lambda: rulebook_reducer('plurality')):\n"
        "    try: make()\n"
        "    except BadSetting as wrong: print(wrong)\n"
    )

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout == "this needs inspect_ai; pip install 'quorate[inspect]'\n" * 2


def scores(answers: str) -> list[Score]:
    """A letter an epoch, A being right; a dash gave no answer, a dot was not scored."""
    values = {"A": "C", "-": "I", ".": math.nan}
    return [Score(value=values.get(one, "I"), answer="" if one in "-." else one) for one in answers]


@pytest.mark.parametrize(
    ("answers", "rulebook", "value", "answer"),
    [
        ("AAB", "plurality", "C", "A"),
        ("ABB", "plurality", "I", "B"),
        ("AB", "plurality", "N", ""),
        ("AABC", "plurality", "C", "A"),
        ("AABC", "tribunal", "N", ""),
        ("AAB", "tribunal", "C", "A"),
        ("AA--", "tribunal", "N", ""),
        ("AA--", "plurality", "N", ""),
        ("AAA-.", "plurality", "C", "A"),
        ("----", "tribunal", "N", ""),
        ("....", "plurality", "N", ""),
        ("AAAB", "oracle", "C", "A"),
        ("AABB", "oracle", "N", ""),
    ],
)
def test_epochs_vote_with_their_answers_under_a_rulebook(answers: str, rulebook: str, value: str, answer: str) -> None:
    reduced = rulebook_reducer(rulebook)(scores(answers))

    assert (reduced.value, reduced.answer) == (value, answer)
    assert reduced.metadata is not None
    assert reduced.metadata["quorate"]["rulebook"] == rulebook
    assert (reduced.reason == "no_response") == (value == "N")


def test_a_rule_is_set_as_in_a_panel() -> None:
    strict = rulebook_reducer("tribunal", settings={"supermajority.at_least": "4/5"})

    assert strict(scores("AAAB")).value == "N"
    assert rulebook_reducer("tribunal")(scores("AAAB")).value == "C"


def test_graders_vote_with_their_values() -> None:
    graded = [Score(value=value, answer="the same words") for value in ("C", "I", "C")]

    assert rulebook_reducer("plurality", on="value")(graded).value == "C"
    assert rulebook_reducer("plurality")(graded).value == "I"  # one answer, scored differently: the lowest counts


@solver
def answering(letters: str) -> Solver:
    """A model that gives another letter in every epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", f"ANSWER: {letters[state.epoch - 1]}")
        for number in range(len(state.choices)):
            state.choices.mark_choice(number, "ABC"[number] == letters[state.epoch - 1])
        return state

    return solve


@pytest.mark.promise
@pytest.mark.parametrize("form", ["eval", "json"])
def test_epochs_of_a_real_evaluation_are_reduced_and_its_log_is_read_as_votes(
    tmp_path: Path, quorate: Quorate, form: Literal["eval", "json"]
) -> None:
    samples = [CAPITAL, Sample(id="other", input="And the next?", choices=list(CITIES), target="B")]
    reducers = [rulebook_reducer("plurality"), rulebook_reducer("tribunal")]
    task = Task(dataset=MemoryDataset(samples), solver=answering("AABC"), scorer=choice(), epochs=Epochs(4, reducers))

    log = ran(tmp_path, task, form=form)

    assert log.results is not None
    right = {one.reducer: one.metrics["accuracy"].value for one in log.results.scores}
    assert right == {"quorate_plurality": 0.5, "quorate_tribunal": 0.0}
    voted = {one.id: one for one in load_votes(log.location)}
    assert sorted(voted["capital"].votes.values()) == ["A", "A", "B", "C"]
    assert (voted["capital"].right, voted["other"].right, voted["capital"].listed) == ("A", "B", 3)
    told = quorate("evaluate", log.location, "--json").document
    assert (told["questions"], told["labelled"]) == (2, 2)
    assert {one["method"]: one["decided"] for one in told["methods"]}["rulebook oracle"] == 0.0


@pytest.mark.promise
def test_a_log_of_inspects_own_solver_and_a_model_is_read_as_votes(tmp_path: Path) -> None:
    replies = [ModelOutput.from_content("mockllm", f"ANSWER: {letter}") for letter in "AB"]
    for reply in replies:
        reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # it would load a tokenizer to count
    task = Task(dataset=MemoryDataset([CAPITAL]), solver=multiple_choice(), scorer=choice(), epochs=2)

    log = ran(tmp_path, task, model=get_model("mockllm/model", custom_outputs=replies))

    (question,) = load_votes(log.location)
    assert sorted(question.votes.values()) == ["A", "B"]
    assert all(seat.startswith("mockllm/model (epoch ") for seat in question.votes)
