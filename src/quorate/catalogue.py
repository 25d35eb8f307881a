"""Pure. Finds protocols, rules, checks, forms and ways to count by file name and entry point, each with its typed SPEC.

A file's name is the name of what it holds; a keyword-only argument of its function is a setting.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from quorate.errors import BadPlugin, BadSetting, QuorateError, UnknownName
from quorate.frozen import dataclass
from quorate.model.numbers import numbers_by_name, share
from quorate.model.specs import CheckSpec, CountSpec, FormSpec, ProtocolSpec, Reader, RuleSpec, VoteKind
from quorate.model.verdict import Rulebook
from quorate.plugins import blame_package, entry_points_of, load_part

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["protocol", "rule", "check", "form", "count"]
Spec = ProtocolSpec | RuleSpec | CheckSpec | FormSpec | CountSpec
SpecT = TypeVar("SpecT", ProtocolSpec, RuleSpec, CheckSpec, FormSpec, CountSpec)

ROOMS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "protocol": "quorate.protocols",
        "rule": "quorate.rules",
        "check": "quorate.guard",
        "form": "quorate.reading",
        "count": "quorate.counting",
    }
)
GROUPS: Final[Mapping[Kind, str]] = MappingProxyType({kind: f"quorate.{kind}s" for kind in ROOMS})
"""The group of entry points by which other packages add to a room."""
SPECS: Final[Mapping[Kind, type[Spec]]] = MappingProxyType(
    {"protocol": ProtocolSpec, "rule": RuleSpec, "check": CheckSpec, "form": FormSpec, "count": CountSpec}
)


DECLARED: Final = "SPEC"
"""Under which name a file declares what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A keyword-only argument as a user sees it, or a field of one that holds several, its `group`."""

    name: str
    type: Any
    default: object
    group: str = ""

    @property
    def choices(self) -> str:
        """What may be written there."""
        if get_origin(self.type) is Literal:
            return " | ".join(str(word) for word in get_args(self.type))
        return _CHOICES.get(self.type, "text")


_CHOICES: Final[Mapping[Any, str]] = MappingProxyType(
    {
        Fraction: "share, e.g. 2/3 or 75 %",
        int: "whole number",
        bool: "true | false",
        tuple[tuple[str, Fraction], ...]: 'numbers by seat, e.g. {"Ann": 1.25, "Ben": -0.5}',
    }
)


@cache
def names(kind: Kind) -> tuple[str, ...]:
    """Every name of a kind: the files of its room that declare a SPEC of that kind, then entry points.

    What is installed does not change while a program runs, and asking every package for its entry points takes 10 ms.
    """
    room = import_module(ROOMS[kind])
    files = (module.name for module in pkgutil.iter_modules(room.__path__) if not module.name.startswith("_"))
    shipped = {name for name in files if _declared(kind, import_module(f"{ROOMS[kind]}.{name}")) is not None}
    return tuple(sorted(shipped | {point.name for point in entry_points_of(GROUPS[kind])}))


def _declared(kind: Kind, module: ModuleType) -> object:
    spec = vars(module).get(DECLARED)
    return spec if isinstance(spec, SPECS[kind]) else None


@cache
def module(kind: Kind, name: str) -> ModuleType:
    """The file that bears this name, for its docstring.

    Raises:
        UnknownName: no such file or entry point.
        BadPlugin: what an entry point names cannot be imported, or is no module.
    """
    if name.isidentifier() and not name.startswith("_"):
        path = f"{ROOMS[kind]}.{name}"
        try:
            found = import_module(path)
        except ModuleNotFoundError as missing:
            if missing.name != path:
                raise
        else:
            if _declared(kind, found) is not None:
                return found
    for point in entry_points_of(GROUPS[kind]):
        if point.name == name:
            return _from_elsewhere(kind, point)
    raise UnknownName(kind, name, names(kind))


def _from_elsewhere(kind: Kind, point: "EntryPoint") -> ModuleType:
    loaded = load_part(kind, point)
    if not isinstance(loaded, ModuleType):
        raise BadPlugin(f"{kind} {point.name!r}: the entry point must name a module, and {point.value!r} is none")
    return loaded


def summary(kind: Kind, name: str) -> str:
    """What it is, in the first line of its docstring."""
    return (module(kind, name).__doc__ or "").partition("\n")[0]


def _spec(kind: Kind, wanted: type[SpecT], name: str) -> SpecT:
    found = module(kind, name)
    spec = _declared(kind, found)
    if not isinstance(spec, wanted):
        raise BadPlugin(
            f"{kind} {name!r} ({found.__name__}) has no SPEC = {wanted.__name__}(…); see how to write a {kind}"
        )
    for wrong in _mistyped(spec):
        raise BadPlugin(f"{kind} {name!r} cannot be used: {wrong}")
    for function in filter(callable, (getattr(spec, field, None) for field in _WITH_SETTINGS)):
        with blame_package(f"{kind} {name!r} cannot be used: its settings cannot be read"):
            settings(function)
    return spec


_WITH_SETTINGS: Final = ("protocol", "count", "rule", "cap")
_hints: Final = cache(get_type_hints)  # they are the same for all of a kind


def _mistyped(spec: Spec) -> Iterator[str]:
    """What of a SPEC is not of the type that it declares, in words; what stands within a list is not looked into."""
    kind: Any = type(spec)
    for field in fields(spec):
        value: object = getattr(spec, field.name)
        if not _fits(value, _hints(kind)[field.name]):
            yield f"its {field.name} cannot be {value!r}"


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401  a hint is anything
    """Whether a value is of a type, by its outermost part."""
    origin = get_origin(hint) or hint
    if origin in {Union, UnionType}:
        return any(_fits(value, one) for one in get_args(hint))
    if origin is Callable or origin is Reader:
        return callable(value)
    return value in get_args(hint) if origin is Literal else isinstance(value, origin)


@cache
def protocol(name: str) -> ProtocolSpec:
    """A protocol by its name; several times an ask, so it is looked for and checked once. So with all that follow.

    Raises:
        UnknownName: no such file or entry point.
        BadPlugin: it declares what does not fit together.
    """
    spec = _spec("protocol", ProtocolSpec, name)
    with blame_package(f"protocol {name!r} cannot be used: what it declares cannot be read"):
        wrong = next(_misfits(spec), None)
    if wrong is not None:
        raise BadPlugin(f"protocol {name!r} cannot be used: {wrong}")
    return spec


@cache
def protocols() -> Mapping[str, ProtocolSpec]:
    """Every protocol that can be used, by name: one that cannot must not stand in the way of the others."""
    found: dict[str, ProtocolSpec] = {}
    for name in names("protocol"):
        with suppress(BadPlugin):
            found[name] = protocol(name)
    return MappingProxyType(found)


@cache
def form(name: str) -> FormSpec:
    """A form by its name."""
    return _spec("form", FormSpec, name)


@cache
def count(name: str) -> CountSpec:
    """A way to count by its name."""
    return _spec("count", CountSpec, name)


@cache
def rule(name: str) -> RuleSpec:
    """A rule or a cap by its name."""
    spec = _spec("rule", RuleSpec, name)
    try:
        _ = spec.function
    except ValueError as wrong:
        raise BadPlugin(f"rule {name!r} cannot be used: it {wrong}") from None
    return spec


@cache
def check(name: str) -> CheckSpec:
    """A check by its name."""
    return _spec("check", CheckSpec, name)


def is_shipped(function: object) -> bool:
    """Whether a function is one of ours, and so never wrong by somebody else's fault."""
    return str(getattr(function, "__module__", "")).startswith("quorate.")


