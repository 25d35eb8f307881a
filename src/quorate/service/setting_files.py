"""How files of settings are read."""

from quorate.settings.file_fields import Field, Fields, Items, Node, read_bytes, read_document

__all__ = ["Field", "Fields", "Items", "Node", "read_bytes", "read_document"]
