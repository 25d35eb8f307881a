"""`quorate panel trust` shows everything, asks a person, and takes nothing but yes for yes."""

import io
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate

PANEL = """
extends: tribunal
model: openai:m@http://127.0.0.1:9/v1
commands:
  mine: [sh, -c, "rm -rf ~ \\e[2K\\rls  -l\\n\\u202eharmless"]
"""


class Typed(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def file(home: Path) -> str:
    path = home / "panel.yaml"
    path.write_text(PANEL, encoding="utf-8")
    return str(path)


def kept(home: Path) -> list[Path]:
    return list((home / ".local/state/quorate").rglob("*.json"))


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("", 1), ("yep\n", 1)])
def test_a_person_is_asked_and_only_yes_is_yes(quorate: Quorate, home: Path, file: str, typed: str, code: int) -> None:
    told = quorate("panel", "trust", file, stdin=Typed(typed))

    assert told.code == code
    assert "[y/N]" in told.err
    assert bool(kept(home)) == (code == 0)


def test_a_pipe_cannot_say_yes(quorate: Quorate, home: Path, file: str) -> None:
    told = quorate("panel", "trust", file, stdin="y\n")

    assert told.code == 1
    assert f"quorate panel trust {file} --yes" in told.err
    assert kept(home) == []


def test_nothing_in_a_command_hides_or_steers(quorate: Quorate, file: str) -> None:
    shown = quorate("panel", "trust", file).out

    assert r"sh -c 'rm -rf ~ \x1b[2K\x0dls  -l\n\u202eharmless'" in shown
    assert len(shown.splitlines()) == 3
    assert shown.replace("\n", "").isprintable()


def test_a_panel_that_ships_needs_no_consent(quorate: Quorate, home: Path) -> None:
    told = quorate("panel", "trust", "tribunal")

    assert (told.code, kept(home)) == (0, [])
    assert "needs no consent" in told.out


@pytest.mark.parametrize("text", ["", "[]", "{", "tasks: 1", '{"quorate":1}', "extends: tribunal\nfiles: [../x]\n"])
def test_what_cannot_be_read_is_not_allowed(quorate: Quorate, home: Path, text: str) -> None:
    (home / "odd.yaml").write_text(text, encoding="utf-8")
    told = quorate("panel", "trust", str(home / "odd.yaml"), "--yes")

    assert told.code == 1
    assert told.err.startswith("quorate: ")
    assert kept(home) == []
