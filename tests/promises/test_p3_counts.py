"""P3: what a provider says of its tokens and its price may be garbage too: nothing breaks, none of it is believed."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest

from quorate import deliberate
from quorate.ledger import open_ledger
from quorate.model import Ask, Reply, Spoken, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.reply_fields import usage_from
from quorate.panelists.price import Price
from quorate.testing import ballot
from quorate.views.document import cost
from tests.doors.conftest import Quorate, home, quorate
from tests.servers import Endpoint, Seen, http

__all__ = ["home", "quorate"]

HUGE = 10**4298
GARBAGE: list[Any] = [HUGE, 10**400, 10**12 + 1, -1, 3.0, 1e308, True, "12", [], {}, None]


@contextmanager
def reporting(usage: object) -> Iterator[str]:
    """A provider that answers every ask with a ballot and this usage, on a loop and a thread of its own."""

    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        mark = str(seen.body["messages"][0]["content"]).rpartition('"mark": "')[2].partition('"')[0]
        text = f'BALLOT {{"mark": "{mark}", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "So."}}'
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        writer.write(http(json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()))
        return True

    ready: list[str] = []
    begun, over = threading.Event(), threading.Event()

    async def serve() -> None:
        async with Endpoint(otherwise=act) as endpoint:
            ready.append(endpoint.url)
            begun.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    begun.wait()
    try:
        yield ready[0]
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("count", [HUGE, 10**400, -1, 1e308, "12"], ids=lambda count: str(count)[:8])
def test_no_count_of_tokens_breaks_a_command(quorate: Quorate, count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count, "total_tokens": count, "cost": count}
    with reporting(usage) as url:
        asked = quorate("ask", "Ship it?", "--model", f"openai:m@{url}", "--budget", "1M tokens")
    shown, report = quorate("show", "last"), quorate("quality", "last")

    assert (asked.code, shown.code, report.code) == (0, 0, 0), asked.err + shown.err + report.err
    assert re.search(r"unknown tokens \(\d+ replies give no count that can be used\), price unknown", shown.out)


@pytest.mark.parametrize("count", GARBAGE, ids=lambda count: str(count)[:8])
def test_only_a_whole_number_that_can_be_is_a_count(count: object) -> None:
    price = Price.per_million("1", "2")

    assert usage_from(count, 5, price) == Usage(asked=None, answered=5)
    assert usage_from(5, count, price) == Usage(asked=5, answered=None)
    assert usage_from(10**12, 0, price).asked == 10**12


@pytest.mark.parametrize("money", [HUGE, 1e308, 10**9 + 1, -0.5, float("nan"), float("inf"), True, "3"], ids=str)
def test_only_an_amount_that_can_be_is_a_price(money: object) -> None:
    assert usage_from(1, 1, None, money).money is None


class Boaster:
    """A panelist that a program hands over, and what it says of itself."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        del overheard
        return Reply(text=f"Well.\n{ballot(ask, 'WARN')}" if ask.wants != "speech" else "No.", usage=self._usage)


async def test_a_panelist_handed_over_is_believed_no_more() -> None:
    boaster = Boaster(Usage(asked=HUGE, answered=True, money=Fraction(10**400)))
    held = await deliberate(
        "Ship it?", panelists=dict.fromkeys(("Utility", "Accuracy", "Safety"), boaster), ledger=open_ledger(":memory:")
    )

    assert {event.reply.usage for event in held.events if isinstance(event, Spoken)} == {Usage()}
    assert held.document["cost"] == {"calls": 12, "tokens": None, "money": None, "uncounted": 12}


def test_a_record_that_holds_such_counts_is_shown_all_the_same() -> None:
    """No panelist can write them, but a record from elsewhere can hold them."""
    said = [Reply(text="x", usage=Usage(asked=asked, answered=7, money=Fraction(1, 4))) for asked in (3, HUGE)]
    boast = Reply(text="x", usage=Usage(asked=1, answered=1, money=Fraction(10**400)))
    events = [Spoken(seat="Utility", round="analysis", reply=reply) for reply in (*said, boast)]

    assert cost(events) == {"calls": 0, "tokens": 12, "money": None, "uncounted": 1}
