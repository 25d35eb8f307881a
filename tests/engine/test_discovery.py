"""What is found here: keys by name, servers that run, what is picked of them, and what one tiny call says."""

from pathlib import Path

import pytest

from quorate.engine.discovery import Answerer, check, discover, pick, withstood
from quorate.presets import panel
from tests.panelists.formats import FORMATS
from tests.servers import Endpoint, http, said, sends

TRIBUNAL = panel("tribunal").panel
NOWHERE = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM")}


def found(model: str, domain: str) -> Answerer:
    return Answerer(kind="key", name=domain, through="KEY", model=model, domain=domain)


async def test_a_key_is_found_by_its_variable_and_never_shown() -> None:
    there = await discover({**NOWHERE, "OPENAI_API_KEY": "sk-secret"})

    one = next(one for one in there if one.name == "openai")
    assert (one.kind, one.through, one.domain) == ("key", "OPENAI_API_KEY", "openai")
    assert one.model.startswith("openai:")
    assert "sk-secret" not in repr(there)


async def test_without_anything_else_the_model_in_process_is_there() -> None:
    there = await discover(NOWHERE)

    assert [one.model for one in there] == ["embedded:smollm2"]
    assert {model for _, model in pick(TRIBUNAL, there)} == {"embedded:smollm2"}


def test_seats_are_spread_over_fault_domains_and_the_small_model_is_the_last_resort() -> None:
    there = (found("a:1", "a"), found("a:2", "a"), found("b:1", "b"), found("embedded:smollm2", "embedded:smollm2"))

    assert [model for _, model in pick(TRIBUNAL, there)] == ["a:1", "b:1", "a:1"]
    assert "2 providers" in withstood(TRIBUNAL, there)
    assert pick(TRIBUNAL, ()) == ()


async def test_a_tiny_call_says_what_is_wrong_and_shows_no_key() -> None:
    healths = await check(("openai:any@http://127.0.0.1:9/v1", "openai:any", "nobody:any"), {"OPENAI_API_KEY": ""})

    assert not any(one.well for one in healths)
    assert healths[0].trouble.startswith("unreachable")
    assert "set OPENAI_API_KEY" in healths[1].trouble
    assert "no provider 'nobody'" in healths[2].trouble


async def test_a_server_that_runs_is_found_with_the_models_it_holds() -> None:
    listed = sends(http(b'{"object": "list", "data": [{"id": "small"}, {"id": "large"}]}'))
    async with Endpoint(otherwise=listed) as server:
        there = await discover({**NOWHERE, "OLLAMA_BASE_URL": server.url})

    one = there[0]
    assert (one.kind, one.name) == ("server", "ollama")
    assert one.models == ("ollama:small", "ollama:large")


async def test_a_server_that_answers_is_well() -> None:
    async with Endpoint(otherwise=said("yes")) as server:
        (health,) = await check((f"openai:any@{server.url}",), {})

    assert (health.well, health.enforced_by) == (True, "")


@pytest.mark.parametrize(
    ("declined", "way"), [((), "schema"), (("output_config",), "tool"), (("output_config", "tools"), "")]
)
async def test_a_tiny_call_tells_by_what_a_provider_enforces_ballots(declined: tuple[str, ...], way: str) -> None:
    async with Endpoint(otherwise=FORMATS["messages"].says("{}"), declines=declined) as server:
        (health,) = await check((f"anthropic:any@{server.url}",), {})

    assert (health.trouble, health.enforced_by) == ("", way)


async def test_of_each_provider_the_cheapest_model_is_picked(tmp_path: Path) -> None:
    table = tmp_path / "routes.yaml"
    names = "openai:grand, openai:grand-mini, openai:other"
    table.write_text(f"date: 2026-01-01\notherwise: code\ntasks:\n  code: {{words: [x], models: [{names}]}}\n")
    there = await discover({**NOWHERE, "OPENAI_API_KEY": "sk-secret"}, str(table))

    one = next(one for one in there if one.name == "openai")
    assert one.models == ("openai:grand-mini", "openai:grand", "openai:other")
