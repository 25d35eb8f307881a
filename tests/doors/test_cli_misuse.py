import io
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quorate.doors.cli import screen
from tests.doors.conftest import Quorate


@pytest.mark.parametrize(
    "words",
    [
        ("ask",),
        ("ask", "--gate"),
        ("ask", "-", "--context", "-"),
        ("ask", "Should we?", "--no-such-option"),
        ("no-such-command",),
        ("show", "last", "--as", "poem"),
        ("replay", "last"),
        ("rules", "show", "one", "two"),
    ],
)
def test_what_is_not_understood_leaves_with_2_and_points_to_the_help(quorate: Quorate, words: tuple[str, ...]) -> None:
    told = quorate(*words)

    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("quorate: ")
    assert "--help" in told.err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("ask", "Should we?", "--protocol", "tribunel", "--panel", "demo"), "tribunal"),
        (("ask", "Should we?", "--model", "nobody:some"), "openai"),
        (("ask", "Should we?", "--panel", "demo", "--seat", "Nobody=demo:scripted"), "Accuracy, Safety, Utility"),
        (("ask", "Should we?", "--panel", "demo", "--rulebook", "lenient"), "strict"),
        (("ask", "Should we?", "--panel", "no-such-file.yaml"), "no-such-file.yaml"),
        (("ask", "Should we?", "--panel", "demo", "--set", "colour=red"), "colour"),
        (("ask", "Should we?", "--panel", "demo", "--deadline", "soon"), "60s"),
        (("ask", "Should we?", "--panel", "demo", "--context", "@no-such-file"), "no-such-file"),
        (("decide", "no-such-file"), "no-such-file"),
        (("read", "."), "'.'"),
        (("rules", "show", "lenient"), "supermajority"),
    ],
)
def test_an_error_is_one_sentence_that_names_the_thing(quorate: Quorate, words: tuple[str, ...], named: str) -> None:
    told = quorate(*words)

    assert (told.code, told.out) == (1, "")
    [line] = told.err.splitlines()
    assert line.startswith("quorate: ")
    assert named in line


def test_a_ledger_that_cannot_be_written_is_an_error_in_a_sentence(quorate: Quorate) -> None:
    told = quorate("ask", "Should we?", "--panel", "demo", "--quiet", "--ledger", "/proc/nowhere/ledger.db")

    assert (told.code, told.out) == (1, "")
    assert "Traceback" not in told.err


def test_what_is_no_text_is_refused(quorate: Quorate, home: Path) -> None:
    (home / "picture").write_bytes(b"\xff\xfe\x00")

    assert "UTF-8" in quorate("read", str(home / "picture")).err
    assert "UTF-8" in quorate("read", "-", stdin=b"\xff\xfe\x00").err


def test_a_crash_says_that_it_is_a_bug(quorate: Quorate, monkeypatch: pytest.MonkeyPatch) -> None:
    told = quorate("read", "-", stdin=Broken())
    assert told.code == 1
    assert "this is a bug (ZeroDivisionError)" in told.err
    assert "Traceback" not in told.err

    monkeypatch.setenv("QUORATE_DEBUG", "1")
    assert "Traceback" in quorate("read", "-", stdin=Broken()).err


def test_an_interrupted_command_leaves_with_130(quorate: Quorate) -> None:
    assert quorate("read", "-", stdin=Interrupted()).code == 130


class Broken(io.TextIOBase):
    def read(self, _: int | None = -1, /) -> str:
        raise ZeroDivisionError


class Interrupted(io.TextIOBase):
    def read(self, _: int | None = -1, /) -> str:
        raise KeyboardInterrupt


def test_alone_it_shows_its_help(quorate: Quorate) -> None:
    assert quorate() == quorate("--help")


@pytest.mark.parametrize("words", [("ask", "-", "--panel", "demo"), ("decide", "-"), ("import", "-")])
def test_a_closed_input_is_told(words: tuple[str, ...]) -> None:
    command = (sys.executable, "-c", "from quorate.doors.cli import main; main()", *words)
    told = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command],
        capture_output=True, check=False, text=True, timeout=60,
    )  # fmt: skip

    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.endswith("quorate: standard input is closed; give a file, or pipe something in\n")


def test_a_full_disk_behind_the_output_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-c", "from quorate.doors.cli import main; main()", "rules"],
            stdout=full, stderr=subprocess.PIPE, check=False, text=True, timeout=60,
        )  # fmt: skip

    assert told.returncode == 1
    assert told.stderr == "quorate: cannot write the output: no space left on device; what was recorded is safe\n"


def test_a_panel_file_does_not_take_the_name_of_one_that_ships(quorate: Quorate) -> None:
    told = quorate("panel", "new", "tribunal")

    assert (told.code, told.err) == (
        1,
        "quorate: 'tribunal' is the name of a preset, which would be used instead of the file; call it tribunal.yaml\n",
    )


BINARY = bytes(range(128)) * 24_000
"""Three million characters that no question has."""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ask", "-", "--panel", "demo"), "the question has 3,07"),
        (("ask", "Should we?", "--context", "-", "--panel", "demo"), "the context has 3,07"),
        (("ask", "Should we?", "--criteria", "-", "--panel", "demo", "--gate"), "the criteria have 3,07"),
    ],
)
def test_what_is_too_long_is_refused_unread_and_not_kept(
    quorate: Quorate, home: Path, words: tuple[str, ...], said: str
) -> None:
    began = time.process_time()
    told = quorate(*words, stdin=BINARY)

    assert time.process_time() - began < 3
    assert (told.code, told.out) == (1, "")
    assert said in told.err
    assert told.err.endswith("Shorten it, or point to the parts that matter; nothing was asked or kept\n")
    assert len(told.err) < 300
    assert quorate("list").out == quorate("list", "--ledger", str(home / "empty.db")).out


def test_a_file_without_end_is_refused(quorate: Quorate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "LARGEST", 1_000_000)
    told = quorate("ask", "Should we?", "--context", "@/dev/zero", "--panel", "demo")

    assert (told.code, told.err) == (
        1,
        "quorate: '/dev/zero' holds more than 1 million characters; give only a part of it\n",
    )
