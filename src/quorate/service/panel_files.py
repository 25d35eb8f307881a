"""Panels from files, checked and written."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model import Convened, Question
from quorate.model.charter import Charter
from quorate.settings.convene import check_charter, convene
from quorate.settings.panel_file import load_charter
from quorate.settings.panel_file_writer import dump
from quorate.settings.rulebook_file import amend_rulebook

__all__ = ["amend_rulebook", "check_charter", "dump", "example_opening", "load_charter"]

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def example_opening(question: Question, charter: Charter, env: Mapping[str, str] = _NOTHING) -> Convened:
    """How a deliberation of a panel would begin, whatever else is set here: to show who sits, or to play an example."""
    return convene(question, charter, env)
