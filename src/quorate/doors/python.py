"""Python: deliberate, stream, start, wait, resume, decide and read as functions."""

import asyncio
import atexit
import json
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

from quorate import catalogue
from quorate.engine.shared_runner import close_idle_ledgers, close_shared
from quorate.engine.verify import verify_record
from quorate.errors import BadSetting
from quorate.model import Ask, Ballot, Event, Question, Silence, Verdict
from quorate.model.ask import ANY
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.offline.decide import decide_text
from quorate.panelists import Panelist
from quorate.reading.text.plain_answer import read_answer
from quorate.service import runs
from quorate.service.host import Host
from quorate.service.prepare import open_panel, prepare
from quorate.service.program import given_ledger, request_of
from quorate.service.request import Note, PreparedRequest, Request
from quorate.settings.keywords import Keywords
from quorate.settings.panel_file import load_charter
from quorate.settings.settings import Settings
from quorate.settings.table import LEDGER
from quorate.views import Record
from quorate.views.card import card_text, verdict_line
from quorate.views.document import document, state_of
from quorate.views.html_card import html_card
from quorate.views.result import Result

if TYPE_CHECKING:
    from quorate.engine.runner import Watch

__all__ = [
    "Deliberation",
    "Options",
    "decide",
    "deliberate",
    "deliberate_now",
    "read",
    "resume",
    "start",
    "stream",
    "wait",
]

Done = TypeVar("Done")


class Deliberation:
    """How a deliberation ended, and everything that was said.

    `verdict` is what the panel decided, `print(result)` shows it as a card, and `document` is what the command line
    prints as JSON.
    """

    def __init__(self, record: Record, place: str = "", notes: tuple[Note, ...] = ()) -> None:
        """Check a record before anybody relies on it; `place` is its ledger's file, if it has one.

        Raises:
            LedgerMismatch: its verdict is not what the words on record come to.
        """
        self._record, self._place = record, place
        self._check = verify_record(record)
        self.id = record.id
        self.events: tuple[Event, ...] = tuple(record.events)
        self.state = state_of(record.events)
        self.verdict: Verdict | None = record.ended.verdict if record.ended else None
        self.may_act = self._check.holds and Result.of(record).may_act
        """Whether a program may act on it alone: the boldest outcome was decided, and it stands."""
        self.notes = notes
        """How the request was understood, and what to set if something else was meant."""

    @property
    def document(self) -> Mapping[str, object]:
        """The result as JSON has it."""
        from quorate.evaluate.learned_figures import learned_document

        return document(self._record, self._check.document(), learned_document(self._record, self._place))

    def __str__(self) -> str:
        """The card, as a terminal shows it."""
        return card_text(Result.of(self._record))

    def __repr__(self) -> str:
        return f"<Deliberation {self.id} {self.state}>\n{verdict_line(Result.of(self._record))}"

    def _repr_html_(self) -> str:
        """The verdict as a card, for notebooks."""
        return html_card(self._record, styled=True)


class Options(Keywords, total=False):
    """What may be given beside the question; what is not comes from the environment, the panel and the user's file."""

    context: str
    """What the models should know."""
    options: Sequence[str]
    """What to choose from."""
    criteria: str
    """What would settle the question."""
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
    host = _host(options)
    prepared = await prepare(_request(question, options), host)
    record = await runs.hold(prepared, host, watch=_watch(options), listen=_listen(options))
    return Deliberation(record, _file(prepared.settings, options), prepared.notes)


async def stream(question: str | Question, **options: Unpack[Options]) -> AsyncGenerator[Event]:
    """The same, event by event as each is on record; the last says how it ended. Leaving early stops it.

    Raises:
        QuorateError: as `deliberate`.
    """
    host, news = _host(options), asyncio.Queue[Event | None]()
    prepared = await prepare(_request(question, options), host)

    async def held() -> None:
        try:
            await runs.hold(
                prepared, host, watch=lambda entry, _: news.put_nowait(entry.event), listen=_listen(options)
            )
        finally:
            news.put_nowait(None)

    task = asyncio.create_task(held())
    try:
        while (event := await news.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def start(question: str | Question, **options: Unpack[Options]) -> str:
    """Put a question to a panel and do not wait; the id, once the record has begun. It goes on when this process ends.

    A process of its own holds it, or a worker if the ledger is in PostgreSQL; `wait` follows it.

    Raises:
        BadSetting: a panelist or a ledger that is an object of this process was given.
        NoWorker: no worker has ever run on this ledger.
        NotTrusted: the panel file would act, and nobody allowed it.
        QuorateError: nothing could be asked or recorded.
    """
    _check_no_objects(options)
    prepared: PreparedRequest = await prepare(_request(question, options), _host(options))
    return (await runs.start(prepared, trust=options.get("trust", False))).id


async def wait(id_: str, **options: Unpack[Options]) -> Deliberation:
    """Wait for a deliberation that `start` began, or any other on record; if nobody holds it, somebody goes on.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
        NoWorker: it waits in the queue, and no worker is running.
        QuorateError: there is none, or nobody can go on with it.
    """
    _check_no_objects(options)
    settings, trust = _settings(options), options.get("trust", False)
    return Deliberation(await runs.wait(settings, id_, trust=trust, watch=_watch(options)), settings[LEDGER])


async def resume(id_: str, **options: Unpack[Options]) -> Deliberation:
    """Go on with a deliberation where its record stops; `last` or a unique beginning of its id will do.

    Raises:
        LedgerMismatch: its verdict is not what the words on record come to.
        NotTrusted: it did not begin here and would act, and nobody allowed it.
        QuorateError: there is none, or another process is at it.
    """
    host, settings = _host(options), _settings(options)
    env = settings.environment(host.env)
    async with runs.open_runner(settings, env, ledger=host.ledger, id_=id_) as runner:
        record = await runner.resume(
            id_, panelists=options.get("panelists"), watch=_watch(options), listen=_listen(options)
        )
    return Deliberation(record, _file(settings, options))


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


def _host(options: Options) -> Host:
    return Host.here("Python", ledger=given_ledger(options))


def _request(question: str | Question | None, options: Options) -> Request:
    asked = Question(question) if isinstance(question, str) else question
    if asked is not None:
        asked = replace(
            asked,
            context=options.get("context", asked.context),
            criteria=options.get("criteria", asked.criteria),
            options=tuple(options.get("options", asked.options)),
        )
    return request_of(options, Options.__annotations__, asked)


def _settings(options: Options) -> Settings:
    """What was said, allowed to act, where there is no question."""
    return open_panel(_request(None, options), _host(options)).settings


def _file(settings: Settings, options: Options) -> str:
    """The ledger's file; empty where a program gave a ledger of its own."""
    return "" if given_ledger(options) is not None else settings[LEDGER]


def _check_no_objects(options: Options) -> None:
    """See that another process could hold it: what lives in this one can't go there.

    Raises:
        BadSetting: such a thing was given.
    """
    if "panelists" in options:
        raise BadSetting("panelists are objects of this process, and another one would hold this; use deliberate")
    if given_ledger(options) is not None:
        raise BadSetting("a ledger that is an object of this process cannot be another one's; give its path or address")


def _watch(options: Options) -> "Watch | None":
    on_event = options.get("on_event")
    return None if on_event is None else lambda entry, _: on_event(entry.event)


def _listen(options: Options) -> "Callable[[Ask], Callable[[str], None]] | None":
    on_words = options.get("on_words")
    return None if on_words is None else lambda ask: lambda words: on_words(ask, words)


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
