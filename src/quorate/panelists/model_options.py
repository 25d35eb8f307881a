"""What may be said of a model behind its name, `?effort=high&temperature=0.2`: read here, recorded with the name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from quorate.errors import BadSetting, UnknownName
from quorate.model.numbers import exact

__all__ = ["EFFORTS", "OPTIONS", "Options", "read_options"]

Options = tuple[tuple[str, str], ...]
EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
LONGEST: Final = 86_400
HOTTEST: Final = 2
MOST_TOKENS: Final = 1_000_000


def read_options(written: str, whose: Literal["model", "tool"]) -> Options:
    """The options behind a name, in the order of their names.

    Raises:
        UnknownName: there is no such option for a model, or for a command-line tool.
        BadSetting: an option's value cannot be read, or it stands twice.
    """
    known, read = OPTIONS[whose], dict[str, str]()
    for pair in written.split("&") if written else ():
        name, _, value = pair.partition("=")
        if name not in known:
            raise UnknownName(f"option of a {whose}", name, known)
        if name in read:
            raise BadSetting(f"the option {name} is given twice; give it once")
        known[name](value)
        read[name] = value
    return tuple(sorted(read.items()))


def _effort(value: str) -> None:
    if value not in EFFORTS:
        raise BadSetting(f"effort is one of {', '.join(EFFORTS)}, not {value[:20]!r}")


def _temperature(value: str) -> None:
    heat = exact(value)
    if heat is None or not 0 <= heat <= HOTTEST:
        raise BadSetting(f"temperature is a number from 0 to {HOTTEST}, not {value[:20]!r}")


def _tokens(value: str) -> None:
    if not (value.isascii() and value.isdecimal() and 0 < int(value[:12]) <= MOST_TOKENS):
        raise BadSetting(f"max_tokens is a whole number from 1 to {MOST_TOKENS}, not {value[:20]!r}")


def _seconds(value: str) -> None:
    if not (value.isascii() and value.isdecimal() and 0 < int(value[:12]) <= LONGEST):
        raise BadSetting(f"idle and total are whole seconds from 1 to {LONGEST}, not {value[:20]!r}")


OPTIONS: Final[Mapping[str, Mapping[str, Callable[[str], None]]]] = MappingProxyType(
    {
        "model": MappingProxyType({"effort": _effort, "max_tokens": _tokens, "temperature": _temperature}),
        "tool": MappingProxyType({"effort": _effort, "idle": _seconds, "total": _seconds}),
    }
)
"""What can be said of a model, and of a command-line tool."""
