"""What a verdict rests on, in lines: what must hold before anyone goes ahead, and who said what for which choice."""

from quorate.model import Point, Verdict
from quorate.views.escape import one_line
from quorate.views.result import Decision, Result

__all__ = ["conditions", "first_points", "quoted_point"]


def conditions(verdict: Verdict | None) -> list[str]:
    """What must hold before anyone goes ahead, each whole, with all seats that ask for it."""
    return [f"{point.text} ({point.who})" for point in (verdict.points if verdict else ()) if point.kind == "condition"]


def first_points(result: Result) -> list[str]:
    """What the verdict rests on first, each in one line: every condition, or else the first point."""
    if result.decision is None or not result.decision.verdict.points:
        return []
    verdict = result.decision.verdict
    asked = [f"go ahead only if: {one_line(condition)}" for condition in conditions(verdict)]
    return asked or [f"point: {one_line(quoted_point(result.decision, verdict.points[0]))}"]


def quoted_point(decision: Decision, point: Point) -> str:
    """A point under its seat's name, and what it speaks for where that is not the outcome."""
    kind = "" if point.kind == "reason" else point.kind
    # Seats that said the same may stand for different things.
    others = dict.fromkeys(decision.other_choice(seat) for seat in point.seats)
    notes = ", ".join(filter(None, (kind, *(f"for {other}" for other in others if other))))
    return f"{point.who}{f' ({notes})' if notes else ''}: {point.text}"
