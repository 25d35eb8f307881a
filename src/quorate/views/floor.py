"""What one entry of a record shows on the floor: the page, the event stream and the one-file report are made of it.

Every value is plain text or a JSON number. Nothing here is HTML, and nothing is read out of anybody's wording: who
challenges and who agrees is told by ballots alone.
"""

from collections.abc import Iterable, Iterator, Mapping

from quorate import catalogue, chair, rules
from quorate.analysis.conference_course import count_rounds, group_names, talk
from quorate.model import (
    Admitted,
    Approval,
    Argument,
    Asked,
    Ballot,
    Caution,
    Choice,
    Convened,
    Decided,
    Estimate,
    Event,
    Failed,
    Found,
    Halted,
    Ranking,
    Reviewed,
    Routed,
    Seat,
    Silent,
    Speech,
    Spoken,
    TurnedAway,
    TurnedOut,
    Vote,
    Withdrawn,
)
from quorate.model.evidence import Passage
from quorate.model.numbers import decimal
from quorate.model.panel import is_person
from quorate.reading.text.listed_options import plain_option
from quorate.reading.text.redaction import speech_of
from quorate.views.access import access_failures, reason_words
from quorate.views.conference_votes import conference_settings, is_conference
from quorate.views.document import (
    cited_evidence,
    file_list,
    number,
    precedent_list,
    remarks,
    trace_words,
    verdict_document,
    whole_vote,
)
from quorate.views.result import decision_of
from quorate.views.rounds import LEANS, ballot_line, ballot_numbers, moderators, speech_prose, titles
from quorate.views.seat_lookups import lookup_text

__all__ = ["floor"]

Json = dict[str, object]
State = chair.State
Stands = tuple[str, str]
"""A choice, and a seat that holds it."""

_KINDS: Mapping[type[Event], str] = {
    Convened: "convened",
    Admitted: "admitted",
    TurnedAway: "turned_away",
    Asked: "asked",
    Spoken: "spoke",
    Silent: "silent",
    Withdrawn: "withdrawn",
    Found: "found",
    Routed: "routed",
    Decided: "decided",
    Failed: "failed",
    Halted: "halted",
    Reviewed: "reviewed",
    TurnedOut: "turned_out",
}


def floor(event: Event, state: State) -> Json:
    """What one entry shows; the state is everything up to and including it."""
    where = _where(event)
    tally = _tally(state)
    return {
        "kind": _KINDS[type(event)],
        "seat": where.get("seat", ""),
        "round": where.get("round", ""),
        "title": _title(state, where.get("round", "")),
        "about": where.get("about", ""),
        **_shown(event, state),
        **({"tally": tally} if tally is not None else {}),
    }


def _where(event: Event) -> dict[str, str]:
    if isinstance(event, Routed):
        return {"seat": event.seated.seat}
    if isinstance(event, Asked | Spoken | Silent | Withdrawn | Found):
        return {"seat": event.seat, "round": event.round, "about": event.about}
    return {}


def _title(state: State, round_: str) -> str:
    """How a round is announced; one that has no title by its number or its name."""
    named = titles(state.convened.protocol).get(round_, "")
    return named or (f"Round {round_}" if round_.isdecimal() else round_.replace("_", " ").capitalize())


def _shown(event: Event, state: State) -> Json:
    match event:
        case Convened():
            return _convened(event, state)
        case Spoken():
            return _spoke(event, state)
        case Found():
            return _found(event, state)
        case TurnedAway() | Decided():
            return _decided(event, state)
        case Asked() | Silent() | Withdrawn():
            return {**_ask(event), "attempt": event.attempt}
        case _:
            return _notice(event, state)


def _ask(event: Asked | Silent | Withdrawn) -> Json:
    match event:
        case Asked():
            return {"model": event.model, "person": is_person(event.model), "sending": event.sending}
        case Silent():
            return {"why": event.why, "detail": event.detail, "words": reason_words(event.why)}
        case Withdrawn():
            return {"why": event.why, "words": reason_words(event.why)}


def _notice(event: Admitted | Routed | Failed | Halted | Reviewed | TurnedOut, state: State) -> Json:
    match event:
        case Failed():
            return {"failures": [one.sentence for one in access_failures(state)]}
        case Admitted():
            return {"cautions": _cautions(event.cautions)}
        case Routed():
            return {"model": event.seated.model, "domain": event.seated.domain, "why": event.why}
        case Halted():
            return {"why": event.why}
        case Reviewed():
            return {"outcome": event.outcome, "by": event.by, "because": event.because}
        case TurnedOut():
            return {"value": event.value, "by": event.by, "because": event.because}


