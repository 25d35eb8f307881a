"""The options as keywords of a program. Written by `make docs`; change the table of options, not this file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from quorate.ledger import Ledger

__all__ = ["Keywords"]


class Keywords(TypedDict, total=False):
    """What a program may say of the options, whatever its door."""

    rulebook: str
    model: str
    models: Sequence[str]
    """Several models: one seat each where seats are alike, else dealt to the seats in order."""
    seats: Mapping[str, str]
    settings: Mapping[str, str | int | float | bool]
    act_error: str
    sources: Sequence[str]
    """Documents an oracle may cite: folders, archives, documents or JSON lists."""
    files: Sequence[str]
    """Files from this folder to add as context, such as src/**/*.py."""
    look_in: str | Path
    look_limit: int
    memory: str | int
    budget: str
    deadline: str
    patience: str
    ledger: str | Path | Ledger
    concurrency: int
    tenant: str
    priority: str
    allow_keys: Sequence[str]
    """Keys that may go to another host than their provider's, such as openai@gateway.example."""
    allow_partial: bool
    """Start even if the budget can't pay for one complete pass."""
    trust: bool
    """Allow the panel file, routes table or record to use the commands, addresses and files it names."""
