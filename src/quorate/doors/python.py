"""The Python door: deliberate, start, wait, resume, decide and read as functions."""

import asyncio
import atexit
import json
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack

from quorate import catalogue
from quorate.engine.runner import Runner, Watch
from quorate.engine.shared_runner import RunnerSettings, close_idle_ledgers, close_shared, shared_runner
from quorate.engine.verify import verify_record
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.ledger import open_ledger
from quorate.model import Ask, Ballot, Convened, Event, Question, Silence, Verdict
from quorate.model.ask import ANY
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.model.once import worked_out_once
from quorate.offline.decide import decide_text
from quorate.panelists import Panelist
from quorate.reading.text.plain_answer import read_answer
from quorate.settings.context_files import with_files
from quorate.settings.convene import open_deliberation
from quorate.settings.keywords import Keywords
from quorate.settings.panel_file import load_charter
from quorate.settings.process_environment import EnvironmentReader
from quorate.settings.program_options import AdmittedSettings, SettingsMemory, answered_by, keyword_texts
from quorate.settings.settings import Settings
from quorate.settings.table import ACT_ERROR, CONCURRENCY, FILES, LEDGER, MEMORY
from quorate.views import Record
from quorate.views.document import document, state_of
from quorate.views.html_card import html_card
from quorate.views.result import Result

if TYPE_CHECKING:
    from quorate.chair import State
    from quorate.engine.hosts.detached_host import HostTerms

__all__ = ["Deliberation", "Options", "decide", "deliberate", "deliberate_now", "read", "resume", "start", "wait"]

Done = TypeVar("Done")


@dataclass(frozen=True, kw_only=True)
class Deliberation:
    """How a deliberation ended, and everything that was said; `document` is what `quorate ask --json` prints."""

    id: str
    state: str
    verdict: Verdict | None
    events: tuple[Event, ...]
    may_act: bool = False
    """Whether a program may act on it alone: the boldest outcome was decided, and it stands."""

    @worked_out_once
    def document(self) -> Mapping[str, object]:
        """What `quorate ask --json` prints; it is put together when it is first asked for."""
        record, checked, place = self.__dict__["_held"]
        from quorate.evaluate.learned_figures import learned_document

        return document(record, checked.document(), learned_document(record, place))

    def _repr_html_(self) -> str:
        """The verdict as a card, for notebooks."""
        record: Record = self.__dict__["_held"][0]
        return html_card(record, styled=True)


class Options(Keywords, total=False):
    """What may be given beside the question; what is not comes from the environment, the panel and the user's file."""

    panel: str | Path | Charter
    protocol: str
    panelists: Mapping[str, Panelist]
    on_event: Callable[[Event], None]
    on_words: Callable[[Ask, str], None]


async def deliberate(question: str | Question, **options: Unpack[Options]) -> Deliberation:
    """Put a question to a panel and wait for the verdict, recorded in the ledger.

    Raises:
        NotTrusted: the panel file would act, and nobody allowed it.
        QuorateError: nothing could be asked or recorded; a silent model is no error.
    """
    found = _admitted(options)
    state = _opened(question, options, found)
    convened = state.convened
    async with _runner(options, found) as runner:
        if most := found.settings[MEMORY]:
            from quorate.offline.precedents import recall

            convened = (await recall(runner.ledger, convened, most)).convened
        if (at_most := found.settings.get(ACT_ERROR)) is not None:
            from quorate.evaluate.act_gate import certify_from_ledger

            convened = (await certify_from_ledger(convened, at_most, runner.ledger, _file(options, found))).convened
        record = await runner.hold(convened, state=state, **_ears(options))
    return _deliberation(record, _file(options, found))


async def start(question: str | Question, **options: Unpack[Options]) -> str:
    """Put a question to a panel and do not wait; the id, once the record has begun. It goes on when this process ends.

    A process of its own holds it, or a worker if the ledger is in PostgreSQL; `wait` follows it.

    Raises:
        BadSetting: a panelist or a ledger that is an object of this process was given.
        NoWorker: no worker has ever run on this ledger.
        NotTrusted: the panel file would act, and nobody allowed it.
        QuorateError: nothing could be asked or recorded.
    """
    from quorate.engine.hosts.host_choice import host_deliberation

    found = _admitted(options)
    terms = _host_terms(options, found)
    convened = await _promised(_opened(question, options, found).convened, found.settings)
    return (await host_deliberation(terms, convened)).id