def _cautions(cautions: Iterable[Caution]) -> list[Json]:
    return [{"name": one.name, "seat": one.seat or None, "text": one.text} for one in cautions]


def _convened(event: Convened, state: State) -> Json:
    question, spec = event.question, catalogue.protocol(event.protocol)
    variant = spec.variant(dict(event.settings))
    return {
        "question": question.text,
        "context": question.context,
        "criteria": question.criteria,
        "options": list(question.options),
        "precedents": precedent_list(question),
        "files": file_list(question),
        "protocol": event.protocol,
        "rulebook": event.rulebook.name,
        "rulebook_origin": rules.rulebook_origin(event.rulebook, event.protocol),
        "seats": [_seat(seat, state) for seat in event.panel],
        "rounds": [{"name": name, "title": title} for name, title in spec.titles],
        "sealed": spec.sealed,
        "outcomes": [*(question.options if variant.listed else ()), *variant.outcomes],
        "settings": dict(event.settings),
        "demo": event.panel.demo,
    }


def _seat(seat: Seat, state: State) -> Json:
    sat = state.models.get(seat.name)
    return {
        "name": seat.name,
        "role": seat.role,
        "part": seat.part,
        "model": sat.model if sat else "",
        "domain": sat.domain if sat else "",
        "powers": list(seat.powers),
        "person": is_person(sat.model) if sat else False,
    }


def _spoke(event: Spoken, state: State) -> Json:
    speech = speech_of(event) if event.unreadable else state.heard.words.get((event.round, event.seat, event.about))
    now, before = event.ballot, _ballot_before(event, state)
    leans = event.seat in moderators(state.brief.panel)
    used, names = event.reply.usage.credible, _group_names(state)
    return {
        "text": _words(speech) if isinstance(speech, Speech) else "",
        "ballot": ballot_line(event),
        "enforced_by": event.reply.enforced_by,
        "vote": _vote(now, leans=leans),
        "was": _vote(before, leans=leans) if now else None,
        "moved": bool(now and before and _held(now, names) != _held(before, names)),
        "stance": _stance(event, state),
        "argument": _argument(event.argument),
        "cautions": list(event.cautions),
        "unreadable": event.unreadable,
        "lookups": [lookup_text(one) for one in event.lookups],
        "attempt": event.attempt,
        "model": event.reply.model or (state.models[event.seat].model if event.seat in state.models else ""),
        "tokens": used.tokens,
        "money": number(used.money),
        "seconds": event.reply.took / 1000,
    }


def _words(speech: Speech) -> str:
    """What a seat said besides its ballot or its case, which are shown by themselves."""
    return speech.prose if speech.argument else speech_prose(speech)


def _vote(ballot: Ballot | None, *, leans: bool = False) -> Json | None:
    """A ballot; of a moderator, who has no vote, where the debate `leans` and how settled it is."""
    if ballot is None:
        return None
    return {
        "choice": LEANS.get(ballot.choice, ballot.choice) if leans else ballot.choice,
        "confidence": number(ballot.confidence),
        "risk": number(ballot.risk),
        "veto": ballot.veto,
        "abstain": ballot.abstain,
        "numbers": ballot_numbers(ballot).replace(" sure", " settled" if leans else " sure"),
        "rationale": ballot.rationale,
        **remarks(ballot),
        "continue_debate": ballot.continue_debate,
        "evidence": [cited_evidence(one) for one in ballot.evidence],
        **whole_vote(ballot.vote),
    }


def _argument(argument: Argument | None) -> Json | None:
    if argument is None:
        return None
    return {
        "side": argument.side,
        "claims": list(argument.claims),
        "evidence": list(argument.evidence),
        "confidence": number(argument.confidence),
    }


def _held(ballot: Ballot, names: Mapping[str, str]) -> tuple[object, bool, bool]:
    """What must differ for a seat to have moved: other confidence, or other words for one option, do not move it."""
    vote = plain_option(names.get(ballot.choice, ballot.choice)) if isinstance(ballot.vote, Choice) else ballot.vote
    return vote, ballot.veto, ballot.abstain


def _ballot_before(event: Spoken, state: State) -> Ballot | None:
    """The last ballot a seat cast before this entry."""
    return _latest(state, event.seat, besides=(event.round, event.seat, event.about))


def _latest(state: State, seat: str, besides: tuple[str, str, str] | None = None) -> Ballot | None:
    said = ((place, word) for place, word in state.heard.words.items() if place[1] == seat and place != besides)
    cast = [word.ballot for _, word in said if isinstance(word, Speech) and word.ballot is not None]
    return cast[-1] if cast else None


