"""What is written from the table of options: the keywords of programs, and the tables of the page on configuration."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorate.settings import table
from quorate.settings.option import Option
from quorate.settings.resolve import resolve

NOTE = "<!-- from the table of options, by `make docs` -->"
END = "<!-- end -->"
SECTIONS = ("## Settings", "## Fields of a panel file")

KEYWORDS = '''\
"""The options as keywords of a program. Written by `make docs`; change the table of options, not this file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from quorate.ledger import Ledger

__all__ = ["Keywords"]


class Keywords(TypedDict, total=False):
    """What a program may say of the options, whatever its door."""

'''


def keywords() -> str:
    """A source file, so that a type checker knows the keywords, and an editor completes them."""
    return KEYWORDS + "".join(keyword(option) for option in table.options_at("program") if option.keyword)


def keyword(option: Option[Any]) -> str:
    note = f'    """{option.keyword_note}"""\n' if option.keyword_note else ""
    return f"    {option.name}: {option.keyword}\n{note}"


def configuration(page: str) -> str:
    """The page with its tables as the options are now; the rest of it is written by hand."""
    for heading, rows in zip(SECTIONS, (places(), fields()), strict=True):
        begin = re.escape(heading) + r"\n(?:.*\n)*?" + re.escape(NOTE) + r"\n"
        written = "\n".join(rows)
        page = re.sub(
            rf"({begin})(?:.*\n)*?({re.escape(END)})",
            lambda found, written=written: f"{found[1]}{written}\n{found[2]}",  # type: ignore[misc]
            page,
            count=1,
        )
    return page


def places() -> Iterator[str]:
    """Where each option may stand, but for those that only a panel file has."""
    defaults = {row.key: row.value for row in resolve({}, {}, Path("~")).rows()}
    yield "| setting | flag | environment | panel file | user file | Python | HTTP | MCP | default |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for option in table.TABLE:
        if option.places != ("panel file",):
            spelled = {"flag": option.flag, "variable": option.variable}
            cells = (f"`{spelled.get(one, option.name)}`" if one in option.places else "" for one in table.EVERYWHERE)
            default = f"`{defaults[option.name]}`" if option.default else option.otherwise
            yield f"| `{option.name}` | {' | '.join(cells)} | {default} |".replace("|  |", "| |").replace("|  |", "| |")


def fields() -> Iterator[str]:
    yield "| field | what it holds |"
    yield "|---|---|"
    for option in table.options_at("panel file"):
        yield f"| `{option.name}` | {option.about} |"
