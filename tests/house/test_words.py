"""Names: the trade's own words for technical things, the deliberation's nouns for the domain, and no third language."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.house.tree import ROOT, File, sample, source

HOLLOW = frozenset({"manager", "coordinator", "handler", "helper", "util", "processor"})
"""Words that say nothing of what a thing is."""

PREPOSITIONS = frozenset(
    {
        "about", "above", "across", "after", "against", "along", "among", "around", "at", "before", "behind", "beneath",
        "beside", "between", "beyond", "by", "during", "for", "from", "in", "inside", "into", "near", "of", "off", "on",
        "onto", "out", "over", "per", "since", "through", "to", "under", "until", "up", "upon", "with", "within",
        "without",
    }
)  # fmt: skip
PARTICIPLES = frozenset(
    {
        "begun", "bought", "bound", "built", "chosen", "cut", "drawn", "found", "given", "gone", "heard", "held",
        "hidden", "kept", "known", "laid", "left", "lost", "made", "met", "paid", "put", "said", "seen", "sent", "set",
        "shown", "spoken", "taken", "told", "won", "written",
    }
)  # fmt: skip
NOUNS = frozenset(
    {
        "authoring", "being", "binding", "counting", "embedded", "embeddings", "encoding", "evidence", "feed",
        "finding", "grouping", "heading", "king", "logging", "meaning", "need", "padding", "ranking", "reading",
        "recording", "routing", "seating", "seed", "setting", "signing", "speed", "string", "testing", "thing",
        "thinking", "wording",
    }
)  # fmt: skip
"""They end like a participle and name a thing."""

EVENTS = "src/quorate/model/events.py"
"""Events are past by law: something has happened."""

OLD = ROOT / "tests" / "house" / "old_names.txt"
"""Public names that are still to be replaced; none may be added, and one that is gone is struck out."""

TYPED = frozenset({"src/quorate/protocols/ranked.py: ranked"})
"""Files named after the word that people type, `--protocol ranked`, as in a ranked vote."""

SAME_BY_DESIGN = {
    "approval": "a protocol and its form",
    "ask": "the command that asks and the ask itself",
    "attest": "a command and the work behind it",
    "debate": "a protocol and its view",
    "decide": "a command and the work behind it",
    "demo": "the panelist and the rule that caps it",
    "estimate": "a form of answer, and what a deliberation is expected to cost",
    "group": "a command and the work behind it",
    "oracle": "a protocol and its view",
    "panel": "a command and the noun",
    "quality": "a command and its view",
    "review": "a command and the work behind it",
    "verify": "a command and the work behind it",
}
"""Modules of one name in different rooms, and why that is no confusion: a door's file is named after its command."""


def test_no_name_is_hollow() -> None:
    assert [f"{file.path}: {name}" for file in source() for name in hollow(file)] == []


def test_no_public_name_is_a_bare_participle_or_preposition() -> None:
    found = {f"{file.path}: {name}" for file in source() for name in bare(file)}
    old = set(OLD.read_text(encoding="utf-8").splitlines())

    assert sorted(found - old - TYPED) == [], "name the thing: panel_file, passages, reply"
    assert sorted(old - found) == [], f"gone for good; strike it out of {OLD.name}"


def test_no_two_modules_of_different_rooms_share_a_name() -> None:
    assert {name: paths for name, paths in shared_modules(source()).items() if name not in SAME_BY_DESIGN} == {}


@pytest.mark.parametrize("text", ["class VoteManager: ...", "class HTTPHandler: ...", "import json as util"])
def test_a_hollow_word_is_reported(text: str) -> None:
    assert len(list(hollow(sample(text)))) == 1


@pytest.mark.parametrize("text", ["result = 1", "def f(response): ...", "class Seat:\n    data: str", "utility = 1"])
def test_what_is_what_it_says_may_be_called_so(text: str) -> None:
    assert list(hollow(sample(text))) == []


@pytest.mark.parametrize(
    "text", ["def given(): ...", "def around(): ...", "class Attached: ...", "async def pooled(): ..."]
)
def test_a_bare_participle_or_preposition_is_reported(text: str) -> None:
    assert len(list(bare(sample(text)))) == 1


@pytest.mark.parametrize(
    "text", ["def panel_file(): ...", "class PanelFile: ...", "def _given(): ...", "class Seating: ..."]
)
def test_a_thing_with_a_name_is_not(text: str) -> None:
    assert list(bare(sample(text))) == []


def test_an_event_is_past() -> None:
    assert list(bare(sample("class Asked: ...", EVENTS))) == []


def hollow(file: File) -> Iterator[str]:
    stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
    for name in (stem, *(name for node in ast.walk(file.tree) for name in defined(node))):
        if any(word in HOLLOW or word.removesuffix("s") in HOLLOW for word in words(name)):
            yield name


def bare(file: File) -> Iterator[str]:
    """The module and what it defines at its top, where that is public."""
    if file.path == EVENTS:
        return
    stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = [node.name for node in file.tree.body if isinstance(node, named)]
    yield from (name for name in (stem, *names) if not name.startswith("_") and _is_bare(name))


def _is_bare(name: str) -> bool:
    parts = words(name)
    if len(parts) != 1 or parts[0] in NOUNS:
        return False
    return parts[0] in PREPOSITIONS | PARTICIPLES or re.fullmatch(r"[a-z]{2,}(?:ed|ing)", parts[0]) is not None


def shared_modules(files: tuple[File, ...]) -> dict[str, list[str]]:
    found = defaultdict[str, dict[str, str]](dict)
    for file in files:
        stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
        if not stem.startswith("_") and file.room:
            found[stem].setdefault(file.room, file.path)
    return {name: sorted(paths.values()) for name, paths in found.items() if len(paths) > 1}


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
