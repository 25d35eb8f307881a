"""Copying every record of one ledger into another, each one checked before and after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quorate.engine.verify import CHANGED, record_of, refuse
from quorate.errors import LedgerBroken, LedgerError, LedgerMismatch, NotRecorded, OtherVersion
from quorate.ledger import Ledger, Row
from quorate.ledger.chain import open_row, verify_chain

__all__ = ["CopyReport", "copy_ledger"]


@dataclass(slots=True, kw_only=True)
class CopyReport:
    """What became of each record: copied and checked, there already, or left out, and why."""

    copied: list[str] = field(default_factory=list[str])
    entries: int = 0
    already: list[str] = field(default_factory=list[str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])

    def document(self) -> dict[str, Any]:
        left_out = [{"id": id_, "why": why} for id_, why in self.left_out.items()]
        return {"copied": self.copied, "entries": self.entries, "already": self.already, "left_out": left_out}


async def copy_ledger(source: Ledger, target: Ledger, tell: Callable[[str], None]) -> CopyReport:
    """Copy what is not there yet, in the order in which it came; a record that fails is left out, not the rest.

    `tell` is called with the id of each record that was copied. To do it again copies only what is missing.

    Raises:
        LedgerUnwritable: the target takes nothing.
    """
    report = CopyReport()
    for id_ in reversed([summary.id async for summary in source.list()]):
        try:
            entries = await _copy(source, target, id_)
        except _LEFT_OUT as error:
            report.left_out[id_] = str(error)
            continue
        if entries is None:
            report.already.append(id_)
        else:
            report.copied.append(id_)
            report.entries += entries
            tell(id_)
    return report


class _InUse(LedgerError):
    """Somebody is writing it, or nothing is written."""


_LEFT_OUT: Final = (_InUse, LedgerBroken, LedgerMismatch, OtherVersion)


async def _copy(source: Ledger, target: Ledger, id_: str) -> int | None:
    """How many entries were copied; none if this very record is there already."""
    owner = await source.owner(id_)
    if owner is not None:
        raise _InUse(f"process {owner.pid} on {owner.host!r} is still writing it; copy again when it is done")
    rows = await source.rows(id_)
    if not rows:
        raise _InUse(f"nothing of it is saved yet; continue with: quorate resume {id_}")
    _check(id_, rows)
    there = await _rows(target, id_)
    if there:
        _compare(id_, rows, there)
        return None
    await target.adopt(id_, rows)
    _compare(id_, rows, await target.rows(id_))
    return len(rows)


def _check(id_: str, rows: Sequence[Row]) -> None:
    """See that its chain holds, and that its words come to its verdict."""
    verify_chain(id_, rows)
    refuse(record_of(id_, [open_row(row) for row in rows]), *CHANGED)


async def _rows(ledger: Ledger, id_: str) -> Sequence[Row]:
    try:
        return await ledger.rows(id_)
    except NotRecorded:
        return ()


def _compare(id_: str, rows: Sequence[Row], there: Sequence[Row]) -> None:
    """See that what is there is what was to be copied; words may have been forgotten in either ledger since."""
    if [row.hash for row in rows] != [row.hash for row in there]:
        raise LedgerBroken(
            f"another record of this id is there, with {len(there)} entries where this one has {len(rows)}"
        )
    _check(id_, there)
