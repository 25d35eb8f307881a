"""The inspect_ai door: a panel as a solver, and a rulebook as a reducer of scores."""

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack, cast

from quorate.errors import BadSetting, PanelistError, UnknownName
from quorate.evaluate.rulebook_votes import apply_to_votes, chosen_option, voting_rulebook
from quorate.evaluate.voted_question import VotedQuestion
from quorate.frozen import dataclass
from quorate.model import Question, Rulebook, Silent, Spoken, TurnedAway, Verdict
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.service.host import Host
from quorate.service.prepare import OpenPanel, open_panel
from quorate.service.program import given_ledger, request_of
from quorate.service.runs import hold
from quorate.settings.keywords import Keywords
from quorate.settings.rulebook_file import amend_rulebook
from quorate.views import Record
from quorate.views.document import document

if TYPE_CHECKING:
    from inspect_ai.scorer import Score, ScoreReducer, Value
    from inspect_ai.solver import Generate, Solver, TaskState

__all__ = ["Options", "panel_solver", "rulebook_reducer"]

NAME: Final = "quorate"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOWN: Final = ("outcome", "decided", "rule", "because", "agreement", "requires_human_review", "cautions")
On = Literal["answer", "value"]
ON: Final = ("answer", "value")


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
    return _solver_of(_PanelHost.of(options))


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
    if on not in ON:
        raise UnknownName("thing that scores may vote with", on, ON)
    return _reducer_of(rulebook, on, settings or {})


def _installed() -> None:
    """Say what to install before anything else is looked at.

    Raises:
        BadSetting: inspect_ai is not installed.
    """
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError as missing:
        raise BadSetting("this needs inspect_ai; pip install 'quorate[inspect]'") from missing


def _solver_of(host: "_PanelHost") -> "Solver":
    from inspect_ai.solver import solver

    @solver(name=f"{NAME}_panel")
    def quorate_panel(**_: object) -> "Solver":
        async def solve(state: "TaskState", generate: "Generate") -> "TaskState":
            del generate  # the panel has models of its own
            question = _question(state)
            return _answered(state, question, await host.hold(question))

        return solve

    return quorate_panel(**host.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PanelHost:
    """The panel of an evaluation, settled once for all samples."""

    options: Options
    host: Host
    panel: OpenPanel

    @classmethod
    def of(cls, options: Options) -> "_PanelHost":
        host = Host.here("inspect_ai", ledger=given_ledger(options))
        return cls(options=options, host=host, panel=open_panel(request_of(options, Options.__annotations__), host))

    async def hold(self, question: Question) -> Record:
        """The record of a deliberation on a question, held to its end and judged again.

        Raises:
            PanelistError: nobody could be heard, which is no answer and no abstention.
            QuorateError: nothing could be asked or recorded.
        """
        return _heard(await hold(await self.panel.prepare(question), self.host))


def _heard(record: Record) -> Record:
    if not any(isinstance(event, Spoken | TurnedAway) for event in record.events):
        why = next((event.why for event in record.events if isinstance(event, Silent)), "unreachable")
        raise PanelistError(why, f"nobody of the panel could be heard; see: quorate show {record.id}")
    return record


def _question(state: "TaskState") -> Question:
    """What the model would be asked last; what stands before it is context."""
    said = [message for message in state.messages if message.text.strip()]
    if not said or said[-1].role != "user":
        raise BadSetting(f"sample {state.sample_id!r} ends with no question by the user; put panel_solver first")
    context = "\n\n".join(f"{message.role}: {message.text}" for message in said[:-1])
    return Question(text=said[-1].text, context=context, options=_options(state))


def _options(state: "TaskState") -> tuple[str, ...]:
    """The choices in their own words; with their letters, where two of them are the same or one has none."""
    texts = tuple(choice.value for choice in state.choices)
    if len({" ".join(text.split()).casefold() for text in texts}) == len(texts) and all(map(str.strip, texts)):
        return texts
    return tuple(f"{_letter(place)}) {text}" for place, text in enumerate(texts))


def _letter(place: int) -> str:
    """As inspect_ai has it: A to Z, then numbers."""
    return LETTERS[place] if place < len(LETTERS) else f"{place - len(LETTERS) + 1}"


def _answered(state: "TaskState", question: Question, record: Record) -> "TaskState":
    """The sample with the outcome as its completion: nothing where nothing was decided."""
    from inspect_ai.model import ModelOutput

    told: Mapping[str, Any] = document(record)
    verdict = cast("Mapping[str, Any]", told["verdict"] or {})
    chosen = verdict.get("outcome") if verdict.get("decided") else None
    place = question.options.index(chosen) if chosen in question.options else None
    if question.options:
        for number in range(len(question.options)):
            state.choices.mark_choice(number, number == place)
        completion = "" if place is None else f"ANSWER: {_letter(place)}"
    else:
        completion = chosen or ""
    state.output = ModelOutput.from_content(model=f"{NAME}/{record.state.convened.protocol}", content=completion)
    state.messages.append(state.output.message)
    shown = {name: verdict.get(name) for name in SHOWN}
    state.metadata[NAME] = {
        "id": record.id,
        "state": told["state"],
        "may_act": told["may_act"],
        **shown,
        "cost": told["cost"],
    }
    return state


def _reducer_of(name: str, on: On, settings: Mapping[str, str]) -> "ScoreReducer":
    from inspect_ai.scorer import score_reducer

    book = amend_rulebook(voting_rulebook(name), settings.items())

    @score_reducer(name=f"quorate_{name}")
    def quorate_rulebook(rulebook: str, on: On, settings: Mapping[str, str]) -> "ScoreReducer":
        del rulebook, settings  # they are in the log

        def reduce(scores: "list[Score]") -> "Score":
            return _reduced(scores, on, book)

        return reduce

    return quorate_rulebook(name, on, dict(settings))


def _reduced(scores: "Sequence[Score]", on: On, book: Rulebook) -> "Score":
    from inspect_ai.scorer import NOANSWER, Score

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


def _vote(score: "Score", on: On) -> str:
    """What a score votes for; nothing, if it was not scored or has no answer."""
    from inspect_ai.scorer import NOANSWER

    if isinstance(score.value, float) and isnan(score.value):
        return ""
    if on == "value":
        return "" if score.value == NOANSWER else repr(score.value)
    return " ".join((score.answer or "").split())


def _lowest(values: "Sequence[Value]") -> "Value":
    """The value of an answer; where it was scored differently, the lowest, so that no reduction flatters."""
    from inspect_ai.scorer import value_to_float

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
