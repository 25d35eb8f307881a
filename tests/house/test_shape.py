"""The shape of the whole: functions are short, and a module that only one other needs is the exception."""

import ast
from collections.abc import Iterator
from statistics import median

from tests.house.tree import File, sample, source

MEDIAN = 8
"""Lines of a function, in the middle."""
SINGLE = 8
"""Of so many modules one may have a single importer. Half of those are packages, or loaded by name."""


def test_functions_are_short_in_the_middle() -> None:
    assert median(lines for file in source() for lines in function_lines(file)) <= MEDIAN


def test_few_modules_serve_one_other_alone() -> None:
    single = with_one_importer(source())

    print(f"{len(single)} of {len(source())} modules have one importer: {', '.join(sorted(single))}")  # noqa: T201
    assert len(single) * SINGLE <= len(source())


def test_a_module_is_imported_by_its_own_name_or_from_its_package() -> None:
    one, other = sample("", "src/quorate/model/ask.py"), sample("", "src/quorate/model/ballot.py")
    uses = sample("from quorate.model import ask\nfrom quorate.model.ballot import Ballot", "src/quorate/chair.py")
    again = sample("def f():\n    from quorate.model.ballot import Read", "src/quorate/presets.py")

    assert with_one_importer((one, other, uses, again)) == {"quorate.model.ask"}


def function_lines(file: File) -> Iterator[int]:
    for node in file.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def with_one_importer(files: tuple[File, ...]) -> set[str]:
    """Modules that just one other imports, wherever in a file the import stands."""
    importers: dict[str, set[str]] = {module_name(file): set() for file in files}
    for file in files:
        for name in imported_names(file):
            if name in importers and name != module_name(file):
                importers[name].add(file.path)
    return {name for name, by in importers.items() if len(by) == 1}


def module_name(file: File) -> str:
    return file.path.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def imported_names(file: File) -> Iterator[str]:
    for node in file.nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("quorate"):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
