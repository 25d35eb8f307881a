"""What a file or a record would have us do beyond asking providers at their own addresses. Nothing is done here."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final, Literal, cast, get_args

from quorate.errors import BadSetting, QuorateError
from quorate.evidence.file_walk import SourceFile, gather
from quorate.evidence.search_servers import SERVERS
from quorate.evidence.secret_files import is_secret
from quorate.frozen import dataclass
from quorate.ledger import serde as codec
from quorate.model import Convened, Event, LookupTerms, PartRef, Routed
from quorate.panelists.cli.tools import DECLARED, find_tool, variable_of
from quorate.panelists.registry import (
    CLI,
    GIVEN,
    PROVIDERS,
    RECORDING,
    is_key_allowed,
    is_own_address,
    ours,
    parse,
)
from quorate.rules import rulebook_origin
from quorate.settings.context_files import match_files
from quorate.settings.model_names import AUTO, several
from quorate.settings.provider_settings import CACHES
from quorate.settings.route_table import RouteTable
from quorate.settings.settings import Settings
from quorate.settings.table import ACT_ERROR, CACHE, FILES, RULEBOOK, SEATS, SETTINGS

__all__ = [
    "ConsentRequest",
    "Effect",
    "digest_of",
    "looks_at_files",
    "of_lookups",
    "of_models",
    "of_panel",
    "of_record",
    "of_routes",
    "of_settings",
    "record_effects",
    "typed_effects",
]

Kind = Literal["command", "address", "key", "file", "folder", "write", "record", "search", "web"]
KINDS: Final = frozenset(get_args(Kind))
_LINES: Final[Mapping[str, str]] = {
    "command": "run the command {what}",
    "address": "send the question and everything that is said to {what}",
    "key": "use a key of its own where {what} is not set; its owner may see all that is asked",
    "file": "read {what}, which the models may then see",
    "folder": "let the models list, read and search the files in {what}",
    "write": "write what models answer to the file {what}",
    "record": "read the recorded answers of {what} and show them to the models",
    "search": "send what the panel looks for to the search server {what}",
    "web": "open public web addresses that models name",
}
_LOOK: Final = "To see it all and allow it: quorate panel trust {}"
_ON: Final = frozenset({"true", "yes", "on"})
_PLACES: Final = ("sources", "credibility")
"""Settings that name what lies in a folder, and may lie there no more at the next call."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that would be done. `key` is the variable whose value would go to an address with everything else.

    `shown` is how it looks today, such as the arguments of a known tool; two effects may differ in it and be the same.
    """

    kind: Kind
    what: str
    key: str = ""
    shown: str = field(default="", compare=False)

    @property
    def line(self) -> str:
        """What would be done, for whoever is to allow it."""
        said = _LINES[self.kind].format(what=self.what)
        if self.kind == "command" and self.shown:
            return f"{said}: {self.shown}"
        return f"{said}, with {self.key}" if self.key else said

    @property
    def plain(self) -> list[str]:
        """As it is kept."""
        return [self.kind, self.what, self.key]

    @classmethod
    def of(cls, kept: object) -> "Effect | None":
        """An effect as it was kept, none if it is something else."""
        match kept:
            case [str(kind), str(what), str(key)] if kind in KINDS:
                return cls(cast("Kind", kind), what, key)
            case _:
                return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRequest:
    """What a file or record asks leave for: everything it would do, and the hash of its content."""

    name: str
    digest: str
    effects: tuple[Effect, ...]
    how: str
    """How to see it and to allow it."""
    wish: str = "to allow it for one run, without sending keys"
    """What the option `trust` would be good for."""
    decides: tuple[str, ...] = ()
    """How it would decide, where it says so itself. That needs no leave, but nobody should allow the rest unaware."""


def of_panel(file: Settings, path: str, env: Mapping[str, str]) -> ConsentRequest:
    """What a panel file asks leave for; its folder is its own, and what lies there is part of it.

    Raises:
        QuorateError: a pattern of files leaves the folder or finds nothing.
    """
    name = path if path.isprintable() else repr(path)
    declared, settings, cache = dict(file.keys), file[SETTINGS], file.get(CACHE)
    return ConsentRequest(
        name=name,
        digest=file.digest,
        effects=_once(
            *_of_declared(declared),
            *of_models(file[SEATS].values(), {**env, **declared}, declared),
            *of_settings(settings, env, Path(path).parent),
            *_of_search(settings.get("search", "").casefold(), env),
            *_of_files(file[FILES]),
            *of_lookups(file.lookups),
            *([Effect("write", str(Path(cache).absolute()))] if cache and cache not in CACHES else []),
        ),
        how=_LOOK.format(shlex.quote(name)),
        decides=tuple(_decides(file)),
    )


def _decides(file: Settings) -> Iterator[str]:
    book = file.get(RULEBOOK)
    if book is not None and rulebook_origin(book) != "shipped":
        rules, caps = (", ".join(map(_told, named)) for named in (book.rules, book.unless))
        parts = (rules, f"otherwise {_told(book.otherwise)}", f"caps {caps}" if caps else "", f"silence {book.silence}")
        yield f"decide by its own rulebook {book.name!r}: {'; '.join(filter(None, parts))}"
    for name, value in sorted(file[SETTINGS].items()):
        yield f"set {name} to {value}"
    if (share := file.get(ACT_ERROR)) is not None:
        yield f"set {ACT_ERROR.name} to {ACT_ERROR.write(share)}"


def _told(rule: PartRef) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in rule.settings)
    return f"{rule.name} ({settings})" if settings else rule.name


def of_routes(table: RouteTable, env: Mapping[str, str]) -> ConsentRequest:
    """What a table of routes asks leave for: the addresses and commands of its models."""
    models = (
        model for task in table.tasks.values() for listed in (task.models, *task.roles.values()) for model in listed
    )
    return ConsentRequest(
        name=table.file,
        digest=table.digest,
        effects=_once(*of_models(models, env)),
        how=_LOOK.format(shlex.quote(table.file)),
    )


def of_record(id_: str, events: Sequence[Event], env: Mapping[str, str]) -> ConsentRequest:
    """What going on with a record asks leave for. Nothing lies in a record's own folder: it has none."""
    first = events[0] if events else None
    return ConsentRequest(
        name=f"deliberation {id_}",
        digest=digest_of(first) if isinstance(first, Convened) else "",
        effects=record_effects(events, env),
        how="It was not started here",
        wish="to continue anyway",
    )


