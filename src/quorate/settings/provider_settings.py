"""What a runner takes care of for every provider: pace, breaker, cache, and the table that `auto` chooses from."""

import re
from typing import Final

from quorate.errors import BadSetting
from quorate.middleware.provider_limits import CACHES, OFF, BreakerLimits, ProviderLimits, Rate
from quorate.settings.amounts import amount, seconds, whole
from quorate.settings.file_fields import Field, quote_text

__all__ = [
    "CACHES",
    "BreakerLimits",
    "ProviderLimits",
    "Rate",
    "breaker",
    "breaker_of",
    "cache",
    "rate",
    "rate_of",
    "written_breaker",
    "written_rate",
    "written_routes",
]

_REQUESTS: Final = re.compile(r"(\S+)\s*requests?")
_TOKENS: Final = re.compile(r"(\S+?)\s*tokens?")
_FAILURES: Final = re.compile(r"(\S+)\s*failures?")


def rate(text: str) -> Rate:
    """Read the most requests and tokens a minute: '60 requests, 90k tokens', or off.

    Raises:
        BadSetting: a part cannot be read, or stands there twice.
    """
    if text.strip() == OFF:
        return Rate()
    said: dict[str, int] = {}
    for part in text.split(","):
        found = [(name, form.fullmatch(part.strip())) for name, form in (("requests", _REQUESTS), ("tokens", _TOKENS))]
        name, match = next(((name, match) for name, match in found if match), ("", None))
        if match is None or name in said:
            raise BadSetting(
                f"must be a pace such as '60 requests, 90k tokens' a minute, or off, not {quote_text(text)}"
            )
        said[name] = amount(match[1])
    return Rate(requests=said.get("requests"), tokens=said.get("tokens"))


def breaker(text: str) -> BreakerLimits:
    """Read when a provider is left alone, and for how long: '10 failures, 30s', or off.

    Raises:
        BadSetting: it cannot be read.
    """
    if text.strip() == OFF:
        return BreakerLimits(failures=0)
    first, _, last = (part.strip() for part in text.partition(","))
    failures = _FAILURES.fullmatch(first)
    if failures is None or not last:
        raise BadSetting(f"must be a breaker such as '10 failures, 30s', or off, not {quote_text(text)}")
    return BreakerLimits(failures=whole(failures[1]), pause=float(seconds(last)))


def cache(text: str) -> str:
    """Read where replies to equal asks are kept: off, memory, or a file.

    Raises:
        BadSetting: nothing is said.
    """
    written = text.strip()
    if not written or not written.isprintable():
        raise BadSetting(f"must be off, memory, or the path of a file, not {quote_text(text)}")
    return written


def rate_of(field: Field) -> Rate:
    """A pace in a file: in one line, or a field each.

    Raises:
        BadPanel: it cannot be read.
    """
    if field.plain:
        return field.read(rate)
    known = field.fields(("requests", "tokens"))
    return Rate(
        requests=known["requests"].read(amount) if "requests" in known else None,
        tokens=known["tokens"].read(amount) if "tokens" in known else None,
    )


def breaker_of(field: Field) -> BreakerLimits:
    """A breaker in a file: in one line, or a field each.

    Raises:
        BadPanel: it cannot be read.
    """
    if field.plain:
        return field.read(breaker)
    known, usual = field.fields(("failures", "pause")), BreakerLimits()
    return BreakerLimits(
        failures=known["failures"].read(whole) if "failures" in known else usual.failures,
        pause=float(known["pause"].read(seconds)) if "pause" in known else usual.pause,
    )


def written_rate(rate: Rate) -> str:
    """A pace as it is written."""
    parts = ((rate.requests, "requests"), (rate.tokens, "tokens"))
    return ", ".join(f"{many} {what}" for many, what in parts if many is not None) or OFF


def written_breaker(breaker: BreakerLimits) -> str:
    """A breaker as it is written."""
    return f"{breaker.failures} failures, {breaker.pause:g} s" if breaker.failures else OFF


def written_routes(file: str) -> str:
    """The table that `auto` chooses from, as `quorate config` shows it."""
    return file or "shipped"
