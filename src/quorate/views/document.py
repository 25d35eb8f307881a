"""The one JSON document: every door and every command with --json uses these names for these things."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from quorate import catalogue, rules
from quorate.analysis.fault_domains import merge_domains
from quorate.analysis.fault_tolerance import FaultTolerance
from quorate.analysis.flip_margin import FlipMargin
from quorate.chair.tolerance import Tolerance
from quorate.model import (
    Approval,
    Ballot,
    Caution,
    Change,
    Estimate,
    Event,
    Evidence,
    Point,
    Question,
    Ranking,
    Tally,
    Verdict,
    Voice,
    Vote,
)
from quorate.views import Record
from quorate.views.result import Cost, Decision, Result, Review, cost_of, open_asks, state_of
from quorate.views.seat_lookups import lookups_document

__all__ = [
    "changes_document",
    "cited_evidence",
    "cost",
    "cost_document",
    "document",
    "failures_document",
    "file_list",
    "flips_document",
    "number",
    "open_asks",
    "precedent_list",
    "review_of",
    "state_of",
    "trace_words",
    "verdict_document",
    "whole_vote",
    "withstands_document",
]

Json = dict[str, object]


def document(record: Record, check: Json | None = None, learned: Json | None = None) -> Json:
    """The whole document of one deliberation; `check` is what came of judging its record again.

    `learned` is what other records say about it: that is no part of this one, and decides nothing.
    """
    state, result = record.state, Result.of(record)
    convened = state.convened
    return {
        "schema": 1,
        "id": result.id,
        "state": result.state,
        "may_act": result.may_act and (check is None or check["state"] == "holds"),
        **({} if check is None else {"check": check}),
        "question": convened.question.text,
        **({"files": file_list(convened.question)} if convened.question.files else {}),
        **({"precedents": precedent_list(convened.question)} if convened.question.precedents else {}),
        "protocol": convened.protocol,
        "verdict": verdict_document(result.decision) if result.decision else None,
        **({"failures": failures_document(result)} if result.failures else {}),
        "review": _review(result),
        "turned_out": _turned_out(result),
        "learned": learned,
        "seats": [{"seat": sat.seat, "model": sat.model, "domain": sat.domain} for sat in merge_domains(state.seated)],
        **({} if convened.lookups is None else {"lookups": lookups_document(state)}),
        "cost": cost(record.events),
        "seconds": round(result.seconds, 3),
    }


def failures_document(result: Result) -> list[Json]:
    """Why nobody could be asked: by cause, with the provider's own sentence and what to do."""
    return [
        {"seats": list(one.seats), "why": one.why, "detail": one.detail or None, "advice": one.advice}
        for one in result.failures
    ]


def precedent_list(question: Question) -> list[Json]:
    """The earlier decisions that seats were shown."""
    return [{"id": one.id, "tier": one.tier, "label": one.label, "text": one.text} for one in question.precedents]


def file_list(question: Question) -> list[Json]:
    """The files that were read as context, and those that were left out."""
    return [{"name": one.name, "size": one.size, "left_out": one.left_out or None} for one in question.files]


def review_of(record: Record) -> Json | None:
    """What people said of the verdict, the latest first and what it replaced; none if nobody need say anything."""
    return _review(Result.of(record))


def _review(result: Result) -> Json | None:
    said = [_said(review) for review in result.reviews]
    if said:
        return {"state": "given", **said[-1], "earlier": said[-2::-1]}
    if result.decision is None or result.state != "decided" or not result.decision.verdict.awaits_review:
        return None
    unknown = dict.fromkeys(("outcome", "by", "because", "at", "interface", "caller", "may_loosen"))
    return {"state": "pending", **unknown, "earlier": []}


