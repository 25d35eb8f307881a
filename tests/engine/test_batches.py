"""Questions in, results out: read as a stream, written once in order, within one budget."""

import asyncio
import csv
import io
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import presets
from quorate.engine.batches.batch_budget import BatchStopped, CostRange
from quorate.engine.batches.batch_run import UNHEARD, Batch, batch_scope
from quorate.engine.batches.batch_worker import BatchJob, BatchWorker
from quorate.engine.batches.question_lines import LineError, QuestionLine, count_lines, read_lines
from quorate.engine.batches.result_lines import BatchResult, ResultFile, ResultFormat
from quorate.engine.shared_runner import RunnerSettings
from quorate.errors import BadSetting
from quorate.ledger import new_id, open_ledger
from quorate.middleware.budget import Charge
from quorate.model import Convened, Limits, Question
from quorate.settings.convene import convene
from quorate.settings.provider_settings import ProviderLimits

CHARTER = presets.panel("demo")
CONVENED = convene(Question(text="Why?"), CHARTER)


def lines_of(text: str | bytes, *, as_csv: bool = False) -> list[QuestionLine]:
    data = text if isinstance(text, bytes) else text.encode()
    found = list(read_lines(io.BytesIO(data), as_csv=as_csv))
    assert len(found) == count_lines(io.BytesIO(data), as_csv=as_csv)
    return found


def questions(count: int) -> Iterator[QuestionLine]:
    return iter(
        lines_of("\n".join(f'{{"key": "q{number}", "question": "Is {number} even?"}}' for number in range(count)))
    )


class Answers:
    """Answers after a turn of the loop or more, out of order, and keeps what it was asked."""

    def __init__(self, *, cost: Charge | None = None, unheard: bool = False) -> None:
        self.jobs = list[BatchJob]()
        self.at_once = self.most_at_once = 0
        self._cost = cost or Charge()
        self._unheard = unheard

    async def answer(self, job: BatchJob) -> BatchResult:
        self.jobs.append(job)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for _ in range(7 - job.number % 7):
            await asyncio.sleep(0)
        self.at_once -= 1
        error = LineError(kind="unheard", message="nobody") if self._unheard else None
        return BatchResult(
            number=job.number, key=job.key, state="decided", decided=True, charged=self._cost, error=error
        )


async def prepare(question: Question) -> Convened:
    return replace(CONVENED, question=question)


def batch_of(worker: Answers, limits: Limits | None = None, most: Charge | None = None) -> Batch:
    return Batch(
        charter=CHARTER,
        prepare=prepare,
        workers=[worker],
        at_once=5,
        limits=limits or Limits(),
        estimate=lambda _: CostRange(most or Charge(), most or Charge()),
    )


def run(
    batch: Batch, lines: Iterator[QuestionLine], path: Path, form: ResultFormat = "jsonl"
) -> list[dict[str, object]]:
    async def work() -> None:
        results = ResultFile.open(str(path), form)
        try:
            await batch.run(lines, results)
        finally:
            results.close()

    asyncio.run(work())
    return [json.loads(line) for line in path.read_bytes().splitlines()] if form == "jsonl" else []


def test_a_line_says_what_is_wrong_with_it_and_the_next_is_read() -> None:
    found = lines_of(
        'nonsense\n\n{"question": " "}\n[1]\n{"question": 7}\n{"question": "Why?", "options": "a | b"}\n"Who?"'
    )

    assert [line.error.kind if line.error else None for line in found] == [
        "unreadable", "blank", "unreadable", "unreadable", None, None,
    ]  # fmt: skip
    assert found[4].question == Question(text="Why?", options=("a", "b"))
    assert [line.number for line in found] == [1, 2, 3, 4, 5, 6]


def test_csv_may_hold_line_feeds_and_says_when_there_is_no_question() -> None:
    (first, second) = lines_of('\ufeffid,question,options\n7,"Two\nlines?",a|b\n,Three?,\n', as_csv=True)

    assert (first.key, first.question) == ("7", Question(text="Two\nlines?", options=("a", "b")))
    assert second.question == Question(text="Three?")
    with pytest.raises(BadSetting, match="no column 'question'"):
        lines_of("id,text\n1,Why?\n", as_csv=True)


def test_bytes_that_are_no_text_are_never_asked() -> None:
    (line,) = lines_of(b"question\nIs \xe9 this?\n", as_csv=True)
    (other,) = lines_of(b'{"question": "Is \xe9 this?"}')

    assert (line.question, other.question) == (None, None)


