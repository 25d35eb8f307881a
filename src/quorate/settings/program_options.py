"""What a program hands over: options by name, and panelists as objects."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from quorate.errors import UnknownName
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.panelists.registry import GIVEN
from quorate.settings.layers import Flags

__all__ = ["answered_by", "flags_of"]


def flags_of(options: Mapping[str, Any], known: Collection[str], protocol: str | None = None) -> Flags:
    """Options of a program as the flags they stand for; `known` are the names its door takes.

    Raises:
        UnknownName: an option there is not.
    """
    if unknown := sorted(options.keys() - set(known)):
        raise UnknownName("option", unknown[0], sorted(known))
    panel, ledger = options.get("panel"), options.get("ledger")
    return Flags(
        panel=str(panel) if isinstance(panel, str | Path) else None,
        protocol=protocol,
        rulebook=options.get("rulebook"),
        model=options.get("model"),
        seats=tuple(options.get("seats", {}).items()),
        settings=tuple(options.get("settings", {}).items()),
        budget=options.get("budget"),
        deadline=options.get("deadline"),
        patience=options.get("patience"),
        concurrency=str(options["concurrency"]) if "concurrency" in options else None,
        ledger=str(ledger) if isinstance(ledger, str | Path) else None,
        allow_keys=tuple(options.get("allow_keys", ())),
    )


def answered_by(charter: Charter, panelists: Mapping[str, Panelist]) -> Charter:
    """Name the panelists that were handed over; seats that share one share a fault domain.

    Raises:
        UnknownName: nobody sits there.
    """
    distinct = list({id(panelist): panelist for panelist in panelists.values()})
    named = {
        charter.panel.seat(seat).name: f"{GIVEN}{type(panelist).__name__}-{distinct.index(id(panelist)) + 1}"
        for seat, panelist in panelists.items()
    }
    return replace(charter, models=tuple({**dict(charter.models), **named}.items()))
