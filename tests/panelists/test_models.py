import pytest

from quorate.errors import BadSetting, NoModel, UnknownName
from quorate.panelists.http import Http
from quorate.panelists.models import PROVIDERS, domain, open_panelist, parse


@pytest.mark.parametrize(
    ("model", "provider", "name", "base_url"),
    [
        ("openai:gpt-5", "openai", "gpt-5", "https://api.openai.com/v1"),
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b", "http://127.0.0.1:11434/v1"),
        ("openrouter:openai/gpt-5@2026", "openrouter", "openai/gpt-5@2026", "https://openrouter.ai/api/v1"),
        ("openai:NAME@http://127.0.0.1:9000/v1", "openai", "NAME", "http://127.0.0.1:9000/v1"),
        ("vllm:org/model:awq@https://gpu.example/v1/", "vllm", "org/model:awq", "https://gpu.example/v1"),
    ],
)
def test_a_name_is_taken_apart(model: str, provider: str, name: str, base_url: str) -> None:
    named = parse(model)

    assert (named.provider, named.name, named.base_url) == (provider, name, base_url)
    assert str(named) == model.rstrip("/")


def test_an_unknown_provider_is_told_which_there_are() -> None:
    with pytest.raises(UnknownName, match="no provider 'opnai'; there are deepseek, groq, llamacpp") as raised:
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
