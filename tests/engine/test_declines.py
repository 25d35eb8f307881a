"""Endpoints that decline part of a request: no seat falls silent for it, and no second process asks for it again."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.engine.runner import Runner
from quorate.errors import PanelistError, PartDeclined
from quorate.ledger import open_ledger
from quorate.middleware.budget import Budget
from quorate.middleware.retry import PARTS, Retries
from quorate.middleware.stack import ModelCandidate, SharedLimits, in_turn
from quorate.model import Ask, Asked, Convened, Event, Limits, Prompt, Reply, Seat, Silent, Spoken
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import DAY, Declines
from quorate.testing import Faulty
from tests import servers
from tests.docs.models import MARK, words
from tests.oracle import panel_of
from tests.play import convened

SETTINGS = {"oracle": (("answers", "yes_no"),), "conference": (), "tribunal": ()}
DECLINED = (
    ("json_schema",),
    ("json_schema", "json_object"),
    ("max_tokens", "json_schema"),
    ("max_tokens", "max_completion_tokens", "json_schema", "json_object", "temperature", "reasoning_effort"),
)


async def speaks(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
    prompt = seen.body["messages"][0]["content"]
    return await servers.said(words(prompt, "m", bare="response_format" in seen.body))(writer, seen)


def put(protocol: str, endpoint: servers.Endpoint) -> Convened:
    """Five seats that share one model at one endpoint."""
    begin = convened(panel_of(5), protocol, SETTINGS[protocol])
    model = f"vllm:m?temperature=0.5&effort=low@{endpoint.url}"
    return replace(begin, seated=tuple(replace(sat, model=model) for sat in begin.seated))


async def held(begin: Convened, env: Mapping[str, str]) -> list[Event]:
    async with Runner(open_ledger(":memory:"), env=env) as runner:
        return list((await runner.hold(begin)).events)


@pytest.mark.parametrize("protocol", SETTINGS)
@pytest.mark.parametrize("declines", DECLINED, ids=" ".join)
async def test_seats_that_share_an_endpoint_learn_together_and_nobody_falls_silent(
    tmp_path: Path, protocol: str, declines: tuple[str, ...]
) -> None:
    env = {"HOME": str(tmp_path)}
    async with servers.Endpoint(otherwise=speaks, latency=0.01, declines=declines) as endpoint:
        events = await held(put(protocol, endpoint), env)
        first = len(endpoint.seen)
        again = await held(put(protocol, endpoint), env)

    refused = [any(servers.declined_by(seen.body, name) for name in declines) for seen in endpoint.seen]
    assert [event for event in (*events, *again) if isinstance(event, Silent)] == []
    assert len(declines) <= sum(refused[:first]) <= 5 * len(declines)
    assert not any(refused[first:])
    assert sum(isinstance(event, Asked) for event in events) == first, "every request is on record"


OUTCOMES = {"yes_no": "YES", "options": "May", "number": "42", "probability": 0.7}
"""An outcome of each kind that an oracle answers, as a model writes it."""


@pytest.mark.parametrize("answers", OUTCOMES)
@pytest.mark.parametrize("complaint", ["response_format is not supported", "Failed to parse grammar"])
async def test_five_researchers_vote_where_no_form_is_taken_whatever_they_answer(
    tmp_path: Path, complaint: str, answers: str
) -> None:
    """Without a schema all they know of outcomes is the prompt: five silent seats (bad_decision) came of that once."""

    async def choosy(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
        if "response_format" in seen.body:
            return await servers.failing(400, complaint)(writer, seen)
        stated = {"mark": MARK.findall(seen.body["messages"][0]["content"])[-1], "outcome": OUTCOMES[answers]}
        finding = json.dumps({**stated, "confidence": 0.9, "reasoning": "It is said so.", "evidence": []})
        return await servers.said(f"The council says so.\n\nFINDING {finding}")(writer, seen)

    async with servers.Endpoint(otherwise=choosy) as endpoint:
        begin = convened(panel_of(5), "oracle", (("answers", answers),))
        question = replace(begin.question, options=("May", "June") if answers == "options" else ())
        seated = tuple(replace(sat, model=f"openai:m@{endpoint.url}") for sat in begin.seated)
        events = await held(replace(begin, question=question, seated=seated), {"HOME": str(tmp_path)})

    assert [event for event in events if isinstance(event, Silent)] == []
    ballots = [event.ballot for event in events if isinstance(event, Spoken)]
    assert [ballot is not None for ballot in ballots] == [True] * 5


def test_what_is_declined_is_kept_for_a_day_and_no_longer(tmp_path: Path) -> None:
    file, now, place = tmp_path / "cache" / "declines.json", [1000.0], ("http://here/v1", "m")
    Declines(file, lambda: now[0]).add(place, "json_schema")
    Declines(file, lambda: now[0]).add(place, "max_tokens")

    assert Declines(file, lambda: now[0]).at(place) == {"json_schema", "max_tokens"}
    assert Declines(file, lambda: now[0]).at(("http://here/v1", "other")) == frozenset()
    now[0] += DAY
    assert Declines(file, lambda: now[0]).at(place) == frozenset()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "held",
    [b"", b"{", b"[" * 100_000, b"\xff", b"{}", b"3", b'[3, [], ["a"], ["u", "m", 3, 4], ["u", "m", "n", 1e99]]'],
)
def test_a_file_that_makes_no_sense_is_none(tmp_path: Path, held: bytes) -> None:
    file = tmp_path / "declines.json"
    file.write_bytes(held)
    declines = Declines(file)

    assert declines.at(("u", "m")) == frozenset()
    declines.add(("u", "m"), "json_schema")
    assert [row[:3] for row in json.loads(file.read_bytes())] == [["u", "m", "json_schema"]]


@pytest.mark.parametrize("env", [{}, {"XDG_CACHE_HOME": "relative"}, {"HOME": "/proc/nowhere"}])
def test_where_nothing_can_be_kept_it_is_remembered_all_the_same(env: dict[str, str]) -> None:
    declines = Declines.of(env)
    declines.add(("u", "m"), "json_schema")

    assert declines.at(("u", "m")) == {"json_schema"}


class Choosy:
    """Declines so many parts, one after the other."""

    def __init__(self, parts: int) -> None:
        self.left, self.asked = parts, 0

    async def answer(self, _: Ask, __: WordListener = ignore_words) -> Reply:
        self.asked += 1
        self.left -= 1
        if self.left >= 0:
            raise PartDeclined("m declines something")
        return Reply(text="Yes.")


ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"))


def conditions(calls: int | None = None) -> SharedLimits:
    return SharedLimits(budget=Budget(Limits(calls=calls)), stepper=asyncio.Semaphore(1), retries=Retries(base=0.001))


async def test_a_declined_part_is_no_attempt_but_a_call_and_moves_no_seat() -> None:
    held, choosy, moved = conditions(), Choosy(4), list[str]()
    held = replace(held, moved=lambda _, __, why: moved.append(why))
    models = (ModelCandidate(model="a", panelist=choosy), ModelCandidate(model="b", panelist=Faulty("overloaded")))

    assert (await in_turn(models, held).answer(ASK)).text == "Yes."
    assert (choosy.asked, held.budget.spent.calls, moved) == (5, 5, [])


@pytest.mark.parametrize(("parts", "calls", "why", "asked"), [(4, 3, "budget", 3), (99, 99, "bad_request", PARTS + 1)])
async def test_declines_end_with_the_budget_and_in_any_case(parts: int, calls: int, why: str, asked: int) -> None:
    choosy = Choosy(parts)
    with pytest.raises(PanelistError) as raised:
        await in_turn((ModelCandidate(model="a", panelist=choosy),), conditions(calls=calls)).answer(ASK)

    assert (raised.value.why, choosy.asked) == (why, asked)
