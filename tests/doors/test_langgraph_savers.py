"""LangGraph's own checkpointers: a graph that is left in the middle goes on from what they kept."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from quorate.doors.langgraph import DeliberationState, debate_graph
from tests.doors.graphs import QUESTION, Answers, debate

PANEL = debate("Moderator", "Advocate", "Critic", "Refiner", form="extended", judge="decides")
REVIEW = {"outcome": "UNCERTAIN", "by": "Ann", "because": "a model marked it"}
BOUGHT = 14
"""Six in each of two rounds, and the judge twice."""


def parent(answers: Answers, ledger: Path | str, saver: Any) -> Any:  # noqa: ANN401
    """A user's graph, made anew as a new process would make it."""
    inner = debate_graph(panel=PANEL, panelists=answers.by_seat(PANEL.panel), ledger=ledger, review="interrupt")
    graph = StateGraph(DeliberationState)
    graph.add_node("debate", inner)
    graph.add_edge(START, "debate")
    graph.add_edge("debate", END)
    return graph.compile(checkpointer=saver)


def check_left_and_gone_on(opened: Callable[[], Any], ledger: Path | str) -> None:
    answers, thread = Answers(), {"configurable": {"thread_id": str(ledger)}}
    with opened() as saver:
        begun = parent(answers, ledger, saver).stream(
            {"question": QUESTION}, thread, stream_mode="updates", subgraphs=True, durability="sync"
        )
        assert any("refiner" in update for _, update in begun)
        begun.close()
    with opened() as saver:
        stopped = parent(answers, ledger, saver).invoke(None, thread)
        assert stopped["__interrupt__"][0].value["verdict"]["requires_human_review"]
    with opened() as saver:
        told = parent(answers, ledger, saver).invoke(Command(resume=REVIEW), thread)
    check_ended(told, answers)


def check_ended(told: dict[str, Any], answers: Answers) -> None:
    assert {key: told["review"][key] for key in REVIEW} == REVIEW
    assert len(answers.asked) == len(set(answers.asked)) == BOUGHT
    (held,) = told["deliberations"].values()
    assert len(held["words"]) == BOUGHT


async def check_left_and_gone_on_later(opened: Callable[[], Any], ledger: Path | str) -> None:
    answers, thread = Answers(), {"configurable": {"thread_id": str(ledger)}}
    async with opened() as saver:
        others = asyncio.all_tasks()
        begun = parent(answers, ledger, saver).astream(
            {"question": QUESTION}, thread, stream_mode="updates", subgraphs=True, durability="sync"
        )
        async with aclosing(begun):
            async for _, update in begun:
                if "refiner" in update:
                    break
        # That a step was cancelled is written by a task that closing the stream does not wait for. A saver that is
        # closed between that write and its commit leaves its file locked until Python collects what is left of them.
        if written := asyncio.all_tasks() - others:
            await asyncio.wait(written)
    async with opened() as saver:
        stopped = await parent(answers, ledger, saver).ainvoke(None, thread)
        assert stopped["__interrupt__"][0].value["verdict"]["requires_human_review"]
    async with opened() as saver:
        told = await parent(answers, ledger, saver).ainvoke(Command(resume=REVIEW), thread)
    check_ended(told, answers)


def test_sqlite(tmp_path: Path) -> None:
    check_left_and_gone_on(lambda: SqliteSaver.from_conn_string(str(tmp_path / "graph.db")), tmp_path / "ledger.db")


async def test_sqlite_awaited(tmp_path: Path) -> None:
    await check_left_and_gone_on_later(
        lambda: AsyncSqliteSaver.from_conn_string(str(tmp_path / "graph.db")), tmp_path / "ledger.db"
    )


@pytest.mark.slow
def test_postgres_keeps_the_graph_and_the_ledger(postgres: str, postgres_ledger: str) -> None:
    @contextmanager
    def opened() -> Generator[PostgresSaver]:
        with PostgresSaver.from_conn_string(postgres) as saver:
            saver.setup()
            yield saver

    check_left_and_gone_on(opened, postgres_ledger)


@pytest.mark.slow
async def test_postgres_awaited(postgres: str, postgres_ledger: str) -> None:
    @asynccontextmanager
    async def opened() -> AsyncGenerator[AsyncPostgresSaver]:
        async with AsyncPostgresSaver.from_conn_string(postgres) as saver:
            await saver.setup()
            yield saver

    await check_left_and_gone_on_later(opened, postgres_ledger)
