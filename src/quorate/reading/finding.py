"""A researcher's finding: one of the outcomes, confidence from 0 to 1, the sources it cites, and the reasoning."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.model.template_tokens import harmless
from quorate.reading.text.finding_object import paper, read_finding, repair_of, sources_schema
from quorate.reading.text.objects import folded
from quorate.reading.text.selection import Shown, Terms

SCALE: Final = 1
ALLOWED: Final = ("YES", "NO", "UNDETERMINED")


def read(  # noqa: PLR0913 - how a reply was asked for, each named
    text: str,
    *,
    mark: str = "",
    finish: Finish = "stop",
    shown: Shown = "",
    last: bool = False,
    options: tuple[str, ...] = ALLOWED,
) -> Read:
    """The one finding a reply holds, or why there is none; an outcome that is not on the list is none."""
    return read_finding(text, partial(named, options=options), Terms(mark, shown, last), finish)


def named(written: str, options: tuple[str, ...] = ALLOWED) -> tuple[str, str]:
    """The outcome on the list that was named, by its words, without a list any words; else why there is none."""
    said = folded(written).strip(" .\"'*_")
    if not said:
        return "", "no_option"
    if said.startswith(("<", "[")):
        return "", "placeholder"
    if not options:
        return written.strip(), ""
    found = next((option for option in options if said in _written(option)), "")
    return found, "" if found else "bad_decision"


def _written(option: str) -> tuple[str, str]:
    """An option's words as they were given, and as a prompt shows them."""
    given, shown = (folded(words).strip(" .\"'*_") for words in (option, harmless(option)))
    return given, shown


def schema(mark: str, *, options: tuple[str, ...] = ALLOWED) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    return sources_schema(mark, {"type": "string", "enum": [harmless(option) for option in options]})


def instructions(mark: str, *, veto: bool = False, options: tuple[str, ...] = ALLOWED) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    del veto
    return paper(mark, _which(options))


def repair(why: str, mark: str, *, veto: bool = False, options: tuple[str, ...] = ALLOWED) -> str:
    """Ask once more, for the finding alone."""
    del veto
    return repair_of(why, mark, _which(options))


def _which(options: tuple[str, ...]) -> str:
    shown = "\n".join(f"  - {option}" for option in options)
    return f"- outcome: one of these, word for word; nothing else counts:\n{shown}"
