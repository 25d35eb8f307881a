"""What a peer's program does: hold a tribunal whenever it is told to, and say what it took.

It runs in the peer's own environment, so it imports nothing of ours. `python tribunals.py NAME URL PROMPTS` holds one
for every line on standard input and prints seconds on the clock and of CPU as JSON. PROMPTS is a JSON file of what is
asked: a list of round, seat, whom it is about, and the prompt.
"""

import asyncio
import gc
import json
import resource
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

__all__ = ["Ask", "Hold", "Prompts", "in_order"]

Prompts = Mapping[tuple[str, str, str], str]
Ask = Callable[[str], Awaitable[str]]
Hold = Callable[[], Awaitable[Sequence[str]]]


async def in_order(prompts: Prompts, ask: Ask) -> Sequence[str]:
    """Three, then six, then three, each round at once; gives the last three texts."""
    said: Sequence[str] = ()
    for name in ("analysis", "challenge", "revision"):
        said = await asyncio.gather(*(ask(prompt) for (round_, _, _), prompt in prompts.items() if round_ == name))
    return said


def openai(url: str, prompts: Prompts) -> Hold:
    """The plain client, and the order of asking written by hand."""
    from openai import AsyncOpenAI  # noqa: PLC0415 - each runs where the others are not installed

    client = AsyncOpenAI(base_url=url, api_key="none")

    async def ask(prompt: str) -> str:
        came = await client.chat.completions.create(model="mock", messages=[{"role": "user", "content": prompt}])
        return came.choices[0].message.content or ""

    return lambda: in_order(prompts, ask)


def autogen(url: str, prompts: Prompts) -> Hold:
    """An agent for each ask: one agent holds one conversation at a time."""
    from autogen_agentchat.agents import AssistantAgent  # noqa: PLC0415 - the same
    from autogen_ext.models.openai import OpenAIChatCompletionClient  # noqa: PLC0415 - the same

    able = dict.fromkeys(("vision", "function_calling", "json_output", "structured_output"), False)
    client = OpenAIChatCompletionClient(
        model="mock", base_url=url, api_key="none", model_info={**able, "family": "unknown"}
    )

    async def ask(prompt: str) -> str:
        agent = AssistantAgent("panelist", model_client=client, system_message=None)
        done = await agent.run(task=prompt)
        return str(done.messages[-1].content)

    return lambda: in_order(prompts, ask)


def langgraph(url: str, prompts: Prompts) -> Hold:
    """A graph written by hand: a node for each ask, joined after each round."""
    from operator import or_  # noqa: PLC0415 - the same
    from typing import Annotated, TypedDict  # noqa: PLC0415 - the same

    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - the same
    from langgraph.graph import END, START, StateGraph  # noqa: PLC0415 - the same

    model = ChatOpenAI(model="mock", base_url=url, api_key="none")
    state = TypedDict("state", {"said": Annotated[dict, or_]})  # noqa: UP013 - its annotation is read at run time
    builder = StateGraph(state)
    rounds = {name: ["/".join(place) for place in prompts if place[0] == name] for name, _, _ in prompts}

    def node(name: str, prompt: str) -> Callable[[object], Awaitable[dict]]:
        async def asked(_: object) -> dict:
            return {"said": {name: (await model.ainvoke(prompt)).text}}

        return asked

    for place, prompt in prompts.items():
        builder.add_node("/".join(place), node("/".join(place), prompt))
    before: list[str] = [START]
    for names in rounds.values():
        for name in names:
            builder.add_edge(START, name) if before == [START] else builder.add_edge(before, name)
        before = names
    builder.add_edge(before, END)
    graph = builder.compile()

    async def hold() -> Sequence[str]:
        said = (await graph.ainvoke({"said": {}}))["said"]
        return [said[name] for name in before]

    return hold


PEERS = {"openai": openai, "autogen": autogen, "langgraph": langgraph}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def _serve(hold: Hold) -> None:
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        gc.collect()
        busy, began = _cpu(), perf_counter()
        said = await hold()
        took = {"wall": perf_counter() - began, "cpu": _cpu() - busy}
        if len(said) != 3 or not all(said):  # noqa: PLR2004 - as many as there are seats
            raise AssertionError("it did not go as planned; its times would mean nothing")
        print(json.dumps(took), flush=True)


if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
    asyncio.run(_serve(PEERS[sys.argv[1]](sys.argv[2], {(one[0], one[1], one[2]): one[3] for one in asked})))
