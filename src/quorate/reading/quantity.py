"""A researcher's finding where a number is asked for, or UNDETERMINED where the sources give none."""

import re
from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.model.numbers import exact
from quorate.reading.text.finding_object import paper, read_finding, repair_of, sources_schema
from quorate.reading.text.objects import folded
from quorate.reading.text.selection import Shown, Terms

SCALE: Final = 1

_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?", re.ASCII)
_LONGEST: Final = 80


def read(  # noqa: PLR0913 - how a reply was asked for, each named
    text: str,
    *,
    mark: str = "",
    finish: Finish = "stop",
    shown: Shown = "",
    last: bool = False,
    options: tuple[str, ...] = (),
) -> Read:
    """The one finding a reply holds, or why there is none."""
    del options
    return read_finding(text, named, Terms(mark, shown, last), finish)


def named(written: str, options: tuple[str, ...] = ()) -> tuple[str, str]:
    """The number as it is written, thousands without their commas; else why there is none."""
    del options
    said = written.strip(" \"'*_")
    if folded(said) == "undetermined":
        return "UNDETERMINED", ""
    digits = said.replace(",", "") if _GROUPED.fullmatch(said) else said
    read = exact(digits) if len(said) <= _LONGEST else None
    return (digits, "") if read is not None else ("", "bad_number" if said else "no_option")


def schema(mark: str, *, options: tuple[str, ...] = ()) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    del options
    return sources_schema(mark, {"type": "string", "description": "A number in digits, or UNDETERMINED."})


def instructions(mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    del veto, options
    return paper(mark, _WHICH)


def repair(why: str, mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """Ask once more, for the finding alone."""
    del veto, options
    return repair_of(why, mark, _WHICH)


_WHICH: Final = "- outcome: the number, in digits and without a unit, or the word UNDETERMINED if no source gives one."
