"""Holding what was prepared, going on with what is on record, and handing either to another process."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from quorate.engine.hosts.detached_host import HostTerms
from quorate.engine.hosts.follow import follow
from quorate.engine.hosts.host_choice import HostedDeliberation, host_deliberation, host_record
from quorate.engine.loop import Listen
from quorate.engine.runner import Runner, Watch
from quorate.engine.shared_runner import shared_runner
from quorate.ledger import Ledger, open_ledger
from quorate.panelists.person import Present
from quorate.service.host import Host
from quorate.service.request import PreparedRequest, runner_settings
from quorate.settings.settings import Settings
from quorate.settings.table import CONCURRENCY, LEDGER
from quorate.views import Record

__all__ = ["hold", "open_runner", "start", "wait"]


def open_runner(  # noqa: PLR0913 - what a deliberation is held with
    settings: Settings,
    env: Mapping[str, str],
    *,
    ledger: Ledger | None = None,
    note: Callable[[str], None] | None = None,
    present: Present | None = None,
    id_: str = "",
) -> AbstractAsyncContextManager[Runner]:
    """Where deliberations under these settings are held; for a record, by its id, with the keys it was begun with.

    Connections and the ledger are shared with other calls of this process. With people `present`, or somebody to
    `note` what takes long, it is one of its own.
    """
    if note is None and present is None:
        return shared_runner(ledger or settings[LEDGER], env, runner_settings(settings), id_)
    return _own_runner(settings, env, given=ledger, note=note, present=present, id_=id_)


@asynccontextmanager
async def _own_runner(  # noqa: PLR0913 - the same
    settings: Settings,
    env: Mapping[str, str],
    *,
    given: Ledger | None,
    note: Callable[[str], None] | None,
    present: Present | None,
    id_: str,
) -> AsyncGenerator[Runner]:
    ledger, consent = given or open_ledger(settings[LEDGER]), settings.consent
    try:
        if id_ and consent is not None:
            env = consent.environment(id_, [entry.event for entry in await ledger.read(id_)], note)
        async with Runner(
            ledger,
            env=env,
            concurrency=settings[CONCURRENCY],
            note=note,
            present=present,
            provider_limits=settings.provider_limits,
            consent=consent,
        ) as runner:
            yield runner
    finally:
        if given is None:
            await ledger.close()


async def hold(
    prepared: PreparedRequest, host: Host, *, watch: Watch | None = None, listen: Listen | None = None
) -> Record:
    """Hold what was prepared, to its end.

    Raises:
        QuorateError: nothing can be asked or recorded; a silent model is no error.
    """
    async with open_runner(prepared.settings, prepared.env, ledger=host.ledger) as runner:
        return await runner.hold(
            prepared.convened, state=prepared.state, panelists=prepared.panelists, watch=watch, listen=listen
        )


async def start(prepared: PreparedRequest, *, trust: bool = False) -> HostedDeliberation:
    """Have another process hold what was prepared, or a worker if the ledger is in PostgreSQL.

    Raises:
        NoWorker: no worker has ever run on this ledger.
        QuorateError: it can't be held.
    """
    return await host_deliberation(HostTerms.of(prepared.settings, trust=trust), prepared.convened)


async def wait(settings: Settings, id_: str, *, trust: bool = False, watch: Watch | None = None) -> Record:
    """Wait for a deliberation that another process holds; if nobody holds it, somebody goes on.

    Raises:
        QuorateError: there is none, or nobody can go on with it.
    """
    terms = HostTerms.of(settings, trust=trust)
    ledger = open_ledger(terms.ledger)
    try:
        return await follow(ledger, await ledger.find(id_), partial(host_record, terms), watch=watch)
    finally:
        await ledger.close()
