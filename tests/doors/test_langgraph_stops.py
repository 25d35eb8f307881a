"""What stops a graph on its way: a review, a person who answers later, budget, deadline, cancelling."""

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from quorate.doors.langgraph import debate_graph, deliberation_graph
from quorate.errors import PanelistWaits, UnknownName
from quorate.ledger import open_ledger
from quorate.ledger.export import verify
from quorate.model import Ask, Asked, Convened, Decided, Origin, Reply, Reviewed
from quorate.panelists import WordListener, ignore_words
from tests.doors.graphs import DEBATES, QUESTION, Answers, charter

REVIEW = {"outcome": "WARN", "by": "Ann", "because": "I looked at the backups."}


async def test_a_verdict_for_review_stops_the_graph_until_a_person_has_said_what_holds() -> None:
    ledger, saver = open_ledger(":memory:"), InMemorySaver()
    panel, answers = charter("tribunal"), Answers(("analysis", "Safety"), cast={"Utility": "ACT", "Accuracy": "ACT"})
    graph = deliberation_graph(
        panel=panel, panelists=answers.by_seat(panel.panel), ledger=ledger, checkpointer=saver, review="interrupt"
    )
    thread: Any = {"configurable": {"thread_id": "1"}}

    stopped = await graph.ainvoke({"question": QUESTION}, thread)
    shown = stopped["__interrupt__"][0].value
    assert shown["verdict"]["requires_human_review"]
    assert (shown["resume_with"], shown["wrong"]) == (["outcome", "by", "because"], None)

    refused = await graph.ainvoke(Command(resume={**REVIEW, "outcome": "MAYBE"}), thread)
    assert "MAYBE" in refused["__interrupt__"][0].value["wrong"]

    told = await graph.ainvoke(Command(resume=REVIEW), thread)
    assert {key: told["review"][key] for key in REVIEW} == REVIEW
    assert told["verdict"] == shown["verdict"]
    events = [entry.event for entry in await ledger.read(told["deliberation"])]
    assert [event for event in events if isinstance(event, Reviewed)] == [
        Reviewed(**REVIEW, origin=Origin(interface="langgraph"))
    ]


class Later(Answers):
    """A person who is told, and answers when they will."""

    there = False

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        if ask.seat.name == "Opponent" and not self.there:
            raise PanelistWaits("asked")
        return await super().answer(ask, overheard)


@pytest.mark.parametrize("name", ["standard", "extended"])
async def test_a_seat_that_answers_later_stops_the_graph_until_it_has(name: str) -> None:
    panel, answers = DEBATES[name], Later()
    graph = debate_graph(
        panel=panel, panelists=answers.by_seat(panel.panel), ledger=":memory:", checkpointer=InMemorySaver()
    )
    thread: Any = {"configurable": {"thread_id": "1"}}

    twice: tuple[Any, ...] = ({"question": QUESTION}, Command(resume="now?"))
    for given in twice:
        stopped = await graph.ainvoke(given, thread)
        assert stopped["__interrupt__"][0].value["waits_for"] == [["Opponent", "1"]]
    answers.there = True
    told = await graph.ainvoke(Command(resume="now?"), thread)

    assert told["verdict"]["outcome"] is not None
    assert len(set(answers.asked)) == len(answers.asked)


def test_a_verdict_that_needs_nobody_is_not_stopped_at() -> None:
    panel, answers = charter("tribunal"), Answers()
    graph = deliberation_graph(
        panel=panel, panelists=answers.by_seat(panel.panel), ledger=":memory:", checkpointer=InMemorySaver(),
        review="interrupt",
    )  # fmt: skip
    told = graph.invoke({"question": QUESTION}, {"configurable": {"thread_id": "1"}})

    assert ("__interrupt__" in told, told["review"]) == (False, None)


def test_an_unknown_way_to_review_or_protocol_is_said_with_what_there_is() -> None:
    with pytest.raises(UnknownName, match="interrupt, report"):
        deliberation_graph(panel="demo", review="always")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="tribunal"):
        deliberation_graph(protocol="tribunel", panel="demo")


async def test_the_budget_holds_over_all_steps() -> None:
    panel, answers, ledger = DEBATES["standard"], Answers(), open_ledger(":memory:")
    graph = debate_graph(panel=panel, panelists=answers.by_seat(panel.panel), ledger=ledger, budget="4 calls")
    told = await graph.ainvoke({"question": QUESTION})

    events = [entry.event for entry in await ledger.read(told["deliberation"])]
    assert sum(isinstance(event, Asked) for event in events) == len(answers.asked) == 4
    words = told["deliberations"][told["deliberation"]]["words"]
    assert [place for place, said in words.items() if said.get("silent") == "budget"] == ["2/Opponent/", "2/Moderator/"]
    assert (type(events[0]), type(events[-1])) == (Convened, Decided)


class Slow(Answers):
    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        await asyncio.sleep(0.15)
        return await super().answer(ask, overheard)


async def test_the_deadline_runs_over_all_steps_and_not_anew_in_each() -> None:
    panel, answers = DEBATES["standard"], Slow()
    graph = debate_graph(panel=panel, panelists=answers.by_seat(panel.panel), ledger=":memory:", deadline="0.2 s")
    told = await graph.ainvoke({"question": QUESTION})

    words = told["deliberations"][told["deliberation"]]["words"]
    assert words["2/Proponent/"]["silent"] == "deadline"


async def test_given_up_in_the_middle_it_lets_go_of_the_record_and_can_be_gone_on_with() -> None:
    panel, answers, saver = DEBATES["extended"], Slow(), InMemorySaver()
    ledger = open_ledger(":memory:")
    graph = debate_graph(panel=panel, panelists=answers.by_seat(panel.panel), ledger=ledger, checkpointer=saver)
    thread: Any = {"configurable": {"thread_id": "1"}}
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(graph.ainvoke({"question": QUESTION}, thread), 0.1)
    graph = debate_graph(panel=panel, panelists=Answers().by_seat(panel.panel), ledger=ledger, checkpointer=saver)

    told = await graph.ainvoke(None, thread)

    assert told["verdict"]["outcome"] is not None
    await verify(ledger, told["deliberation"])
