"""Targets beside what was measured, and accuracy beside its cost: for a terminal, and for a page with a plot."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from quorate.evaluate.evaluation_page import html_table, svg_size, text_table
from quorate.evaluate.targets import CostPoint, TargetRow
from quorate.views.escape import one_line

__all__ = ["point_lines", "target_html", "target_lines"]

_TARGET_HEAD: Final = ("target of a debate", "target", "measured", "95 % interval", "questions", "met")
_POINT_HEAD: Final = ("who", "right", "95 % interval", "tokens a question", "dollars a question", "best for its price")
Cells = tuple[str, ...]


def target_lines(rows: Sequence[TargetRow]) -> Iterator[str]:
    """The table of targets: measured, never claimed."""
    yield ""
    yield from text_table([_TARGET_HEAD, *map(_target, rows)])


def point_lines(points: Sequence[CostPoint]) -> Iterator[str]:
    """Accuracy beside cost, where replies told what they used."""
    if points:
        yield ""
        yield from text_table([_POINT_HEAD, *map(_point, points)])


def _target(row: TargetRow) -> Cells:
    if row.measured is None:
        return (row.name, row.target, row.why, "", "", "unknown")
    shown, met = row.measured, "yes" if row.met else "no"
    between = f"{100 * shown.low:.1f} to {100 * shown.high:.1f} %"
    sign = "+" if row.target.startswith("+") else ""
    return (row.name, row.target, f"{100 * shown.value:{sign}.1f} %", between, str(row.questions), met)


def _point(point: CostPoint) -> Cells:
    right = point.accuracy
    return (
        one_line(point.name, 40),
        f"{100 * right.value:.1f} %",
        f"{100 * right.low:.1f} to {100 * right.high:.1f} %",
        f"{point.tokens:,.0f}",
        "unknown" if point.money is None else f"{point.money:.5f}",
        "yes" if point.best else "",
    )


def target_html(points: Sequence[CostPoint], rows: Sequence[TargetRow]) -> str:
    """Both as parts of a page."""
    parts = ["<h2>Targets, measured</h2>", html_table([_TARGET_HEAD, *map(_target, rows)])]
    if points:
        parts += ["<h2>Accuracy and cost</h2>", _plot(points), html_table([_POINT_HEAD, *map(_point, points)])]
    return "\n".join(parts)


def _dot(name: str, x: float, y: float) -> str:
    shown = escape(one_line(name, 30))
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/><text x="{x + 8:.1f}" y="{y + 4:.1f}">{shown}</text>'


def _plot(points: Sequence[CostPoint]) -> str:
    """A dot for each, further right the more tokens it takes; what is best for its price is joined by a line."""
    most = max(point.tokens for point in points) or 1.0

    def place(point: CostPoint) -> tuple[float, float]:
        return 60 + 600 * point.tokens / most, 260 - 220 * point.accuracy.value

    best = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(point) for point in points if point.best))
    dots = "".join(_dot(point.name, *place(point)) for point in points)
    axes = (
        '<path d="M60 40V260H660"/><text x="0" y="46">100 %</text><text x="0" y="264">0 %</text>'
        f'<text x="60" y="282">no tokens</text><text x="520" y="282">{most:,.0f} tokens a question</text>'
    )
    label = "accuracy against tokens a question"
    line = f'<polyline points="{best}" stroke="#308050"/>'
    return f'<svg role="img" aria-label="{label}" {svg_size(980, 296)}>{axes}{line}{dots}</svg>'
