"""Options grouped; no model is asked."""

from quorate.offline.group import group_options, options_of

__all__ = ["group_options", "options_of"]
