import pytest

from quorate.errors import BadSetting, NoModel, UnknownName
from quorate.panelists.http.client import Http
from quorate.panelists.registry import PROVIDERS, domain, key_of, most_of, open_panelist, parse, tuning_of


@pytest.mark.parametrize(
    ("model", "provider", "name", "base_url"),
    [
        ("openai:gpt-5", "openai", "gpt-5", "https://api.openai.com/v1"),
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b", "http://127.0.0.1:11434/v1"),
        ("openrouter:openai/gpt-5@2026", "openrouter", "openai/gpt-5@2026", "https://openrouter.ai/api/v1"),
        ("openai:NAME@http://127.0.0.1:9000/v1", "openai", "NAME", "http://127.0.0.1:9000/v1"),
        ("anthropic:claude-x?effort=high&max_tokens=9", "anthropic", "claude-x", "https://api.anthropic.com"),
        ("openai:m?temperature=0.2@http://127.0.0.1:9000/v1", "openai", "m", "http://127.0.0.1:9000/v1"),
        ("vllm:org/model:awq@https://gpu.example/v1/", "vllm", "org/model:awq", "https://gpu.example/v1"),
    ],
)
def test_a_name_is_taken_apart(model: str, provider: str, name: str, base_url: str) -> None:
    named = parse(model)

    assert (named.provider, named.name, named.base_url) == (provider, name, base_url)
    assert str(named) == model.rstrip("/")


def test_an_unknown_provider_is_told_which_there_are() -> None:
    with pytest.raises(UnknownName, match="no provider 'opnai'; there are anthropic, cli, deepseek, ") as raised:
        parse("opnai:gpt-5")

    assert all(name in str(raised.value) for name in PROVIDERS)


@pytest.mark.parametrize(
    ("model", "helps"),
    [
        ("gpt-5", "write provider:name, for instance openai:gpt-5"),
        ("", "openai:NAME"),
        ("openai:", "openai:NAME"),
        ("openai:@http://127.0.0.1/v1", "openai:NAME"),
        ("openai:m@http://", "http://host:port/v1"),
        ("openai:m@http://host:port/v1", "http://host:port/v1"),
        ("openai:m@https://user:secret@host/v1", "no key, user or query"),
        ("openai:m@https://host/v1?key=secret", "no key, user or query"),
        ("openai:m?effort=extreme", "effort is one of none, minimal, low"),
        ("openai:m?effort=low&effort=high", "is given twice"),
        ("openai:m?temperature=hot", "a number from 0 to 2"),
        ("openai:m?max_tokens=0", "a whole number from 1"),
        ("openai:m?max_tokens=²", "a whole number from 1"),
    ],
)
def test_what_is_no_name_is_answered_with_how_to_write_one(model: str, helps: str) -> None:
    with pytest.raises(BadSetting) as raised:
        parse(model)

    assert helps in str(raised.value)
    assert "@https://user" in model or "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("model", "environ", "base_url"),
    [
        ("openai:m", {"OPENAI_BASE_URL": "https://gateway.example/v1/"}, "https://gateway.example/v1"),
        ("openai:m@http://h/v1", {"OPENAI_BASE_URL": "https://gateway.example/v1"}, "http://h/v1"),
        ("groq:m", {"OPENAI_BASE_URL": "https://gateway.example/v1"}, "https://api.groq.com/openai/v1"),
        ("ollama:m", {"OLLAMA_HOST": "0.0.0.0:11500"}, "http://127.0.0.1:11500/v1"),
        ("ollama:m", {"OLLAMA_HOST": "gpu"}, "http://gpu:11434/v1"),
        ("ollama:m", {"OLLAMA_HOST": "https://gpu.example:443"}, "https://gpu.example:443/v1"),
    ],
)
def test_an_address_may_come_from_the_environment(model: str, environ: dict[str, str], base_url: str) -> None:
    assert parse(model, environ).base_url == base_url


