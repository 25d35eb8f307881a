"""LangGraph alone: a graph of the shape of a tribunal whose nodes do nothing. What it takes, no graph can save."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, TypedDict

from langgraph.graph import END, StateGraph

__all__ = ["bare_graph"]

SEATS: Final = ("Utility", "Accuracy", "Safety")
ROUNDS: Final = 3


def _latest(_: object, new: object) -> object:
    return new


def _both(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    return {**old, **new}


class _State(TypedDict, total=False):
    due: Annotated[list[str], _latest]
    round: Annotated[int, _latest]
    words: Annotated[dict[str, str], _both]


def bare_graph() -> Callable[[], Awaitable[object]]:
    """Convene, then the chair and all seats in turn, then conclude; as many nodes and steps as a tribunal has."""
    builder: StateGraph[_State, None, _State, _State] = StateGraph(_State)
    builder.add_node("convene", _convene)
    builder.add_node("chair", _chair)
    builder.add_node("conclude", _conclude)
    for seat in SEATS:
        builder.add_node(seat, _speak)
        builder.add_edge(seat, "chair")
    builder.set_entry_point("convene")
    builder.add_edge("convene", "chair")
    builder.add_conditional_edges("chair", _whoever_is_due, [*SEATS, "conclude"])
    builder.add_edge("conclude", END)
    graph = builder.compile()
    return lambda: graph.ainvoke({})


async def _convene(state: _State) -> _State:
    del state
    return {"round": 0, "words": {}}


async def _chair(state: _State) -> _State:
    return {"round": state["round"] + 1, "due": [*SEATS] if state["round"] < ROUNDS else []}


async def _speak(state: _State) -> _State:
    return {"words": {str(state["round"]): "Yes."}}


async def _conclude(state: _State) -> _State:
    del state
    return {"words": {"verdict": "WARN"}}


async def _whoever_is_due(state: _State) -> list[str]:
    return state["due"] or ["conclude"]
