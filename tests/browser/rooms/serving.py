"""A real `quorate serve` in a process of its own, and what one does to it: start, ask, kill, start again."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.browser.rooms.provider import SOURCE

_ADDRESS = re.compile(r"(http://[\d.]+:(\d+))/#token=(\S+)")
COMMAND = (sys.executable, "-c", "from quorate.doors.cli import main; main()")
PASSAGE = "Rain came early. On Monday it rained in Oslo from six in the morning until noon, 12 mm in all. Then the sun."


@dataclass
class Serving:
    """A server with a home of its own; killed and started again it is the same server on the same port."""

    home: Path
    flags: tuple[str, ...]
    url: str = ""
    token: str = ""
    _port: str = "0"
    _process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    def start(self) -> Self:
        nowhere = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM")}
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TZ": "UTC", **nowhere}
        command = (*COMMAND, "serve", "--port", self._port, *self.flags)
        self._process = subprocess.Popen(command, env=env, cwd=self.home, text=True, stdout=subprocess.PIPE)
        assert self._process.stdout
        found = _ADDRESS.search(self._process.stdout.readline())
        assert found, "the server did not print its address"
        self.url, self._port, self.token = found.groups()
        return self

    def kill(self) -> None:
        """As the power goes."""
        self.stop(signal.SIGKILL)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        if self._process and self._process.stdout:
            self._process.send_signal(by)
            self._process.wait(20)
            self._process.stdout.close()
        self._process = None

    @property
    def page(self) -> str:
        """The address that is printed."""
        return f"{self.url}/#token={self.token}"

    def call(self, path: str, body: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401  whatever it says
        """Ask the API directly, for what is beside the point of a test."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(f"{self.url}{path}", data=sent, headers=headers), timeout=90) as answer:  # noqa: S310
                return json.load(answer)
        except HTTPError as refused:
            raise AssertionError(refused.read().decode()) from refused

    def held(self, question: str, **more: object) -> str:
        """The id of a deliberation that has ended or waits for people."""
        id_ = str(self.call("/api/deliberations", {"question": question, **more})["id"])
        for _ in range(1800):
            if not self.call(f"/api/deliberations/{id_}")["running"]:
                return id_
            time.sleep(0.05)
        raise AssertionError(f"{id_} does not end")


def serving(home: Path, endpoint: str, *more: str) -> Serving:
    """A server whose seats all answer from one endpoint; the panel `weather` is an oracle with a document to cite."""
    listed = [{**SOURCE, "quote": PASSAGE}]
    (home / "sources.json").write_text(json.dumps(listed), encoding="utf-8")
    panel = home / "weather.yaml"
    panel.write_text("extends: oracle\nsettings:\n  sources: sources.json\n", encoding="utf-8")
    return Serving(home, ("--model", f"openai:mock@{endpoint}", "--offer", str(panel), "--trust", *more))
