"""Names of models, `provider:name?option=value@address`, and what stands behind them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quorate.errors import BadSetting, NoModel, NotTrusted, Suggestion, UnknownName
from quorate.frozen import dataclass
from quorate.model.panel import is_person
from quorate.panelists import Panelist
from quorate.panelists.cli.tools import tool_maker
from quorate.panelists.key_places import is_allowed, is_loopback, origin, pair
from quorate.panelists.model_options import Options, read_options
from quorate.panelists.price import Price
from quorate.panelists.provider_table import (
    ALIASES,
    CLI,
    DEMO,
    EMBEDDED,
    GIVEN,
    PROVIDERS,
    PYDANTIC,
    RECORDING,
    PanelistMaker,
    Provider,
)

if TYPE_CHECKING:
    from quorate.panelists.http.client import Http
    from quorate.panelists.http.wire_format import SamplingOptions, Wire

__all__ = [
    "CLI",
    "DEMO",
    "EMBEDDED",
    "GIVEN",
    "PROVIDERS",
    "PYDANTIC",
    "RECORDING",
    "ModelName",
    "Provider",
    "domain",
    "is_key_allowed",
    "is_own_address",
    "key_of",
    "most_of",
    "open_panelist",
    "parse",
    "tuning_of",
]

_MAKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "azure": "openai",
        "gemini": "google",
        "google-gla": "google",
        "google-vertex": "google",
        "meta-llama": "meta",
        "mistralai": "mistral",
        "moonshotai": "moonshot",
        "openai-chat": "openai",
        "openai-responses": "openai",
        "x-ai": "xai",
        "z-ai": "zai",
    }
)
"""Other people's words for makers: OpenRouter's, and the providers of pydantic-ai."""

_ROUTERS: Final = frozenset({"bedrock", "gateway", "huggingface", "litellm", "openrouter", "vercel"})
"""Behind these stands somebody else's model, whose maker begins its name."""

_REGION: Final = re.compile(r"^(?:us|eu|apac|jp|au|global)\.")
"""Where Bedrock asks a model, before the model's own name."""

_HERE: Final = frozenset({"localhost", "0.0.0.0", "::1", "::"})  # noqa: S104  read, never bound
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NAMES: Final = 256
"""Names of models that are taken apart once; a process seldom meets more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A model's name, taken apart. `given` says that the address is not the provider's own."""

    provider: str
    name: str
    base_url: str
    given: bool = False
    options: Options = ()

    def __str__(self) -> str:
        written = "&".join(f"{name}={value}" for name, value in self.options)
        return f"{self.provider}:{self.name}{written and f'?{written}'}{f'@{self.base_url}' if self.given else ''}"

    @property
    def local(self) -> bool:
        """Whether it runs on the user's own machines, and asks no money."""
        return self.provider in PROVIDERS and PROVIDERS[self.provider].local


def parse(model: str, environ: Mapping[str, str] = _NOTHING) -> ModelName:
    """Take a name apart; an address comes from the name, else from OPENAI_BASE_URL and the like, else the provider's.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model, or its address is none.
    """
    named, url = _taken_apart(model)
    return named if named.base_url else _at_address(named, url, environ)


@lru_cache(maxsize=_NAMES)
def _taken_apart(model: str) -> tuple[ModelName, str]:
    """A name in its parts, without a base address where its provider has one, and the address that stands in it."""
    provider, colon, rest = model.strip().partition(":")
    if not colon:
        raise BadSetting(f"{model!r} names no provider; write provider:name, for instance openai:{model or 'NAME'}")
    provider = ALIASES.get(provider, provider)
    if provider not in PROVIDERS and provider not in {CLI, PYDANTIC}:
        raise UnknownName("provider", provider, (*PROVIDERS, CLI, PYDANTIC, EMBEDDED, "person", RECORDING + "ID"))
    rest, url = _split(rest)
    name, _, written = rest.partition("?")
    if not name:
        raise BadSetting(f"{model!r} names no model; write {provider}:NAME")
    options = read_options(written, "tool" if provider == CLI else "model")
    if provider in PROVIDERS:
        return ModelName(provider=provider, name=name, base_url="", options=options), url
    if url:
        raise BadSetting(f"{provider}:{name} is not reached at an address; leave out what follows the @")
    # No address, but what fails together: a tool, or a provider of pydantic-ai's.
    place = f"{provider}:{re.split('[:/]', name)[0]}"
    return ModelName(provider=provider, name=name, base_url=place, options=options), ""


def _at_address(named: ModelName, url: str, environ: Mapping[str, str]) -> ModelName:
    provider = PROVIDERS[named.provider]
    known, moved = provider.base_url, provider.address_variable(named.provider)
    url = url or environ.get(moved, "") or _ollama_host(named.provider, environ)
    return _placed(named, known, given=False) if not url or url == known else _placed(named, url, given=True)


@lru_cache(maxsize=_NAMES)
def _placed(named: ModelName, url: str, *, given: bool) -> ModelName:
    return replace(named, base_url=_address(url) if given else url, given=given)


def ours(model: str) -> bool:
    """Whether no provider answers under this name, and nobody asks money: a script, the model in process, a person."""
    return model in {DEMO, EMBEDDED} or is_person(model) or model.startswith(RECORDING)


def domain(model: str, environ: Mapping[str, str] = _NOTHING) -> str:
    """The fault domain: seats that share one fail, or lie, together. The maker behind a router, else provider or host.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model.
    """
    if ours(model) or model.startswith(GIVEN):
        return model
    named = parse(model, environ)
    if named.given or named.local:
        return _host(named.base_url)
    if named.provider == CLI:
        return tool_maker(named.name, environ) or f"{CLI}:{named.name.partition('/')[0]}"
    provider, name = named.provider, named.name.casefold()
    if provider == PYDANTIC:
        provider, _, name = name.partition(":")
        name = _REGION.sub("", name)
    if provider in _ROUTERS:
        maker = re.split(r"[/.:]", name, maxsplit=1)[0]
        return _MAKERS.get(maker, maker)
    maker = PROVIDERS[provider].maker if provider in PROVIDERS else ""
    return maker or _MAKERS.get(provider, provider)


