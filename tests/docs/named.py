"""Names that the source uses for things users meet: found by walking it, never listed by heart."""

import ast
from collections.abc import Iterator
from typing import get_args

from quorate import catalogue
from quorate.model.ballot import NOT_NEEDED
from quorate.panelists.http import failures
from quorate.reading.text.unreadable import Why
from tests.docs.tables import first
from tests.house.tree import File, source


def silences() -> set[str]:
    """Every reason a seat can be silent for."""
    told = (word for file in source() if file.room != "bench" for word in _reasons(file))
    return {*get_args(Why), NOT_NEEDED, *first(failures.__doc__ or ""), *told}


def cautions() -> set[str]:
    """Every name a caution can have; what the guard notices bears the name of its check."""
    return {*catalogue.names("check"), *(word for file in source() for word in _cautions(file))}


def variables() -> set[str]:
    """Every variable of the environment that the source asks for by name."""
    return {word for file in source() for word in _variables(file)}


def _calls(file: File) -> Iterator[tuple[str, ast.Call]]:
    for node in file.nodes:
        if isinstance(node, ast.Call):
            called = node.func
            yield called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""), node


def _reasons(file: File) -> Iterator[str]:
    for name, call in _calls(file):
        if name in {"Silent", "Silence", "Withdrawn"}:
            yield from (word for given in call.keywords if given.arg == "why" for word in _words(given.value))
        if name == "PanelistError" and file.room != "testing":
            yield from (word for given in call.args[:1] for word in _words(given))


def _cautions(file: File) -> Iterator[str]:
    for name, call in _calls(file):
        if name == "Caution":
            yield from (word for given in call.keywords if given.arg == "name" for word in _words(given.value))
        if name in {"_caution", "_Remark"}:
            yield from (word for given in call.args[:1] for word in _words(given))


def _variables(file: File) -> Iterator[str]:
    for name, call in _calls(file):
        if name == "get":
            yield from (word for given in call.args[:1] for word in _words(given) if word.isupper())


def _words(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    if isinstance(value, ast.IfExp):
        yield from (*_words(value.body), *_words(value.orelse))
