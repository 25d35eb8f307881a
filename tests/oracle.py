"""Small things tests of the oracle are made of."""

import hashlib
import itertools
from collections.abc import Sequence
from fractions import Fraction

from quorate import presets
from quorate.analysis.research import RESEARCH
from quorate.counting.findings import count
from quorate.model import (
    Ballot,
    Brief,
    Choice,
    ErrandKey,
    Evidence,
    Found,
    Heard,
    Panel,
    Passage,
    Question,
    Rulebook,
    Seat,
    Silence,
    Speech,
    Tally,
    Verdict,
)
from quorate.protocols.oracle import OUTCOMES
from quorate.rules import decide

BOOK = presets.rulebook("oracle")
KINDS = ("official", "news", "social", "domain_specific", "fact_check")


def panel_of(seats: int, *, demo: bool = False) -> Panel:
    return Panel(seats=tuple(Seat(name=f"r{number}") for number in range(seats)), demo=demo)


def sources(number: int, begin: int = 0, credibility: Fraction = Fraction(4, 5)) -> tuple[Evidence, ...]:
    """So many different sources in five categories."""
    return tuple(
        Evidence(url=f"https://site{begin + at}.example/page", category=KINDS[at % 5], credibility=credibility)  # type: ignore[arg-type]
        for at in range(number)
    )


_NEXT = itertools.count(1000)


def ballot(choice: str, confidence: str = "0.8", cited: tuple[Evidence, ...] | None = None) -> Ballot:
    """A finding; unless told what it cites, it stands on one source that nobody else has."""
    own = sources(1, next(_NEXT)) if cited is None else cited
    return Ballot(vote=Choice(choice), confidence=Fraction(confidence), evidence=own, rationale="so")


def heard_of(panel: Panel, casts: Sequence[Ballot | str]) -> Heard:
    """Ballots in seat order; a word is a silence with that reason."""
    words = [
        Silence(seat=seat.name, why=cast)
        if isinstance(cast, str)
        else Speech(seat=seat.name, round=RESEARCH, about="", prose="", ballot=cast)
        for seat, cast in zip(panel, casts, strict=True)
    ]
    return Heard.of(panel, *((RESEARCH, "", said) for said in words))


def tally_of(
    casts: Sequence[Ballot | str], panel: Panel | None = None, question: Question | None = None, **settings: object
) -> Tally:
    sits = panel or panel_of(len(casts))
    brief = Brief(question=question or Question(text="?"), panel=sits)
    return count(brief, heard_of(sits, casts), OUTCOMES, **settings)  # type: ignore[arg-type]


def verdict_on(casts: Sequence[Ballot | str], book: Rulebook = BOOK, **settings: object) -> Verdict:
    return decide(tally_of(casts, **settings), book)  # type: ignore[arg-type]


def passage(url: str, text: str, credibility: str = "0.9", category: str = "news") -> Passage:
    """A passage as the clerk finds it; the digest is that of the text."""
    return Passage(
        url=url,
        text=text,
        category=category,  # type: ignore[arg-type]
        credibility=Fraction(credibility),
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def with_found(heard: Heard, seat: str, *passages: Passage, why: str = "") -> Heard:
    found = Found(kind="find", round=RESEARCH, seat=seat, passages=passages, by="test", why=why)
    return heard.plus_found(ErrandKey("find", RESEARCH, seat, ""), found)
