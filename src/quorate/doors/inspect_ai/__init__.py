"""The inspect_ai door: a panel as a solver, and a rulebook as a reducer of scores."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from quorate.errors import BadSetting
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.settings.keywords import Keywords

if TYPE_CHECKING:
    from inspect_ai.scorer import ScoreReducer
    from inspect_ai.solver import Solver

__all__ = ["Options", "panel_solver", "rulebook_reducer"]


class Options(Keywords, total=False):
    """What may be given; what is not comes from the environment, the panel and the user's file."""

    panel: str | Path | Charter
    protocol: str
    panelists: Mapping[str, Panelist]


def panel_solver(**options: Unpack[Options]) -> "Solver":
    """A solver that puts every sample to a panel; a conference, if neither a panel nor a protocol is said.

    The completion is the outcome, with its letter where the sample has choices. A verdict that is not decided leaves it
    empty. `state.metadata["quorate"]` has the id of the deliberation, its verdict and what it cost.

    Raises:
        NotTrusted: the panel file would act, and nobody allowed it.
        QuorateError: a name, a setting or a panel that cannot be read, a seat without a model, or no inspect_ai.
    """
    _installed()
    from quorate.doors.inspect_ai.sample_panel import solver_of

    return solver_of(options)


def rulebook_reducer(
    rulebook: str, *, on: Literal["answer", "value"] = "answer", settings: Mapping[str, str] | None = None
) -> "ScoreReducer":
    """A reducer that lets the scores of a sample vote under a rulebook that ships.

    They vote with the answers that were scored, as epochs do, or `on` the values, as several graders do. A score that
    has none is a silent seat. `settings` are those of the rulebook's rules, written `RULE.KEY`.

    Raises:
        UnknownName: a rulebook, a rule or a setting there is not.
        BadSetting: a rulebook for other votes, a setting that cannot be read, or no inspect_ai.
    """
    _installed()
    from quorate.doors.inspect_ai.score_votes import reducer_of

    return reducer_of(rulebook, on, settings or {})


def _installed() -> None:
    """Say what to install before anything else is looked at.

    Raises:
        BadSetting: inspect_ai is not installed.
    """
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError as missing:
        raise BadSetting("this needs inspect_ai; pip install 'quorate[inspect]'") from missing
