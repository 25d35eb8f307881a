"""AI Counsel's own `deliberate` result, field for field.

What it has besides: the stance of a speech, what each vote counts as, the kind of majority, and who compared texts.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final

from quorate.analysis.conference_course import SpeechSimilarity
from quorate.model import Decided, Seat, Silent, Spoken
from quorate.views import Record
from quorate.views.conference_votes import CastVote, ConferenceRecord, conference_record
from quorate.views.document import number

__all__ = ["counsel"]

Json = dict[str, object]
Times = Mapping[tuple[str, str], str | None]


def counsel(record: Record) -> Json:
    """A conference as AI Counsel would have returned it.

    Raises:
        BadSetting: the record is of another protocol.
    """
    held, times = conference_record(record.state), _times(record)
    return {
        "status": _status(held),
        "mode": held.mode,
        "rounds_completed": held.rounds,
        "participants": [seat.name for seat in held.state.brief.panel.voters],
        "summary": _summary(held),
        "transcript_path": None,
        "full_debate": list(_debate(record, held.state.brief.panel.voters, times)),
        "convergence_info": _convergence(held),
        "voting_result": _voting(held, times) if held.votes else None,
    }


def _times(record: Record) -> Times:
    """By round and seat, when the last of it was written; a record that knows no times has none."""
    written = zip_longest(record.events, record.times)
    return {(event.round, event.seat): time for event, time in written if isinstance(event, Spoken | Silent)}


def _status(held: ConferenceRecord) -> str:
    """Complete when it was decided with every seat heard in the last round, failed when no seat was heard at all."""
    heard, voters = held.state.heard, held.state.brief.panel.voters
    if not any(heard.speakers(str(number)) for number in range(1, held.rounds + 2)):
        return "failed"
    last = heard.speakers(str(held.rounds))
    whole = isinstance(held.state.closed, Decided) and all(seat in last for seat in voters)
    return "complete" if whole else "partial"


def _summary(held: ConferenceRecord) -> Json:
    """The words of the seat that was to sum up; else taken from votes and rationales as they stand."""
    speech = held.summary
    if speech is None:
        return _extract(held) | {"extractive": True, "written_by": None}
    return _sections(speech.text) | {"extractive": False, "written_by": speech.seat}


def _extract(held: ConferenceRecord) -> Json:
    verdict, winner = held.verdict, held.winner
    because = verdict.because if verdict else "there is no verdict yet"
    return {
        "consensus": because,
        "key_agreements": [_reason(cast) for cast in held.votes if cast.counts_as and cast.counts_as == winner],
        "key_disagreements": list(_disagreements(held)),
        "final_recommendation": winner if winner is not None else f"none: {because}",
    }


def _sections(text: str) -> Json:
    """A summary under its four headings; what stands under none of them belongs to the first."""
    found: dict[str, list[str]] = {name: [] for name in HEADINGS}
    here = HEADINGS[0]
    for line in text.splitlines():
        heading = _HEADING.match(line)
        here = heading[1].upper() if heading else here
        words = (line[heading.end() :] if heading else line).strip(" \t*-•")
        if words:
            found[here].append(words)
    consensus, agreements, disagreements, recommendation = (found[name] for name in HEADINGS)
    return {
        "consensus": " ".join(consensus),
        "key_agreements": agreements,
        "key_disagreements": disagreements,
        "final_recommendation": " ".join(recommendation),
    }


def _disagreements(held: ConferenceRecord) -> Iterator[str]:
    for cast in held.votes:
        if cast.counts_as and cast.counts_as != held.winner:
            yield _reason(cast)
    yield from (f"{seat} abstained" for seat in held.tally.abstained)
    yield from (f"{seat} wasn't needed" for seat in held.tally.not_needed)
    yield from (f"{gone.seat} cast no vote: {gone.why}" for gone in held.tally.silent)


def _reason(cast: CastVote) -> str:
    return f"{cast.seat}, for {cast.ballot.choice}: {cast.ballot.rationale or 'no reason given'}"


def _debate(record: Record, voters: tuple[Seat, ...], times: Times) -> Iterator[Json]:
    """Every reply as it came; a vote that was asked for again stands below the speech it was missing from."""
    said: dict[tuple[str, str], list[str]] = {}
    for event in record.events:
        match event:
            case Spoken(round="summary") | Silent(round="summary"):
                continue
            case Spoken():
                said.setdefault((event.round, event.seat), []).append(event.reply.text)
            case Silent():
                said.setdefault((event.round, event.seat), []).append(f"[ERROR: {event.why}]")
            case _:
                pass
    place = {seat.name: at for at, seat in enumerate(voters)}
    stances = {seat.name: seat.stance for seat in voters}
    for round_, seat in sorted(said, key=lambda key: (int(key[0]), place[key[1]])):
        yield {
            "round": int(round_),
            "participant": seat,
            "stance": stances[seat],
            "response": "\n\n".join(said[round_, seat]),
            "timestamp": times.get((round_, seat)),
        }


def _convergence(held: ConferenceRecord) -> Json:
    course, talks = held.tally.course, held.talks
    status = course.status or "no_votes"
    found = status in DETECTED
    return {
        "detected": found,
        "detection_round": held.rounds if found else None,
        "final_similarity": number(course.similarity),
        "status": status,
        "scores_by_round": [_scores(talk) for talk in talks],
        "per_participant_similarity": _each(talks[-1]) if talks and talks[-1].round == held.rounds else {},
        "stopped": course.stop,
        "backend": list(held.backends),
    }


def _scores(talk: SpeechSimilarity) -> Json:
    return {
        "round": talk.round,
        "minimum": number(talk.lowest),
        "median": number(talk.middle),
        "mean": number(talk.mean),
        "status": talk.status,
        "per_participant": _each(talk),
    }


def _each(talk: SpeechSimilarity) -> dict[str, float | None]:
    return {seat: number(score) for seat, score in talk.each}


def _voting(held: ConferenceRecord, times: Times) -> Json:
    tally, winner = held.tally, held.winner
    counts = sorted((tally.heads(option) for option in tally.cast), reverse=True)
    leading, next_best = (*counts, 0, 0)[:2]
    kind = "absolute" if 2 * leading > len(tally.eligible) else "plurality"
    return {
        "final_tally": {option: tally.heads(option) for option in tally.cast},
        "votes_by_round": [_vote(cast, times) for cast in held.votes],
        "consensus_reached": winner is not None,
        "winning_option": winner,
        "majority": kind if winner is not None else None,
        "margin": leading - next_best,
        "abstained": list(tally.abstained),
    }


def _vote(cast: CastVote, times: Times) -> Json:
    ballot = cast.ballot
    return {
        "round": cast.round,
        "participant": cast.seat,
        "vote": {
            "option": "ABSTAIN" if ballot.abstain else ballot.choice,
            "confidence": number(ballot.confidence),
            "rationale": ballot.rationale,
            "continue_debate": ballot.continue_debate,
        },
        "timestamp": times.get((str(cast.round), cast.seat)),
        "counts_as": cast.counts_as or None,
        "carried_from_round": cast.round if cast.carried else None,
    }


HEADINGS: Final = ("CONSENSUS", "AGREEMENTS", "DISAGREEMENTS", "RECOMMENDATION")
_HEADING: Final = re.compile(rf"[\s#*_]{{0,8}}({'|'.join(HEADINGS)})[*_]{{0,3}}:[*_]{{0,3}}", re.IGNORECASE)

DETECTED: Final = frozenset({"unanimous_consensus", "majority_decision", "converged"})
