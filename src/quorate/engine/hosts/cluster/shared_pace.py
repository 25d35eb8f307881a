"""How fast one provider is asked with one key, over all workers: a bucket in PostgreSQL that fills evenly.

Half of a minute's share lies in the bucket at first, and the rest flows in over a minute: so no minute, wherever it
begins, sees more than the limit. An ask takes its part at once and is told how long to wait until that part is there;
nobody polls, and who comes first goes first. Of a key only a salted hash leaves the process.
"""

import asyncio
from hashlib import sha256
from hmac import digest
from typing import Final

from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.errors import LedgerUnwritable
from quorate.frozen import dataclass
from quorate.middleware.provider_limits import Rate
from quorate.middleware.rate_limit import MINUTE, Turn

__all__ = ["SharedPace", "SharedPaces"]

AGAIN: Final = 0.5
"""Seconds until a bucket that cannot be reached is asked again; meanwhile nothing is sent."""
_ENDLESS: Final = 1e15
"""What lies in a bucket that nothing limits."""

_TAKE: Final = """
INSERT INTO paces AS known (line, requests, tokens)
VALUES ($1, $2::float8 - $6::float8, $4::float8 - $7::float8)
ON CONFLICT (line) DO UPDATE SET
    requests = least($2, known.requests + $3::float8 * extract(epoch FROM clock_timestamp() - known.at)) - $6,
    tokens = least($4, known.tokens + $5::float8 * extract(epoch FROM clock_timestamp() - known.at)) - $7,
    at = clock_timestamp()
RETURNING requests, tokens
"""


@dataclass(frozen=True, slots=True)
class Bucket:
    """How much lies in it when it is full, and how much flows in each second."""

    size: float
    flow: float

    @classmethod
    def of(cls, limit: int | None, grain: int) -> "Bucket":
        """For so many in a minute. What is taken in whole grains may lie there one grain more: it is never all gone."""
        if limit is None:
            return cls(_ENDLESS, 0.0)
        size = max(grain, limit // 2)
        return cls(size, (limit + grain - size) / MINUTE)

    def debt(self, amount: float) -> float:
        """What is taken for one ask besides, if it takes more than lies there: others after it wait for that."""
        return max(0.0, amount - self.size)

    def wait(self, level: float) -> float:
        """Seconds until what was taken has flowed in."""
        return 0.0 if level >= 0 else -level / self.flow


class SharedPace:
    """The pace of one provider and key; what was taken and not used goes back with the next that is taken."""

    def __init__(self, database: Database, line: bytes, rate: Rate) -> None:
        self._database = database
        self._line = line
        self._requests = Bucket.of(rate.requests, 1)
        self._tokens = Bucket.of(rate.tokens, 0)
        self._most = rate.tokens
        self._unused_requests: float = 0.0
        self._unused_tokens: float = 0.0

    async def turn(self, tokens: int) -> Turn:
        """Take a part, and wait until it is there; if the wait is broken off, give it back.

        What takes more than a minute's share takes all of it.
        """
        tokens = tokens if self._most is None else min(tokens, self._most)
        wait = await self._take(tokens)
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._unused_requests += 1
            self._unused_tokens += tokens + self._tokens.debt(tokens)
            raise
        return Turn(asyncio.get_running_loop().time(), tokens)

    def took(self, turn: Turn, tokens: int) -> None:
        """An ask turned out to take so many tokens."""
        self._unused_tokens += turn.tokens - tokens
        turn.tokens = tokens

    async def _take(self, tokens: int) -> float:
        debt = self._tokens.debt(tokens)
        while True:
            unused = self._unused_requests, self._unused_tokens
            self._unused_requests = self._unused_tokens = 0.0
            try:
                return await self._reserve(1 - unused[0], tokens + debt - unused[1], debt)
            except LedgerUnwritable:
                # Nothing is sent that nobody counts.
                self._unused_requests += unused[0]
                self._unused_tokens += unused[1]
            await asyncio.sleep(AGAIN)

    async def _reserve(self, requests: float, tokens: float, debt: float) -> float:
        buckets = (self._requests.size, self._requests.flow, self._tokens.size, self._tokens.flow)
        async with self._database.connection() as connection, connection.transaction():
            # A crash of the server may forget the last moment of it, never a minute.
            await connection.execute("SET LOCAL synchronous_commit = off")
            row = await connection.fetchrow(_TAKE, self._line, *buckets, float(requests), float(tokens))
        return max(self._requests.wait(row["requests"]), self._tokens.wait(row["tokens"] + debt))


class SharedPaces:
    """Makes the pace of a provider and key, the same for every worker on this queue."""

    def __init__(self, database: Database, salt: bytes) -> None:
        self._database = database
        self._salt = salt

    @classmethod
    async def of(cls, database: Database) -> "SharedPaces":
        """With the salt that all workers share.

        Raises:
            LedgerUnwritable: the server is away.
        """
        async with database.connection() as connection:
            salt: bytes = await connection.fetchval("SELECT salt FROM salt")
        return cls(database, salt)

    def __call__(self, address: str, key: str, rate: Rate) -> SharedPace:
        named = f"{address}\n{key}\n{rate.requests} {rate.tokens}".encode()
        return SharedPace(self._database, digest(self._salt, named, sha256), rate)
