"""A package of somebody else's, built and installed: one new file is a protocol everywhere it could be named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import ROOT, blocks

pytestmark = pytest.mark.promise

PAGE = "docs/how-to/write-a-protocol.md"
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-podium"
version = "1.0"

[project.entry-points."quorate.protocols"]
podium = "acme.podium"

[tool.hatch.build.targets.wheel]
packages = ["acme"]
"""
BALLOTS = [{"seat": seat, "ranking": ["NATS", "Kafka"]} for seat in ("Gold", "Silver", "Bronze")]
REFERENCE = "from tools.reference import pages; print(*(text for _, text in pages()))"
GRAPH = """\
import asyncio, json
from quorate import catalogue
from quorate.doors.langgraph import deliberation_graph
from quorate.model import Reply

class Sample:
    async def answer(self, ask, overheard=None):
        return Reply(text=catalogue.form(ask.wants).sample(ask.terms(ask.mark)))

seats = [seat.name for seat in catalogue.protocol("podium").panel]
graph = deliberation_graph(protocol="podium", panelists={name: Sample() for name in seats}, ledger=":memory:")
told = asyncio.run(graph.ainvoke({"question": {"text": "Which queue?", "options": ["Kafka", "NATS"]}}))
print(json.dumps(told["verdict"]["outcome"]))
"""


class Package:
    """The page's own file in a package, built and installed into a folder beside the tests' environment."""

    def __init__(self, folder: Path) -> None:
        project, self.site = folder / "podium", folder / "site"
        (project / "acme").mkdir(parents=True)
        (project / "pyproject.toml").write_text(PROJECT)
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        (text,) = (block.text for block in blocks(PAGE, page) if block.file == "acme/podium.py")
        (project / "acme" / "__init__.py").write_text("")
        (project / "acme" / "podium.py").write_text(text, encoding="utf-8")
        uv = Path(sys.executable).with_name("uv")
        install = (uv, "pip", "install", "--offline", "--no-deps", "--no-build-isolation", "--target", self.site)
        self.run(*map(str, install), "--python", sys.executable, str(project))

    def run(self, *command: str, text: str = "") -> str:
        env = {**os.environ, "PYTHONPATH": f"{self.site}{os.pathsep}{ROOT}", "COLUMNS": "100"}
        done = subprocess.run(command, input=text, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def quorate(self, *words: str, text: str = "") -> str:
        return self.run(str(Path(sys.executable).with_name("quorate")), *words, text=text)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("plugin"))


def test_it_is_listed_with_its_rulebook_and_its_panel(package: Package) -> None:
    assert "podium" in package.quorate("rules")
    assert "Everyone ranks the options alone" in package.quorate("rules", "show", "podium")
    assert "else borda" in package.quorate("rules", "show", "podium")
    assert "podium" in package.quorate("ask", "--help")
    assert "Silver" in package.quorate("panels")


def test_ballots_of_a_file_are_decided_under_it(package: Package) -> None:
    told = json.loads(package.quorate("decide", "-", "--protocol", "podium", "--json", text=json.dumps(BALLOTS)))

    assert (told["verdict"]["outcome"], told["verdict"]["rule"]) == ("NATS", "borda")


def test_it_is_a_graph_and_stands_in_the_reference(package: Package) -> None:
    assert json.loads(package.run(sys.executable, "-c", GRAPH)) == "Kafka"
    listed = package.run(
        sys.executable, "-c", "from tools.reference import pages; print(*(text for _, text in pages()))"
    )

    assert "## podium" in listed
    assert "rulebook unless you say otherwise: `podium`" in listed


def test_it_keeps_the_contract_of_every_protocol(package: Package) -> None:
    tests = ("tests/protocols/test_every_protocol.py", "-q", "-n", "0", "-k", "podium", "-p", "no:cacheprovider")
    told = package.run(sys.executable, "-m", "pytest", *tests)

    assert "6 passed" in told, told
