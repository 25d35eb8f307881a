"""What a server was started with, and what a caller asks for over it: one rule for every interface."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from quorate.settings.resolve import resolve
from quorate.settings.table import ACT_ERROR, PANEL, PROTOCOL, SEATS, SETTINGS

__all__ = ["lay_over", "with_stricter_act_error"]


def lay_over(defaults: Mapping[str, Any], asked: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, Any]:
    """The options that hold for a request: what it names, and for the rest what the server was started with.

    `without` are defaults that make no sense for this request. Settings and seats are lists of pairs in which the later
    one wins, so the request's come after the server's.
    """
    replaced = {*without}
    if PROTOCOL.name in asked and PANEL.name not in asked:
        replaced.add(PANEL.name)  # the server's usual panel may hold another protocol
    merged = {name: value for name, value in defaults.items() if name not in replaced} | dict(asked)
    for name in (SETTINGS.name, SEATS.name):
        both = (*(defaults.get(name, ()) if name not in replaced else ()), *asked.get(name, ()))
        if both:
            merged[name] = both
    return merged


def with_stricter_act_error(
    asked: Mapping[str, Any], defaults: Mapping[str, Any], env: Mapping[str, str], home: Path
) -> dict[str, Any]:
    """A request's options with the operator's share of wrong acts, where the request allows more.

    The panel that the request names may be a file that the operator offers with a share of its own.

    Raises:
        QuorateError: the request's is no such share, or the panel cannot be read.
    """
    wanted = asked.get(ACT_ERROR.name)
    if wanted is None:
        return dict(asked)
    panel = {name: value for name, value in asked.items() if name == PANEL.name}
    allowed = resolve(lay_over(defaults, panel), env, home).get(ACT_ERROR)
    if allowed is None or (ACT_ERROR.read(wanted) or 0) <= allowed:
        return dict(asked)
    return {**asked, ACT_ERROR.name: ACT_ERROR.write(allowed)}
