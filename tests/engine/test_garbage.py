"""A deliberation that is over goes at once: nothing of it waits for the garbage collector, with every text it holds."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from quorate import catalogue
from quorate.engine.runner import Runner
from quorate.engine.verify import verify_record
from quorate.ledger import Ledger, open_ledger
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from tests.capsule_plays import drawn_answer
from tests.play import convened


class Answers:
    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        await asyncio.sleep(0)
        return Reply(text=drawn_answer(ask, Random(0)))


@contextmanager
def only_the_collector_frees() -> Iterator[list[str]]:
    """What of ours was made meanwhile and would wait for it, by type."""
    found: list[str] = []
    gc.freeze()  # what was there before is not looked at: among thousands of tests that would take seconds
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield found
        gc.collect()
        kinds = [type(one) for one in gc.garbage]
        found += sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
    finally:
        gc.set_debug(0)
        gc.enable()
        gc.garbage.clear()
        gc.unfreeze()


async def whole_life(ledger: Ledger, protocol: str) -> None:
    """Held, resumed and verified."""
    begun = convened(catalogue.protocol(protocol).panel, protocol)
    seats = dict.fromkeys((seat.name for seat in begun.panel), Answers())
    async with Runner(ledger) as runner:
        held = await runner.hold(begun, panelists=seats)
        again = await runner.resume(held.id, panelists=seats)
    assert verify_record(again).state == "holds"


@pytest.mark.parametrize("place", [":memory:", "ledger.db"])
@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
async def test_whatever_is_held_leaves_nothing_to_the_collector(protocol: str, place: str, tmp_path: Path) -> None:
    ledger = open_ledger(place if place == ":memory:" else str(tmp_path / place))
    try:
        await whole_life(ledger, protocol)  # what is made once in a process stays
        with only_the_collector_frees() as found:
            await whole_life(ledger, protocol)
    finally:
        await ledger.close()

    assert [name for name in found if name.startswith("quorate.")] == []


def test_what_refers_to_itself_is_found() -> None:
    """The control: without it, a look that sees nothing would pass for nothing to see."""

    class Cycle:
        def __init__(self) -> None:
            self.own = self

    with only_the_collector_frees() as found:
        Cycle()

    assert any(name.endswith("Cycle") for name in found)
