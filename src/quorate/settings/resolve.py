"""One place that resolves every setting a door needs: flag, environment, panel, user file, default, in that order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Final, TypedDict, TypeVar

from quorate import presets
from quorate.errors import BadSetting
from quorate.model import Panel, Rulebook
from quorate.model.charter import Charter
from quorate.panelists.registry import PROVIDERS
from quorate.settings.layers import Flags, Layer, of_environment, of_flags, of_user_file
from quorate.settings.model_names import AUTO, several
from quorate.settings.panel_file import PanelFile, is_demo, of_charter, read_panel
from quorate.settings.provider_settings import CACHES, Breaking, Care, Rate
from quorate.settings.relative_paths import anchored, joined
from quorate.settings.resolved import Chosen, Resolved, Row, Settings
from quorate.settings.rulebook_file import amended, default_rulebook, fitting, meant

__all__ = ["Chosen", "Flags", "Resolved", "Row", "Settings", "resolve"]

T = TypeVar("T")
DEFAULTS: Final = Layer(kind="default", patience=Fraction(120), concurrency=64, cache=Care().cache)
DEFAULT_PANEL: Final = "tribunal"


def resolve(flags: Flags, env: Mapping[str, str], home: Path, *, charter: Charter | None = None) -> Resolved:
    """Ask every source in its order, and remember which one spoke; a `charter` stands in the panel file's place.

    Raises:
        UnknownName: a protocol, rulebook, rule, setting, seat or provider there is not.
        BadSetting: a value that cannot be read.
        BadPanel: a panel or configuration file that cannot be read.
    """
    said, around, user, own = _said(flags, home), of_environment(env), _user_layer(env, home), _defaults(env, home)
    panel, read = _panel((said, around, user), home) if charter is None else _given(charter)
    layers = (said, around, read.layer, user, own)
    protocol = _first(layers, "protocol", lambda layer: layer.protocol, DEFAULT_PANEL)
    models = tuple(_models(read.panel, layers))
    settings = Settings(
        panel=panel,
        protocol=protocol,
        rulebook=_rulebook(layers, protocol.value),
        models=models,
        settings=tuple(_settings(layers)),
        calls=_first(layers, "budget", lambda layer: layer.budget.calls, None),
        tokens=_first(layers, "budget", lambda layer: layer.budget.tokens, None),
        money=_first(layers, "budget", lambda layer: layer.budget.money, None),
        unpriced=_first(layers, "budget", lambda layer: layer.budget.unpriced, None),
        deadline=_first(layers, "deadline", lambda layer: layer.deadline, None),
        patience=_first(layers, "patience", lambda layer: layer.patience, None),
        ledger=_first(layers, "ledger", lambda layer: _at_home(layer.ledger, home), ""),
        concurrency=_first(layers, "concurrency", lambda layer: layer.concurrency, 1),
        **_care(layers, home),
        **_keys((said, around, user), env),
    )
    allowed(models, user)
    return Resolved(
        settings=settings,
        panel=replace(read.panel, demo=read.panel.demo or is_demo(model.value for _, model in models)),
        file=read if read.digest else None,
        state=_folder(env, home, "XDG_STATE_HOME", ".local/state"),
        files=(*said.files, *read.layer.files),
        enabled=user.enabled,
        disabled=user.disabled,
    )


def _defaults(env: Mapping[str, str], home: Path) -> Layer:
    return replace(DEFAULTS, ledger=str(_folder(env, home, "XDG_DATA_HOME", ".local/share") / "ledger.db"))


class _Care(TypedDict):
    rate: Chosen[Rate]
    breaker: Chosen[Breaking]
    cache: Chosen[str]
    routes: Chosen[str]


def _care(layers: tuple[Layer, ...], home: Path) -> _Care:
    """How providers are to be treated."""
    return _Care(
        rate=_first(layers, "rate", lambda layer: layer.rate, Rate()),
        breaker=_first(layers, "breaker", lambda layer: layer.breaker, Breaking()),
        cache=_first(layers, "cache", lambda layer: _at_home(layer.cache, home), ""),
        routes=_first(layers, "routes", lambda layer: _at_home(layer.routes, home), ""),
    )


class _Keys(TypedDict):
    keys: tuple[str, ...]
    allow_keys: tuple[str, ...]


def _keys(layers: tuple[Layer, ...], env: Mapping[str, str]) -> _Keys:
    """Which keys are set, and where they may go besides; a panel file has no say in that."""
    return _Keys(
        keys=tuple(sorted({one.variable for one in PROVIDERS.values() if env.get(one.variable)})),
        allow_keys=tuple(dict.fromkeys(one for layer in layers for one in layer.allow_keys)),
    )


def allowed(models: Iterable[tuple[str, Chosen[str]]], user: Layer) -> None:
    """Keep to the models the user file enables, and away from those it disables.

    Raises:
        BadSetting: a seat's model is not allowed.
    """
    for seat, chosen in models:
        for model in several(chosen.value):
            if model == AUTO:  # what it chooses from is kept to the same patterns
                continue
            if any(fnmatchcase(model, pattern) for pattern in user.disabled):
                raise BadSetting(f"{model!r} for {seat} is disabled by the {user.where}; choose another or change it")
            if user.enabled and not any(fnmatchcase(model, pattern) for pattern in user.enabled):
                listed = ", ".join(user.enabled)
                raise BadSetting(f"{model!r} for {seat} is not enabled by the {user.where}; there are {listed}")


def _said(flags: Flags, home: Path) -> Layer:
    """The flags; `--sources` goes before the setting of that name."""
    said = of_flags(flags)
    return anchored(replace(said, settings=(*said.settings, *joined(flags.sources))), Path(), home)


def _first(layers: tuple[Layer, ...], key: str, pick: Callable[[Layer], T | None], otherwise: T) -> Chosen[T]:
    for layer in layers:
        value = pick(layer)
        if value is not None:
            return Chosen(value, layer.source(key))
    return Chosen(otherwise, "default")


def _panel(layers: tuple[Layer, ...], home: Path) -> tuple[Chosen[str], PanelFile]:
    """The panel somebody named, else the one that bears the protocol's name."""
    protocol = _first(layers, "protocol", lambda layer: layer.protocol, DEFAULT_PANEL).value
    own = protocol if protocol in presets.panels() else DEFAULT_PANEL
    chosen = _first(layers, "panel", lambda layer: layer.panel and _at_home(layer.panel, home), own)
    read = read_panel(chosen.value)
    layer = replace(read.layer, cache=_at_home(read.layer.cache, home))
    read = replace(read, layer=anchored(layer, Path(chosen.value).parent, home))
    if chosen.source == "default" and own != protocol:
        return chosen, replace(read, layer=replace(read.layer, protocol=None))
    return chosen, read