def test_the_same_question_has_the_same_key_and_another_has_another() -> None:
    one, same, other = lines_of('{"question": "a?"}\n{"question": "a?", "x": 1}\n{"question": "a?", "context": "b"}')

    assert one.key == same.key != other.key


def test_results_come_in_the_order_of_the_questions_with_a_bounded_number_under_way(tmp_path: Path) -> None:
    worker = Answers()

    written = run(batch_of(worker), questions(100), tmp_path / "out")

    assert [line["key"] for line in written] == [f"q{number}" for number in range(100)]
    assert worker.most_at_once == 5


@settings(max_examples=25)
@given(cut=st.integers(0, 10_000))
def test_wherever_the_file_of_results_is_cut_it_becomes_the_same_again(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "out"
    whole = run(batch_of(Answers()), questions(5), path)
    data = path.read_bytes()
    path.write_bytes(data[: cut % (len(data) + 1)])
    again = Answers()

    assert run(batch_of(again), questions(5), path) == whole
    assert path.read_bytes() == data
    assert len(again.jobs) <= 5 - data[: cut % (len(data) + 1)].count(b"\n")


@settings(max_examples=25)
@given(cut=st.integers(0, 10_000))
def test_so_does_a_file_of_csv(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("cut") / "out.csv"
    run(batch_of(Answers()), questions(5), path, "csv")
    data = path.read_bytes()
    path.write_bytes(data[: cut % (len(data) + 1)])

    run(batch_of(Answers()), questions(5), path, "csv")

    assert path.read_bytes() == data


@pytest.mark.parametrize("content", [b'{"question": "mine?"}\n', b"notes", b'{"schema":1,"number":1,"key":"other"}\n'])
def test_a_file_that_holds_something_else_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(content)

    with pytest.raises(BadSetting, match="other questions"):
        run(batch_of(Answers()), questions(3), path)
    assert path.read_bytes() == content


def test_results_of_other_questions_are_refused(tmp_path: Path) -> None:
    run(batch_of(Answers()), questions(3), tmp_path / "out")

    with pytest.raises(BadSetting, match=r"line 1 has the key .*, it has 'q0'"):
        run(batch_of(Answers()), iter(lines_of('{"question": "Another?"}')), tmp_path / "out")


def test_two_batches_do_not_write_one_file(tmp_path: Path) -> None:
    first = ResultFile.open(str(tmp_path / "out"), "jsonl")

    with pytest.raises(BadSetting, match="another batch is writing"):
        ResultFile.open(str(tmp_path / "out"), "jsonl")
    first.close()


def test_a_key_that_comes_again_is_asked_once_and_charged_once(tmp_path: Path) -> None:
    worker = Answers(cost=Charge(3, 100, Fraction(1, 7)))
    batch = batch_of(worker)

    written = run(batch, iter([*questions(2), *_numbered(questions(1), 3)]), tmp_path / "out")

    assert [line["same_as"] for line in written] == [None, None, 1]
    assert len(worker.jobs) == 2
    assert batch.counts.spent.money == pytest.approx(2 / 7)


def _numbered(lines: Iterator[QuestionLine], number: int) -> list[QuestionLine]:
    return [replace(line, number=number) for line in lines]


def test_two_questions_under_one_key_are_an_error_of_the_second(tmp_path: Path) -> None:
    lines = lines_of('{"key": "k", "question": "a?"}\n{"key": "k", "question": "b?"}')

    _, second = run(batch_of(Answers()), iter(lines), tmp_path / "out")

    assert isinstance(second["error"], dict)
    assert second["error"]["kind"] == "key_reused"
    assert "the key 'k' stands for another question on line 1" in second["error"]["message"]


@settings(max_examples=25)
@given(total=st.integers(0, 60), most=st.integers(1, 12), cost=st.integers(0, 12))
def test_a_batch_never_spends_more_than_its_budget(
    total: int, most: int, cost: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path, spent = tmp_path_factory.mktemp("budget") / "out", min(cost, most)
    batch = batch_of(Answers(cost=Charge(calls=spent)), Limits(calls=total), Charge(calls=most))
    with suppress(BatchStopped):
        run(batch, questions(8), path)

    assert batch.counts.written == 8 or total - batch.counts.spent.calls < most
    assert batch.counts.spent.calls <= total


def test_a_question_is_given_no_more_than_its_share() -> None:
    worker = Answers()
    batch = batch_of(worker, Limits(calls=100), Charge(calls=12))
    results = ResultFile(io.BytesIO(), "jsonl")

    asyncio.run(batch.run(questions(3), results))

    assert {job.convened.limits.calls for job in worker.jobs} == {12}


def test_what_was_spent_before_counts_when_it_goes_on(tmp_path: Path) -> None:
    limits, each = Limits(calls=20), Charge(calls=5)
    first = batch_of(Answers(cost=each), limits, each)
    run(first, questions(3), tmp_path / "out")
    second = batch_of(Answers(cost=each), limits, each)

    with pytest.raises(BatchStopped, match="20 calls of 20 calls spent"):
        run(second, questions(8), tmp_path / "out")
    assert second.counts.spent.calls == 20


def test_where_nobody_is_heard_it_stops_and_writes_none_of_it(tmp_path: Path) -> None:
    with pytest.raises(BatchStopped, match=f"on {UNHEARD} questions in a row"):
        run(batch_of(Answers(unheard=True)), questions(100), tmp_path / "out")

    assert (tmp_path / "out").read_bytes() == b""


def test_a_few_that_nobody_heard_are_written_at_the_end(tmp_path: Path) -> None:
    written = run(batch_of(Answers(unheard=True)), questions(4), tmp_path / "out")

    assert len(written) == 4


def test_what_was_decided_is_kept_when_a_limit_is_raised_and_not_when_another_panel_is_asked() -> None:
    raised = replace(CHARTER, limits=Limits(calls=99))
    other = replace(CHARTER, settings=(("debate", "when_split"),))

    assert batch_scope("", CHARTER) == batch_scope("", raised)
    assert len({batch_scope("", CHARTER), batch_scope("", other), batch_scope("x", CHARTER)}) == 3


def test_a_cell_that_a_spreadsheet_would_work_out_is_kept_from_it(tmp_path: Path) -> None:
    results = ResultFile.open(str(tmp_path / "out"), "csv")
    results.write(BatchResult(number=1, key="k", outcome="=HYPERLINK(1)", because="-10 %"))
    results.close()

    assert b"'=HYPERLINK(1)" in (tmp_path / "out").read_bytes()
    assert b",-10 %," in (tmp_path / "out").read_bytes()


FORMULAS = (
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "-",
    "'=1",
    *(" =1", '"=1', ' "=1"', "\u00a0@SUM(A1)", "\u200b=1", "\ufeff=1", "\u3000\uff1d1", "  -2+3"),
    *("\uff0b1", "\uff0d1+2", "\uff20A1", "\ufe661", "\ufe63" + "1+2", "\u22121+2", "\r\n=1", "\t"),
)
NUMBERS = ("-1", "+1.5", "-10%", "-10 %", "1,000", "0")


def test_no_text_in_a_cell_begins_a_formula_and_numbers_stay_numbers(tmp_path: Path) -> None:
    """Whatever the questions, the keys and the models' words are."""
    path = tmp_path / "out"
    results = ResultFile.open(str(path), "csv")
    for number, text in enumerate((*FORMULAS, *NUMBERS, "a=b", ""), 1):
        results.write(BatchResult(number=number, key=text, outcome=text, because=text))
    results.close()

    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for text, row in zip((*FORMULAS, *NUMBERS, "a=b", ""), rows, strict=True):
        expected = f"'{text}" if text in FORMULAS else text
        assert [row[name] for name in ("key", "outcome", "because")] == [expected] * 3
    with path.open("r+b") as file:
        again = ResultFile(file, "csv", str(path))
        assert [one.key for one in again._earlier()] == [*FORMULAS, *NUMBERS, "a=b", ""]  # noqa: SLF001 - as a later run does


TAKES = """
import asyncio, sys
from quorate.ledger import open_ledger
async def main():
    async with open_ledger(sys.argv[1]).own(sys.argv[2]):
        print("taken", flush=True)
        await asyncio.sleep(3600)
asyncio.run(main())
"""
"""Becomes the owner of a deliberation, and writes nothing."""


async def test_a_question_that_a_killed_process_had_claimed_and_not_begun_is_decided(tmp_path: Path) -> None:
    ledger, id_ = open_ledger(tmp_path / "ledger.db"), new_id()
    job = BatchJob(number=1, key="a", claim="batch a", digest="1", convened=CONVENED)
    await ledger.claim(job.claim, id_, job.digest)
    program = (sys.executable, "-c", TAKES, str(tmp_path / "ledger.db"), id_)
    process = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"taken\n"
    process.kill()
    await process.wait()
    async with BatchWorker(ledger, {}, RunnerSettings(concurrency=4, provider_limits=ProviderLimits())) as worker:
        result = await worker.answer(job)

    assert (result.id, result.state, result.error) == (id_, "decided", None)
