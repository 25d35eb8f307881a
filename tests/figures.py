"""Keeps the figures of the promises: what a test that passed has measured, when, and at which size.

`pytest --figures` writes them into `tests/promises/figures.json`, from which `make promises-table` writes the table in
the README. Without it a figure is printed, and that is all.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

__all__ = ["FIGURES", "figure", "pytest_addoption", "pytest_runtest_logreport", "pytest_sessionfinish"]

FIGURES: Final = Path(__file__).parent / "promises" / "figures.json"
SIZES: Final = ("long", "promise")
Figure = Callable[[str], None]

_measured: Final[dict[str, dict[str, str] | None]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--figures", action="store_true", help="keep the figures of the promises that were tested")


@pytest.fixture
def figure(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Figure:
    """Say what a promise was tested with and what came of it, in a few words; it counts if the test passes."""
    size = next((name for name in SIZES if request.node.get_closest_marker(name)), "test")

    def say(words: str) -> None:
        print(words)  # noqa: T201 - the promise states its size
        record_property("figure", {"words": words, "size": {"promise": "everyday"}.get(size, size)})

    return say


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """With several processes this runs where they report to, so that one of them writes the file."""
    for name, value in report.user_properties:
        if name == "figure" and report.when == "call" and isinstance(value, dict):
            today = f"{datetime.now(UTC):%Y-%m-%d}"
            _measured[report.nodeid] = {"date": today, **value} if report.passed else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--figures") and not hasattr(session.config, "workerinput") and _measured:
        kept = {**json.loads(FIGURES.read_text(encoding="utf-8")), **_measured}
        # What a test that failed once measured is no longer so.
        stand = {name: measured for name, measured in sorted(kept.items()) if measured is not None}
        FIGURES.write_text(json.dumps(stand, indent=1) + "\n", encoding="utf-8")