async def wait(id_: str, **options: Unpack[Options]) -> Deliberation:
    """Wait for a deliberation that `start` began, or any other on record; if nobody holds it, somebody goes on.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
        NoWorker: it waits in the queue, and no worker is running.
        QuorateError: there is none, or nobody can go on with it.
    """
    from quorate.engine.hosts.follow import follow
    from quorate.engine.hosts.host_choice import host_record

    found = _admitted(options)
    terms = _host_terms(options, found)
    ledger = open_ledger(terms.ledger)
    on_event = options.get("on_event")
    watch: Watch | None = None if on_event is None else lambda entry, _: on_event(entry.event)
    try:
        record = await follow(ledger, await ledger.find(id_), partial(host_record, terms), watch=watch)
    finally:
        await ledger.close()
    return _deliberation(record, _file(options, found))


async def resume(id_: str, **options: Unpack[Options]) -> Deliberation:
    """Go on with a deliberation where its record stops; `last` or a unique beginning of its id will do.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
        NotTrusted: it did not begin here and would act, and nobody allowed it.
        QuorateError: there is none, or another process is at it.
    """
    found = _admitted(options)
    async with _runner(options, found, id_) as runner:
        record = await runner.resume(id_, **_ears(options))
    return _deliberation(record, _file(options, found))


def deliberate_now(question: str | Question, **options: Unpack[Options]) -> Deliberation:
    """The same as a plain call: for scripts, and for notebooks, whose loop is already running."""
    return _now(deliberate(question, **options))


def decide(
    ballots: str | Iterable[Mapping[str, object]], *, panel: str | Charter | None = None, rulebook: str | None = None
) -> Verdict:
    """The decision alone, from ballots; no model is asked.

    Raises:
        QuorateError: the ballots, the panel or the rulebook cannot be read.
    """
    text = ballots if isinstance(ballots, str) else json.dumps(list(ballots))
    charter = load_charter(panel) if isinstance(panel, str) else panel
    return decide_text(text, charter=charter, rulebook=rulebook).verdict


def read(reply: str, *, protocol: str = DEFAULT_PROTOCOL, options: Sequence[str] | None = None) -> Ballot | Silence:
    """What a raw reply counts as: a ballot, or silence with the reason.

    With `options` it is read as a plain answer, as benchmarks and people write one: the choice is one of these, or
    anything if there are none. A protocol's own ballots are read more strictly.

    Raises:
        UnknownName: no such protocol.
    """
    form = catalogue.form(catalogue.protocol(protocol).form)
    found = form.read(reply, ANY, "stop") if options is None else read_answer(reply, tuple(options))
    return found.ballot if found.ballot is not None else Silence(seat="", why=found.unreadable)


_MEMORY: Final = SettingsMemory()
_ENVIRONMENT: Final = EnvironmentReader()


def _admitted(options: Options) -> AdmittedSettings:
    """What was said, allowed to act, and the environment to act in: the process's as it is now, read once."""
    panel = options.get("panel")
    return _MEMORY.admit(
        keyword_texts(options, Options.__annotations__),
        _ENVIRONMENT.read(os.environ),
        charter=panel if isinstance(panel, Charter) else None,
        trust=options.get("trust", False),
    )


def _file(options: Options, found: AdmittedSettings) -> str:
    """The ledger's file; empty where a program gave a ledger of its own."""
    return found.settings[LEDGER] if isinstance(options.get("ledger", ""), str | Path) else ""


def _runner(options: Options, found: AdmittedSettings, id_: str = "") -> AbstractAsyncContextManager[Runner]:
    ledger, settings = options.get("ledger"), found.settings
    place = _file(options, found) if ledger is None or isinstance(ledger, str | Path) else ledger
    terms = RunnerSettings(
        concurrency=settings[CONCURRENCY], provider_limits=found.provider_limits, consent=settings.consent
    )
    return shared_runner(place, found.env, terms, id_)


