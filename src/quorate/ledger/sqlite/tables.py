"""Every statement that is run on the tables of the SQLite ledger."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

import apsw

from quorate.errors import LedgerBroken, LedgerUnwritable, NotRecorded
from quorate.ledger import Claim, Row, Summary
from quorate.ledger.chain import first
from quorate.ledger.ids import check_prefix, describe_missing, only
from quorate.ledger.lease import Lease, Owner, held_error, taken_error
from quorate.ledger.spool.spool_files import SpooledRow
from quorate.ledger.sqlite.database import run, run_many, savepoint

# The place in the order is the next one: nothing about it is chosen by whoever made the record.
_FIRST_OWNER: Final = """
INSERT INTO deliberations VALUES (?, ?, ?, ?, ?, ?, 0, ?, '', x'', x'', 'open', NULL, 0, NULL,
    (SELECT coalesce(max(sequence), 0) + 1 FROM deliberations), 0)
ON CONFLICT"""
_FRESH: Final = f"{_FIRST_OWNER} DO NOTHING"
_OPEN: Final = f"""{_FIRST_OWNER} (id) DO UPDATE SET token = token + 1, owner = excluded.owner,
    ttl = excluded.ttl, until = excluded.until, ticks = excluded.ticks"""
_STRAY: Final = """
INSERT INTO deliberations VALUES (?, ?, NULL, 0, 0, 0, 0, ?, '', x'', x'', 'open', NULL, 0, NULL,
    (SELECT coalesce(max(sequence), 0) + 1 FROM deliberations), 0)
ON CONFLICT DO NOTHING"""
_ADOPT: Final = """
INSERT INTO deliberations VALUES (?, 0, NULL, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    (SELECT coalesce(max(sequence), 0) + 1 FROM deliberations), ?2)
ON CONFLICT DO NOTHING"""
_OWNED: Final = "WHERE id = ? AND token = ? AND entries = ?"
_APPEND: Final = f"UPDATE deliberations SET until = ?, ticks = ?, entries = ?, head = ? {_OWNED}"  # noqa: S608 - all ours
_EXTEND: Final = """
UPDATE deliberations SET until = ?, ticks = ?, entries = new.column4, head = new.column5 FROM (VALUES {rows}) AS new
WHERE id = new.column1 AND token = new.column2 AND deliberations.entries = new.column3"""
_INSERT: Final = "INSERT INTO entries VALUES {rows}"
_COLUMNS: Final = len(Row._fields)
"""The id of the deliberation and the row; whether it was imported is kept once, beside the deliberation."""
_TOGETHER: Final = (64, 8)
"""Rows in one statement: after each the writer asks for Python's lock, and keeps whoever has it waiting."""
_APPEND_SUMMARY: Final = f"""
UPDATE deliberations SET until = ?, ticks = ?, entries = ?, head = ?, begun = ?, protocol = ?, question = ?,
    state = ?, outcome = ?, awaits = ?, reviewed = ? {_OWNED}"""  # noqa: S608 - the same


FRESH_TOKEN: Final = 1
"""The token of whoever takes a deliberation with its first entries; nobody gets it by looking for one first."""


class Ownership(NamedTuple):
    """A deliberation under the token of its owner, and how long that keeps it unheard of."""

    id: str
    token: int
    ttl: float


def take(db: apsw.Connection, id_: str, owner: Owner, ttl: float) -> int:
    """Become the owner of a deliberation, new or old, and get the token that shuts out all earlier ones.

    Raises:
        OwnerLost: somebody holds it.
    """
    lease = Lease.of(ttl)
    refuse_held(db, id_)
    run(db, _OPEN, (id_, FRESH_TOKEN + 1, owner.to_json(), *lease, first(id_)))
    return int(run(db, "SELECT token FROM deliberations WHERE id = ?", (id_,))[0][0])


def refuse_held(db: apsw.Connection, id_: str) -> None:
    """Leave a living owner alone.

    Raises:
        OwnerLost: there is one.
    """
    owner = owner_of(db, id_)
    if owner is not None:
        raise held_error(id_, owner)


def owner_of(db: apsw.Connection, id_: str) -> Owner | None:
    """Who holds a deliberation; none if nobody does, or whoever did is gone or has let its lease run out."""
    rows = run(db, "SELECT owner, ttl, until, ticks FROM deliberations WHERE id = ?", (id_,))
    if not rows or rows[0][0] is None:
        return None
    owner = Owner.from_json(rows[0][0])
    return owner if Lease(*rows[0][1:]).holds(owner) else None


def take_fresh(db: apsw.Connection, hold: Ownership, owner: Owner) -> None:
    """Become the first owner of a deliberation whose id was made just now.

    If somebody has used it all the same, nothing can be appended: a token or an entry is there already.
    """
    run(db, _FRESH, (hold.id, hold.token, owner.to_json(), *Lease.of(hold.ttl), first(hold.id)))


