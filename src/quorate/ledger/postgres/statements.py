"""Every statement that is run on the tables of the PostgreSQL ledger.

Whether a lease holds is judged by the database's clock alone: those of the machines may differ.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from quorate.errors import LedgerBroken, LedgerUnwritable, NotRecorded
from quorate.frozen import dataclass
from quorate.ledger import Claim, Row, Summary
from quorate.ledger.chain import first
from quorate.ledger.ids import check_prefix, describe_missing, only
from quorate.ledger.lease import Owner, held_error
from quorate.ledger.postgres.connections import Connection
from quorate.ledger.spool.spool_files import SpooledRow

FRESH_TOKEN: Final = 1
"""The token of whoever takes a deliberation with its first entries; nobody gets it by looking for one first."""

# A lease that ends later than it can was given by a clock that has been set back since.
_HELD: Final = "owner IS NOT NULL AND clock_timestamp() BETWEEN until - make_interval(secs => ttl) AND until"
_APPEND: Final = """
WITH given AS (
    SELECT * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[],
        $9::text[], $10::bytea[], $11::bytea[], $12::text[], $13::bytea[], $14::boolean[], $15::bytea[])
    AS g (id, token, attempt, owner, known, entries, head, begun, protocol, question, state, outcome, awaits, reviewed)
), first_ones AS (
    INSERT INTO deliberations (id, token, attempt, owner, ttl, until, entries, head, begun, protocol, question, state,
        outcome, awaits, reviewed, imported)
    SELECT id, token, attempt, owner, $1, clock_timestamp() + make_interval(secs => $1), entries, head, begun, protocol,
        question, state, outcome, awaits, reviewed, 0
    FROM given WHERE owner IS NOT NULL ON CONFLICT DO NOTHING RETURNING id
), later_ones AS (
    UPDATE deliberations d SET until = clock_timestamp() + make_interval(secs => $1), entries = g.entries,
        head = g.head, begun = coalesce(g.begun, d.begun), protocol = coalesce(g.protocol, d.protocol),
        question = coalesce(g.question, d.question), state = coalesce(g.state, d.state),
        outcome = CASE WHEN g.begun IS NULL THEN d.outcome ELSE g.outcome END,
        awaits = coalesce(g.awaits, d.awaits),
        reviewed = CASE WHEN g.begun IS NULL THEN d.reviewed ELSE g.reviewed END
    FROM given g WHERE g.owner IS NULL AND d.id = g.id AND d.token = g.token AND d.attempt = g.attempt
        AND d.entries = g.known
    RETURNING d.id
), ours AS (SELECT id FROM first_ones UNION ALL SELECT id FROM later_ones
), added AS (
    INSERT INTO entries SELECT r.* FROM unnest($16::text[], $17::integer[], $18::text[], $19::text[], $20::text[],
        $21::bytea[], $22::text[], $23::bytea[])
    AS r (deliberation, number, time, before, hash, public, salt, words) WHERE r.deliberation IN (SELECT id FROM ours)
)
SELECT id FROM ours"""
_THERE: Final = """
SELECT e.deliberation FROM unnest($1::text[], $2::integer[], $3::text[]) AS g (id, number, hash)
JOIN entries e ON e.deliberation = g.id AND e.number = g.number AND e.hash = g.hash"""
_TAKE: Final = """
INSERT INTO deliberations (id, token, attempt, owner, ttl, until, entries, head, begun, protocol, question, state,
    awaits, imported)
VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $5), 0, $6, '', '', '', 'open', false, 0)
ON CONFLICT (id) DO UPDATE SET token = deliberations.token + 1, attempt = excluded.attempt, owner = excluded.owner,
    ttl = excluded.ttl, until = excluded.until WHERE deliberations.token = $7
