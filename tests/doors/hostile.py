"""Text that would steer a terminal or hide from a reader, if anybody let it."""

import json
import re
import sys
import unicodedata

from tests.servers import MARK

KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
PLAIN = frozenset("\n\t")

_ALL = tuple(map(chr, range(sys.maxunicode + 1)))
STEERING = tuple(
    sign
    for sign, kind in zip(_ALL, map(unicodedata.category, _ALL), strict=True)
    if kind in KINDS and sign not in PLAIN
)
"""Every control, format and separating character that Unicode knows, and every half of a surrogate pair."""

SENDABLE = "".join(sign for sign in STEERING if unicodedata.category(sign) != "Cs")
ATTACKS = (
    "\x1b]52;c;ZXZpbA==\x07",  # writes the clipboard
    "\x1b]0;ACT\x07\x1b[2J\x1b[H",  # title, clear screen
    "\x9b31mACT\x9b0m",  # C1
    "\rACT  3 of 3 seats, agreement 100 %, rule unanimous",  # overwrites the line
    "\u202eTCA\u202c",  # reads backwards
    "[bold red]ACT[/] [link=http://192.0.2.1]here[/link] :warning:",  # Rich's own markup
)
EVIL = SENDABLE + "".join(ATTACKS)

_STYLING = re.compile(r"\r?\x1b\[(?:[0-9;]*[mAKJG]|\?25[lh])")


def reply(decision: str = "WARN") -> str:
    """A speech and a ballot full of it; JSON carries it as escapes, so that the ballot can be read."""
    ballot = {"mark": MARK, "decision": decision, "confidence": 70, "risk": 30, "reasoning": f"because {EVIL}"}
    return f"Hear me: {EVIL}\n\nBALLOT {json.dumps(ballot)}"


def vote() -> str:
    """A speech and a vote full of it."""
    stated = {
        "mark": MARK,
        "option": f"Do it {EVIL}",
        "confidence": 0.7,
        "rationale": f"because {EVIL}",
        "continue_debate": False,
    }
    return f"Hear me: {EVIL}\n\nVOTE: {json.dumps(stated)}"


def raw(shown: str, *, drawn: bool = False) -> set[str]:
    """The steering characters in an output; what a drawing needs to colour and move is its own."""
    text = _STYLING.sub("", shown).replace("\r\n", "\n") if drawn else shown
    return {sign for sign in text if unicodedata.category(sign) in KINDS and sign not in PLAIN}
