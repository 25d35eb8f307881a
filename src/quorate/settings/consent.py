"""Consent: what the user allowed a file or a record to do, kept by the hash of its content in his own folder.

A panel file, a table of routes and a record from elsewhere are data. What they name that can act waits here until the
user has allowed it: once and for all for that content, or for one run. What he typed himself needs no consent.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from quorate.errors import BadSetting, NotTrusted, Suggestion
from quorate.frozen import dataclass
from quorate.model import Convened, Event
from quorate.panelists.key_places import ALLOWED, pair
from quorate.panelists.registry import PROVIDERS, is_key_allowed
from quorate.settings.effects import (
    ConsentRequest,
    Effect,
    digest_of,
    looks_at_files,
    of_lookups,
    of_models,
    of_panel,
    of_record,
    of_routes,
    of_settings,
    record_effects,
    typed_effects,
)
from quorate.settings.model_names import AUTO
from quorate.settings.table import PANEL, ROUTES, SEATS

if TYPE_CHECKING:
    from quorate.settings.settings import Settings

__all__ = ["Consent", "Consents", "admit_settings", "asked_by_file"]

FOLDER: Final = "trust"
BEGUN: Final = "begun"
"""The file of what the user began himself: a line for each deliberation, its hash and what it may do."""
NAMED: Final = 10
"""How many effects an error names; the command it tells of lists them all."""
KNOWN: Final = 32
"""Panels whose effects are remembered."""
_NONE: Final = frozenset[Effect]()


@dataclass(frozen=True, slots=True)
class Consents:
    """What was allowed: a file for each content, named by its hash, that only the user can read."""

    folder: Path

    def read(self, digest: str) -> frozenset[Effect]:
        """What was allowed for a content; what cannot be read allows nothing."""
        try:
            listed: object = json.loads(self._file(digest).read_bytes())["effects"]
        except FileNotFoundError:
            listed = self._begun(digest)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return _NONE
        found = map(Effect.of, cast("list[object]", listed)) if isinstance(listed, list) else ()
        return frozenset(effect for effect in found if effect is not None)

    def _begun(self, digest: str) -> object:
        """What a deliberation that was begun here may do."""
        try:
            lines = (self.folder / FOLDER / BEGUN).read_bytes()
            at = lines.find(f"\n{digest} ".encode())
            return json.loads(lines[at:].split(b"\n", 2)[1].partition(b" ")[2]) if at >= 0 else None
        except (OSError, ValueError, RecursionError):
            return None

    def add_line(self, digest: str, effects: str) -> None:
        """Add a line for a deliberation: in one write, so that lines of several processes do not mix.

        Raises:
            OSError: it cannot be written.
        """
        # A line feed first: whatever broke off before ends there.
        line = f"\n{digest} {effects}\n".encode()
        file = f"{self.folder}/{FOLDER}/{BEGUN}"
        try:
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except FileNotFoundError:
            (self.folder / FOLDER).mkdir(mode=0o700, parents=True, exist_ok=True)
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(made, line)
        finally:
            os.close(made)

    def keep(self, request: ConsentRequest) -> None:
        """Allow everything that a content asks for, until it changes.

        Raises:
            BadSetting: it cannot be written down.
        """
        written = {"name": request.name, "effects": [effect.plain for effect in request.effects]}
        beside = self.folder / FOLDER / f".{token_hex(8)}"
        try:
            beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            made = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(made, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(json.dumps(written, indent=1) + "\n")
            beside.replace(self._file(request.digest))
        except OSError as wrong:
            raise BadSetting(f"consent cannot be kept in {str(beside.parent)!r}: {wrong.strerror}") from wrong

    def _file(self, digest: str) -> Path:
        return self.folder / FOLDER / f"{digest}.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What may be done in one run. `own` is what the user named himself, or allowed for the files of this run.

    `always` allows everything but keys: somebody said so for this run. A key goes only where that pair was allowed:
    `pairs` are those of the files, `held` says in sentences which keys stay here though `always` lets the rest go.
    """

    kept: Consents
    env: Mapping[str, str] = field(repr=False)
    routes: str = ""
    always: bool = False
    own: frozenset[Effect] = field(default=_NONE, repr=False)
    pairs: tuple[str, ...] = ()
    held: "tuple[HeldKey, ...]" = ()
    begun: dict[str, frozenset[Effect]] | None = field(default_factory=dict[str, frozenset[Effect]], repr=False)
    """What was begun in this run, for whoever resumes in it and cannot write; none where one consent serves many."""
    known: dict[object, "_Begun"] = field(default_factory=dict[object, "_Begun"], repr=False, compare=False)
    """What was worked out for deliberations of the same models and settings, in the same environment."""

    def require(self, request: ConsentRequest) -> None:
        """See that all of it was allowed.

        Raises:
            NotTrusted: something was not, with what to type.
        """
        missing = self._missing(request)
        if missing:
            lines = [*(effect.line for effect in missing[:NAMED]), *request.decides]
            more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
            raise NotTrusted(
                f"{request.name} would {'; '.join(lines)}{more}. Nothing was done. {request.how}",
                suggestions=(Suggestion("trust", wish=request.wish),),
            )

    def _missing(self, request: ConsentRequest) -> tuple[Effect, ...]:
        allowed = self._allowed(request.digest)
        return tuple(
            effect
            for effect in request.effects
            if not self.always and effect not in allowed and replace(effect, key="") not in allowed
        )

    def _allowed(self, digest: str) -> frozenset[Effect]:
        return self.own | self.kept.read(digest) | (self.begun or {}).get(digest, _NONE)

    def require_record(self, id_: str, events: Sequence[Event]) -> None:
        """See that going on with a record was allowed, and the table that `auto` would choose from.

        Raises:
            NotTrusted: it was not.
        """
        self.require(of_record(id_, events, self.env))
        first = events[0]
        if isinstance(first, Convened) and any(sat.model == AUTO for sat in first.seated):
            self.require_routes()

    def require_routes(self) -> None:
        """See that the user's table of routes was allowed; the one that ships names no address.

        Raises:
            NotTrusted: it was not.
        """
        if self.routes:
            self.require(_of_routes(self.routes, self.env))

    def begin(self, convened: Convened) -> None:
        """Remember that the user began this himself, so that it can be resumed; the disk may be full or read-only.

        Raises:
            NotTrusted: a model would be chosen from a table of routes that nobody allowed.
        """
        digest, begun = digest_of(convened), self._begin(convened)
        if self.begun is not None:
            self.begun[digest] = begun.allowed
        if begun.allowed:
            with suppress(OSError):
                self.kept.add_line(digest, begun.line)

    def _begin(self, convened: Convened) -> "_Begun":
        """What it may do, from before if these very models and settings have been begun in this environment."""
        models = tuple([(sat.model, *sat.fallbacks) for sat in convened.seated])
        key = models, tuple([(name, text) for name, text in convened.settings])
        known = self.known.get(key)
        if known is not None and known.env is self.env and convened.lookups is None:
            return known
        table = self._table_effects(convened)
        allowed = typed_effects((*record_effects([convened], self.env), *table), self.env)
        listed = sorted(effect.plain for effect in allowed)
        begun = _Begun(self.env, allowed, json.dumps(listed))
        of_files = table or convened.lookups or looks_at_files(chain.from_iterable(models), convened.settings)
        if not of_files:
            if len(self.known) >= KNOWN:
                self.known.clear()
            self.known[key] = begun
        return begun

    def _table_effects(self, convened: Convened) -> tuple[Effect, ...]:
        """What the table of routes names, if a model is to be chosen from one.

        Raises:
            NotTrusted: nobody allowed it.
        """
        if not self.routes or all(sat.model != AUTO for sat in convened.seated):
            return ()
        self.require_routes()
        return _of_routes(self.routes, self.env).effects

    def environment(
        self, id_: str, events: Sequence[Event], note: Callable[[str], None] | None = None
    ) -> Mapping[str, str]:
        """The environment for a record: keys go where they were allowed to go when it was begun or allowed.

        `note` is told of those that are held back.
        """
        request = of_record(id_, events, self.env)
        if note is not None:
            for held in self.held_of(request):
                note(f"{held.text}; to send it there, set allow_keys to {held.pair}")
        more = self.pairs_of(request)
        before = self.env.get(ALLOWED, "")
        return {**self.env, ALLOWED: ",".join(filter(None, (before, *more)))} if more else self.env

    def pairs_of(self, request: ConsentRequest) -> tuple[str, ...]:
        """The keys that may go where a request would send them; that somebody trusts it for one run sends none."""
        allowed = self._allowed(request.digest)
        return tuple(pair(effect.key, effect.what) for effect in _with_key(request) if effect in allowed)

    def held_of(self, request: ConsentRequest) -> Iterator["HeldKey"]:
        """A sentence for each key that is set and does not go where a request, trusted for one run, would send it."""
        allowed = self._allowed(request.digest)
        for effect in _with_key(request):
            free = effect in allowed or is_key_allowed(effect.key, effect.what, self.env)
            if self.always and self.env.get(effect.key) and not free:
                name = next(name for name, provider in PROVIDERS.items() if provider.variable == effect.key)
                text = f"{effect.key} is held back from {effect.what}: trust for one run sends no key"
                yield HeldKey(text, pair(name, effect.what))


