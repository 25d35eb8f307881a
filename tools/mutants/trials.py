"""Puts mutants to the test, each in a process of its own made by a fork of one that has collected all tests.

First every test runs once, unchanged, and it is kept which lines it executes and how long it takes. A mutant then meets
only the tests that execute its line, the fastest first, until one fails. In the fork the functions of the changed file
get their new code in place, so nothing is loaded again. A change of what is worked out or made while the file is
loaded and that survives this is tried a second time, with everything of ours loaded anew from the changed file.
"""

import ast
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import chain, zip_longest
from pathlib import Path
from time import monotonic, process_time
from types import FrameType
from typing import Any, Final, NoReturn

import hypothesis
import pytest

from tools.mutants.changes import Mutant
from tools.mutants.loading import change_live, load_anew

__all__ = ["LONGEST", "PATIENCE", "Trials", "words"]

PATIENCE: Final = 5
"""How many times the processor time a test usually takes, and some, until one that does not end is dead."""
GRACE: Final = 3
"""Seconds of processor time that any test may take besides."""
LONGEST: Final = 3600
"""Seconds until a mutant is dead on which the tests wait for something that never comes, and do not say so."""
ROOM: Final = 3 << 30
"""Bytes of memory that a mutant may take."""
FEW: Final = 20
"""How many tests show that loading everything anew does no harm."""
LOADED: Final = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
Lines = dict[str, dict[int, set[str]]]
"""By file and line, the names of the tests that execute it."""


def words(tests: Sequence[str], marks: str = "not long and not promise") -> list[str]:
    """How the tests are run."""
    # On a busy machine a test may wait for long; what counts is the processor time it takes.
    quiet = (
        "--timeout=600",
        "-q",
        "-s",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
        "--randomly-seed=1",
    )
    return [*quiet, "-W", LOADED, "-m", marks, *tests]


