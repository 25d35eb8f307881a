"""A batch as the command line holds it: the panel, its workers, its budget, and how it ends."""

import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR, UNHEARD
from quorate.doors.cli.screen import complain, note
from quorate.errors import BadSetting
from quorate.settings.table import ACT_ERROR, CONCURRENCY, LEDGER

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator
    from typing import Any

    from quorate.doors.cli.batch_progress import BatchProgress
    from quorate.engine.batches.batch_budget import CostRange
    from quorate.engine.batches.batch_run import BatchCounts
    from quorate.engine.batches.question_lines import QuestionLine
    from quorate.engine.batches.result_lines import ResultFile
    from quorate.model import Convened, Limits, Question
    from quorate.model.charter import Charter
    from quorate.service.prepare import OpenPanel
    from quorate.service.request import Note
    from quorate.settings.resolve import Settings

__all__ = ["INTERRUPTED", "BatchSession", "batch_code", "hold_batch", "read_total"]

INTERRUPTED: Final = "interrupted"
MEMORY: Final = ":memory:"


@dataclass(slots=True, kw_only=True)
class BatchSession:
    """Everything about a batch but its questions."""

    panel: "OpenPanel"
    limits: "Limits"
    progress: "BatchProgress"
    workers: int = 1
    name: str = ""
    trust: bool = False

    @property
    def resolved(self) -> "Settings":
        """The settings of the panel."""
        return self.panel.settings

    async def run(self, lines: "Iterator[QuestionLine]", results: "ResultFile", *, waits: bool = False) -> None:
        """Put every line to the panel and write what comes of it.

        Raises:
            BatchStopped: it cannot go on for now.
            QuorateError: nothing can be asked, recorded or written.
        """
        from quorate.engine.batches.batch_run import Batch, deliberations_at_once
        from quorate.panelists.cli.workspace import sweep

        sweep()
        charter = await self.panel.charter()
        _refuse_people(charter)
        say_notes(self.panel.notes)
        async with AsyncExitStack() as open_:
            held = Batch(
                charter=charter,
                prepare=self._prepare,
                workers=[await open_.enter_async_context(worker) for worker in self._workers()],
                at_once=deliberations_at_once(self.resolved[CONCURRENCY], len(charter.panel.seats)),
                name=self._scope_name(),
                limits=self.limits,
                estimate=_estimation(self.resolved),
                show=self.progress.show,
                counts=self.progress.counts,
            )
            await held.run(lines, results, waits=waits)

    def _scope_name(self) -> str:
        """With the promise that was asked for: verdicts without it are no answer to a batch that wants it."""
        at_most = self.resolved.get(ACT_ERROR)
        return self.name if at_most is None else f"{self.name} act_error {at_most}"

    async def _prepare(self, question: "Question") -> "Convened":
        """The first event of a question's deliberation.

        Raises:
            QuorateError: it can't be put to this panel.
        """
        prepared = await self.panel.prepare(question)
        for note_ in prepared.notes:
            if note_.kind == "act_error":
                self.progress.say(note_.text)
        return prepared.convened

    def _workers(self) -> "Iterator[Any]":
        """One in this process, or several of their own."""
        from quorate.engine.batches.batch_worker import BatchWorker
        from quorate.engine.batches.worker_process import WorkerProcess, runner_settings
        from quorate.engine.hosts.detached_host import HostTerms
        from quorate.ledger import open_ledger

        resolved = self.resolved
        if self.workers == 1:
            ledger = open_ledger(resolved[LEDGER])
            yield BatchWorker(ledger, resolved.environment(os.environ), runner_settings(resolved))
            return
        if resolved[LEDGER] == MEMORY:
            raise BadSetting("several workers cannot share a ledger in memory; name a file with --ledger")
        terms = HostTerms.of(resolved, trust=self.trust)
        for _ in range(self.workers):
            yield WorkerProcess(terms)


def hold_batch(session: BatchSession, work: "Callable[[], Coroutine[Any, Any, None]]") -> str:
    """Run a batch to its end; why it stopped before that, in a word, or nothing."""
    from quorate.engine.batches.batch_budget import BatchStopped
    from quorate.engine.collector import tuned_collector
    from quorate.middleware.telemetry import log_to

    try:
        with session.progress, tuned_collector(), log_to(os.environ.get("QUORATE_LOG", "")):
            stopping.run(work)
    except BatchStopped as why:
        complain(str(why))
        return why.why
    except KeyboardInterrupt:
        how = f"{session.progress.counts.written} results are written. Run the same command again to go on"
        note(f"quorate: {stopping.describe_stop()}; {how}")
        return INTERRUPTED
    return ""


def batch_code(counts: "BatchCounts", stopped: str) -> int:
    """The exit code: done if every line has a verdict, whatever it says."""
    unheard = counts.errors["unheard"] + counts.errors["failed"]
    if stopped == "unheard" or (unheard and unheard == counts.written):
        return UNHEARD
    return ERROR if stopped or counts.failed else DONE


def read_total(text: str | None) -> "Limits":
    """The budget of the whole batch.

    Raises:
        BadSetting: it cannot be read.
    """
    from quorate.model import Limits
    from quorate.settings.amounts import budget

    return Limits(**budget(text)) if text is not None else Limits()  # type: ignore[arg-type]  # as it is read


def say_notes(notes: "Iterable[Note]") -> None:
    """How the panel was understood."""
    from quorate.doors.cli.suggestions import note_words

    for one in notes:
        note(f"note: {note_words(one)}")


def _refuse_people(charter: "Charter") -> None:
    from quorate.model.panel import is_person

    people = [seat for seat, model in charter.models if is_person(model)]
    if people:
        raise BadSetting(f"a batch waits for nobody, and a person sits as {', '.join(people)}; seat a model there")


def _estimation(resolved: "Settings") -> "Callable[[Convened], CostRange]":
    """What a question may take, for the budget of the whole."""
    from quorate.engine.batches.batch_budget import CostRange
    from quorate.engine.routing import resolve_routes
    from quorate.offline.forecast import forecast

    env = resolved.environment(os.environ)

    def estimate(convened: "Convened") -> "CostRange":
        expected = forecast(resolve_routes(convened, resolved.provider_limits, env), env)
        return CostRange(expected.one_pass, expected.most)

    return estimate