@pytest.mark.parametrize(
    ("model", "shared"),
    [
        ("openai:gpt-5", "openai"),
        ("openai:gpt-4o-mini", "openai"),
        ("openrouter:openai/gpt-5", "openai"),
        ("openai:gpt-5@https://api.openai.com/v1", "openai"),
        ("openrouter:x-ai/grok-4", "xai"),
        ("xai:grok-4", "xai"),
        ("openrouter:mistralai/mistral-large", "mistral"),
        ("openrouter:anthropic/claude-sonnet", "anthropic"),
        ("anthropic:claude-sonnet", "anthropic"),
        ("anthropic:claude-sonnet?effort=high", "anthropic"),
        ("anthropic:x@https://api.anthropic.com/v1", "anthropic"),
        ("openai:claude-sonnet@https://api.anthropic.com/v1", "anthropic"),
        ("anthropic:deepseek-chat@https://api.deepseek.com/anthropic", "deepseek"),
        ("cli:claude", "anthropic"),
        ("cli:claude/opus", "anthropic"),
        ("pydantic:anthropic:claude-sonnet", "anthropic"),
        ("pydantic:bedrock:us.anthropic.claude-sonnet-v1:0", "anthropic"),
        ("pydantic:openrouter:anthropic/claude-sonnet", "anthropic"),
        ("responses:gpt-5", "openai"),
        ("openai-responses:gpt-5", "openai"),
        ("cli:codex", "openai"),
        ("pydantic:openai-responses:gpt-5", "openai"),
        ("pydantic:azure:gpt-5", "openai"),
        ("gemini:gemini-pro", "google"),
        ("google:gemini-pro", "google"),
        ("openrouter:google/gemini-pro", "google"),
        ("cli:gemini/flash", "google"),
        ("pydantic:google-vertex:gemini-pro", "google"),
        ("pydantic:bedrock:amazon.nova-pro-v1:0", "amazon"),
        ("pydantic:cohere:command-a", "cohere"),
        ("openrouter:meta-llama/llama-4", "meta"),
        ("cli:llm/gpt-5", "cli:llm"),
        ("cli:mine/x", "cli:mine"),
        ("ollama:llama3", "127.0.0.1:11434"),
        ("ollama:qwen3", "127.0.0.1:11434"),
        ("openai:x@http://localhost:11434/v1", "127.0.0.1:11434"),
        ("openai:x@http://127.0.0.1:9000/v1", "127.0.0.1:9000"),
        ("vllm:x@https://GPU.example/v1", "gpu.example:443"),
    ],
)
def test_seats_that_would_fail_together_share_a_domain(model: str, shared: str) -> None:
    assert domain(model) == shared


def test_a_provider_without_its_key_says_which_variable_to_set() -> None:
    with pytest.raises(NoModel, match="'openai:gpt-5' needs a key; set OPENAI_API_KEY"):
        open_panelist("openai:gpt-5", Http(), {})


def test_a_key_that_cannot_be_one_is_refused_unshown() -> None:
    with pytest.raises(BadSetting, match="OPENAI_API_KEY holds") as raised:
        open_panelist("openai:gpt-5", Http(), {"OPENAI_API_KEY": "sk-1234\r\nX: y"})

    assert "sk-1234" not in str(raised.value)


@pytest.mark.parametrize("model", ["ollama:m", "openai:m@http://127.0.0.1:9000/v1"])
def test_a_server_of_one_s_own_needs_no_key(model: str) -> None:
    assert "'m' at 127.0.0.1" in repr(open_panelist(model, Http(), {}))


def test_an_option_that_there_is_not_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownName, match="no option of a model 'heat'; there are effort, max_tokens, temperature"):
        parse("openai:m?heat=1")


def test_options_say_how_a_model_is_asked_and_what_may_be_spent() -> None:
    model = "anthropic:claude-x?effort=high&max_tokens=9000&temperature=0.2"
    tuning = tuning_of(parse(model))

    assert (tuning.most, tuning.temperature, tuning.effort) == (9000, 0.2, "high")
    assert [most_of(name, 7) for name in (model, "anthropic:x", "demo:scripted", "given:X-1", "none:x", "auto")] == [
        9000,
        *[7] * 5,
    ]


def test_a_tool_is_its_own_place_and_needs_no_key() -> None:
    named = [parse(model) for model in ("cli:claude/opus", "cli:codex", "pydantic:cohere:command-a")]

    assert [one.base_url for one in named] == ["cli:claude", "cli:codex", "pydantic:cohere"]
    assert [key_of(one, {}) for one in named] == ["", "", ""]
