"""What whoever runs the server allows its callers: settings, panels and models; and a request made into a deliberation.

A request is somebody else's. What it names that could act (a command, an address, a file, a search server) is refused
unless the operator has configured the same thing, or allowed it by a pattern. It can name no file at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from quorate import presets
from quorate.engine.picked_models import pick_models
from quorate.engine.routing import resolve_routes
from quorate.engine.shared_runner import RunnerSettings
from quorate.errors import BadSetting, NotTrusted, UnknownName
from quorate.frozen import dataclass
from quorate.guard.empty import visible
from quorate.ledger import Ledger
from quorate.model import Convened, Question
from quorate.model.charter import Charter
from quorate.model.panel import plain
from quorate.offline.forecast import Forecast, forecast, require_one_pass
from quorate.settings.consent import admit_settings
from quorate.settings.context_files import with_files
from quorate.settings.convene import check_fit, convene
from quorate.settings.effects import Effect, of_lookups, of_models, of_settings
from quorate.settings.operator_defaults import lay_over, with_stricter_act_error
from quorate.settings.resolve import Settings, resolve, suitable_protocol
from quorate.settings.settings import Settings as _Settings
from quorate.settings.table import (
    ACT_ERROR,
    BUDGET,
    CONCURRENCY,
    DEADLINE,
    FILES,
    MEMORY,
    MODEL,
    PANEL,
    PATIENCE,
    PROTOCOL,
    RULEBOOK,
    SEATS,
    SETTINGS,
)

__all__ = ["NAMED_OPTIONS", "Operator", "PreparedRequest", "StartRequest", "terms_of", "written_value"]

NAMED_OPTIONS: Final = (RULEBOOK, BUDGET, DEADLINE, PATIENCE, MEMORY, ACT_ERROR)
"""Options that a request may set by name beside the settings of its protocol."""
MOST_NAMED: Final = 100
"""Settings, seats and models of a request each. A body has room for 20,000; putting those together takes a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """What a caller asks for."""

    question: Annotated[str, "What is to be decided."]
    protocol: Annotated[
        str | None, "How the seats deliberate; chosen by the question if neither it nor a panel is given."
    ] = None
    panel: Annotated[str | None, "A panel that `GET /api/panels` lists."] = None
    options: Annotated[tuple[str, ...], "What to choose from."] = ()
    context: Annotated[str, "Background the models should know. Always text, never the name of a file."] = ""
    criteria: Annotated[str, "What would settle the question."] = ""
    settings: Annotated[
        Mapping[str, str | int | float | bool], "Settings that `GET /api/settings` and `GET /api/protocols` list."
    ] = field(default_factory=dict[str, str | int | float | bool])
    seats: Annotated[Mapping[str, str], "The model for a seat, by the seat's name."] = field(
        default_factory=dict[str, str]
    )
    models: Annotated[tuple[str, ...], "The model for every seat, or several to be dealt."] = ()
    allow_partial: Annotated[bool, "Start even if the budget cannot pay for one complete pass."] = False


class PreparedRequest(NamedTuple):
    """A request as it will be held: the first event, the settings it came from, and what a caller should know."""

    convened: Convened
    resolved: Settings
    env: Mapping[str, str]
    notes: tuple[str, ...] = ()
    partial: bool = False

    @property
    def terms(self) -> RunnerSettings:
        """How it is held."""
        return terms_of(self.resolved)

    async def recalling(self, ledger: Ledger) -> "PreparedRequest":
        """The same with what its seats are shown of what this ledger has decided, where that is wanted."""
        if not self.resolved[MEMORY]:
            return self
        from quorate.offline.precedents import recall

        found = await recall(ledger, self.convened, self.resolved[MEMORY])
        return self._replace(convened=found.convened, notes=(*self.notes, found.sentence))

    def check_budget(self) -> None:
        """Refuse a budget that could not pay for one complete pass, unless the caller wants it so.

        Raises:
            BadSetting: so it is, with both figures.
        """
        if not self.partial:
            require_one_pass(self.convened, self.resolved.provider_limits, self.env)

    @property
    def charter(self) -> Charter:
        """The panel as it would sit."""
        convened = self.convened
        return Charter(
            panel=convened.panel,
            protocol=convened.protocol,
            models=tuple((sat.seat, sat.model) for sat in convened.seated),
            rulebook=convened.rulebook,
            settings=convened.settings,
            limits=convened.limits,
            lookups=convened.lookups,
        )

    def forecast(self) -> Forecast:
        """What it would take; nobody is asked."""
        return forecast(resolve_routes(self.convened, self.resolved.provider_limits, self.env), self.env)


