import asyncio
import gc
import json
import ssl
import sys
import traceback
from collections.abc import AsyncIterator
from fractions import Fraction

import pytest

from quorate.errors import BadSetting, PanelistError
from quorate.model import Ask, Prompt, Reply, Seat, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import MIB, Http
from quorate.panelists.http.openai import Endpoint, OpenAI, SamplingOptions
from quorate.panelists.price import Price
from tests import servers
from tests.panelists.formats import once
from tests.servers import failing, http, said, sends

KEY = "sk-proj-canary-0123456789abcdef"
WHYS = {
    "unreachable",
    "timeout",
    "rate_limited",
    "overloaded",
    "server_error",
    "wrong_key",
    "no_quota",
    "no_such_model",
    "bad_request",
    "bad_reply",
    "too_long",
    "filter",
}


@pytest.fixture
async def client() -> AsyncIterator[Http]:
    async with Http(patience=0.3) as open_client:
        yield open_client


def ask(text: str = "Shall we?", wants: str = "speech") -> Ask:
    return Ask(Seat(name="Safety"), "analysis", Prompt(text), wants=wants, mark="5eed5eed5eed")


async def put(
    endpoint: servers.Endpoint, client: Http, question: Ask | None = None, overheard: WordListener = ignore_words
) -> Reply:
    there = Endpoint(url=endpoint.url, model="test-model", key=KEY, variable="TEST_API_KEY")
    return await once(OpenAI(there, client)).answer(question or ask(), overheard)


async def failure(act: servers.Act, client: Http, overheard: WordListener = ignore_words) -> PanelistError:
    async with servers.Endpoint([act], otherwise=act) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await put(endpoint, client, overheard=overheard)
        assert len(endpoint.seen) == 1
    return raised.value


async def test_a_reply_brings_words_model_finish_usage_and_time(client: Http) -> None:
    async with servers.Endpoint([said("Yes, but.", model="test-model-0926")], latency=0.02) as endpoint:
        reply = await put(endpoint, client)

    assert reply.text == "Yes, but."
    assert (reply.model, reply.finish) == ("test-model-0926", "stop")
    assert reply.usage == Usage(asked=11, answered=7, money=None)
    assert 20 <= reply.took < 1000


async def test_the_request_holds_prompt_model_and_the_most_tokens_it_may_answer(client: Http) -> None:
    async with servers.Endpoint() as endpoint:
        await put(endpoint, client, ask("Ünïcode \ud800 and\nlines"))

    (seen,) = endpoint.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "test-model",
        "messages": [{"role": "user", "content": "Ünïcode \ud800 and\nlines"}],
        "max_tokens": 4096,
    }


