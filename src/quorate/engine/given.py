"""Panelists that were handed over as objects."""

from collections.abc import Mapping
from dataclasses import replace

from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.panelists.models import GIVEN

__all__ = ["answered_by"]


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
