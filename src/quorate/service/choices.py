"""What there is to choose from, as documents."""

from quorate.settings.inventory import (
    catalogue_documents,
    option_documents,
    panel_document,
    protocol_documents,
    rulebook_document,
)

__all__ = ["catalogue_documents", "option_documents", "panel_document", "protocol_documents", "rulebook_document"]
