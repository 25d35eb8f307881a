"""Many questions to one panel."""

from quorate.engine.batches.batch_budget import BatchStopped, CostRange
from quorate.engine.batches.batch_run import Batch, BatchCounts, deliberations_at_once
from quorate.engine.batches.batch_worker import BatchWorker
from quorate.engine.batches.question_lines import QuestionLine, count_lines, is_csv, read_lines
from quorate.engine.batches.result_lines import ResultFile
from quorate.engine.batches.worker_process import WorkerProcess, runner_settings

__all__ = [
    "Batch",
    "BatchCounts",
    "BatchStopped",
    "BatchWorker",
    "CostRange",
    "QuestionLine",
    "ResultFile",
    "WorkerProcess",
    "count_lines",
    "deliberations_at_once",
    "is_csv",
    "read_lines",
    "runner_settings",
]
