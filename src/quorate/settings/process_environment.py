"""The environment of a process as a value, which stays the same one for as long as nobody changes a variable."""

import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Final, NamedTuple, cast

__all__ = ["EnvironmentReader", "ProcessEnvironment"]

_OWN: Final = type(os.environ)


class ProcessEnvironment(NamedTuple):
    """Every variable, and the user's home. `items` are the variables as a key, which is hashed only once."""

    variables: Mapping[str, str]
    items: frozenset[tuple[str, str]]
    home: Path

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "ProcessEnvironment":
        """These variables, with the home that the process has now.

        Raises:
            RuntimeError: nobody can say where that is.
        """
        return cls(variables, frozenset(variables.items()), Path.home())


class EnvironmentReader:
    """Reads `os.environ`. To decode every variable takes long, and between two calls of a program hardly one changes.

    So it is compared in the form in which Python keeps it. A mapping that a program has put in its place is read anew.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        """Nothing has been read yet."""
        self._last: tuple[Mapping[bytes | str, bytes | str], ProcessEnvironment] | None = None

    def read(self, environ: MutableMapping[str, str]) -> ProcessEnvironment:
        """The environment as it is now.

        Raises:
            RuntimeError: nobody can say where the user's home is.
        """
        kept: object = getattr(environ, "_data", None)
        if type(environ) is not _OWN or not isinstance(kept, dict):
            return ProcessEnvironment.of(dict(environ))
        last = self._last
        if last is not None and last[0] == kept and "HOME" in last[1].variables:  # else it is asked of the system
            return last[1]
        copied = cast("dict[bytes | str, bytes | str]", kept).copy()
        read = ProcessEnvironment.of({os.fsdecode(name): os.fsdecode(value) for name, value in copied.items()})
        self._last = copied, read
        return read