def _stance(event: Spoken, state: State) -> str:
    """Whether a seat that speaks about another holds something else than that one, or the same."""
    if not event.about or event.unreadable:
        return ""
    own, other = event.ballot or _latest(state, event.seat), _latest(state, event.about)
    if own is None or other is None or own.abstain or other.abstain:
        return ""
    return "agree" if own.vote == other.vote else "challenge"


def _found(event: Found, state: State) -> Json:
    return {
        "errand": event.kind,
        "by": event.by,
        "why": event.why,
        "library": event.library,
        "passages": [_passage(one) for one in event.passages],
        "scores": [[one, other, number(score)] for one, other, score in event.scores],
        "similarity": _similarity(event, state),
    }


def _passage(passage: Passage) -> Json:
    return {
        "url": passage.url,
        "title": passage.title,
        "text": passage.text,
        "category": passage.category,
        "credibility": number(passage.credibility),
        "why": passage.why,
        "date": passage.date,
    }


def _similarity(event: Found, state: State) -> Json | None:
    """How like its own last speech each seat's is by now; of what discusses in rounds."""
    if event.kind != "compare" or not event.round.isdecimal() or not is_conference(state):
        return None
    found = talk(state.heard, int(event.round), conference_settings(state))
    if not found.each:
        return None
    return {
        "round": found.round,
        "lowest": number(found.lowest),
        "median": number(found.middle),
        "mean": number(found.mean),
        "each": [{"seat": seat, "score": number(score)} for seat, score in found.each],
        "status": found.status,
    }


def _decided(event: TurnedAway | Decided, state: State) -> Json:
    decision = decision_of(state)
    verdict = verdict_document(decision) if decision else None
    away = {"reasons": _cautions(event.reasons)} if isinstance(event, TurnedAway) else {}
    return {"verdict": verdict, "trace_words": [*trace_words(event.verdict)], **away}


def _tally(state: State) -> list[Json] | None:
    """Who holds what: as it was counted once it was, before that by each voting seat's latest ballot.

    None before the first ballot or case.
    """
    speeches = [word for word in state.heard.words.values() if isinstance(word, Speech)]
    if not any(speech.ballot or speech.argument for speech in speeches):
        return None
    if isinstance(state.closed, Decided) or any(speech.argument for speech in speeches):
        return _counted(state)
    seats: dict[str, list[str]] = {}
    for choice, seat in _standing(state):
        seats.setdefault(choice, []).append(seat)
    return [_row(choice, seats[choice]) for choice in _in_order(state, seats)]


def _counted(state: State) -> list[Json]:
    tally = chair.tally_of(state)
    seats: dict[str, list[str]] = {}
    for voice in tally.voices:
        for choice in _choices(voice.vote) if voice.vote else voice.choices:
            seats.setdefault(choice, []).append(voice.seat)
    rows = [_row(choice, seats[choice]) for choice in _in_order(state, seats)]
    return [{**row, "weight": number(tally.weight(str(row["choice"])))} for row in rows] if tally.sides else rows


def _row(choice: str, seats: Iterable[str]) -> Json:
    held_by = list(dict.fromkeys(seats))
    return {"choice": choice, "heads": len(held_by), "seats": held_by}


def _in_order(state: State, choices: Iterable[str]) -> list[str]:
    """Outcomes in their own order, then what was first heard."""
    spec = catalogue.protocol(state.convened.protocol)
    held = list(choices)
    known = (*state.convened.question.options, *spec.variant(dict(state.convened.settings)).outcomes)
    return [choice for choice in dict.fromkeys((*known, *held)) if choice in held]


def _standing(state: State) -> Iterator[Stands]:
    """What each voting seat holds by its latest ballot; options that were found to mean the same are one."""
    names = _group_names(state)
    for seat in state.brief.panel.voters:
        ballot = _latest(state, seat.name)
        for choice in _choices(ballot.vote) if ballot and not ballot.abstain else ():
            yield names.get(choice, choice), seat.name


def _group_names(state: State) -> Mapping[str, str]:
    """By option, the name it counts under, where options are compared."""
    held = count_rounds(state.heard) if is_conference(state) else 0
    return group_names(state.heard, held, conference_settings(state).alike) if held else {}


def _choices(vote: Vote) -> tuple[str, ...]:
    """What a vote is a head for: each option approved, the first of an order if it is alone, a number as it stands."""
    match vote:
        case Approval(approved):
            return approved
        case Ranking(ranking):
            return ranking[0] if ranking and len(ranking[0]) == 1 else ()
        case Estimate(value=value):
            return (decimal(value),)
        case _:
            return (vote.choice,)
