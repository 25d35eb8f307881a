"""No interface prepares a deliberation by itself: the steps are called in the service and nowhere above it."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import File, sample, source

STEPS = {
    "quorate.settings.convene": {"Convener", "check_fit", "open_deliberation"},
    "quorate.settings.resolve": {"suitable_protocol", "keep_to_named"},
    "quorate.settings.protocol_choice": {"choose_protocol"},
    "quorate.settings.context_files": {"with_files"},
    "quorate.offline.precedents": {"recall"},
    "quorate.evaluate.act_gate": {"PanelCertifier", "certify"},
    "quorate.engine.picked_models": {"pick_models"},
    "quorate.offline.forecast": {"require_one_pass"},
}
"""What `prepare` calls, by the module that has it."""


def test_no_interface_takes_a_step_itself() -> None:
    doors = (file for file in source() if file.room == "doors")

    assert [f"{file.path}: {name}" for file in doors for name in steps(file)] == []


@pytest.mark.parametrize(
    "text",
    ["from quorate.settings.convene import check_fit", "def f():\n  from quorate.offline.precedents import recall"],
)
def test_a_step_that_an_interface_takes_is_reported(text: str) -> None:
    assert len([*steps(sample(text, "src/quorate/doors/cli/ask.py"))]) == 1


def steps(file: File) -> Iterator[str]:
    for node in file.nodes:
        if isinstance(node, ast.ImportFrom) and node.module in STEPS:
            yield from sorted({alias.name for alias in node.names} & STEPS[node.module])
