"""What is worked out when it is first asked for, and kept: a value of a frozen object, a pattern to look for."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, AnyStr, Final, Generic, TypeVar, cast, overload

T = TypeVar("T")
Owner = TypeVar("Owner")


@cache
def pattern(source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern that few texts need: to compile all there are takes longer than many a command."""
    return re.compile(source, flags)


def lazy_pattern(source: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """As `re.compile`, done when it is first used: a command loads a hundred patterns, and uses half of them."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))


class _LazyPattern:
    """Becomes a pattern with its first use, and hands out what that has from then on; two who use it at once agree."""

    def __init__(self, source: str | bytes, flags: re.RegexFlag) -> None:
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        # What was found is found in the object itself from then on, as fast as in a pattern.
        compiled: Any = re.compile(self.pattern, self._flags)
        self.__dict__.update({each: getattr(compiled, each) for each in _OF_PATTERNS})
        return getattr(compiled, name)


_OF_PATTERNS: Final = (
    *("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"),
    *("flags", "groups", "groupindex"),
)


class worked_out_once(Generic[Owner, T]):  # noqa: N801  it is used as a decorator
    """As `functools.cached_property`, without the lock that it takes at first: two who ask at once get equal values."""

    def __init__(self, function: Callable[[Owner], T]) -> None:
        """Remember how it is worked out."""
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, one: None, _: type) -> "worked_out_once[Owner, T]": ...
    @overload
    def __get__(self, one: Owner, _: type) -> T: ...
    def __get__(self, one: Owner | None, _: type) -> "T | worked_out_once[Owner, T]":
        if one is None:
            return self
        value = one.__dict__[self._name] = self._function(one)
        return value