class Profile:
    """Draws as CI does, keeps no examples, looks for no smaller ones, and takes no offence at a slow machine."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        checks = tuple(hypothesis.HealthCheck)
        usual = hypothesis.settings.get_profile("everyday")
        hypothesis.settings.register_profile(
            "mutants", usual, database=None, phases=phases, suppress_health_check=checks
        )
        hypothesis.settings.load_profile("mutants")


class Trial(Profile):
    """Ends the process with 1 as soon as a test fails, and lets none take much longer than usual."""

    def __init__(self, usual: Mapping[str, float]) -> None:
        self._usual = usual

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._usual), key=self._seconds)

    def _seconds(self, item: pytest.Item) -> float:
        return self._usual[item.nodeid]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        limit = int(process_time() + PATIENCE * self._seconds(item) + GRACE) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os._exit(1)


class Tracing(Profile):
    """Keeps which tests execute which lines of the files, and how long each takes."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.lines: Lines = {str(file): {} for file in files}
        self.seconds = dict[str, float]()
        self.failed = list[str]()
        self._test = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._test, began = item.nodeid, process_time()
        try:
            with self.watching():
                return (yield)
        finally:
            self.seconds[item.nodeid] = process_time() - began

    @contextmanager
    def watching(self) -> Iterator[None]:
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def _enter(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        lines = self.lines.get(frame.f_code.co_filename)
        if lines is None:
            return None
        test = self._test

        def step(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:  # noqa: ARG001 - as tracing has it
            lines.setdefault(frame.f_lineno, set()).add(test)
            return step

        step(frame, event, arg)
        return step


class Trials(Profile):
    """A pytest plugin that runs no test here and puts mutants to the test in forks."""

    def __init__(self, files: Sequence[Path], mutants: Sequence[Mutant], tell: Callable[[Mutant, bool], None]) -> None:
        self.files, self.mutants, self.tell = files, mutants, tell
        self.jobs, self.until, self.known = 2, float("inf"), Path(os.devnull)
        self.failed: list[str] = []
        self._lines: Lines = {}
        self._loading = set[tuple[str, int]]()
        self._usual: dict[str, float] = {}
        self._running = dict[int, tuple[Mutant, float]]()
        self._alive = list[Mutant]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        self._look_up_lines(session)
        if not self.failed:
            print(f"{len(self._usual)} tests, {sum(self._usual.values()):.0f} seconds while watched", flush=True)
            self._try_all(self.mutants, lambda mutant: self._in_place(session, mutant), self._alive_or_dead)
            self._try_all(self._alive, self._anew, self.tell)
        return True

    def _look_up_lines(self, session: pytest.Session) -> None:
        if not self.known.is_file():
            self._watch(session)
        told = json.loads(self.known.read_text(encoding="utf-8"))
        self.failed, self._usual = told["failed"], told["seconds"]
        for file, line, tests in told["lines"]:
            self._lines.setdefault(file, {})[line] = {told["names"][test] for test in tests}
        self._loading = {(file, line) for file, line in told["loading"]}
        if self.failed:
            self.known.unlink()

    def _watch(self, session: pytest.Session) -> None:
        """Run every test once, and write down what it executes; then some with everything loaded anew."""
        if _wait(os.fork() or _quietly(lambda: _trace(session, self.files, self.known))):
            raise RuntimeError("the tests could not be watched; MUTANTS_LOG=file shows why")
        told = json.loads(self.known.read_text(encoding="utf-8"))
        few = sorted(told["seconds"], key=told["seconds"].__getitem__)[:FEW]
        if _wait(os.fork() or _quietly(lambda: _fresh(None, dict.fromkeys(few, float(GRACE))))):
            self.known.unlink()
            raise RuntimeError("tests fail when everything is loaded anew; MUTANTS_LOG=file shows why")

    def _alive_or_dead(self, mutant: Mutant, killed: bool) -> None:  # noqa: FBT001 - what came of it
        # Told at once: if the run is stopped before the second trial, a survivor must not be missing from the count.
        self.tell(mutant, killed)
        executed = any((str(mutant.file), line) in self._loading for line in mutant.lines)
        if not killed and (mutant.loaded or executed):
            self._alive.append(mutant)

    def _try_all(
        self,
        mutants: Sequence[Mutant],
        trial: Callable[[Mutant], int],
        tell: Callable[[Mutant, bool], None],
    ) -> None:
        for mutant in mutants:
            while len(self._running) >= self.jobs:
                self._collect(tell)
            if monotonic() > self.until:
                break
            # A child that leaves must not write again what waits to be written.
            sys.stdout.flush()
            child = os.fork() or _quietly(partial(trial, mutant))
            self._running[child] = (mutant, monotonic() + LONGEST)
        while self._running:
            self._collect(tell)

    def _collect(self, tell: Callable[[Mutant, bool], None]) -> None:
        """Wait until one of those that run is dead or alive."""
        while True:
            for child, (mutant, until) in list(self._running.items()):
                done, status = os.waitpid(child, os.WNOHANG)
                late = not done and monotonic() > until
                if done or late:
                    # Whatever the tests had started goes with it.
                    with suppress(ProcessLookupError):
                        os.killpg(child, signal.SIGKILL)
                    if late:
                        os.waitpid(child, 0)
                    del self._running[child]
                    tell(mutant, late or status != 0)
                    return
            signal.sigtimedwait([signal.SIGCHLD], 1)

    def _in_place(self, session: pytest.Session, mutant: Mutant) -> int:
        usual = self._tests_at(mutant)
        change_live(mutant.file, mutant.tree())
        chosen = [item for item in session.items if item.nodeid in usual]
        _run(session, Trial(usual), sorted(chosen, key=lambda item: usual[item.nodeid]))
        return 0

    def _anew(self, mutant: Mutant) -> int:
        # What is made while a file is loaded is seen by whatever uses the file, not just where it was made.
        tests = {*chain.from_iterable(self._lines.get(str(mutant.file), {}).values())} | self._lookers
        return _fresh(mutant, {test: self._usual[test] for test in tests} or self._usual)

    def _tests_at(self, mutant: Mutant) -> dict[str, float]:
        lines = self._lines.get(str(mutant.file), {})
        tests = {test for line in mutant.lines for test in lines.get(line, ())}
        if mutant.loaded:
            # A constant is seen by whatever uses the file, and by tests that execute nothing but look at what is there.
            tests = (tests or {*chain.from_iterable(lines.values())}) | self._lookers
        return {test: self._usual[test] for test in tests}

    @cached_property
    def _lookers(self) -> set[str]:
        return set(self._usual).difference(*(tests for lines in self._lines.values() for tests in lines.values()))


def _trace(session: pytest.Session, files: Sequence[Path], known: Path) -> int:
    loading, tracing = Tracing(files), Tracing(files)
    with loading.watching():
        for file in files:
            # The tests must pass on functions whose code was put in place, else a mutant's death would mean nothing.
            change_live(file, ast.parse(file.read_text(encoding="utf-8")))
    _run(session, tracing, session.items)
    names = {test: number for number, test in enumerate(tracing.seconds)}
    rows = [
        (file, line, sorted(names[test] for test in tests))
        for file, lines in tracing.lines.items()
        for line, tests in lines.items()
    ]
    told = {
        "failed": tracing.failed,
        "seconds": tracing.seconds,
        "names": list(names),
        "lines": rows,
        "loading": [(file, line) for file, lines in loading.lines.items() for line in lines],
    }
    known.parent.mkdir(exist_ok=True)
    known.write_text(json.dumps(told), encoding="utf-8")
    return 0


def _run(session: pytest.Session, plugin: Profile, items: Sequence[pytest.Item]) -> None:
    session.config.pluginmanager.register(plugin)
    for item, after in zip_longest(items, items[1:]):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def _fresh(mutant: Mutant | None, usual: Mapping[str, float]) -> int:
    """Load everything of ours anew, from the changed file, and run the tests."""
    load_anew(mutant)
    return int(pytest.main(words(sorted({test.partition("::")[0] for test in usual})), [Trial(usual)]))


def _quietly(work: Callable[[], int]) -> NoReturn:
    """Do it in this process, which was made for it, and end the process."""
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, resource.RLIM_INFINITY))
    nowhere = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        os._exit(work())
    except BaseException:  # noqa: BLE001 - whatever goes wrong here is the mutant's doing
        os._exit(1)


def _wait(child: int) -> int:
    status = os.waitpid(child, 0)[1]
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status
