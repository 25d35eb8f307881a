"""`quorate worker`: takes deliberations from the queue of a ledger in PostgreSQL, until it is told to stop."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import note
from quorate.doors.cli.session import admit
from quorate.errors import BadSetting
from quorate.service.option_table import LEDGER, PANEL

if TYPE_CHECKING:
    import asyncio

    from quorate.service.own_settings import Settings
    from quorate.service.workers import Worker, WorkerTerms

__all__ = ["worker"]


class WorkerOptions(TypedDict):
    """What `quorate worker` was told."""

    ledger: str | None
    panel: str | None
    room: int
    drain: str
    host: str
    port: int | None
    allow_models: tuple[str, ...]
    allow_keys: tuple[str, ...]
    trust: bool


@click.command(
    epilog="""\b
Examples:
  quorate worker --ledger postgresql://quorate@db/quorate
  quorate worker --at-once 128 --port 8421"""
)
@options.ledger
@click.option(
    "--at-once", "room", metavar="N", type=click.IntRange(1, 10_000), default=64, show_default=True,
    help="How many deliberations to hold at once.",
)  # fmt: skip
@click.option(
    "--drain", metavar="TIME", default="20s", show_default=True,
    help="How long to finish what is under way when told to stop; the rest goes back to the queue.",
)  # fmt: skip
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where --port listens.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535),
    help="Answer /healthz, /readyz and /metrics at this port; 0 for any. Without it nothing listens.",
)  # fmt: skip
@options.flag(
    PANEL,
    metavar="FILE",
    shell_complete=None,
    help="A panel file to take rate, breaker, cache, routes and keys from. The seats stay as recorded.",
)
@click.option(
    "--allow-model",
    "allow_models",
    metavar="PATTERN",
    multiple=True,
    help="Models a record may name though they run a command or have an address: 'cli:*'; may be repeated.",
)
@options.allow_key
@options.consent
def worker(**wish: Unpack[WorkerOptions]) -> int:
    """Hold deliberations that were queued in a PostgreSQL ledger.

    `quorate serve`, `quorate mcp` and `quorate ask --detach` queue there; any number of workers, on any number of
    machines, take from it. Keys come from this worker's own environment. If a worker dies, another one goes on where
    the record stops; answers that were recorded are not paid for again. SIGTERM lets it finish or give back.
    """
    from quorate.doors.cli.records import place
    from quorate.ledger.address import is_address
    from quorate.service.process import tuned_collector
    from quorate.service.value_readers import seconds
    from quorate.service.workers import WorkerTerms

    resolved = admit(place(wish["ledger"], wish["panel"], wish["allow_keys"]), trust=wish["trust"])
    if not is_address(resolved[LEDGER]):
        raise BadSetting(
            f"a worker takes from the queue of a ledger in PostgreSQL, and {str(resolved[LEDGER])!r} is a file; "
            "give --ledger postgresql://…, or use quorate ask --detach, which needs no worker"
        )
    terms = WorkerTerms(room=wish["room"], drain=float(seconds(wish["drain"])))
    with tuned_collector():
        given_back = stopping.run(lambda: _work(resolved, terms, wish))
    note(f"quorate: the worker has stopped; {given_back} of its deliberations went back to the queue")
    return DONE


async def _work(resolved: "Settings", terms: "WorkerTerms", wish: WorkerOptions) -> int:
    import asyncio
    from contextlib import AsyncExitStack

    from quorate.doors.cli.worker_status import serve_status
    from quorate.ledger import open_ledger
    from quorate.panelists.cli.workspace import sweep
    from quorate.service.workers import RecordHolder, SharedPaces, Worker, create_tables, work_queue

    sweep()
    stop = asyncio.Event()
    _heed(stop)
    async with AsyncExitStack() as open_, work_queue(resolved[LEDGER]) as queue:
        ledger = open_ledger(resolved[LEDGER])
        open_.push_async_callback(ledger.close)
        await create_tables(queue.database)
        paces = await SharedPaces.of(queue.database)
        holder = RecordHolder(ledger=ledger, settings=resolved, models=wish["allow_models"], paces=paces)
        held = Worker(ledger, queue, holder, terms)
        if wish["port"] is not None:
            address = await open_.enter_async_context(serve_status(held, wish["host"], wish["port"]))
            note(f"quorate: health and metrics at {address}")
        return await held.run(stop, lambda: _greet(held, resolved, terms))


def _greet(held: "Worker", resolved: "Settings", terms: "WorkerTerms") -> None:
    from quorate.ledger.address import shown_ledger

    where = shown_ledger(resolved[LEDGER])
    note(f"quorate: worker {held.name} takes up to {terms.room} deliberations at once from {where}")


def _heed(stop: "asyncio.Event") -> None:
    """The first signal lets it finish or give back; another one stops it at once, and others take over."""
    import asyncio
    import signal

    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def told() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told)
