"""How single values of settings are read."""

from quorate.settings.amounts import budget, seconds, switch
from quorate.settings.model_names import AUTO
from quorate.settings.readers import model_name

__all__ = ["AUTO", "budget", "model_name", "seconds", "switch"]
