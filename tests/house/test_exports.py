import ast
from collections.abc import Iterator

from tests.house.tree import PACKAGE, File, sample, source

NAMES = 20


def test_every_all_is_sorted() -> None:
    assert [fault for file in source() for fault in unsorted_all(file)] == []


def test_quorate_exports_a_handful_of_names() -> None:
    [front] = [file for file in source() if file.path == "src/quorate/__init__.py"]

    assert len(exported(front.tree) or ()) <= NAMES


def test_nobody_inside_imports_the_front_of_the_house() -> None:
    assert [fault for file in source() for fault in front_imports(file)] == []


def test_an_unsorted_all_is_reported() -> None:
    assert list(unsorted_all(sample('__all__ = ["OPEN", "Ask", "Ballot", "hear"]'))) == []
    assert list(unsorted_all(sample('__all__ = ("Ballot", "Ask")'))) == [
        "src/quorate/model/sample.py: __all__ is not sorted"
    ]


def test_an_import_of_the_front_is_reported() -> None:
    assert list(front_imports(sample("from quorate import errors\nfrom quorate.model import Ask"))) == []
    assert list(front_imports(sample("from quorate import deliberate"))) == [
        "src/quorate/model/sample.py:1: imports deliberate from quorate itself; name the room"
    ]


def unsorted_all(file: File) -> Iterator[str]:
    names = exported(file.tree)
    if names is not None and list(names) != sorted(names, key=place):
        yield f"{file.path}: __all__ is not sorted"


def place(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then the rest: the order that ruff keeps."""
    return (not name.isupper(), not name[0].isupper(), name)


def exported(tree: ast.Module) -> tuple[str, ...] | None:
    """The names in `__all__`, which must stand there as a plain list or tuple."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return tuple(ast.literal_eval(value))
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                return tuple(ast.literal_eval(value))
            case _:
                pass
    return None


def front_imports(file: File) -> Iterator[str]:
    rooms = {path.stem for path in PACKAGE.iterdir()}
    for node in file.nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "quorate" and node.level == 0:
            for alias in node.names:
                if alias.name not in rooms:
                    yield f"{file.path}:{node.lineno}: imports {alias.name} from quorate itself; name the room"
