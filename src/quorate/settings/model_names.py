"""A seat's model as it is written: one name, several with commas between them, or `auto`."""

from typing import Final

__all__ = ["AUTO", "join_models", "several"]

AUTO: Final = "auto"
"""The name under which a table chooses."""


def several(written: str) -> tuple[str, ...]:
    """The models in their order: the first answers, the others if it fails."""
    return tuple(name for part in written.split(",") if (name := part.strip()))


def join_models(*written: str) -> str:
    """Several models as one text."""
    return ", ".join(name for one in written for name in several(one))