def terms_of(resolved: Settings) -> RunnerSettings:
    """How deliberations under these settings are held."""
    return RunnerSettings(
        concurrency=resolved[CONCURRENCY], provider_limits=resolved.provider_limits, consent=resolved.consent
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """What the operator said when the server was started, and what of it callers may use."""

    env: Mapping[str, str] = field(repr=False)
    home: Path
    said: Mapping[str, Any]
    panels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Panel files that callers may name, by the name they have here."""
    models: tuple[str, ...] = ()
    """Patterns of models that callers may name though they run a command or send to another address."""
    trust: bool = False
    trust_labels: bool = False
    """Whether labels that callers give count for `act_error`."""

    def settings(self, panel: str | None = None) -> Settings:
        """What holds without a request, for the panel that is usual here or one of those that are offered.

        Raises:
            QuorateError: it cannot be read, or would act and was not allowed to.
        """
        said = self.said if panel is None else {**self.said, PANEL.name: self._panel(panel)}
        return admit_settings(resolve(said, self.env, self.home), self.env, trust=self.trust)

    def environment(self) -> Mapping[str, str]:
        """The environment with the keys of every panel that is offered, for whoever goes on with a record."""
        env = self.settings().environment(self.env)
        for name in self.panels:
            env = {**self.settings(name).environment(self.env), **env}
        return env

    def _panel(self, name: str) -> str:
        if name in self.panels:
            return self.panels[name]
        if not presets.is_panel(name):
            raise UnknownName(
                "panel", name, {*presets.panels(), *self.panels}, "To offer a file: quorate serve --offer FILE"
            )
        return name

    async def prepare(self, request: StartRequest) -> PreparedRequest:
        """Make a deliberation of a request.

        Raises:
            NotTrusted: it names what would act, and the operator has not allowed that.
            QuorateError: it cannot be held.
        """
        _check_sizes(request)
        question = _question(request)
        said, notes = self._said(request), list[str]()
        if choice := suitable_protocol(said, question, self.env, self.home):
            question, said = choice.put(question, said)
            notes.append(choice.sentence)
        resolved = resolve(said, self.env, self.home)
        self.require(resolved, request.panel)
        resolved = admit_settings(resolved, self.env, trust=self.trust)
        check_fit(question, resolved.draft)
        question, _ = with_files(question, resolved[FILES])
        found = await pick_models(resolved, self.env, is_allowed=self._is_harmless)
        env = resolved.environment(self.env)
        told = (*notes, *resolved.notes, *filter(None, (found.sentence,)))
        return PreparedRequest(convene(question, found.charter, env), resolved, env, told, request.allow_partial)

    def _said(self, request: StartRequest) -> dict[str, Any]:
        """What the operator said, and over it what the request says."""
        named = {option.name for option in NAMED_OPTIONS}
        written = {name: written_value(value) for name, value in request.settings.items()}
        asked: dict[str, Any] = {name: value for name, value in written.items() if name in named}
        asked[SETTINGS.name] = tuple((name, value) for name, value in written.items() if name not in named)
        asked[SEATS.name] = tuple(request.seats.items())
        if request.panel is not None:
            asked[PANEL.name] = self._panel(request.panel)
        if request.protocol is not None:
            asked[PROTOCOL.name] = request.protocol
        if request.models:
            asked[MODEL.name] = request.models
        asked = with_stricter_act_error(asked, self.said, self.env, self.home)
        return lay_over(self.said, asked, {MODEL.name} if self._brings_seats(request) else ())

    def _brings_seats(self, request: StartRequest) -> bool:
        """Whether a request seats names that its panel does not have: each has its model, the usual one has no seat."""
        name = request.panel or request.protocol
        known = presets.panel(name) if name and presets.is_panel(name) else self.settings(request.panel).draft
        return bool({*map(plain, request.seats)} - {plain(seat.name) for seat in known.panel})

    def require(self, resolved: Settings, panel: str | None) -> None:
        """See that a request names nothing that would act, but for what is configured or allowed here.

        Raises:
            NotTrusted: it does.
        """
        allowed = {*_effects(resolve(self.said, self.env, self.home), self.env)}
        if panel in self.panels:
            allowed |= {*_effects(self.settings(panel), self.env)}
        wanted = [one for one in _effects(resolved, self.env) if one not in allowed]
        models = [model for model in resolved[SEATS].values() if self._is_named(model)]
        missing = [one for one in wanted if one not in {*of_models(models, self.env)}]
        if missing:
            told = "; ".join(one.line for one in missing[:3])
            raise NotTrusted(
                f"this request would {told}, and whoever runs this server has not allowed that. Nothing was done. "
                "To allow a model: quorate serve --allow-model PATTERN"
            )

    @property
    def allows_people(self) -> bool:
        """Whether every caller may answer for a seat that a person holds."""
        return self._is_named("person:")

    def is_usable(self, model: str) -> bool:
        """Whether a caller may name a model that was found here."""
        return self._is_harmless(model)

    def _is_named(self, model: str) -> bool:
        return any(fnmatchcase(model, pattern) for pattern in self.models)

    def _is_harmless(self, model: str) -> bool:
        """Whether a model that was found here may answer unasked."""
        return bool(model) and (self._is_named(model) or not [*of_models((model,), self.env)])


def _effects(resolved: _Settings, env: Mapping[str, str]) -> Iterator[Effect]:
    """What the models and settings would do, wherever they were said."""
    settings = resolved[SETTINGS]
    yield from of_models(_models(resolved), env)
    yield from of_settings(settings, env)
    yield from of_lookups(resolved.lookups)
    search = settings.get("search", "").casefold()
    if search not in {"", "none"}:
        yield Effect("search", search)


def _models(resolved: _Settings) -> Iterable[str]:
    return resolved[SEATS].values()


def _check_sizes(request: StartRequest) -> None:
    for name in ("settings", "seats", "models"):
        if len(getattr(request, name)) > MOST_NAMED:
            raise BadSetting(f"the field {name!r} takes at most {MOST_NAMED} entries")


def _question(request: StartRequest) -> Question:
    if not any(map(visible, request.question)):
        raise BadSetting("the question is blank; give it as the field 'question'")
    return Question(text=request.question, context=request.context, criteria=request.criteria, options=request.options)


def written_value(value: str | float | bool) -> str:  # noqa: FBT001 - a value, not a switch
    """A setting as a file would write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
