"""What happens when no more files can be opened."""

import errno

import pytest

from quorate.ledger.file_handles import patiently


class Scarce:
    """Works once so many tries have failed."""

    def __init__(self, failures: int, why: int) -> None:
        self._failures = failures
        self._why = why
        self.tries = 0

    def __call__(self) -> str:
        self.tries += 1
        if self.tries <= self._failures:
            raise OSError(self._why, "no")
        return "opened"


@pytest.mark.parametrize("why", [errno.EMFILE, errno.ENFILE])
@pytest.mark.parametrize("failures", [0, 1, 5])
def test_where_no_file_can_be_opened_it_is_waited(failures: int, why: int) -> None:
    scarce = Scarce(failures, why)

    assert patiently(scarce) == "opened"
    assert scarce.tries == failures + 1


def test_what_cannot_be_opened_for_another_reason_is_told_at_once() -> None:
    scarce = Scarce(1, errno.ENOENT)

    with pytest.raises(FileNotFoundError):
        patiently(scarce)
    assert scarce.tries == 1
