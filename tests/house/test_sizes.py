import ast
from collections.abc import Iterator
from textwrap import indent

import pytest

from tests.house.tree import File, python, sample, source

FILE = 600
FUNCTION = 60
BRANCHES = 11
BRANCHY: frozenset[tuple[str, str]] = frozenset()
"""Functions that are still to be taken apart; there are none."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_files_stay_small() -> None:
    assert [fault for file in source() for fault in too_long(file)] == []


def test_functions_and_tests_stay_small() -> None:
    assert [fault for file in python() for fault in long_functions(file)] == []


def test_functions_branch_little() -> None:
    assert [fault for file in source() for fault in branchy_functions(file)] == []


def test_a_file_over_its_limit_is_reported() -> None:
    line = "x = 1\n"

    assert list(too_long(sample(line * FILE))) == []
    assert list(too_long(sample(line * (FILE + 1)))) == ["src/quorate/model/sample.py: 601 lines, at most 600"]


def test_a_function_over_its_limit_is_reported() -> None:
    body = "    x = 1\n"

    assert list(long_functions(sample("def f():\n" + body * (FUNCTION - 1)))) == []
    assert list(long_functions(sample("async def f():\n" + body * FUNCTION))) == [
        "src/quorate/model/sample.py:1: f has 61 lines, at most 60"
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if a:\n  pass\nelif b:\n  pass\nelse:\n  pass", 3),
        ("for x in a:\n  pass\nelse:\n  pass", 3),
        ("while a:\n  pass", 2),
        ("try:\n  pass\nexcept A:\n  pass\nexcept B:\n  pass\nelse:\n  pass\nfinally:\n  pass", 4),
        ("assert a", 2),
        ("return a if b else c", 2),
        ("return a and b and c or d", 4),
        ("return [x for x in a if x if y]", 4),
        ("return {x: y for x in a for y in x}, {x for x in a}, (x for x in a)", 5),
        ("match a:\n  case 1:\n    pass\n  case 2:\n    pass", 3),
        ("match a:\n  case 1:\n    pass\n  case _:\n    pass", 2),
        ("return lambda: a or b", 2),
        ("def inner():\n  return a or b\nclass Inner:\n  x = a or b\nreturn inner", 1),
    ],
)
def test_every_way_to_branch_is_counted(body: str, expected: int) -> None:
    file = sample("async def f():\n" + indent(body, "    "))

    assert [complexity(function) for function in functions(file) if function.name == "f"] == [expected]


def test_a_function_that_branches_too_much_is_reported() -> None:
    body = "def f():\n    return " + " or ".join("a" * BRANCHES)

    assert list(branchy_functions(sample(body))) == []
    assert list(branchy_functions(sample(body + " or a"))) == [
        "src/quorate/model/sample.py:1: f has a complexity of 12, at most 11"
    ]


def test_only_what_is_named_may_branch_more() -> None:
    body = "def {}():\n    return " + " or ".join("a" * (BRANCHES + 1))

    branchy = frozenset({("src/quorate/model/sample.py", "named")})

    assert list(branchy_functions(sample(body.format("named")), branchy)) == []
    assert list(branchy_functions(sample(body.format("named"), "src/quorate/model/other.py"), branchy)) != []
    assert list(branchy_functions(sample(body.format("other")), branchy)) != []


def too_long(file: File) -> Iterator[str]:
    lines = len(file.text.splitlines())
    if lines > FILE:
        yield f"{file.path}: {lines} lines, at most {FILE}"


def long_functions(file: File) -> Iterator[str]:
    for node in functions(file):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION:
            yield f"{file.path}:{node.lineno}: {node.name} has {lines} lines, at most {FUNCTION}"


def branchy_functions(file: File, branchy: frozenset[tuple[str, str]] = BRANCHY) -> Iterator[str]:
    for node in functions(file):
        found = complexity(node)
        if found > BRANCHES and (file.path, node.name) not in branchy:
            yield f"{file.path}:{node.lineno}: {node.name} has a complexity of {found}, at most {BRANCHES}"


def functions(file: File) -> Iterator[Function]:
    return (node for node in file.nodes if isinstance(node, Function))


def complexity(function: Function) -> int:
    """Cyclomatic complexity as radon has it: the linter's own leaves out boolean operators and comprehensions."""
    return 1 + sum(map(branches, own_nodes(function)))


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """What a function is made of, without the functions and classes within, which are counted by themselves."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def branches(node: ast.AST) -> int:
    count = 0
    match node:
        case ast.If() | ast.IfExp() | ast.Assert():
            count = 1
        case ast.For() | ast.AsyncFor() | ast.While():
            count = 1 + bool(node.orelse)
        case ast.Try() | ast.TryStar():
            count = len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            count = len(node.values) - 1
        case ast.comprehension():
            count = 1 + len(node.ifs)
        case ast.Match():
            count = len(node.cases) - any(is_default(case.pattern) for case in node.cases)
        case _:
            pass
    return count


def is_default(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