def foreign_votes(book: Rulebook, spec: ProtocolSpec) -> str:
    """Why a rulebook may not decide under a protocol: a rule looks into votes, or at a count, that are not there."""
    counted = count(spec.count.name).votes
    for named in (*book.rules, book.otherwise):
        wanted, counts = rule(named.name).votes, rule(named.name).counts
        if counts and spec.count.name not in counts:
            return f"rule {named.name!r} decides on the counts {' and '.join(counts)} alone, not on {spec.count.name!r}"
        if wanted and not set(wanted) & set(counted):
            return (
                f"rule {named.name!r} looks into {_kinds(wanted)}, and count {spec.count.name!r} has {_kinds(counted)}"
            )
    return ""


def _kinds(votes: tuple[VoteKind, ...]) -> str:
    return " or ".join(f"{kind.__name__.lower()}s" for kind in votes) or "no votes"


def _misfits(spec: ProtocolSpec) -> Iterator[str]:
    """What of a protocol's declarations does not fit together, in words."""
    try:
        counts = count(spec.count.name)
        bind(counts.count, spec.count.settings, f"count {spec.count.name!r}")
        forms = [form(name) for name in (spec.form, *(one.form for one in spec.variants.values()))]
    except QuorateError as wrong:
        yield str(wrong)
        return
    odd = next((one.vote for one in forms if one.vote is not None and one.vote not in counts.votes), None)
    if odd is not None:
        yield f"its form reads a {odd.__name__}, and count {spec.count.name!r} does not count those"
    yield from _unknown_references(spec)
    for book in spec.books:
        yield from _misfits_of(book)


