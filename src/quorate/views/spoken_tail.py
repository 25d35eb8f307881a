"""What is being written, as a person wants to watch it: no ballot line, of a JSON object its reasoning."""

import json
import re
from typing import Final, Literal

from quorate.views.escape import visible

__all__ = ["GATHERED", "KEPT", "LINES", "Tail"]

KEPT: Final = 4096
"""Characters kept at least; twice as many at most, so that lines do not break anew with every word."""
LINES: Final = 128
"""The same for lines."""
GATHERED: Final = 65536
"""Characters that may gather before they are looked at."""
HELD: Final = 256
"""Characters that may be held back because only what follows tells what they are."""

_FENCE: Final = "```json"
_BALLOT: Final = re.compile(r"^(?:[^\S\n]|[*`>#]|(?!))*+BALLOT(?!\w)(?=.)", re.MULTILINE | re.IGNORECASE | re.DOTALL)
_PERHAPS: Final = re.compile(r"(?:[^\S\n]|[*`>#]|(?!))*+(?:B|BA|BAL|BALL|BALLO|BALLOT)?", re.IGNORECASE)
"""A line that may become a ballot."""
_REASONING: Final = re.compile(r'"reasoning"\s*+:\s*+"')
_HEX: Final = "[0-9a-fA-F]"
_STRING: Final = re.compile(rf'(?:[^"\\]++|\\[^u]|\\u(?:{_HEX}{{4}}|(?={_HEX}{{0,3}}[^0-9a-fA-F]))|(?!))*+', re.DOTALL)
"""Of a JSON string what is whole; an escape that breaks off is left for later."""
_HALF: Final = re.compile(rf"\\u[dD][89abAB]{_HEX}{{2}}$")
"""The first half of a character, at the end."""

Stage = Literal["opening", "prose", "object", "reasoning", "over"]


class Tail:
    """Takes in words piece by piece, however many; `text` is the end of them as a person wants to watch it.

    That is: no ballot line and nothing after it, of a JSON object its reasoning, and nothing that steers a terminal.
    What it costs to add words does not depend on how many there have been, nor does what is kept.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._gathered = 0
        self._held = ""
        self._stage: Stage = "opening"
        self._in_line = False
        self._shown = ""

    def add(self, words: str) -> None:
        if self._stage == "over":
            return
        self._pieces.append(words)
        self._gathered += len(words)
        if self._gathered >= GATHERED:
            self._look()

    @property
    def text(self) -> str:
        self._look()
        return self._shown.strip()

    def _look(self) -> None:
        """Take in what has gathered."""
        written, self._held = self._held + "".join(self._pieces), ""
        self._pieces.clear()
        self._gathered = 0
        if self._stage == "opening":
            written = self._opened(written)
        if self._stage == "prose":
            self._prose(written)
        elif self._stage == "object":
            written = self._object(written)
        if self._stage == "reasoning":
            self._reasoning(written)

    def _opened(self, written: str) -> str:
        begun = written.lstrip()
        if begun.startswith(("{", _FENCE)):
            self._stage = "object"
        elif _FENCE.startswith(begun):
            self._held = begun
        else:
            self._stage = "prose"
        return begun

    def _prose(self, written: str) -> None:
        # What stands before us in the line, if anything does, makes it no ballot's.
        line = f".{written}" if self._in_line else written
        ballot = _BALLOT.search(line)
        if ballot:
            self._show(line[self._in_line : ballot.start()])
            self._stage = "over"
            return
        last = line[line.rfind("\n") + 1 :]
        if len(last) <= HELD and _PERHAPS.fullmatch(last):
            self._held = last
        elif written.endswith("\r"):
            self._held = "\r"
        whole = written[: len(written) - len(self._held)]
        self._in_line = not whole.endswith("\n") if whole else self._in_line
        self._show(whole)

    def _object(self, written: str) -> str:
        begun = _REASONING.search(written)
        if begun is None:
            self._held = written[-HELD:]
            return ""
        self._stage = "reasoning"
        return written[begun.end() :]

    def _reasoning(self, written: str) -> None:
        found = _STRING.match(written)
        whole = found[0] if found else ""
        rest = written[len(whole) :]
        half = _HALF.search(whole)
        if rest.startswith('"'):
            self._stage = "over"
        elif half:
            whole, rest = whole[: half.start()], half[0] + rest
        self._held = "" if self._stage == "over" else rest
        self._show(_unescaped(whole))

    def _show(self, words: str) -> None:
        fresh = visible(words[-2 * KEPT :])
        shown = self._shown + fresh if self._shown else fresh.lstrip()
        if len(shown) > 2 * KEPT:
            shown = shown[-KEPT:]
        if shown.count("\n") > 2 * LINES:
            shown = "\n".join(shown.rsplit("\n", LINES)[1:])
        self._shown = shown


def _unescaped(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return inner
