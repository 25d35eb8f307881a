"""A worker's process that dies costs each question it had one of its lives, and is replaced."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import presets
from quorate.engine.batches import worker_process
from quorate.engine.batches.batch_worker import BatchJob
from quorate.engine.batches.worker_process import WorkerProcess
from quorate.engine.hosts.detached_host import HostTerms
from quorate.model import Question
from quorate.settings.convene import convene
from tests.house.tree import ROOT

CONVENED = convene(Question(text="Why?"), presets.panel("demo"))


def job(number: int) -> BatchJob:
    asked = replace(CONVENED, question=Question(text=f"Is {number} odd?"))
    return BatchJob(number=number, key=str(number), claim=f"c{number}", digest=str(number), convened=asked, again=True)


@pytest.mark.slow
async def test_one_that_listens_no_more_and_is_still_there_is_replaced_before_anything_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pipe is broken some time before it is known to have ended; that is one death and not three."""
    monkeypatch.setattr(worker_process, "MODULE", "tests.engine.lingering_worker")
    lived = tmp_path / "first"
    monkeypatch.setenv("FIRST_LIFE", str(lived))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("HOME", str(tmp_path))

    async with WorkerProcess(HostTerms(ledger=str(tmp_path / "ledger.db"), state=str(tmp_path))) as worker:
        first = asyncio.create_task(worker.answer(job(0)))
        while not lived.exists():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        results = await asyncio.gather(first, *(worker.answer(job(number)) for number in range(1, 4)))

    assert [result.number for result in results] == [0, 1, 2, 3]
    assert {result.state for result in results} == {"decided"}
