"""The action's steps and the pre-commit hook, run by bash on a repository made for it: exit codes, SARIF, summary."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from tests.doors.test_findings import ballot, checked
from tests.house.tree import ROOT
from tests.servers import Act, Endpoint, failing

LISTED = "FINDING | high | app.py:2 | it deletes everything"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def plain(value: Any) -> Any:  # noqa: ANN401  whatever YAML holds
    """A YAML document as it is written, read without a loader that makes objects."""
    return yaml.load(value, Loader=yaml.BaseLoader)  # noqa: S506  it makes texts, lists and mappings alone


ACTION: dict[str, Any] = plain((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOK: dict[str, Any] = plain((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits and a change that is staged."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for text, words in (("a = 1\n", ("add", "commit")), ("a = 1\nwipe()\n", ("add", "commit")), ("a = 2\n", ("add",))):
        (folder / "app.py").write_text(text)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "app.py")
        if "commit" in words:
            git(folder, "commit", "-q", "-m", "Change it")
    return folder


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


class Runner:
    """Runs the steps of a composite action as a code host does, as far as this one needs it."""

    def __init__(self, folder: Path, event: Mapping[str, str] = MappingProxyType({}), /, **inputs: str) -> None:
        self.temp = Path(mkdtemp(prefix="runner-", dir=folder.parent))
        self.variables: dict[str, str] = {}
        self._folder = folder
        defaults = {
            name: EXPRESSION.sub(lambda found: first_of(found[1], event), about.get("default", ""))
            for name, about in ACTION["inputs"].items()
        }
        assert set(inputs) <= set(defaults)
        self._known = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
        self._known["github.action_path"] = str(ROOT)

    def run(self) -> int:
        """The code of the first step that fails, else 0."""
        return next((code for step in ACTION["runs"]["steps"] if (code := self._step(step))), 0)

    def _step(self, step: Mapping[str, Any]) -> int:
        assert step["shell"] == "bash"
        assert not EXPRESSION.search(step["run"]), "an input in a script could be a command"
        output = self.temp / "output"
        output.write_text("")
        env = {name: EXPRESSION.sub(lambda found: self._known[found[1]], value) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self._folder,
            env={**environment(self.temp), **self.variables, **env, "GITHUB_OUTPUT": str(output), **self.files()},
            check=False,
            timeout=100,
        )
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self._known[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def files(self) -> Mapping[str, str]:
        return {
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_WORKSPACE": str(self._folder),
        }

    @property
    def outputs(self) -> Mapping[str, str]:
        return dict(self._outputs())

    def _outputs(self) -> Iterator[tuple[str, str]]:
        for name, about in ACTION["outputs"].items():
            yield name, EXPRESSION.sub(lambda found: self._known[found[1]], about["value"])


def first_of(expression: str, event: Mapping[str, str]) -> str:
    """The first of some alternatives that is there: a text in quotes, or a field of the event."""
    terms = (term.strip() for term in expression.split("||"))
    return next((found for term in terms if (found := event.get(term, term[1:-1] if term[0] == "'" else ""))), "")


def environment(folder: Path) -> dict[str, str]:
    """A `python` that has quorate, first on the path, and a ledger of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "QUORATE_LEDGER": str(folder / "ledger.db")}


async def act(repository: Path, answer: Act, **inputs: str) -> tuple[int, Runner]:
    async with Endpoint(otherwise=answer) as endpoint:
        model = f"openai:m@{endpoint.url}"
        runner = Runner(
            repository, **{"base": "main~1", "head": "main", "python": sys.executable, "model": model, **inputs}
        )
        code = await asyncio.to_thread(runner.run)
    return code, runner


@pytest.mark.parametrize(
    ("outcome", "fail_on", "expected"),
    [
        ("ACT", "warn", 0),
        ("WARN", "warn", 10),
        ("WARN", "refuse", 0),
        ("REFUSE", "refuse", 20),
        ("REFUSE", "warn", 20),
        ("ACT", "never", 1),
    ],
)
async def test_the_action_fails_by_the_verdict(repository: Path, outcome: str, fail_on: str, expected: int) -> None:
    code, runner = await act(repository, ballot(outcome, LISTED), **{"fail-on": fail_on})
    run = checked(Path(runner.outputs["sarif"]))
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert (code, runner.outputs["outcome"]) == (expected, outcome)
    assert place == {"artifactLocation": {"uri": "app.py"}, "region": {"startLine": 2}}
    assert (runner.temp / "summary").read_text().startswith(f"### quorate: {outcome}")


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"base": "nowhere"}, 1),
        ({"base": "--output=x"}, 1),
        ({"head": "main; touch x"}, 1),
        ({"panel": "nowhere.yaml"}, 1),
        ({"budget": "much"}, 1),
        ({"model": ""}, 1),
        ({"base": "main"}, 0),
    ],
)
@pytest.mark.parametrize("fail_on", ["warn", "refuse"])
async def test_the_action_lets_nothing_through_that_nobody_looked_at(
    repository: Path, inputs: dict[str, str], expected: int, fail_on: str
) -> None:
    """Where nothing changed there is nothing to look at; everything else that goes wrong fails."""
    code, _ = await act(repository, ballot("ACT"), **inputs, **{"fail-on": fail_on})

    assert code == expected
    assert names(repository) == {".git", "app.py"}


@pytest.mark.parametrize("fail_on", ["warn", "refuse"])
async def test_an_unreachable_panel_fails_the_action(repository: Path, fail_on: str) -> None:
    code, runner = await act(repository, failing(401, "no"), **{"fail-on": fail_on})

    assert code == 1
    assert checked(Path(runner.outputs["sarif"]))["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize(("outcome", "expected"), [("ACT", 0), ("WARN", 10), ("REFUSE", 20)])
async def test_the_pre_commit_hook_puts_the_staged_change_to_the_panel(
    repository: Path, outcome: str, expected: int, tmp_path: Path
) -> None:
    async with Endpoint(otherwise=ballot(outcome, LISTED)) as endpoint:
        words = [*shlex.split(HOOK["entry"]), "--model", f"openai:m@{endpoint.url}"]
        done = await asyncio.to_thread(
            subprocess.run,
            words,
            cwd=repository,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == expected, done.stderr
    assert done.stdout.startswith(outcome)
    assert "+a = 2" in endpoint.seen[0].body["messages"][-1]["content"]
    assert HOOK["pass_filenames"] == "false"


def test_the_pre_commit_hook_fails_where_there_is_no_repository(tmp_path: Path) -> None:
    words = [*shlex.split(HOOK["entry"]), "--model", "ollama:a"]
    env = {**environment(tmp_path), "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, check=False)

    assert done.returncode == 1
