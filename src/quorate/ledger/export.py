"""A whole record leaves the ledger, comes back, is checked, or loses its words.

An export is JSON lines: a header with the id, the number of entries and the hash of the last, then one
line an entry. It is checked byte for byte, so a file that was edited or re-formatted is refused.
Characters that steer a terminal or hide leave as JSON escapes and are put back before the check.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from quorate.errors import LedgerBroken, NotRecorded, OtherVersion
from quorate.ledger import Entry, Ledger, Row
from quorate.ledger.chain import ChainCheck, drop_words, line, open_row, parse_row, verify_chain
from quorate.ledger.serde import load_object
from quorate.ledger.summary import check_summary
from quorate.ledger.type_shapes import HASH
from quorate.model import Asked, Convened, Decided, Halted, TurnedAway
from quorate.model.characters import escaped_json

_HEADER = re.compile(
    rb'\{"quorate":([1-9][0-9]{0,8}),"id":"([0-9a-z]{26})","entries":([1-9][0-9]{0,17}),"head":"([0-9a-f]{64})"\}'
)
_ESCAPED = re.compile(rb"(\\\\)|(?:\\u(?!00[0-6]|007[0-9a-e])[0-9a-f]{4})+")
_HALVES = re.compile("([\ud800-\udbff]+[\udc00-\udfff]+)")


class ExportedRecord(NamedTuple):
    """An export as it was read: what its header says, and its rows, not yet checked."""

    id: str
    entries: int
    head: str
    rows: Iterator[Row]


async def export(ledger: Ledger, id_: str) -> Sequence[bytes]:
    """Every line of a record. Before its end, what would betray ballot marks stays inside: the seed and the prompts.

    Raises:
        NotRecorded: no such deliberation, or nothing in it.
    """
    found = await ledger.find(id_)
    rows = await ledger.rows(found)
    if not rows:
        raise NotRecorded(f"nothing of {found} is saved yet, so there is nothing to export; resume it first")
    return [_header(found, rows), *map(_escaped, map(line, rows if _ended(rows) else map(_discreet, rows)))]


Check = Callable[[str, Sequence[Entry]], object]
"""Raises what speaks against a record; what a verdict rests on is judged by rooms above this one."""


async def import_(ledger: Ledger, lines: Iterable[bytes], check: Check) -> str:
    """Take in an export whose chain holds and that passes the check, and give its id; one that is here stays as it is.

    Raises:
        LedgerBroken: the record does not hold, or another one of that id is here.
        OtherVersion: another version of quorate wrote it.
        LedgerUnwritable: nothing can be added here.
    """
    record = parse(lines)
    rows = list(record.rows)
    _as_told(record, verify_chain(record.id, rows))
    check(record.id, [open_row(row) for row in rows])
    if not await _same(ledger, record.id, rows):
        await ledger.adopt(record.id, rows)
    return record.id


async def verify(ledger: Ledger, id_: str) -> ChainCheck:
    """Check the record of a deliberation, and what the list says of it.

    Raises:
        LedgerBroken: naming the first entry that is not as it was written, or what the list says otherwise.
        NotRecorded: no such deliberation.
    """
    found = await ledger.find(id_)
    rows = await ledger.rows(found)
    checked = verify_chain(found, rows)
    await check_summary(ledger, found)
    return checked


def verify_lines(lines: Iterable[bytes]) -> ChainCheck:
    """Check an export.

    Raises:
        LedgerBroken: naming the first entry that is not as it was written.
        OtherVersion: another version of quorate wrote it.
    """
    record = parse(lines)
    checked = verify_chain(record.id, record.rows)
    _as_told(record, checked)
    return checked


async def forget(ledger: Ledger, id_: str) -> str:
    """Remove every word of a deliberation for good, and give its id; its hashes stay and still verify.

    Raises:
        NotRecorded: no such deliberation.
        OwnerLost: somebody is at work on it.
    """
    found = await ledger.find(id_)
    await ledger.forget(found)
    return found


def parse(lines: Iterable[bytes]) -> ExportedRecord:
    """Read an export line by line; its rows are parsed as they are asked for.

    Raises:
        LedgerBroken: it is no export.
        OtherVersion: another version of quorate wrote it.
    """
    each = iter(lines)
    header = _HEADER.fullmatch(_bare(next(each, b"")))
    if header is None:
        raise LedgerBroken("this is not a quorate record: its first line is not the header; export it again")
    version, id_, entries, head = header.groups()
    if version != b"1":
        raise OtherVersion(
            f"another version of quorate wrote the record: it has form {version.decode()}, this one reads only form 1"
        )
    return ExportedRecord(id_.decode(), int(entries), head.decode(), _rows(each))


def _rows(lines: Iterator[bytes]) -> Iterator[Row]:
    for number, text in enumerate(lines, 1):
        row = parse_row(_restored(_bare(text)))
        if row is None:
            raise LedgerBroken(f"entry {number} is not a line as quorate writes it; the record was changed there")
        yield row._replace(imported=True)


def _escaped(text: bytes) -> bytes:
    """A line in which nothing steers or hides, for whoever looks at the file."""
    if text.isascii() and b"\x7f" not in text:
        return text
    # Halves of a character side by side would come back as one whole, so those stay as they are.
    parts = _HALVES.split(text.decode(errors="surrogatepass"))
    return "".join(part if at % 2 else escaped_json(part) for at, part in enumerate(parts)).encode(
        errors="surrogatepass"
    )


def _restored(text: bytes) -> bytes:
    """The line as it was written: the canonical form escapes nothing beyond ASCII, so whatever is so escaped we did."""
    return _ESCAPED.sub(_characters, text) if b"\\u" in text else text


def _characters(found: re.Match[bytes]) -> bytes:
    return found[0] if found[1] else str(json.loads(b'"%b"' % found[0])).encode(errors="surrogatepass")


def _bare(text: bytes) -> bytes:
    return text.removesuffix(b"\n")


def _header(id_: str, rows: Sequence[Row]) -> bytes:
    said = b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n'
    return said % (id_.encode(), len(rows), rows[-1].hash.encode())


def _as_told(record: ExportedRecord, checked: ChainCheck) -> None:
    if (checked.entries, checked.head) != (record.entries, record.head):
        raise LedgerBroken(
            f"{record.id} should have {record.entries} entries and has {checked.entries}; "
            "the record was changed at its end"
        )


async def _same(ledger: Ledger, id_: str, rows: Sequence[Row]) -> bool:
    """Whether this very record is here already.

    Raises:
        LedgerBroken: another one is.
    """
    try:
        here = await ledger.rows(id_)
    except NotRecorded:
        return False
    if [row.hash for row in here] != [row.hash for row in rows]:
        raise LedgerBroken(f"another record of {id_} is in this ledger; import this one into an empty ledger")
    return True


def _ended(rows: Sequence[Row]) -> bool:
    return any(isinstance(open_row(row).event, Decided | TurnedAway | Halted) for row in rows)


def _discreet(row: Row) -> Row:
    match open_row(row).event:
        case Asked():
            return drop_words(row)
        case Convened(seed=seed) if seed:
            return drop_words(row, load_object(row.public)["seed"][HASH])
        case _:
            return row
