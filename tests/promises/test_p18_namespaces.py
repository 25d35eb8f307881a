"""P18 between machines: two hosts in network namespaces, and one of them is cut off for longer than its lease."""

import asyncio
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from quorate.ledger import export as records
from quorate.ledger import new_id, open_ledger
from tests.ledger.child import Child, child
from tests.postgres import PostgresServer, ledger_on

pytestmark = [pytest.mark.promise, pytest.mark.xdist_group("postgres faults")]

TTL = 2.0


def ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Network:
    """A namespace for the database, and one for each of two hosts, which reach it and nothing else."""

    name: str

    def inside(self, where: str) -> tuple[str, ...]:
        """What a command is started with to be there."""
        return ("ip", "netns", "exec", self.name + where)

    def make(self) -> None:
        for where in "dab":
            ip("netns", "add", self.name + where)
            ip("-n", self.name + where, "link", "set", "lo", "up")
        ip("-n", f"{self.name}d", "link", "add", "hub", "type", "bridge")
        ip("-n", f"{self.name}d", "addr", "add", "10.213.77.1/24", "dev", "hub")
        ip("-n", f"{self.name}d", "link", "set", "hub", "up")
        for number, where in enumerate("ab", 2):
            ip(
                "-n",
                f"{self.name}d",
                "link",
                "add",
                f"to-{where}",
                "type",
                "veth",
                "peer",
                "eth",
                "netns",
                self.name + where,
            )
            ip("-n", f"{self.name}d", "link", "set", f"to-{where}", "master", "hub", "up")
            ip("-n", self.name + where, "addr", "add", f"10.213.77.{number}/24", "dev", "eth")
            ip("-n", self.name + where, "link", "set", "eth", "up")

    def set_link(self, where: str, state: str) -> None:
        ip("-n", f"{self.name}d", "link", "set", f"to-{where}", state)

    def remove(self) -> None:
        for where in "abd":
            subprocess.run(["ip", "netns", "del", self.name + where], capture_output=True, check=False)


@pytest.fixture
def network() -> Iterator[Network]:
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip` here; install iproute2")
    network = Network(f"q{secrets.token_hex(3)}")
    try:
        network.make()
    except OSError as error:
        network.remove()
        pytest.skip(f"network namespaces are not permitted here: {error}")
    yield network
    network.remove()


@pytest.fixture
def server(network: Network) -> Iterator[PostgresServer]:
    server = PostgresServer(within=network.inside("d"), address="10.213.77.1")
    yield server.start()
    server.remove()


async def taken(host: Child, id_: str) -> str:
    """Reach for it until it can be had."""
    while (told := await host.tell(f"own {id_}")).startswith("OwnerLost"):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)
    return told


@pytest.mark.timeout(200)
async def test_a_host_that_is_cut_off_for_longer_than_its_lease_is_followed_and_shut_out(
    network: Network, server: PostgresServer, tmp_path: Path
) -> None:
    id_, schema = new_id(), f"test_{secrets.token_hex(6)}"
    one, two = (ledger_on(server.tcp(), tmp_path / host, schema) for host in "ab")
    async with (
        child(one, ttl=TTL, within=network.inside("a")) as cut_off,
        child(two, ttl=TTL, within=network.inside("b")) as other,
    ):
        assert await cut_off.tell(f"own {id_}") == "ok 0"
        assert await cut_off.tell("write 3") == "ok 3"
        assert (await other.tell(f"own {id_}")).startswith("OwnerLost")
        network.set_link("a", "down")
        cut_off.order("write 2")

        assert await taken(other, id_) == "ok 3"
        assert await other.tell("write 3") == "ok 6"
        network.set_link("a", "up")

        assert (await cut_off.answer()).startswith("OwnerLost")
        assert (await cut_off.tell("write 1")).startswith("OwnerLost")
        assert await other.tell("write 1") == "ok 7"
        assert await other.tell("leave") == "ok"

    ledger = open_ledger(ledger_on(server.uri, tmp_path / "here", schema))
    rows = await ledger.rows(id_)
    assert [row.number for row in rows] == list(range(1, 8))
    assert (await records.verify(ledger, id_)).entries == len({row.hash for row in rows}) == 7
    await ledger.close()
