"""What files and records would do, and what the user has allowed."""

from quorate.settings.consent import Consent, Consents, admit_settings, asked_by_file
from quorate.settings.effects import ConsentRequest, of_record, of_routes
from quorate.settings.route_table import SHIPPED, load_table

__all__ = [
    "SHIPPED",
    "Consent",
    "ConsentRequest",
    "Consents",
    "admit_settings",
    "asked_by_file",
    "load_table",
    "of_record",
    "of_routes",
]
