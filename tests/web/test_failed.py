"""A panel that couldn't be asked, as callers of the API and of the chat model meet it."""

from pathlib import Path

import openai
import pytest
from openai import AsyncOpenAI

from tests.servers import Endpoint, failing
from tests.web.client import QUESTION, TOKEN, provider, serving

SENTENCE = "Incorrect API key provided"


@pytest.fixture
def refusing() -> Endpoint:
    return Endpoint(otherwise=failing(401, SENTENCE))


async def test_it_is_told_as_failed_with_the_provider_s_sentence(tmp_path: Path, refusing: Endpoint) -> None:
    async with refusing, serving(tmp_path, refusing.url) as api:
        document = await api.ended(await api.start())
        listed = (await api.get("/api/deliberations?state=failed")).json["items"]
        waiting = (await api.get("/api/deliberations?awaits=true")).json["items"]
        shown = (await api.entries(document["id"]))[-1]["floor"]

    assert (document["state"], document["verdict"], document["may_act"]) == ("failed", None, False)
    assert SENTENCE in document["failures"][0]["detail"]
    assert [one["state"] for one in listed] == ["failed"]
    assert waiting == [], "nobody is to review it"
    assert shown["kind"] == "failed"
    assert SENTENCE in shown["failures"][0]


async def test_the_same_idempotency_key_goes_on_once_the_cause_is_removed(tmp_path: Path, refusing: Endpoint) -> None:
    async with refusing, serving(tmp_path, refusing.url) as api:
        failed = await api.ended(await api.start(QUESTION, Idempotency_Key="k1"))
        refusing.otherwise = provider().otherwise
        again = await api.start(QUESTION, Idempotency_Key="k1")
        document = await api.ended(again)
        frames = [frame async for frame in api.frames(f"/api/deliberations/{again}/events")]

    assert again == failed["id"]
    assert (failed["state"], document["state"]) == ("failed", "decided")
    assert document["verdict"]["participation"]["received"] == 3
    assert frames[-1].data == {"state": "decided"}


async def test_a_model_made_of_it_answers_502_with_the_provider_s_sentence(tmp_path: Path, refusing: Endpoint) -> None:
    async with (
        refusing,
        serving(tmp_path, refusing.url) as api,
        AsyncOpenAI(base_url=f"{api.server.address}/v1", api_key=TOKEN, max_retries=0) as client,
    ):
        with pytest.raises(openai.APIStatusError, match=SENTENCE) as raised:
            await client.chat.completions.create(
                model="quorate:tribunal", messages=[{"role": "user", "content": "Should we?"}]
            )

    assert raised.value.status_code == 502
