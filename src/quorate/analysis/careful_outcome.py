"""What is said instead of an outcome that approves, where nobody may rely on it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model import Tally

__all__ = ["CAREFUL", "careful_outcome"]

CAREFUL: Final[Mapping[str, str]] = MappingProxyType({"ACT": "WARN", "SUPPORT": "UNCERTAIN", "YES": "UNDETERMINED"})
"""What approves in the protocols that ship, and what is said instead, whatever a rulebook made for another says."""


def careful_outcome(tally: Tally, outcome: str | None) -> str | None:
    """The word that approves nothing; none where the outcome does not approve, as an option of a list does not."""
    if outcome in CAREFUL:
        return CAREFUL[outcome or ""]
    closed = "" if "UNDETERMINED" in tally.options else next(iter(tally.options), "")
    return tally.options[1] if outcome and outcome == closed and tally.options[1:] else None
