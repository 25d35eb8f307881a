import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.docs.models import words
from tests.plugins.packages import ODD, ODD_POINTS, install, write_package

MAIN = "from quorate.doors.cli import main; main()"
KEY = "odd-key-0123456789abcdef"


@dataclass(frozen=True, slots=True)
class OddServer:
    """An HTTP server that speaks Oddish: it takes `to` and `say`, and answers with `spoke`."""

    url: str
    keys: list[str] = field(default_factory=list)
    """The key of every request."""
    asked: list[str] = field(default_factory=list)
    """The prompt of every request."""


class Oddish(BaseHTTPRequestHandler):
    odd: OddServer

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.odd.keys.append(self.headers.get("X-Odd-Key", ""))
        self.odd.asked.append(said["say"])
        if self.path != "/v1/talk" or (said["to"] == "locked"):
            self._send(401, {"error": {"message": f"no such key as {KEY}"}})
            return
        self._send(200, {"spoke": {"words": words(said["say"], "agreed", bare=False)}})

    def _send(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@contextmanager
def serving_oddish() -> Iterator[OddServer]:
    class Handler(Oddish):
        """One for each server: it knows whose requests it takes."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Handler.odd = odd = OddServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
        thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02))
        thread.start()
        try:
            yield odd
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def odd() -> Iterator[OddServer]:
    with serving_oddish() as server:
        yield server


@pytest.fixture
def stranger() -> Iterator[OddServer]:
    """The same somewhere else: nobody said that the key may go there."""
    with serving_oddish() as server:
        yield server


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip has installed the package acme-odd."""
    package, site = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("site")
    install(write_package(package, "acme-odd", ODD, ODD_POINTS), site)
    return site


Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]


def run_in(home: Path, site: Path, more: Mapping[str, str], *words_: str, code: str = MAIN) -> Ran:
    """Run quorate as a process of its own that finds the packages in a folder."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(site), "COLUMNS": "200", **more}
    return subprocess.run(
        [sys.executable, "-c", code, *words_],
        env=env,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def run(tmp_path: Path, site: Path, odd: OddServer) -> Run:
    """`quorate WORDS` where acme-odd is installed, with its key and its server in the environment."""
    return partial(run_in, tmp_path, site, {"ODD_API_KEY": KEY, "ODD_BASE_URL": odd.url})