def _turned_out(result: Result) -> Json | None:
    """What turned out right, the latest first and what it superseded; none as long as nobody said so."""
    if not result.outcomes:
        return None
    told: list[Json] = [
        {
            "value": one.value,
            "by": one.by or None,
            "because": one.because or None,
            "at": one.at or None,
            "interface": one.origin.interface,
            "caller": one.origin.caller,
            "may_certify": one.origin.may_certify,
        }
        for one in reversed(result.outcomes)
    ]
    return {**told[0], "earlier": told[1:]}


def _said(review: Review) -> Json:
    return {
        "outcome": review.outcome,
        "by": review.by,
        "because": review.because,
        "at": review.at or None,
        "interface": review.origin.interface,
        "caller": review.origin.caller,
        "may_loosen": review.origin.may_loosen,
    }


def verdict_document(decision: Decision) -> Json:
    """The verdict as shown: what was decided, with the votes, the sealed vote and what the panel withstands."""
    verdict, tally, rulebook = decision.verdict, decision.tally, decision.rulebook
    return {
        "outcome": verdict.outcome,
        "decided": verdict.decided,
        "rule": verdict.rule,
        "rulebook": {"name": rulebook.name, "origin": rules.rulebook_origin(rulebook, decision.protocol)},
        "because": verdict.because,
        "points": [_point(point, decision) for point in verdict.points],
        "agreement": number(verdict.agreement),
        "agreement_on": decision.agreed_on,
        "confidence": number(verdict.confidence),
        "votes": [_vote(voice) for voice in decision.votes],
        "merged": [{"option": option, "wordings": list(words)} for option, words in tally.merged.items()],
        "without_vote": [
            {"seat": seat, "why": why, "sealed": decision.sealed_choice(seat)} for seat, why in decision.without_vote
        ],
        "dissent": list(verdict.dissent),
        "cautions": [_caution(caution) for caution in verdict.cautions],
        "participation": _participation(tally),
        "sealed": _sealed(decision),
        "withstands": withstands_document(decision.tolerance),
        "flips": flips_document(decision.margin),
        "requires_human_review": verdict.requires_human_review,
        "demo": tally.demo,
        "trace": [{"rule": asked.rule, "said": asked.said} for asked in verdict.trace],
    }


def _point(point: Point, decision: Decision) -> Json:
    """A quote, its kind, and the choice it speaks for where that is not the outcome."""
    return {
        "seat": point.seat,
        "seats": list(point.seats),
        "kind": point.kind,
        "text": point.text,
        "choice": decision.other_choice(point.seat) or None,
    }


def cited_evidence(cited: Evidence) -> Json:
    """A source as a ballot cites it."""
    return {
        "url": cited.url,
        "title": cited.title,
        "quote": cited.quote,
        "category": cited.category,
        "relevance": number(cited.relevance),
        "credibility": number(cited.credibility),
        "date": cited.date,
    }


def trace_words(verdict: Verdict) -> Iterator[str]:
    """The rules as they were asked, each with what it looks for and what it said."""
    for asked in verdict.trace:
        looks_for = catalogue.summary("rule", asked.rule).rstrip(".") if asked.rule in catalogue.names("rule") else ""
        name = f"{asked.rule} ({looks_for[:1].lower()}{looks_for[1:]})" if looks_for else asked.rule
        yield f"{name}: {asked.said}" if asked.said else f"{name}: does not apply"


def _vote(voice: Voice) -> Json:
    return {
        "seat": voice.seat,
        "choice": voice.choice,
        "confidence": number(voice.confidence),
        "risk": number(voice.risk),
        "assumed": voice.assumed,
        "reason": voice.reason,
        **({"words": voice.words} if voice.is_merged else {}),
        **(_argued(voice) if voice.round else {}),
        **(whole_vote(voice.vote) if voice.vote else {}),
    }


def remarks(ballot: Ballot) -> Json:
    """What must hold before anyone goes ahead, and which fact would change the vote; both may be empty."""
    return {"conditions": list(ballot.conditions), "would_change": ballot.would_change}


