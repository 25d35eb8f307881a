"""A folder of documents: what is found in it, what is not read, and that nothing outside it is."""

import os
import random
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from quorate.evidence import file_walk
from quorate.evidence.credibility import table_of
from quorate.evidence.errand_find import Library
from quorate.evidence.file_kinds import NO_KIND
from quorate.evidence.index import Index
from quorate.evidence.search_settings import SearchSettings
from quorate.evidence.source_document import LONGEST, UnreadFile, digest_of, split_passages
from tests.evidence.library import CLAIM, FACT, MIRROR_TEXT, MIRRORS, fill

BRIDGE = "Has the Valdoria harbour bridge opened to traffic?"


def library(*sources: Path, cache: Path | None = None, said: list[str] | None = None) -> Library:
    env = {"XDG_CACHE_HOME": str(cache)} if cache else {}
    return Library(SearchSettings(sources=sources, env=env, note=said.append if said is not None else None), table_of())


def test_the_best_passages_come_first_with_what_their_documents_say_of_themselves(tmp_path: Path) -> None:
    found = library(fill(tmp_path / "lib")).find((BRIDGE,), 50)

    assert all(FACT in passage.text for passage in found[:3])
    opened = next(passage for passage in found if passage.url == "claimed:https://www.reuters.com/bridge")
    assert (opened.title, opened.category) == ("Bridge opened", "domain_specific")
    assert opened.date.startswith("2024-03-")
    assert any(CLAIM in passage.text for passage in found)


def test_one_text_under_fifty_addresses_is_found_once(tmp_path: Path) -> None:
    found = library(fill(tmp_path / "lib")).find(("leaked memo Valdoria sold orchard owner crown",), 50)
    memos = [passage for passage in found if MIRROR_TEXT in passage.text]

    assert [memo.url for memo in memos] == [f"claimed:{MIRRORS[0]}"]
    assert memos[0].digest == digest_of(f"# Memo\n\n{MIRROR_TEXT.upper()}\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", '<head><link rel="canonical" href="https://www.reuters.com/w"></head><p>The walrus sleeps.</p>'),
        ("a.html", '<head><meta property="og:url" content="https://www.nasa.gov/w"></head><p>The walrus sleeps.</p>'),
        ("a.md", "---\nurl: https://www.reuters.com/w\n---\nThe walrus sleeps."),
        ("a.md", "---\nsource: https://ec.europa.eu/w\ncategory: official\n---\nThe walrus sleeps."),
        ("a.json", '[{"url": "https://www.reuters.com/w", "text": "The walrus sleeps."}]'),
    ],
)
def test_the_address_a_document_gives_itself_makes_it_no_more_credible(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "plain.md").write_text("The heron sleeps.")
    [found] = library(tmp_path / name).find(("walrus",), 5)
    [plain] = library(tmp_path / "plain.md").find(("heron",), 5)

    assert found.credibility == plain.credibility
    assert found.url.startswith("claimed:https://")
    assert found.why.startswith("a document of your own; nobody has checked the address it gives itself")


def test_a_document_without_an_address_goes_by_its_name_in_the_folder(tmp_path: Path) -> None:
    found = library(fill(tmp_path / "lib")).find(("my own notes",), 5)

    assert found[0].url == "notes.txt"
    assert found[0].why == "a document of your own, without an address on the web"


def test_an_archive_holds_the_same_as_the_folder_it_was_made_from(tmp_path: Path) -> None:
    folder = fill(tmp_path / "lib")
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as zipped, tarfile.open(tmp_path / "lib.tar.gz", "w:gz") as packed:
        for path in sorted(folder.rglob("*.*")):
            zipped.write(path, path.relative_to(folder))
            packed.add(path, str(path.relative_to(folder)))
    plain = library(folder).find((BRIDGE,), 20)

    assert library(tmp_path / "lib.zip").find((BRIDGE,), 20) == plain
    assert library(tmp_path / "lib.tar.gz").find((BRIDGE,), 20) == plain


