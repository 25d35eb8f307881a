"""No document stops the event loop, hurts this process or leaves another one behind; it's said why it wasn't read."""

import asyncio
import gzip
import os
import struct
import subprocess
import sys
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path

import pytest

from quorate.evidence import document_parsers
from quorate.evidence.credibility import table_of
from quorate.evidence.document_parsers import CPU_SECONDS
from quorate.evidence.document_reader import CRASHED, TOO_SLOW, DocumentReader, ParsedDocument, ReadingStopped
from quorate.evidence.errand_find import NO_TIME, EvidenceFinder, Library
from quorate.evidence.file_kinds import read_file
from quorate.evidence.file_walk import SourceFile, gather
from quorate.evidence.index import Index
from quorate.evidence.search_settings import SearchSettings
from quorate.evidence.source_document import Document, UnreadFile, digest_of
from quorate.model import Errand
from tests.evidence.hostile_pdf import HOSTILE_PDFS, pdf_of

ENDLESS_PAGE = "<a " * 200_000
"""The standard library's parser needs many minutes for it."""
ERRAND = Errand(kind="find", round="r", texts=("walrus",))


def children() -> set[int]:
    """The processes that this one has started and not reaped, dead ones among them."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {int(line.split()[0]) for line in listed.stdout.splitlines() if " ps " not in line}


async def ticks_during(work: Awaitable[object]) -> tuple[object, int]:
    """What came of it, and how often the event loop went round meanwhile, one tick each ten milliseconds."""
    ticks, task = 0, asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    return task.result(), ticks


@pytest.mark.parametrize("name", HOSTILE_PDFS)
async def test_a_hostile_pdf_is_read_or_named_and_the_loop_goes_on(tmp_path: Path, name: str) -> None:
    before = children()
    (tmp_path / "hostile.pdf").write_bytes(HOSTILE_PDFS[name])
    (tmp_path / "plain.pdf").write_bytes(pdf_of("The walrus sleeps"))
    finder = EvidenceFinder(SearchSettings(sources=(tmp_path,)))
    cpu = time.process_time()

    found, ticks = await ticks_during(finder.find(ERRAND))

    assert [one.url for one in found.passages if "sleeps" in one.text] == ["plain.pdf"]  # type: ignore[attr-defined]
    assert ticks >= 3
    assert time.process_time() - cpu < CPU_SECONDS, "it was parsed in this process"
    assert children() == before


async def test_a_document_that_is_too_slow_is_named_with_the_reason_and_the_next_one_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(ENDLESS_PAGE)
    (tmp_path / "b.html").write_text("<p>The walrus sleeps.</p>")
    library = Library(SearchSettings(sources=(tmp_path,)), table_of())

    passages, ticks = await ticks_during(asyncio.to_thread(library.find, ("walrus",), 5))

    assert [one.url for one in passages] == ["b.html"]  # type: ignore[attr-defined]
    assert library.unread == (UnreadFile("a.html", TOO_SLOW),)
    assert library.note() == f"1 file was not read: 1 {TOO_SLOW}"
    assert ticks > 100


def test_a_document_that_is_too_slow_by_the_clock_is_given_up() -> None:
    with DocumentReader(seconds=0.5) as reader:
        assert reader.parse("page", ENDLESS_PAGE.encode()).why == TOO_SLOW
        assert reader.parse("page", b"<p>walrus").text.strip() == "walrus"


async def test_the_deadline_of_the_deliberation_ends_reading_and_the_rest_is_read_next_time(tmp_path: Path) -> None:
    before = children()
    for number, text in enumerate(("<p>The walrus sleeps.</p>", ENDLESS_PAGE, "<p>The walrus eats.</p>")):
        (tmp_path / f"{number}.html").write_text(text)
    until = asyncio.get_running_loop().time() + 2.0
    means = SearchSettings(sources=(tmp_path,), until=until, env={"XDG_CACHE_HOME": str(tmp_path / ".cache")})

    found = await EvidenceFinder(means).find(ERRAND)

    assert found.why == NO_TIME
    await gone(before)
    assert means.cache is not None
    (tmp_path / "1.html").unlink()
    index = Index(means.cache)
    assert index.refresh(means.sources) == ()
    assert {hit.url for hit in index.search("walrus", 5)} == {"0.html", "2.html"}


async def test_a_caller_that_is_cancelled_leaves_no_process_behind(tmp_path: Path) -> None:
    before = children()
    (tmp_path / "a.html").write_text(ENDLESS_PAGE)
    finding = asyncio.create_task(EvidenceFinder(SearchSettings(sources=(tmp_path,))).find(ERRAND))
    while children() == before:  # noqa: ASYNC110 - the system tells nobody
        await asyncio.sleep(0.01)

    finding.cancel()

    with pytest.raises(asyncio.CancelledError):
        await finding
    await gone(before)


def pid_of(reader: DocumentReader) -> int | None:
    return None if reader._child is None else reader._child.pid  # noqa: SLF001 - nobody else needs it


async def gone(before: set[int]) -> None:
    """The child is killed at once; its thread reaps it a moment later."""
    async with asyncio.timeout(60):
        while children() != before:  # noqa: ASYNC110 - the system tells nobody
            await asyncio.sleep(0.01)


def test_a_killed_parent_leaves_no_child_that_works_on(tmp_path: Path) -> None:
    """Its input ends, or its processor time does; nobody has to look for it."""
    script = """