def record_effects(events: Sequence[Event], env: Mapping[str, str]) -> tuple[Effect, ...]:
    """What would be done for a record: by its models, by its settings, and in the folder where seats may look."""
    first = events[0] if events else None
    settings = dict(first.settings) if isinstance(first, Convened) else {}
    seated = (
        *(first.seated if isinstance(first, Convened) else ()),
        *(event.seated for event in events if isinstance(event, Routed)),
    )
    models = (model for sat in seated for model in (sat.model, *sat.fallbacks))
    return _once(
        *of_models(models, env),
        *of_settings(settings, env),
        *_of_address(settings.get("search", "").casefold()),
        *of_lookups(first.lookups if isinstance(first, Convened) else None),
    )


def looks_at_files(models: Iterable[str], settings: Iterable[tuple[str, str]]) -> bool:
    """Whether what these come to depends on files or tools of this machine, which may change."""
    named = any(name in _PLACES for name, _ in settings)
    return named or any(model == AUTO or f"{CLI}:" in model for model in models)


def digest_of(convened: Convened) -> str:
    """Under which name it is kept what a deliberation may do: the hash of how it began, its words in their places."""
    return codec.sha256_hex(codec.canonical_event(convened))


def typed_effects(effects: Iterable[Effect], env: Mapping[str, str]) -> frozenset[Effect]:
    """Effects that the user named himself; that he typed an address does not send a key there, unless he allowed it."""
    return frozenset(
        effect if effect.kind != "address" or is_key_allowed(effect.key, effect.what, env) else replace(effect, key="")
        for effect in effects
    )