def test_an_unchanged_file_is_not_read_again_and_a_changed_or_deleted_one_is_noticed(tmp_path: Path) -> None:
    folder, index = tmp_path / "lib", Index(tmp_path / "cache" / "index.db")
    folder.mkdir()
    for name, text in (("a.md", "walrus first"), ("b.md", "heron")):
        (folder / name).write_text(text)
    index.refresh((folder,))
    stamp = (folder / "a.md").stat()
    (folder / "a.md").write_text("badger first")  # of the same size, and made to look as old
    os.utime(folder / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    (folder / "a.md").write_text("walrus again!")
    os.utime(folder / "b.md", ns=(1, 1))
    os.utime(folder / "a.md", ns=(stamp.st_atime_ns, time.time_ns()))
    index.refresh((folder,))

    assert [hit.text for hit in index.search("walrus", 5)] == ["walrus again!"]
    (folder / "a.md").unlink()
    index.refresh((folder,))
    assert index.search("walrus again", 5) == []
    assert [hit.url for hit in index.search("heron", 5)] == ["b.md"]


def test_a_file_that_looks_unchanged_is_not_opened(tmp_path: Path) -> None:
    index, file = Index(tmp_path / "index.db"), tmp_path / "lib" / "a.md"
    file.parent.mkdir()
    file.write_text("walrus one")
    index.refresh((file.parent,))
    stamp = file.stat()
    file.write_text("badger two")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    index.refresh((file.parent,))

    assert [hit.text for hit in index.search("walrus badger", 5)] == ["walrus one"]


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("pangolin")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "deep.md").write_text("pangolin too")
    folder = tmp_path / "lib"
    folder.mkdir()
    (folder / "own.md").write_text("walrus")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "up").symlink_to(tmp_path / "elsewhere")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    index = Index(tmp_path / "index.db")

    unread = index.refresh((folder,))

    assert index.search("pangolin", 5) == []
    assert [hit.url for hit in index.search("walrus", 5)] == ["own.md"]
    assert {(one.name, one.why) for one in unread} >= {
        ("link.md", "a link, which is not followed"),
        ("pipe.md", "no ordinary file"),
    }


