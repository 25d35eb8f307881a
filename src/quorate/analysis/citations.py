"""Whether what a seat cites stands where it says: a source counts only if its quote is in a passage of that seat's."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from quorate.frozen import dataclass
from quorate.model import Evidence, Passage
from quorate.model.once import lazy_pattern

__all__ = [
    "SHORTEST",
    "STATES",
    "Citation",
    "CitationState",
    "address",
    "check_citations",
    "plain_text",
    "unchecked_citations",
]

CitationState = Literal["found", "elsewhere", "claimed", "not_found", "no_quote", "no_address", "repeated"]

SHORTEST: Final = 10
"""Characters a quote must have, spaces not counted at its ends: fewer stand in any text."""

STATES: Final[Mapping[CitationState, str]] = MappingProxyType(
    {
        "found": "its quote stands in the passage of that address",
        "elsewhere": "its quote stands in another passage, and counts for that one",
        "claimed": "there is no passage to check it against; it is weighed as claimed",
        "not_found": "its quote stands in no passage the seat was given",
        "no_quote": f"its quote has fewer than {SHORTEST} characters, too few to be looked up",
        "no_address": "it names no address, so nothing says which source it is",
        "repeated": "the same page, or the same text under another address, is cited above",
    }
)
COUNTS: Final = frozenset({"found", "elsewhere", "claimed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One source of one seat, what looking it up gave, and as what it counts.

    `names` are what tells sources apart, the address and the digest of the text; category and credibility are the
    passage's where one was found, and the seat's own claim where there was nothing to look it up in.
    """

    evidence: Evidence
    state: CitationState
    url: str = ""
    category: str = ""
    credibility: Fraction = Fraction(0)
    names: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        return self.state in COUNTS

    @property
    def why(self) -> str:
        return STATES[self.state]


def check_citations(cited: Iterable[Evidence], passages: Iterable[Passage]) -> tuple[Citation, ...]:
    """Look every citation up in the passages of its seat; a page, or a text, counts once."""
    shelf = [(passage, address(passage.url), plain_text(passage.text)) for passage in passages]
    return _once(_looked_up(one, shelf) for one in cited)


def unchecked_citations(cited: Iterable[Evidence]) -> tuple[Citation, ...]:
    """Citations with nothing to look them up in, as they are claimed; an address counts once."""
    return _once(_as_claimed(one) for one in cited)


def _as_claimed(one: Evidence) -> Citation:
    where = address(one.url)
    if not where:
        return Citation(evidence=one, state="no_address")
    return Citation(
        evidence=one,
        state="claimed",
        url=one.url,
        category=one.category,
        credibility=one.credibility,
        names=(where,),
    )


def _looked_up(one: Evidence, shelf: list[tuple[Passage, str, str]]) -> Citation:
    quote = plain_text(one.quote)
    if len(quote) < SHORTEST:
        return Citation(evidence=one, state="no_quote")
    where = address(one.url)
    holding = [(passage, place) for passage, place, text in shelf if quote in text]
    if not holding:
        return Citation(evidence=one, state="not_found")
    passage, place = next((held for held in holding if held[1] == where), holding[0])
    return Citation(
        evidence=one,
        state="found" if place == where else "elsewhere",
        url=passage.url,
        category=passage.category,
        credibility=passage.credibility,
        names=tuple(name for name in (place, passage.digest and f"sha256:{passage.digest}") if name),
    )


def _once(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    seen: set[str] = set()
    kept: list[Citation] = []
    for one in citations:
        twice = one.counts and not seen.isdisjoint(one.names)
        seen.update(one.names)
        kept.append(Citation(evidence=one.evidence, state="repeated", names=one.names) if twice else one)
    return tuple(kept)


def plain_text(text: str) -> str:
    """A text as quotes are compared: without case, blanks one space, quotation marks and dashes alike."""
    letters = unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold()
    return " ".join(letters.split())


_SIGNS: Final[Mapping[int, str]] = MappingProxyType(
    {ord(sign): '"' for sign in "'`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u00ab\u00bb"}
    | {ord(sign): "-" for sign in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
    | {ord(sign): "" for sign in "\u00ad\u200b\u200c\u200d\u2060\ufeff"}
    | {ord("\u2026"): "..."}
)


_LONGEST: Final = 2_000
_PORTS: Final = frozenset({"http:80", "https:443"})
_FOLLOWS: Final = lazy_pattern(r"utm_\w{1,40}|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|ref_src", re.ASCII)


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
