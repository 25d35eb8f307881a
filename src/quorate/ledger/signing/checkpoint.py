"""Checkpoints: how many entries every record of a ledger has and the hash of the last, to be kept somewhere else.

A chain without such an anchor shows nobody who can write the file: whoever can may compute all of it anew. What a
checkpoint holds cannot be changed, cut or removed afterwards without showing. The file is JSON as an attestation is,
`root` is the root of a hash tree over the last hashes in their order, and a signature is added if a key is given.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from quorate.errors import LedgerBroken, NotRecorded
from quorate.ledger import Ledger, Row
from quorate.ledger.book import now
from quorate.ledger.chain import verify_chain
from quorate.ledger.signing import attestation, merkle
from quorate.ledger.signing.signing_keys import SigningKey

__all__ = ["KIND", "CheckpointCheck", "Head", "compare", "heads_of", "make_checkpoint", "open_checkpoint"]

KIND: Final = "quorate_checkpoint"
_ID: Final = re.compile(r"[0-9a-z]{26}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")


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
        return attestation.write_statement({KIND: 1, **stated})
    return attestation.sign_statement(stated, key, KIND)


def open_checkpoint(file: bytes, trusted: Sequence[str]) -> tuple[dict[str, Any], list[Head]]:
    """Read a checkpoint; with keys, only one that one of them has signed.

    Raises:
        LedgerBroken: it was changed, or nobody trusted has signed it.
        LedgerNewer: a newer quorate wrote it.
    """
    stated = attestation.check_statement(file, trusted, KIND) if trusted else attestation.parse_statement(file, KIND)
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