def test_what_cannot_be_read_is_listed_and_never_raised(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    for name, content in {
        "zeros.txt": bytes(100),
        "empty.md": b"",
        "broken.pdf": b"%PDF-1.7 nothing",
        "picture.png": b"\x89PNG",
        "large.txt": b"x" * (10 * 2**20 + 1),
        "old.txt": "Käse aus dem Süden".encode("cp1252"),
    }.items():
        (folder / name).write_bytes(content)
    said: list[str] = []
    shelves = library(folder, said=said)

    assert [passage.text for passage in shelves.find(("käse",), 5)] == ["Käse aus dem Süden"]
    assert {(one.name, one.why) for one in shelves.unread} == {
        ("zeros.txt", "no text"),
        ("empty.md", "without any words"),
        ("broken.pdf", "a PDF that cannot be read"),
        ("picture.png", NO_KIND),
        ("large.txt", "larger than 10 MB"),
    }
    assert shelves.note().startswith("4 files were not read: ")
    assert "not read: large.txt (larger than 10 MB)" in said


def test_an_archive_that_unpacks_without_end_or_is_none_is_left(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("../../up.md", "walrus")
        zipped.writestr("big.txt", bytes(64 * 2**20))
    (tmp_path / "none.zip").write_bytes(b"PK nothing")
    shelves = library(tmp_path / "bomb.zip", tmp_path / "none.zip")

    assert [passage.url for passage in shelves.find(("walrus",), 5)] == ["up.md"]
    assert {one.why for one in shelves.unread} == {"larger than 10 MB", "an archive that cannot be read to its end"}


def test_an_archive_is_unpacked_to_a_limit_and_what_is_passed_over_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes of xz can hold gigabytes of a file that is not read, and all of it must be unpacked."""
    monkeypatch.setattr(file_walk, "PASSED_OVER", 2**20)
    for name, size in (("small", 2**10), ("large", 4 * 2**20)):
        (tmp_path / "zeros.bin").write_bytes(bytes(size))
        (tmp_path / "last.md").write_text("walrus")
        with tarfile.open(tmp_path / f"{name}.tar.xz", "w:xz") as packed:
            packed.add(tmp_path / "zeros.bin", "zeros.bin")
            packed.add(tmp_path / "last.md", "last.md")
    small, large = library(tmp_path / "small.tar.xz"), library(tmp_path / "large.tar.xz")

    assert [passage.url for passage in small.find(("walrus",), 5)] == ["last.md"]
    assert large.find(("walrus",), 5) == ()
    assert {one.why for one in large.unread} == {"an archive that cannot be read to its end"}


def test_a_pdf_is_read(tmp_path: Path) -> None:
    words = b"BT /F1 12 Tf 72 720 Td (The walrus sleeps on the pier) Tj ET"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(words), words),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )
    (tmp_path / "a.pdf").write_bytes(body + end)

    assert [passage.text for passage in library(tmp_path).find(("walrus",), 5)] == ["The walrus sleeps on the pier"]


def test_the_index_is_kept_for_its_owner_alone_and_made_anew_if_it_is_broken(tmp_path: Path) -> None:
    folder, cache = fill(tmp_path / "lib"), tmp_path / "cache"
    first = library(folder, cache=cache).find((BRIDGE,), 5)
    [kept] = (cache / "quorate" / "sources").glob("*.db")
    assert kept.stat().st_mode & 0o777 == 0o600
    for path in kept.parent.iterdir():
        path.write_bytes(b"no database at all" * 400)
    said: list[str] = []

    assert library(folder, cache=cache, said=said).find((BRIDGE,), 5) == first
    assert said == []


def test_where_no_index_can_be_kept_it_is_made_for_this_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    said: list[str] = []
    found = library(fill(tmp_path / "lib"), cache=tmp_path / "cache", said=said).find((BRIDGE,), 5)

    assert FACT in found[0].text
    assert any("is not kept" in line for line in said)


def test_long_reading_is_told_of(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    for number in range(600):
        (folder / f"{number}.txt").write_text(f"note {number}")
    said: list[str] = []
    library(folder, said=said).find(("note",), 1)

    assert said == ["reading sources: 500 files"]


def test_scripts_without_spaces_are_searched_sign_by_sign(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("我们在北京看到了新的桥梁。", encoding="utf-8")
    (tmp_path / "b.md").write_text("京北没有桥。", encoding="utf-8")

    assert [passage.url for passage in library(tmp_path).find(("北京",), 5)] == ["a.md"]


def test_every_word_of_a_text_stands_in_a_passage_of_bounded_size(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        gaps = (" ", " ", ". ", "\n\n", "\n")
        words = [f"w{number}" * chance.randrange(1, 8) for number in range(chance.randrange(1, 600))]
        passages = list(split_passages("".join(word + chance.choice(gaps) for word in words)))

        assert {word for passage in passages for word in passage.replace(".", " ").split()} >= set(words)
        assert max(map(len, passages)) <= LONGEST


SIGNS = (
    '"',
    "'",
    "*",
    "(",
    ")",
    ":",
    "^",
    "-",
    "+",
    "{",
    "}",
    "\\",
    "\0",
    "\n",
    "%",
    "_",
    ";",
    "\ud800",
    "́",
    "𝔘",  # noqa: RUF001  that is what it is here for
    "北",
    ",",
)
WORDS = (
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "title:",
    "text",
    "rowid",
    "bridge",
    "walrus",
    "DROP TABLE",
    "",
    "-- ",
    "''",
)


@pytest.mark.promise
def test_no_query_raises_and_none_reaches_beyond_the_passages(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.md").write_text("walrus bridge AND near text title")
    index = Index(tmp_path / "index.db")
    assert index.refresh((tmp_path / "lib",)) == ()
    pieces = (*SIGNS, *WORDS)
    found = 0
    for _ in range(10_000):
        query = "".join(chance.choice(pieces) + chance.choice(("", " ")) for _ in range(chance.randrange(9)))
        hits = index.search(query, 5)
        found += bool(hits)
        assert {hit.url for hit in hits} <= {"a.md"}
    assert found > 1_000
    assert index.refresh((tmp_path / "lib",)) == ()
    assert [hit.url for hit in index.search("walrus", 5)] == ["a.md"]


def test_an_unread_file_is_told_again_while_it_stays(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "zeros.txt").write_bytes(bytes(10))
    index = Index(tmp_path / "index.db")

    assert index.refresh((tmp_path / "lib",)) == (UnreadFile("zeros.txt", "no text"),)
    assert index.refresh((tmp_path / "lib",)) == (UnreadFile("zeros.txt", "no text"),)
