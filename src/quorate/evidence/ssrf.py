"""Which addresses may be fetched: on the public internet, over HTTP, at its own ports, and nothing else."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

__all__ = ["PORTS", "AddressRefused", "Target", "is_public", "target_of"]

PORTS: Final = frozenset({80, 443})
LONGEST: Final = 2_048

_NOT_PUBLIC: Final = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    )
)  # fmt: skip
"""Written out: which of them the library calls global differs between versions of Python."""
_UNICAST: Final = ip_network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    ip_network(text)
    # Teredo, benchmarks, ORCHID, documentation, 6to4, segment routing: all lead elsewhere than they say, or nowhere.
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48", "fd00:ec2::/32")
)
_NAT64: Final = ip_network("64:ff9b::/96")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))+")
_NUMBER: Final = re.compile(r"(?:0x[0-9a-f]*|\d+)")
_INNER: Final = (
    "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
    "test", "example", "invalid", "alt",
)  # fmt: skip


class AddressRefused(ValueError):
    """An address that is not fetched, and why; nothing was contacted."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart: `host` is a name in ASCII or a public IP address as text."""

    url: str
    host: str
    port: int


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public internet; whatever wraps another address is judged by that one."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return is_public(str(IPv4Address(int(address) & 0xFFFFFFFF)))
    return address in _UNICAST and not any(address in network for network in _NOT_PUBLIC_6)


_NEVER: Final = frozenset(' \\\t\r\n<>"{}|^`')
"""Signs that no address holds."""


def target_of(url: str, ports: frozenset[int] = PORTS) -> Target:
    """Take an address apart as strictly as can be: what two readers could read in two ways is refused.

    Raises:
        Refused: it is none that may be fetched.
    """
    if len(url) > LONGEST or not url.isprintable() or not _NEVER.isdisjoint(url):
        raise AddressRefused("it holds signs that no address holds, or is too long")
    parts, port = _parts(url)
    if parts.scheme not in {"http", "https"}:
        raise AddressRefused(f"only http and https are fetched, not {parts.scheme[:20] or 'this'}")
    if "@" in parts.netloc or "%" in parts.netloc:
        raise AddressRefused("an address with a user, or with signs written as numbers, is not fetched")
    wanted = port if port is not None else {"http": 80, "https": 443}[parts.scheme]
    if wanted not in ports or parts.netloc.endswith(":"):
        raise AddressRefused("only ports 80 and 443 are fetched")
    host = _host(parts)
    return Target(parts._replace(fragment="", netloc=_netloc(host, port)).geturl(), host, wanted)


def _parts(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("it is no address") from None
    return parts, port


def _netloc(host: str, port: int | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def _host(parts: SplitResult) -> str:
    """The host as it will be connected to; a name that could be read as a number is no name."""
    written = parts.hostname or ""
    if not written.isascii():
        try:
            written = written.encode("idna").decode("ascii").casefold()
        except UnicodeError:
            raise AddressRefused("its host's name cannot be read") from None
    if parts.netloc.startswith("["):
        return _literal(written)
    name = written.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]) or not labels[-1]:
        return _literal(name)
    if not _NAME.fullmatch(name) or labels[-1] in _INNER or len(name) > 253:  # noqa: PLR2004  as DNS has it
        raise AddressRefused("its host is no name on the public internet")
    return name


def _literal(text: str) -> str:
    """An IP address in its one plain form; 127.1, 0177.0.0.1 and 2130706433 are others."""
    try:
        address: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        raise AddressRefused("its host is no name on the public internet") from None
    return str(address)
