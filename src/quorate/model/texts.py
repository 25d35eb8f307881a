"""Which fields are somebody's words: the ledger hashes them apart, so that they can be forgotten."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, bool]] = MappingProxyType({"words": True})

FORGOTTEN: Final = "[forgotten]"
