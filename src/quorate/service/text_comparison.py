"""How texts are compared here."""

from quorate.engine.similarity_backend import backend_of

__all__ = ["backend_of"]