def open_panelist(
    model: str | ModelName,
    http: "Http",
    keys: Mapping[str, str],
    *,
    tuning: "SamplingOptions | None" = None,
    price: Price | None = None,
) -> Panelist:
    """Whoever answers under this name; `keys` maps variables, as in the environment, to their values.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model.
        NoModel: the provider wants a key, and there is none.
    """
    named = parse(model, keys) if isinstance(model, str) else model
    if named.provider == CLI:
        from quorate.panelists.cli.command_line import CommandLine  # noqa: PLC0415  few panels have one

        return CommandLine.of(named.name, named.options, keys)
    tuning = tuning or tuning_of(named)
    if named.provider == PYDANTIC:
        from quorate.panelists.pydantic import Pydantic  # noqa: PLC0415  takes seconds to load

        return Pydantic(named.name, tuning, price)
    from quorate.panelists.http.wire_format import Endpoint  # noqa: PLC0415  most commands ask nobody

    provider, key = PROVIDERS[named.provider], key_of(named, keys)
    endpoint = Endpoint(
        url=named.base_url,
        model=named.name,
        key=key,
        variable=provider.variable,
        held=pair(named.provider, named.base_url) if keys.get(provider.variable) and not key else "",
        cap="max_tokens" if named.given else provider.cap,
    )
    return _maker(named.provider)(endpoint, http, tuning, price)


def _maker(provider: str) -> PanelistMaker:
    """What makes a panelist of an endpoint: a wire format of ours, or what another package brings."""
    speaks = PROVIDERS[provider].speaks
    if isinstance(speaks, str):
        return _wire(speaks)
    from quorate.panelists.added_provider import open_added  # noqa: PLC0415  few have installed any

    return partial(open_added, speaks, PROVIDERS.describe(provider))


def _wire(format_: str) -> "type[Wire]":
    """The wire format of that name."""
    from quorate.panelists.http import anthropic, gemini, openai, responses  # noqa: PLC0415  most commands ask nobody

    match format_:
        case "messages":
            return anthropic.Anthropic
        case "generate":
            return gemini.Gemini
        case "responses":
            return responses.Responses
        case _:
            return openai.OpenAI


def tuning_of(named: ModelName) -> "SamplingOptions":
    """How a model is asked, as its name says."""
    from quorate.panelists.http.wire_format import SamplingOptions  # noqa: PLC0415  most commands ask nobody

    said = dict(named.options)
    return SamplingOptions(
        most=int(said["max_tokens"]) if "max_tokens" in said else SamplingOptions().most,
        temperature=float(said["temperature"]) if "temperature" in said else None,
        effort=said.get("effort", ""),
    )


def most_of(model: str, otherwise: int) -> int:
    """The most tokens that a model may answer with, if its name says so; a name that nobody knows says nothing."""
    if ours(model) or model.startswith(GIVEN):
        return otherwise
    try:
        said = dict(parse(model).options)
    except (UnknownName, BadSetting):
        return otherwise
    return int(said["max_tokens"]) if "max_tokens" in said else otherwise


def key_of(named: ModelName, keys: Mapping[str, str]) -> str:
    """The key for a model, empty where none is needed, and on this machine where nobody allowed it.

    Raises:
        BadSetting: what is there cannot be a key.
        NoModel: the provider wants one, and there is none.
        NotTrusted: there is one, and nobody allowed it at that address.
    """
    if named.provider not in PROVIDERS:
        return ""
    provider = PROVIDERS[named.provider]
    key = keys.get(provider.variable, "").strip()
    if not key and not named.given and not named.local:
        raise NoModel(f"{str(named)!r} needs a key; set {provider.variable}")
    if not key.isascii() or not key.isprintable():
        raise BadSetting(f"{provider.variable} holds something that cannot be a key; set it again")
    return key if key and _may_have(named, keys) else ""


def is_own_address(named: ModelName, environ: Mapping[str, str] = _NOTHING) -> bool:
    """Whether a model is reached where its provider is, or where the user's environment says that it is."""
    if named.provider not in PROVIDERS:
        return True
    moved = parse(f"{named.provider}:any", environ).base_url
    return origin(named.base_url) in {origin(PROVIDERS[named.provider].base_url), origin(moved)}


def is_key_allowed(variable: str, url: str, environ: Mapping[str, str]) -> bool:
    """Whether the user allowed a key at an address, by its variable or by a provider that reads it."""
    names = (name for name, provider in PROVIDERS.items() if provider.variable == variable)
    return is_allowed((variable, *names), url, environ)


def _may_have(named: ModelName, keys: Mapping[str, str]) -> bool:
    """Whether the key may go there; without it a server on this machine is still asked, another is not."""
    variable = PROVIDERS[named.provider].variable
    if is_own_address(named, keys) or is_key_allowed(variable, named.base_url, keys):
        return True
    if is_loopback(named.base_url):
        return False
    raise NotTrusted(
        f"{variable} was held back: {named.base_url} is not an address of {named.provider}'s; to ask without a key, "
        f"unset {variable}",
        suggestions=(Suggestion("allow_keys", pair(named.provider, named.base_url), "to send it there"),),
    )


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
        raise BadSetting(
            "the address of a model must hold no key, user or query; a key goes into its variable, options before the @"
        )
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
