"""However a path is written and whoever moves links meanwhile: nothing outside the folder is opened, and no secret."""

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quorate.engine.errands import Clerk
from quorate.evidence.errand_look import FileLooker
from quorate.model import Errand, Lookup

CANARY = "canary-that-nobody-may-see"
NAMES = (
    *("src", "a.py", "notes.md", "deep", "..", ".", "", "...", "~", "/", "//", "\\", "..\\", "%2e%2e", "..%2f", "\0"),
    *("etc", "passwd", "proc", "self", "environ", "root", "fd", "dev", "zero", "out", "up", "loop", "pipe", "abs"),
    *(
        ".env",
        ".ENV",
        ".git",
        "config",
        ".ssh",
        "id_rsa",
        "server.key",
        "canary.txt",
        "x" * 255,
        "x" * 256,
        "é",
        "e\u0301",
    ),
    *(
        "\u202e",
        "\uff0e\uff0e",
        "\u2024\u2024",
        "\ud800",
        "C:",
        "nul",
        "-",
        "*",
        "?",
        "$HOME",
        "`id`",
        "a\nb",
        " ",
        "..;",
        ".. ",
        "file:",
    ),
)


def build(place: Path) -> Path:
    """A folder with files, links of every kind and secrets, and a canary in all that may not be seen."""
    root = place / "root"
    (root / "src/deep").mkdir(parents=True)
    for name in ("src/a.py", "notes.md", "src/deep/a.py"):
        (root / name).write_text("allowed\n")
    (place / "canary.txt").write_text(CANARY)
    for name in (".env", "server.key", "src/id_rsa"):
        (root / name).write_text(CANARY)
    for folder in (".git", ".ssh"):
        (root / folder).mkdir()
        (root / folder / "config").write_text(CANARY)
    links: dict[str, str | Path] = {
        "out": place,
        "up": "..",
        "loop": "loop",
        "abs": "/",
        "src/out": place / "canary.txt",
        "etc": "/etc",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    return root


def hostile(chance: random.Random) -> Lookup:
    path = chance.choice(("", "/", "./", "../")) + "/".join(chance.choices(NAMES, k=chance.randint(1, 6)))
    kind = chance.choice(("read", "read", "list", "search"))
    return Lookup(kind=kind, path=path, text="canary", line=chance.choice((0, 0, 2, 10**7)))  # type: ignore[arg-type]


OPENED = """
import asyncio, json, os, random, sys
from pathlib import Path
from quorate.evidence.errand_look import FileLooker
from quorate.model import Errand, Lookup
from tests.promises.test_look_confinement import CANARY, hostile

root, seed, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
EVENTS = {"open", "os.listdir", "os.scandir", "os.chdir", "os.rename", "subprocess.Popen", "socket.connect"}
opened = set()
watching = False

def audit(event, args):
    if watching and event in EVENTS:
        opened.add((event, str(args[0])))

sys.addaudithook(audit)
chance, leaks = random.Random(seed), []

async def main():
    global watching
    first = Errand(kind="look", round="r", lookups=(Lookup(kind="read", path="notes.md"),))
    await FileLooker(root).look(first)  # whatever Python itself has to load for it
    for _ in range(times // 4):
        lookups = tuple(hostile(chance) for _ in range(4))
        watching = True
        found = await FileLooker(root).look(Errand(kind="look", round="r", lookups=lookups))
        watching = False
        if CANARY in repr(found):
            leaks.append([one.path for one in lookups])

asyncio.run(main())
print(json.dumps({"opened": sorted(opened), "leaks": leaks}))
"""


@pytest.mark.promise
@pytest.mark.parametrize("times", [10_000, pytest.param(200_000, marks=pytest.mark.long)])
def test_hostile_paths_open_nothing_but_plain_names_below_the_folder(tmp_path: Path, seed: int, times: int) -> None:
    """Every file is opened by one plain name in an open folder; the only path that is opened whole is the root's."""
    root = build(tmp_path)
    told = subprocess.run(
        [sys.executable, "-c", OPENED, str(root), str(seed), str(times)], capture_output=True, text=True, check=True
    )
    found = json.loads(told.stdout)

    assert found["leaks"] == []
    names = {name for event, name in found["opened"] if event == "open"}
    assert names <= {str(root), "src", "a.py", "notes.md", "deep"}, names
    assert {event for event, _ in found["opened"]} <= {"open", "os.scandir"}
    assert all(name.isdecimal() for event, name in found["opened"] if event == "os.scandir"), "a folder by its path"
    assert "a.py" in names, "nothing was read at all"


@pytest.mark.promise
async def test_no_line_of_a_private_key_is_seen_whichever_part_of_a_file_is_asked_for(tmp_path: Path) -> None:
    """The control at once: what stands around the key is there."""
    body = "\n".join(f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB{number:04}" for number in range(120))
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"
    (tmp_path / "notes.txt").write_text(f"before\n{key}\nMIIE is how a key begins\n")
    lookups = (*(Lookup(kind="read", path="notes.txt", line=line) for line in (0, 3, 100)),)
    search = Lookup(kind="search", path=".", text="MIIE")

    found = (
        await Clerk.equipped()
        .looking_in(str(tmp_path), {})
        .run(Errand(kind="look", round="r", lookups=(*lookups, search)))
    )

    assert "MIIEvQ" not in repr(found)
    assert found.passages[0].text.splitlines()[0] == "before"
    assert "MIIE is how" in found.passages[0].text
    assert "MIIE is how" in found.passages[-1].text


RACED = (
    Lookup(kind="read", path="src/a.py"),
    Lookup(kind="read", path="notes.md"),
    Lookup(kind="list", path="src"),
    Lookup(kind="search", path="src", text="canary"),
)


@pytest.mark.promise
def test_while_links_change_places_with_files_and_folders_nothing_outside_is_seen(tmp_path: Path) -> None:
    root = build(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text(CANARY)
    stop = threading.Event()

    def swap() -> None:
        """A folder and a file are links half of the time; each change is one rename, as an attacker would do it."""
        pairs = (("src", tmp_path / "outside"), ("notes.md", tmp_path / "canary.txt"))
        while not stop.is_set():
            for name, target in pairs:
                aside, link = root / f"{name}.aside", root / f"{name}.link"
                link.symlink_to(target)
                (root / name).rename(aside)
                link.rename(root / name)
                (root / name).unlink()
                aside.rename(root / name)

    async def looks() -> tuple[int, int]:
        seen = leaked = 0
        for _ in range(1_500):
            found = await FileLooker(str(root)).look(Errand(kind="look", round="r", lookups=RACED))
            seen += "allowed" in found.passages[0].text
            leaked += CANARY in repr(found)
        return seen, leaked

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        seen, leaked = asyncio.run(looks())
    finally:
        stop.set()
        attacker.join()

    assert leaked == 0
    assert seen > 0, "the file was never there to be read, so nothing was shown"
