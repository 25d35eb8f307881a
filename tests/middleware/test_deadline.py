"""An ask has its whole time again with every piece of a reply, and no time beyond the deliberation's."""

import asyncio
from typing import Final

import pytest

from quorate.errors import PanelistError
from quorate.middleware.deadline import Deadline, TimeLimit
from quorate.model import Ask, Prompt, Reply, Seat
from quorate.panelists import WordListener, ignore_words
from tests.promises.virtual_time import run

ASK: Final = Ask(Seat(name="Ann", role="You answer."), "1", Prompt("Well?"))
TOKENS: Final = 30


class Slow:
    """A local server that writes a token every two seconds, and then stops to think."""

    def __init__(self, tokens: int = TOKENS, pause: float = 2.0) -> None:
        self._tokens, self._pause = tokens, pause

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        assert ask is ASK
        for _ in range(self._tokens):
            await asyncio.sleep(self._pause)
            overheard("so ")
        return Reply(text="so " * self._tokens)


def test_a_slow_reply_is_not_timed_out_while_its_tokens_arrive() -> None:
    heard = list[str]()
    reply = run(Deadline(Slow(), TimeLimit(seconds=5)).answer(ASK, heard.append))

    assert (len(heard), reply.text) == (TOKENS, "so " * TOKENS)


def test_a_reply_that_stops_coming_is_timed_out() -> None:
    heard = list[str]()

    class Stalled(Slow):
        async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
            await super().answer(ask, overheard)
            await asyncio.sleep(6)
            return Reply(text="too late")

    with pytest.raises(PanelistError) as raised:
        run(Deadline(Stalled(), TimeLimit(seconds=5)).answer(ASK, heard.append))
    assert (raised.value.why, len(heard)) == ("timeout", TOKENS)


def test_no_token_gives_more_time_than_the_deliberation_has() -> None:
    heard = list[str]()

    with pytest.raises(PanelistError) as raised:
        run(Deadline(Slow(), TimeLimit(seconds=5, until=21)).answer(ASK, heard.append))
    assert raised.value.why == "deadline"
    assert len(heard) == 10


def test_where_nobody_listens_no_token_is_seen_and_the_time_is_what_it_was() -> None:
    with pytest.raises(PanelistError, match="no reply came within 5 seconds"):
        run(Deadline(Slow(), TimeLimit(seconds=5)).answer(ASK))
