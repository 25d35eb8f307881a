"""Which seats are really one: those on one provider, and those on one model wherever it runs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from quorate.model import SeatModel
from quorate.model.once import lazy_pattern

__all__ = ["family", "merge_domains", "same_model"]

_FAKES: Final = ("demo", "embedded", "given", "person", "recording", "test")
"""What stands behind these names nobody says, so equal names mean nothing."""
_EDITION: Final = lazy_pattern(
    r"(?:-(?:latest|(?:preview|exp)(?:-\d\d-(?:\d\d|\d{4}))?|\d{4}-\d\d-\d\d|\d{8}|\d{4}|00\d|0))+\Z"
)
_PARTS: Final = lazy_pattern(r"[-._]")
_WINDOW: Final = lazy_pattern(r"\[[^\]]*\]\Z")
_TOOL: Final = "cli"
_NESTED: Final = "pydantic"
_FILE: Final = lazy_pattern(r"\.(?:gguf|bin|safetensors)\Z")


@lru_cache(maxsize=1024)
def family(name: str) -> str:
    """A model's name without its maker, size, date and file ending: what its editions have in common."""
    last = name.strip().casefold().replace("\\", "/").rpartition("/")[2]
    return _EDITION.sub("", _FILE.sub("", last.partition(":")[0]))


@lru_cache(maxsize=1024)
def same_model(asked: str, answered: str) -> bool:
    """Whether the model that a reply names is the one that was asked for, perhaps in a dated edition.

    A tool that was told no model has no other; and gateways write the parts of one name in orders of their own.
    """
    provider, _, rest = asked.partition(":")
    tool, _, model = _name(asked).partition("/") if provider == _TOOL else ("", "", _name(asked))
    if answered in {asked, rest} or not model or family(model) == family(answered):
        return True
    wanted, told = _parts(model), _parts(answered)
    if sorted(wanted) == sorted(told):
        return True
    floats = bool(tool) or model.endswith("-latest")
    return floats and not any(part.isdecimal() for part in wanted) and _version_of(wanted, {*told} - {tool})


def _version_of(wanted: Sequence[str], told: set[str]) -> bool:
    """Whether a name without a number, such as opus, is told with nothing added but its number."""
    return {*wanted} - told <= {""} and all(part.isdecimal() for part in told - {*wanted})


def _parts(name: str) -> tuple[str, ...]:
    return tuple(_PARTS.split(family(_WINDOW.sub("", name))))


def merge_domains(seated: Sequence[SeatModel]) -> tuple[SeatModel, ...]:
    """The same seats with one domain for all that share a provider or a model, however long the chain between them.

    It bears the name of the first seat's domain, so the order of replies never shows.
    """
    domains = [sat.domain for sat in seated]
    families = [_of(sat) for sat in seated]
    for place, sort in enumerate(families):
        first = families.index(sort)
        if sort and domains[first] != domains[place]:
            kept, gone = sorted((domains[first], domains[place]), key=domains.index)
            domains = [kept if domain == gone else domain for domain in domains]
    return tuple(
        sat if sat.domain == domain else replace(sat, domain=domain)
        for sat, domain in zip(seated, domains, strict=True)
    )


def _of(sat: SeatModel) -> str:
    provider, colon, _ = sat.model.partition(":")
    return "" if not colon or provider in _FAKES else family(sat.serves or _name(sat.model))


def _name(model: str) -> str:
    """The name alone, of `provider:name`, `provider:name@address` or `provider:name?settings`."""
    provider, _, rest = model.partition(":")
    rest = (rest.partition(":")[2] if provider == _NESTED else rest) or rest or model
    at = max(rest.rfind("@http://"), rest.rfind("@https://"))
    return (rest if at < 0 else rest[:at]).partition("?")[0]
