"""An oracle's own consensus result and its metrics, field for field.

What it has besides: what became of every citation, the quality-weighted confidence, the leading outcome, the numbers
that were pooled, and what the panel withstands.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from quorate import chair
from quorate.analysis.citations import Citation
from quorate.analysis.consensus_quality import Metrics, leading_outcome, metrics, quality_weighted, weighted_share
from quorate.analysis.pooling import brier
from quorate.analysis.research import ResearchFinding, findings
from quorate.analysis.source_list import Source, merge_sources
from quorate.analysis.source_overlap import SourceOverlap, band, overlap
from quorate.chair.decision_margins import Decision
from quorate.errors import BadSetting
from quorate.model import Decided, Failed, Spoken, Tally, TurnedAway, Verdict
from quorate.views import VIEWS, Record
from quorate.views.document import number, withstands_document
from quorate.views.result import right_of

__all__ = ["consensus", "oracle_view"]

Json = dict[str, object]


def oracle_view(record: Record) -> Json:
    """A deliberation as an oracle's consensus result; without a verdict, what was found so far.

    Raises:
        BadSetting: the record is of another protocol.
    """
    state = record.state
    if not VIEWS["oracle"].fits(state.convened.protocol):
        raise BadSetting(f"this is a {state.convened.protocol}, and that form shows oracles; try minutes or json")
    closed = state.closed
    verdict = closed.verdict if isinstance(closed, Decided | TurnedAway) else _not_asked(state)
    took = [Fraction(event.reply.took, 1000) for event in record.events if isinstance(event, Spoken)]
    right = right_of(record.events)
    shown = consensus(state, chair.tally_of(state), verdict, took, Fraction(str(round(record.seconds, 3))))
    chance = chair.tally_of(state).figure("probability")
    if chance is not None and right in {"YES", "NO"}:
        shown["brier"] = number(brier(chance, happened=right == "YES"))
    return shown


def _not_asked(state: chair.State) -> Verdict | None:
    """004 knows no failure: where nobody could be asked it says how many agents it needs."""
    if not isinstance(state.closed, Failed):
        return None
    needed = next(
        (dict(one.settings).get("min_seats", "") for one in state.convened.rulebook.rules if one.name == "too_few"), ""
    )
    because = f"Only 0 agents succeeded, need {needed or 3}"
    return Verdict(outcome="INVALID", decided=False, rule="too_few", because=because)


def consensus(
    state: chair.State,
    tally: Tally,
    verdict: Verdict | None,
    took: Sequence[Fraction] = (),
    whole: Fraction | None = None,
) -> Json:
    """The result and its metrics, from a tally and the verdict on it."""
    every = findings(state.brief, state.heard)
    counted = {voice.seat for voice in tally.voices}
    valid = tuple(one for one in every if one.seat in counted)
    behind = _seats_behind(tally, verdict)
    cited = [(one.seat, one.citations) for one in valid]
    agreeing = [pair for pair in cited if pair[0] in behind]
    decision = Decision(verdict, tally, state.convened.rulebook) if verdict else None
    return {
        **_agreement(tally, verdict, quality_weighted(valid, behind)),
        "sources": [_source(source) for source in merge_sources(agreeing)],
        "agent_results": [*_stated(tally, every), *_gone(tally, every)],
        **_review(verdict),
        "overlap": _overlap(overlap(cited)),
        **{name: number(tally.figure(name)) for name in ("probability", "median", "lowest", "highest")},
        "brier": None,
        "metrics": _metrics(metrics(tally, valid, took, whole)),
        "withstands": withstands_document(decision.tolerance) if decision else None,
    }


def _seats_behind(tally: Tally, verdict: Verdict | None) -> list[str]:
    """The seats that found what was decided; none if nothing was."""
    if verdict is None or not verdict.decided:
        return []
    return [voice.seat for voice in tally.voices if voice.option == verdict.outcome]


def _agreement(tally: Tally, verdict: Verdict | None, weighted: Fraction | None) -> Json:
    reached = verdict is not None and verdict.decided
    outcome = verdict.outcome if verdict else None
    return {
        "reached": reached,
        "outcome": outcome,
        "confidence": number(verdict.confidence if verdict and reached else Fraction(0)),
        "weighted_confidence": number(weighted),
        "agreement_ratio": number(tally.agreement),
        "weighted_ratio": number(weighted_share(tally, outcome if reached else leading_outcome(tally))),
        "leading": leading_outcome(tally),
    }


def _review(verdict: Verdict | None) -> Json:
    return {
        "requires_human_review": verdict.requires_human_review if verdict else None,
        "reason": verdict.because if verdict else None,
    }


def _source(source: Source) -> Json:
    return {
        "url": source.url,
        "title": source.title,
        "category": source.category,
        "relevance_score": number(source.relevance),
        "credibility_score": number(source.credibility),
        "cited_by": list(source.cited_by),
    }


def _stated(tally: Tally, every: tuple[ResearchFinding, ...]) -> Iterator[Json]:
    voices = {voice.seat: voice for voice in tally.voices}
    gone = {silence.seat: silence.why for silence in tally.silent}
    for one in every:
        voice = voices.get(one.seat)
        yield {
            "agent_id": one.seat,
            "outcome": one.ballot.choice,
            "counts_as": voice.option if voice else None,
            "confidence": number(one.ballot.confidence),
            "weight": number(voice.weight if voice else None),
            "source_quality": number(voice.quality if voice else None),
            "source_count": one.sources,
            "reasoning": one.ballot.rationale,
            "sources": [_citation(cited) for cited in one.citations],
            "failed": None if voice else gone.get(one.seat, "few_sources"),
        }


def _gone(tally: Tally, every: tuple[ResearchFinding, ...]) -> Iterator[Json]:
    answered = {one.seat for one in every}
    for gone in tally.silent:
        if gone.seat not in answered:
            yield {"agent_id": gone.seat, "outcome": None, "confidence": None, "sources": [], "failed": gone.why}


def _citation(cited: Citation) -> Json:
    said = cited.evidence
    return {
        "url": said.url,
        "title": said.title,
        "quote": said.quote,
        "category": cited.category or said.category,
        "relevance_score": number(said.relevance),
        "credibility_score": number(cited.credibility),
        "date": said.date,
        "counts": cited.counts,
        "check": cited.state,
        "why": cited.why,
        "found_at": cited.url or None,
    }


def _overlap(shared: SourceOverlap) -> Json:
    return {
        "pairwise_overlaps": {f"{pair.a}_{pair.b}": number(pair.share) for pair in shared.pairs},
        "average_overlap": number(shared.mean),
        "total_unique_sources": shared.unique,
        "interpretation": band(shared.mean),
    }


def _metrics(figures: Metrics) -> Json:
    return {
        "agreement_ratio": number(figures.agreement),
        "weighted_agreement": number(figures.weighted),
        "total_unique_sources": figures.unique_sources,
        "avg_sources_per_agent": number(figures.mean_sources),
        "source_overlap": number(figures.overlap),
        "avg_confidence": number(figures.mean_confidence),
        "confidence_std": number(figures.confidence_deviation),
        "total_research_time": number(figures.total_time),
        "avg_agent_time": number(figures.mean_time),
    }
