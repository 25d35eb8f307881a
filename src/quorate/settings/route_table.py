"""The table that `auto` chooses from: tasks, preferences, limits and what is known of models, all from one file."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from quorate.errors import BadPanel, BadSetting
from quorate.frozen import dataclass
from quorate.panelists.registry import parse
from quorate.settings.amounts import amount, dollars, seconds, switch
from quorate.settings.file_fields import Field, quote_text, read_bytes, read_document

__all__ = ["SHIPPED", "Facts", "RouteTable", "Task", "load_table"]

T = TypeVar("T")
SHIPPED: Final = Path(__file__).with_name("routes.yaml")
OTHERWISE: Final = "otherwise"
FIELDS: Final = ("date", "spread", "limits", "protocols", "otherwise", "tasks", "models", "aliases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a model can do, or must: the price of 1,000 tokens each way, seconds of latency, tokens of context."""

    price: Fraction | None = None
    latency: Fraction | None = None
    context: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One kind of work: the words that tell it, and the models for it in order, for some parts others first."""

    name: str
    words: frozenset[str]
    models: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]

    def order(self, part: str) -> tuple[str, ...]:
        """The models for a part, best first."""
        return tuple(dict.fromkeys((*self.roles.get(part, ()), *self.models)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    """All of it. `protocols` maps a protocol to the tasks of its parts, `otherwise` standing for the rest."""

    file: str
    date: str
    tasks: Mapping[str, Task]
    otherwise: str
    spread: bool
    limits: Facts
    protocols: Mapping[str, Mapping[str, str]]
    models: Mapping[str, Facts]
    aliases: Mapping[str, tuple[str, ...]]
    digest: str = ""
    """The hash of the file it was read from."""


@cache
def load_table(path: str = "") -> RouteTable:
    """Read a table, the shipped one if none is named; each is read once.

    Raises:
        BadPanel: there is none, or it cannot be read, with line and field.
    """
    content = read_bytes(Path(path) if path else SHIPPED, path or SHIPPED.name)
    if content is None:
        raise BadPanel(
            f"no table of routes {quote_text(path)}; name a file, or leave 'routes' out for the one that ships"
        )
    table = _table(read_document(content, path or SHIPPED.name))
    return replace(table, digest=sha256(content).hexdigest())


def _table(document: Field) -> RouteTable:
    known = document.fields(FIELDS)
    for name in ("date", "tasks"):
        if name not in known:
            raise document.fault(f"'{name}' is missing; a table of routes has a date and its tasks")
    tasks = {name: _task(name, field) for name, field in known["tasks"].pairs()}
    if not tasks:
        raise known["tasks"].fault("no task; name one, with its models in order")

    def task(text: str) -> str:
        if text not in tasks:
            raise BadSetting(f"no task {quote_text(text)}; there are {', '.join(tasks)}")
        return text

    return RouteTable(
        file=document.file,
        date=known["date"].text(),
        tasks=tasks,
        otherwise=known["otherwise"].read(task) if "otherwise" in known else next(iter(tasks)),
        spread=known["spread"].read(switch) if "spread" in known else True,
        limits=_facts(known["limits"]) if "limits" in known else Facts(),
        protocols={name: _parts(field, task) for name, field in _pairs(known, "protocols")},
        models={_model(name, field): _facts(field) for name, field in _pairs(known, "models")},
        aliases={name: _listed(field, str) for name, field in _pairs(known, "aliases")},
    )


def _pairs(known: Mapping[str, Field], name: str) -> tuple[tuple[str, Field], ...]:
    return known[name].pairs() if name in known else ()


def _task(name: str, field: Field) -> Task:
    known = field.fields(("words", "models", "roles"))
    if "models" not in known or not known["models"].items():
        raise field.fault("no models; list them under 'models', best first")
    return Task(
        name=name,
        words=frozenset(_listed(known["words"], str.casefold)) if "words" in known else frozenset(),
        models=_listed(known["models"], _named),
        roles={part.casefold(): _listed(inner, _named) for part, inner in _pairs(known, "roles")},
    )


def _parts(field: Field, task: Callable[[str], str]) -> Mapping[str, str]:
    if field.plain:
        return {OTHERWISE: field.read(task)}
    return {part.casefold(): inner.read(task) for part, inner in field.pairs()}


def _facts(field: Field) -> Facts:
    known = field.fields(("price", "latency", "context"))
    return Facts(
        price=known["price"].read(dollars) if "price" in known else None,
        latency=known["latency"].read(seconds) if "latency" in known else None,
        context=known["context"].read(amount) if "context" in known else None,
    )


def _listed(field: Field, reader: Callable[[str], T]) -> tuple[T, ...]:
    return tuple(inner.read(reader) for inner in field.items())


def _model(name: str, field: Field) -> str:
    return field.read(lambda _: _named(name)) if field.plain else _told(name, field)


def _told(name: str, field: Field) -> str:
    try:
        return _named(name)
    except BadSetting as wrong:
        raise field.fault(str(wrong)) from wrong


def _named(text: str) -> str:
    parse(text)
    return text.strip()