async def test_temperature_and_effort_are_sent_only_if_given(client: Http) -> None:
    async with servers.Endpoint() as endpoint:
        there = Endpoint(url=endpoint.url, model="m", cap="max_completion_tokens")
        await OpenAI(there, client, SamplingOptions(most=99, temperature=0.5, effort="low")).answer(ask())

    body = endpoint.seen[0].body
    assert (body["max_completion_tokens"], body["temperature"], body["reasoning_effort"]) == (99, 0.5, "low")
    assert "authorization" not in endpoint.seen[0].headers


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": "Half a bal"}, "Half a bal", "length"),
        ({"content": ""}, "", "content_filter"),
        ({"content": None, "refusal": "I will not."}, "I will not.", "stop"),
        ({"content": "Yes.", "reasoning_content": "Hm.", "reasoning": "Hm."}, "Yes.", "stop"),
        (
            {"content": [{"type": "text", "text": "Y"}, {"type": "image"}, {"type": "text", "text": "es"}]},
            "Yes",
            "stop",
        ),
        ({"content": "\ud83d\ude00 \ud800"}, "😀 \ufffd", "stop"),
        ({"content": None, "tool_calls": []}, "", "tool_calls"),
        ({"content": "Yes."}, "Yes.", None),
        ({"content": "Yes."}, "Yes.", ["odd"]),
    ],
)
async def test_finish_and_words_are_told_apart(
    client: Http, message: dict[str, object], text: str, finish: object
) -> None:
    act = said("", choices=[{"message": message, "finish_reason": finish}])
    meant = {"length": "length", "content_filter": "filter", "stop": "stop", "None": "stop"}
    async with servers.Endpoint([act]) as endpoint:
        reply = await put(endpoint, client)

    assert reply.text == text
    assert reply.finish == ("refusal" if message.get("refusal") else meant.get(str(finish), "length"))


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 100}, Usage(asked=1000, answered=100, money=Fraction(3, 1000))),
        (
            {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.0012},
            Usage(asked=1, answered=1, money=Fraction(3, 2500)),
        ),
        (
            {"prompt_tokens": 1, "completion_tokens": 1, "cost": 1e-06},
            Usage(asked=1, answered=1, money=Fraction(1, 10**6)),
        ),
        ({"prompt_tokens": -5, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": "9", "completion_tokens": 1.5, "cost": -1}, Usage()),
        ({"prompt_tokens": None, "cost": float("nan")}, Usage()),
        (None, Usage()),
        ([], Usage()),
    ],
)
async def test_usage_is_what_makes_sense_of_what_was_said(client: Http, usage: object, read: Usage) -> None:
    price = Price.per_million("2", "10")
    async with servers.Endpoint([said("Yes.", usage=usage)]) as endpoint:
        reply = await OpenAI(Endpoint(url=endpoint.url, model="m"), client, price=price).answer(ask())

    assert reply.usage == read


async def test_whoever_listens_hears_the_words_as_they_are_written(client: Http) -> None:
    heard: list[str] = []
    async with servers.Endpoint([said("Yes, but not now.", model="other")]) as endpoint:
        reply = await put(endpoint, client, overheard=heard.append)

    assert heard == ["Yes,", " but", " not", " now."]
    assert (reply.text, reply.model, reply.finish) == ("Yes, but not now.", "other", "stop")
    assert reply.usage == Usage(asked=11, answered=7)
    assert endpoint.seen[0].body["stream_options"] == {"include_usage": True}


async def test_a_server_that_does_not_stream_is_understood_all_the_same(client: Http) -> None:
    act = sends(http(servers.WHOLE), "keep")
    async with servers.Endpoint([act]) as endpoint:
        reply = await put(endpoint, client, overheard=lambda _: None)

    assert reply.text == "Fine."