def _opened(question: str | Question, options: Options, found: AdmittedSettings) -> "State":
    asked = Question(text=question) if isinstance(question, str) else question
    given = answered_by(found.draft, options["panelists"]) if "panelists" in options else None
    if given is None:
        _ = found.charter  # says which seat has no model, and how to give it one
    if files := found.settings[FILES]:
        asked, _ = with_files(asked, files)
    return found.convener.open(asked) if given is None else open_deliberation(asked, given, found.env)


async def _promised(convened: Convened, settings: Settings) -> Convened:
    """With what its seats are shown of earlier decisions, and the score from which it may be acted on alone."""
    if settings[MEMORY]:
        from quorate.offline.precedents import recall_by_settings

        convened = (await recall_by_settings(convened, settings)).convened
    if settings.get(ACT_ERROR) is not None:
        from quorate.evaluate.act_gate import certify_by_settings

        convened = await certify_by_settings(convened, settings)
    return convened


def _host_terms(options: Options, found: AdmittedSettings) -> "HostTerms":
    """Where it is held, for another process: what lives in this one cannot go there.

    Raises:
        BadSetting: such a thing was given.
    """
    from quorate.engine.hosts.detached_host import HostTerms

    if "panelists" in options:
        raise BadSetting("panelists are objects of this process, and another one would hold this; use deliberate")
    if not isinstance(options.get("ledger", ""), str | Path):
        raise BadSetting("a ledger that is an object of this process cannot be another one's; give its path or address")
    return HostTerms.of(found.settings, trust=options.get("trust", False))


class _Ears(TypedDict, total=False):
    panelists: Mapping[str, Panelist]
    watch: Watch
    listen: Callable[[Ask], Callable[[str], None]]


def _ears(options: Options) -> _Ears:
    ears = _Ears()
    if "panelists" in options:
        ears["panelists"] = options["panelists"]
    if "on_event" in options:
        on_event = options["on_event"]
        ears["watch"] = lambda entry, _: on_event(entry.event)
    if "on_words" in options:
        on_words = options["on_words"]
        ears["listen"] = lambda ask: lambda words: on_words(ask, words)
    return ears


def _deliberation(record: Record, place: str) -> Deliberation:
    checked = verify_record(record)
    held = Deliberation(
        id=record.id,
        state=state_of(record.events),
        verdict=record.ended.verdict if record.ended else None,
        events=tuple(record.events),
        may_act=checked.holds and Result.of(record).may_act,
    )
    held.__dict__["_held"] = record, checked, place
    return held


def _now(work: Coroutine[Any, Any, Done]) -> Done:
    """Run to the end, in a thread of its own when this one's loop is running."""
    if _is_loop_running():
        with ThreadPoolExecutor(1, thread_name_prefix="quorate") as thread:
            return thread.submit(asyncio.run, work).result()
    return _MAIN_LOOP.run(work) if current_thread() is main_thread() else asyncio.run(work)


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _MainLoop:
    """The loop on which plain calls of the main thread run, one after the other, and find their connections open.

    It stands still between them. In other threads each call has a loop of its own: nobody says when a thread ends.
    """

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._parents: list[asyncio.Runner | None] = []

    def run(self, work: Coroutine[Any, Any, Done]) -> Done:
        if self._runner is None:
            # With a factory of its own it does not become the thread's current loop: that is the program's.
            self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        return self._runner.run(_and_let_go(work), context=copy_context())

    def close(self) -> None:
        """Close the loop and what is kept on it, if nothing runs; before a fork too, for a child would share it."""
        runner = self._runner
        if runner is not None and current_thread() is main_thread() and not _is_loop_running():
            self._runner = None
            close_shared(runner.get_loop())
            runner.get_loop().close()

    def forked(self) -> None:
        """Leave to the parent, untouched, what could not be closed before."""
        self._parents.append(self._runner)
        self._runner = None


async def _and_let_go(work: Coroutine[Any, Any, Done]) -> Done:
    """The loop stands still after this: nothing may be left for later on it."""
    try:
        return await work
    finally:
        await close_idle_ledgers()


_MAIN_LOOP: Final = _MainLoop()

os.register_at_fork(before=_MAIN_LOOP.close, after_in_child=_MAIN_LOOP.forked)
atexit.register(_MAIN_LOOP.close)
