"""Statements about records that travel without them: signed attestations, proofs that they hold an entry, checkpoints.

All are JSON in ASCII, indented by two and byte for byte as they were written, or they are refused. What is signed is
the line "quorate attestation 1" and below it the statement without its signature: keys sorted, no spaces, ASCII. Other
kinds of statement are signed in the same way under a line of their own.

A checkpoint says how many entries every record of a ledger has and the hash of the last, to be kept somewhere else. A
chain without such an anchor shows nobody who can write the file: whoever can may compute all of it anew. What a
checkpoint holds cannot be changed, cut or removed afterwards without showing. Its `root` is the root of a hash tree
over the last hashes in their order, and a signature is added if a key is given.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from quorate.errors import LedgerBroken, NotRecorded, OtherVersion
from quorate.ledger import Ledger, Row
from quorate.ledger.chain import now, verify_chain
from quorate.ledger.signing import merkle
from quorate.ledger.signing.signing_keys import PUBLIC, SigningKey, holds

__all__ = [
    "CHECKPOINT",
    "FORM",
    "PROOF",
    "CheckpointCheck",
    "Head",
    "check_statement",
    "compare",
    "heads_of",
    "is_statement",
    "make_checkpoint",
    "open_checkpoint",
    "parse_statement",
    "proof",
    "proves",
    "sign_statement",
    "write_statement",
]

FORM: Final = "quorate_attestation"
PROOF: Final = "quorate_proof"
LONGEST: Final = 16 * 1024 * 1024
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_BEGINS: Final = re.compile(rb'\{\n  "(quorate_[a-z0-9]+)": ')


def write_statement(statement: Mapping[str, object]) -> bytes:
    """A statement as it stands in a file."""
    return json.dumps(statement, indent=2).encode() + b"\n"


def is_statement(file: bytes) -> str:
    """Which kind of statement a file begins like; empty for anything else."""
    begins = _BEGINS.match(file)
    return begins[1].decode() if begins else ""


def parse_statement(file: bytes, kind: str) -> dict[str, Any]:
    """Read a statement back, if every byte is where it was written.

    Raises:
        LedgerBroken: it is not as it was written.
        OtherVersion: another version of quorate wrote it.
    """
    try:
        found: object = json.loads(file[:LONGEST])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or len(file) > LONGEST:
        raise LedgerBroken("this is not a quorate statement: it is not JSON as it was written; get the file again")
    statement = cast("dict[str, Any]", found)
    form = statement.get(kind)
    if type(form) is int and form > 1:
        raise OtherVersion(f"another version of quorate wrote the file: it has form {form}, this one reads form 1")
    if form != 1 or write_statement(statement) != file:
        raise LedgerBroken("the file was changed: it is not byte for byte as quorate writes it; get it again")
    return statement


def sign_statement(statement: Mapping[str, object], key: SigningKey, kind: str = FORM) -> bytes:
    """A statement with the key that signs it and the signature, as it stands in a file."""
    whole = {kind: 1, **statement, "key": key.public}
    return write_statement({**whole, "signature": key.sign(_said(whole, kind)).hex()})


def check_statement(file: bytes, trusted: Sequence[str], kind: str = FORM) -> dict[str, Any]:
    """Read an attestation, or a statement of another kind, that one of the trusted keys has signed.

    Raises:
        LedgerBroken: it was changed, or nobody trusted has signed it.
        OtherVersion: another version of quorate wrote it.
    """
    statement = parse_statement(file, kind)
    key, signature = statement.get("key"), statement.get("signature")
    if not (isinstance(key, str) and PUBLIC.fullmatch(key)):
        raise LedgerBroken("the file names no key of the kind ed25519; it was changed, or nobody signed it")
    if not (isinstance(signature, str) and _SIGNATURE.fullmatch(signature)):
        raise LedgerBroken("the file has no signature; it was changed, or nobody signed it")
    if key not in trusted:
        raise LedgerBroken(f"it is signed by {key}, which is none of the keys given with --key")
    bare = {name: value for name, value in statement.items() if name != "signature"}
    if not holds(key, bytes.fromhex(signature), _said(bare, kind)):
        raise LedgerBroken(f"the signature is not that of {key} over this text; the file was changed or forged")
    return statement


def _said(statement: Mapping[str, object], kind: str) -> bytes:
    """The bytes that are signed; what they begin with keeps a signature from passing for one over something else."""
    said = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    return f"{kind.replace('_', ' ')} 1\n{said}".encode()


def proof(id_: str, rows: Sequence[Row], number: int) -> bytes:
    """The proof that an entry is part of a record, as it stands in a file.

    Raises:
        IndexError: entries are numbered from 1, and there are not so many.
    """
    hashes = [row.hash for row in rows]
    way = b64encode(b"".join(merkle.path(hashes, number))).decode()
    stated = {"id": id_, "entry": number, "entries": len(hashes), "hash": hashes[number - 1], "path": way}
    return write_statement({PROOF: 1, **stated})


def proves(file: bytes, attested: Mapping[str, Any]) -> dict[str, Any]:
    """Read the proof of an entry, and see that the record which was attested holds that entry.

    Raises:
        LedgerBroken: it was changed, or it does not lead to the root that was attested.
        OtherVersion: another version of quorate wrote it.
    """
    stated, record = parse_statement(file, PROOF), attested["record"]
    if stated.get("id") != attested["id"] or stated.get("entries") != record["entries"]:
        raise LedgerBroken("the proof is about another record than the attestation; give the two that belong together")
    way, hash_, number = stated.get("path"), stated.get("hash"), stated.get("entry")
    if type(way) is not str or type(hash_) is not str or type(number) is not int or not _HASH.fullmatch(hash_):
        raise LedgerBroken("the proof is not as quorate writes it; it was changed")
    if not merkle.is_under(record["root"], hash_, number, record["entries"], _neighbours(way)):
        raise LedgerBroken(f"the proof of entry {number} does not lead to the root that was attested; it was changed")
    return stated


def _neighbours(way: str) -> Sequence[bytes]:
    try:
        joined = b64decode(way, validate=True)
    except ValueError:
        joined = b"?"
    if b64encode(joined).decode() != way or len(joined) % 32:
        raise LedgerBroken("the proof's path is not as quorate writes it; it was changed")
    return [joined[place : place + 32] for place in range(0, len(joined), 32)]


CHECKPOINT: Final = "quorate_checkpoint"
_ID: Final = re.compile(r"[0-9a-z]{26}")


class Head(NamedTuple):
    """How far a record had come: its id, so many entries, the hash of the last."""

    id: str
    entries: int
    head: str


class CheckpointCheck(NamedTuple):
    """What a ledger shows beside a checkpoint: what does not hold, in sentences, and how many records it is about."""

    wrong: tuple[str, ...]
    held: int
    grown: int
    new: int


async def heads_of(ledger: Ledger) -> list[Head]:
    """How far every record of a ledger has come, each chain checked; the oldest first.

    Raises:
        LedgerBroken: a chain does not hold, so nobody should vouch for it.
    """
    found = [summary.id async for summary in ledger.list()]
    heads = [Head(id_, len(rows), rows[-1].hash) for id_ in reversed(found) if (rows := await _rows(ledger, id_))]
    if not heads:
        raise NotRecorded("this ledger holds nothing that a checkpoint could keep; ask first, or open another ledger")
    return heads


async def _rows(ledger: Ledger, id_: str) -> Sequence[Row]:
    rows = await ledger.rows(id_)
    verify_chain(id_, rows)
    return rows


def make_checkpoint(heads: Iterable[Head], made_by: str, key: SigningKey | None) -> bytes:
    """A checkpoint as it stands in a file, signed if there is a key."""
    listed = [head._asdict() for head in heads]
    root = merkle.root(one["head"] for one in listed)
    stated = {"time": now(), "made_by": made_by, "records": listed, "root": root}
    if key is None:
        return write_statement({CHECKPOINT: 1, **stated})
    return sign_statement(stated, key, CHECKPOINT)


def open_checkpoint(file: bytes, trusted: Sequence[str]) -> tuple[dict[str, Any], list[Head]]:
    """Read a checkpoint; with keys, only one that one of them has signed.

    Raises:
        LedgerBroken: it was changed, or nobody trusted has signed it.
        OtherVersion: another version of quorate wrote it.
    """
    stated = check_statement(file, trusted, CHECKPOINT) if trusted else parse_statement(file, CHECKPOINT)
    listed: object = stated.get("records")
    heads = [_head(one) for one in cast("list[object]", listed)] if isinstance(listed, list) else []
    if not heads or stated.get("root") != merkle.root(head.head for head in heads):
        raise LedgerBroken("the checkpoint is not as quorate writes it; it was changed")
    return stated, heads


def _head(listed: object) -> Head:
    one: Mapping[str, object] = cast("dict[str, object]", listed) if isinstance(listed, dict) else {}
    id_, entries, head = (one.get(name) for name in Head._fields)
    if not (isinstance(id_, str) and _ID.fullmatch(id_) and isinstance(head, str) and _HASH.fullmatch(head)):
        raise LedgerBroken("the checkpoint is not as quorate writes it; it was changed")
    if type(entries) is not int or entries < 1:
        raise LedgerBroken("the checkpoint is not as quorate writes it; it was changed")
    return Head(id_, entries, head)


async def compare(ledger: Ledger, heads: Sequence[Head]) -> CheckpointCheck:
    """See that every record of a checkpoint is still here and begins as it did then."""
    wrong: list[str] = []
    grown = 0
    for head in heads:
        try:
            rows = await _rows(ledger, head.id)
        except NotRecorded:
            wrong.append(f"{head.id} had {head.entries} entries when the checkpoint was made and is gone")
            continue
        except LedgerBroken as broken:
            wrong.append(str(broken))
            continue
        grown += len(rows) > head.entries
        wrong += filter(None, [_differs(head, rows)])
    known = {head.id for head in heads}
    new = [summary.id async for summary in ledger.list() if summary.id not in known]
    return CheckpointCheck(tuple(wrong), len(heads) - len(wrong), grown, len(new))


def _differs(head: Head, rows: Sequence[Row]) -> str:
    if len(rows) < head.entries:
        return f"{head.id} had {head.entries} entries when the checkpoint was made and has {len(rows)}; it was cut"
    if rows[head.entries - 1].hash != head.head:
        return f"{head.id} is not what it was when the checkpoint was made; it was changed"
    return ""
