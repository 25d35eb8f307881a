"""One page under many spellings of its address is one page."""

import re
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

__all__ = ["address"]

_LONGEST: Final = 2_000
_PORTS: Final = frozenset({"http:80", "https:443"})
_FOLLOWS: Final = re.compile(r"utm_\w{1,40}|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|ref_src", re.ASCII)


def address(url: str) -> str:
    """An address as it is compared, empty if there is none.

    Scheme, `www.`, case of the host, default port, fragment, trailing slash and tracking words make no difference.
    """
    written = url.strip()[:_LONGEST]
    try:
        parts = urlsplit(
            written if "://" in written else f"//{written}" if "." in written.partition("/")[0] else written
        )
        host = _host(parts)
    except ValueError:
        return written.casefold()
    if not host:
        return written.casefold()
    asked = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _FOLLOWS.fullmatch(pair[0]))
    query = f"?{urlencode(asked)}" if asked else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


def _host(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".").removeprefix("www.")
    port = parts.port
    plain = port is None or f"{parts.scheme.lower() or 'http'}:{port}" in _PORTS
    return name if plain else f"{name}:{port}"