def append(db: apsw.Connection, hold: Ownership, rows: Sequence[Row], summary: Summary | None) -> None:
    """Add rows under a token, and renew its lease; without a summary what the list says stays as it is.

    Raises:
        OwnerLost: the token is no longer the newest; nothing was added.
    """
    announce(db, hold, rows, summary)
    insert(db, [(hold.id, *row[:-1]) for row in rows])


def announce(db: apsw.Connection, hold: Ownership, rows: Sequence[Row], summary: Summary | None) -> None:
    """Do all of that but add the rows themselves, which goes faster for many deliberations at once.

    Raises:
        OwnerLost: the token is no longer the newest, and nothing may be added.
    """
    _, until, ticks = Lease.of(hold.ttl)
    last, owned = rows[-1], (hold.id, hold.token, rows[0].number - 1)
    if summary is None:
        run(db, _APPEND, (until, ticks, last.number, last.hash, *owned))
    else:
        run(db, _APPEND_SUMMARY, (until, ticks, *_columns(last, summary), *owned))
    if not db.changes():
        raise taken_error(hold.id)


class Extension(NamedTuple):
    """A deliberation under the token of its owner, how many entries it has, and its last once some are added."""

    id: str
    token: int
    entries: int
    last: Row


def extend(db: apsw.Connection, ttl: float, extensions: Sequence[Extension]) -> frozenset[str]:
    """Announce what changes nothing that the list says, for many deliberations at once; gives those that are lost.

    One by one it would cost as much as to add the rows.
    """
    _, until, ticks = Lease.of(ttl)
    before = db.total_changes()
    rows = [(id_, token, entries, last.number, last.hash) for id_, token, entries, last in extensions]
    few = _run_together(db, _EXTEND, rows, until, ticks)
    run_many(db, _APPEND, [(until, ticks, number, head, *owned) for *owned, number, head in few])
    if db.total_changes() - before == len(rows):
        return frozenset()
    return frozenset(one.id for one in extensions if not _reaches(db, one))


def _reaches(db: apsw.Connection, one: Extension) -> bool:
    found = run(db, "SELECT token, entries FROM deliberations WHERE id = ?", (one.id,))
    return found == [(one.token, one.last.number)]


