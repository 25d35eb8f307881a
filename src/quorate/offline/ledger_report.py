"""A report over many deliberations: how they ended, what they cost, who stayed silent; as lines, JSON or one page."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Final

from quorate import catalogue
from quorate.engine.work_limit import check_work
from quorate.errors import QuorateError
from quorate.ledger import Ledger
from quorate.model import Asked, Convened, Decided, Event, Failed, Reviewed, Silent, Spoken, Verdict
from quorate.model.panel import is_person
from quorate.views.card import dollars
from quorate.views.document import number
from quorate.views.escape import one_line, visible
from quorate.views.result import state_of

__all__ = ["LedgerReport", "ProtocolFigures", "UsageTotal", "report_ledger", "report_on"]


@dataclass(slots=True)
class ProtocolFigures:
    """How the deliberations of one protocol ended; `overridden` are those a person decided otherwise."""

    held: int = 0
    decided: int = 0
    agreeing: int = 0
    """Of the decided, those with a share of the seats to speak of: where sides are given out there is none."""
    unanimous: int = 0
    reviewed: int = 0
    overridden: int = 0

    @property
    def decided_share(self) -> Fraction | None:
        return Fraction(self.decided, self.held) if self.held else None

    @property
    def consensus_rate(self) -> Fraction | None:
        """Of those that were decided by seats that chose, the share in which every seat chose the outcome itself."""
        return Fraction(self.unanimous, self.agreeing) if self.agreeing else None


@dataclass(slots=True)
class UsageTotal:
    """What one model or seat took. Money is known only where every reply states it or has a price.

    `counted` are the tokens that are known, of some of the replies or of all.
    """

    calls: int = 0
    replies: int = 0
    counted: int = 0
    uncounted: int = 0
    money: Fraction = Fraction(0)
    unpriced: int = 0

    @property
    def tokens(self) -> int | None:
        """None where not one reply gives a count."""
        return None if self.calls and self.uncounted == self.replies else self.counted

    @property
    def price(self) -> Fraction | None:
        """None where a reply has no price, or where no reply came and nobody has said what calls cost."""
        return None if self.unpriced or (self.calls and not self.replies) else self.money

    def document(self) -> dict[str, object]:
        return {"calls": self.calls, "tokens": self.tokens, "money": number(self.price)}


@dataclass(slots=True)
class LedgerReport:
    """Everything that is counted; `unread` are records that could not be opened."""

    protocols: dict[str, ProtocolFigures] = field(default_factory=lambda: defaultdict(ProtocolFigures))
    models: dict[str, UsageTotal] = field(default_factory=lambda: defaultdict(UsageTotal))
    seats: dict[str, UsageTotal] = field(default_factory=lambda: defaultdict(UsageTotal))
    silences: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    since: str = ""

    @property
    def held(self) -> int:
        return sum(one.held for one in self.protocols.values())

    def add(self, events: Sequence[Event]) -> None:
        """Count one deliberation."""
        first = events[0] if events else None
        if not isinstance(first, Convened):
            self.unread += 1
            return
        if state_of(events) == "failed":  # nobody was asked anything that could say something of a panel
            return
        _count_ending(self.protocols[first.protocol], first.rulebook.silence, events)
        asked: dict[str, str] = {}
        failed = max((at for at, event in enumerate(events) if isinstance(event, Failed)), default=-1)
        for at, event in enumerate(events):
            if at > failed or not isinstance(event, Silent):
                self._count(event, asked)

    def _count(self, event: Event, asked: dict[str, str]) -> None:
        match event:
            case Asked(seat=seat, model=model) if not is_person(model):
                asked[seat] = model
                self.models[model].calls += 1
                self.seats[seat].calls += 1
            case Spoken(seat=seat) if seat in asked:
                for spending in (self.models[asked[seat]], self.seats[seat]):
                    _spend(spending, event)
            case Silent(why=why):
                self.silences[why] += 1
            case _:
                pass

    def document(self) -> dict[str, object]:
        """For --json."""
        return {
            "schema": 1,
            "since": self.since or None,
            "deliberations": self.held,
            "unread": self.unread,
            "protocols": [{"protocol": name, **_figures(one)} for name, one in sorted(self.protocols.items())],
            "models": [{"model": name, **one.document()} for name, one in _dearest(self.models)],
            "seats": [{"seat": name, **one.document()} for name, one in _dearest(self.seats)],
            "silences": [{"why": why, "times": times} for why, times in self.silences.most_common()],
        }

    def lines(self) -> Iterator[str]:
        """For a person."""
        yield f"{_counted(self.held, 'deliberation')}{f' since {self.since}' if self.since else ''}"
        if self.unread:
            yield f"{_counted(self.unread, 'record')} could not be read"
        for title, head, rows in self._tables():
            yield ""
            yield title
            yield from _aligned((head, *rows))

    def _tables(self) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Every table that has something in it: its title, its columns, its rows."""
        yield "By protocol", _PROTOCOL_COLUMNS, [_protocol_row(*one) for one in sorted(self.protocols.items())]
        if self.models:
            yield "By model", ("model", *_SPENT), [_spending_row(*one) for one in _dearest(self.models)]
            yield "By seat", ("seat", *_SPENT), [_spending_row(*one) for one in _dearest(self.seats)]
        if self.silences:
            rows: list[tuple[str, ...]] = [(one_line(why), str(times)) for why, times in self.silences.most_common()]
            yield "Silence by reason", ("reason", "times"), rows

    def html(self, taught: Sequence[str] = ()) -> str:
        """One page that needs nothing else: tables and bars, every word of others escaped; `taught` are sentences."""
        parts = [f"<h1>Deliberations</h1><p>{escape(_counted(self.held, 'deliberation'))}"]
        parts.append(f" since {escape(self.since)}</p>" if self.since else "</p>")
        for title, head, rows in self._tables():
            parts.append(f"<h2>{escape(title)}</h2>{_table(head, rows)}")
        charts: tuple[tuple[str, Mapping[str, int]], ...] = (
            ("Deliberations", {name: one.held for name, one in self.protocols.items()}),
            ("Calls by model", {name: one.calls for name, one in self.models.items()}),
            ("Silence by reason", self.silences),
        )
        parts += [f"<h2>{escape(title)}</h2>{_bars(values)}" for title, values in charts if values]
        if taught:
            parts.append(f"<h2>What the past teaches</h2>{''.join(f'<p>{escape(visible(one))}</p>' for one in taught)}")
        return _PAGE.format(body="\n".join(parts))


