"""Deliberations drawn by chance and held for real: each leaves a record that holds, and goes on from any prefix."""

import asyncio
from collections import Counter
from random import Random

import pytest

from quorate import catalogue
from quorate.engine.runner import Runner
from quorate.engine.verify import verify_record
from quorate.errors import PanelistError
from quorate.ledger import open_ledger
from quorate.model import Ask, AskKey, Convened, Decided, Event, Reply, Silent, Spoken
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.views import Record
from tests.capsule_plays import drawn_answer, drawn_panel
from tests.play import convened, has_setting
from tests.reviewing import kept

HURRIED = (("stop_when_settled", "true"), ("veto", "immediate"), ("debate", "when_split"), ("max_rounds", "2"))
FAULTS = ("timeout", "refusal", "unreachable")


class Drawn:
    """Answers, fails, mumbles or is cut off, after a drawn number of turns; the same ask gets the same answer."""

    def __init__(self, chance: Random, replies: dict[AskKey, Reply | str]) -> None:
        self.chance, self.replies = chance, replies
        self.lean = chance.randrange(9)
        self.asked = Counter[AskKey]()

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.asked[ask.key] += 1
        for _turn in range(self.chance.randrange(self.chance.choice((1, 6, 30)))):
            await asyncio.sleep(0)
        reply = self.replies.setdefault(ask.key, self._draw(ask))
        if isinstance(reply, str):
            raise PanelistError(reply)
        return reply

    def _draw(self, ask: Ask) -> Reply | str:
        text = drawn_answer(ask, Random(self.lean) if self.chance.random() < 0.7 else self.chance)
        match self.chance.randrange(20):
            case 0 | 1:
                return self.chance.choice(FAULTS)
            case 2:
                return Reply(text="I would rather not say.")
            case 3:
                return Reply(text=text[: len(text) * 2 // 3], finish="length")
            case _:
                return Reply(text=text)


def begin(protocol: str, chance: Random) -> Convened:
    settings = tuple(pair for pair in HURRIED if has_setting(protocol, pair[0]) and chance.random() < 0.5)
    return convened(drawn_panel(protocol, chance), protocol, settings)


def panelists(begun: Convened, panelist: Drawn) -> dict[str, Panelist]:
    return dict.fromkeys((seat.name for seat in begun.panel), panelist)


def ended(events: list[Event]) -> tuple[str | None, bool]:
    """Judged from its entries, not as it was while it was written."""
    checked = verify_record(Record(id="a" * 26, events=events))
    assert checked.state == "holds", checked.why
    (decided,) = (event for event in events if isinstance(event, Decided))
    return decided.verdict.outcome, decided.verdict.decided


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
async def test_every_record_holds_and_goes_on_from_any_prefix_to_the_same_verdict(protocol: str, seed: int) -> None:
    for chance in (Random(seed + number) for number in range(4)):
        begun, first = begin(protocol, chance), Drawn(chance, {})
        async with Runner(open_ledger(":memory:"), concurrency=chance.randrange(1, 7)) as runner:
            watch = chance.choice((None, lambda *_: None))
            whole = await runner.hold(begun, panelists=panelists(begun, first), watch=watch)
        events = list(whole.events)
        prefix = events[: chance.randrange(1, len(events))]
        ledger, again = open_ledger(":memory:"), Drawn(chance, first.replies)
        async with Runner(ledger, concurrency=chance.randrange(1, 7)) as runner:
            resumed = await runner.resume(await kept(ledger, prefix), panelists=panelists(begun, again))

        assert ended(events) == ended(list(resumed.events))
        known = {event.key for event in prefix if isinstance(event, Spoken | Silent)}
        assert not known & again.asked.keys(), "bought twice"
        assert max(first.asked.values()) == 1
