"""A provider on loopback that answers for every seat of every protocol, in the form its prompt asks for."""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.servers import Endpoint, Seen, said

_MARK = re.compile(r'"mark": "([0-9a-f]{12})"')
SOURCE = {
    "url": "https://example.org/weather/oslo",
    "title": "Weather in Oslo, Monday",
    "quote": "it rained in Oslo from six in the morning until noon",
    "category": "official",
    "relevance": 1,
}
POSITIONS = (
    ("useful and practical", "ACT", "Staging costs 300 euros a month."),
    ("can be verified", "WARN", "Logins are not all use."),
    ("could go wrong", "REFUSE", "No restore was tried."),
)
MOVED = ("WARN", "Fair: I had not looked at the shared disk.")
Paper = Mapping[str, Any]


def reply_to(prompt: str) -> str:
    """What a model would say: words, and the ballot on the pattern that stands in the prompt."""
    pattern = next((make for shown, make in PATTERNS.items() if shown in prompt), None)
    if pattern is None:
        return "You count the disk twice: it is shared with reporting."
    marks = _MARK.findall(prompt)
    word, paper = pattern(prompt)
    marked = {"mark": marks[-1], **paper} if marks else paper
    return f"I looked at it for an hour.\n\n{word} {json.dumps(marked)}"


def _decision(prompt: str) -> tuple[str, Paper]:
    """By its part, or where that is not told again by what it has said; who would act is moved by challenges."""
    choice, why = next(
        ((choice, why) for part, choice, why in POSITIONS if f"{part}:" in prompt or why in prompt), MOVED
    )
    if choice == "ACT" and "Nobody else has spoken yet" not in prompt:
        choice, why = MOVED
    return "BALLOT", {"decision": choice, "confidence": 70, "risk": 40, "reasoning": why}


def _vote(prompt: str) -> tuple[str, Paper]:
    option = "2" if "  2. " in prompt else "PostgreSQL"
    return "VOTE:", {"option": option, "confidence": 0.8, "rationale": "We run it already.", "continue_debate": False}


def _case(prompt: str) -> tuple[str, Paper]:
    pro = "You argue FOR" in prompt
    claims = ["It saves 300 euros a month."] if pro else ["Nobody has tried a restore.", "A copy may be the only one."]
    return "ARGUMENT", {"claims": claims, "evidence": ["The bill of May: 300 euros."], "confidence": 0.7}


PATTERNS: Mapping[str, Callable[[str], tuple[str, Paper]]] = {
    '"decision": <': _decision,
    '"option": <': _vote,
    '"claims": [<': _case,
    '"leaning": <': lambda _: (
        "ASSESSMENT",
        {"agreed": ["the bill"], "open": ["the restore"], "leaning": "against", "confidence": 0.6},
    ),
    '"value": <': lambda _: (
        "BALLOT",
        {"value": 12, "low": 10, "high": 15, "confidence": 0.7, "rationale": "Two weeks of work."},
    ),
    '"outcome": <': lambda _: (
        "FINDING",
        {"outcome": "YES", "confidence": 0.9, "reasoning": "The service says so.", "evidence": [SOURCE]},
    ),
    '"ranking": [<': lambda _: ("BALLOT", {"ranking": ["2", "1"], "confidence": 0.7, "rationale": "Least work."}),
    '"approved": [<': lambda _: ("BALLOT", {"approved": ["1", "2"], "confidence": 0.7, "rationale": "Both will do."}),
}


@dataclass
class Provider:
    """What a test says to the endpoint: `holds_back` is a text; prompts that have it in them are not answered yet."""

    url: str = ""
    holds_back: str = ""

    async def answer(self, writer: asyncio.StreamWriter, seen: Seen) -> bool:
        prompt = str(seen.body["messages"][-1]["content"])
        while self.holds_back and self.holds_back in prompt:  # noqa: ASYNC110  a test's thread says when
            await asyncio.sleep(0.01)
        return await said(reply_to(prompt))(writer, seen)


@contextmanager
def providing() -> Iterator[Provider]:
    """An endpoint in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    provider = Provider()
    endpoint = Endpoint(otherwise=provider.answer)
    asyncio.run_coroutine_threadsafe(endpoint.__aenter__(), loop).result(10)
    provider.url = endpoint.url
    try:
        yield provider
    finally:
        provider.holds_back = ""
        asyncio.run_coroutine_threadsafe(endpoint.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
