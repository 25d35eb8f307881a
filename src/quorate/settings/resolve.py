"""One place that resolves every option: flag, environment, panel, user file, default, in that order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quorate import catalogue, presets
from quorate.errors import BadSetting
from quorate.ledger.address import with_spool
from quorate.model import Panel, Question, Rulebook
from quorate.model.charter import Charter
from quorate.model.panel import plain
from quorate.panelists.registry import PROVIDERS
from quorate.settings import table
from quorate.settings.base_folders import default_ledger, state_folder, user_file
from quorate.settings.layers import default_values, door_values, environment_values, user_file_values
from quorate.settings.model_names import AUTO, several
from quorate.settings.option import Place
from quorate.settings.panel_file import charter_settings, is_demo, read_panel
from quorate.settings.relative_paths import absolute_paths
from quorate.settings.rulebook_file import amend_rulebook, check_outcomes, default_rulebook, meant, setting_names
from quorate.settings.seat_flags import HOST, SEVERAL_MODELS, seat_flags
from quorate.settings.settings import Settings, Value, Values

if TYPE_CHECKING:
    from quorate.settings.protocol_choice import ProtocolChoice

__all__ = ["Settings", "SpokenValues", "keep_to_named", "read_spoken", "resolve", "settle", "suitable_protocol"]

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
DEFAULT_PANEL: Final = "tribunal"
"""It bears its protocol's name, which is the default too."""


class _Layers(NamedTuple):
    """The sources, in the order in which they are asked."""

    flags: Values
    environment: Values
    panel: Values
    user: Values
    default: Values


class SpokenValues(NamedTuple):
    """What is said outside of any panel, read once: by the request, in the environment and in the user's file."""

    request: Values
    """What the request says, over what its host was started with."""
    usual: Values
    """What its host was started with alone."""
    environment: Values
    user: Values
    env: Mapping[str, str]
    home: Path

    @property
    def merged(self) -> Values:
        """The first that speaks counts."""
        return {**self.user, **self.environment, **self.request}

    def with_protocol(self, name: str) -> "SpokenValues":
        """The same with a protocol that nobody named, because it suits the question."""
        return self._replace(request={**self.request, table.PROTOCOL.name: Value(name, "the question")})


def read_spoken(
    said: Mapping[str, Any],
    env: Mapping[str, str],
    home: Path,
    *,
    place: Place = "flag",
    defaults: Mapping[str, Any] = _NOTHING,
) -> SpokenValues:
    """Read what a request says, what its host was started with (`defaults`), the environment and the user's file.

    Raises:
        QuorateError: something of it cannot be read.
    """
    asked = absolute_paths(door_values(said, place), Path(), home)
    usual = absolute_paths(door_values(defaults), Path(), home)
    around = absolute_paths(environment_values(env), Path(), home)
    return SpokenValues(_lay_over(usual, asked), usual, around, _user_values(env, home), env, home)


def _lay_over(usual: Values, asked: Values) -> Values:
    """The options of a request over those its host was started with."""
    replaced = set[str]()
    if table.PROTOCOL.name in asked and table.PANEL.name not in asked:
        replaced.add(table.PANEL.name)  # the host's usual panel may hold another protocol
    if table.MODEL.name in asked or SEVERAL_MODELS in asked:
        replaced |= {table.MODEL.name, SEVERAL_MODELS}
    kept = {name: replace(value, source=HOST) for name, value in usual.items() if name not in replaced}
    return {**kept, **asked}


def resolve(said: Mapping[str, Any], env: Mapping[str, str], home: Path, *, charter: Charter | None = None) -> Settings:
    """Ask every source in its order, and remember which one spoke; a `charter` stands in the panel file's place.

    `said` is what was said at a door, by the options' names.

    Raises:
        UnknownName: an option, protocol, rulebook, rule, setting, seat or provider there is not.
        BadSetting: a value that cannot be read.
        BadPanel: a panel or configuration file that cannot be read.
    """
    return settle(read_spoken(said, env, home), charter=charter)


