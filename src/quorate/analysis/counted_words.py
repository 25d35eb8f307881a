"""How the reason of a verdict speaks of those it counts."""

from quorate.model import Tally

__all__ = ["all_of", "chose", "disagree"]


def chose(tally: Tally, *options: str) -> str:
    """What seats did that are counted for some options: a vote that was assumed is counted, and nobody's choice."""
    return "count for" if any(voice.option in options for voice in tally.assumed) else "chose"


def disagree(tally: Tally) -> bool:
    """Whether seats themselves chose different options; what was assumed of a seat is not its choice."""
    if not tally.assumed:
        return len(tally.counted) > 1
    return len({option for voice in tally.stated() for option in voice.choices}) > 1


def all_of(number: int, one: str) -> str:
    """All seats or researchers, in the words for so many."""
    match number:
        case 1:
            return f"the only {one}"
        case 2:
            return f"both {one}s"
        case _:
            return f"all {number} {one}s"
