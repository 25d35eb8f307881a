"""A program's keywords as a request: the options of the one table, and a panel or panelists that are objects."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from quorate.ledger import Ledger
from quorate.model import Panel, Question
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.service.request import Request
from quorate.settings.program_options import keyword_texts
from quorate.settings.table import LEDGER, PANEL, PROTOCOL

__all__ = ["given_ledger", "request_of"]


def request_of(
    keywords: Mapping[str, Any], own: Collection[str], question: Question | None = None, protocol: str | None = None
) -> Request:
    """The request; `own` are the keywords that belong to the interface and not to the table.

    Raises:
        UnknownName: a keyword there is not, with the nearest one.
        BadSetting: a value that such an option doesn't take.
    """
    options = keyword_texts(keywords, own)
    panel, protocol = keywords.get(PANEL.name), keywords.get(PROTOCOL.name, protocol)
    if protocol is not None:
        options[PROTOCOL.name] = protocol
    if isinstance(panel, str | Path):
        options[PANEL.name] = str(panel)
    elif isinstance(panel, Panel):
        panel = Charter(panel=panel, protocol=protocol or DEFAULT_PROTOCOL)
    return Request(
        question=question,
        options=options,
        place="program",
        trust=bool(keywords.get("trust")),
        allow_partial=bool(keywords.get("allow_partial")),
        charter=panel if isinstance(panel, Charter) else None,
        panelists=keywords.get("panelists"),
    )


def given_ledger(keywords: Mapping[str, Any]) -> Ledger | None:
    """A ledger that is an object of the program; none where a path or an address is named, or nothing."""
    ledger: Ledger | str | Path | None = keywords.get(LEDGER.name)
    return None if ledger is None or isinstance(ledger, str | Path) else ledger
