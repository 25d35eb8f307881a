"""Who really answered: a reply that names another model than was asked for moves the seat to that model's domain."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from quorate.analysis.fault_domains import family, same_model
from quorate.model import SeatModel
from quorate.panelists.registry import GIVEN, domain, ours, parse

__all__ = ["answered_by"]

_BEHIND: Final = "openrouter:"
_MAKER: Final = re.compile(r"([\w.~-]+)/")
Aliases = Callable[[], Mapping[str, tuple[str, ...]]]


def answered_by(sat: SeatModel, named: str, aliases: Aliases) -> SeatModel | None:
    """The seat as a reply shows it to be, if that is another than before; `aliases` are read only when names differ."""
    if not named or ours(sat.model) or sat.model.startswith(GIVEN):
        return None
    serves = "" if same_model(sat.model, named) or _known(sat.model, named, aliases) else named
    if serves == sat.serves:
        return None
    return replace(sat, serves=serves, domain=_domain(sat, serves))


def _domain(sat: SeatModel, serves: str) -> str:
    """Behind a gateway the maker's name is in the model's; elsewhere it is still the provider who answers.

    A reply is somebody's words: of the name in it only the maker counts, and only at the gateway's own address.
    """
    if not sat.model.startswith(_BEHIND) or parse(sat.model).given:
        return sat.domain
    if not serves:
        return domain(sat.model) if "/" in sat.model else sat.domain
    maker = _MAKER.match(serves)
    return domain(f"{_BEHIND}{maker[1]}/any") if maker else sat.domain


def _known(model: str, named: str, aliases: Aliases) -> bool:
    asked = model.partition(":")[2].partition("@http")[0].partition("?")[0]
    return family(named) in {family(alias) for alias in aliases().get(asked, ())}