def settle(spoken: SpokenValues, *, charter: Charter | None = None) -> Settings:
    """The settings that hold, once the panel and the defaults are asked too; a `charter` stands in its file's place.

    Raises:
        QuorateError: as `resolve`.
    """
    flags, _, around, user, env, home = spoken
    panel, file = _panel((flags, around, user), home) if charter is None else _given(charter)
    flags, file, dealt = _with_flag_seats(panel, file, (flags, around, user))
    layers = _Layers(flags, around, file.values, user, {**default_values(), **_default_ledger(env, home)})
    merged = Settings(values={**_merged(layers), table.PANEL.name: panel}, panel=file.panel)
    models = dict(_models(file.panel, layers))
    rulebook = _rulebook(layers, merged)
    _check_allowed(models, merged)
    others = {name: value for name, value in merged.values.items() if not name.startswith(_seat_key(""))}
    state = state_folder(env, home)
    ledger = others[table.LEDGER.name]
    others[table.LEDGER.name] = replace(ledger, value=with_spool(ledger.value, state))
    return Settings(
        values={**others, table.RULEBOOK.name: rulebook, **{_seat_key(seat): one for seat, one in models.items()}},
        panel=replace(file.panel, demo=file.panel.demo or is_demo(model.value for model in models.values())),
        key_variables=tuple(sorted({one.variable for one in PROVIDERS.values() if env.get(one.variable)})),
        file=file if file.digest else None,
        state=state,
        dealt=dealt,
    )


def suitable_protocol(
    spoken: SpokenValues, question: Question, *, gate: str | None = None, seats: Iterable[str] = ()
) -> "ProtocolChoice | None":
    """The protocol for a question; none where one or a panel is named by the request, around it or by the user.

    `seats` are those for which a program brings its own panelists.

    Raises:
        QuorateError: something that was said cannot be read.
    """
    from quorate.settings.protocol_choice import choose_protocol  # noqa: PLC0415  few interfaces let it choose

    values = {**spoken.merged, **{_seat_key(seat): Value("", "program") for seat in seats}}
    if table.PANEL.name in values or table.PROTOCOL.name in values:
        return None
    sources = table.SOURCES.name in values or f"{table.SETTINGS.name}.sources" in values
    return keep_to_named(choose_protocol(question, sources=sources, gate=gate), values)


def keep_to_named(choice: "ProtocolChoice", spoken: Values) -> "ProtocolChoice":
    """The choice, unless a seat, rulebook or setting that somebody named belongs to other protocols alone."""
    claims = [(what, known) for what, known in _claims(spoken) if known]
    fits = [name for name in catalogue.protocols() if all(name in known for _, known in claims)]
    if choice.protocol in fits or not fits:
        return choice
    what = next(what for what, known in claims if choice.protocol not in known)
    return replace(
        choice,
        protocol=DEFAULT_PANEL if DEFAULT_PANEL in fits else fits[0],
        why=f"{what} belongs to it",
        options=(),
    )


def _claims(spoken: Values) -> Iterator[tuple[str, set[str]]]:
    """What was named, with the protocols that have it."""
    specs = catalogue.protocols()
    for seat, _ in _seats(spoken):
        yield f"the seat {seat}", {name for name, spec in specs.items() if plain(seat) in _names(spec.panel)}
    if table.RULEBOOK.name in spoken:
        book = spoken[table.RULEBOOK.name].value.name
        yield f"the rulebook {book}", {name for name, spec in specs.items() if book in {one.name for one in spec.books}}
    for key in Settings(values=spoken, panel=specs[DEFAULT_PANEL].panel)[table.SETTINGS]:
        yield f"the setting {key}", {name for name in specs if key in setting_names(name)}


def _names(panel: Panel) -> set[str]:
    return {plain(seat.name) for seat in panel}


def _with_flag_seats(panel: Value[str], file: Settings, layers: tuple[Values, ...]) -> tuple[Values, Settings, str]:
    named = _first((layers[0], layers[1], file.values, layers[2]), table.PROTOCOL.name)
    protocol = named.value if named else DEFAULT_PANEL
    made = seat_flags(file, layers[0], protocol, is_own_panel=panel.value == protocol)
    return made.flags, replace(file, panel=made.panel), made.note


def _merged(layers: _Layers) -> Values:
    """The first that speaks counts, of an option with parts for each part; lists hold together, the first one first."""
    values: dict[str, Value[Any]] = {}
    for layer in reversed(layers):
        values |= layer
    for name in (option.name for option in table.TABLE if option.shape == "list"):
        if name in values:
            lists = (layer[name].value for layer in layers if name in layer)
            values[name] = replace(values[name], value=tuple(dict.fromkeys(one for listed in lists for one in listed)))
    return values


