"""Pure. Finds protocols, rules, checks, forms and ways to count by file name and entry point.

It reads their settings from their signatures: a keyword-only argument is a setting.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType, NoneType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from quorate.errors import BadSetting, UnknownName
from quorate.model.numbers import share

Kind = Literal["protocol", "rule", "check", "form", "count"]

ROOMS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "protocol": "quorate.protocols",
        "rule": "quorate.rules",
        "check": "quorate.guard",
        "form": "quorate.reading",
        "count": "quorate.counting",
    }
)
PARTS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {"protocol": ("protocol",), "rule": ("rule", "cap"), "check": ("check",), "form": ("read",), "count": ("count",)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A keyword-only argument as a user sees it."""

    name: str
    type: Any
    default: object

    @property
    def choices(self) -> str:
        """What may be written there."""
        if get_origin(self.type) is Literal:
            return " | ".join(str(word) for word in get_args(self.type))
        return {Fraction: "share, e.g. 2/3 or 75 %", int: "whole number", bool: "true | false"}.get(self.type, "text")


@cache
def names(kind: Kind) -> tuple[str, ...]:
    """Every name of a kind: the files of its room that have the function the kind asks for, then entry points.

    What is installed does not change while a program runs, and asking every package for its entry points takes 10 ms.
    """
    room = import_module(ROOMS[kind])
    files = (module.name for module in pkgutil.iter_modules(room.__path__) if not module.name.startswith("_"))
    shipped = {name for name in files if _has_part(kind, import_module(f"{ROOMS[kind]}.{name}"))}
    return tuple(sorted(shipped | {point.name for point in entry_points(group=ROOMS[kind])}))


def _has_part(kind: Kind, module: ModuleType) -> bool:
    return any(hasattr(module, part) for part in PARTS[kind])


@cache
def load(kind: Kind, name: str) -> ModuleType:
    """Import the file that bears this name; several times an ask, so it is looked for once.

    Raises:
        UnknownName: no such file or entry point.
    """
    if name.isidentifier() and not name.startswith("_"):
        path = f"{ROOMS[kind]}.{name}"
        try:
            module = import_module(path)
        except ModuleNotFoundError as missing:
            if missing.name != path:
                raise
        else:
            if _has_part(kind, module):
                return module
    for point in entry_points(group=ROOMS[kind], name=name):
        loaded = point.load()
        if isinstance(loaded, ModuleType):
            return loaded
    raise UnknownName(kind, name, names(kind))


@cache
def settings(function: Callable[..., object]) -> tuple[Setting, ...]:
    """A function's keyword-only arguments are its settings, looked up once: they never change."""
    hints = get_type_hints(function)
    return tuple(
        Setting(name=name, type=hints[name], default=argument.default)
        for name, argument in inspect.signature(function).parameters.items()
        if argument.kind is argument.KEYWORD_ONLY
    )


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
    return {name: value_of(known[name], text, what) for name, text in pairs}


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
_READERS: Final[Mapping[Any, Callable[[str], object]]] = MappingProxyType({Fraction: share, int: _whole, bool: _switch})
