"""The page about mutants says what came of them, and every survivor is explained or called a hole."""

import ast
from pathlib import Path

import pytest

from tools.mutants.changes import mutants_of
from tools.mutants.page import OPEN, PAGE, figures, reasons, written
from tools.mutants.results import TESTS, FileResult, Survivor, files_of, keep, kept, name_of

SOURCE = """\
def bold(votes: int, *, least: int = 2) -> bool:
    if not votes:
        return False
    return votes >= least and all(range(votes))
"""


def test_the_page_is_what_the_results_come_to() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text == written(text, kept(), reasons())


def test_every_explanation_is_of_a_survivor_or_of_a_mutant_that_was_not_drawn() -> None:
    results = kept()
    lived = {(name, one.text, one.change) for name, result in results.items() for one in result.survivors}
    left = [(file, name) for file in files_of("") if (name := name_of(file)) in {why[0] for why in reasons()}]
    undrawn = {
        (name, one.text, one.change)
        for file, name in left
        for one in mutants_of(file)
        if one.number not in results[name].tried
    }

    assert set(reasons()) <= lived | undrawn


def test_every_file_that_is_looked_after_exists_and_so_do_its_tests() -> None:
    assert {name_of(file) for file in files_of("") if not file.is_file()} == set()
    assert [test for tests in TESTS.values() for test in tests if not Path(test).exists()] == []


def test_results_are_read_as_they_were_kept(tmp_path: Path) -> None:
    lived = Survivor(number=3, line=7, text="a < b", change="comparison turned")
    results = {"rules/a.py": FileResult("abc", 9, [0, 1, 2, 3, 5, 8], [lived])}

    keep(results, tmp_path / "kept.json")

    assert kept(tmp_path / "kept.json") == results
    assert kept(tmp_path / "none.json") == {}


def test_a_sample_is_called_one_and_a_survivor_without_a_reason_a_hole() -> None:
    lived = Survivor(number=0, line=7, text="a < b", change="`|` for it")
    results = {"rules/a.py": FileResult("abc", 200, list(range(100)), [lived])}

    told = list(figures(results, {}))

    assert "| `rules` | 200 | 100 | 99 | 99.0 % of those drawn; of all, 94.6 to 100.0 % |" in told
    assert f"| `rules/a.py`, line 7 | `\\|` for it | {OPEN} |" in told
    assert "| `reading` | – | – | – | not measured |" in told


@pytest.mark.parametrize(
    ("change", "becomes"),
    [
        ("one more of `2`", "least: int=3"),
        ("`not` left out of `not votes`", "if not not votes:"),
        ("truth turned of `False`", "return True"),
        ("nothing returned for `votes >= least and all(range(votes))`", "return None"),
        ("`or` for `and` of `votes >= least and all(range(votes))`", "votes >= least or all(range(votes))"),
        ("comparison turned of `votes >= least`", "votes > least and"),
        ("`any` for it of `all`", "any(range(votes))"),
    ],
)
def test_a_mutant_differs_in_the_place_it_names(change: str, becomes: str, tmp_path: Path) -> None:
    file = tmp_path / "bold.py"
    file.write_text(SOURCE, encoding="utf-8")

    (mutant,) = [one for one in mutants_of(file) if one.change == change]

    assert becomes in ast.unparse(mutant.tree())