RETURNING token"""
_RENEW: Final = """
UPDATE deliberations d SET until = clock_timestamp() + make_interval(secs => $4)
FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g (id, token, attempt)
WHERE d.id = g.id AND d.token = g.token AND d.attempt = g.attempt RETURNING d.id"""
_RELEASED: Final = "FROM (VALUES {}) AS g (id, token, attempt, shut_out, is_empty)"
_OURS: Final = "d.id = g.id AND d.token = g.token AND d.attempt = g.attempt"
_ADOPT: Final = """
INSERT INTO deliberations (id, token, attempt, ttl, until, entries, head, begun, protocol, question, state, outcome,
    awaits, reviewed, imported)
VALUES ($1, 0, '', 0, clock_timestamp(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $2)
ON CONFLICT DO NOTHING RETURNING id"""
_ADD: Final = """
INSERT INTO entries SELECT $1, r.* FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::bytea[],
    $7::text[], $8::bytea[]) AS r"""
_STRAY: Final = """
INSERT INTO deliberations (id, token, attempt, ttl, until, entries, head, begun, protocol, question, state, awaits,
    imported)
VALUES ($1, $2, '', 0, clock_timestamp(), 0, $3, '', '', '', 'open', false, 0) ON CONFLICT DO NOTHING"""
_ROWS: Final = """
SELECT d.entries, d.head, e.number, e.time, e.before, e.hash, e.public, e.salt, e.words,
    e.number <= d.imported
FROM deliberations d LEFT JOIN entries e ON e.deliberation = d.id AND e.number > $2 WHERE d.id = $1 ORDER BY e.number"""


class Lease(NamedTuple):
    """A deliberation under the token of its owner, and the one attempt that got it."""

    id: str
    token: int
    attempt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Rows that follow each other in one deliberation; with its owner, if it is to be taken together with them."""

    lease: Lease
    rows: Sequence[Row]
    summary: Summary | None = None
    """What the list says from now on; none if that stays as it is."""
    owner: Owner | None = None

    def columns(self) -> tuple[Any, ...]:
        last = self.rows[-1]
        owner = None if self.owner is None else self.owner.to_json()
        shown = (None,) * 7 if self.summary is None else _shown(self.summary)
        return (*self.lease, owner, self.rows[0].number - 1, last.number, last.hash, *shown)


async def append(db: Connection, additions: Sequence[Addition], ttl: float) -> set[str]:
    """Add rows of many deliberations at once, each under its token, and renew their leases; the ids that were added to.

    All in one statement: it is committed as a whole, and whoever has lost a deliberation adds nothing to it. What was
    added before, by a commit that could not be confirmed, counts as added.
    """
    rows = ((addition.lease.id, *row[:-1]) for addition in additions for row in addition.rows)
    values = (*_turned(addition.columns() for addition in additions), *_turned(rows))
    added = {str(id_) for (id_,) in await db.fetch(_APPEND, ttl, *values)}
    missing = [addition for addition in additions if addition.lease.id not in added]
    return added | await _there(db, missing) if missing else added


async def _there(db: Connection, additions: Sequence[Addition]) -> set[str]:
    """Those whose last row stands where it belongs."""
    last = _turned((one.lease.id, one.rows[-1].number, one.rows[-1].hash) for one in additions)
    return {str(id_) for (id_,) in await db.fetch(_THERE, *last)}


