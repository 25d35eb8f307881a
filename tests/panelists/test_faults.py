"""Every fault, in every wire format, behind the engine's own limits: a reason, in time, within the attempts."""

import asyncio

import pytest

from quorate.errors import PanelistError
from quorate.middleware.budget import Budget
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.retry import Retries
from quorate.middleware.stack import SharedLimits, wrap_panelist
from quorate.model import Ask, Limits, Prompt, Seat
from quorate.panelists import ignore_words
from quorate.panelists.http.client import MIB, Http
from tests.panelists.faults import Fault, faults
from tests.panelists.formats import FORMATS, KEY, Format
from tests.panelists.test_openai import WHYS
from tests.servers import Endpoint

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"))
ATTEMPTS = 3
SECONDS = 3.0


async def met(form: Format, fault: Fault, client: Http) -> tuple[str, int, float]:
    """What an ask comes to, how many requests the server saw, and how many seconds over the deadline it took."""
    async with Endpoint(otherwise=fault.act) as endpoint:
        clock = asyncio.get_running_loop().time
        until = clock() + SECONDS
        conditions = SharedLimits(
            budget=Budget(Limits()),
            stepper=asyncio.Semaphore(1),
            patience=TimeLimit(until=until),
            retries=Retries(attempts=ATTEMPTS, base=0.01, most=0.02, obey=60.0),
        )
        asked = wrap_panelist(form.panelist(endpoint.url, client), conditions)
        try:
            reply = await asked.answer(ASK, (lambda _: None) if fault.streaming else ignore_words)
            came = f"reply: {reply.finish}"
        except PanelistError as failed:
            came = f"{failed.why}: {failed.detail}"
        return came, len(endpoint.seen), clock() - until


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", FORMATS)
async def test_every_fault_ends_in_a_reason_by_the_deadline_and_within_the_attempts(name: str) -> None:
    form, cases = FORMATS[name], faults(FORMATS[name])
    async with Http(patience=30, most=MIB) as client:
        found = await asyncio.gather(*(met(form, fault, client) for fault in cases.values()))

    assert len(cases) == 58
    for case, (came, requests, late) in zip(cases, found, strict=True):
        assert came.partition(":")[0] in WHYS | {"deadline"}, (case, came)
        assert KEY not in came
        assert 1 <= requests <= ATTEMPTS, (case, requests)
        assert late < 1, (case, late)


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", FORMATS)
async def test_what_may_pass_is_tried_again_and_what_cannot_is_not(name: str) -> None:
    form, cases = FORMATS[name], faults(FORMATS[name])
    again = ("429 with a reason", "500 with a reason", "503 with a reason", "reset", "truncated", "half closed")
    never = ("400 with a reason", "401 with a reason", "404 with a reason", "413 with a reason", "HTML", "gzip bomb")
    async with Http(patience=30, most=MIB) as client:
        found = await asyncio.gather(*(met(form, cases[case], client) for case in (*again, *never)))

    assert [requests for _, requests, _ in found] == [ATTEMPTS] * len(again) + [1] * len(never)
