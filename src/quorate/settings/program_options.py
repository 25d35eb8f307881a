"""What a program hands over: options by name, and panelists as objects; and what was made of options said before."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.panelists.registry import CLI, GIVEN
from quorate.settings.base_folders import user_file
from quorate.settings.consent import admit_settings
from quorate.settings.convene import Convener
from quorate.settings.file_fields import read_bytes
from quorate.settings.option import Option
from quorate.settings.process_environment import ProcessEnvironment
from quorate.settings.provider_settings import ProviderLimits
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import ROUTES, SETTINGS, options_at

__all__ = ["AdmittedSettings", "SettingsMemory", "answered_by", "keyword_texts"]

KEPT: Final = 32
"""Answers remembered; a program that says something else each time gains nothing."""
_FOLDERS: Final = frozenset({"sources", "credibility"})
"""Settings that name what lies in a folder, and may lie there no more at the next call."""


def keyword_texts(keywords: Mapping[str, Any], own: Collection[str]) -> dict[str, Any]:
    """What a program says of the options, as `resolve` takes it; `own` are the other keywords of its door.

    An object in an option's place, such as a charter or an open ledger, is the door's to use.

    Raises:
        UnknownName: a keyword there is not.
        BadSetting: a value that is nothing such an option takes.
    """
    options = options_at("program", keywords)
    if sum([bool(option.keyword) or option.name in own for option in options]) < len(keywords):
        _check_names(keywords, own)
    texts = [(option.name, _texts(option, keywords[option.name])) for option in options if option.shape != "switch"]
    return {name: text for name, text in texts if text is not None}


def _check_names(keywords: Mapping[str, Any], own: Collection[str]) -> None:
    known = {*own, *(option.name for option in options_at("program") if option.keyword)}
    if unknown := sorted(keywords.keys() - known):
        raise UnknownName("option", unknown[0], sorted(known))


def _texts(option: Option[Any], value: object) -> object:
    match option.shape, value:
        case _, None:
            return None
        case "pairs", Mapping():
            return tuple((str(name), _text(option, one)) for name, one in value.items())
        case "list", Iterable() if not isinstance(value, str):
            return tuple(value)
        case "value" | "parts", str() | Path() | int() | float() | Fraction():
            return str(value)
        case _ if option.is_path:
            return None
        case _:
            takes = option.keyword or "str"
            raise BadSetting(f"{option.name} takes {takes}, not {value!r:.60}")


def _text(option: Option[Any], value: object) -> str:
    """A number or a truth value is written as a file would write it."""
    if isinstance(value, str | int | float | Fraction):
        return str(value)
    raise BadSetting(f"{option.name} takes texts and numbers, not {value!r:.60}")


def answered_by(charter: Charter, panelists: Mapping[str, Panelist]) -> Charter:
    """Name the panelists that were handed over; seats that share one share a fault domain.

    Raises:
        UnknownName: nobody sits there.
    """
    distinct = list({id(panelist): panelist for panelist in panelists.values()})
    named = {
        charter.panel.seat(seat).name: f"{GIVEN}{type(panelist).__name__}-{distinct.index(id(panelist)) + 1}"
        for seat, panelist in panelists.items()
    }
    return replace(charter, models=tuple({**dict(charter.models), **named}.items()))


class AdmittedSettings(NamedTuple):
    """Settings that may act, and what every call takes from them: the environment to act in, the panel, the limits.

    `convener` convenes that panel; what it has worked out for one call is there for the next.
    """

    settings: Settings
    env: Mapping[str, str]
    draft: Charter
    provider_limits: ProviderLimits
    convener: Convener

    @property
    def charter(self) -> Charter:
        """The panel with a model for every seat.

        Raises:
            NoModel: some seat has none.
        """
        return self.draft if len(self.draft.models) == len(self.draft.panel.seats) else self.settings.charter


@dataclass(frozen=True, slots=True)
class SettingsMemory:
    """Resolves and admits what a program says; a call that says the same in the same environment is not read again.

    What is remembered is keyed by all that it was made of: the options, every variable and the bytes of the user's
    file. What was made of other files is not remembered, for they may have changed.
    """

    known: dict[Hashable, AdmittedSettings] = field(default_factory=dict[Hashable, AdmittedSettings], repr=False)
    lock: Lock = field(default_factory=Lock, repr=False)

    def admit(
        self, texts: Mapping[str, Any], env: ProcessEnvironment, *, charter: Charter | None, trust: bool
    ) -> AdmittedSettings:
        """What was said, allowed to act.

        Raises:
            NotTrusted: the panel file would act, and nobody allowed it.
            QuorateError: something that was said cannot be read.
        """
        said = None if _has_objects(texts) else (tuple(texts.items()), env.items, charter, trust, env.home)
        key = (said, _user_bytes(env)) if said else None
        found = self._find(key)
        if found is None:
            found = _admitted(texts, env, charter, trust=trust)
            # The file may have been written anew while it was read.
            if key is not None and not _is_volatile(found) and key[1] == _user_bytes(env):
                self._keep(key, found)
        return found

    def _find(self, key: Hashable) -> AdmittedSettings | None:
        try:
            return self.known.get(key)
        except TypeError:  # a charter that somebody made of lists
            return None

    def _keep(self, key: Hashable, found: AdmittedSettings) -> None:
        with self.lock:
            if len(self.known) >= KEPT:
                self.known.clear()
            self.known[key] = found


def _admitted(
    texts: Mapping[str, Any], env: ProcessEnvironment, charter: Charter | None, *, trust: bool
) -> AdmittedSettings:
    resolved = resolve(texts, env.variables, env.home, charter=charter)
    found = admit_settings(resolved, env.variables, trust=trust)
    if found.consent is not None:
        # No call goes on with what another began, and a list of all that was begun would grow with every call.
        found = replace(found, consent=replace(found.consent, begun=None))
    there, draft = found.environment(env.variables), found.draft
    return AdmittedSettings(found, there, draft, found.provider_limits, Convener(draft, there))


def _has_objects(texts: Mapping[str, Any]) -> bool:
    """Whether a list was given: what stands in it is the program's, and may be equal and yet something else."""
    return any(option.shape == "list" for option in options_at("program", texts))


def _is_volatile(found: AdmittedSettings) -> bool:
    """Whether files or tools of this machine have gone into it."""
    settings, models = found.settings, found.draft.models
    folders = not _FOLDERS.isdisjoint(settings[SETTINGS])
    return bool(settings.file or settings[ROUTES] or folders or any(f"{CLI}:" in model for _, model in models))


def _user_bytes(env: ProcessEnvironment) -> bytes | None:
    return read_bytes(*user_file(env.variables, env.home))
