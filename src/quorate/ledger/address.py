"""Where a ledger is kept: a file, memory, or a database's address, which may hold a password that is never shown."""

import re
from dataclasses import field
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model.once import lazy_pattern

__all__ = [
    "Address",
    "has_password",
    "is_address",
    "place_of",
    "repeatable_ledger",
    "scheme_of",
    "shown_ledger",
    "with_spool",
]

_SCHEME = lazy_pattern(r"postgres(?:ql)?://", re.IGNORECASE)
_ANY_SCHEME = lazy_pattern(r"([a-z][a-z0-9_-]*)://", re.IGNORECASE)
_HOSTS = lazy_pattern(r"(?:(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])?(?::[0-9]{1,5})?(?:,|$))*")
_DATABASE = lazy_pattern(r"/?[\w.%-]*")
_SCHEMA = lazy_pattern(r"[a-z_][a-z0-9_]{0,40}")
_SCHEMA_KEY: Final = "schema"
_SPOOL_KEY: Final = "spool"
_SECRETS: Final = frozenset({"password", "sslpassword"})


def is_address(where: str | Path) -> bool:
    """Whether a ledger is a PostgreSQL database, where workers can take up what is queued."""
    return bool(_SCHEME.match(str(where)))


def scheme_of(where: str | Path) -> str:
    """How the address of a ledger begins, which says of what kind it is; empty for a file and for memory."""
    match = _ANY_SCHEME.match(str(where))
    return match[1].lower() if match else ""


def place_of(where: str | Path) -> str:
    """The same ledger from wherever the process moves: a file by its whole path, an address as it is."""
    return str(where) if scheme_of(where) or str(where) == ":memory:" else str(Path(where).absolute())


def shown_ledger(where: str | Path) -> str:
    """A ledger as it may be shown: of an address neither user nor password nor what follows its name."""
    text = str(where)
    if is_address(text):
        return _shown(urlsplit(text), _pairs(text))
    return _shown_added(text) if scheme_of(text) else text


def _shown_added(text: str) -> str:
    """Nobody knows what another package reads from its address, so what may be a secret is cut off."""
    scheme, _, rest = text.partition("://")
    return f"{scheme}://{re.split('[?#]', rest)[0].rpartition('@')[2]}"


def has_password(where: str | Path) -> bool:
    """Whether there is a secret in it, or something that may be one."""
    text = str(where)
    if not is_address(text):
        return shown_ledger(text) != text
    parts = urlsplit(text)
    return not _is_clean(parts) or bool(parts.password) or any(key in _SECRETS for key, _ in _pairs(text))


def repeatable_ledger(where: str | None) -> str | None:
    """A ledger as it may be shown to be typed again: where a password was, a word says so."""
    if where is None or not has_password(where):
        return where
    return shown_ledger(where).replace("://", "://USER:PASSWORD@", 1)


def with_spool(where: str, state: Path) -> str:
    """An address that says where its spool lies, if it does not yet."""
    if not is_address(where) or not _is_clean(urlsplit(where)) or _SPOOL_KEY in dict(_pairs(where)):
        return where
    parts = urlsplit(where)
    query = urlencode([*_pairs(where), (_SPOOL_KEY, str(state / "spool"))])
    return _joined(parts, query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A ledger in a database: what its driver is told, the schema its tables are in, and the folder for spools."""

    driver_address: str = field(repr=False)
    """With the password, if there is one; for the driver alone."""
    schema: str
    spool: Path
    shown: str

    @classmethod
    def of(cls, text: str) -> "Address":
        """Read one.

        Raises:
            BadSetting: it is none.
        """
        parts = urlsplit(text)
        if not _is_clean(parts):
            raise BadSetting(
                f"cannot read the ledger's address {shown_ledger(text)!r}; it looks like "
                "postgresql://user:password@host:5432/database, and signs such as @ / : ? # % in a password are "
                "written as %40 %2F %3A %3F %23 %25"
            )
        pairs = dict(_pairs(text))
        schema = pairs.pop(_SCHEMA_KEY, "quorate")
        if not _SCHEMA.fullmatch(schema):
            raise BadSetting(
                f"a schema is called by a-z, 0-9 and _, at most 41 of them, not {schema[:60]!r}; "
                "leave ?schema= out for 'quorate'"
            )
        folder = pairs.pop(_SPOOL_KEY, "")
        return cls(
            driver_address=_joined(parts, urlencode(pairs)),
            schema=schema,
            spool=Path(folder).absolute() if folder else Path.home() / ".local/state/quorate/spool",
            shown=shown_ledger(text),
        )


def _pairs(text: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(text).query, keep_blank_values=True)


def _is_clean(parts: SplitResult) -> bool:
    """Whether every part is certainly what it seems to be: a stray sign in a password moves all that follows."""
    _, _, hosts = parts.netloc.rpartition("@")
    written_wrong = "@" in parts.path or "@" in parts.query or bool(parts.fragment) or parts.netloc.count("@") > 1
    named = all("=" in pair for pair in parts.query.split("&") if parts.query)
    return not written_wrong and named and bool(_HOSTS.fullmatch(hosts) and _DATABASE.fullmatch(parts.path))


def _shown(parts: SplitResult, pairs: list[tuple[str, str]]) -> str:
    if not _is_clean(parts):
        return "postgresql://..."
    told = dict(pairs)
    _, _, hosts = parts.netloc.rpartition("@")
    schema = f"?{_SCHEMA_KEY}={told[_SCHEMA_KEY]}" if _SCHEMA.fullmatch(told.get(_SCHEMA_KEY, "")) else ""
    return f"postgresql://{hosts or told.get('host', '')}{parts.path}{schema}"


def _joined(parts: SplitResult, query: str) -> str:
    return urlunsplit(("postgresql", parts.netloc, parts.path or "/", query, ""))
