"""The hash chain: how an entry is linked, written as a line, and checked over its stored bytes.

An entry's hash is the SHA-256 of two lines in UTF-8, without a line feed at the end:

    {"before":"<hash of the entry before>","number":<from 1>,"time":"<UTC>"}
    <the event's public form, byte for byte as it is stored>

Before the first entry stands the SHA-256 of "quorate " and the deliberation's id, so a record
cannot pass for another's. A word's name in the public form is SHA-256(salt + word): words and
salts can be removed and the chain still holds, and words that are there must fit their names.
"""

import os
import time as clock
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from quorate.errors import LedgerBroken
from quorate.frozen import dataclass, make_tuple
from quorate.ledger import Entry, Row
from quorate.ledger.serde import canonical_bytes, decode, encode, hash_text, is_canonical, load_object, sha256_hex
from quorate.model import Event, Origin, Reviewed, TurnedOut
from quorate.model.once import lazy_pattern

_HEAD = lazy_pattern(
    rb'\{"number":([1-9][0-9]{0,17}),"time":"([0-9TZ:.-]{20,32})","before":"([0-9a-f]{64})","hash":"([0-9a-f]{64})",'
    rb'"salt":"((?:[0-9a-f]{32})?)","words":(?=\{)'
)
_EVENT: Final = b'},"event":{'
_NAMED = lazy_pattern(rb'\{"sha256":"([0-9a-f]{64})"\}')
_NOTHING: Final = b"{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainCheck:
    """What a check of a chain found: how many entries, the hash of the last, how many words are missing."""

    entries: int
    head: str
    missing: int


def first(id_: str) -> str:
    """What stands before the first entry."""
    return sha256_hex(f"quorate {id_}".encode())


def link(before: str, number: int, time: str, public: bytes) -> str:
    """Hash an entry."""
    return sha256_hex(b'{"before":"%b","number":%d,"time":"%b"}\n%b' % (before.encode(), number, time.encode(), public))


def now() -> str:
    """The time as entries bear it."""
    seconds, rest = divmod(int(clock.time() * 1_000_000), 1_000_000)
    return f"{_to_the_second(seconds)}.{rest:06}Z"


@lru_cache(4)
def _to_the_second(seconds: int) -> str:
    """Almost every entry is written in the same second as the one before."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")


def seal(event: Event, number: int, before: str, time: str) -> Row:
    """Write an event as the row that follows `before`, with a salt of its own."""
    salt = draw_salt()
    public, words = encode(event, salt)
    hash_ = link(before, number, time, public)
    kept = (salt, canonical_bytes(words)) if words else ("", _NOTHING)
    return make_tuple(Row, (number, time, before, hash_, public, *kept, False))


_SALTS: Final[list[str]] = []
"""Drawn from the system many at a time. Each is handed out once, to whichever thread; a forked child draws its own."""
_DRAWN: Final = 256
_SALT_BYTES: Final = 16
os.register_at_fork(after_in_child=_SALTS.clear)


def draw_salt() -> str:
    """Chance of its own for one entry: 128 bits that nobody can guess."""
    while True:
        try:
            return _SALTS.pop()
        except IndexError:
            drawn = os.urandom(_DRAWN * _SALT_BYTES).hex()
            size = 2 * _SALT_BYTES
            _SALTS.extend(drawn[at : at + size] for at in range(0, len(drawn), size))


def open_row(row: Row) -> Entry:
    """Read a row back.

    Raises:
        LedgerBroken: it is not what was written.
        OtherVersion: another version of quorate wrote it.
    """
    if not _is_time(row.time):
        raise LedgerBroken(f"entry {row.number} says it was written at {row.time!r}, which is no time; it was changed")
    event = decode(row.public, load_object(row.words) if row.words != _NOTHING else {})
    if row.imported and isinstance(event, Reviewed | TurnedOut):
        # Its writer could claim any interface, so what the file says of that is not believed.
        event = replace(event, origin=Origin(interface="imported"))
    return Entry(number=row.number, time=row.time, event=event, before=row.before, hash=row.hash)


def _is_time(text: str) -> bool:
    """Whether it is a moment in UTC, in the one form that entries bear."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is UTC and text == f"{moment.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"


def drop_words(row: Row, *names: str) -> Row:
    """The same row without some of its words, by their hashes; without all of them if none is named."""
    kept = {name: text for name, text in load_object(row.words).items() if names and name not in names}
    if not kept:
        return row._replace(salt="", words=_NOTHING)
    return row._replace(words=canonical_bytes(kept))


def line(row: Row) -> bytes:
    """Write a row as one line of JSON, the form of the spool and of exports."""
    return b'{"number":%d,"time":"%b","before":"%b","hash":"%b","salt":"%b","words":%b,"event":%b}\n' % (
        row.number,
        row.time.encode(),
        row.before.encode(),
        row.hash.encode(),
        row.salt.encode(),
        row.words,
        row.public,
    )


def parse_row(text: bytes) -> Row | None:
    """Read a line back, none if it is not whole, byte for byte."""
    head = _HEAD.match(text)
    # No words can hold this: inside a JSON string every quotation mark is escaped.
    cut = text.find(_EVENT) + 1
    if head is None or not cut or not text.endswith(b"}}"):
        return None
    number, time, before, hash_, salt = map(bytes.decode, head.groups())
    return Row(int(number), time, before, hash_, text[cut + len(_EVENT) - 2 : -1], salt, text[head.end() : cut])


def follows(row: Row, number: int, before: str) -> bool:
    """Whether a row is the one of that number and is linked to the one before."""
    return row.number == number and row.before == before and row.hash == link(before, number, row.time, row.public)


def absent(row: Row) -> int:
    """Check the words of a row that are there, and count those that are not.

    Raises:
        LedgerBroken: they, or the event itself, are not written as quorate writes them.
    """
    if not is_canonical(row.public):
        raise LedgerBroken("a key is repeated in it, or it is spelt as quorate never spells it")
    names = set(_NAMED.findall(row.public))
    if row.words == _NOTHING and not row.salt:
        return len(names)
    words = load_object(row.words)
    if not (row.salt and words and names.issuperset(map(str.encode, words)) and _as_written(row, words)):
        raise LedgerBroken("its words are not those that were written")
    return len(names) - len(words)


def _as_written(row: Row, words: dict[str, Any]) -> bool:
    if not all(type(text) is str and hash_text(row.salt, text) == name for name, text in words.items()):
        return False
    return canonical_bytes(words) == row.words


def verify_chain(id_: str, rows: Iterable[Row]) -> ChainCheck:
    """Check every link and every word that is there. A tail that was cut off does not show here.

    Raises:
        LedgerBroken: naming the first entry that is not as it was written.
    """
    number, before, missing = 0, first(id_), 0
    for number, row in enumerate(rows, 1):
        if not follows(row, number, before):
            raise LedgerBroken(f"entry {number} of {id_} does not follow the one before; the record was changed there")
        try:
            missing += absent(row)
        except LedgerBroken as error:
            raise LedgerBroken(f"entry {number} of {id_} was changed: {error}") from error
        before = row.hash
    return ChainCheck(entries=number, head=before, missing=missing)
