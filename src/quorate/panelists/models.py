"""Names of models, `provider:name` or `provider:name@address`, and what stands behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quorate.errors import BadSetting, NoModel, UnknownName
from quorate.panelists import Panelist
from quorate.panelists.price import Price

if TYPE_CHECKING:
    from quorate.panelists.http import Http
    from quorate.panelists.openai import Tuning

__all__ = ["DEMO", "GIVEN", "PROVIDERS", "ModelName", "Provider", "domain", "open_panelist", "parse"]

DEMO: Final = "demo:scripted"
"""The one model that is no model: scripted speeches that answer nothing."""

GIVEN: Final = "given:"
"""How a panelist is named that a caller handed over: what stands behind it is the caller's business."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint known by name: its address, the variable its key is in, and whether it runs here, for nothing."""

    base_url: str
    variable: str
    local: bool = False
    cap: str = "max_tokens"


PROVIDERS: Final[Mapping[str, Provider]] = MappingProxyType(
    {
        "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        "llamacpp": Provider("http://127.0.0.1:8080/v1", "LLAMA_API_KEY", local=True),
        "lmstudio": Provider("http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY", local=True),
        "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        "nebius": Provider("https://api.tokenfactory.nebius.com/v1", "NEBIUS_API_KEY"),
        "ollama": Provider("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", local=True),
        "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", cap="max_completion_tokens"),
        "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        "vllm": Provider("http://127.0.0.1:8000/v1", "VLLM_API_KEY", local=True),
        "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    }
)

_MAKERS: Final[Mapping[str, str]] = MappingProxyType({"mistralai": "mistral", "x-ai": "xai"})
"""OpenRouter's words for makers that are providers here under another name."""

_HERE: Final = frozenset({"localhost", "0.0.0.0", "::1", "::"})  # noqa: S104  read, never bound
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A model's name, taken apart. `given` says that the address is not the provider's own."""

    provider: str
    name: str
    base_url: str
    given: bool = False

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}{f'@{self.base_url}' if self.given else ''}"

    @property
    def local(self) -> bool:
        """Whether it runs on the user's own machines, and asks no money."""
        return PROVIDERS[self.provider].local


def parse(model: str, environ: Mapping[str, str] = _NOTHING) -> ModelName:
    """Take a name apart; an address comes from the name, else from OPENAI_BASE_URL and the like, else the provider's.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model, or its address is none.
    """
    provider, colon, rest = model.strip().partition(":")
    if not colon:
        raise BadSetting(f"{model!r} names no provider; write provider:name, for instance openai:{model or 'NAME'}")
    if provider not in PROVIDERS:
        raise UnknownName("provider", provider, PROVIDERS)
    name, url = _split(rest)
    if not name:
        raise BadSetting(f"{model!r} names no model; write {provider}:NAME")
    known = PROVIDERS[provider].base_url
    found = ModelName(provider=provider, name=name, base_url=known)
    url = url or environ.get(f"{provider.upper()}_BASE_URL", "") or _ollama_host(provider, environ)
    return replace(found, base_url=_address(url), given=True) if url and url != known else found


def domain(model: str, environ: Mapping[str, str] = _NOTHING) -> str:
    """The fault domain: seats that share one fail, or lie, together. The maker behind a router, else provider or host.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model.
    """
    if model == DEMO or model.startswith(GIVEN):
        return model
    named = parse(model, environ)
    if named.given or named.local:
        return _host(named.base_url)
    if named.provider == "openrouter":
        maker = named.name.partition("/")[0].casefold()
        return _MAKERS.get(maker, maker)
    return named.provider


def open_panelist(
    model: str | ModelName,
    http: "Http",
    keys: Mapping[str, str],
    *,
    tuning: "Tuning | None" = None,
    price: Price | None = None,
) -> Panelist:
    """Whoever answers under this name; `keys` maps variables, as in the environment, to their values.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model.
        NoModel: the provider wants a key, and there is none.
    """
    from quorate.panelists.openai import Endpoint, OpenAI  # noqa: PLC0415  other formats will stand beside it

    named = parse(model, keys) if isinstance(model, str) else model
    provider = PROVIDERS[named.provider]
    key = keys.get(provider.variable, "").strip()
    if not key and not named.given and not named.local:
        raise NoModel(f"{str(named)!r} needs a key; set {provider.variable}")
    if not key.isascii() or not key.isprintable():
        raise BadSetting(f"{provider.variable} holds something that cannot be a key; set it again")
    endpoint = Endpoint(
        url=named.base_url,
        model=named.name,
        key=key,
        variable=provider.variable,
        cap="max_tokens" if named.given else provider.cap,
    )
    return OpenAI(endpoint, http, tuning, price)


def _split(rest: str) -> tuple[str, str]:
    """A name may hold colons and at-signs; only one before http:// or https:// begins an address."""
    at = max(rest.rfind("@http://"), rest.rfind("@https://"))
    return (rest, "") if at < 0 else (rest[:at], rest[at + 1 :])


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound, parts = False, urlsplit("")
    if not sound:
        raise BadSetting("the address of a model must look like http://host:port/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadSetting("the address of a model must hold no key, user or query; the key goes into its variable")
    return url.rstrip("/")


def _ollama_host(provider: str, environ: Mapping[str, str]) -> str:
    """OLLAMA_HOST as Ollama itself reads it: host, port, or both; 0.0.0.0 is where it listens, not where it is."""
    written = environ.get("OLLAMA_HOST", "").strip() if provider == "ollama" else ""
    if not written:
        return ""
    parts = urlsplit(written if "://" in written else f"http://{written}")
    host = parts.hostname or "127.0.0.1"
    return f"{parts.scheme}://{'127.0.0.1' if host in _HERE else host}:{parts.port or 11434}/v1"


@lru_cache(maxsize=64)
def _host(url: str) -> str:
    """Host and port, this machine always by the same name; a known provider's host is that provider."""
    known = (name for name, provider in PROVIDERS.items() if not provider.local)
    parts = urlsplit(url)
    own = next((name for name in known if urlsplit(PROVIDERS[name].base_url).hostname == parts.hostname), None)
    if own is not None:
        return own
    host = (parts.hostname or "").casefold()
    return f"{'127.0.0.1' if host in _HERE else host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