async def test_a_connection_serves_again_after_a_stream(client: Http) -> None:
    ports = set()

    async def act(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
        ports.add(writer.get_extra_info("peername"))
        return await said("One two.")(writer, seen)

    async with servers.Endpoint(otherwise=act) as endpoint:
        for _ in range(3):
            await put(endpoint, client, overheard=lambda _: None)

    assert len(ports) == 1


async def test_a_ballot_is_asked_for_by_schema(client: Http) -> None:
    async with servers.Endpoint() as endpoint:
        await put(endpoint, client, ask(wants="decision"))

    form = endpoint.seen[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["properties"]["mark"]["enum"] == ["5eed5eed5eed"]


@pytest.mark.parametrize(
    ("declines", "forms"),
    [
        (("json_schema",), ["json_schema", "json_object", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None, None]),
    ],
)
async def test_an_endpoint_that_declines_a_form_is_not_asked_for_it_twice(
    client: Http, declines: tuple[str, ...], forms: list[str | None]
) -> None:
    async with servers.Endpoint(declines=declines) as endpoint:
        await put(endpoint, client, ask(wants="decision"))
        await put(endpoint, client, ask(wants="decision"))

    assert [seen.body.get("response_format", {}).get("type") for seen in endpoint.seen] == forms


async def test_an_endpoint_may_decline_every_option_there_is(client: Http) -> None:
    declines = ("max_tokens", "stream_options", "json_schema", "json_object", "max_completion_tokens", "stream")
    async with servers.Endpoint(declines=(*declines, "temperature", "reasoning_effort")) as endpoint:
        panelist = OpenAI(Endpoint(url=endpoint.url, model="m"), client, SamplingOptions(temperature=0.5, effort="low"))
        reply = await once(panelist).answer(ask(wants="decision"), lambda _: None)

    assert reply.text == "Fine."
    assert len(endpoint.seen) == 9
    assert set(endpoint.seen[-1].body) == {"model", "messages"}


@pytest.mark.parametrize(
    ("act", "why", "again", "after"),
    [
        (failing(400, "no such thing"), "bad_request", False, None),
        (failing(401), "wrong_key", False, None),
        (failing(403), "wrong_key", False, None),
        (failing(404, "The model does not exist"), "no_such_model", False, None),
        (failing(413), "too_long", False, None),
        (failing(400, "This model's maximum context length is 8192 tokens"), "too_long", False, None),
        (failing(400, "filtered by the content management policy"), "filter", False, None),
        (failing(408), "overloaded", True, None),
        (failing(429, "slow", "Retry-After: 7"), "rate_limited", True, 7.0),
        (failing(429), "rate_limited", True, None),
        (failing(500), "server_error", True, None),
        (failing(503, "busy", "Retry-After: 2.5"), "overloaded", True, 2.5),
        (failing(529), "overloaded", True, None),
    ],
)
async def test_a_status_becomes_a_reason(
    client: Http, act: servers.Act, why: str, again: bool, after: float | None
) -> None:
    failed = await failure(act, client)

    assert (failed.why, failed.again, failed.after) == (why, again, after)
    assert "'test-model' at 127.0.0.1" in failed.detail


async def test_a_refused_key_names_the_variable_to_set(client: Http) -> None:
    failed = await failure(failing(401), client)

    assert failed.detail.endswith("; check TEST_API_KEY")


async def test_a_provider_s_reason_is_shown_in_one_line_without_our_key(client: Http) -> None:
    failed = await failure(failing(400, f"bad\n\x1b[31m key={KEY}, and {KEY[:12]}*** " + "x" * 9999), client)

    assert failed.detail.startswith("'test-model' at 127.0.0.1")
    assert ": bad [31m [key] and [key] xxx" in failed.detail
    assert len(failed.detail) < 400


@pytest.mark.parametrize("name", servers.FAULTS)
async def test_every_fault_ends_in_a_reason_and_one_request(name: str) -> None:
    async with Http(patience=0.3, most=MIB) as client:
        failed = await failure(servers.FAULTS[name], client)

    assert failed.why in WHYS
    assert failed.detail.startswith("'test-model' at 127.0.0.1")
    assert failed.billed is (failed.why in {"bad_reply", "timeout", "unreachable"} or name == "error in a success")


@pytest.mark.parametrize("name", servers.STREAM_FAULTS)
async def test_every_fault_of_a_stream_ends_in_a_reason_and_one_request(name: str) -> None:
    async with Http(patience=0.3, most=MIB) as client:
        failed = await failure(servers.STREAM_FAULTS[name], client, overheard=lambda _: None)

    assert failed.why in {"bad_reply", "timeout", "overloaded", "unreachable"}
    assert failed.billed


async def test_nobody_at_home_is_unreachable_and_costs_nothing(client: Http) -> None:
    there = Endpoint(url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(PanelistError) as raised:
        await OpenAI(there, client).answer(ask())

    assert (raised.value.why, raised.value.again, raised.value.billed) == ("unreachable", True, False)


async def test_a_client_that_is_not_open_says_so() -> None:
    there = Endpoint(url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(PanelistError, match="async with"):
        await OpenAI(there, Http()).answer(ask())


@pytest.mark.parametrize("name", [*servers.FAULTS, "key refused"])
async def test_no_failure_shows_the_key(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    echo = failing(403, f"you sent {KEY}")
    async with Http(patience=0.1, most=MIB) as client:
        failed = await failure(servers.FAULTS.get(name, echo), client)
        there = Endpoint(url="http://127.0.0.1:9/v1", model="m", key=KEY)
        shown = [repr(there), repr(OpenAI(there, client)), repr(client), repr(vars(OpenAI(there, client))["_route"])]

    chain: BaseException | None = failed
    while chain is not None:
        shown += [repr(chain), str(chain), *traceback.format_exception(chain)]
        chain = chain.__cause__ or chain.__context__
    gc.collect()
    assert KEY not in "".join((*shown, *capfd.readouterr()))


def test_proxies_are_as_the_environment_says() -> None:
    client = Http.of({"HTTPS_PROXY": "http://proxy:3128", "no_proxy": "internal.example,.corp:8443", "OTHER": "x"})

    assert client.proxy("https://api.openai.com/v1") == "http://proxy:3128"
    assert client.proxy("http://api.openai.com/v1") is None
    assert client.proxy("https://internal.example/v1") is None
    assert client.proxy("https://gpu.internal.example/v1") is None
    assert Http.of({"ALL_PROXY": "proxy:3128"}).proxy("http://127.0.0.1:11434/v1") is None
    assert Http.of({"all_proxy": "proxy:3128", "NO_PROXY": "*"}).proxy("http://far.example") is None
    with pytest.raises(BadSetting, match="socks5"):
        Http.of({"ALL_PROXY": "socks5://u:secret@proxy"}).proxy("https://far.example")


async def test_a_proxy_gets_the_request() -> None:
    async with servers.Endpoint() as proxy, Http.of({"http_proxy": f"http://127.0.0.1:{proxy.port}"}) as client:
        there = Endpoint(url="http://models.example/v1", model="m")
        reply = await OpenAI(there, client).answer(ask())

    assert reply.text == "Fine."
    assert proxy.seen[0].path == "http://models.example/v1/chat/completions"


async def test_certificates_that_cannot_be_read_are_named() -> None:
    with pytest.raises(BadSetting, match=r"/nowhere/ca\.pem"):
        async with Http.of({"REQUESTS_CA_BUNDLE": "/nowhere/ca.pem"}):
            pass


async def test_certificates_of_one_s_own_are_trusted() -> None:
    bundle = ssl.get_default_verify_paths().openssl_cafile
    async with Http.of({"SSL_CERT_FILE": bundle}) as client:
        assert repr(client) == "Http(open)"


async def test_a_plain_server_behind_https_is_unreachable_with_advice(client: Http) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(http(b"", 400))
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(PanelistError) as raised:
            await OpenAI(Endpoint(url=f"https://127.0.0.1:{port}/v1", model="m"), client).answer(ask())

    assert (raised.value.why, raised.value.billed) == ("unreachable", False)
    assert "SSL_CERT_FILE" in raised.value.detail


async def test_cancelling_is_cancelling_and_leaves_nothing_behind(client: Http) -> None:
    async with servers.Endpoint(latency=5) as endpoint:
        task = asyncio.create_task(put(endpoint, client))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_hundreds_may_ask_at_once() -> None:
    async with servers.Endpoint(latency=0.2) as endpoint, Http() as client:
        replies = await asyncio.gather(*(put(endpoint, client) for _ in range(200)))

    assert {reply.text for reply in replies} == {"Fine."}
    assert endpoint.most_at_once > 50


async def test_importing_the_panelist_does_not_load_the_client() -> None:
    code = "import sys, quorate.panelists.http.openai, quorate.panelists.registry; print('aiohttp' in sys.modules)"
    run = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)

    assert (await run.communicate())[0].decode().strip() == "False"


@pytest.mark.parametrize("ended", ["error", "abort", "network_error"])
async def test_a_reply_that_ended_by_a_failure_is_told_as_it_happened(client: Http, ended: str) -> None:
    body = {"model": "m", "choices": [{"finish_reason": ended, "message": {"content": "Half of"}}]}
    async with servers.Endpoint(otherwise=sends(http(json.dumps(body).encode()), "keep")) as endpoint:
        with pytest.raises(PanelistError) as raised:
            await once(OpenAI(Endpoint(url=endpoint.url, model="m"), client)).answer(ask())

    assert str(raised.value).endswith(f"ended its reply with '{ended}'")
    assert (raised.value.why, raised.value.again, raised.value.billed) == ("server_error", True, True)
