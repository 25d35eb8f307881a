"""What people need who add protocols, rules, forms, counts, checks, providers, ledgers or errands, from one place."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from quorate.errors import PanelistError
from quorate.guard import Finding
from quorate.model import (
    Approval,
    Argument,
    Ask,
    Ballot,
    Brief,
    Caution,
    Change,
    Choice,
    Course,
    Errand,
    Estimate,
    Evidence,
    Finish,
    Found,
    Heard,
    Panel,
    PartRef,
    Passage,
    Prompt,
    Question,
    Quote,
    Ranking,
    Read,
    Reply,
    Rulebook,
    Seat,
    Silence,
    Speech,
    Tally,
    Usage,
    Verdict,
    Voice,
    Vote,
)
from quorate.model.specs import (
    ANY,
    OPEN,
    AnswerTerms,
    CheckSpec,
    CountSpec,
    FileSpec,
    FormSpec,
    ProtocolSpec,
    RuleSpec,
    Variant,
)
from quorate.reading.text.object_form import AnswerFields, FormField, object_form

if TYPE_CHECKING:
    from quorate.ledger import Book, Claim, Entry, Ledger, Row, Summary
    from quorate.panelists import Panelist, WordListener, ignore_words
    from quorate.panelists.added_provider import JsonEndpoint
    from quorate.panelists.http.client import Http
    from quorate.panelists.http.wire_format import Endpoint, SamplingOptions
    from quorate.panelists.price import Price
    from quorate.panelists.provider_table import Provider

# Loaded when they are asked for: a rule of another package must not make every command load an HTTP client.
_LATER: Final = {
    **dict.fromkeys(("Book", "Claim", "Entry", "Ledger", "Row", "Summary"), "quorate.ledger"),
    **dict.fromkeys(("Panelist", "WordListener", "ignore_words"), "quorate.panelists"),
    "Http": "quorate.panelists.http.client",
    "JsonEndpoint": "quorate.panelists.added_provider",
    **dict.fromkeys(("Endpoint", "SamplingOptions"), "quorate.panelists.http.wire_format"),
    "Price": "quorate.panelists.price",
    "Provider": "quorate.panelists.provider_table",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any part, by its name
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


__all__ = [
    "ANY",
    "OPEN",
    "AnswerFields",
    "AnswerTerms",
    "Approval",
    "Argument",
    "Ask",
    "Ballot",
    "Book",
    "Brief",
    "Caution",
    "Change",
    "CheckSpec",
    "Choice",
    "Claim",
    "CountSpec",
    "Course",
    "Endpoint",
    "Entry",
    "Errand",
    "Estimate",
    "Evidence",
    "FileSpec",
    "Finding",
    "Finish",
    "FormField",
    "FormSpec",
    "Found",
    "Heard",
    "Http",
    "JsonEndpoint",
    "Ledger",
    "Panel",
    "Panelist",
    "PanelistError",
    "PartRef",
    "Passage",
    "Price",
    "Prompt",
    "ProtocolSpec",
    "Provider",
    "Question",
    "Quote",
    "Ranking",
    "Read",
    "Reply",
    "Row",
    "RuleSpec",
    "Rulebook",
    "SamplingOptions",
    "Seat",
    "Silence",
    "Speech",
    "Summary",
    "Tally",
    "Usage",
    "Variant",
    "Verdict",
    "Voice",
    "Vote",
    "WordListener",
    "ignore_words",
    "object_form",
]