def _unknown_references(spec: ProtocolSpec) -> Iterator[str]:
    """What a protocol names of itself and does not have, in words."""
    if spec.turned_away is not None and spec.turned_away not in spec.outcomes:
        yield f"turned_away = {spec.turned_away!r} is none of its outcomes"
    if spec.varies_by and spec.varies_by not in {setting.name for setting in settings(spec.protocol)}:
        yield f"varies_by = {spec.varies_by!r} is none of its settings"


def _misfits_of(book: Rulebook) -> Iterator[str]:
    for named in (*book.rules, book.otherwise, *book.unless):
        try:
            spec = rule(named.name)
            bind(spec.function, named.settings, f"rule {named.name!r}")
        except QuorateError as wrong:
            yield f"rulebook {book.name!r}: {wrong}"
            return
        if (spec.cap is not None) is not (named in book.unless):
            yield f"rulebook {book.name!r}: {named.name!r} does not belong where it stands; caps go into unless"
    if not rule(book.otherwise.name).always:
        yield f"rulebook {book.name!r} ends with {book.otherwise.name!r}, which may stay silent"


@cache
def settings(function: Callable[..., object]) -> tuple[Setting, ...]:
    """A function's keyword-only arguments are its settings, looked up once: they never change.

    An argument that is a dataclass stands for its fields: so settings that two functions share are declared once.
    """
    hints = get_type_hints(function)
    arguments = inspect.signature(function).parameters.items()
    own = [(name, one.default) for name, one in arguments if one.kind is one.KEYWORD_ONLY]
    return tuple(setting for name, default in own for setting in _settings(name, hints[name], default))


def _settings(name: str, hint: Any, default: object) -> Iterator[Setting]:  # noqa: ANN401  a hint is anything
    if not is_dataclass(hint):
        yield Setting(name=name, type=hint, default=default)
        return
    hints = get_type_hints(hint)
    for field in fields(hint):
        yield Setting(name=field.name, type=hints[field.name], default=field.default, group=name)


def bind(function: Callable[..., object], written: Iterable[tuple[str, str]], what: str) -> dict[str, Any]:
    """Read settings as they are written into what the function takes.

    Raises:
        UnknownName: the function has no such setting.
        BadSetting: the value is not of the setting's type.
    """
    pairs = tuple(written)
    if not pairs:
        return {}
    known = {setting.name: setting for setting in settings(function)}
    for name, _ in pairs:
        if name not in known:
            raise UnknownName(f"setting of {what}", name, known)
    values = {name: value_of(known[name], text, what) for name, text in pairs}
    return _grouped(function, known, values)


def _grouped(
    function: Callable[..., object], known: Mapping[str, Setting], values: Mapping[str, object]
) -> dict[str, Any]:
    """Values as the function takes them: those of a group as one."""
    groups: dict[str, dict[str, object]] = {}
    for name, value in values.items():
        groups.setdefault(known[name].group, {})[name] = value
    alone = groups.pop("", {})
    hints = get_type_hints(function) if groups else {}
    return {**alone, **{group: hints[group](**fields) for group, fields in groups.items()}}


def value_of(setting: Setting, text: str, what: str) -> object:
    """Read one value.

    Raises:
        BadSetting: it is not of the setting's type.
    """
    allowed = [part for part in get_args(setting.type) if part is not NoneType] or [setting.type]
    if get_origin(setting.type) is Literal:
        word = next((word for word in allowed if str(word).casefold() == text.casefold()), None)
    else:
        word = _READERS.get(allowed[0], str)(text)
    if word is None:
        raise BadSetting(f"{what} takes {setting.name} = {setting.choices}, not {text!r}")
    return word


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None


def _switch(text: str) -> bool | None:
    return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(text.casefold())


_DIGITS: Final = 9
_READERS: Final[Mapping[Any, Callable[[str], object]]] = MappingProxyType(
    {Fraction: share, int: _whole, bool: _switch, tuple[str, Fraction]: numbers_by_name}
)
