"""What is worked out when it is first asked for, and kept: a value of a frozen object, a pattern to look for."""

import re
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar, overload

T = TypeVar("T")
Owner = TypeVar("Owner")


@cache
def pattern(source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern that few texts need: to compile all there are takes longer than many a command."""
    return re.compile(source, flags)


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
