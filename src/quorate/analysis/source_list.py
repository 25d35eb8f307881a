"""All sources of several seats as one list: merged by address and by text, the best first, with who cites each."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from quorate.analysis.citations import Citation
from quorate.frozen import dataclass

__all__ = ["Source", "merge_sources", "same"]

Cited = Sequence[tuple[str, Sequence[Citation]]]
"""Seats with their citations, in seat order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source, however many cite it under whatever addresses; its figures are the best that were given."""

    url: str
    title: str
    category: str
    relevance: Fraction
    credibility: Fraction
    cited_by: tuple[str, ...]

    @property
    def score(self) -> Fraction:
        return self.relevance * self.credibility


def merge_sources(cited: Cited) -> tuple[Source, ...]:
    """Every source that counts, once, sorted by relevance × credibility; equals by address."""
    home = same(citation for _, citations in cited for citation in citations)
    found: dict[str, list[tuple[str, Citation]]] = {}
    for seat, citations in cited:
        for one in citations:
            if one.counts:
                found.setdefault(home[one.names[0]], []).append((seat, one))
    sources = (_source(group) for group in found.values())
    return tuple(sorted(sources, key=lambda source: (-source.score, source.url)))


def _source(group: list[tuple[str, Citation]]) -> Source:
    best = max(group, key=lambda held: (held[1].evidence.relevance * held[1].credibility, held[1].url))[1]
    return Source(
        url=best.url,
        title=best.evidence.title,
        category=best.category,
        relevance=best.evidence.relevance,
        credibility=best.credibility,
        cited_by=tuple(dict.fromkeys(seat for seat, _ in group)),
    )


def same(citations: Iterable[Citation]) -> Mapping[str, str]:
    """Every name of a source to the one name of all that are the same: by address, by text, and on through both."""
    home: dict[str, str] = {}
    for one in citations:
        for name in one.names:
            home.setdefault(name, name)
        roots = sorted({_root(home, name) for name in one.names})
        for root in roots[1:]:
            home[root] = roots[0]
    return {name: _root(home, name) for name in home}


def _root(home: dict[str, str], name: str) -> str:
    while home[name] != name:
        home[name] = home[home[name]]
        name = home[name]
    return name
