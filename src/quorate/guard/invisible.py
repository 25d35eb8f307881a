"""Characters nobody sees: text hidden in them, letters turned around by them, words broken up by them."""

from typing import Final

from quorate.guard import MATERIAL, Finding, Where, code_points, parts
from quorate.model import Question
from quorate.model.once import pattern
from quorate.model.specs import CheckSpec


def check(question: Question) -> tuple[Finding, ...]:
    return tuple(finding for where, text in parts(question) for finding in check_text(text, where))


def check_text(text: str, where: Where) -> tuple[Finding, ...]:
    if text.isascii():
        return ()
    rest = pattern(NEEDED).sub("", pattern(FLAGS).sub("", text))
    if pattern(RIGHT_TO_LEFT).search(text):
        rest = pattern(DIRECTIONS).sub("", rest)
    for sign, always, reason in SIGNS:
        found = "".join(sorted(set("".join(pattern(sign).findall(rest)))))
        if found:
            turn_away = always or (always is None and where not in MATERIAL)
            says = f"{reason}: {code_points(found)}"
            return (Finding(check="invisible", turn_away=turn_away, reason=says, where=where),)
    return ()


FILLERS = "\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u3164\ufeff\uffa0"
ZERO_WIDTH = FILLERS + "\u00ad\u061c\u17b4\u17b5\u200e\u200f\u206a-\u206f\ufff9-\ufffb"
DIRECTION = "\u202a\u202c\u2066\u2068\u2069"
SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
NARROW = "0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
"""Latin, Greek, Cyrillic: scripts that never need a joiner inside a word."""

FLAGS = "\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f"
"""England, Scotland, Wales and their like are written with tag characters."""

NEEDED = (
    "(?<=[#*0-9])\ufe0f"
    "|(?<=[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\u200d\ufe0e\ufe0f]"
    "|(?<=\ufe0f)\u200d"
    "|(?<=[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u18af])[\u200b-\u200d]"
    "|(?<=[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|(?<=[\u1800-\u18af])[\u180b-\u180e]"
    "|(?<=[\u2200-\u22ff])\ufe00"
    "|\\A\ufeff"
)
"""Where they belong: emoji, scripts that join or break words by them, variants of ideographs, a first mark."""

RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
DIRECTIONS = "[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]"

SIGNS = (
    ("[\U000e0000-\U000e007f]+", True, "text is hidden in tag characters"),
    (
        f"[{SELECTOR}]{{2,}}|(?<![{SELECTOR}])[\U000e0100-\U000e01ef]",
        True,
        "text is hidden in variation selectors",
    ),
    ("[\u202d\u202e]", True, "invisible characters reverse the order of the letters"),
    ("[\u202b\u2067]", None, "invisible characters reverse the order of the letters"),
    (f"[{ZERO_WIDTH}]{{8,}}", True, "text is hidden in characters that have no width"),
    (
        f"(?<=[{NARROW}])[{FILLERS}]{{1,7}}(?=[{NARROW}])",
        None,
        "words are broken up by characters that have no width",
    ),
    (f"[{ZERO_WIDTH}{DIRECTION}{SELECTOR}]", False, "there are invisible characters, which have no width"),
)
"""What is looked for, whether it turns a question away (none: where it is asked, not where it is shown), and why."""


SPEC: Final = CheckSpec(check=check)