def insert(db: apsw.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows as they are, each after the id of its deliberation."""
    run_many(db, _filled(_INSERT, 1, _COLUMNS), _run_together(db, _INSERT, rows))


def _run_together(
    db: apsw.Connection, sql: str, rows: Sequence[tuple[Any, ...]], *given: object
) -> Sequence[tuple[Any, ...]]:
    """Run a statement on many rows at once, after what is `given`; there are few sizes, so that each is prepared once.

    The last few are given back, to be run one by one.
    """
    at = 0
    for size in _TOGETHER:
        while len(rows) - at >= size:
            some = rows[at : at + size]
            run(db, _filled(sql, size, len(some[0])), (*given, *chain.from_iterable(some)))
            at += size
    return rows[at:]


@cache
def _filled(sql: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return sql.format(rows=", ".join([row] * rows))


def adopt(db: apsw.Connection, rows: Sequence[Row], summary: Summary) -> None:
    """Add a whole deliberation that nobody owns.

    Raises:
        LedgerUnwritable: it is here already.
    """
    run(db, _ADOPT, (summary.id, *_columns(rows[-1], summary)))
    if not db.changes():
        raise LedgerUnwritable(f"{summary.id} is in this ledger already; import it into another one")
    insert(db, [(summary.id, *row[:-1]) for row in rows])


def _columns(head: Row, summary: Summary) -> tuple[Any, ...]:
    outcome, reviewed = (None if said is None else _bytes(said) for said in (summary.outcome, summary.reviewed))
    shown = (_bytes(summary.protocol), _bytes(summary.question), summary.state, outcome, summary.awaits, reviewed)
    return (head.number, head.hash, summary.begun, *shown)


def renew(db: apsw.Connection, hold: Ownership) -> None:
    """Keep a deliberation for another while.

    Raises:
        OwnerLost: the token is no longer the newest.
    """
    _, until, ticks = Lease.of(hold.ttl)
    sql = "UPDATE deliberations SET until = ?, ticks = ? WHERE id = ? AND token = ?"
    run(db, sql, (until, ticks, hold.id, hold.token))
    if not db.changes():
        raise taken_error(hold.id)


def release(db: apsw.Connection, hold: Ownership, *, written: bool = False, owes: bool = False) -> None:
    """Let go of a deliberation, and of all trace of it if nothing was ever written, spooled or not.

    Who `owes` what was written and not committed is not shut out: the next owner takes that from the spool.
    """
    owned = (hold.id, hold.token)
    if not written:
        run(db, "DELETE FROM deliberations WHERE id = ? AND token = ? AND entries = 0", owned)
    run(db, "UPDATE deliberations SET owner = NULL, token = token + ? WHERE id = ? AND token = ?", (not owes, *owned))


def is_pending(db: apsw.Connection, spooled: SpooledRow) -> bool:
    """Whether a row that was found in a spool may still be committed by the next owner."""
    known = run(db, "SELECT token, entries FROM deliberations WHERE id = ?", (spooled.id,))
    return not known or ((spooled.token or 0) >= known[0][0] and spooled.row.number > known[0][1])


def make_known(db: apsw.Connection, spooled: SpooledRow) -> None:
    """Open a deliberation that was begun by a process which was killed before it had committed anything."""
    run(db, _STRAY, (spooled.id, spooled.token, first(spooled.id)))


def forget(db: apsw.Connection, id_: str, instead: str) -> None:
    """Remove words and salts, and shut out whoever could bring them back.

    Raises:
        NotRecorded: no such deliberation.
        OwnerLost: somebody holds it.
    """
    refuse_held(db, id_)
    run(db, "UPDATE deliberations SET token = token + 1, question = ? WHERE id = ?", (_bytes(instead), id_))
    if not db.changes():
        raise NotRecorded(describe_missing(id_))
    run(db, "UPDATE entries SET salt = '', words = CAST('{}' AS BLOB) WHERE deliberation = ?", (id_,))


def purge(db: apsw.Connection) -> None:
    """Rewrite the file and empty the log beside it, so that nothing removed can be read from the disk."""
    run(db, "VACUUM")
    busy, *_ = run(db, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
    if busy:
        raise apsw.BusyError("somebody is reading, so removed words still lie in the log; forget it again later")


def find(db: apsw.Connection, id_: str) -> str:
    """The whole id behind `last` or a unique beginning.

    Raises:
        NotRecorded: none, or several begin so.
    """
    if id_ == "last":
        sql = "SELECT id FROM deliberations WHERE NOT imported ORDER BY sequence DESC LIMIT 1"
        return only(id_, _ids(db, sql, ()))
    typed = check_prefix(id_)
    sql = "SELECT id FROM deliberations WHERE id >= ? AND id < ? ORDER BY id LIMIT 3"
    return only(id_, _ids(db, sql, (typed, typed + "{")))


def rows_of(db: apsw.Connection, id_: str, after: int = 0) -> list[Row]:
    """Every row of a deliberation, in order, or those `after` the ones that are known.

    Raises:
        LedgerBroken: some were cut off at the end.
    """
    imported = "number <= (SELECT imported FROM deliberations WHERE id = ?1)"
    columns = f"number, time, before, hash, public, salt, words, {imported}"
    sql = f"SELECT {columns} FROM entries WHERE deliberation = ?1 AND number > ?2 ORDER BY number"  # noqa: S608 - all ours
    with savepoint(db):
        rows = [Row(*row) for row in run(db, sql, (id_, after))]
        told = run(db, "SELECT entries, head FROM deliberations WHERE id = ?", (id_,))
    if after and not rows and told and told[0][0] == after:
        return rows
    if told and told[0] != (after + len(rows), rows[-1].hash if rows else first(id_)):
        raise LedgerBroken(
            f"{id_} should have {told[0][0]} entries and has {after + len(rows)}; the record was changed at its end"
        )
    return rows


def summaries(db: apsw.Connection) -> list[Summary]:
    """Every deliberation, the one that came here last first."""
    columns = "id, begun, protocol, question, state, outcome, entries, awaits, reviewed, imported"
    sql = f"SELECT {columns} FROM deliberations ORDER BY sequence DESC"  # noqa: S608 - nothing of it comes from outside
    return [
        Summary(
            id=id_,
            begun=begun,
            protocol=_text(protocol),
            question=_text(question),
            state=state,
            outcome=None if outcome is None else _text(outcome),
            entries=entries,
            awaits=bool(awaits),
            reviewed=None if reviewed is None else _text(reviewed),
            imported=bool(imported),
        )
        for id_, begun, protocol, question, state, outcome, entries, awaits, reviewed, imported in run(db, sql)
    ]


def claim(db: apsw.Connection, key: str, made: Claim) -> Claim:
    """Let a key stand for a deliberation, unless it does for one already; what it stands for now."""
    run(db, "INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (key, *made))
    return Claim(*run(db, "SELECT deliberation, digest FROM claims WHERE key = ?", (key,))[0])


def open_claims(db: apsw.Connection) -> list[str]:
    """What was begun under a key and has not ended, the oldest first."""
    sql = """SELECT DISTINCT id FROM claims JOIN deliberations ON id = deliberation WHERE state = 'open'
        ORDER BY sequence"""
    return _ids(db, sql, ())


def _ids(db: apsw.Connection, sql: str, values: tuple[str, ...]) -> list[str]:
    return [str(id_) for (id_,) in run(db, sql, values)]


def _bytes(text: str) -> bytes:
    """Text as it is stored: in bytes, because SQLite's own text cannot hold a lone surrogate."""
    return text.encode(errors="surrogatepass")


def _text(stored: bytes) -> str:
    return stored.decode(errors="surrogatepass")
