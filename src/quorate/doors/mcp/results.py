"""What the tools give back: records in their declared shapes, every text of a model visible and cut to size."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from quorate.chair import State
from quorate.doors.mcp.result_shapes import DeliberationResult, Explanation, Progress, VerdictResult
from quorate.engine.verify import describe_missing_verdict, verify_record
from quorate.model import Asked, Convened, Decided, Event, Halted, Question, Silent, Spoken, TurnedAway
from quorate.views import VIEWS, Record
from quorate.views.compat.counsel import counsel
from quorate.views.document import cost, verdict_document
from quorate.views.escape import one_line, visible
from quorate.views.result import Result, open_asks
from quorate.views.rounds import rounds

__all__ = [
    "cut_json",
    "cut_text",
    "deliberation_result",
    "describe",
    "explanation",
    "next_step",
    "state_word",
    "verdict_result",
]

LONGEST_TEXT: Final = 4_000
"""Characters of one text; a resource holds the whole."""
LONGEST_DEBATE: Final = 40_000
"""Characters of all speeches together: the latest stay."""
SHORT: Final = 300
DEPTH: Final = 12


def cut_text(text: str, most: int = LONGEST_TEXT) -> str:
    """A text in which nothing steers or hides, cut to size; what was cut is said."""
    seen = visible(text).encode("utf-8", "backslashreplace").decode()
    return seen if len(seen) <= most else f"{seen[:most]}… [{len(seen) - most} more characters]"


def cut_json(value: Any, depth: int = DEPTH) -> Any:  # noqa: ANN401  whatever JSON holds
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return cut_text(value)
    if depth and isinstance(value, Mapping):
        return {cut_text(str(key), SHORT): cut_json(inner, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, Sequence):
        return [cut_json(inner, depth - 1) for inner in value]
    return value if isinstance(value, int | float | bool | None) else cut_text(str(value))


def verdict_result(document: Mapping[str, Any]) -> VerdictResult:
    """The part of a verdict's document that a client acts on."""
    return VerdictResult.model_validate(cut_json({name: document[name] for name in VerdictResult.model_fields}))


def deliberation_result(record: Record, *, running: bool, notes: Sequence[str] = ()) -> DeliberationResult:
    """A deliberation as it stands; while somebody holds it, how far it is."""
    result, convened = Result.of(record), record.state.convened
    state = state_word(record, running=running)
    return DeliberationResult(
        id=record.id,
        state=state,
        may_act=result.may_act and verify_record(record).holds,
        status=_status(record, state),
        next=next_step(record.id, state),
        notes=[cut_text(note) for note in notes],
        protocol=convened.protocol,
        question=cut_text(convened.question.text, SHORT),
        verdict=verdict_result(verdict_document(result.decision)) if result.decision else None,
        progress=_progress(record),
        cost=cost(record.events),
        graph_context_summary=_recalled(convened.question),
        **({} if state == "running" else _debate(record)),
    )


def _recalled(question: Question) -> str | None:
    """Which earlier decisions the seats were shown."""
    shown = ", ".join(f"{one.id} ({one.tier})" for one in question.precedents)
    return f"shown to the seats as precedent: {shown}" if shown else None


def state_word(record: Record, *, running: bool) -> Any:  # noqa: ANN401  one of the words declared above
    """The one word for how it stands."""
    if isinstance(record.state.closed, Halted):
        return "cancelled"
    return "running" if running and record.state.closed is None else Result.of(record).state


def next_step(id_: str, state: str) -> str:
    """What a client calls to go on."""
    match state:
        case "running":
            return f"It goes on by itself. Call wait with id {id_!r} for the result."
        case "failed":
            return f"Nobody could be asked. Once that is put right, call resume with id {id_!r}."
        case "halted":
            return f"Nobody holds it. Call resume with id {id_!r}; recorded answers are not paid for again."
        case "waiting":
            return f"It waits for a person: quorate answer {id_}"
        case _:
            return ""


