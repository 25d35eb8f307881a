"""A batch as the command line holds it: the panel, its workers, its budget, and how it ends."""

import os
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR, UNHEARD
from quorate.doors.cli.screen import complain, note
from quorate.errors import BadSetting
from quorate.settings.table import ACT_ERROR, CONCURRENCY, FILES, LEDGER

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from quorate.doors.cli.batch_progress import BatchProgress
    from quorate.engine.batches.batch_budget import CostRange
    from quorate.engine.batches.batch_run import BatchCounts
    from quorate.engine.batches.question_lines import QuestionLine
    from quorate.engine.batches.result_lines import ResultFile
    from quorate.model import Convened, Limits, Question
    from quorate.model.charter import Charter
    from quorate.settings.resolve import Settings

__all__ = ["INTERRUPTED", "BatchSession", "batch_code", "hold_batch", "read_total", "stopping_early"]

INTERRUPTED: Final = "interrupted"
MEMORY: Final = ":memory:"
_STOP: Final = "stop_when_settled"


@dataclass(slots=True, kw_only=True)
class BatchSession:
    """Everything about a batch but its questions."""

    resolved: "Settings"
    limits: "Limits"
    progress: "BatchProgress"
    workers: int = 1
    name: str = ""
    trust: bool = False
    hears_all: bool = False
    """Whether everybody is heard even where nobody can change the verdict any more: votes are to be measured."""

    async def run(self, lines: "Iterator[QuestionLine]", results: "ResultFile", *, waits: bool = False) -> None:
        """Put every line to the panel and write what comes of it.

        Raises:
            BatchStopped: it cannot go on for now.
            QuorateError: nothing can be asked, recorded or written.
        """
        from quorate.engine.batches.batch_run import Batch, deliberations_at_once
        from quorate.engine.picked_models import pick_models
        from quorate.panelists.cli.workspace import sweep

        sweep()
        picked = await pick_models(self.resolved, os.environ)
        if picked.sentence:
            note(f"note: {picked.sentence}")
        charter = picked.charter
        _refuse_people(charter)
        prepare = await self._preparation(charter)
        async with AsyncExitStack() as open_:
            held = Batch(
                charter=charter,
                prepare=prepare,
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

    async def _preparation(self, charter: "Charter") -> "Callable[[Question], Convened]":
        """How a question becomes the first event of its deliberation.

        A score needs every vote, so where a promise rests on scores nobody is left out.

        Raises:
            LedgerError: the ledger cannot be read.
        """
        resolved, at_most = self.resolved, self.resolved.get(ACT_ERROR)
        if at_most is None:
            return _preparation(resolved, charter if self.hears_all else stopping_early(charter))
        from quorate.evaluate.act_gate import PanelCertifier

        prepare = _preparation(resolved, charter)
        certifier = await PanelCertifier.read(at_most, resolved[LEDGER], charter.protocol, self.progress.say)
        return lambda question: certifier.certified(prepare(question))

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


def stopping_early(charter: "Charter") -> "Charter":
    """The panel, waiting for nobody who can change nothing; as it is, where it says so itself or cannot."""
    from quorate.settings.rulebook_file import setting_names

    can = _STOP in setting_names(charter.protocol) and _STOP not in dict(charter.settings)
    return replace(charter, settings=(*charter.settings, (_STOP, "true"))) if can else charter


def _refuse_people(charter: "Charter") -> None:
    from quorate.model.panel import is_person

    people = [seat for seat, model in charter.models if is_person(model)]
    if people:
        raise BadSetting(f"a batch waits for nobody, and a person sits as {', '.join(people)}; seat a model there")


def _preparation(resolved: "Settings", charter: "Charter") -> "Callable[[Question], Convened]":
    """How a question becomes the first event of its deliberation."""
    from quorate.settings.context_files import with_files
    from quorate.settings.convene import check_fit, convene

    env, files = resolved.environment(os.environ), resolved[FILES]

    def prepare(question: "Question") -> "Convened":
        check_fit(question, charter)
        return convene(with_files(question, files)[0] if files else question, charter, env)

    return prepare


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
