"""Keeps the figures of the promises: what a test that passed has measured, when, and at which size.

`pytest --figures` writes them into `tests/promises/figures.json`, from which `make promises-table` writes the tables
of promises. Without it a figure is printed, and that is all. Of a file whose tests say no figure it is kept how many
of them passed.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

__all__ = ["FIGURES", "figure", "pytest_addoption", "pytest_runtest_logreport", "pytest_sessionfinish"]

FIGURES: Final = Path(__file__).parent / "promises" / "figures.json"
SIZES: Final = ("long", "promise", "slow")
WORDS: Final = {"long": "long", "promise": "everyday", "slow": "quick"}
"""How a size is called, by its marker."""
Figure = Callable[[str], None]

_measured: Final[dict[str, dict[str, str] | None]] = {}
_outcomes: Final[dict[tuple[str, str], list[bool]]] = {}
"""Whether each test passed, by its file and size."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--figures", nargs="?", const=str(FIGURES), metavar="FILE", help="keep the figures of the promises tested"
    )


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """Say what a promise was tested with and what came of it, in a few words; it counts if the test passes."""

    def say(words: str) -> None:
        print(words)  # noqa: T201 - the promise states its size
        record_property("figure", words)

    return say


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """With several processes this runs where they report to, so that one of them writes the file."""
    size = next((name for name in SIZES if name in report.keywords), None)
    if report.when != "call" or size is None:
        return
    file = report.nodeid.partition("::")[0]
    _outcomes.setdefault((file, WORDS[size]), []).append(report.passed)
    for name, value in report.user_properties:
        if name == "figure":
            _measured[report.nodeid] = _dated(WORDS[size], str(value)) if report.passed else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    wanted = session.config.getoption("--figures")
    if wanted and not hasattr(session.config, "workerinput") and _outcomes:
        file = Path(wanted)
        kept = {**json.loads(file.read_text(encoding="utf-8")), **_measured, **_counted()}
        # What a test that failed once measured is no longer so.
        stand = {name: measured for name, measured in sorted(kept.items()) if measured is not None}
        file.write_text(json.dumps(stand, indent=1) + "\n", encoding="utf-8")


def _counted() -> dict[str, dict[str, str] | None]:
    """How many tests of a file passed, for those that say nothing more; nothing if one failed."""
    return {
        f"{file}::{size} tests": _dated(size, _passed(len(passed))) if all(passed) else None
        for (file, size), passed in _outcomes.items()
    }


def _passed(count: int) -> str:
    return "1 test passed" if count == 1 else f"{count:,} tests passed"


def _dated(size: str, words: str) -> dict[str, str]:
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "size": size, "words": words}
