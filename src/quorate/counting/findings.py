"""What researchers found, each alone: one seat, one vote, with what its checked sources weigh beside it."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from quorate.analysis.citations import Citation
from quorate.analysis.counted_words import all_of
from quorate.analysis.pooling import clip_probability, is_near, middle, pool_probabilities
from quorate.analysis.research import RESEARCH, UNKNOWN, UNSUPPORTED, Answers, ResearchFinding, closed_library, findings
from quorate.analysis.source_overlap import SourceOverlap, band, overlap
from quorate.analysis.source_weights import Minima, quality, short_of, weight
from quorate.frozen import dataclass
from quorate.model import Brief, Caution, Course, Heard, Silence, Tally, Voice
from quorate.model.ballot import NOT_ASKED
from quorate.model.numbers import decimal, exact, percent
from quorate.model.panel import name_list
from quorate.model.specs import CountSpec

__all__ = ["count"]


def count(  # noqa: PLR0913 - each number is a setting of its own
    brief: Brief,
    heard: Heard,
    outcomes: tuple[str, ...],
    *,
    answers: Answers = "yes_no",
    few_sources: Literal["downweight", "exclude"] = "downweight",
    min_verified: int = 1,
    min_sources: int = 50,
    min_categories: int = 5,
    min_official: int = 5,
    min_news: int = 15,
    tolerance: Fraction = Fraction(5, 100),
) -> Tally:
    """Count what was found; a finding with fewer sources that count than `min_verified` stands on nothing.

    `few_sources` exclude leaves a seat with too few sources that count out altogether. Of a closed library nobody can
    ask for more than it holds.
    """
    minima = Minima(sources=min_sources, categories=min_categories, official=min_official, news=min_news)
    every, library = findings(brief, heard), closed_library(brief, heard)
    asked = minima.within(library) if library else minima
    strict = asked.sources if few_sources == "exclude" else 0
    left_out = {one.seat: why for one in every if (why := _left_out(one, min_verified, strict))}
    valid = tuple(one for one in every if one.seat not in left_out)
    shared = _Shared(overlap([(one.seat, one.citations) for one in valid]), _narrow(library, valid))
    return Tally(
        eligible=tuple(seat.name for seat in brief.panel.voters),
        options=_options(brief, outcomes, answers),
        voices=_voices(valid, answers, tolerance),
        silent=tuple(_silences(brief, heard, left_out)),
        course=Course(rounds=(RESEARCH,) if heard.words else ()),
        cautions=(
            *_cautions(heard, every, asked, left_out),
            *_about_overlap(shared, _about_library(library, minima, asked)),
        ),
        demo=brief.panel.demo,
        figures=(*shared.figures, *_figures(valid, answers)),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """What seats have in common, and the size of a library too small for them to have chosen otherwise, else 0."""

    overlap: SourceOverlap
    library: int

    @property
    def figures(self) -> tuple[tuple[str, Fraction], ...]:
        known = (("library", Fraction(self.library)),) if self.library else ()
        return (("overlap", self.overlap.largest), *known)


def _narrow(library: int, valid: Sequence[ResearchFinding]) -> int:
    """A library that holds less than twice as much as a seat cites leaves it little to choose; else 0."""
    return library if library < 2 * max((one.sources for one in valid), default=0) else 0


def _left_out(one: ResearchFinding, least: int, strict: int) -> str:
    """Why a finding does not count, empty if it does; to find that nothing can be determined needs no source."""
    if one.ballot.choice != UNKNOWN and one.sources < least:
        return UNSUPPORTED
    return "few_sources" if one.sources < strict else ""


def _cautions(
    heard: Heard, every: tuple[ResearchFinding, ...], minima: Minima, left_out: Mapping[str, str]
) -> Iterator[Caution]:
    """What a reader should know of each seat, in one caution for all of whom the same kind of thing is to be said."""
    yield from _unsupported([seat for seat, why in left_out.items() if why == UNSUPPORTED])
    said = [remark for one in every for remark in _about_one(heard, one, minima)]
    for name in dict.fromkeys(remark.name for remark in said):
        alike = [remark for remark in said if remark.name == name]
        yield Caution(name=name, seat=alike[0].seat if len(alike) == 1 else "", text=_sentences(alike))


def _unsupported(seats: Sequence[str]) -> Iterator[Caution]:
    if seats:
        text = f"{name_list(seats)} cited no source that counts, and a finding without one does not count"
        yield Caution(name="unsupported", seat=seats[0] if len(seats) == 1 else "", text=text)


class _Remark(NamedTuple):
    """What is to be said of one seat: a sentence with a place for its name, and for the verb that goes with it."""

    name: str
    seat: str
    text: str
    verbs: tuple[str, str] = ("", "")


def _sentences(remarks: Sequence[_Remark]) -> str:
    """One sentence for all of whom the same is said."""
    told: dict[tuple[str, tuple[str, str]], list[str]] = {}
    for remark in remarks:
        told.setdefault((remark.text, remark.verbs), []).append(remark.seat)
    return "; ".join(
        text.replace("{verb}", verbs[len(seats) > 1]).replace("{who}", name_list(seats))
        for (text, verbs), seats in told.items()
    )


def _about_library(library: int, minima: Minima, asked: Minima) -> str:
    if asked.sources == minima.sources:
        return ""
    return f"the library holds {library} documents and {minima.sources} sources are asked for, so {library} are enough"


def _options(brief: Brief, outcomes: tuple[str, ...], answers: Answers) -> tuple[str, ...]:
    """The words a seat may choose, the boldest first; numbers are nobody's list."""
    if answers in {"yes_no", "probability"}:
        return tuple(word for word in outcomes if word in _WORDS)
    return (*brief.question.options, UNKNOWN) if answers == "options" and brief.question.options else ()


