"""The table of promises lists every test there is, and its figures come from runs that were made."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tools.promises import COUNT, FIGURES, NONE, PAGES, PROMISES, Promise, table, written

MEASURED: dict[str, dict[str, str]] = json.loads(FIGURES.read_text(encoding="utf-8"))
SAMPLE = Promise("It holds.", ("test_sample.py",))


def test_every_promise_test_is_in_the_table_and_every_file_in_it_is_there() -> None:
    named = {file for promise in PROMISES for file in promise.files}
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "promises").glob("test_*.py")}

    assert there - named == set()
    assert [file for file in sorted(named) if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_table_is_what_the_figures_come_to(path: Path) -> None:
    page = path.read_text(encoding="utf-8")

    assert page == written(page, PAGES[path], MEASURED), "run `make promises-table`"


def test_every_figure_is_of_a_test_that_exists() -> None:
    for name, said in MEASURED.items():
        file, _, test = name.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert test.endswith(COUNT) or f"def {test.partition('[')[0]}(" in text, name
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", said["date"]), name
        assert said["size"] in {"long", "everyday", "quick"}, name
        assert "|" not in said["words"], name


def test_a_promise_without_a_figure_says_so() -> None:
    assert [*table([SAMPLE], {})][-1] == f"| It holds. | `tests/promises/test_sample.py` | {NONE} |"


def test_the_largest_size_is_shown_with_its_day_and_a_count_only_where_there_is_nothing_else() -> None:
    place = "tests/promises/test_sample.py"
    count = {f"{place}::everyday tests": {"date": "2026-01-03", "size": "everyday", "words": "9 tests passed"}}
    small = {f"{place}::test_a": {"date": "2026-01-02", "size": "everyday", "words": "10 things"}}
    large = {f"{place}::test_b": {"date": "2026-01-01", "size": "long", "words": "1,000 things"}}

    shown = [[*table([SAMPLE], figures)][-1].split(" | ")[-1] for figures in (count, count | small, small | large)]

    assert shown == [
        "9 tests passed (everyday, 2026-01-03) |",
        "10 things (everyday, 2026-01-02) |",
        "1,000 things (long, 2026-01-01) |",
    ]


TESTS = """
import pytest
from tests.figures import figure, pytest_addoption, pytest_runtest_logreport, pytest_sessionfinish

@pytest.mark.promise
def test_good(figure):
    figure("3 things")

@pytest.mark.promise
def test_bad(figure):
    figure("4 things")
    assert False

@pytest.mark.long
def test_quiet():
    pass
"""


@pytest.mark.slow
def test_only_a_test_that_passed_has_a_figure(tmp_path: Path) -> None:
    """What was kept of a test goes when it fails, and so does the count of its file."""
    (tmp_path / "conftest.py").write_text(TESTS.partition("@pytest")[0])
    (tmp_path / "test_it.py").write_text(TESTS.replace("from tests.figures", "# from"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n promise: x\n long: x\n")
    before = {"test_it.py::test_bad": {"date": "2026-01-01", "size": "everyday", "words": "old"}}
    (tmp_path / "figures.json").write_text(json.dumps({**before, "other.py::test_it": before["test_it.py::test_bad"]}))

    words = ("-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "--figures", str(tmp_path / "figures.json"))
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    program = [sys.executable, "-m", "pytest", *words, str(tmp_path)]
    subprocess.run(program, cwd=ROOT, env=env, capture_output=True, check=False)

    kept = json.loads((tmp_path / "figures.json").read_text())
    assert {name: said["words"] for name, said in kept.items()} == {
        "other.py::test_it": "old",
        "test_it.py::long tests": "1 test passed",
        "test_it.py::test_good": "3 things",
    }
