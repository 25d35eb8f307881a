"""What is set here: by the environment, the user's file and the options that were named."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from quorate.settings.layers import write_user_value
from quorate.settings.option import Option
from quorate.settings.resolve import Settings, read_spoken, resolve

__all__ = ["Settings", "current_settings", "own_value", "write_user_value"]

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def current_settings(options: Mapping[str, Any] = _NOTHING) -> Settings:
    """What holds here under these options, where nobody puts a question.

    Raises:
        QuorateError: something of it cannot be read.
    """
    return resolve(options, os.environ, Path("~").expanduser())


def own_value(option: Option[Any]) -> Any:  # noqa: ANN401 - what it is depends on the option
    """What the environment or the user's file says of an option, else its default.

    Raises:
        QuorateError: something there cannot be read.
    """
    spoken = read_spoken({}, os.environ, Path("~").expanduser()).merged.get(option.name)
    return option.default if spoken is None else spoken.value
