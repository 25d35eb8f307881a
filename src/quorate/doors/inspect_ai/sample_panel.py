"""A sample of an evaluation as a question to a panel, and the verdict as its completion."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from quorate.engine.shared_runner import RunnerSettings, shared_runner
from quorate.engine.verify import as_judged, verify_record
from quorate.errors import BadSetting, PanelistError
from quorate.model import Question, Spoken, TurnedAway
from quorate.model.charter import Charter
from quorate.settings.convene import check_fit, convene
from quorate.settings.program_options import AdmittedSettings, SettingsMemory, answered_by, keyword_texts
from quorate.settings.table import ACT_ERROR, CONCURRENCY, LEDGER, PANEL, PROTOCOL
from quorate.views import Record
from quorate.views.document import document

if TYPE_CHECKING:
    from quorate.doors.inspect_ai import Options

__all__ = ["solver_of"]

NAME: Final = "quorate"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOWN: Final = ("outcome", "decided", "rule", "because", "agreement", "requires_human_review", "cautions")


def solver_of(options: "Options") -> Solver:
    """The solver; what was said is read now, so that a mistake is told before anything is asked."""
    host = _PanelHost.of(options)

    @solver(name=f"{NAME}_panel")
    def quorate_panel(**_: object) -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            del generate  # the panel has models of its own
            question = _question(state)
            return _answered(state, question, await host.hold(question))

        return solve

    return quorate_panel(**options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PanelHost:
    """The panel of an evaluation, as it was said once."""

    options: "Options"
    found: AdmittedSettings

    @classmethod
    def of(cls, options: "Options") -> "_PanelHost":
        from quorate.doors.inspect_ai import Options

        if "memory" in options:
            raise BadSetting("'memory' shows a panel earlier verdicts, and an evaluation asks each sample by itself")
        texts, panel = keyword_texts(options, Options.__annotations__), options.get("panel")
        if panel is None and not texts.get(PROTOCOL.name):
            texts[PROTOCOL.name] = "conference"  # whose seats choose among options of any name
        charter = panel if isinstance(panel, Charter) else None
        if isinstance(panel, str | Path):
            texts[PANEL.name] = str(panel)
        trust = options.get("trust", False)
        found = SettingsMemory().admit(texts, dict(os.environ), charter=charter, trust=trust)
        return cls(options=options, found=found)

    async def hold(self, question: Question) -> Record:
        """The record of a deliberation on a question, held to its end and judged again.

        Raises:
            PanelistError: nobody could be heard, which is no answer and no abstention.
            QuorateError: nothing could be asked or recorded.
        """
        found, panelists = self.found, self.options.get("panelists")
        charter = answered_by(found.draft, panelists) if panelists is not None else found.charter
        check_fit(question, charter)
        convened = convene(question, charter, found.env)
        given = self.options.get("ledger")
        place = found.settings[LEDGER] if given is None or isinstance(given, str | Path) else given
        async with shared_runner(place, found.env, self._terms()) as runner:
            if (at_most := found.settings.get(ACT_ERROR)) is not None:
                from quorate.evaluate.act_gate import certify_from_ledger

                convened = (await certify_from_ledger(convened, at_most, runner.ledger)).convened
            record = await runner.hold(convened, panelists=panelists)
        return _heard(as_judged(record, verify_record(record)))

    def _terms(self) -> RunnerSettings:
        settings = self.found.settings
        return RunnerSettings(
            concurrency=settings[CONCURRENCY], provider_limits=self.found.provider_limits, consent=settings.consent
        )


def _heard(record: Record) -> Record:
    if not any(isinstance(event, Spoken | TurnedAway) for event in record.events):
        raise PanelistError("unheard", f"nobody of the panel could be heard; see: quorate show {record.id}")
    return record


def _question(state: TaskState) -> Question:
    """What the model would be asked last; what stands before it is context."""
    said = [message for message in state.messages if message.text.strip()]
    if not said or said[-1].role != "user":
        raise BadSetting(f"sample {state.sample_id!r} ends with no question by the user; put panel_solver first")
    context = "\n\n".join(f"{message.role}: {message.text}" for message in said[:-1])
    return Question(text=said[-1].text, context=context, options=_options(state))


def _options(state: TaskState) -> tuple[str, ...]:
    """The choices in their own words; with their letters, where two of them are the same or one has none."""
    texts = tuple(choice.value for choice in state.choices)
    if len({" ".join(text.split()).casefold() for text in texts}) == len(texts) and all(map(str.strip, texts)):
        return texts
    return tuple(f"{_letter(place)}) {text}" for place, text in enumerate(texts))


def _letter(place: int) -> str:
    """As inspect_ai has it: A to Z, then numbers."""
    return LETTERS[place] if place < len(LETTERS) else f"{place - len(LETTERS) + 1}"


def _answered(state: TaskState, question: Question, record: Record) -> TaskState:
    """The sample with the outcome as its completion: nothing where nothing was decided."""
    told: Mapping[str, Any] = document(record)
    verdict: Mapping[str, Any] = told["verdict"] or {}
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
    state.metadata[NAME] = {"id": record.id, "state": told["state"], **shown, "cost": told["cost"]}
    return state
