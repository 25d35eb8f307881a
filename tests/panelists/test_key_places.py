"""A key goes to its provider's own address, and elsewhere only where the user allowed it."""

import pytest

from quorate.errors import NotTrusted
from quorate.panelists.key_places import is_allowed, is_loopback, is_place, pair
from quorate.panelists.registry import PROVIDERS, is_own_address, key_of, parse

KEYS = {provider.variable: f"key-{name}" for name, provider in PROVIDERS.items()}


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_every_provider_is_given_its_key_at_its_own_address(provider: str) -> None:
    assert key_of(parse(f"{provider}:m"), KEYS) == KEYS[PROVIDERS[provider].variable]
    assert key_of(parse(f"{provider}:m@{PROVIDERS[provider].base_url}/other"), KEYS)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.evil.example/v1",
        "https://evil.example/api.openai.com/v1",
        "https://openrouter.ai/api/v1",
        "https://xn--api-openai-com.example",
        "http://169.254.169.254/latest",
        "http://10.0.0.8:8000/v1",
        "http://127.0.0.1.evil.example/v1",
        "http://localhost.evil.example/v1",
    ],
)
def test_no_other_address_is_given_it(url: str) -> None:
    with pytest.raises(NotTrusted, match="OPENAI_API_KEY was held back") as held:
        key_of(parse(f"openai:m@{url}"), KEYS)

    assert [suggestion[:2] for suggestion in held.value.suggestions] == [("allow_keys", pair("openai", url))]
    assert "key-openai" not in str(held.value)
    assert key_of(parse(f"openai:m@{url}"), {}) == "", "without a key there is nothing to hold back"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:9000", "localhost:9000", "[::1]:9000", "127.8.9.1:9000", "0.0.0.0:9000", "[::ffff:127.0.0.1]"]
)
def test_a_server_on_this_machine_is_asked_without_it(host: str) -> None:
    assert is_loopback(f"http://{host}/v1")
    assert key_of(parse(f"openai:m@http://{host}/v1"), KEYS) == ""


@pytest.mark.parametrize(
    ("allowed", "given"),
    [
        ("openai@gateway.example", True),
        ("openai@gateway.example:8080", True),
        ("OPENAI_API_KEY@GATEWAY.example:8080", True),
        ("responses@gateway.example", True),
        ("mistral@gateway.example, openai@gateway.example", True),
        ("mistral@gateway.example", False),
        ("openai@gateway.example:8081", False),
        ("openai@example", False),
        ("openai@other.gateway.example", False),
        ("@gateway.example", False),
        ("openai@", False),
        ("openai@[", False),
    ],
)
def test_a_pair_that_the_user_allowed_is_that_pair(allowed: str, given: bool) -> None:
    env = {**KEYS, "QUORATE_ALLOW_KEYS": allowed}
    named = parse("openai:m@http://gateway.example:8080/v1")
    if given:
        assert key_of(named, env) == KEYS["OPENAI_API_KEY"]
    else:
        with pytest.raises(NotTrusted):
            key_of(named, env)


def test_where_the_users_environment_says_a_provider_is_the_key_goes_too() -> None:
    env = {**KEYS, "OPENAI_BASE_URL": "https://gateway.example/openai"}

    assert key_of(parse("openai:m", env), env) == KEYS["OPENAI_API_KEY"]
    assert key_of(parse("responses:m@https://gateway.example/v2", env), env) == KEYS["OPENAI_API_KEY"]
    assert is_own_address(parse("openai:m@https://api.openai.com/v1"), env)
    assert not is_own_address(parse("mistral:m@https://gateway.example/v1"), env)


@pytest.mark.parametrize("text", ["gateway.example", "gateway.example:8080", "127.0.0.1", "[::1]:80"])
def test_a_place_is_a_host_and_perhaps_its_port(text: str) -> None:
    assert is_place(text)
    assert is_allowed(("openai",), f"http://{text}/v1", {"QUORATE_ALLOW_KEYS": f"openai@{text}"})


@pytest.mark.parametrize("text", ["", "http://x", "x/y", "a@b", "x:99999", "x:0", "[", "x y/"])
def test_anything_else_is_none(text: str) -> None:
    assert not is_place(text)
