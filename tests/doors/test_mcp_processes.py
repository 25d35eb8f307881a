"""What an assistant is told of deliberations whose process it ended, or that was killed."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.doors.test_cli_detached import Gate, owner_of
from tests.doors.test_mcp import BALLOT, QUESTION, called, models_at, over_stdio, refused, three
from tests.servers import Endpoint

pytestmark = pytest.mark.promise


async def test_cancel_ends_a_running_one_for_good_and_its_process_with_it(home: Path) -> None:
    async with (
        Endpoint(otherwise=BALLOT, latency=30) as endpoint,
        over_stdio("auto", **models_at(endpoint)) as client,
    ):
        begun = await called(
            client, "deliberate", question=QUESTION, protocol="tribunal", participants=three(), seconds=0
        )
        host = await owner_of(home, begun["id"])
        ended = await called(client, "cancel", id=begun["id"], because="no longer wanted")
        again = await called(client, "wait", id=begun["id"])

    assert begun["state"] == "running"
    assert (ended["state"], again["state"], again["verdict"]) == ("cancelled", "cancelled", None)
    assert host is not None
    async with asyncio.timeout(30):
        while not host.gone:  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.05)


async def test_nothing_is_said_to_go_on_whose_process_was_killed(home: Path) -> None:
    async with (
        Endpoint(otherwise=Gate()) as endpoint,
        over_stdio("auto", **models_at(endpoint)) as client,
    ):
        begun = await called(
            client, "deliberate", question=QUESTION, protocol="tribunal", participants=three(), seconds=0
        )
        host = await owner_of(home, begun["id"])
        assert host is not None
        os.kill(host.pid, signal.SIGKILL)
        async with asyncio.timeout(30):
            while await owner_of(home, begun["id"]) is not None:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.05)
        looked = await called(client, "wait", id=begun["id"], seconds=0)
        checked = await called(client, "verify", id=begun["id"])
        await called(client, "cancel", id=begun["id"])
        unexplained = await refused(client, "explain", id=begun["id"])

    assert (looked["state"], looked["next"].partition(".")[0]) == ("halted", "Nobody holds it")
    assert (checked["state"], checked["holds"]) == ("unfinished", False)
    assert "given up without a verdict" in unexplained