def _first(layers: Iterable[Values], name: str) -> Value[Any] | None:
    return next((layer[name] for layer in layers if name in layer), None)


def _panel(layers: tuple[Values, ...], home: Path) -> tuple[Value[str], Settings]:
    """The panel somebody named, else the one that bears the protocol's name."""
    named = _first(layers, table.PROTOCOL.name)
    protocol = named.value if named else DEFAULT_PANEL
    own = protocol if presets.is_panel(protocol) else DEFAULT_PANEL
    chosen = _first(layers, table.PANEL.name)
    file = read_panel(chosen.value if chosen else own)
    values = absolute_paths(file.values, Path(chosen.value).parent if chosen else Path(), home)
    if chosen is None and own != protocol:
        values = {name: value for name, value in values.items() if name != table.PROTOCOL.name}
    return chosen or Value(own, "default"), replace(file, values=values)


def _given(charter: Charter) -> tuple[Value[str], Settings]:
    return Value("given", "argument"), charter_settings(charter, "the panel given")


def _rulebook(layers: _Layers, merged: Settings) -> Value[Rulebook]:
    protocol = merged[table.PROTOCOL]
    found = _first(layers, table.RULEBOOK.name) or Value(default_rulebook(protocol), "default")
    renamed = meant(protocol, merged[table.SETTINGS].items())
    typed = Settings(values=layers.flags, panel=merged.panel)[table.SETTINGS]
    changes = (*renamed, *(pair for pair in typed.items() if "." in pair[0]))
    if not changes:
        return Value(check_outcomes(found.value, protocol), found.source)
    said = merged.parts(table.SETTINGS)
    keys = [key for key in said if (key in typed and "." in key) or meant(protocol, ((key, ""),))]
    changed = f"{found.source}, changed by {' and '.join(dict.fromkeys(said[key].source for key in keys))}"
    return Value(check_outcomes(amend_rulebook(found.value, changes), protocol), changed)


def _models(panel: Panel, layers: _Layers) -> Iterator[tuple[str, Value[str]]]:
    """Who answers for each seat: in each layer the seat's own model goes before the one for all."""
    flags = {_seat_key(panel.seat(seat).name): model for seat, model in _seats(layers.flags)}
    scripted = is_demo(model.value for _, model in _seats(layers.panel))
    # Whoever asks for the demo wants no model called because one happens to be in the environment.
    around = {} if scripted else layers.environment
    ordered = ({**layers.flags, **flags}, around, layers.panel, layers.user)
    for seat in panel:
        keys = (_seat_key(seat.name), table.MODEL.name)
        found = next((layer[key] for layer in ordered for key in keys if key in layer), None)
        if found is not None:
            yield seat.name, found


def _seats(values: Values) -> Iterator[tuple[str, Value[str]]]:
    begin = _seat_key("")
    return ((name.removeprefix(begin), value) for name, value in values.items() if name.startswith(begin))


def _seat_key(seat: str) -> str:
    return f"{table.SEATS.name}.{seat}"


def _check_allowed(models: Mapping[str, Value[str]], merged: Settings) -> None:
    """Keep to the models the user file enables, and away from those it disables.

    Raises:
        BadSetting: a seat's model is not allowed.
    """
    enabled, disabled = merged[table.ENABLED], merged[table.DISABLED]
    for seat, chosen in models.items():
        for model in several(chosen.value):
            if model == AUTO:  # what it chooses from is kept to the same patterns
                continue
            if any(fnmatchcase(model, pattern) for pattern in disabled):
                where = merged.source(table.DISABLED)
                raise BadSetting(f"{model!r} for {seat} is disabled by the {where}; choose another or change it")
            if enabled and not any(fnmatchcase(model, pattern) for pattern in enabled):
                where = merged.source(table.ENABLED)
                raise BadSetting(f"{model!r} for {seat} is not enabled by the {where}; there are {', '.join(enabled)}")


def _user_values(env: Mapping[str, str], home: Path) -> Values:
    path, shown = user_file(env, home)
    values = user_file_values(path, shown, needed=bool(env.get("QUORATE_CONFIG")))
    return absolute_paths(values, path.parent, home, is_user_file=True)


def _default_ledger(env: Mapping[str, str], home: Path) -> Values:
    return {table.LEDGER.name: Value(default_ledger(env, home), "default")}
