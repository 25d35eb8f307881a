"""A researcher's finding where a probability is asked for, or UNDETERMINED where nothing can be said."""

from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.model.numbers import exact
from quorate.reading.text.finding_object import paper, read_finding, repair_of, share_of, sources_schema
from quorate.reading.text.objects import folded
from quorate.reading.text.selection import Shown, Terms

SCALE: Final = 1


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
    """The probability from 0 to 1 as digits; a percentage must bear its sign. Else why there is none."""
    del options
    said = written.strip(" \"'*_")
    if folded(said) == "undetermined":
        return "UNDETERMINED", ""
    share = share_of(said)
    if share is None or share[1]:
        return "", "bad_number" if said else "no_option"
    if not said.endswith("%"):
        return said, ""
    digits = said.removesuffix("%").strip()
    return (f"{digits}e-2", "") if exact(f"{digits}e-2") is not None else ("", "bad_number")


def schema(mark: str, *, options: tuple[str, ...] = ()) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    del options
    return sources_schema(mark, {"type": "string", "description": "A probability from 0 to 1, or UNDETERMINED."})


def instructions(mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    del veto, options
    return paper(mark, _WHICH)


def repair(why: str, mark: str, *, veto: bool = False, options: tuple[str, ...] = ()) -> str:
    """Ask once more, for the finding alone."""
    del veto, options
    return repair_of(why, mark, _WHICH)


_WHICH: Final = (
    "- outcome: how probable it is that the answer is yes, a number from 0 to 1, or the word UNDETERMINED if nothing "
    "at all can be said."
)