class HeldKey(NamedTuple):
    """A key that doesn't go where a file would send it, and the pair that would let it."""

    text: str
    pair: str


class _Begun(NamedTuple):
    """What a deliberation that was begun in an environment may do, and as it is written."""

    env: Mapping[str, str]
    allowed: frozenset[Effect]
    line: str


def admit_settings(resolved: "Settings", env: Mapping[str, str], *, trust: bool = False) -> "Settings":
    """The same settings, with what the panel file names in force, once the user has allowed it.

    Raises:
        NotTrusted: he has not.
    """
    begun = Consent(kept=Consents(resolved.state), env=resolved.environment(env), always=trust)
    asked, routes = tuple(_requests(resolved, env)), resolved[ROUTES]
    for request in asked:
        begun.require(request)
    pairs = tuple(one for request in asked for one in begun.pairs_of(request))
    held = tuple(key for request in asked for key in begun.held_of(request))
    known = replace(resolved, consent=replace(begun, pairs=pairs))
    there = known.environment(env)
    draft = resolved.draft
    models, settings = (model for _, model in draft.models), dict(draft.settings)
    named = (*of_models(models, there), *of_settings(settings, there), *of_lookups(draft.lookups))
    own = typed_effects((*named, *(effect for request in asked for effect in request.effects)), there)
    return replace(known, consent=replace(begun, pairs=pairs, held=held, own=own, env=there, routes=routes))


def _requests(resolved: "Settings", env: Mapping[str, str]) -> Iterator[ConsentRequest]:
    """What the panel file asks leave for, and the table of routes, if some seat may be chosen by it."""
    of_file = asked_by_file(resolved, env)
    if of_file is not None:
        yield of_file
    models, routes = set(resolved[SEATS].values()), resolved[ROUTES]
    if routes and (AUTO in models or not models):
        yield _of_routes(routes, env)


def asked_by_file(resolved: "Settings", env: Mapping[str, str]) -> ConsentRequest | None:
    """What the panel file asks leave for; none if there is no such file."""
    if resolved.file is None:
        return None
    return of_panel(resolved.file, resolved[PANEL], env)


def _with_key(request: ConsentRequest) -> Iterator[Effect]:
    return (effect for effect in request.effects if effect.kind == "address" and effect.key)


def _of_routes(path: str, env: Mapping[str, str]) -> ConsentRequest:
    from quorate.settings.route_table import load_table  # noqa: PLC0415  few panels say auto

    return of_routes(load_table(path), env)
