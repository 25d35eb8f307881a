"""Shares and their intervals in words; needs no numpy."""

from quorate.evaluate.act_threshold import Interval

__all__ = ["interval_between", "interval_text", "percent_text", "points_text"]


def points_text(share: float) -> str:
    """A gain or a loss; what rounds to nothing has no sign."""
    rounded = round(100 * share, 1)
    return f"{rounded:+.1f} points" if rounded else "0.0 points"


def percent_text(share: float) -> str:
    return f"{100 * share:.1f} %"


def interval_text(found: Interval) -> str:
    """A share with where it probably lies."""
    return f"{percent_text(found.value)} ({interval_between(found)})"


def interval_between(found: Interval) -> str:
    return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"
