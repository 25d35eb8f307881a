"""A program of a user's: a graph of his own with the debate as one node, LangGraph's SQLite checkpointer, one thread.

`python -m tests.doors.graph_program FOLDER URL DURABILITY [REVIEW]` goes on wherever it was left, and prints each node
as it is done, then the interrupt it stopped at or how it ended.
"""

import json
import sys
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from quorate.doors.langgraph import DeliberationState, debate_graph
from tests.doors.graphs import QUESTION, debate


class State(DeliberationState):
    notes: str


def main(folder: str, url: str, durability: Any, review: str = "") -> None:  # noqa: ANN401
    """Begin, go on, or give the graph what a person said."""
    inner = debate_graph(
        panel=debate("Moderator", form="standard"),
        model=f"openai:mock@{url}",
        ledger=f"{folder}/ledger.db",
        review="interrupt",
    )
    graph = StateGraph(State)
    graph.add_node("prepare", lambda _: {"question": QUESTION})
    graph.add_node("debate", inner)
    graph.add_node("act", lambda state: {"notes": f"{state['review']['outcome']}, says {state['review']['by']}"})
    for one, other in ((START, "prepare"), ("prepare", "debate"), ("debate", "act"), ("act", END)):
        graph.add_edge(one, other)
    thread: Any = {"configurable": {"thread_id": "mine"}}
    with SqliteSaver.from_conn_string(f"{folder}/graph.db") as saver:
        program = graph.compile(checkpointer=saver)
        given: Any = Command(resume=json.loads(review)) if review else None if program.get_state(thread).next else {}
        updates = program.stream(given, thread, stream_mode="updates", subgraphs=True, durability=durability)
        # An interrupt is told of by the graph it happened in and by every graph around it.
        for node in (node for place, update in updates for node in update if node != "__interrupt__" or not place):
            print(node, flush=True)  # noqa: T201
        print(json.dumps(program.get_state(thread).values.get("notes")), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
