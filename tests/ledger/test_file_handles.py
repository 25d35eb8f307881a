"""Files that stay open, and what happens when no more can be opened."""

import errno
import os
from functools import partial
from pathlib import Path

import pytest

from quorate.ledger.sqlite.file_handles import Handles


def opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


class Scarce:
    """Opens a file once so many tries have found none to open."""

    def __init__(self, path: Path, failures: int, handles: Handles) -> None:
        self._path = path
        self._failures = failures
        self._handles = handles
        self.seen: list[int] = []

    def __call__(self) -> int:
        self.seen.append(len(self._handles))
        if len(self.seen) <= self._failures:
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(self._path)


def test_however_many_are_written_to_only_so_many_are_open(tmp_path: Path) -> None:
    handles = Handles(3)
    paths = [tmp_path / str(number) for number in range(10)]
    for word in (b"one ", b"two"):
        for path in paths:
            assert handles.append(path, word, partial(opened, path)) == len(word)
            assert len(handles) <= 3

    assert {path.read_bytes() for path in paths} == {b"one two"}
    for path in paths:
        handles.close(path)
    assert len(handles) == 0


@pytest.mark.parametrize("failures", [1, 2, 5])
def test_where_no_file_can_be_opened_others_are_closed_and_then_it_is_waited(tmp_path: Path, failures: int) -> None:
    handles = Handles(8)
    for name in "abcd":
        handles.append(tmp_path / name, b"word", partial(opened, tmp_path / name))
    scarce = Scarce(tmp_path / "e", failures, handles)

    assert handles.append(tmp_path / "e", b"word", scarce) == 4
    assert scarce.seen == [4, 2, 0, 0, 0, 0][: failures + 1]


def test_what_cannot_be_opened_for_another_reason_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Handles(8).append(tmp_path / "no" / "such", b"word", partial(opened, tmp_path / "no" / "such"))