def whole_vote(vote: Vote) -> Json:
    """What a vote says beyond its words, by its kind; one option says no more."""
    match vote:
        case Ranking(ranking):
            return {"ranking": [list(place) for place in ranking]}
        case Approval(approved):
            return {"approved": list(approved)}
        case Estimate(value, low, high):
            return {"estimate": {"value": _plain(value), "low": _plain(low), "high": _plain(high)}}
        case _:
            return {}


def _plain(value: Fraction | None) -> float | None:
    """A number of any size as JSON can carry it; a whole one stays whole as long as every reader can hold it."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 and abs(value) < _EXACT else float(value)


_EXACT: Final = 2**53


def _argued(voice: Voice) -> Json:
    """What one argument of a debate came to; without marks in a round that does not count."""
    return {
        "round": voice.round,
        "strength": number(voice.weight),
        "evidence_quality": number(voice.quality),
        "logical_consistency": number(voice.consistency),
    }


def _caution(caution: Caution) -> Json:
    return {"name": caution.name, "seat": caution.seat or None, "text": caution.text}


def _participation(tally: Tally) -> Json:
    part = tally.participation
    return {
        "eligible": part.eligible,
        "received": part.received,
        "carried": part.carried,
        "abstained": part.abstained,
        "failed": part.failed,
        "not_needed": part.not_needed,
    }


def _sealed(decision: Decision) -> Json | None:
    if decision.tally.sealed is None:
        return None
    sealed = decision.sealed
    return {"outcome": sealed.outcome if sealed else None, "changed": changes_document(decision.tally.changes)}


def changes_document(changes: Sequence[Change]) -> list[Json]:
    """Who ended elsewhere than its sealed ballot, and whom it had heard in between."""
    return [
        {"seat": change.seat, "from": change.was, "to": change.now, "heard": list(change.heard)} for change in changes
    ]


def withstands_document(held: Tolerance) -> Json | None:
    """What the panel withstands, per seat and, where providers are known, per fault domain; none is not computed."""
    if not held.known:
        return None
    found, known = held.figures, held.domains
    figures = {**_of_seats(found), **_of_domains(found if known else None)}
    return {"seats": held.seats, **figures, "sentence": held.sentence}


def flips_document(found: FlipMargin | None) -> Json | None:
    """How few ballots, cast otherwise, would have brought another outcome, decided or not; none is not computed."""
    if found is None:
        return None
    examples: list[Json] = [
        {"seats": list(flip.seats), "vote": flip.vote or None, "outcome": flip.outcome, "decided": flip.decided}
        for flip in found.flips
    ]
    return {"ballots": found.ballots, "at_least": found.at_least, "examples": examples}


def _of_seats(found: FaultTolerance | None) -> Json:
    return {
        "needed": found.needed if found else None,
        "safe": found.safe if found else None,
        "live": found.live if found else None,
        "carry": found.carry if found else None,
        "block": found.block if found else None,
        "carry_by": [{"outcome": outcome, "seats": few} for outcome, few in found.carry_by] if found else [],
    }


def _of_domains(found: FaultTolerance | None) -> Json:
    return {
        "domains": found.domains if found else None,
        "safe_domains": found.safe_domains if found else None,
        "live_domains": found.live_domains if found else None,
        "carry_domains": found.carry_domains if found else None,
        "block_domains": found.block_domains if found else None,
    }


def cost(events: Sequence[Event]) -> Json:
    """Calls, tokens and money; what is unknown is null, never zero, and what cannot be is unknown."""
    return cost_document(cost_of(events))


def cost_document(spent: Cost) -> Json:
    """The same, as it has been added up."""
    return {
        "calls": spent.calls,
        "tokens": spent.tokens,
        "money": number(spent.money),
        "uncounted": spent.uncounted,
    }


def number(value: Fraction | None) -> float | None:
    """An exact number as JSON can carry it, to six places."""
    return None if value is None else round(float(value), 6)
