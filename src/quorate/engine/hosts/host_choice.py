"""Who holds a deliberation that outlives its door: a process of its own, or a worker if the ledger is in PostgreSQL."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from quorate.engine.hosts.cluster.submission import Submission, work_queue
from quorate.engine.hosts.detached_host import HostTerms, start_host
from quorate.ledger import new_id, open_ledger
from quorate.ledger.address import is_address
from quorate.model import Convened

__all__ = ["HostedDeliberation", "host_deliberation", "host_record"]


class HostedDeliberation(NamedTuple):
    """What goes on without its door: its id, and a sentence for the user if something stands in its way."""

    id: str
    note: str = ""


async def host_deliberation(terms: HostTerms, convened: Convened) -> HostedDeliberation:
    """Have a new deliberation held; its id once the record has begun.

    Raises:
        NoWorker: no worker has ever run on this ledger.
        QuorateError: it cannot be held.
    """
    if not is_address(terms.ledger):
        return HostedDeliberation(await asyncio.to_thread(start_host, terms, convened))
    async with _submission(terms) as submission:
        id_ = new_id()
        return HostedDeliberation(id_, await submission.submit(id_, convened))


async def host_record(terms: HostTerms, id_: str) -> None:
    """Have somebody go on with a deliberation that nobody holds; returns once somebody does.

    Raises:
        OwnerLost: another process was quicker.
        QuorateError: nobody can.
    """
    if not is_address(terms.ledger):
        await asyncio.to_thread(partial(start_host, terms), id_)
        return
    async with _submission(terms) as submission:
        await submission.start(id_)


@asynccontextmanager
async def _submission(terms: HostTerms) -> AsyncGenerator[Submission]:
    ledger = open_ledger(terms.ledger)
    try:
        async with work_queue(terms.ledger) as queue:
            yield Submission(ledger, queue, tenant=terms.tenant, priority=terms.priority)
    finally:
        await ledger.close()
