"""Workers and their queue, where the ledger is in PostgreSQL."""

from quorate.engine.hosts.cluster.queue_tables import Database, create_tables
from quorate.engine.hosts.cluster.shared_pace import SharedPaces
from quorate.engine.hosts.cluster.submission import Submission, cancel_queued, work_queue
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from quorate.engine.hosts.cluster.worker import RecordHolder, Worker, WorkerTerms

__all__ = [
    "Database",
    "RecordHolder",
    "SharedPaces",
    "Submission",
    "WorkQueue",
    "Worker",
    "WorkerTerms",
    "cancel_queued",
    "create_tables",
    "work_queue",
]