def report_on(records: Iterable[Sequence[Event]]) -> LedgerReport:
    """Count deliberations by their events."""
    report = LedgerReport()
    for events in records:
        report.add(events)
    return report


async def report_ledger(ledger: Ledger, since: str | None = None) -> LedgerReport:
    """Count what was held here, since a time if one is given; what was imported was held elsewhere."""
    report = LedgerReport(since=since or "")
    # One record at a time: all of them together may not fit into memory.
    async for one in ledger.list():
        if one.begun >= report.since and not one.imported and one.entries:
            check_work()
            report.add(await _events(ledger, one.id))
    return report


async def _events(ledger: Ledger, id_: str) -> Sequence[Event]:
    """A deliberation's events, none if it cannot be opened."""
    try:
        return [entry.event for entry in await ledger.read(id_)]
    except QuorateError:
        return ()


def _count_ending(figures: ProtocolFigures, silence: str, events: Sequence[Event]) -> None:
    figures.held += 1
    verdict = next((event.verdict for event in events if isinstance(event, Decided)), None)
    review = next((event for event in reversed(events) if isinstance(event, Reviewed)), None)
    if verdict is not None and verdict.decided:
        figures.decided += 1
        figures.agreeing += not _weighs_arguments(verdict)
        figures.unanimous += _is_unanimous(verdict, silence)
    if review is not None:
        figures.reviewed += 1
        figures.overridden += verdict is None or review.outcome != verdict.outcome


