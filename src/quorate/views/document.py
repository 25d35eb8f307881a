"""The one JSON document: every door and every command with --json uses these names for these things."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from quorate import chair, rules
from quorate.analysis.fault_domains import merged
from quorate.analysis.fault_tolerance import terms_of, withstands
from quorate.model import (
    Asked,
    AskKey,
    Caution,
    Convened,
    Decided,
    Event,
    Reviewed,
    Rulebook,
    Silence,
    Silent,
    Spoken,
    Tally,
    TurnedAway,
    Verdict,
    Voice,
    Withdrawn,
)
from quorate.model.panel import is_person
from quorate.views import Record

__all__ = ["document", "number", "open_asks", "review_of", "state_of", "verdict_document", "withstands_document"]

Json = dict[str, object]


def document(record: Record, check: Json | None = None) -> Json:
    """The whole document of one deliberation; `check` is what came of judging its record again."""
    docket = record.docket
    convened = docket.convened
    return {
        "schema": 1,
        "id": record.id,
        "state": state_of(record.events),
        **({} if check is None else {"check": check}),
        "question": convened.question.text,
        "protocol": convened.protocol,
        "verdict": _verdict(docket),
        "review": review_of(record),
        "seats": [{"seat": sat.seat, "model": sat.model, "domain": sat.domain} for sat in merged(docket.seated)],
        "cost": cost(record.events),
        "seconds": round(record.seconds, 3),
    }


def state_of(events: Sequence[Event]) -> str:
    """Decided, turned away, waiting for people, or halted: begun and not finished, to be resumed."""
    kinds = {type(event) for event in events}
    if kinds & {Decided, TurnedAway}:
        return "decided" if Decided in kinds else "turned_away"
    waiting = open_asks(events)
    return "waiting" if waiting and all(is_person(asked.model) for asked in waiting) else "halted"


def open_asks(events: Sequence[Event]) -> tuple[Asked, ...]:
    """What was asked and has not been settled."""
    asked: dict[AskKey, Asked] = {}
    for event in events:
        if isinstance(event, Asked):
            asked[event.key] = event
        elif isinstance(event, Spoken | Silent | Withdrawn):
            asked.pop(event.key, None)
    return tuple(asked.values())


def review_of(record: Record) -> Json | None:
    """What people said of the verdict, the latest first and what it replaced; none if nobody need say anything."""
    decided = next((event for event in record.events if isinstance(event, Decided)), None)
    times = record.times or [""] * len(record.events)
    said = [_said(event, at) for event, at in zip(record.events, times, strict=True) if isinstance(event, Reviewed)]
    if decided is not None and said:
        return {"state": "given", **said[-1], "earlier": said[-2::-1]}
    if decided is None or not decided.verdict.awaits_review:
        return None
    return {"state": "pending", "outcome": None, "by": None, "because": None, "at": None, "earlier": []}


def _said(event: Reviewed, at: str) -> Json:
    return {"outcome": event.outcome, "by": event.by, "because": event.because, "at": at or None}


def _verdict(docket: chair.Docket) -> Json | None:
    if isinstance(docket.closed, Decided):
        tally = chair.tally_of(docket)
        return verdict_document(docket.closed.verdict, tally, docket.convened.rulebook)
    if isinstance(docket.closed, TurnedAway):
        empty = Tally(eligible=tuple(seat.name for seat in docket.brief.panel.voters), options=())
        tally = replace(empty, domains=_domains(docket.convened), demo=docket.brief.panel.demo)
        return verdict_document(docket.closed.verdict, tally, docket.convened.rulebook)
    return None


def _domains(convened: Convened) -> tuple[tuple[str, str], ...]:
    return tuple((sat.seat, sat.domain) for sat in merged(convened.seated))


def verdict_document(verdict: Verdict, tally: Tally, rulebook: Rulebook) -> Json:
    """The verdict as shown: what was decided, with the votes, the sealed vote and what the panel withstands."""
    counted = tally if rulebook.silence in {"none", "carry"} else tally.assuming(rulebook.silence)
    return {
        "outcome": verdict.outcome,
        "decided": verdict.decided,
        "rule": verdict.rule,
        "because": verdict.because,
        "agreement": number(verdict.agreement),
        "confidence": number(verdict.confidence),
        "votes": [_vote(voice, tally.silent) for voice in counted.voices],
        "dissent": list(verdict.dissent),
        "cautions": [_caution(caution) for caution in verdict.cautions],
        "participation": _participation(tally),
        "sealed": _sealed(tally, rulebook),
        "withstands": withstands_document(tally, rulebook),
        "requires_human_review": verdict.requires_human_review,
        "demo": tally.demo,
        "trace": [{"rule": asked.rule, "said": asked.said} for asked in verdict.trace],
    }


def _vote(voice: Voice, silent: tuple[Silence, ...]) -> Json:
    return {
        "seat": voice.seat,
        "choice": "VETO" if voice.veto else voice.option,
        "confidence": 0.5 if voice.assumed else number(voice.confidence),
        "risk": 0.75 if voice.assumed else number(voice.risk),
        "assumed": voice.assumed,
        "reason": _why(voice, silent),
        **(_argued(voice) if voice.round else {}),
    }


def _argued(voice: Voice) -> Json:
    """What one argument of a debate came to; without marks in a round that does not count."""
    return {
        "round": voice.round,
        "strength": number(voice.weight),
        "evidence_quality": number(voice.quality),
        "logical_consistency": number(voice.consistency),
    }


def _why(voice: Voice, silent: tuple[Silence, ...]) -> str:
    if not voice.assumed:
        return voice.reason
    gone = next((gone for gone in silent if gone.seat == voice.seat), None)
    return f"silent: {gone.why}{f' ({gone.detail})' if gone.detail else ''}" if gone else "silent"


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
    }


def _sealed(tally: Tally, rulebook: Rulebook) -> Json | None:
    if tally.sealed is None:
        return None
    sealed = rules.decide(tally.sealed, replace(rulebook, unless=())) if tally.sealed.stated() else None
    changed = [
        {"seat": change.seat, "from": change.was, "to": change.now, "heard": list(change.heard)}
        for change in tally.changes
    ]
    return {"outcome": sealed.outcome if sealed else None, "changed": changed}


def withstands_document(tally: Tally, rulebook: Rulebook) -> Json:
    """What the panel withstands, per seat and, where it is known who answers, per fault domain."""
    domains = dict(tally.domains)
    if tally.sides:
        return _two_sides(len(tally.eligible), len({domains.get(seat, seat) for seat in tally.eligible}), bool(domains))
    held = withstands(tuple(domains.get(seat, seat) for seat in tally.eligible), terms_of(rulebook))
    return {
        "seats": held.seats,
        "needed": held.needed,
        "safe": held.safe,
        "live": held.live,
        "domains": held.domains if domains else None,
        "safe_domains": held.safe_domains if domains else None,
        "live_domains": held.live_domains if domains else None,
        "sentence": held.sentence if domains else held.of_seats,
    }


def _two_sides(seats: int, domains: int, known: bool) -> Json:  # noqa: FBT001  whether the domains are known
    """In a debate nobody can stand in for a side, and no count of heads protects against a lying one."""
    none = 0 if known else None
    return {
        "seats": seats,
        "needed": seats,
        "safe": 0,
        "live": 0,
        "domains": domains if known else None,
        "safe_domains": none,
        "live_domains": none,
        "sentence": "a debate between two sides: neither may be missing, and marks cannot tell a lie well told",
    }


def cost(events: Sequence[Event]) -> Json:
    """Calls, tokens and money; what is unknown is null, never zero, and what cannot be is unknown."""
    spent = [event.reply.usage.credible for event in events if isinstance(event, Spoken)]
    tokens = [used.tokens for used in spent if used.tokens is not None]
    money = [used.money for used in spent if used.money is not None]
    return {
        "calls": sum(isinstance(event, Asked) and not is_person(event.model) for event in events),
        "tokens": sum(tokens) if tokens or not spent else None,
        "money": number(sum(money, Fraction(0))) if len(money) == len(spent) else None,
        "uncounted": len(spent) - len(tokens),
    }


def number(value: Fraction | None) -> float | None:
    """An exact number as JSON can carry it, to six places."""
    return None if value is None else round(float(value), 6)