def _given(charter: Charter) -> tuple[Chosen[str], PanelFile]:
    return Chosen("given", "argument"), of_charter(charter, "the panel given")


def _rulebook(layers: tuple[Layer, ...], protocol: str) -> Chosen[Rulebook]:
    found = _first(layers, "rulebook", lambda layer: layer.rulebook, default_rulebook(protocol))
    renamed = meant(protocol, ((key, text.value) for key, text in _settings(layers)))
    changes = (*renamed, *(pair for pair in layers[0].settings if "." in pair[0]))
    if not changes:
        return Chosen(fitting(found.value, protocol), found.source)
    return Chosen(fitting(amended(found.value, changes), protocol), f"{found.source}, changed by flag --set")


def _settings(layers: tuple[Layer, ...]) -> Iterator[tuple[str, Chosen[str]]]:
    keys = dict.fromkeys(key for layer in reversed(layers) for key, _ in layer.settings)
    for key in keys:
        found = next(layer for layer in layers if key in dict(layer.settings))
        yield key, Chosen(dict(found.settings)[key], found.source("set"))


def _models(panel: Panel, layers: tuple[Layer, ...]) -> Iterator[tuple[str, Chosen[str]]]:
    said, around, own, user, _ = layers
    named = {panel.seat(seat).name: model for seat, model in said.models}
    scripted = is_demo(model for _, model in own.models)
    for seat in panel:
        candidates = (
            (named.get(seat.name), said.source("seat")),
            (said.model, said.source("model")),
            # Whoever asks for the demo wants no model called because one happens to be in the environment.
            (None if scripted else around.model, around.source("model")),
            (dict(own.models).get(seat.name), own.source("model")),
            (user.model, user.source("model")),
        )
        found = next(((model, source) for model, source in candidates if model is not None), None)
        if found is not None:
            yield seat.name, Chosen(*found)


def _user_layer(env: Mapping[str, str], home: Path) -> Layer:
    named = _at_home(env.get("QUORATE_CONFIG") or None, home)
    path = Path(named) if named else _folder(env, home, "XDG_CONFIG_HOME", ".config") / "config.yaml"
    shown = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    layer = anchored(of_user_file(path, shown, needed=named is not None), path.parent, home)
    panel = layer.panel if layer.panel in presets.panels() else _beside(layer.panel, path, home)
    kept = layer.cache if layer.cache in CACHES else _beside(layer.cache, path, home)
    return replace(
        layer,
        panel=panel,
        ledger=_beside(layer.ledger, path, home),
        cache=kept,
        routes=_beside(layer.routes, path, home),
    )


def _folder(env: Mapping[str, str], home: Path, variable: str, otherwise: str) -> Path:
    """The XDG base directories say that a relative one is to be ignored."""
    given = env.get(variable, "")
    return (Path(given) if given.startswith("/") else home / otherwise) / "quorate"


def _at_home(text: str | None, home: Path) -> str | None:
    return str(home / text[2:]) if text is not None and text.startswith("~/") else text


def _beside(text: str | None, file: Path, home: Path) -> str | None:
    """A path in the user's file is meant from that file's folder; an address is left as it is."""
    if text is None or "://" in text or text == ":memory:":
        return text
    return str(file.parent / (_at_home(text, home) or ""))
