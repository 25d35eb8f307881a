"""The tables of the PostgreSQL ledger: how they are made, and who may do what with them."""

import secrets
from typing import Final, NamedTuple

from quorate.errors import LedgerBroken, OtherVersion
from quorate.ledger.address import Address
from quorate.ledger.postgres.connections import FOREIGN, UNDEFINED, Connection

__all__ = ["ROLES", "SCHEMA_VERSION", "Version", "create_roles", "create_tables", "version_of"]

_TABLES: Final = """
CREATE TABLE ledger (
    version integer NOT NULL,
    id text NOT NULL
);
CREATE SEQUENCE places;
CREATE TABLE deliberations (
    id text COLLATE "C" PRIMARY KEY,
    token bigint NOT NULL,
    attempt text NOT NULL,
    owner text,
    ttl double precision NOT NULL,
    until timestamptz NOT NULL,
    entries integer NOT NULL,
    head text NOT NULL,
    begun text NOT NULL,
    protocol bytea NOT NULL,
    question bytea NOT NULL,
    state text NOT NULL,
    outcome bytea,
    awaits boolean NOT NULL,
    reviewed bytea,
    sequence bigint NOT NULL DEFAULT nextval('places'),
    imported integer NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX deliberations_sequence ON deliberations (sequence);
CREATE TABLE entries (
    deliberation text COLLATE "C" NOT NULL REFERENCES deliberations (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    number integer NOT NULL,
    time text NOT NULL,
    before text NOT NULL,
    hash text NOT NULL,
    public bytea NOT NULL,
    salt text NOT NULL,
    words bytea NOT NULL,
    PRIMARY KEY (deliberation, number)
);
CREATE TABLE claims (
    key text PRIMARY KEY,
    deliberation text COLLATE "C" NOT NULL,
    digest text NOT NULL
);
CREATE SEQUENCE commits"""
# What keeps a deliberation that has entries is the key that entries have on it, which no writer can change. The number
# of entries that a deliberation states is a writer's to set, so nothing rests on it.

SCHEMA_VERSION: Final = 1
"""The version of these tables. A ledger of any other is refused."""

_LEASE: Final = "token, attempt, owner, ttl, until"
_SUMMARY: Final = "entries, head, begun, protocol, question, state, outcome, awaits, reviewed"
ROLES: Final[dict[str, tuple[str, ...]]] = {
    "reader": ("SELECT ON ALL TABLES IN SCHEMA {schema}", "SELECT ON ALL SEQUENCES IN SCHEMA {schema}"),
    "writer": (
        "SELECT ON ALL TABLES IN SCHEMA {schema}",
        "USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema}",
        "INSERT ON {schema}.deliberations, {schema}.entries, {schema}.claims",
        f"UPDATE ({_LEASE}, {_SUMMARY}), DELETE ON {{schema}}.deliberations",
    ),
    "eraser": (
        "SELECT ON ALL TABLES IN SCHEMA {schema}",
        "USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema}",
        "UPDATE (token, question) ON {schema}.deliberations",
        "UPDATE (salt, words) ON {schema}.entries",
    ),
}
"""Who may do what. A writer adds entries and cannot change one; to erase words needs a right of its own."""


class Version(NamedTuple):
    """Which version a ledger has, 0 where there is none, and the id it was given when it was made."""

    number: int
    id: str


async def version_of(db: Connection, address: Address) -> Version:
    """The version of the ledger.

    Raises:
        OtherVersion: another version of quorate made it.
        LedgerBroken: tables of its names belong to somebody else.
    """
    try:
        rows = await db.fetch("SELECT version, id FROM ledger")
    except UNDEFINED:
        return Version(0, "")
    except FOREIGN as error:
        raise LedgerBroken(
            f"{address.shown!r} has tables of these names, but they are no quorate ledger; name another ?schema="
        ) from error
    if len(rows) != 1:
        raise LedgerBroken(f"{address.shown!r} does not say which version it has; name another ?schema=")
    found = Version(*rows[0])
    if found.number != SCHEMA_VERSION:
        raise OtherVersion(
            f"another version of quorate made the ledger {address.shown!r}: it has schema {found.number}, and this "
            f"quorate uses only schema {SCHEMA_VERSION}; give another ledger"
        )
    return found


async def create_tables(db: Connection, address: Address) -> Version:
    """Make the ledger if there is none: all of it or nothing, one process at a time."""
    found = await version_of(db, address)
    if found.number:
        return found
    async with db.transaction():
        await db.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"quorate {address.schema}")
        await db.execute(f"CREATE SCHEMA IF NOT EXISTS {address.schema}")
    async with db.transaction():
        await db.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"quorate {address.schema}")
        found = await _version_now(db, address)
        if found.number:
            return found
        await db.execute(_TABLES)
        made = Version(SCHEMA_VERSION, secrets.token_hex(16))
        await db.execute("INSERT INTO ledger VALUES ($1, $2)", *made)
    return made


async def _version_now(db: Connection, address: Address) -> Version:
    """The version inside a transaction, which a table that is not there would end."""
    rows = await db.fetch("SELECT to_regclass($1) IS NOT NULL", f"{address.schema}.ledger")
    return await version_of(db, address) if rows[0][0] else Version(0, "")


async def create_roles(db: Connection, schema: str) -> tuple[str, ...]:
    """Make the roles that are missing, without a login, and give each its rights; their names."""
    names = tuple(f"{schema}_{role}" for role in ROLES)
    async with db.transaction():
        for name, rights in zip(names, ROLES.values(), strict=True):
            if not await db.fetch("SELECT 1 FROM pg_roles WHERE rolname = $1", name):
                await db.execute(f"CREATE ROLE {name} NOLOGIN")
            await db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {name}")
            for right in rights:
                await db.execute(f"GRANT {right.format(schema=schema)} TO {name}")
    return names
