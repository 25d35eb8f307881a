"""An evaluation to read: lines for a terminal, and one page of HTML whose plots are drawn as SVG."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from quorate.evaluate.act_threshold import Interval
from quorate.evaluate.calibration import CalibrationReport
from quorate.evaluate.conformity import conformity_lines
from quorate.evaluate.evaluation import Evaluation, MethodFigures, SeatFigures
from quorate.evaluate.independence import independence_lines
from quorate.views.escape import one_line, visible

__all__ = ["evaluation_html", "evaluation_lines", "html_table", "interval_text", "seat_lines", "text_table"]

Cells = tuple[str, ...]


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    """What a terminal shows: how right, then who, then what to watch out for."""
    yield f"{found.questions} questions with votes, {found.labelled} of them with a known answer"
    if found.methods:
        yield ""
        yield from text_table([_METHOD_HEAD, *(_method(one) for one in found.methods)])
    yield ""
    yield from seat_lines(found.seats)
    if remarks := tuple(_remarks(found)):
        yield ""
        yield from remarks


def seat_lines(seats: Sequence[SeatFigures]) -> Iterator[str]:
    """A table of seats."""
    yield from text_table([_SEAT_HEAD, *(_seat(one) for one in seats)])
    if seats and all(one.skill is None for one in seats):
        yield "the votes alone don't show which seats are better: every seat could as well be guessing"


def _remarks(found: Evaluation) -> Iterator[str]:
    if found.conformity is not None:
        yield from map(one_line, conformity_lines(found.conformity))
    for pair in found.alike:
        same = f"{100 * pair.same_answer:.0f} % of the {pair.both_wrong} questions that both got wrong"
        yield f"{one_line(pair.a)} and {one_line(pair.b)} gave the same wrong answer on {same}"
    if found.independence is not None and found.independence.source == "record":
        yield from independence_lines(found.independence)
    if found.calibration is not None:
        yield _calibration(found.calibration)
    if found.act is not None:
        yield _act(found)


def _calibration(found: CalibrationReport) -> str:
    """How far off chances are, where each is judged by labels that taught it nothing."""
    return (
        f"how sure: chances learned from {found.labels} labels are off by {100 * found.error:.1f} points on average; "
        f"the track record's own number, taken for a chance, by {100 * found.raw_error:.1f}"
    )


def _act(found: Evaluation) -> str:
    act = found.act
    if act is None or act.score is None:
        return f"act or escalate: {act.why if act else 'not asked for'}"
    return (
        f"act or escalate: act from a score of {act.score:.4f}, on {100 * act.coverage:.0f} % of decisions; {act.why}"
    )


_METHOD_HEAD: Final = ("method", "right", "95 % interval", "decided", "beside plurality", "p")
_LEAST_P: Final = 0.001
_NAME: Final = 40
_SEAT_HEAD: Final = ("seat", "votes", "right alone", "95 % interval", "answers known", "skill", "adds to plurality")


def _method(one: MethodFigures) -> Cells:
    beside = one.beside_plurality
    gain = f"{_points(beside.gain.value)} ({beside.better} better, {beside.worse} worse)"
    return (
        one.method,
        _percent(one.accuracy.value),
        _between(one.accuracy),
        _percent(one.decided),
        gain if beside.better or beside.worse else "the same",
        f"{beside.p_value:.3f}" if beside.p_value >= _LEAST_P else f"< {_LEAST_P}",
    )


def _name(seat: str) -> str:
    """A seat's name, cut in the middle: models of one server begin alike, and seats of one model end otherwise."""
    line = one_line(seat)
    return line if len(line) <= _NAME else f"{line[: _NAME // 2 - 1]}…{line[-_NAME // 2 :]}"


def _seat(one: SeatFigures) -> Cells:
    right = one.accuracy
    return (
        _name(one.seat),
        str(one.votes),
        "unknown" if right is None else _percent(right.value),
        "" if right is None else _between(right),
        str(one.labelled),
        "unknown" if one.skill is None else f"{one.skill:+.2f}",
        "unknown" if one.adds is None else _points(one.adds),
    )


def _points(share: float) -> str:
    """A gain or a loss; what rounds to nothing has no sign."""
    rounded = round(100 * share, 1)
    return f"{rounded:+.1f} points" if rounded else "0.0 points"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def interval_text(found: Interval) -> str:
    """A share with where it probably lies."""
    return f"{_percent(found.value)} ({_between(found)})"


def _between(found: Interval) -> str:
    return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"


def text_table(rows: Sequence[Cells]) -> Iterator[str]:
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (cell.rjust(size) for cell, size in zip(row[1:], wide[1:], strict=True))
        yield f"  {'  '.join((row[0].ljust(wide[0]), *cells))}".rstrip()


