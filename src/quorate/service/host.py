"""Where a request arrives: environment, home, what the owner started it with, and what of that callers may name."""

import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from quorate import presets
from quorate.errors import BadSetting, NotTrusted, UnknownName
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.panelists.registry import CLI
from quorate.service.policy import POLICIES, Policy, Restriction
from quorate.settings.consent import admit_settings
from quorate.settings.effects import Effect, of_lookups, of_models, of_settings
from quorate.settings.resolve import read_spoken, settle
from quorate.settings.settings import Settings
from quorate.settings.table import LEDGER, PANEL, SEATS, SETTINGS

__all__ = ["Host", "open_place"]

PANEL_FILES: Final = frozenset({".yaml", ".yml"})
NAMED: Final = 3
"""What a request may not do that a refusal names; the rest follows from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Where we run, and for whom.

    `defaults` are the options a server or hook was started with: they hold where a request says nothing. `offered` are
    panel files that callers may name, by the name they have here; `allowed_models` patterns of models they may name
    though those run a command or send to another address.
    """

    env: Mapping[str, str] = field(repr=False)
    home: Path
    policy: Policy
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ledger: Ledger | None = None
    ledger_place: str = ""
    """The file of that ledger, beside which what was read of it may be kept; empty where it has none."""
    offered: Mapping[str, str] = field(default_factory=dict[str, str])
    allowed_models: tuple[str, ...] = ()
    trust: bool = False
    trust_labels: bool = False
    """Whether labels that callers give count for `act_error`."""

    @classmethod
    def here(cls, interface: str, *, defaults: Mapping[str, Any] | None = None, ledger: Ledger | None = None) -> "Host":
        """This process as its user started it."""
        return cls(
            env=dict(os.environ),
            home=Path("~").expanduser(),
            policy=POLICIES[interface],
            defaults=defaults or {},
            ledger=ledger,
        )

    def settings(self, panel: str | None = None) -> Settings:
        """What holds without a request, for the panel that is usual here or one of those that are offered.

        Raises:
            QuorateError: it cannot be read, or would act and was not allowed to.
        """
        defaults = self.defaults if panel is None else {**self.defaults, PANEL.name: self.panel(panel)}
        return admit_settings(settle(read_spoken(defaults, self.env, self.home)), self.env, trust=self.trust)

    def environment(self) -> Mapping[str, str]:
        """The environment with the keys of every panel that is offered, for whoever goes on with a record."""
        env = self.settings().environment(self.env)
        for name in self.offered:
            env = {**self.settings(name).environment(self.env), **env}
        return env

    def panel(self, name: str) -> str:
        """The panel or panel file that a request means by a name.

        Raises:
            UnknownName: no such panel is offered.
            BadSetting: it is no panel file in a folder where one may lie.
        """
        if self.policy.restricts(Restriction.OFFERED_PANELS):
            return self._offered(name)
        if self.policy.restricts(Restriction.PANELS_NEARBY) and name not in self.offered:
            return self._nearby(name)
        return self.offered.get(name, name)

    def _offered(self, name: str) -> str:
        if name not in self.offered and not presets.is_panel(name):
            known = {*presets.panels(), *self.offered}
            raise UnknownName("panel", name, known, "The owner of this server can offer a panel file by a name")
        return self.offered.get(name, name)

    def _nearby(self, name: str) -> str:
        if presets.is_panel(name):
            return name
        wanted = Path(name)
        plain = name.isprintable() and wanted.suffix in PANEL_FILES and ".." not in wanted.parts
        for folder in (Path.cwd(), self.home / ".config/quorate/panels") if plain and not wanted.is_absolute() else ():
            path = (folder / wanted).resolve()
            if path.is_relative_to(folder.resolve()) and path.is_file():
                return str(path)
        raise BadSetting(
            f"no panel {name[:60]!r}; name one that ships, or a .yaml file in the folder where this server runs or in "
            "~/.config/quorate/panels"
        )

    def require(self, settings: Settings) -> None:
        """See that a request names nothing that would act, but for what is configured or allowed here.

        Raises:
            NotTrusted: it does.
        """
        if not self.policy.restricts(Restriction.CONFIGURED_EFFECTS):
            return
        wanted = {*_effects(settings, self.env)} - self._allowed_by_models(settings)
        if not wanted:  # as nearly always; what is configured needs reading only to compare
            return
        allowed = {*_effects(settle(read_spoken(self.defaults, self.env, self.home)), self.env)}
        if settings.file is not None:
            # What the file itself names was consented to; what the request adds was not.
            allowed |= {*_effects(settle(read_spoken({PANEL.name: settings[PANEL]}, self.env, self.home)), self.env)}
        if missing := [one for one in _effects(settings, self.env) if one in wanted - allowed]:
            lines = "; ".join(effect.line for effect in missing[:NAMED])
            raise NotTrusted(
                f"this request would {lines}, and the owner of this server has not allowed that. Nothing was done"
            )

    def _allowed_by_models(self, settings: Settings) -> set[Effect]:
        """What comes from models that a caller may name: by a pattern of the owner's, or by their plain name."""
        models = [model for model in settings[SEATS].values() if self._is_named(model)]
        effects = {*of_models(models, self.env)}
        if self.policy.restricts(Restriction.PLAIN_MODELS) and not self.policy.restricts(Restriction.OFFERED_PANELS):
            tools = (model for model in settings[SEATS].values() if model.startswith(f"{CLI}:"))
            effects |= {*of_models(tools, self.env)}  # a tool whose arguments we know, or that the user declared
        return effects

    @property
    def allows_people(self) -> bool:
        """Whether every caller may answer for a seat that a person holds."""
        return self._is_named("person:")

    def is_usable(self, model: str) -> bool:
        """Whether a model that was found here may answer unasked."""
        if not self.policy.restricts(Restriction.OFFERED_PANELS):
            return bool(model)
        return bool(model) and (self._is_named(model) or not [*of_models((model,), self.env)])

    def _is_named(self, model: str) -> bool:
        return any(fnmatchcase(model, pattern) for pattern in self.allowed_models)

    def open_ledger(self, settings: Settings) -> AbstractAsyncContextManager[Ledger]:
        """The ledger that was given to this host, or that of the settings for as long as it is used."""
        return nullcontext(self.ledger) if self.ledger is not None else open_place(settings[LEDGER])


@asynccontextmanager
async def open_place(place: str) -> AsyncGenerator[Ledger]:
    """The ledger at a place, for as long as it is used.

    Raises:
        LedgerError: there is none, or it can't be opened.
    """
    ledger = open_ledger(place)
    try:
        yield ledger
    finally:
        await ledger.close()


def _effects(settings: Settings, env: Mapping[str, str]) -> Iterator[Effect]:
    """What the models and settings would do, wherever they were said."""
    named = settings[SETTINGS]
    yield from of_models(settings[SEATS].values(), env)
    yield from of_settings(named, env)
    yield from of_lookups(settings.lookups)
    search = named.get("search", "").casefold()
    if search not in {"", "none"}:
        yield Effect("search", search)
