import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import File, sample, source

MODULES = frozenset({"pickle", "marshal", "shelve", "dill", "cloudpickle"})
LOADERS = ("load", "load_all", "unsafe_load", "full_load", "safe_load", "safe_load_all", "compose", "compose_all")
"""Even the safe ones write aliases out, and a few hundred bytes of those are more than any memory: `parse` alone is."""
CALLS = frozenset({"eval", "exec", "compile", *(f"yaml.{name}" for name in LOADERS)})

REPORTED = frozenset({"src/quorate/offline/prove_bench.py"})
"""Files where an error is the finding itself: a rule under proof may raise anything, and that it does is reported."""


def test_nothing_stored_can_run() -> None:
    assert [fault for file in source() for fault in dangerous(file)] == []


def test_one_door_reports_a_crash_and_nobody_else_swallows_one() -> None:
    places = [place for file in source() if file.path not in REPORTED for place in catch_alls(file)]

    assert len(places) <= 1
    assert all(place.startswith("src/quorate/doors/") for place in places)


def test_a_file_that_reports_every_error_catches_all_in_one_place() -> None:
    places = {file.path: len(list(catch_alls(file))) for file in source() if file.path in REPORTED}

    assert places == dict.fromkeys(REPORTED, 1)


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from marshal import loads",
        "eval('1')",
        "exec(text)",
        "yaml.load(text)",
        "from yaml import load",
        "yaml.unsafe_load(text)",
        "yaml.safe_load(text)",
        "yaml.compose(text)",
    ],
)
def test_a_way_to_run_what_is_stored_is_reported(line: str) -> None:
    assert len(list(dangerous(sample(line)))) == 1


@pytest.mark.parametrize("line", ["re.compile('x')", "yaml.parse(text)", "self.eval()", "json.load(file)"])
def test_a_harmless_namesake_is_not_reported(line: str) -> None:
    assert list(dangerous(sample(line))) == []


@pytest.mark.parametrize(
    "clause", ["except Exception:", "except (OSError, BaseException):", "except:", "except* Exception:"]
)
def test_a_catch_all_is_found(clause: str) -> None:
    assert len(list(catch_alls(sample(f"try:\n    f()\n{clause}\n    pass")))) == 1


def test_catching_what_is_raised_again_swallows_nothing() -> None:
    assert list(catch_alls(sample("try:\n    f()\nexcept BaseException:\n    undo()\n    raise"))) == []


def dangerous(file: File) -> Iterator[str]:
    for node in file.nodes:
        match node:
            case ast.Import(names=names) if any(alias.name.split(".")[0] in MODULES for alias in names):
                yield f"{file.path}:{node.lineno}: {ast.unparse(node)}"
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield f"{file.path}:{node.lineno}: {ast.unparse(node)}"
            case ast.ImportFrom(module="yaml", names=names) if any(f"yaml.{alias.name}" in CALLS for alias in names):
                yield f"{file.path}:{node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Name() | ast.Attribute() as func) if ast.unparse(func) in CALLS:
                yield f"{file.path}:{node.lineno}: {ast.unparse(func)}"
            case _:
                pass


def catch_alls(file: File) -> Iterator[str]:
    for node in file.nodes:
        if isinstance(node, ast.ExceptHandler) and catches_all(node) and not raises_again(node):
            yield f"{file.path}:{node.lineno}"


def catches_all(clause: ast.ExceptHandler) -> bool:
    if clause.type is None:
        return True
    return any(
        isinstance(node, ast.Name) and node.id in {"Exception", "BaseException"} for node in ast.walk(clause.type)
    )


def raises_again(clause: ast.ExceptHandler) -> bool:
    """Whether what was caught goes on, as it is or as the cause of an error with a name."""
    last = clause.body[-1]
    if not isinstance(last, ast.Raise):
        return False
    return last.exc is None or (isinstance(last.cause, ast.Name) and last.cause.id == clause.name)