def evaluation_html(found: Evaluation, more: str = "") -> str:
    """One page that needs no other file: tables, bars with their intervals, accuracy against coverage, and `more`."""
    labelled = f"<p>{found.questions} questions with votes, {found.labelled} of them with a known answer.</p>"
    seats = [(one.seat, one.accuracy) for one in found.seats if one.accuracy is not None]
    parts = (
        "<h1>How right the panel is</h1>",
        labelled,
        "<h2>Ways to choose</h2>",
        _bars([(one.method, one.accuracy) for one in found.methods]),
        html_table([_METHOD_HEAD, *(_method(one) for one in found.methods)]),
        "<p>A question that is left undecided counts as not right.</p>",
        "<h2>Accuracy of the surest decisions</h2>",
        _curves([one for one in found.methods if one.method in _DRAWN]),
        *(_reliability(found.calibration) if found.calibration is not None else ()),
        "<h2>Seats</h2>",
        _bars(seats),
        html_table([_SEAT_HEAD, *(_seat(one) for one in found.seats)]),
        "<h2>What to watch out for</h2>",
        "".join(f"<p>{escape(visible(remark))}</p>" for remark in _remarks(found)) or "<p>Nothing was found.</p>",
        more,
    )
    return _PAGE.replace("{body}", "\n".join(parts))


def html_table(rows: Sequence[Cells]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{escape(visible(cell))}</td>' for cell in row)}</tr>" for row in rows[1:])
    return f"<table><tr>{head}</tr>{body}</table>"


def _bars(values: Sequence[tuple[str, Interval]]) -> str:
    """A bar for each figure from 0 to 100 %, its interval drawn across the end."""
    drawn: list[str] = []
    for place, (name, found) in enumerate(values):
        top = 24 * place
        low, high, end = (320 + 400 * share for share in (found.low, found.high, found.value))
        drawn.append(
            f'<text x="0" y="{top + 16}">{escape(one_line(name, 40))}</text>'
            f'<rect x="320" y="{top + 4}" width="{end - 320:.1f}" height="16"/>'
            f'<path d="M{low:.1f} {top + 12}H{high:.1f}M{low:.1f} {top + 8}v8M{high:.1f} {top + 8}v8"/>'
            f'<text x="736" y="{top + 16}">{_percent(found.value)}</text>'
        )
    return f'<svg role="img" aria-label="accuracy" {svg_size(820, 24 * len(values) + 8)}>{"".join(drawn)}</svg>'


def svg_size(width: int, height: int) -> str:
    """How large a drawing is; on a narrow page it shrinks as a whole, and nothing is cut off."""
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _curves(methods: Sequence[MethodFigures]) -> str:
    """How right the surest part is, from a twentieth of all decisions to all of them."""
    floor = min((right for one in methods for _, right in one.coverage), default=0.0)
    low = int(10 * floor) / 10
    span = max(0.1, 1.0 - low)
    drawn: list[str] = []
    for colour, one in zip(_COLOURS, methods, strict=False):
        points = " ".join(
            f"{60 + 600 * part:.1f},{260 - 220 * (right - low) / span:.1f}" for part, right in one.coverage
        )
        y = 40 + 18 * len(drawn)
        drawn.append(f'<polyline points="{points}" stroke="{colour}"/>')
        drawn.append(f'<text x="680" y="{y}" style="fill:{colour}">{escape(one.method)}</text>')
    axes = (
        '<path d="M60 40V260H660"/>'
        f'<text x="0" y="46">100 %</text><text x="0" y="264">{100 * low:.0f} %</text>'
        '<text x="60" y="282">surest first</text><text x="560" y="282">all decisions</text>'
    )
    label = "accuracy of the surest decisions"
    return f'<svg role="img" aria-label="{label}" {svg_size(980, 296)}>{axes}{"".join(drawn)}</svg>'


def _reliability(found: CalibrationReport) -> tuple[str, str]:
    """What was said against what came: a point for about a tenth of the verdicts, on the line if it was right."""
    drawn = "".join(
        f'<circle cx="{60 + 300 * said:.1f}" cy="{340 - 300 * came:.1f}" r="{3 + 12 * size / found.labels:.1f}"/>'
        for said, came, size in found.points
    )
    axes = (
        '<path d="M60 40V340H360"/><path d="M60 340L360 40" stroke-dasharray="4"/>'
        '<text x="0" y="46">100 %</text><text x="30" y="356">0</text>'
        '<text x="60" y="362">chance that was said</text><text x="320" y="362">100 %</text>'
    )
    label = "how often verdicts were right, by the chance that was said"
    title = "<h2>How sure: what was said against what came</h2>"
    return title, f'<svg role="img" aria-label="{label}" {svg_size(420, 376)}>{axes}{drawn}</svg>'


_DRAWN: Final = frozenset(
    {"plurality of first votes", "one coin per seat", "track record, one question at a time", "stated confidence"}
)
_COLOURS: Final = ("#4070a0", "#a05030", "#308050", "#805090")
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>How right the panel is</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body { font: 15px/1.5 sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { padding: .2rem .8rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr:nth-child(even) { background: #f2f2f2; }
svg { max-width: 100%; height: auto; } svg text { font-size: 13px; } svg rect { fill: #9db8d2; }
svg circle { fill: #4070a0; fill-opacity: .6; }
svg path { stroke: #333; fill: none; } svg polyline { fill: none; stroke-width: 2; }
</style></head><body>
{body}
</body></html>
"""
