import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import DOES_IO, NO_ROOM, PURE, File, sample, source


def test_every_room_is_on_the_map() -> None:
    assert {file.room for file in source()} - {None} <= PURE | DOES_IO | NO_ROOM, "a new room needs a decision record"


def test_every_room_says_first_whether_it_is_pure() -> None:
    assert [fault for file in source() for fault in unlabelled(file)] == []


def test_every_file_says_what_it_is_for() -> None:
    assert [file.path for file in source() if not ast.get_docstring(file.tree)] == []


@pytest.mark.parametrize(
    ("path", "docstring"),
    [
        ("src/quorate/model/__init__.py", "The nouns."),
        ("src/quorate/chair.py", "Does I/O. What next?"),
        ("src/quorate/engine/__init__.py", "Pure. The loop."),
    ],
)
def test_a_room_with_the_wrong_label_is_reported(path: str, docstring: str) -> None:
    assert list(unlabelled(sample(f'"""{docstring}"""', path))) != []


def test_only_the_opening_file_of_a_room_needs_the_label() -> None:
    assert list(unlabelled(sample('"""Ballots."""', "src/quorate/model/ballot.py"))) == []
    assert list(unlabelled(sample('"""The tree."""', "src/quorate/errors.py"))) == []


def test_views_ask_no_rules_and_search_nothing() -> None:
    assert [fault for file in source() if file.room == "views" for fault in searches(file)] == []


def test_a_view_that_searches_is_reported() -> None:
    for line in (
        "from quorate.rules import apply_rulebook",
        "margin = flip_margin(tally, decide)",
        "rules.decide(t, b)",
    ):
        assert list(searches(sample(f'"""A view."""\n{line}', "src/quorate/views/sample.py")))


SEARCHES = {"apply_rulebook", "apply_strictly", "ask_rules", "decide", "flip_margin", "single_flips"} | {
    "tolerance_of", "withstands",
}  # fmt: skip
"""What asks the rules, once or for every ballot there could have been, which `chair` does for all views."""


def searches(file: File) -> Iterator[str]:
    """Imports and calls of what decides."""
    for node in ast.walk(file.tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Call):
            names = [getattr(node.func, "id", getattr(node.func, "attr", ""))]
        yield from (f"{file.path}: {name}" for name in SEARCHES.intersection(names))


def unlabelled(file: File) -> Iterator[str]:
    if not file.opens_a_room or file.room in NO_ROOM:
        return
    label = "Pure." if file.pure else "Does I/O."
    if not (ast.get_docstring(file.tree) or "").startswith(label):
        yield f"{file.path}: the docstring begins with {label!r}"
