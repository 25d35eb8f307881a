"""A deliberation outlives whoever asked: `quorate ask --detach` and `quorate wait`."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from quorate.ledger import open_ledger
from quorate.ledger.lease import Owner
from tests.doors.conftest import Quorate
from tests.servers import MARK, Endpoint, Seen, said

COMMAND = (sys.executable, "-c", "from quorate.doors.cli import main; main()")
QUESTION = "Should we delete the staging database?"
BALLOT = (
    f'Fine by me.\n\nBALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}}'
)


class Gate:
    """Answers so many requests, and the others once it is opened: however slow the machine, it is not over before."""

    def __init__(self, answers: int = 0) -> None:
        self._left = answers
        self.opened = asyncio.Event()

    async def __call__(self, writer: asyncio.StreamWriter, seen: Seen) -> bool:
        self._left -= 1
        if self._left < 0:
            await self.opened.wait()
        return await said(BALLOT)(writer, seen)


def asking(endpoint: Endpoint) -> tuple[str, ...]:
    return "ask", QUESTION, "--model", f"openai:m@{endpoint.url}", "--detach"


async def told(*words: str) -> subprocess.CompletedProcess[str]:
    """What the real command says, in a process of its own."""
    return await asyncio.to_thread(subprocess.run, [*COMMAND, *words], capture_output=True, text=True, check=False)


def started(*words: str) -> subprocess.Popen[str]:
    """The real command, with a group of processes of its own, to be stopped on the way."""
    return subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


async def owner_of(home: Path, id_: str) -> Owner | None:
    ledger = open_ledger(home / "ledger.db")
    try:
        return await ledger.owner(id_)
    finally:
        await ledger.close()


async def until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_the_id_is_all_that_is_printed_and_wait_shows_what_ask_would_have(
    quorate: Quorate, flags: tuple[str, ...]
) -> None:
    begun = quorate("ask", QUESTION, "--panel", "demo", "--detach", *flags)
    id_ = begun.document["id"] if flags == ("--json",) else begun.out.strip()
    waited = quorate("wait", id_)

    assert begun.code == 0, begun.err
    assert len(id_) == 26
    assert waited.code == 0
    assert "== Round 3: Revision Round ==" in waited.out
    assert f"demo panel  {id_}" in waited.out


def test_json_says_that_it_is_under_way(quorate: Quorate) -> None:
    begun = quorate("ask", QUESTION, "--panel", "demo", "--detach", "--json")

    assert begun.document == {"schema": 1, "id": begun.document["id"], "state": "running"}


def test_wait_leaves_with_the_codes_of_ask(quorate: Quorate) -> None:
    quorate("ask", QUESTION, "--panel", "demo", "--detach")

    assert quorate("wait", "last", "--gate").code == 10
    assert quorate("wait", "last", "--quiet").out.startswith("WARN  3 of 3 seats")
    assert quorate("wait", "last", "--json").document["state"] == "decided"
    assert quorate("wait", "last", "--as", "s4").document["decision"] == "WARN"


@pytest.mark.parametrize("flags", [("--gate",), ("--as", "minutes"), ("--dry-run",), ("--open",)])
def test_what_needs_the_end_is_refused_beside_detach(quorate: Quorate, flags: tuple[str, ...]) -> None:
    refused = quorate("ask", QUESTION, "--panel", "demo", "--detach", *flags)

    assert (refused.code, refused.out) == (2, "")
    assert f"--detach leaves before there is anything for {flags[0]} to show" in refused.err


def test_what_cannot_be_held_is_told_in_the_hosts_own_sentence(quorate: Quorate) -> None:
    refused = quorate("ask", QUESTION, "--model", "openai:gpt-4.1", "--detach")

    assert (refused.code, refused.out) == (1, "")
    assert "OPENAI_API_KEY" in refused.err


def test_a_ledger_in_memory_would_not_outlive_anything(quorate: Quorate) -> None:
    refused = quorate("ask", QUESTION, "--panel", "demo", "--detach", "--ledger", ":memory:")

    assert refused.code == 1
    assert "--ledger FILE" in refused.err


@pytest.mark.promise
async def test_nothing_of_the_question_stands_on_a_command_line_and_no_file_is_shared(home: Path) -> None:
    gate = Gate()
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        owner = await owner_of(home, id_)
        assert owner is not None
        process = Path(f"/proc/{owner.pid}")
        line, session = (process / "cmdline").read_text(), os.getsid(owner.pid)
        standard = [str((process / "fd" / str(number)).readlink()) for number in range(3)]
        gate.opened.set()
        await told("wait", id_)

    assert line.split("\0")[1:-1] == ["-P", "-m", "quorate.engine.hosts.detached_host"]
    assert session not in {os.getsid(0), owner.pid}
    assert standard == ["/dev/null", "/dev/null", str(home / ".local/state/quorate/detached.log")]


@pytest.mark.promise
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM], ids=lambda number: number.name)
async def test_it_goes_on_when_the_client_and_all_its_group_are_gone(home: Path, number: signal.Signals) -> None:
    async with Endpoint(otherwise=BALLOT, latency=0.1) as endpoint:
        command = started(*asking(endpoint))
        assert command.stdout is not None
        id_ = (await asyncio.to_thread(command.stdout.readline)).strip()
        with suppress(ProcessLookupError):
            os.killpg(command.pid, number)
        await asyncio.to_thread(command.communicate)
        waited = await told("wait", id_, "--json")

        assert json.loads(waited.stdout)["verdict"]["outcome"] == "ACT", waited.stderr
        assert len(endpoint.seen) == 12


@pytest.mark.promise
async def test_the_list_says_that_it_is_running_and_not_that_it_was_given_up(home: Path) -> None:
    gate = Gate()
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        lines, document = await told("list"), await told("list", "--json")
        gate.opened.set()
        await told("wait", id_)
        after = await told("list", "--json")

    assert "  running  " in lines.stdout
    assert [json.loads(one.stdout)["deliberations"][0]["running"] for one in (document, after)] == [True, False]


@pytest.mark.promise
async def test_whoever_waits_may_be_stopped_and_it_goes_on(home: Path) -> None:
    gate = Gate()
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        waiting = started("wait", id_)
        assert waiting.stdout is not None
        await asyncio.to_thread(waiting.stdout.readline)
        waiting.send_signal(signal.SIGINT)
        _, said_last = await asyncio.to_thread(waiting.communicate)
        gate.opened.set()
        waited = await told("wait", id_, "--json")

        assert waiting.returncode == 130
        assert f"It goes on by itself. Follow it again with: quorate wait {id_}" in said_last
        assert json.loads(waited.stdout)["state"] == "decided"
        assert len(endpoint.seen) == 12


@pytest.mark.promise
async def test_a_time_limit_ends_the_waiting_and_nothing_else(home: Path) -> None:
    gate = Gate()
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        waited = await told("wait", id_, "--timeout", "0.1s", "--quiet")
        gate.opened.set()
        again = await told("wait", id_, "--quiet")

    assert (waited.returncode, waited.stdout) == (1, "")
    assert f"{id_} has not ended within 0.1s. It goes on by itself." in waited.stderr
    assert again.stdout.startswith("ACT  3 of 3 seats")


@pytest.mark.promise
@pytest.mark.parametrize("seen", [1, 4, 9, 12])
async def test_when_its_own_process_is_killed_wait_goes_on_and_buys_nothing_recorded_again(
    home: Path, seen: int
) -> None:
    gate = Gate(seen - 1)
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        owner = await owner_of(home, id_)
        assert owner is not None
        await until(lambda: len(endpoint.seen) >= seen)
        os.kill(owner.pid, signal.SIGKILL)
        gate.opened.set()
        bought, recorded = len(endpoint.seen), await answers(home, id_)
        waited = await told("wait", id_, "--json")

        assert json.loads(waited.stdout)["verdict"]["outcome"] == "ACT", waited.stderr
        assert len(endpoint.seen) - bought <= 12 - recorded


async def answers(home: Path, id_: str) -> int:
    ledger = open_ledger(home / "ledger.db")
    try:
        return sum(type(entry.event).__name__ == "Spoken" for entry in await ledger.read(id_))
    finally:
        await ledger.close()


@pytest.mark.promise
async def test_resume_goes_on_with_it_as_well(home: Path) -> None:
    gate = Gate()
    async with Endpoint(otherwise=gate) as endpoint:
        id_ = (await told(*asking(endpoint))).stdout.strip()
        owner = await owner_of(home, id_)
        assert owner is not None
        os.kill(owner.pid, signal.SIGKILL)
        gate.opened.set()

        assert (await told("resume", id_, "--gate")).returncode == 0


def test_what_waits_for_a_person_is_shown_as_it_stands(quorate: Quorate) -> None:
    begun = quorate("ask", QUESTION, "--panel", "demo", "--seat", "Safety=person:ann", "--detach")
    waited = quorate("wait", begun.out.strip(), "--gate")

    assert begun.code == 0, begun.err
    assert waited.code == 30
    assert "waits for a person; answer with: quorate answer" in waited.err


def test_wait_names_what_there_is_not(quorate: Quorate) -> None:
    assert quorate("wait", "last").code == 1
    assert "nothing was asked in this ledger yet" in quorate("wait", "last").err
    assert "must be a time such as 60s" in quorate("wait", "last", "--timeout", "soon").err
