"""How the reason of a verdict speaks of those it counts."""

from quorate.model import Tally

__all__ = ["all_of", "chose"]


def chose(tally: Tally, *options: str) -> str:
    """What seats did that are counted for some options: a vote that was assumed is counted, and nobody's choice."""
    assumed = (voice for voice in tally.voices if voice.assumed)
    return "count for" if any(voice.option in options for voice in assumed) else "chose"


def all_of(number: int, one: str) -> str:
    """All seats or researchers, in the words for so many."""
    return {1: f"the only {one}", 2: f"both {one}s"}.get(number, f"all {number} {one}s")
