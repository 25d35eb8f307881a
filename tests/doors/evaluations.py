"""Evaluations of inspect_ai, really run in this process. To import it takes seconds, so tests do when they need it."""

import gc
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from inspect_ai import Epochs, Task
from inspect_ai import eval as run_evaluation
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, choice, match
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver, system_message

from quorate.doors.inspect_ai import panel_solver
from quorate.model import Ask
from quorate.panelists import Panelist
from quorate.testing import Scripted, vote

__all__ = [
    "CAPITAL", "CITIES", "SEATS", "Epochs", "MemoryDataset", "ModelOutput", "ModelUsage", "Sample", "Score", "Task",
    "answering", "choice", "get_model", "held", "multiple_choice", "of", "only", "panel", "ran", "scores",
    "system_message",
]  # fmt: skip

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
        warnings.filterwarnings("ignore", "Unclosed <MemoryObject", ResourceWarning)  # inspect_ai leaves its own open
        warnings.simplefilter("ignore", DeprecationWarning)
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


def scores(answers: str) -> list[Score]:
    """A letter an epoch, A being right; a dash gave no answer, a dot was not scored."""
    values: dict[str, str | float] = {"A": "C", "-": "I", ".": math.nan}
    return [Score(value=values.get(one, "I"), answer="" if one in "-." else one) for one in answers]


@solver
def answering(letters: str) -> Solver:
    """A model that gives another letter in every epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", f"ANSWER: {letters[state.epoch - 1]}")
        for number in range(len(state.choices)):
            state.choices.mark_choice(number, "ABC"[number] == letters[state.epoch - 1])
        return state

    return solve
