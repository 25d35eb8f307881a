"""Which version of quorate this is."""

from quorate.settings.convene import made_by

__all__ = ["made_by"]
