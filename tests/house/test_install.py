"""Installing it is boring: few dependencies, small, nothing that runs by itself."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.figures import Figure
from tests.house.tree import ROOT

DIRECT = 8
BYTES = 60_000_000

pytestmark = [pytest.mark.promise, pytest.mark.xdist_group("install")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    wheel: Path
    venv: Path
    home: Path
    started_before: dict[str, bytes]
    """What ran by itself when Python started, before ours was installed."""

    @property
    def started(self) -> dict[str, bytes]:
        return run_at_start(self.venv)

    def quorate(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run it as a stranger would: no environment but a home folder and a path."""
        return subprocess.run(
            [self.venv / "bin" / "quorate", *words],
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, built from the sdist, alone with the locked base in an empty environment."""
    folder = tmp_path_factory.mktemp("install")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    [wheel] = folder.glob("*.whl")
    venv, home = folder / "venv", folder / "home"
    home.mkdir()
    run("uv", "venv", "--python", sys.executable, str(venv))
    install(venv, "--require-hashes", "-r", str(ROOT / "requirements" / "base.txt"))
    before = run_at_start(venv)
    install(venv, "--no-deps", str(wheel))
    return Installed(wheel=wheel, venv=venv, home=home, started_before=before)


def run_at_start(venv: Path) -> dict[str, bytes]:
    """Whatever runs whenever Python starts there, by name."""
    names = ("*.pth", "sitecustomize.py", "usercustomize.py")
    return {str(path.relative_to(venv)): path.read_bytes() for name in names for path in sorted(venv.rglob(name))}


def test_the_command_explains_itself(installed: Installed) -> None:
    told = installed.quorate("--help")

    assert (told.returncode, told.stderr) == (0, "")
    assert "ask" in told.stdout


def test_the_demo_panel_deliberates(installed: Installed) -> None:
    held = installed.quorate("ask", "Should we delete the staging database?", "--panel", "demo")

    assert held.returncode == 0, held.stderr
    assert "does not answer the question" in (held.stdout + held.stderr).lower()


def test_the_wheel_holds_the_package_and_nothing_that_runs_by_itself(installed: Installed) -> None:
    names = zipfile.ZipFile(installed.wheel).namelist()

    assert {name.split("/")[0] for name in names} == {"quorate", "quorate-0.1.0.dist-info"}
    assert "quorate/py.typed" in names
    assert [name for name in names if name.endswith((".pth", ".so", ".pyc"))] == []


def test_installing_it_changes_nothing_that_runs_when_python_starts(installed: Installed) -> None:
    assert installed.started == installed.started_before


def test_a_wheel_that_brings_something_that_runs_would_be_seen(installed: Installed, tmp_path: Path) -> None:
    """Control: the same comparison, and a wheel with a .pth file."""
    evil = tmp_path / "evil-1-py3-none-any.whl"
    with zipfile.ZipFile(evil, "w") as wheel:
        wheel.writestr("evil.pth", "import os")
        wheel.writestr("evil-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
        wheel.writestr("evil-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("evil-1.dist-info/RECORD", "")
    other = tmp_path / "venv"
    run("uv", "venv", "--python", sys.executable, str(other))
    before = run_at_start(other)
    install(other, "--no-deps", str(evil))

    assert {Path(name).name for name in run_at_start(other).keys() - before.keys()} == {"evil.pth"}


def test_no_package_of_the_base_runs_code_when_python_starts(installed: Installed) -> None:
    found = {path.name for path in installed.venv.rglob("*.pth")}

    assert found <= {"_virtualenv.pth"}  # written by the tool that made the environment


def test_the_base_is_small(installed: Installed) -> None:
    size = sum(path.stat().st_size for path in (installed.venv / "lib").rglob("*") if path.is_file())

    assert size < BYTES, f"{size / 1e6:.1f} MB installed"


def test_the_base_has_few_direct_dependencies(installed: Installed, figure: Figure) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = zipfile.ZipFile(installed.wheel).read("quorate-0.1.0.dist-info/METADATA").decode()
    required = re.findall(r"^Requires-Dist: (?!.*extra ==)", metadata, re.MULTILINE)

    figure(f"{len(required)} direct dependencies, {len(installed.started_before)} .pth files before and after")
    assert len(required) == len(project["dependencies"]) <= DIRECT


def install(venv: Path, *wanted: str) -> None:
    """From uv's cache where possible, so that the test runs without a network after `make setup`."""
    command = ("uv", "pip", "install", "--compile-bytecode", "--python", str(venv / "bin" / "python"))
    if run(*command, "--offline", *wanted, check=False):
        run(*command, *wanted)


def run(program: str, *words: str, check: bool = True) -> int:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [program, *words], env={**os.environ, "PATH": path}, capture_output=True, check=False, text=True
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done.returncode
