"""The server and a worker on a real PostgreSQL, with exactly the logins and rights that `compose.yaml` gives."""

import asyncio
import os
import re
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from tests.engine.cluster.test_worker import QUORATE, Cluster
from tests.house.tree import ROOT
from tests.postgres import PostgresServer

pytestmark = pytest.mark.promise

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
ENV = {"QUORATE_DB_PASSWORD": secrets.token_hex(24), "QUORATE_PANEL_PASSWORD": secrets.token_hex(24)}


class Stack:
    """A database as the services of `compose.yaml` find it."""

    def __init__(self, server: PostgresServer, home: Path) -> None:
        self.server = server
        self.home = home

    def env(self, service: str) -> dict[str, str]:
        """The environment of a service, with the passwords and the place of this test's database."""
        stated: Mapping[str, str] = COMPOSE["services"][service]["environment"]
        env = {name: self._filled(text) for name, text in stated.items()}
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        return {**kept, "HOME": str(self.home), **env}

    def _filled(self, text: str) -> str:
        for name, value in ENV.items():
            text = text.replace(f"${{{name}:?put it into .env}}", value)
        return text.replace("@db:5432/", f"@127.0.0.1:{self.server.port}/")

    def run(self, service: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """One command in the place of the service's own, as `docker compose run --rm SERVICE …`."""
        words = words or tuple(COMPOSE["services"][service]["command"])
        return subprocess.run(
            [*QUORATE, *words], env=self.env(service), capture_output=True, text=True, check=False, cwd=self.home
        )

    def sql(self, statement: str, service: str = "server") -> "subprocess.CompletedProcess[str]":
        """A statement under the login of a service."""
        url = self.env(service)["QUORATE_LEDGER"]
        words = (str(self.server.programs / "psql"), "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", url)
        return subprocess.run([*words, "-c", statement], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The database after its first start: what its image does with the environment and the file of roles."""
    home = tmp_path_factory.mktemp("home")
    server = PostgresServer()
    try:
        rules = server.folder / "db" / "pg_hba.conf"
        trusted = rules.read_text(encoding="utf-8")
        rules.write_text(f"host quorate all 127.0.0.1/32 scram-sha-256\n{trusted}", encoding="utf-8")
        server.start()
        found = Stack(server, home)
        env = found.env("db")
        superuser, name = env["POSTGRES_USER"], env["POSTGRES_DB"]
        if superuser != "postgres":
            server.sql(f"CREATE ROLE {superuser} LOGIN SUPERUSER")
        server.sql(f"ALTER ROLE {superuser} PASSWORD '{env['POSTGRES_PASSWORD']}'")
        server.sql(f"CREATE DATABASE {name} OWNER {superuser}")
        subprocess.run(
            [
                *(str(server.programs / "psql"), "-X", "-v", "ON_ERROR_STOP=1", "-U", superuser, "-d", name),
                *("-h", str(server.folder), "-p", str(server.port), "-f", str(ROOT / "compose-roles.sql")),
            ],
            env=env,
            check=True,
            capture_output=True,
        )
        created = found.run("init")
        assert created.returncode == 0, created.stderr
        yield found
    finally:
        server.remove()


async def test_the_server_queues_and_a_worker_decides_with_the_rights_of_the_compose_file(stack: Stack) -> None:
    cluster = Cluster("postgresql://unused/?x=y", stack.home)
    cluster.env = stack.env("worker-1")
    worker_words = COMPOSE["services"]["worker-1"]["command"]
    with cluster.worker(*(word for word in worker_words[1:] if word not in {"--port", "8421"})) as worker:
        process = await asyncio.create_subprocess_exec(
            *(*QUORATE, "serve", "--port", "0", "--panel", "demo"),
            stdout=asyncio.subprocess.PIPE,
            env=stack.env("server"),
        )
        try:
            assert process.stdout is not None
            base, _, token = (await process.stdout.readline()).decode().strip().partition("#token=")
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                aiohttp.ClientSession(base.rstrip("/"), headers=headers) as client,
                client.post("/api/deliberations", json={"question": "Should we go?"}) as reply,
            ):
                assert reply.status in {200, 201, 202}, await reply.text()
                id_ = (await reply.json())["id"]
        finally:
            decided = await asyncio.to_thread(stack.run, "server", "wait", id_)
            process.kill()
            await process.wait()
        assert 'ended_total{state="decided"} 1' in worker.get("/metrics")[1]

    assert decided.returncode in {0, 10}, decided.stderr
    assert stack.run("server", "verify", id_).returncode == 0
    assert stack.run("server", "forget", id_, "--yes").returncode == 1
    assert stack.sql("UPDATE quorate.deliberations SET entries = 0; DELETE FROM quorate.deliberations").returncode
    assert stack.run("init", "forget", id_, "--yes").returncode == 0


@pytest.mark.parametrize("service", ["server", "worker-1", "worker-2", "init"])
def test_all_services_log_in_with_a_password_and_are_no_superusers(stack: Stack, service: str) -> None:
    rights = "rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls"
    asked = stack.sql(f"SELECT {rights} FROM pg_roles WHERE rolname = current_user", service)  # noqa: S608

    assert asked.stdout == "f|f|f|f|f\n", asked.stderr
    wrong = re.sub(":[0-9a-f]{48}@", ":guessed@", stack.env(service)["QUORATE_LEDGER"])
    words = [str(stack.server.programs / "psql"), "-X", wrong, "-c", "SELECT 1"]
    assert "password authentication failed" in subprocess.run(words, capture_output=True, text=True, check=False).stderr


def test_no_password_logs_the_superuser_in(stack: Stack) -> None:
    name = COMPOSE["services"]["db"]["environment"]["POSTGRES_USER"]
    url = re.sub("//[a-z_]+:", f"//{name}:", stack.env("init")["QUORATE_LEDGER"])
    words = [str(stack.server.programs / "psql"), "-X", url, "-c", "SELECT 1"]

    assert "password authentication failed" in subprocess.run(words, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM quorate.entries",
        "UPDATE quorate.entries SET public = ''",
        "TRUNCATE quorate.deliberations CASCADE",
        "ALTER TABLE quorate.entries OWNER TO quorate_panel",
        "DROP SCHEMA quorate CASCADE",
        "CREATE TABLE quorate.mine (x int)",
        "GRANT quorate_eraser TO quorate_panel",
        "SET ROLE quorate_eraser",
        "SET ROLE quorate_owner",
        "COPY quorate.ledger TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT rolpassword FROM pg_authid",
    ],
)
def test_the_servers_login_changes_no_entry_and_takes_no_rights(stack: Stack, statement: str) -> None:
    refused = stack.sql(statement)

    assert refused.returncode
    assert "permission denied" in refused.stderr or "must be" in refused.stderr
