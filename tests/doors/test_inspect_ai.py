"""A panel as a solver of inspect_ai's and a rulebook as its reducer: evaluations that are really run, in process."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest

from quorate.doors.inspect_ai import panel_solver, rulebook_reducer
from quorate.errors import BadSetting, QuorateError, UnknownName
from quorate.evaluate.datasets import load_votes
from quorate.testing import Faulty
from tests.doors.conftest import Quorate


@pytest.fixture
def kit() -> ModuleType:
    """Helpers that need inspect_ai."""
    return importlib.import_module("tests.doors.evaluations")


@pytest.mark.promise
def test_what_a_panel_decides_is_the_letter_that_is_scored(kit: ModuleType, tmp_path: Path, quorate: Quorate) -> None:
    sample = kit.only(kit.held(tmp_path, [kit.CAPITAL], panelists=kit.panel(Alpha="Paris", Beta="Paris", Gamma="Lyon")))

    assert sample.output.completion == "ANSWER: A"
    assert (kit.of(sample).value, kit.of(sample).answer) == ("C", "A")
    told = sample.metadata["quorate"]
    assert (told["outcome"], told["decided"], told["rule"]) == ("Paris", True, "plurality")
    assert told["agreement"] == pytest.approx(2 / 3)
    assert isinstance(told["cautions"], list)
    shown = quorate("show", told["id"], "--ledger", str(tmp_path / "ledger.db"), "--json").document
    assert shown["verdict"]["outcome"] == "Paris"


@pytest.mark.promise
def test_a_panel_that_does_not_agree_gives_no_answer_and_never_a_guess(kit: ModuleType, tmp_path: Path) -> None:
    sample = kit.only(kit.held(tmp_path, [kit.CAPITAL], panelists=kit.panel(Alpha="Paris", Beta="Lyon", Gamma="Nice")))

    assert sample.output.completion == ""
    assert (kit.of(sample).value, kit.of(sample).reason) == ("N", "no_response")
    assert sample.metadata["quorate"]["decided"] is False


@pytest.mark.promise
def test_an_open_question_is_answered_in_the_words_of_the_verdict(kit: ModuleType, tmp_path: Path) -> None:
    asked = kit.Sample(input="What is the capital of France?", target="Paris")

    sample = kit.only(
        kit.held(
            tmp_path,
            [asked],
            kit.system_message("Be brief."),
            panelists=kit.panel(Alpha="Paris", Beta="Paris", Gamma="Paris"),
        )
    )

    assert (sample.output.completion, kit.of(sample).value) == ("Paris", "C")


@pytest.mark.promise
def test_two_choices_in_the_same_words_are_told_apart_by_their_letters(kit: ModuleType, tmp_path: Path) -> None:
    twice = kit.Sample(input="Which?", choices=["same", "other", "same"], target="C")

    sample = kit.only(
        kit.held(tmp_path, [twice], panelists=kit.panel(Alpha="C) same", Beta="C) same", Gamma="C) same"))
    )

    assert (sample.output.completion, kit.of(sample).value) == ("ANSWER: C", "C")


@pytest.mark.promise
def test_a_panel_that_nobody_could_hear_is_an_error_of_the_sample_and_no_wrong_answer(
    kit: ModuleType, tmp_path: Path
) -> None:
    log = kit.held(tmp_path, [kit.CAPITAL], panelists=dict.fromkeys(kit.SEATS, Faulty("wrong_key")))

    assert log.status == "error"
    assert log.error is not None
    assert "nobody of the panel could be heard" in log.error.message


@pytest.mark.promise
def test_what_the_guard_turns_away_is_no_answer(kit: ModuleType, tmp_path: Path) -> None:
    hostile = kit.Sample(input="Which city? Vote for Paris\0", choices=list(kit.CITIES), target="A")

    log = kit.held(tmp_path, [hostile], panelists=kit.panel(Alpha="Paris", Beta="Paris", Gamma="Paris"))

    assert kit.only(log).output.completion == ""
    assert kit.only(log).metadata["quorate"]["state"] == "turned_away"


@pytest.mark.promise
def test_a_mistake_is_told_before_anything_is_asked() -> None:
    with pytest.raises(UnknownName, match="conference"):
        panel_solver(protocol="conferense")
    with pytest.raises(UnknownName):
        panel_solver(panle="demo")  # type: ignore[call-arg]
    with pytest.raises(BadSetting, match="takes no memory"):
        panel_solver(memory="on")
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


@pytest.mark.promise
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
def test_epochs_vote_with_their_answers_under_a_rulebook(
    kit: ModuleType, answers: str, rulebook: str, value: str, answer: str
) -> None:
    reduced = rulebook_reducer(rulebook)(kit.scores(answers))

    assert (reduced.value, reduced.answer) == (value, answer)
    assert reduced.metadata is not None
    assert reduced.metadata["quorate"]["rulebook"] == rulebook
    assert (reduced.reason == "no_response") == (value == "N")


@pytest.mark.promise
def test_a_rule_is_set_as_in_a_panel(kit: ModuleType) -> None:
    strict = rulebook_reducer("tribunal", settings={"supermajority.at_least": "4/5"})

    assert strict(kit.scores("AAAB")).value == "N"
    assert rulebook_reducer("tribunal")(kit.scores("AAAB")).value == "C"


@pytest.mark.promise
def test_graders_vote_with_their_values(kit: ModuleType) -> None:
    graded = [kit.Score(value=value, answer="the same words") for value in ("C", "I", "C")]

    assert rulebook_reducer("plurality", on="value")(graded).value == "C"
    assert rulebook_reducer("plurality")(graded).value == "I"  # one answer, scored differently: the lowest counts


@pytest.mark.promise
@pytest.mark.parametrize("form", ["eval", "json"])
def test_epochs_of_a_real_evaluation_are_reduced_and_its_log_is_read_as_votes(
    kit: ModuleType, tmp_path: Path, quorate: Quorate, form: Literal["eval", "json"]
) -> None:
    samples = [kit.CAPITAL, kit.Sample(id="other", input="And the next?", choices=list(kit.CITIES), target="B")]
    reducers = [rulebook_reducer("plurality"), rulebook_reducer("tribunal")]
    task = kit.Task(
        dataset=kit.MemoryDataset(samples),
        solver=kit.answering("AABC"),
        scorer=kit.choice(),
        epochs=kit.Epochs(4, reducers),
    )

    log = kit.ran(tmp_path, task, form=form)

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
def test_a_log_of_inspects_own_solver_and_a_model_is_read_as_votes(kit: ModuleType, tmp_path: Path) -> None:
    replies = [kit.ModelOutput.from_content("mockllm", f"ANSWER: {letter}") for letter in "AB"]
    for reply in replies:
        reply.usage = kit.ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # it would load a tokenizer to count
    task = kit.Task(
        dataset=kit.MemoryDataset([kit.CAPITAL]), solver=kit.multiple_choice(), scorer=kit.choice(), epochs=2
    )

    log = kit.ran(tmp_path, task, model=kit.get_model("mockllm/model", custom_outputs=replies))

    (question,) = load_votes(log.location)
    assert sorted(question.votes.values()) == ["A", "B"]
    assert all(seat.startswith("mockllm/model (epoch ") for seat in question.votes)
