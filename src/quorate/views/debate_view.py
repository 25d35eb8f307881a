"""A debate as it went: form, rounds with every argument and its marks, the moderator, the judge, and why it ended."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product, zip_longest

from quorate import catalogue, chair
from quorate.analysis.argument_quality import grade_evidence, material, new_claims
from quorate.analysis.debate_course import USUAL, Debate, DebateSettings, argument_of, counted_rounds, debate_of
from quorate.analysis.debate_margin import sum_sides
from quorate.analysis.judge_marks import mean_marks
from quorate.errors import BadSetting
from quorate.model import Argument, Ballot, Decided, Heard, Seat, Silence, Spoken, Tally, TurnedAway, Voice
from quorate.views import VIEWS, Record
from quorate.views.document import number

__all__ = ["debate_record", "debate_view", "is_debate"]

Json = dict[str, object]
Times = Mapping[tuple[str, str], str | None]


def debate_view(record: Record) -> Json:
    """Everything about a debate that was weighed, and what it came to.

    Raises:
        BadSetting: the record is of another protocol.
    """
    state = record.state
    held_as, tally = debate_record(state), chair.tally_of(state)
    heard, closed = state.heard, state.closed
    last, stop = len(tally.course.rounds), tally.course.stop
    times = _times(record)
    verdict = closed.verdict if isinstance(closed, Decided | TurnedAway) else None
    pro, con = sum_sides(tally, lambda voice: voice.weight)
    return {
        "question": state.brief.question.text,
        "form": "extended" if held_as.extended else "standard",
        "complexity": {"score": number(held_as.complexity.score), "counts": dict(held_as.complexity.counts)},
        "min_rounds": held_as.min_rounds,
        "max_rounds": held_as.max_rounds,
        "rounds": [_round(state, held_as, tally, at, times) for at in range(1, last + 1)],
        "novel_insights": list(_insights(heard, held_as, last)),
        "stop_reason": None if stop == "complete" else stop,
        "consensus_reached": stop == "consensus",
        "pro_strength": number(pro),
        "con_strength": number(con),
        "judge": _judge(heard, held_as),
        "conclusion": verdict.outcome if verdict else None,
        "confidence": number(verdict.confidence) if verdict else None,
        "decided": verdict.decided if verdict else False,
        "rule": verdict.rule if verdict else None,
        "because": verdict.because if verdict else None,
    }


def is_debate(state: chair.State) -> bool:
    """Whether it was counted as a debate is."""
    return VIEWS["debate"].fits(state.convened.protocol)


def debate_record(state: chair.State) -> Debate:
    """Look at a record as a debate: who had which part, in which form, under which terms.

    Raises:
        BadSetting: it is none.
    """
    if not is_debate(state):
        raise BadSetting(f"this is a {state.convened.protocol}, and that form shows debates; try minutes or json")
    spec = catalogue.protocol(state.convened.protocol)
    count = catalogue.count(spec.count.name).count
    written = chair.counting_settings(spec, state.convened.settings)
    terms: DebateSettings = catalogue.bind(count, written, f"count {spec.count.name!r}").get("terms", USUAL)
    return debate_of(state.brief, terms)


def _times(record: Record) -> Times:
    """By round and seat, when the argument was written; a record that knows no times has none."""
    written = zip_longest(record.events, record.times)
    return {(event.round, event.seat): time for event, time in written if isinstance(event, Spoken)}


def _insights(heard: Heard, held_as: Debate, last: int) -> Iterator[Json]:
    """Every claim that no argument before it had made, in the order in which they were heard."""
    earlier: list[Argument] = []
    for at, seat in product(range(1, last + 1), held_as.debaters):
        argument = argument_of(heard, seat, at)
        if argument is not None:
            for claim in new_claims(argument, earlier):
                yield {"round": at, "seat": seat.name, "claim": claim}
            earlier.append(argument)


def _round(state: chair.State, held_as: Debate, tally: Tally, at: int, times: Times) -> Json:
    heard, voices = state.heard, {voice.seat: voice for voice in tally.voices if voice.round == str(at)}
    context = material(state.brief.question)
    refined = heard.speech(str(at), held_as.refiner) if held_as.refiner else None
    return {
        "round": at,
        "counts": at in counted_rounds(heard, held_as, at),
        "arguments": [
            _argument(seat, held_as, argument, voices.get(seat.name), context)
            | {"timestamp": times.get((str(at), seat.name))}
            for seat in held_as.debaters
            if (argument := argument_of(heard, seat, at))
        ],
        "silent": list(_silences(heard, held_as, at)),
        "refinement": refined.text if refined else None,
        "moderator": _assessment(heard.ballot(str(at), held_as.moderator) if held_as.moderator else None),
    }


def _argument(seat: Seat, held_as: Debate, argument: Argument, voice: Voice | None, context: str) -> Json:
    """An argument with what it weighs; one of an ally that does not count, or of a round that does not, weighs none."""
    return {
        "seat": seat.name,
        "part": seat.acts,
        "side": held_as.side(seat),
        "claims": list(argument.claims),
        "evidence": [
            {"text": one.piece, "kind": one.kind, "found": one.found, "mark": number(one.mark)}
            for one in grade_evidence(argument, context)
        ],
        "confidence": number(argument.confidence),
        "evidence_quality": number(voice.quality) if voice else None,
        "logical_consistency": number(voice.consistency) if voice else None,
        "strength": number(voice.weight) if voice else None,
    }


def _silences(heard: Heard, held_as: Debate, at: int) -> Iterator[Json]:
    asked = (*held_as.debaters, *(seat for seat in (held_as.refiner, held_as.moderator) if seat))
    for seat in asked:
        gone = heard.silence(str(at), seat)
        if isinstance(gone, Silence):
            yield {"seat": seat.name, "why": gone.why}


def _assessment(ballot: Ballot | None) -> Json | None:
    if ballot is None:
        return None
    return {"confidence": number(ballot.confidence), "leaning": ballot.choice, "points": ballot.rationale}


def _judge(heard: Heard, held_as: Debate) -> Json | None:
    """What the judge held of each side, and whether its marks decide or stand beside."""
    if held_as.judge is None:
        return None
    marks = mean_marks(heard, held_as)
    sides = {
        side: _marks(*marks.marks(side)) if marks else None
        for side in ("pro", "con")
    }  # fmt: skip
    return {"seat": held_as.judge.name, "mode": held_as.terms.judge, **sides}


def _marks(evidence: Fraction, logic: Fraction) -> Json:
    return {"evidence": number(evidence), "logic": number(logic)}