def _weighs_arguments(verdict: Verdict) -> bool:
    """Whether sides were given out, so that nobody can agree; a rule that is not known here is taken to count seats."""
    decided = next((asked.rule for asked in verdict.trace if asked.said), verdict.rule)
    return decided in catalogue.names("rule") and catalogue.rule(decided).arguments


def _is_unanimous(verdict: Verdict, silence: str) -> bool:
    """Whether every seat itself chose the outcome.

    Where silence counts as a vote, outcomes are words of ours, so that no option can read like the note on it.
    """
    assumed = silence not in {"none", "carry"} and "assumed (" in verdict.because
    return verdict.agreement == 1 and not verdict.dissent and not assumed


def _spend(spending: UsageTotal, event: Spoken) -> None:
    used = event.reply.usage.credible
    spending.replies += 1
    spending.counted += used.tokens or 0
    spending.uncounted += used.tokens is None
    spending.money += used.money or 0
    spending.unpriced += used.money is None


def _dearest(spent: Mapping[str, UsageTotal]) -> list[tuple[str, UsageTotal]]:
    return sorted(spent.items(), key=lambda one: (-one[1].calls, one[0]))


def _figures(one: ProtocolFigures) -> dict[str, object]:
    return {
        "held": one.held,
        "decided": one.decided,
        "decided_share": number(one.decided_share),
        "consensus_rate": number(one.consensus_rate),
        "reviewed": one.reviewed,
        "overridden": one.overridden,
    }


_PROTOCOL_COLUMNS: Final = ("protocol", "held", "decided", "all agreed", "reviewed", "decided otherwise by a person")
_SPENT: Final = ("calls", "tokens", "price")


def _protocol_row(name: str, one: ProtocolFigures) -> tuple[str, ...]:
    shares = (_percent(one.decided_share), _percent(one.consensus_rate))
    return (one_line(name), str(one.held), *shares, str(one.reviewed), str(one.overridden))


def _spending_row(name: str, one: UsageTotal) -> tuple[str, ...]:
    money = "unknown" if one.price is None else dollars(one.price)
    return one_line(name), str(one.calls), "unknown" if one.tokens is None else f"{one.tokens:,}", money


def _percent(share: Fraction | None) -> str:
    return "-" if share is None else f"{float(share * 100):.0f} %"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (cell.rjust(size) for cell, size in zip(row[1:], wide[1:], strict=True))
        yield f"  {'  '.join((row[0].ljust(wide[0]), *cells))}".rstrip()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(visible(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{first}</tr>{body}</table>"


def _bars(values: Mapping[str, int]) -> str:
    """Horizontal bars, the longest first, drawn without any script."""
    ordered = sorted(values.items(), key=lambda one: (-one[1], one[0]))[:_BARS]
    most = max(value for _, value in ordered) or 1
    drawn = "".join(
        f'<text x="0" y="{24 * place + 16}">{escape(one_line(name, 40))}</text>'
        f'<rect x="320" y="{24 * place + 4}" width="{max(1, 300 * value // most)}" height="16"/>'
        f'<text x="{328 + max(1, 300 * value // most)}" y="{24 * place + 16}">{value:,}</text>'
        for place, (name, value) in enumerate(ordered)
    )
    return f'<svg role="img" width="720" height="{24 * len(ordered) + 8}">{drawn}</svg>'


_BARS: Final = 20
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Deliberations</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body {{ font: 15px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; }} th, td {{ padding: .2rem .8rem; text-align: right; }}
th:first-child, td:first-child {{ text-align: left; }} tr:nth-child(even) {{ background: #f2f2f2; }}
svg text {{ font-size: 13px; }} svg rect {{ fill: #4070a0; }}
</style></head><body>
{body}
</body></html>
"""
