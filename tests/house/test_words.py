import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.tree import File, sample, source

BANNED = frozenset(
    {
        "agent",
        "manager",
        "coordinator",
        "handler",
        "helper",
        "util",
        "service",
        "processor",
        "data",
        "info",
        "result",
        "response",
        "metadata",
    }
)

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("src/quorate/evidence/webpage.py", "handle_data"): "html.parser calls it so",
    ("src/quorate/panelists/responses.py", "responses"): "OpenAI calls its format so",
    ("src/quorate/panelists/responses.py", "Responses"): "OpenAI calls its format so",
}
"""(file, name) → why it must be called that, for instance because somebody else's format says so."""


def test_names_are_words_of_the_trade() -> None:
    assert [f"{path}: {name}" for path, name in banned_names() if (path, name) not in EXCEPTIONS] == []


def test_every_exception_is_still_needed() -> None:
    assert set(EXCEPTIONS) <= set(banned_names())


@pytest.mark.parametrize(
    "text",
    [
        "def get_data(): ...",
        "class VoteManager: ...",
        "class HTTPHandler: ...",
        "def f(agents): ...",
        "def f(*, result): ...",
        "response = 1",
        "for info in (): ...",
        "class Seat:\n    metadata: str",
        "import json as util",
        "f(lambda data: 1)",
        "match x:\n    case int() as result: ...",
        "self.helper = 1",
    ],
)
def test_a_banned_word_is_reported(text: str) -> None:
    assert len(list(banned(sample(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass\nclass Seat: ...",
        "from importlib import metadata",
        "x = other.response",
        "class Agenda: ...",
        "utility = 1",
    ],
)
def test_a_word_that_only_looks_like_one_is_not_reported(text: str) -> None:
    assert list(banned(sample(text))) == []


def test_a_file_may_not_be_called_that_either() -> None:
    assert list(banned(sample("", "src/quorate/engine/utils.py"))) == ["utils"]


def banned_names() -> Iterator[tuple[str, str]]:
    for file in source():
        for name in banned(file):
            yield file.path, name


def banned(file: File) -> Iterator[str]:
    stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
    for name in (stem, *(name for node in ast.walk(file.tree) for name in defined(node))):
        if any(word in BANNED or word.removesuffix("s") in BANNED for word in words(name)):
            yield name


def words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name))


def defined(node: ast.AST) -> tuple[str, ...]:
    """The names that a node brings into the world; names of others that it merely uses are not ours to choose."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.alias(asname=str(name)):
            return (name,)
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return (name,)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
            return (name,)
        case _:
            return ()
