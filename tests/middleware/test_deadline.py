"""An ask has its whole time again with every piece of a reply, and no time beyond the deliberation's."""

import asyncio
from typing import Final

import pytest

from quorate.errors import PanelistError
from quorate.middleware.budget import Budget
from quorate.middleware.deadline import Deadline, TimeLimit
from quorate.middleware.key_redaction import RedactedPanelist, Redaction
from quorate.middleware.retry import Retries
from quorate.middleware.stack import SharedLimits, wrap_panelist
from quorate.model import Ask, Limits, Prompt, Reply, Seat
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import OpenAI
from quorate.panelists.http.wire_format import Endpoint
from tests import servers
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


def test_a_slow_reply_is_waited_for_though_nobody_watches_it() -> None:
    assert run(Deadline(Slow(), TimeLimit(seconds=5)).answer(ASK)).text == "so " * TOKENS


@pytest.mark.parametrize("limits", [Limits(), Limits(calls=9)], ids=["direct", "full stack"])
@pytest.mark.parametrize("field", ["content", "reasoning_content"], ids=["words", "thoughts"])
def test_a_local_server_that_writes_a_token_a_second_is_waited_for(field: str, limits: Limits) -> None:
    reply = run(asked(writes(field, TOKENS, 1.0), limits, TimeLimit(seconds=5)))

    assert reply.text == ("so " * TOKENS if field == "content" else "") + "Yes."


@pytest.mark.parametrize("limits", [Limits(), Limits(calls=9)], ids=["direct", "full stack"])
def test_a_slow_local_server_is_cut_off_at_the_deadline(limits: Limits) -> None:
    with pytest.raises(PanelistError) as raised:
        run(asked(writes("content", TOKENS, 1.0), limits, TimeLimit(seconds=5, until=20)))
    assert raised.value.why == "deadline"


@pytest.mark.parametrize("head", [b"", servers.STREAM_HEAD], ids=["nothing at all", "a head and no words"])
def test_a_server_that_sends_no_words_is_cut_off_at_the_answer_time_out(head: bytes) -> None:
    with pytest.raises(PanelistError) as raised:
        run(asked(servers.sends(head, "hang"), Limits(), TimeLimit(seconds=5)))
    assert (raised.value.why, raised.value.detail) == ("timeout", "no reply came within 5 seconds")


def test_signs_of_life_without_words_give_no_time() -> None:
    keeps_alive = servers.repeating(servers.STREAM_HEAD, servers.chunk(b": still here\n\n"), 1.0)

    with pytest.raises(PanelistError, match="no reply came within 5 seconds"):
        run(asked(keeps_alive, Limits(), TimeLimit(seconds=5)))


def test_the_client_s_own_time_out_restarts_with_the_words_too() -> None:
    reply = run(asked(writes("content", TOKENS, 1.0), Limits(), TimeLimit(), client_timeout=5))

    assert reply.text.endswith("Yes.")


def writes(field: str, tokens: int, pause: float) -> servers.Act:
    """A local server that writes so many tokens, one after each pause, and then its answer."""

    async def act(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
        assert seen.body["stream"] is True
        writer.write(servers.STREAM_HEAD)
        for _ in range(tokens):
            await asyncio.sleep(pause)
            delta = {"choices": [{"index": 0, "delta": {field: "so "}}]}
            writer.write(servers.chunk(servers.event(delta)))
            await writer.drain()
        last = {"choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"}]}
        writer.write(b"".join(map(servers.chunk, (servers.event(last), b"data: [DONE]\n\n", b""))))
        return True

    return act


async def asked(act: servers.Act, limits: Limits, patience: TimeLimit, client_timeout: float = 600) -> Reply:
    """What a server on loopback answers through all wrappers, with nobody watching."""
    conditions = SharedLimits(
        budget=Budget(limits), stepper=asyncio.Semaphore(1), patience=patience, retries=Retries(attempts=1)
    )
    redaction = Redaction.of(["k" * 20])
    assert redaction is not None
    async with servers.Endpoint(otherwise=act) as endpoint, Http(patience=client_timeout) as client:
        panelist = RedactedPanelist(OpenAI(Endpoint(url=endpoint.url, model="local"), client), redaction)
        return await wrap_panelist(panelist, conditions).answer(ASK)
