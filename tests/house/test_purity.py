import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import File, sample, source

ALLOWED = frozenset(
    {
        "abc",
        "base64",
        "binascii",
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "html",
        "itertools",
        "json",
        "keyword",
        "math",
        "numbers",
        "operator",
        "re",
        "statistics",
        "string",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "quorate",
    }
)
"""What a pure room may import. A name is added in the open: it must know no clock, chance, disk or network."""

ALLOWED_BY_FILE = {
    # It finds files by their names.
    "src/quorate/catalogue.py": frozenset({"importlib", "inspect", "pkgutil"}),
    # It finds packages that name our groups.
    "src/quorate/plugins.py": frozenset({"glob", "importlib.machinery", "importlib.metadata", "sys"}),
    # It tells what its classes take; dataclasses have loaded it anyway.
    "src/quorate/frozen.py": frozenset({"inspect"}),
}

CALLS = frozenset({"open", "input", "print", "breakpoint", "__import__"})
CLOCKS = frozenset({"now", "utcnow", "today", "fromtimestamp"})
MUTABLE_CALLS = frozenset({"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"})
READ_ONLY_TYPES = frozenset({"Final", "Mapping", "Sequence", "Set", "Collection"})


def test_pure_rooms_stay_pure() -> None:
    assert [fault for file in source() if file.pure for fault in (*impure_imports(file), *impure_calls(file))] == []


def test_pure_rooms_hold_no_state() -> None:
    assert [fault for file in source() if file.pure for fault in state(file)] == []


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "import os.path",
        "import urllib.request",
        "from random import Random",
        "from pathlib import Path",
        "import logging",
        "def f():\n    import socket",
        "import yaml",
        "from pydantic import BaseModel",
        "import inspect",
    ],
)
def test_an_impure_import_is_reported(line: str) -> None:
    assert len(list(impure_imports(sample(line)))) == 1


@pytest.mark.parametrize(
    "line", ["import urllib.parse", "from urllib.parse import quote", "from . import ballot", "import collections.abc"]
)
def test_a_pure_import_is_not_reported(line: str) -> None:
    assert list(impure_imports(sample(line))) == []


@pytest.mark.parametrize("line", ["open('x')", "datetime.now()", "date.today()", "datetime.datetime.now(tz=UTC)"])
def test_an_impure_call_is_reported(line: str) -> None:
    assert len(list(impure_calls(sample(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "cache = {}",
        "seen: set[str] = set()",
        "NAMES = ['a', 'b']",
        "heard: Final = []",
        "TABLE = {n: n for n in range(3)}",
        "def f():\n    global x\n    x = 1",
    ],
)
def test_module_state_is_reported(line: str) -> None:
    assert len(list(state(sample(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "__all__ = ['Ask']",
        "NAMES = ('a', 'b')",
        "WORDS = frozenset({'a'})",
        "TABLE = MappingProxyType({'a': 1})",
        "TABLE: Final = {'a': 1}",
        "TABLE: Mapping[str, int] = {'a': 1}",
        "TABLE: Final[Mapping[str, int]] = {'a': 1}",
        "def f():\n    found = []",
    ],
)
def test_a_constant_is_not_reported(line: str) -> None:
    assert list(state(sample(line))) == []


def impure_imports(file: File) -> Iterator[str]:
    allowed = ALLOWED | ALLOWED_BY_FILE.get(file.path, frozenset())
    for node in file.nodes:
        for name in imported(node):
            if not any(name == one or name.startswith(f"{one}.") for one in allowed):
                yield f"{file.path}: imports {name}"


def imported(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Import(names=names):
            return tuple(alias.name for alias in names)
        case ast.ImportFrom(level=0, module=str(module)):
            return (module,)
        case _:
            return ()


def impure_calls(file: File) -> Iterator[str]:
    for node in file.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield f"{file.path}:{node.lineno}: calls {name}"
            case ast.Call(func=ast.Attribute(attr=name)) if name in CLOCKS:
                yield f"{file.path}:{node.lineno}: asks the clock by {name}"
            case _:
                pass


def state(file: File) -> Iterator[str]:
    for node in file.nodes:
        if isinstance(node, ast.Global):
            yield f"{file.path}:{node.lineno}: global {', '.join(node.names)}"
    for node in file.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name != "__all__" and is_mutable(value):
                yield f"{file.path}:{node.lineno}: {name} can be changed"
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value) if (
                is_mutable(value) and not (name.isupper() and is_read_only(annotation))
            ):
                yield f"{file.path}:{node.lineno}: {name} can be changed"
            case _:
                pass


def is_mutable(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in MUTABLE_CALLS
        case _:
            return False


def is_read_only(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in READ_ONLY_TYPES
        case ast.Subscript(value=value):
            return is_read_only(value)
        case _:
            return False
