"""What our graphs keep in a graph's state: plain JSON types, by deliberation, so that writing it twice changes nothing.

The ledger holds the record; this is what another node may want to look at, and what the edges go by.
"""

from typing import Annotated, Any, Final, TypedDict

from quorate.engine.due_steps import DueStep, due_steps
from quorate.errors import BadSetting
from quorate.model import Question, Silence, Speech
from quorate.model.heard import Place
from quorate.views import Record
from quorate.views.document import document, number, state_of

__all__ = [
    "KEYS",
    "DeliberationState",
    "GraphInput",
    "GraphOutput",
    "Json",
    "current",
    "due_of",
    "id_of",
    "latest",
    "merge_json",
    "question_of",
    "state_update",
]

Json = dict[str, Any]


def latest(_: Any, new: Any) -> Any:  # noqa: ANN401 - any JSON
    """What was written last holds, also when two of our graphs write in one step."""
    return new


def merge_json(old: Json, new: Json) -> Json:
    """Both, objects within objects; of anything else the new. Merging the same again changes nothing."""
    both = {**old}
    for key, value in new.items():
        before = both.get(key)
        both[key] = merge_json(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return both


class GraphInput(TypedDict, total=False):
    """What a graph is given. `asking` tells two deliberations over one question on one thread apart."""

    question: str | Json
    asking: str
    deliberations: Annotated[dict[str, Json], merge_json]


class GraphOutput(TypedDict, total=False):
    """What a graph gives: the verdict, what a person said of it, and everything said on the way, by deliberation."""

    deliberation: Annotated[str, latest]
    deliberations: Annotated[dict[str, Json], merge_json]
    verdict: Annotated[Json | None, latest]
    review: Annotated[Json | None, latest]


class DeliberationState(GraphInput, GraphOutput, total=False):
    """All of it: a state of your own may inherit from this one."""


KEYS: Final = frozenset(DeliberationState.__annotations__)


def id_of(state: DeliberationState) -> str:
    """Which deliberation is being held; none before the first node has run."""
    return state.get("deliberation", "")


def question_of(state: DeliberationState) -> Question:
    """The question, as words or as an object with text, options, context and criteria.

    Raises:
        BadSetting: it is neither.
    """
    given = state.get("question")
    if isinstance(given, str):
        return Question(text=given)
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise BadSetting("the state holds no question; put one under 'question': words, or an object with 'text'")
    unknown = ", ".join(sorted(set(given) - {"text", "options", "context", "criteria"}))
    options = given.get("options", [])
    words = [given.get("context", ""), given.get("criteria", ""), *(options if isinstance(options, list) else [None])]
    if unknown or not all(isinstance(word, str) for word in words):
        raise BadSetting(
            f"the question {f'has {unknown}' if unknown else 'holds what are no words'}; there are text, options "
            "(a list of words), context and criteria"
        )
    return Question(text=given["text"], options=tuple(options), context=words[0], criteria=words[1])


def current(state: DeliberationState) -> Json:
    """What the state holds on the deliberation that is being held."""
    return state.get("deliberations", {}).get(state.get("deliberation", ""), {})


def due_of(state: DeliberationState) -> tuple[DueStep, ...]:
    """What was to be done when the state was written."""
    return tuple(DueStep(*place) for place in current(state).get("due", ()))


def state_update(record: Record, state: DeliberationState, *, seats: frozenset[str] | None = None) -> Json:
    """What the record holds and the state does not; `seats` are those whose words are meant, and none means all."""
    told = record.state
    known = current(state).get("words", {})
    words = {
        name: {**({"silent": None} if name in known else {}), **_words(place, said)}
        for place, said in told.heard.words.items()
        # A seat that couldn't be asked at first may have spoken since.
        if ((name := "/".join(place)) not in known or known[name].get("silent"))
        and (seats is None or place[1] in seats)
    }
    found: Json = {"words": words} if words else {}
    if seats is not None:
        return found
    due = [list(place) for place in due_steps(told)]
    return {**found, "state": "open", "due": due, **({} if told.closed is None else _ended(record))}


def _ended(record: Record) -> Json:
    """What there is to tell once there is a verdict."""
    whole = document(record)
    shown = {name: whole[name] for name in ("may_act", "verdict", "review", "cost")}
    return {"state": state_of(record.events), "failures": whole.get("failures", []), **shown}


def _words(place: Place, said: Speech | Silence) -> Json:
    where: Json = {"round": place[0], "seat": place[1], "about": place[2] or None}
    if isinstance(said, Silence):
        return {**where, "silent": said.why}
    words = {**where, "text": said.text}
    if said.ballot is not None:
        choice = "VETO" if said.ballot.veto else said.ballot.choice
        words |= {"choice": choice, "confidence": number(said.ballot.confidence)}
    return words
