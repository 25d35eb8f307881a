"""How the ledger keeps a field: somebody's words are hashed apart, so that they can be forgotten."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, bool]] = MappingProxyType({"words": True})
INLINE: Final[Mapping[str, bool]] = MappingProxyType({"inline": True})
"""One of several dataclasses, its fields written among those around it: their names tell which one it is."""


class ForgottenText(str):
    """What stands where words are gone. A type of its own, since anybody can say the words it is shown as."""

    __slots__ = ()


FORGOTTEN: Final = ForgottenText("[forgotten]")


def is_forgotten(text: object) -> bool:
    """Whether the ledger no longer has these words, whatever they were."""
    return isinstance(text, ForgottenText)
