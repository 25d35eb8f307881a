"""What a graph leaves behind when nobody has it any more: nothing, however far it went."""

import gc
import threading
from contextlib import aclosing
from typing import Any
from weakref import ref

import pytest
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver

from quorate.doors.langgraph import debate_graph, deliberation_graph
from quorate.doors.langgraph.shapes import Review
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from tests.doors.graphs import DEBATES, QUESTION, Answers, charter

THREAD: Any = {"configurable": {"thread_id": "1"}}


@pytest.mark.parametrize("review", ["report", "interrupt"])
@pytest.mark.parametrize("until", ["convene", "refiner", "conclude"])
async def test_a_graph_that_nobody_has_any_more_is_collected_and_its_thread_ends(until: str, review: Review) -> None:
    before = our_threads()

    held = await left_after(until, review)
    gc.collect()

    assert held() is None
    assert our_threads() <= before


def our_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "quorate graph"}


async def left_after(until: str, review: Review) -> ref[Any]:
    """A graph that was streamed up to this node and then dropped."""
    panel = DEBATES["extended"]
    graph: Any = debate_graph(
        panel=panel, panelists=Answers().by_seat(panel.panel), ledger=":memory:", review=review,
        checkpointer=InMemorySaver(),
    )  # fmt: skip
    async with aclosing(graph.astream({"question": QUESTION}, THREAD, stream_mode="updates")) as updates:
        async for update in updates:
            if until in update:
                break
    return ref(graph)


class ChatModels(Answers):
    """Has a chat model of LangChain say what would be answered."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        reply = await super().answer(ask, overheard)
        said = await FakeListChatModel(responses=[reply.text]).ainvoke("")
        return Reply(text=str(said.content))


async def test_a_chat_model_that_answers_for_a_seat_is_streamed_with_the_graph() -> None:
    panel = charter("tribunal")
    graph: Any = deliberation_graph(panel=panel, panelists=ChatModels().by_seat(panel.panel), ledger=":memory:")

    pieces = [piece async for piece, _ in graph.astream({"question": QUESTION}, stream_mode="messages")]

    assert "BALLOT" in "".join(piece.content for piece in pieces)
