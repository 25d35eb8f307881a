"""What a seat asks to see in a folder is read, listed and searched there, and nothing else is ever opened."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.evidence.confined_folder import HARD_LINK, NOT_SHOWN, SECRET
from quorate.evidence.errand_look import EACH, FILES, HITS, LARGEST, ROOM, FileLooker
from quorate.evidence.root_folder import check_root
from quorate.evidence.secret_files import is_secret_name, may_be_shown
from quorate.model import Errand, Lookup, Passage
from tests.house.tree import ROOT

OUTSIDE = "what-lies-outside-the-folder"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with some files, and something beside it that nobody may see."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("import os\n\n\ndef main() -> None:\n    print('Retry')\n")
    (folder / "README.md").write_text("# Project\r\n\r\nIt does retry twice.\r\n")
    (folder / "empty.txt").touch()
    (folder / "data.bin").write_bytes(b"\x00\x01retry")
    (folder / "zeros.txt").write_bytes(b"\x00\x01retry")
    (folder / "latin.txt").write_bytes("Grün".encode("latin-1"))
    (folder / "long.txt").write_text("".join(f"line {n} {'x' * 80}\n" for n in range(1, 1001)))
    (tmp_path / "outside.txt").write_text(OUTSIDE)
    return folder


async def look(root: Path, *lookups: Lookup) -> tuple[Passage, ...]:
    errand = Errand(kind="look", round="analysis", seat="Safety", attempt=1, lookups=lookups)
    found = await FileLooker(str(root)).look(errand)
    assert found.key == errand.key
    return found.passages


async def read(root: Path, path: str, line: int = 0) -> Passage:
    (found,) = await look(root, Lookup(kind="read", path=path, line=line))
    return found


async def search(root: Path, text: str, path: str = ".") -> Passage:
    (found,) = await look(root, Lookup(kind="search", path=path, text=text))
    return found


async def listed(root: Path, path: str = ".") -> Passage:
    (found,) = await look(root, Lookup(kind="list", path=path))
    return found


@pytest.mark.parametrize("path", ["src/app.py", "./src/app.py", "src//app.py", "src/./app.py"])
async def test_a_file_is_read_with_its_lines_told(root: Path, path: str) -> None:
    found = await read(root, path)

    assert found.text.startswith("import os")
    assert found.title == f"file {path}, lines 1 to 5 of 5"


async def test_a_long_file_is_read_as_far_as_there_is_room_and_on_from_a_line(root: Path) -> None:
    begin = await read(root, "long.txt")
    last = begin.text.count("\n") + 1
    rest = await read(root, "long.txt", last + 1)

    assert len(begin.text) <= EACH
    assert begin.title == f"file long.txt, lines 1 to {last} of 1000"
    assert rest.text.startswith(f"line {last + 1} ")
    assert (await read(root, "long.txt", 5000)).why == "it has 1000 lines"


async def test_one_reply_brings_no_more_than_there_is_room_for(root: Path) -> None:
    found = await look(root, *(Lookup(kind="read", path="long.txt", line=n) for n in (0, 200, 400, 600)))

    assert sum(len(one.text) for one in found) <= ROOM
    assert [bool(one.text) for one in found] == [True, True, True, False] or not found[-1].text
    assert "no room left" in found[-1].why


async def test_a_line_that_is_too_long_is_cut_and_a_huge_file_read_in_part(root: Path) -> None:
    (root / "line.txt").write_text("y" * 50_000)
    with (root / "huge.log").open("wb") as file:
        file.write(b"first\n" + b"z" * 100 + b"\n")
        file.truncate(10 * LARGEST)
    (root / "huge.md").write_text(("grün " * 20 + "\n") * 20_000, encoding="utf-8")

    assert (await read(root, "line.txt")).text.endswith("y…")
    assert (await read(root, "huge.log")).why == "it holds no text in UTF-8"
    assert "of more than" in (await read(root, "huge.md")).title


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("data.bin", NOT_SHOWN),
        ("zeros.txt", "it holds no text in UTF-8"),
        ("latin.txt", "it holds no text in UTF-8"),
        ("empty.txt", "it is empty"),
        ("src", "it is a folder: list it"),
        (".", "it is a folder: list it"),
        ("nowhere.md", "there is no such file or folder"),
        ("src/app.py/x", "it is no folder: read it"),
        (f"{'x' * 256}.txt", "it cannot be opened"),
        ("x" * 256, NOT_SHOWN),
        ("\ud800", NOT_SHOWN),
    ],
)
async def test_what_cannot_be_read_says_why(root: Path, path: str, why: str) -> None:
    found = await read(root, path)

    assert (found.text, found.why) == ("", why)


async def test_a_folder_is_listed_with_sizes_and_without_links_and_secrets(root: Path) -> None:
    (root / "link").symlink_to("/etc")
    (root / ".env").write_text("TOKEN=1")
    (root / ".git").mkdir()
    (root / "new\nline.txt").touch()

    found = await listed(root)

    assert found.text.splitlines()[:3] == ["README.md (35 bytes)", "empty.txt (0 bytes)", "latin.txt (4 bytes)"]
    assert "src/" in found.text.splitlines()
    assert found.title == "folder ., 5 not shown"
    assert (await listed(root, "README.md")).why == "it is no folder: read it"


async def test_a_text_is_found_in_any_case_with_file_and_line(root: Path) -> None:
    found = await search(root, "RETRY")

    assert found.text.splitlines() == ["README.md:3: It does retry twice.", "src/app.py:5: print('Retry')"]
    assert (await search(root, "retry", "src")).text == "src/app.py:5: print('Retry')"
    assert (await search(root, "retry", "README.md")).text == "README.md:3: It does retry twice."
    assert (await search(root, "no such words")).why == "nothing was found"
    assert "fewer than 2" in (await search(root, "x ")).why


async def test_a_search_says_when_it_has_not_looked_everywhere(root: Path) -> None:
    for number in range(HITS + 20):
        (root / f"src/f{number:03}.txt").write_text("needle\n" * (1 + number % 20))

    found = await search(root, "needle")

    assert found.title.endswith("the first places")
    assert len(found.text.splitlines()) <= HITS
    assert FILES > HITS


async def test_a_search_does_not_go_into_others_packages_by_itself(root: Path) -> None:
    (root / "node_modules/pkg").mkdir(parents=True)
    (root / "node_modules/pkg/a.js").write_text("needle")

    assert (await search(root, "needle")).why == "nothing was found"
    assert (await search(root, "needle", "node_modules/pkg")).text == "node_modules/pkg/a.js:1: needle"


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".ENV", ".env.local", "prod.env", "server.pem", "id_rsa", "credentials.json", ".netrc", ".pgpass"),
        *(".e\u200bnv", ".env.", ".env ", "\uff0eenv", ".git", ".ssh", ".aws"),
    ],
)
async def test_a_secret_by_its_name_is_not_shown_however_it_is_spelt(root: Path, name: str) -> None:
    assert is_secret_name(name)
    place = root / "conf" / name
    place.mkdir(parents=True)
    (place / "config").write_text(OUTSIDE)

    for path in (f"conf/{name}", f"conf/{name}/config"):
        assert "secrets usually have" in (await read(root, path)).why
        assert "secrets usually have" in (await listed(root, path)).why
    assert not (await search(root, OUTSIDE)).text
    assert not (await listed(root, "conf")).text


def specials(root: Path) -> None:
    (root / "to-file.md").symlink_to(root.parent / "outside.txt")
    (root / "to-folder").symlink_to(root.parent)
    (root / "to-itself.md").symlink_to("to-itself.md")
    (root / "within").symlink_to("src")
    (root / "proc").symlink_to("/proc/self")
    os.mkfifo(root / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "s.py"))


@pytest.mark.parametrize(
    "path", ["to-file.md", "to-folder/outside.txt", "to-itself.md", "within/app.py", "proc/environ"]
)
async def test_links_are_not_followed_not_even_within(root: Path, path: str) -> None:
    specials(root)

    assert (await read(root, path)).why == "it is a link, and links are not followed"
    assert OUTSIDE not in (await search(root, OUTSIDE[:8])).text


async def test_pipes_and_sockets_are_neither_opened_nor_waited_for(root: Path) -> None:
    specials(root)

    for name in ("pipe.txt", "s.py"):
        assert (await read(root, name)).why == "it is no ordinary file"
    assert "pipe" not in (await listed(root)).text


async def test_a_folder_that_is_gone_is_told_and_raises_nothing(tmp_path: Path) -> None:
    errand = Errand(kind="look", round="r", lookups=(Lookup(kind="list", path="."),))

    found = await FileLooker(str(tmp_path / "gone")).look(errand)

    assert (found.passages, found.why) == ((), "the folder to look in is not there, or may not be opened")


@pytest.mark.parametrize("root_", ["/", "/proc", "/proc/self", "/sys", "/dev", "nowhere", "a\0b"])
async def test_the_system_itself_is_never_opened_to_a_panel(root_: str) -> None:
    with pytest.raises(BadSetting, match=r"give (the path of one|a project's folder)"):
        check_root(root_)
    errand = Errand(kind="look", round="r", lookups=(Lookup(kind="list", path="."),))
    assert not (await FileLooker(root_).look(errand)).passages


def test_a_folder_of_keys_is_no_root_and_a_project_of_that_name_is(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "credentials-service").mkdir()

    with pytest.raises(BadSetting, match="secrets"):
        check_root(str(tmp_path / ".ssh"))
    check_root(str(tmp_path / "credentials-service"))


NOT_LISTED_ANYWHERE = (
    *(
        ".env~",
        ".netrc.old",
        ".vault-token",
        "auth.json",
        "AUTH.JSON",
        ".env.swp",
        "config.json~",
        "id_work",
        "hosts.yml.bak",
    ),
    *("oauth-token.yaml", "my_password.txt", "api.keys.toml", "cookies.txt", ".pip.conf", "dump.sqlite", "core.1234"),
    *("session.json", "app.jar", "settings.plist", "prod.tfvars", ".config.json", ".hidden.md", "rsa", "data.json.enc"),
)


@pytest.mark.parametrize("name", NOT_LISTED_ANYWHERE)
async def test_a_file_of_no_known_kind_is_not_shown_though_no_list_calls_it_a_secret(root: Path, name: str) -> None:
    (root / "src" / name).write_text(OUTSIDE)

    assert not may_be_shown(name)
    found = await read(root, f"src/{name}")
    assert (found.text, found.why) == ("", NOT_SHOWN if not is_secret_name(name) else found.why)
    assert name not in (await listed(root, "src")).text
    assert (await listed(root, "src")).title.endswith("1 not shown")
    assert not (await search(root, OUTSIDE)).text


async def test_whether_a_file_that_is_not_shown_is_there_nobody_learns(root: Path) -> None:
    for name, why in (("auth.json", SECRET), ("core.1234", NOT_SHOWN)):
        (root / name).write_text(OUTSIDE)

        assert (await read(root, name)).why == why
        (root / name).unlink()
        assert (await read(root, name)).why == why


async def test_a_hard_link_is_not_shown(root: Path) -> None:
    """Its other name may lie anywhere; whoever may write into the folder could make one of any file it can name."""
    (root / "src/notes.md").hardlink_to(root.parent / "outside.txt")

    assert (await read(root, "src/notes.md")).why == HARD_LINK
    assert "notes.md" not in (await listed(root, "src")).text
    assert not (await search(root, OUTSIDE)).text


ORDINARY = (
    *(
        "README",
        "README.md",
        "LICENSE",
        "Makefile",
        "Dockerfile",
        "pyproject.toml",
        "package.json",
        "package-lock.json",
    ),
    *(
        "src/app.py",
        "src/auth.py",
        "src/token.rs",
        "src/Main.java",
        "src/a.test.tsx",
        "lib/index.d.ts",
        "go.mod",
        "Cargo.lock",
    ),
    *(
        ".gitignore",
        ".github/workflows/ci.yml",
        "docs/how-to/keys.md",
        "k8s/deployment.yaml",
        "schema.sql",
        "CMakeLists.txt",
    ),
    *(
        "tests/__init__.py",
        "setup.cfg",
        "tox.ini",
        "settings.xml",
        "data/rows.csv",
        "app/main.c",
        "app/main.h",
        "x.proto",
    ),
)


@pytest.mark.parametrize("path", ORDINARY)
async def test_an_ordinary_source_tree_can_be_read(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("needle")

    assert (await read(root, path)).text == "needle"
    assert path in (await search(root, "needle")).text


def test_of_this_project_almost_every_file_can_be_read() -> None:
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    unseen = {name for name in files if not may_be_shown(name.rpartition("/")[2])}
    binary = {".gz", ".png", ".woff2", ".pdf", ".webp", ".ico"}

    assert {name for name in unseen if Path(name).suffix not in binary} <= {".ci/run"}