def _turned(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Rows as columns, one list each, which is how the driver sends many at once."""
    return [[*column] for column in zip(*rows, strict=True)]


async def take(db: Connection, id_: str, owner: Owner, attempt: str, ttl: float) -> Lease:
    """Become the owner of a deliberation, new or old, and get the token that shuts out all earlier ones.

    Raises:
        OwnerLost: somebody else holds it.
    """
    while True:
        token = await refuse_held(db, id_, attempt)
        values = (id_, FRESH_TOKEN + 1, attempt, owner.to_json(), ttl, first(id_), token)
        if rows := await db.fetch(_TAKE, *values):
            return Lease(id_, int(rows[0][0]), attempt)


async def refuse_held(db: Connection, id_: str, attempt: str = "") -> int:
    """Leave a living owner alone, and give the last token; an attempt that was not confirmed does not stand in its way.

    Raises:
        OwnerLost: somebody else holds it.
    """
    sql = f"SELECT token, owner, attempt, {_HELD} FROM deliberations WHERE id = $1 FOR UPDATE"  # noqa: S608 - all ours
    rows = await db.fetch(sql, id_)
    if not rows:
        return 0
    token, owner, known, held = rows[0]
    if held and not (attempt and known == attempt) and not (holder := Owner.from_json(owner)).gone:
        raise held_error(id_, holder)
    return int(token)


async def owner_of(db: Connection, id_: str) -> Owner | None:
    """Who holds a deliberation; none if nobody does, or whoever did is gone or has let its lease run out."""
    rows = await db.fetch(f"SELECT owner FROM deliberations WHERE id = $1 AND {_HELD}", id_)  # noqa: S608 - all ours
    owner = Owner.from_json(rows[0][0]) if rows else None
    return None if owner is None or owner.gone else owner


async def renew(db: Connection, leases: Sequence[Lease], ttl: float) -> set[str]:
    """Keep deliberations for another while; the ids of those that are still ours."""
    return {str(id_) for (id_,) in await db.fetch(_RENEW, *_turned(leases), ttl)}


class Release(NamedTuple):
    """A deliberation to let go of; who is not `shut_out` owes rows, which the next owner finds in the spool."""

    lease: Lease
    shut_out: bool
    is_empty: bool


def announcement(schema: str, ids: Sequence[str], releases: Sequence[Release]) -> str:
    """What follows a commit, in one go: let go of deliberations, and tell whoever listens that there is news.

    It need not survive a crash of the database: a lease ends by itself, and whoever listens looks from time to time.
    Outside of the commit, because the database lets only one transaction at a time commit with news in it.
    """
    parts = ["BEGIN; SET LOCAL synchronous_commit TO off"]
    if releases:
        values = ", ".join(
            f"('{one.lease.id}', {one.lease.token}, '{one.lease.attempt}', {one.shut_out}, {one.is_empty})"
            for one in releases
        )
        these = _RELEASED.format(values)
        parts.append(f"DELETE FROM deliberations d USING {these[5:]} WHERE {_OURS} AND g.is_empty AND d.entries = 0")  # noqa: S608 - ids
        parts.append(
            f"UPDATE deliberations d SET owner = NULL, token = d.token + g.shut_out::int {these} WHERE {_OURS}"  # noqa: S608 - the same
        )
    parts += ["SELECT nextval('commits')", *notifications(schema, ids), "COMMIT"]
    return "; ".join(parts)


def notifications(schema: str, ids: Sequence[str]) -> list[str]:
    """News of deliberations; a message takes less than 8,000 bytes."""
    return [f"NOTIFY {channel(schema)}, '{' '.join(ids[at : at + 250])}'" for at in range(0, len(ids), 250)]


def channel(schema: str) -> str:
    """Where news of a ledger is told; every ledger of a database has its own."""
    return f"{schema}_news"


async def adopt(db: Connection, rows: Sequence[Row], summary: Summary) -> None:
    """Add a whole deliberation that nobody owns.

    Raises:
        LedgerUnwritable: it is here already.
    """
    if not await db.fetch(_ADOPT, summary.id, rows[-1].number, rows[-1].hash, *_shown(summary)):
        raise LedgerUnwritable(f"{summary.id} is in this ledger already; import it into another one")
    await db.execute(_ADD, summary.id, *_turned(row[:-1] for row in rows))


async def is_pending(db: Connection, spooled: SpooledRow) -> bool:
    """Whether a row that was found in a spool may still be committed by the next owner."""
    known = await db.fetch("SELECT token, entries FROM deliberations WHERE id = $1", spooled.id)
    return not known or ((spooled.token or 0) >= known[0][0] and spooled.row.number > known[0][1])


async def make_known(db: Connection, spooled: SpooledRow) -> None:
    """Open a deliberation that was begun by a process which was killed before it had committed anything."""
    await db.execute(_STRAY, spooled.id, spooled.token or 0, first(spooled.id))


async def forget(db: Connection, id_: str, instead: str) -> None:
    """Remove words and salts, and shut out whoever could bring them back.

    Raises:
        NotRecorded: no such deliberation.
        OwnerLost: somebody holds it.
    """
    await refuse_held(db, id_)
    sql = "UPDATE deliberations SET token = token + 1, question = $2 WHERE id = $1 RETURNING id"
    if not await db.fetch(sql, id_, _bytes(instead)):
        raise NotRecorded(describe_missing(id_))
    await db.execute("UPDATE entries SET salt = '', words = '{}' WHERE deliberation = $1", id_)


async def find(db: Connection, id_: str) -> str:
    """The whole id behind `last` or a unique beginning.

    Raises:
        NotRecorded: none, or several begin so.
    """
    if id_ == "last":
        sql = "SELECT id FROM deliberations WHERE imported = 0 ORDER BY sequence DESC LIMIT 1"
        return only(id_, [str(one) for (one,) in await db.fetch(sql)])
    typed = check_prefix(id_)
    sql = "SELECT id FROM deliberations WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 3"
    return only(id_, [str(one) for (one,) in await db.fetch(sql, typed, typed + "{")])


async def rows_of(db: Connection, id_: str, after: int = 0) -> list[Row]:
    """Every row of a deliberation, in order, or those `after` the ones that are known.

    Raises:
        LedgerBroken: some were cut off at the end.
    """
    found = await db.fetch(_ROWS, id_, after)
    rows = [Row(*row[2:]) for row in found if row[2] is not None]
    if not found or (after and not rows and found[0][0] == after):
        return rows
    entries, head = found[0][:2]
    if (entries, head) != (after + len(rows), rows[-1].hash if rows else first(id_)):
        raise LedgerBroken(
            f"{id_} should have {entries} entries and has {after + len(rows)}; the record was changed at its end"
        )
    return rows


async def summaries(db: Connection) -> list[Summary]:
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
            awaits=awaits,
            reviewed=None if reviewed is None else _text(reviewed),
            imported=bool(imported),
        )
        for id_, begun, protocol, question, state, outcome, entries, awaits, reviewed, imported in await db.fetch(sql)
    ]


async def claim(db: Connection, key: str, made: Claim) -> Claim:
    """Let a key stand for a deliberation, unless it does for one already; what it stands for now."""
    await db.execute("INSERT INTO claims VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", key, *made)
    return Claim(*(await db.fetch("SELECT deliberation, digest FROM claims WHERE key = $1", key))[0])


async def open_claims(db: Connection) -> list[str]:
    """What was begun under a key and has not ended, the oldest first."""
    sql = """SELECT id FROM deliberations d WHERE state = 'open'
        AND EXISTS (SELECT FROM claims c WHERE c.deliberation = d.id) ORDER BY sequence"""
    return [str(id_) for (id_,) in await db.fetch(sql)]


async def entries_of(db: Connection, id_: str) -> int:
    """How many entries a deliberation has, none if it is not known."""
    rows = await db.fetch("SELECT entries FROM deliberations WHERE id = $1", id_)
    return int(rows[0][0]) if rows else 0


async def commits(db: Connection) -> int:
    """How often something was committed, more or less."""
    return int((await db.fetch("SELECT last_value FROM commits"))[0][0])


def _shown(summary: Summary) -> tuple[Any, ...]:
    outcome, reviewed = (None if said is None else _bytes(said) for said in (summary.outcome, summary.reviewed))
    shown = (_bytes(summary.protocol), _bytes(summary.question), summary.state, outcome, summary.awaits, reviewed)
    return (summary.begun, *shown)


def _bytes(text: str) -> bytes:
    """Text as it is stored: in bytes, because the database's own text holds neither half a character nor a NUL."""
    return text.encode(errors="surrogatepass")


def _text(stored: bytes) -> str:
    return stored.decode(errors="surrogatepass")
