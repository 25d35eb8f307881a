"""What each researcher found, with what became of everything it cites."""

from typing import Final, Literal

from quorate.analysis.citations import Citation, check_citations, unchecked_citations
from quorate.frozen import dataclass
from quorate.model import Ballot, Brief, Heard, Passage, Seat

__all__ = [
    "CONTEXT",
    "RESEARCH",
    "UNKNOWN",
    "UNSUPPORTED",
    "Answers",
    "ResearchFinding",
    "closed_library",
    "findings",
]

Answers = Literal["yes_no", "options", "number", "probability"]

RESEARCH: Final = "research"
UNKNOWN: Final = "UNDETERMINED"
UNSUPPORTED: Final = "unsupported"
"""Why a finding that stands on no source counts as silence."""
CONTEXT: Final = "context"
"""The address of what was given with the question itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchFinding:
    """One seat's ballot with what became of everything it cites."""

    seat: str
    ballot: Ballot
    citations: tuple[Citation, ...]

    @property
    def sources(self) -> int:
        return sum(one.counts for one in self.citations)

    @property
    def quotes(self) -> tuple[str, ...]:
        """What it quotes from sources that count, by relevance and credibility; equals by address."""
        cited = [one for one in self.citations if one.counts and one.evidence.quote.strip()]
        best = sorted(cited, key=lambda one: (-one.evidence.relevance * one.credibility, one.url))
        return tuple(one.evidence.quote for one in best)


def findings(brief: Brief, heard: Heard) -> tuple[ResearchFinding, ...]:
    """Every ballot that was cast, in seat order, its citations looked up in what its seat was given."""
    cast = ((seat, heard.ballot(RESEARCH, seat)) for seat in brief.panel.voters)
    return tuple(
        ResearchFinding(seat=seat.name, ballot=ballot, citations=_citations(brief, heard, seat, ballot))
        for seat, ballot in cast
        if ballot is not None
    )


def closed_library(brief: Brief, heard: Heard) -> int:
    """How many texts there were for everybody to look in, 0 if anybody could look further."""
    found = [heard.found("find", RESEARCH, seat.name) for seat in brief.panel.voters]
    sizes = [one.library if one is not None else 0 for one in found]
    return max(sizes) if sizes and all(sizes) else 0


def _citations(brief: Brief, heard: Heard, seat: Seat, ballot: Ballot) -> tuple[Citation, ...]:
    """Where nothing was ever looked for, the ballots were handed over: their sources are claims."""
    found = heard.found("find", RESEARCH, seat.name)
    if found is None:
        return unchecked_citations(ballot.evidence)
    fetched = heard.found("fetch", RESEARCH, seat.name)
    own = (Passage(url=CONTEXT, text=brief.question.context),) if brief.question.context else ()
    return check_citations(ballot.evidence, (*found.passages, *(fetched.passages if fetched else ()), *own))