def of_models(
    written: Iterable[str], env: Mapping[str, str], declared: Mapping[str, str] | None = None
) -> Iterator[Effect]:
    """What models would do by their names; commands that stand in `declared` are told of there."""
    for model in dict.fromkeys(name for one in written for name in several(one)):
        if model.startswith(RECORDING):
            yield Effect("record", model.removeprefix(RECORDING))
        if not (ours(model) or model == AUTO or model.startswith((GIVEN, "demo:"))):
            yield from _of_named(model, env, declared or {})


def _of_named(model: str, env: Mapping[str, str], declared: Mapping[str, str]) -> Iterator[Effect]:
    """What a model of a provider or a command-line tool would do."""
    try:
        named = parse(model)
    except QuorateError:  # nobody can open it under any name, so it does nothing
        return
    if named.provider == CLI:
        tool = named.name.partition("/")[0]
        if variable_of(tool) not in declared:
            yield Effect("command", f"{CLI}:{tool}", shown=_arguments(named.name, env))
    elif named.given and not is_own_address(named, env):
        yield Effect("address", named.base_url, PROVIDERS[named.provider].variable)


def of_settings(settings: Mapping[str, str], env: Mapping[str, str], folder: Path | None = None) -> Iterator[Effect]:
    """What settings of a protocol would do: sources and tables that are read, whom else texts are shown to.

    Raises:
        BadSetting: no file can be called so.
    """
    for name in _PLACES:
        if "\0" in settings.get(name, ""):
            raise BadSetting(f"{name} names files, and no file has a NUL character in its name")
        for path in settings.get(name, "").split(os.pathsep):
            if path:
                yield from _of_path(Path(path), folder)
    if ":" in settings.get("similarity", ""):
        yield from of_models((settings["similarity"],), env)
    if settings.get("search", "").casefold() == "mcp":
        yield Effect("command", "search: mcp", shown=env.get("QUORATE_SEARCH_MCP", ""))
    if settings.get("fetch", "").casefold() in _ON:
        yield Effect("web", "fetch")


def of_lookups(lookups: LookupTerms | None) -> Iterator[Effect]:
    """A folder that seats may look into: whatever lies there may go to their models, in the file's own folder too."""
    if lookups is not None:
        yield Effect("folder", str(Path(lookups.root).resolve()))


def _of_search(said: str, env: Mapping[str, str]) -> Iterator[Effect]:
    """A search server is somebody else's: whatever it is called, what is looked for goes there."""
    known = SERVERS.get(said)
    if known is None:
        yield from _of_address(said)
    else:
        yield Effect("search", env.get(known.address, "").strip() or known.otherwise or said, known.key)


def _of_address(said: str) -> Iterator[Effect]:
    """Where a server is named by its address. In a record one that we know by name is as a provider is."""
    if said not in {"", "none", "mcp", *SERVERS}:
        yield Effect("search", said)


def _of_declared(declared: Mapping[str, str]) -> Iterator[Effect]:
    for variable, value in declared.items():
        if variable.startswith(DECLARED):
            yield Effect("command", value)
        else:
            yield Effect("key", variable)


def _of_files(patterns: Iterable[tuple[str, str]]) -> Iterator[Effect]:
    """Files of the folder are the panel file's own, unless they look like secrets."""
    for _, path in match_files(patterns):
        if is_secret(path) or is_secret(path.resolve()):
            yield Effect("file", str(path.resolve()))


def _of_path(path: Path, folder: Path | None) -> Iterator[Effect]:
    """A source or a table: free in the file's own folder, if neither it nor what lies in it looks like a secret."""
    real = path.resolve()
    if folder is None or not real.is_relative_to(folder.resolve()) or is_secret(path) or is_secret(real):
        yield Effect("file", str(real))
        return
    for found in gather(real):
        if isinstance(found, SourceFile) and is_secret(real / found.name):
            yield Effect("file", str(real / found.name))


def _arguments(name: str, env: Mapping[str, str]) -> str:
    try:
        return shlex.join(find_tool(name, "", env).argv)
    except QuorateError:
        return "which is not declared here"


def _once(*effects: Effect) -> tuple[Effect, ...]:
    return tuple(dict.fromkeys(effects))
