"""Which key may go where: to its provider's own address, and to another only if the user allowed that pair."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

__all__ = ["ALLOWED", "is_allowed", "is_loopback", "is_place", "origin", "pair"]

ALLOWED: Final = "QUORATE_ALLOW_KEYS"
"""The variable that holds the pairs a user allows, with commas between them: openai@gateway.example:8080."""

HERE: Final = "127.0.0.1"
_PORTS: Final = {"http": 80, "https": 443}


@lru_cache(maxsize=256)
def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address; this machine always by the same name."""
    parts = urlsplit(url)
    host = (parts.hostname or "").casefold()
    return parts.scheme, HERE if is_loopback(url) else host, parts.port or _PORTS.get(parts.scheme, 0)


@lru_cache(maxsize=256)
def is_loopback(url: str) -> bool:
    """Whether an address can only be this machine; a name counts if it is `localhost`, whatever others resolve to."""
    host = (urlsplit(url).hostname or "").casefold()
    if host == "localhost":
        return True
    try:
        found = ip_address(host)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    # 0.0.0.0 and :: are where servers listen; whoever connects there reaches this machine.
    return any(one.is_loopback or one.is_unspecified for one in (found, mapped) if one is not None)


def pair(name: str, url: str) -> str:
    """A key and the place it would go to, as they are allowed."""
    _, host, port = origin(url)
    return f"{name}@{f'[{host}]' if ':' in host else host}:{port}"


def is_place(text: str) -> bool:
    """Whether a text is a host, or a host and its port, and nothing else."""
    try:
        parts = urlsplit(f"//{text}")
        return bool(parts.hostname) and parts.netloc == text and "@" not in text and parts.port != 0
    except ValueError:
        return False


def is_allowed(names: tuple[str, ...], url: str, environ: Mapping[str, str]) -> bool:
    """Whether the user allowed the key of one of these names at that address; a pair without a port means any port."""
    _, host, port = origin(url)
    allowed = set(_pairs(environ.get(ALLOWED, "")))
    return any((name, host, wanted) in allowed for name in names for wanted in (port, None))


def _pairs(written: str) -> Iterator[tuple[str, str, int | None]]:
    for one in written.split(","):
        name, _, place = one.strip().rpartition("@")
        try:
            parts = urlsplit(f"//{place}")
            host, port = parts.hostname or "", parts.port
        except ValueError:
            continue
        if name and host:
            yield name, origin(f"http://{parts.netloc}")[1], port
