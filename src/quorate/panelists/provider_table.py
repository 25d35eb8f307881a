"""Who can be asked over the network, by the prefix of a model's name: our providers and those of other packages."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args
from urllib.parse import urlsplit

from quorate.errors import BadPlugin
from quorate.frozen import dataclass
from quorate.panelists import Panelist
from quorate.panelists.key_places import origin
from quorate.plugins import PartTable

if TYPE_CHECKING:
    from quorate.panelists.http.client import Http
    from quorate.panelists.http.wire_format import Endpoint, SamplingOptions
    from quorate.panelists.price import Price

__all__ = [
    "ALIASES",
    "CLI",
    "DEMO",
    "EMBEDDED",
    "GIVEN",
    "PROVIDERS",
    "PYDANTIC",
    "RECORDING",
    "PanelistMaker",
    "Provider",
    "WireFormat",
]

DEMO: Final = "demo:scripted"
"""The one model that is no model: scripted speeches that answer nothing."""

EMBEDDED: Final = "embedded:smollm2"
"""The small model in process."""

RECORDING: Final = "recording:"
"""How an earlier deliberation is named whose replies are given again: by its id, or by a file that was exported."""

GIVEN: Final = "given:"
"""How a panelist is named that a caller handed over: what stands behind it is the caller's business."""

CLI: Final = "cli"
"""A command-line tool of the user's own; `tools` says which are known."""

PYDANTIC: Final = "pydantic"
"""Whatever pydantic-ai can reach."""

ALIASES: Final[Mapping[str, str]] = MappingProxyType({"google": "gemini", "openai-responses": "responses"})

WireFormat = Literal["completions", "responses", "messages", "generate"]
PanelistMaker = Callable[["Endpoint", "Http", "SamplingOptions | None", "Price | None"], Panelist]
"""Makes a panelist of a model at an address, called with a shared HTTP session, how to ask, and the price if known."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint known by name: its address, the variable its key is in, and whether it runs here, for nothing.

    `speaks` names the wire format, or makes panelists that speak another one. `maker` says whose models these are where
    that is somebody else, and `moved` the variable that gives another address where that is not the provider's name
    with _BASE_URL. `models` are names to offer where nothing else lists the provider's models.
    """

    base_url: str
    variable: str
    local: bool = False
    cap: str = "max_tokens"
    speaks: WireFormat | PanelistMaker = "completions"
    maker: str = ""
    moved: str = ""
    models: tuple[str, ...] = ()

    def address_variable(self, name: str) -> str:
        """The variable that gives another address for a provider of this name."""
        return self.moved or f"{name.upper().replace('-', '_')}_BASE_URL"


_SHIPPED: Final[Mapping[str, Provider]] = MappingProxyType(
    {
        "anthropic": Provider("https://api.anthropic.com", "ANTHROPIC_API_KEY", speaks="messages"),
        "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        "gemini": Provider(
            "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", speaks="generate", maker="google"
        ),
        "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        "llamacpp": Provider("http://127.0.0.1:8080/v1", "LLAMA_API_KEY", local=True),
        "lmstudio": Provider("http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY", local=True),
        "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        "nebius": Provider("https://api.tokenfactory.nebius.com/v1", "NEBIUS_API_KEY"),
        "ollama": Provider("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", local=True),
        "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", cap="max_completion_tokens"),
        "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        "responses": Provider(
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            speaks="responses",
            maker="openai",
            moved="OPENAI_BASE_URL",
        ),
        "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        "vllm": Provider("http://127.0.0.1:8000/v1", "VLLM_API_KEY", local=True),
        "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    }
)

_KEY_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN)")


def _is_address(url: object) -> bool:
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and plain
    except ValueError:
        return False


def _is_key_own(provider: Provider) -> bool:
    """Whether a key may be the provider's: one of ours goes to no other address, whoever names its variable."""
    own = {origin(one.base_url) for one in _SHIPPED.values() if one.variable == provider.variable}
    return not own or origin(provider.base_url) in own


def _are_texts(values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in values)


_FAULTS: Final[Mapping[str, Callable[[Provider], bool]]] = MappingProxyType(
    {
        "its base_url must look like https://host/v1": lambda one: _is_address(one.base_url),
        "its key variable must be capital letters and end in _KEY or _TOKEN": lambda one: bool(
            _KEY_VARIABLE.fullmatch(str(one.variable))
        ),
        "speaks must name a wire format, or be a function that makes a panelist": lambda one: (
            one.speaks in get_args(WireFormat) if isinstance(one.speaks, str) else callable(one.speaks)
        ),
        "its models must be a tuple of names": lambda one: _are_texts(one.models),
        "its cap, maker and moved must be text": lambda one: _are_texts((one.cap, one.maker, one.moved)),
        "its key variable is that of another provider, whose keys go to its own address alone": _is_key_own,
    }
)
"""What a provider of another package must fulfil, and what is said if it does not; the first that fails counts."""


def _accept(name: str, found: object) -> Provider:
    del name
    if not isinstance(found, Provider):
        raise BadPlugin(f"it must be a Provider of quorate.authoring, not {type(found).__name__}")
    for fault, holds in _FAULTS.items():
        if not holds(found):
            raise BadPlugin(fault)
    return found


_OTHER_PREFIXES: Final = ("auto", "cli", "demo", "embedded", "given", "person", "pydantic", "recording")
PROVIDERS: Final = PartTable("provider", _SHIPPED, _accept, taken=(*ALIASES, *_OTHER_PREFIXES))
"""Every provider by its prefix; those of other packages are looked up when a name is not one of ours."""
