"""`quorate batch`: every line answered once, in order, and the same command goes on."""

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.server import serving
from quorate.ledger import open_ledger
from tests.doors.begun import convened_settings
from tests.doors.conftest import Quorate

COMMAND = (sys.executable, "-c", "from quorate.doors.cli import main; main()")
SEATS = ("Ann", "Ben", "Cleo")


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with serving(0.0) as found:
        yield found


def panel(address: str) -> tuple[str, ...]:
    """A quick conference of three seats, three calls a question."""
    seats = (word for name in SEATS for word in ("--seat", f"{name}=openai:mock@{address}"))
    return ("--protocol", "conference", "--set", "mode=quick", "--set", "similarity=overlap", *seats)


def asked(folder: Path, *rows: object) -> str:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(file)


def results(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def deliberations(folder: Path) -> int:
    async def count() -> int:
        return len([one async for one in open_ledger(folder / "ledger.db").list()])

    return asyncio.run(count())


def test_every_line_has_one_result_and_a_bad_line_stops_nothing(quorate: Quorate, home: Path, address: str) -> None:
    file = asked(home, {"key": "a", "question": "Keep it?"}, {"question": ""}, {"key": "c", "question": "Why?"})

    told = quorate("batch", file, *panel(address), "-o", str(home / "out.jsonl"), "--json")

    assert told.code == 1
    assert told.document["errors"] == {"blank": 1}
    assert (told.document["results"], told.document["decided"], told.document["failed"]) == (3, 2, 1)
    first, bad, last = results(home / "out.jsonl")
    assert [first["outcome"], bad["outcome"], last["outcome"]] == ["Delete it", None, "Delete it"]
    assert first["votes"] == dict.fromkeys(SEATS, "Delete it")
    assert (first["cost"]["calls"], bad["error"]["kind"], last["error"]) == (3, "blank", None)


def test_a_verdict_whose_words_are_gone_is_no_result(quorate: Quorate, home: Path, address: str) -> None:
    file = asked(home, {"key": "a", "question": "Keep it?"})
    quorate("batch", file, *panel(address), "-o", str(home / "out.jsonl"))
    assert quorate("forget", "last", "--yes").code == 0

    assert quorate("batch", file, *panel(address), "-o", str(home / "again.jsonl")).code == 1
    [again] = results(home / "again.jsonl")
    assert (again["outcome"], again["error"]["kind"]) == (None, "record")


def test_what_is_done_is_neither_asked_nor_written_again(quorate: Quorate, home: Path, address: str) -> None:
    file, out = asked(home, *({"question": f"Is {one} odd?"} for one in range(4))), str(home / "out.jsonl")
    quorate("batch", file, *panel(address), "-o", out)
    before = (home / "out.jsonl").read_bytes()

    told = quorate("batch", file, *panel(address), "-o", out, "--json").document

    assert (told["results"], told["earlier"]) == (4, 4)
    assert (home / "out.jsonl").read_bytes() == before
    (home / "out.jsonl").unlink()  # then they come from the ledger
    again = quorate("batch", file, *panel(address), "-o", out, "--json").document
    assert (again["earlier"], deliberations(home)) == (0, 4)
    assert (home / "out.jsonl").read_bytes() == before


def test_another_name_asks_again(quorate: Quorate, home: Path, address: str) -> None:
    file = asked(home, {"question": "Keep it?"})
    for name in ("one", "one", "two"):
        quorate("batch", file, *panel(address), "--name", name)

    assert deliberations(home) == 2


def test_csv_goes_in_and_comes_out(quorate: Quorate, home: Path, address: str) -> None:
    (home / "q.csv").write_text('id,question\n7,"Keep\nit?"\n', encoding="utf-8")

    told = quorate("batch", str(home / "q.csv"), *panel(address), "-o", str(home / "out.csv"))

    assert told.code == 0, told.err
    with (home / "out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["key"], row["outcome"], row["decided"], row["error"]) == ("7", "Delete it", "true", "")


def test_lines_may_come_from_a_pipe_and_results_go_to_stdout(quorate: Quorate, address: str) -> None:
    told = quorate("batch", "-", *panel(address), stdin='"Keep it?"\n"Why?"\n')

    assert [json.loads(line)["number"] for line in told.out.splitlines()] == [1, 2]
    assert "2 results: 2 decided, 0 undecided" in told.err


@pytest.mark.parametrize("full", [False, True], ids=["broken pipe", "full disk"])
def test_results_that_nobody_takes_end_with_a_code_of_ours(quorate: Quorate, home: Path, full: bool) -> None:
    file = asked(home, "Keep it?")
    ours, theirs = os.pipe()
    os.close(ours)
    stdout = os.open("/dev/full", os.O_WRONLY) if full else theirs

    held = subprocess.run(
        [*COMMAND, "batch", file, "--panel", "demo"], stdout=stdout, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(stdout)

    assert held.returncode == 1
    assert "cannot write the results" in held.stderr
    assert "Exception" not in held.stderr
    assert quorate("list", "--json").document["deliberations"][0]["outcome"] == "WARN"


def test_several_processes_answer_as_one_does(quorate: Quorate, home: Path, address: str) -> None:
    file = asked(home, *({"key": str(one), "question": f"Is {one} odd?"} for one in range(9)))

    told = quorate("batch", file, *panel(address), "-o", str(home / "out.jsonl"), "--workers", "2")

    assert told.code == 0, told.err
    assert [one["key"] for one in results(home / "out.jsonl")] == [str(one) for one in range(9)]
    assert deliberations(home) == 9


def workers_of(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_a_worker_that_is_killed_loses_no_question(home: Path, address: str) -> None:
    lines = [json.dumps({"key": str(one), "question": f"Is {one} odd?"}) + "\n" for one in range(12)]
    out = home / "out.jsonl"
    words = ("-m", "quorate", "batch", "-", *panel(address), "-o", str(out), "--workers", "2", "--quiet")
    with subprocess.Popen([sys.executable, *words], stdin=subprocess.PIPE, text=True) as batch:
        assert batch.stdin is not None
        batch.stdin.writelines(lines[:6])
        batch.stdin.flush()
        while not out.exists() or not out.read_bytes().count(b"\n"):
            assert batch.poll() is None
        os.kill(workers_of(batch.pid)[0], signal.SIGKILL)
        batch.stdin.writelines(lines[6:])
        batch.stdin.close()

    assert batch.returncode == 0
    assert [one["key"] for one in results(out)] == [str(one) for one in range(12)]
    assert deliberations(home) == 12


def test_a_budget_stops_the_whole_and_a_larger_one_goes_on(quorate: Quorate, home: Path, address: str) -> None:
    file, out = asked(home, *({"question": f"Is {one} odd?"} for one in range(3))), home / "out.jsonl"

    told = quorate("batch", file, *panel(address), "-o", str(out), "--total-budget", "7 calls")

    assert told.code == 1
    assert "the budget of the batch is used up: 6 calls of 7 calls spent, and the next question takes 3" in told.err
    assert sum(one["charged"]["calls"] for one in results(out)) == 6
    more = quorate("batch", file, *panel(address), "-o", str(out), "--total-budget", "12 calls")
    assert (more.code, len(results(out)), deliberations(home)) == (0, 3, 3)


def test_where_nobody_can_be_heard_it_says_so_and_the_same_command_asks_again(
    quorate: Quorate, home: Path, address: str
) -> None:
    file, out = asked(home, {"question": "Keep it?"}), home / "out.jsonl"
    nobody = panel("http://127.0.0.1:9/v1")

    told = quorate("batch", file, *nobody, "-o", str(out))

    assert told.code == 3
    assert results(out)[0]["error"]["kind"] == "failed"
    assert (results(out)[0]["state"], results(out)[0]["decided"], results(out)[0]["votes"]) == ("failed", None, {})
    out.unlink()
    quorate("batch", file, *nobody, "-o", str(out))
    assert deliberations(home) == 1, "what could not be asked is gone on with"
    assert address


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--json",), "--json prints a summary on stdout, so the results need a file"),
        (("--workers", "2", "--ledger", ":memory:"), "several workers cannot share a ledger in memory"),
        (("--panel", "tribunal", "--model", "person"), "a batch waits for nobody"),
        (("--total-budget", "much"), "budget"),
    ],
)
def test_what_cannot_be_held_is_said_in_a_sentence(
    quorate: Quorate, home: Path, words: tuple[str, ...], sentence: str
) -> None:
    told = quorate("batch", asked(home, {"question": "Keep it?"}), "--panel", "demo", *words)

    assert told.code in {1, 2}
    assert sentence in told.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_in_order(home: Path, number: signal.Signals) -> None:
    file = asked(home, *({"question": f"Is {one} odd?"} for one in range(500)))
    program = str(Path(sys.executable).with_name("quorate"))
    command = [program, "batch", file, "--panel", "demo"]
    told = home / "stderr"
    with (
        told.open("wb") as err,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, env=os.environ, text=True) as held,
    ):
        assert held.stdout is not None
        first = held.stdout.readline()
        held.send_signal(number)
        rest = held.stdout.read()

    assert held.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert "results are written. Run the same command again to go on" in told.read_text(encoding="utf-8")
    for line in (first, *rest.splitlines()):
        assert json.loads(line)["state"] == "decided"


def test_a_promise_without_labels_sends_every_verdict_to_a_person(quorate: Quorate, home: Path, address: str) -> None:
    file, out = asked(home, {"question": "Keep it?"}, {"question": "Why?"}), home / "out.jsonl"
    quorate("batch", file, *panel(address), "-o", str(out))
    assert [one["requires_human_review"] for one in results(out)] == [False, False]
    out.unlink()

    told = quorate("batch", file, *panel(address), "-o", str(out), "--act-error", "2.5%")

    assert told.err.count("every verdict goes to a person: not enough labels to promise that: 91 error-free acts") == 1
    assert [one["requires_human_review"] for one in results(out)] == [True, True]
    assert deliberations(home) == 4  # what was decided without the promise is no answer to it


def test_labelled_decisions_of_the_same_panel_carry_a_promise_for_a_batch(
    quorate: Quorate, home: Path, address: str
) -> None:
    first, out = asked(home, *({"question": f"Is {one} odd?"} for one in range(5))), home / "out.jsonl"
    promise = ("-o", str(out), "--act-error", "40%")
    quorate("batch", first, *panel(address), *promise)
    for one in results(out):
        assert quorate("outcome", one["id"], "Delete it").code == 0
    out.unlink()

    told = quorate("batch", asked(home, {"question": "And now?"}), *panel(address), *promise)

    assert "verdicts with a score of 1 or more may be acted on: that holds for 100 % of the 5 labelled" in told.err
    assert [one["requires_human_review"] for one in results(out)] == [False]


@pytest.mark.parametrize(
    ("said", "settled"),
    [((), "true"), (("--set", "stop_when_settled=false"), "false"), (("--act-error", "5%"), None)],
)
def test_a_batch_waits_for_nobody_who_can_change_nothing_unless_it_is_told_to(
    quorate: Quorate, home: Path, address: str, said: tuple[str, ...], settled: str | None
) -> None:
    quorate("batch", asked(home, {"question": "Keep it?"}), *panel(address), "-o", str(home / "out.jsonl"), *said)

    assert [one.get("stop_when_settled") for one in convened_settings(home)] == [settled]


def test_a_protocol_that_is_never_stopped_early_is_not_told_to(quorate: Quorate, home: Path) -> None:
    quorate(
        "batch",
        asked(home, {"question": "Keep it?"}),
        "--protocol",
        "debate",
        "--panel",
        "debate",
        "--model",
        "demo:scripted",
        "-o",
        str(home / "o.jsonl"),
    )

    assert [one.get("stop_when_settled") for one in convened_settings(home)] == [None]