def _voices(valid: tuple[ResearchFinding, ...], answers: Answers, tolerance: Fraction) -> tuple[Voice, ...]:
    centre = middle([value for one in valid if (value := _value(one, answers)) is not None])
    return tuple(
        Voice(
            seat=one.seat,
            option=_option(one, answers, centre, tolerance),
            weight=weight(one.ballot.confidence, one.citations),
            confidence=one.ballot.confidence,
            reason=one.ballot.rationale,
            evidence=one.sources,
            quality=quality(one.citations),
            value=_value(one, answers),
            words=one.ballot.choice if answers in {"number", "probability"} else "",
            quotes=one.quotes,
        )
        for one in valid
    )


def _value(one: ResearchFinding, answers: Answers) -> Fraction | None:
    return exact(one.ballot.choice) if answers in {"number", "probability"} else None


def _option(one: ResearchFinding, answers: Answers, centre: Fraction | None, tolerance: Fraction) -> str:
    """The side a probability stands on; the median for every number near it; else the word itself."""
    value = _value(one, answers)
    if value is None:
        return one.ballot.choice
    if answers == "probability":
        return UNKNOWN if value == _HALF else "YES" if value > _HALF else "NO"
    return decimal(centre if centre is not None and is_near(value, centre, tolerance) else value)


def _figures(valid: tuple[ResearchFinding, ...], answers: Answers) -> Iterator[tuple[str, Fraction]]:
    values = [value for one in valid if (value := _value(one, answers)) is not None]
    if not values:
        return
    centre, chance = middle(values), pool_probabilities(values) if answers == "probability" else None
    if chance is not None:
        yield "probability", chance
    elif centre is not None:
        yield "median", centre
    kept = [clip_probability(value) for value in values] if answers == "probability" else values
    yield "lowest", min(kept)
    yield "highest", max(kept)


def _silences(brief: Brief, heard: Heard, left_out: Mapping[str, str]) -> Iterator[Silence]:
    for seat in brief.panel.voters:
        if seat.name in left_out:
            bare = left_out[seat.name] == UNSUPPORTED
            yield Silence(seat=seat.name, why="unsupported") if bare else Silence(seat=seat.name, why="few_sources")
        elif heard.ballot(RESEARCH, seat) is None:
            yield heard.silence(RESEARCH, seat) or Silence(seat=seat.name, why=NOT_ASKED)


def _about_one(heard: Heard, one: ResearchFinding, minima: Minima) -> Iterator[_Remark]:
    short = ", ".join(short_of(one.citations, minima))
    if short:
        yield _Remark("few_sources", one.seat, f"{{who}} {{verb}} fewer sources than asked for: {short}", _HAS)
    failed = [cited for cited in one.citations if not cited.counts and cited.state != "repeated"]
    if failed:
        number = f"{len(one.citations)} sources of which {len(failed)} {'does' if len(failed) == 1 else 'do'} not count"
        yield _Remark("unverified", one.seat, f"{{who}} {{verb}} {number}: {_reasons(failed)}", _CITES)
    twice = sum(cited.state == "repeated" for cited in one.citations)
    if twice:
        again = "once more" if twice == 1 else f"{twice} times more"
        text = f"{{who}} {{verb}} {again} a page or a text cited already; each counts once"
        yield _Remark("repeated_source", one.seat, text, _CITES)
    yield from _about_reading(heard, one)


def _reasons(failed: list[Citation]) -> str:
    return "; ".join(dict.fromkeys(one.why for one in failed))


def _about_reading(heard: Heard, one: ResearchFinding) -> Iterator[_Remark]:
    speech = heard.speech(RESEARCH, heard.panel.seat(one.seat))
    noticed = speech.cautions if speech else ()
    if "scale" in noticed:
        yield _Remark("scale", one.seat, "{who} gave a number above 1; it was read as a percentage, 85 as 85 %")
    if "many_sources" in noticed:
        text = f"{{who}} {{verb}} more sources than are read; the first {len(one.citations)} were"
        yield _Remark("many_sources", one.seat, text, _CITES)
    found = heard.found("find", RESEARCH, one.seat)
    if found is not None and found.why:
        yield _Remark("no_search", one.seat, f"nothing was found for {{who}}: {found.why}")


def _about_overlap(shared: _Shared, enough: str) -> Iterator[Caution]:
    """Who cites the same; from a library with little to choose from nobody can cite much else than the others."""
    told = _pairs(shared.overlap)
    if told and not shared.library:
        yield Caution(name="source_overlap", text=told)
    narrow = f"{told}, of a library with {shared.library} documents" if told and shared.library else ""
    if enough or narrow:
        yield Caution(name="closed_library", text="; ".join(filter(None, (enough, narrow))))


def _pairs(found: SourceOverlap) -> str:
    """Which pairs share most of their sources; one sentence where all pairs share as much."""
    high = [pair for pair in found.pairs if band(pair.share) == "very high"]
    if not high:
        return ""
    seats = dict.fromkeys(seat for pair in high for seat in (pair.a, pair.b))
    if len(high) == len(found.pairs) and len({pair.share for pair in high}) == 1:
        return f"{all_of(len(seats), 'researcher')} share {percent(high[0].share)} of their sources with each other"
    named = ", ".join(f"{pair.a} and {pair.b} ({percent(pair.share)})" for pair in high)
    return f"these share most of their sources: {named}"


_HAS: Final = ("has", "have")
_CITES: Final = ("cites", "cite")
_HALF: Final = Fraction(1, 2)
_WORDS: Final = frozenset({"YES", "NO", UNKNOWN})


SPEC: Final = CountSpec(count=count)
