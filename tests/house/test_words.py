"""Names: the trade's own words for technical things, the deliberation's nouns for the domain, and no third language."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from quorate.doors.cli.command_group import COMMANDS
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
        "finding", "folding", "grouping", "heading", "king", "logging", "meaning", "need", "padding", "pooling",
        "ranking", "reading",
        "recording", "routing", "seating", "seed", "setting", "signing", "speed", "string", "testing", "thing",
        "thinking", "wording",
    }
)  # fmt: skip
"""They end like a participle and name a thing."""

EVENTS = "src/quorate/model/events.py"
"""Events are past by law: something has happened."""

OLD = ROOT / "tests" / "house" / "old_names.txt"
"""Public names that are still to be replaced; none may be added, and one that is gone is struck out."""

BY_DESIGN = {
    "src/quorate/model/heard.py: Heard": "all that a protocol looks at; `quorate.authoring` exports it",
    "src/quorate/model/heard.py: heard": "its file",
    "src/quorate/protocols/ranked.py: ranked": "the word that people type, `--protocol ranked`, as in a ranked vote",
    "src/quorate/testing.py: Scripted": "the fake of the tutorials; `quorate.testing` exports it",
}
"""Public names that whoever writes against quorate has learnt, and what they are."""

SHARED = ROOT / "tests" / "house" / "shared_names.txt"
"""Public classes and modules of one name in different rooms that are still to be told apart; none may be added."""

COMMAND_FILES = frozenset(f"src/quorate/doors/cli/{target.partition(':')[0]}.py" for target in COMMANDS.values())
"""Named after their command, whatever else bears that word: `quorate panel` and the panel itself. So with protocols."""


def test_no_name_is_hollow() -> None:
    assert [f"{file.path}: {name}" for file in source() for name in hollow(file)] == []


def test_no_public_name_is_a_bare_participle_or_preposition() -> None:
    found = {f"{file.path}: {name}" for file in source() for name in bare(file)} - BY_DESIGN.keys()
    old = set(OLD.read_text(encoding="utf-8").splitlines())

    assert sorted(found - old) == [], "name the thing: panel_file, passages, reply"
    assert sorted(old - found) == [], f"gone for good; strike it out of {OLD.name}"


def test_no_two_classes_or_modules_of_different_rooms_share_a_name() -> None:
    found = {f"{name}: {' '.join(paths)}" for name, paths in shared(source()).items()}
    old = set(SHARED.read_text(encoding="utf-8").splitlines())

    assert sorted(found - old) == [], "one name, one meaning: say which of the two it is"
    assert sorted(old - found) == [], f"gone for good; strike it out of {SHARED.name}"


def test_what_is_excused_is_there() -> None:
    found = {f"{file.path}: {name}" for file in source() for name in bare(file)}

    assert BY_DESIGN.keys() - found == set()


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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("class Entry: ...", "ledger/rows.py"), ("class Entry: ...", "similarity/words.py")),
        (("", "ledger/entry.py"), ("", "similarity/entry.py")),
        (("", "views/panel.py"), ("", "model/panel.py")),
        (("", "doors/cli/text.py"), ("", "model/text.py")),
        (("", "ledger/sqlite/spool.py"), ("", "engine/spool.py")),
    ],
)
def test_one_name_in_two_rooms_is_reported(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert len(shared((in_house(*first), in_house(*second)))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("class Entry: ...", "ledger/rows.py"), ("class Entry: ...", "ledger/words.py")),
        (("class _Entry: ...", "ledger/rows.py"), ("class _Entry: ...", "similarity/words.py")),
        (("", "doors/cli/panel.py"), ("", "model/panel.py")),
        (("", "ledger/__init__.py"), ("", "model/__init__.py")),
    ],
)
def test_one_room_a_private_class_and_a_command_may_share_one(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert shared((in_house(*first), in_house(*second))) == {}


def in_house(text: str, path: str) -> File:
    return sample(text, f"src/quorate/{path}")


def hollow(file: File) -> Iterator[str]:
    stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
    for name in (stem, *(name for node in file.nodes for name in defined(node))):
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


def shared(files: tuple[File, ...]) -> dict[str, list[str]]:
    """Public classes and modules by name, with a file of each room, where there is more than one room."""
    found = defaultdict[str, dict[str, str]](dict)
    for file in files:
        for name in own_names(file) if file.room else ():
            found[name].setdefault(str(file.room), file.path)
    return {name: sorted(paths.values()) for name, paths in found.items() if len(paths) > 1}


def own_names(file: File) -> Iterator[str]:
    """The module, unless its name is what people type for it, and its public classes."""
    stem = file.path.rsplit("/", 1)[-1].removesuffix(".py")
    if not stem.startswith("_") and file.path not in COMMAND_FILES and file.room != "protocols":
        yield stem
    yield from (
        node.name for node in file.tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


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
