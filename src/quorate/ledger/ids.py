"""Ids: 26 characters of 0-9 and a-z that sort by time and end in 82 random bits."""

import os
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from quorate.errors import NotRecorded
from quorate.model.once import lazy_pattern

_ID = lazy_pattern(r"[0-9a-z]{26}")
_BEGINNING = lazy_pattern(r"[0-9a-z]{1,26}")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 26
_RANDOM: Final = 82


def fresh(called: str = "") -> str:
    """Make a new id: microseconds since 1970, then chance, or the digest of what its owner calls it."""
    drawn = sha256(called.encode(errors="surrogatepass")).digest()[:11] if called else os.urandom(11)
    number = time.time_ns() // 1000 << _RANDOM | int.from_bytes(drawn) >> 88 - _RANDOM
    digits: list[str] = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))


def is_called(id_: str, called: str) -> bool:
    """Whether an id was made for what its owner calls it."""
    return (int(id_, 36) ^ int(fresh(called), 36)) & ((1 << _RANDOM) - 1) == 0


def whole(id_: str) -> str:
    """Accept a whole id and nothing else: it becomes a file name.

    Raises:
        NotRecorded: it is not one.
    """
    if not _ID.fullmatch(id_):
        raise NotRecorded(f"{id_[:40]!r} is not the id of a deliberation; ids are 26 characters of 0-9 and a-z")
    return id_


def key_hash(key: str) -> str:
    """What is kept of a caller's key: enough to know it again, and nothing to read."""
    return sha256(key.encode(errors="surrogatepass")).hexdigest()


def check_prefix(id_: str) -> str:
    """Accept the beginning of an id as somebody typed it.

    Raises:
        NotRecorded: no id begins so.
    """
    typed = id_.strip().lower()
    if not _BEGINNING.fullmatch(typed):
        raise NotRecorded(describe_missing(id_))
    return typed


def only(id_: str, found: Sequence[str]) -> str:
    """Accept the one id that was found.

    Raises:
        NotRecorded: there is none, or more than one.
    """
    if not found:
        raise NotRecorded(describe_missing(id_))
    if len(found) > 1:
        raise NotRecorded(f"more than one deliberation begins with {id_!r}: {', '.join(found)}; type more of the id")
    return found[0]


def describe_missing(id_: str) -> str:
    """Say that nothing is recorded under what was typed."""
    if id_ == "last":
        return (
            "nothing was asked in this ledger yet, so there is no 'last'; ask first, name what was imported by its id, "
            "or open another ledger"
        )
    return f"no deliberation {id_[:40]!r} in this ledger; its list shows the ids, and another ledger may have it"
