import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import File, python, sample, source

FILE = 400
ONE_THING = 150
FUNCTION = 40


def test_files_stay_small() -> None:
    assert [fault for file in source() for fault in too_long(file)] == []


def test_functions_and_tests_stay_small() -> None:
    assert [fault for file in python() for fault in long_functions(file)] == []


def test_a_file_over_its_limit_is_reported() -> None:
    line = "x = 1\n"

    assert list(too_long(sample(line * FILE))) == []
    assert list(too_long(sample(line * (FILE + 1)))) == ["src/quorate/model/sample.py: 401 lines, at most 400"]
    assert list(too_long(sample(line * (ONE_THING + 1), "src/quorate/rules/sample.py"))) == [
        "src/quorate/rules/sample.py: 151 lines, at most 150"
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        'ANALYSE = """\n{}"""\n',
        'ANALYSE: Final = """\n{}"""\n',
        'ANALYSE = BEGINNING + """\n{}"""\n',
        'ANALYSE = Template("""\n{}""")\n',
    ],
)
def test_prompt_texts_are_not_counted(prompt: str) -> None:
    file = sample("x = 1\n" * ONE_THING + prompt.format("word\n" * 90), "src/quorate/protocols/sample.py")

    assert list(too_long(file)) == []


def test_declarations_are_not_counted() -> None:
    spec = "SPEC: Final = RuleSpec(\n" + "    always=True,\n" * 90 + ")\n"

    assert list(too_long(sample("x = 1\n" * ONE_THING + spec, "src/quorate/rules/sample.py"))) == []


def test_a_function_over_its_limit_is_reported() -> None:
    body = "    x = 1\n"

    assert list(long_functions(sample("def f():\n" + body * (FUNCTION - 1)))) == []
    assert list(long_functions(sample("async def f():\n" + body * FUNCTION))) == [
        "src/quorate/model/sample.py:1: f has 41 lines, at most 40"
    ]


def too_long(file: File) -> Iterator[str]:
    lines, limit = len(file.text.splitlines()), FILE
    if file.one_thing:
        lines, limit = lines - prompt_lines(file.tree) - declared_lines(file.tree), ONE_THING
    if lines > limit:
        yield f"{file.path}: {lines} lines, at most {limit}"


def declared_lines(tree: ast.Module) -> int:
    """What a file declares of itself is data: its SPEC, and the rulebooks and the panel that it brings."""
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and (node.value.func.id.endswith("Spec") or node.value.func.id in {"Rulebook", "Panel"})
    )


def prompt_lines(tree: ast.Module) -> int:
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_prompt(node.value)
    )


def is_prompt(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left, right=right):
            return is_prompt(left) or is_prompt(right)
        case ast.Call(args=[text], keywords=[]):
            return is_prompt(text)
        case _:
            return False


def long_functions(file: File) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION:
                yield f"{file.path}:{node.lineno}: {node.name} has {lines} lines, at most {FUNCTION}"