import sys
from quorate.evidence.document_reader import DocumentReader
reader = DocumentReader()
reader.parse("page", b"<p>walrus")
print(reader._child.pid, flush=True)
sys.stdin.read()
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()

    until = time.monotonic() + 60
    while running(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not running(child)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_child_has_no_key_no_folder_of_ours_and_only_its_own_three_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("json.py", "html.py", "pypdf.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('the folder was searched for modules')")
    with (tmp_path / "secret").open("w"), DocumentReader() as reader:
        assert reader.parse("page", b"<p>walrus").text.strip() == "walrus"
        proc = Path(f"/proc/{pid_of(reader)}")

        assert b"KEY" not in (proc / "environ").read_bytes()
        assert b"PYTHON" not in (proc / "environ").read_bytes()
        assert (proc / "cwd").readlink() == Path("/")
        assert {file.name for file in (proc / "fd").iterdir()} == {"0", "1", "2"}
        limits = (proc / "limits").read_text()
        assert "Max address space         536870912" in limits
        assert "Max file size             0" in limits


BAD_CHILDREN = {
    "says nothing": "import sys; sys.stdin.buffer.readline()",
    "never stops": "import sys, time; sys.stdin.buffer.readline(); time.sleep(600)",
    "reads nothing": "import time; time.sleep(600)",
    "writes without end": "import sys\nwhile True: sys.stdout.buffer.write(b'9' * 65536)",
    "promises gigabytes": "import sys; sys.stdout.buffer.write(b'99999999999\\n'); sys.stdout.flush(); input()",
    "breaks off": "import sys; sys.stdout.buffer.write(b'500\\n{\"text\"'); sys.stdout.flush()",
    "says a list": "import sys; sys.stdout.buffer.write(b'2\\n[]'); sys.stdout.flush()",
    "says a number": "import sys; sys.stdout.buffer.write(b'10\\n{\"text\":1}'); sys.stdout.flush()",
    "says another field": 'import sys; sys.stdout.buffer.write(b\'12\\n{"path":"x"}\'); sys.stdout.flush()',
    "nests": "import sys; sys.stdout.buffer.write(b'200000\\n' + b'[' * 200000); sys.stdout.flush()",
    "dies": "import os; os.kill(os.getpid(), 11)",
}


@pytest.mark.parametrize("name", BAD_CHILDREN)
def test_a_child_that_has_gone_bad_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = children()
    (tmp_path / "child.py").write_text(BAD_CHILDREN[name])
    monkeypatch.setattr(document_parsers, "__file__", str(tmp_path / "child.py"))
    with DocumentReader(seconds=2.0) as reader:
        parsed = reader.parse("page", b"x" * 2**20)

        assert parsed == ParsedDocument(why=parsed.why)
        assert parsed.why in {TOO_SLOW, CRASHED}
    assert children() == before


def test_a_reader_that_was_stopped_reads_nothing_and_starts_nothing() -> None:
    before, reader = children(), DocumentReader()
    reader.stop()

    with pytest.raises(ReadingStopped):
        reader.parse("page", b"<p>walrus")
    with pytest.raises(ReadingStopped):
        read_file(b"walrus", "a.txt", reader)
    assert children() == before


def test_text_is_read_here_and_pages_share_one_child() -> None:
    with DocumentReader() as reader:
        assert isinstance(read_file(b"walrus", "a.md", reader), Document)
        assert pid_of(reader) is None
        read_file(b"<p>walrus", "a.html", reader)
        first = pid_of(reader)
        read_file(b"<p>heron", "b.html", reader)

        assert first is not None
        assert pid_of(reader) == first


@pytest.mark.parametrize(
    "content",
    [
        b"---\ntitle: a" + b" " * 400_000 + b"b\n---\nwalrus",
        b"charset=punycode \xff" + b"walrus " * 100_000,
        b"charset=idna \xff" + b"walrus" * 100_000,
        ("walrus a" + "\u0301\u0323" * 400_000).encode(),
        b"# " + b" " * 4_000 + b"#" * 4_000 + b"walrus",
        b"---\n" + b"a:\n" * 300_000,
    ],
)
def test_plain_text_takes_time_in_proportion_to_its_size(content: bytes) -> None:
    """Each of these took minutes or more; what is counted is the processor's time, with much room."""
    begun = time.process_time()

    document = read_file(content, "a.txt", DocumentReader())

    assert isinstance(document, Document)
    digest_of(document.text)
    assert time.process_time() - begun < CPU_SECONDS


@pytest.mark.parametrize(
    "text", ["ﷺ" * 2**20, "ﷺ " * 2**20, "---\n" + "a:\n" * 2**20 + "---\nwalrus"], ids=["signs", "words", "fields"]
)
async def test_no_text_stops_the_event_loop(text: str) -> None:
    """A single step of the interpreter stops it in any thread. A digest has 18 characters for each of these.

    So no step may take half of the whole; normalized in one, a text takes 99% of it in a single step. A step that is
    too long shows in every attempt; in a single one the machine may have been busy with others.
    """
    shares = [await longest_share(text.encode()) for _ in range(ATTEMPTS)]

    assert min(shares) < 0.5, shares


ATTEMPTS = 4


async def longest_share(content: bytes) -> float:
    """The longest time of the processor between two looks of the event loop, as a share of all that reading took."""
    pauses = list[float]()

    def read() -> None:
        document = read_file(content, "a.txt", DocumentReader())
        assert isinstance(document, Document)
        digest_of(document.text)

    started = time.process_time()
    work = asyncio.create_task(asyncio.to_thread(read))
    while not work.done():
        begun = time.process_time()  # our own threads' work: other processes may make the clock's time any length
        await asyncio.sleep(0)
        pauses.append(time.process_time() - begun)
    await work
    assert len(pauses) > 10
    return max(pauses) / (time.process_time() - started)


def test_a_digest_is_that_of_the_words_however_they_are_spaced_cased_or_composed() -> None:
    assert digest_of("Käse  aus\nGRÜN") == digest_of("ka\u0308se aus gru\u0308n")
    assert digest_of("x" * 1_000) != digest_of("x" * 999)


def header(kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)


def long_header(kind: bytes) -> bytes:
    return header(kind, 256 * 2**20) + bytes(256 * 2**20)


def comments(kind: bytes) -> bytes:
    """Sixty empty files, with a comment of 900 KB before each."""
    words = (
        (b"900000 %s%02d=" % (b"comment", number)).ljust(899_999, b"x") + b"\n" + bytes(-900_000 % 512)
        for number in range(60)
    )
    return b"".join(header(kind, 900_000) + text + header(tarfile.REGTYPE, 0) for text in words)


@pytest.mark.parametrize(
    ("build", "kind"),
    [(long_header, b"x"), (long_header, b"g"), (long_header, b"L"), (comments, b"x"), (comments, b"g")],
)
def test_what_an_archive_says_of_its_files_is_not_all_kept_in_memory(
    tmp_path: Path, build: Callable[[bytes], bytes], kind: bytes
) -> None:
    """Up to 1 MB that unpacks to 256 MB. The control: files before it, and behind a long file, are read."""
    plain = tarfile.TarInfo("plain.txt")
    plain.size = 6
    large = tarfile.TarInfo("large.bin")
    large.size = 3 * 2**20
    start = plain.tobuf() + b"walrus".ljust(512, b"\0")
    whole = large.tobuf() + bytes(large.size) + start + bytes(1024)
    for name, rest in (("hostile", build(kind)), ("whole", whole)):
        (tmp_path / f"{name}.tgz").write_bytes(gzip.compress(start + rest, 1))

    tracemalloc.start()
    try:
        found, peak = read_all(tmp_path / "hostile.tgz"), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found[0], Document)
    assert peak < 32 * 2**20
    assert [type(one) for one in read_all(tmp_path / "whole.tgz")] == [Document, Document]


def zip_listing_one_file(times: int) -> bytes:
    """An archive of one file whose list names that file so many times."""
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(f"{'a' * 60}.txt", b"walrus")
    content = whole.getvalue()
    begin = int.from_bytes(content[-6:-2], "little")
    line = content[begin:-22]
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, times & 0xFFFF, times & 0xFFFF, times * len(line), begin, 0)
    return content[:begin] + line * times + end


def test_a_zip_archive_that_lists_files_without_end_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "hostile.zip").write_bytes(zip_listing_one_file(200_000))
    (tmp_path / "plain.zip").write_bytes(zip_listing_one_file(2))

    tracemalloc.start()
    try:
        (found,), peak = read_all(tmp_path / "hostile.zip"), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, UnreadFile)
    assert peak < 2**20
    assert [type(one) for one in read_all(tmp_path / "plain.zip")] == [Document, Document]


def read_all(path: Path) -> list[Document | UnreadFile]:
    return [one for file in gather(path) if isinstance(file, SourceFile) for one in file.read(DocumentReader())]
