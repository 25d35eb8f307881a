"""Tool calls that a panel allowed, kept so that the same call is not put to it again for a while.

A file that only the user can read and write. What it cannot be sure of costs a deliberation and nothing else: another's
file, one that others can write, an entry that is too old or from the future, a line that cannot be read.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Final, cast

from quorate.frozen import dataclass

__all__ = ["AGE", "AllowedCalls", "call_key", "read_private_json", "write_private_json"]

AGE: Final = 24 * 3600
"""Seconds for which a call that was allowed is allowed again."""
MOST: Final = 1000
"""Calls kept at most; the oldest go first."""
LARGEST: Final = 1_000_000
LAST: Final = 10**11
"""No clock shows more seconds than this."""


def call_key(*parts: str) -> str:
    """A short name for texts that tell a call apart."""
    return sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AllowedCalls:
    """Which calls were allowed, when, and in which deliberation."""

    file: Path

    def find(self, key: str, now: float) -> str | None:
        """The deliberation that allowed it, if that is not too long ago."""
        kept = self._read().get(key)
        return kept[1] if kept is not None and 0 <= now - kept[0] <= AGE else None

    def keep(self, key: str, id_: str, now: float) -> None:
        """Remember that a call was allowed; that this cannot be written down takes nothing from the answer."""
        young = {one: kept for one, kept in self._read().items() if 0 <= now - kept[0] <= AGE}
        young[key] = (now, id_)
        newest = sorted(young.items(), key=lambda one: one[1][0])[-MOST:]
        write_private_json(self.file, dict(newest))

    def _read(self) -> Mapping[str, tuple[float, str]]:
        entries = ((key, _entry(value)) for key, value in read_private_json(self.file).items())
        return {key: entry for key, entry in entries if entry is not None}


def read_private_json(path: Path) -> Mapping[str, object]:
    """An object from a file that only its owner may read and write; of any other file, nothing."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            kept = os.fstat(file.fileno())
            if kept.st_uid != os.getuid() or kept.st_mode & 0o077 or kept.st_size > LARGEST:
                return {}
            document: object = json.loads(file.read(LARGEST + 1))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}


def write_private_json(path: Path, document: Mapping[str, object]) -> None:
    """Replace such a file in one go; where that fails, the file stays as it was."""
    beside = path.with_name(f".{token_hex(8)}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(made, "w", encoding="utf-8") as file:
            json.dump(document, file)
        beside.replace(path)


def _entry(value: object) -> tuple[float, str] | None:
    match value:
        case [int() | float() as at, str() as id_] if 0 <= at < LAST:
            return float(at), id_
        case _:
            return None
