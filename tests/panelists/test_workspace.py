import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from quorate.panelists.cli.watchdog import MARK, started_at, strays
from quorate.panelists.cli.workspace import Workspace, sweep
from tests.panelists.fakes import watchdogs

SPACE = Path("/proc/self/ns/pid").stat().st_ino if Path("/proc/self/ns/pid").exists() else 0
GONE = 2**22 + 1
"""A number that no process has."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def folder(temporary: Path, pid: int, began: int, space: int = SPACE, mode: int = 0o700) -> Path:
    path = temporary / f"quorate-{pid}-{began}-{space}-abc"
    path.mkdir(mode=mode)
    path.chmod(mode)
    (path / "settings.json").write_text("{}")
    return path


def test_a_folder_says_whose_it_is_and_only_we_can_read_it() -> None:
    with Workspace() as workspace:
        named = workspace.folder.name.split("-")
        mode = workspace.folder.stat().st_mode
        sweep()
        kept = workspace.folder.is_dir()

    assert named[1:3] == [str(os.getpid()), str(started_at(os.getpid()))]
    assert mode & 0o777 == 0o700
    assert kept
    assert not workspace.folder.exists()


@pytest.mark.parametrize(("pid", "began"), [(GONE, 5), (os.getpid(), 5), (GONE, 0)], ids=["dead", "reused", "untold"])
def test_what_a_dead_process_left_is_swept(temporary: Path, pid: int, began: int) -> None:
    left = folder(temporary, pid, began)
    sweep()

    assert not left.exists()


def test_what_is_not_surely_ours_and_dead_is_let_be(temporary: Path) -> None:
    alive = folder(temporary, os.getpid(), started_at(os.getpid()))
    elsewhere = folder(temporary, GONE, 5, SPACE + 1)
    readable = folder(temporary, GONE, 6, mode=0o755)
    other = temporary / "quorate-notes"
    other.mkdir(mode=0o700)
    target = temporary / "precious"
    target.mkdir(mode=0o700)
    link = temporary / f"quorate-{GONE}-7-{SPACE}-abc"
    link.symlink_to(target)
    sweep()

    assert all(path.exists() for path in (alive, elsewhere, readable, other, target, link))


@pytest.mark.skipif(not SPACE, reason="where the system does not let one look, nothing is found")
def test_what_still_runs_for_a_dead_process_is_ended_with_its_folder(temporary: Path) -> None:
    left = folder(temporary, GONE, 5)
    marked = subprocess.Popen(["/bin/sleep", "60"], env={MARK: left.name}, start_new_session=True)
    other = subprocess.Popen(["/bin/sleep", "60"], env={MARK: f"{left.name}d"}, start_new_session=True)
    for one in (marked, other):  # a process has no environment yet for a moment after it was started
        while not Path(f"/proc/{one.pid}/environ").read_bytes():
            time.sleep(0.001)
    sweep()
    ended = marked.wait()
    still = other.poll()
    other.kill()
    other.wait()

    assert (ended, still) == (-9, None)


@pytest.mark.skipif(not SPACE, reason="the same")
def test_a_session_is_a_tool_s_if_one_in_it_bears_the_mark() -> None:
    script = "env -i /bin/sleep 60 & echo $!; exec sleep 60"
    leader = subprocess.Popen(
        ["/bin/sh", "-c", script], env={MARK: "m", "PATH": os.defpath}, start_new_session=True, stdout=subprocess.PIPE
    )
    assert leader.stdout is not None
    child = int(leader.stdout.readline())
    sessions: set[int] = set()
    found = strays([b"m"], sessions)
    os.killpg(leader.pid, 9)
    leader.communicate()

    assert sessions == {leader.pid}
    assert {leader.pid, child} <= set(found)


@pytest.mark.skipif(not SPACE, reason="the same")
def test_one_watchdog_is_enough_and_one_that_somebody_ended_is_replaced() -> None:
    with Workspace() as one, Workspace() as two:
        for workspace in (one, two):
            workspace.runs()
        (first,) = watchdogs(os.getpid())
        os.kill(first, 9)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        two.runs(os.getpid())
        (second,) = watchdogs(os.getpid())
        for workspace in (one, two):
            workspace.over()

    assert second != first


def test_the_watchdog_runs_without_the_rest_of_quorate() -> None:
    from quorate.panelists.cli import watchdog

    words = [sys.executable, "-I", "-S", watchdog.__file__]
    ran = subprocess.run(words, input=b"", env={}, capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")