def _status(record: Record, state: str) -> Any:  # noqa: ANN401  one of the words declared above
    if state == "running":
        return "running"
    if VIEWS["counsel"].fits(record.state.convened.protocol):
        return counsel(record)["status"]
    heard = any(isinstance(event, Spoken) for event in record.events)
    return "failed" if not heard else "complete" if isinstance(record.state.closed, Decided) else "partial"


def _progress(record: Record) -> Progress:
    kinds = [type(event) for event in record.events]
    return Progress(
        entries=len(kinds),
        asked=kinds.count(Asked),
        answered=kinds.count(Spoken),
        silent=kinds.count(Silent),
        thinking=sorted({cut_text(asked.seat, SHORT) for asked in open_asks(record.events)}),
        seconds=round(record.seconds, 3),
    )


def _debate(record: Record) -> dict[str, Any]:
    """AI Counsel's fields; those of another protocol are put together from what was said in its rounds."""
    if VIEWS["counsel"].fits(record.state.convened.protocol):
        said = counsel(record)
        del said["status"]
    else:
        said = _other(record.state)
    whole: list[dict[str, Any]] = list(said["full_debate"])  # type: ignore[call-overload]  # our own list
    kept = [*reversed([*_latest(whole)])]
    return {
        **cut_json({**said, "full_debate": kept}),
        "full_debate_truncated": len(kept) < len(whole),
        "total_rounds": len({speech["round"] for speech in whole}),
    }


def _latest(debate: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The latest speeches, from the end, as many as fit."""
    room = LONGEST_DEBATE
    for speech in reversed(debate):
        room -= min(len(speech["response"]), LONGEST_TEXT)
        if room < 0:
            return
        yield speech


def _other(state: State) -> dict[str, Any]:
    convened = state.convened
    held = [one for one in rounds(state) if one.said]
    stances = {seat.name: seat.stance for seat in convened.panel}
    debate = [
        {
            "round": one.number,
            "participant": said.seat,
            "stance": stances.get(said.seat, "neutral"),
            "response": said.text or f"[ERROR: {said.silence or 'nothing was said'}]",
            "timestamp": None,
        }
        for one in held
        for said in one.said
    ]
    return {
        "mode": convened.protocol,
        "rounds_completed": len(held),
        "participants": [seat.name for seat in convened.panel.voters],
        "summary": _summary(state),
        "full_debate": debate,
    }


def _summary(state: State) -> dict[str, Any] | None:
    """What the verdict itself says, under AI Counsel's headings."""
    if not isinstance(state.closed, Decided | TurnedAway):
        return None
    verdict = state.closed.verdict
    return {
        "consensus": verdict.because,
        "key_agreements": [f"{point.who}: {point.text}" for point in verdict.points],
        "key_disagreements": list(verdict.dissent),
        "final_recommendation": verdict.outcome or "none",
    }


def explanation(record: Record) -> Explanation:
    """Why its verdict is what it is.

    Raises:
        BadSetting: there is none yet.
    """
    from quorate.errors import BadSetting

    checked = verify_record(record)
    result = Result.of(record)
    if result.decision is None:
        raise BadSetting(describe_missing_verdict(record.id, record.state, "explain"))
    document = cut_json(verdict_document(result.decision))
    return Explanation(
        id=record.id,
        verdict=verdict_result(document),
        trace=document["trace"],
        withstands=(document["withstands"] or {}).get("sentence"),
        sealed=document["sealed"],
        check=checked.state,
    )


def describe(event: Event) -> str:
    """An event as one line of progress; nothing a model wrote stands in it but the outcome."""
    match event:
        case Convened():
            return "the panel is convened"
        case Asked(seat=seat, round=round_):
            return f"{one_line(seat, 60)} is asked: {one_line(round_, 40)}"
        case Spoken(seat=seat, round=round_):
            return f"{one_line(seat, 60)} has answered: {one_line(round_, 40)}"
        case Silent(seat=seat, why=why):
            return f"{one_line(seat, 60)} is silent: {one_line(why, 60)}"
        case Decided(verdict=verdict) | TurnedAway(verdict=verdict):
            return f"verdict: {one_line(verdict.outcome or 'no outcome', 80)}"
        case _:
            return type(event).__name__.lower()
