"""What one source says about each setting: flags, environment, a panel, the user's file. What is None is unsaid."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, Protocol, TypeVar

from quorate import presets
from quorate.errors import BadPanel, BadSetting
from quorate.model import Rulebook
from quorate.settings.amounts import Allowance, budget, seconds, whole
from quorate.settings.file_fields import opened, read_document
from quorate.settings.provider_settings import Breaking, Rate, breaker, breaker_of, cache, rate, rate_of
from quorate.settings.readers import (
    budget_of,
    key_pair,
    key_pairs,
    key_pairs_of,
    model_name,
    models_of,
    settings_of,
    texts_of,
)
from quorate.settings.rulebook_file import rulebook_of

__all__ = ["Flags", "Layer", "of_environment", "of_flags", "of_user_file"]

T = TypeVar("T")
Pairs = tuple[tuple[str, str], ...]
UNSAID: Final = Allowance()
USER_FIELDS: Final = (
    "panel",
    "protocol",
    "rulebook",
    "model",
    "settings",
    "budget",
    "deadline",
    "patience",
    "ledger",
    "concurrency",
    "rate",
    "breaker",
    "cache",
    "routes",
    "allow_keys",
    "enabled",
    "disabled",
)


FILE_ONLY: Final = frozenset({"settings", "enabled", "disabled"})
"""What no variable says."""


class _Read(Protocol):
    def __call__(self, name: str, reader: Callable[[str], T], /) -> T | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """What was said on the command line, word for word; `seats` and `settings` are NAME=VALUE, or pairs."""

    panel: str | None = None
    protocol: str | None = None
    rulebook: str | None = None
    model: str | None = None
    seats: tuple[str | tuple[str, str], ...] = ()
    settings: tuple[str | tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    budget: str | None = None
    deadline: str | None = None
    patience: str | None = None
    ledger: str | None = None
    concurrency: str | None = None
    allow_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One source, read. `models` are for single seats, `model` for every seat that has none from here or above."""

    kind: Literal["flag", "environment", "file", "default"]
    where: str = ""
    panel: str | None = None
    protocol: str | None = None
    rulebook: Rulebook | None = None
    model: str | None = None
    models: Pairs = ()
    settings: Pairs = ()
    files: Pairs = ()
    """Patterns of files for the context, each with the folder it is meant from."""
    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    budget: Allowance = UNSAID
    deadline: Fraction | None = None
    patience: Fraction | None = None
    ledger: str | None = None
    concurrency: int | None = None
    rate: Rate | None = None
    breaker: Breaking | None = None
    cache: str | None = None
    routes: str | None = None
    allow_keys: tuple[str, ...] = ()
    """Pairs of a key and a place other than its provider's, NAME@HOST; no panel file can say this."""
    keys: Pairs = field(default=(), repr=False)

    def source(self, key: str) -> str:
        """Where a value was found, in words."""
        if self.kind == "flag":
            return f"flag --{key}"
        return f"environment QUORATE_{key.upper()}" if self.kind == "environment" else self.where or self.kind


def of_flags(flags: Flags) -> Layer:
    """Read the flags.

    Raises:
        BadSetting: a value cannot be read, with the flag's name.
        UnknownName: a rulebook or provider there is not.
    """
    texts = {
        name: value
        for name in (
            "panel",
            "protocol",
            "rulebook",
            "model",
            "budget",
            "deadline",
            "patience",
            "ledger",
            "concurrency",
        )
        if (value := getattr(flags, name)) is not None
    }
    seats = tuple(_pair(text, "--seat", "Safety=openai:NAME") for text in flags.seats)
    return _of_texts(
        Layer(
            kind="flag",
            models=tuple((seat, _told(model_name, model, "--seat")) for seat, model in seats),
            settings=tuple(_pair(text, "--set", "supermajority.at_least=3/4") for text in flags.settings),
            files=tuple((".", pattern) for pattern in flags.files),
            allow_keys=tuple(_told(key_pair, text, "--allow-key") for text in flags.allow_keys),
        ),
        {name: (f"--{name}", value) for name, value in texts.items()},
    )


def of_environment(env: Mapping[str, str]) -> Layer:
    """Read QUORATE_PANEL and the like; an empty variable is not set.

    Raises:
        BadSetting: a value cannot be read, with the variable's name.
        UnknownName: a rulebook or provider there is not.
    """
    names = (name for name in USER_FIELDS if name not in FILE_ONLY)
    variables = {name: f"QUORATE_{name.upper()}" for name in names}
    texts = {name: (variable, env[variable]) for name, variable in variables.items() if env.get(variable)}
    return _of_texts(Layer(kind="environment"), texts)


def _of_texts(begun: Layer, texts: Mapping[str, tuple[str, str]]) -> Layer:
    def read(name: str, reader: Callable[[str], T]) -> T | None:
        if name not in texts:
            return None
        source, text = texts[name]
        return _told(reader, text, source)

    given = replace(
        begun,
        rulebook=read("rulebook", presets.rulebook),
        budget=read("budget", budget) or UNSAID,
        model=read("model", model_name),
        rate=read("rate", rate),
        breaker=read("breaker", breaker),
        allow_keys=(*begun.allow_keys, *(read("allow_keys", key_pairs) or ())),
    )
    return _filled(given, read)


def _filled(begun: Layer, read: _Read) -> Layer:
    return replace(
        begun,
        panel=read("panel", str),
        protocol=read("protocol", str),
        deadline=read("deadline", seconds),
        patience=read("patience", seconds),
        ledger=read("ledger", str),
        concurrency=read("concurrency", whole),
        cache=read("cache", cache),
        routes=read("routes", str),
    )


def of_user_file(path: Path, shown: str, *, needed: bool) -> Layer:
    """Read the user's own file; that it is not there is fine unless somebody named it.

    Raises:
        BadPanel: it is needed and not there, or it cannot be read, with line and field.
    """
    content = opened(path, shown)
    if content is None:
        if needed:
            raise BadPanel(f"no file {shown!r}, which QUORATE_CONFIG names; create it or unset QUORATE_CONFIG")
        return Layer(kind="file", where=f"user file {shown}")
    known = read_document(content, shown).fields(USER_FIELDS)

    def read(name: str, reader: Callable[[str], T]) -> T | None:
        return known[name].read(reader) if name in known else None

    given = Layer(
        kind="file",
        where=f"user file {shown}",
        rulebook=rulebook_of(known["rulebook"]) if "rulebook" in known else None,
        settings=settings_of(known["settings"], dotted=False) if "settings" in known else (),
        budget=budget_of(known["budget"]) if "budget" in known else UNSAID,
        rate=rate_of(known["rate"]) if "rate" in known else None,
        breaker=breaker_of(known["breaker"]) if "breaker" in known else None,
        model=models_of(known["model"]) if "model" in known else None,
        allow_keys=key_pairs_of(known["allow_keys"]) if "allow_keys" in known else (),
        enabled=texts_of(known["enabled"]) if "enabled" in known else (),
        disabled=texts_of(known["disabled"]) if "disabled" in known else (),
    )
    return _filled(given, read)


def _pair(text: str | tuple[str, str], flag: str, example: str) -> tuple[str, str]:
    if not isinstance(text, str):
        return text
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise BadSetting(f"{flag} takes NAME=VALUE, for instance {flag} {example}, not {text[:60]!r}")
    return name, value


def _told(reader: Callable[[str], T], text: str, source: str) -> T:
    """Read a text; a complaint about its form says which flag or variable it came from."""
    try:
        return reader(text)
    except BadSetting as wrong:
        raise BadSetting(f"{source}: {wrong}") from wrong
