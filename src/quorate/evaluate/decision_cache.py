"""Past decisions of a ledger, read once each: what was read is kept in a file beside the ledger, without any words.

The file is derived: remove it, and it is made anew from the records. Lines are only added; the last of an id counts.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from quorate import chair
from quorate.engine.work_limit import check_work
from quorate.errors import QuorateError
from quorate.evaluate.past_decisions import PastDecision, past_decision
from quorate.ledger import Ledger, Summary

__all__ = ["cache_place", "cached_decisions", "past_decisions"]

FORM: Final = f"3.{chair.VERSION}"
"""Of a line; what another form or another reading wrote is read again."""
SUFFIX: Final = ".learned"
LOOSE: Final = 2
"""How many times as many lines as records there may be before the file is written anew."""


class _Line(NamedTuple):
    """A record as it was when it was read: how many entries it had, and what it taught, if anything."""

    entries: int
    decision: PastDecision | None


def cache_place(ledger: str) -> Path | None:
    """The file beside a ledger; none where the ledger is no file."""
    path = Path(ledger)
    return path.with_name(f"{path.name}{SUFFIX}") if path.is_file() else None


def cached_decisions(ledger: str) -> list[PastDecision]:
    """What was learned from a ledger when somebody last looked, without looking into it."""
    place = cache_place(ledger)
    known = _read(place)[0] if place is not None else {}
    return _in_order(line.decision for line in known.values())


async def past_decisions(
    held: Ledger, place: Path | None = None, fits: Callable[[Summary], bool] | None = None
) -> list[PastDecision]:
    """Every decision that was held here, the oldest first; only what is new since the last time is read."""
    known, lines = await asyncio.to_thread(_read, place)
    fresh: dict[str, _Line] = {}
    listed: list[str] = []
    try:
        async for one in _listed(held, fits):
            check_work()
            listed.append(one.id)
            if one.id not in known or known[one.id].entries != one.entries:
                fresh[one.id] = _Line(one.entries, await _decision(held, one))
    finally:  # what was read before a limit stopped it need not be read again
        if place is not None and fresh:
            _keep(place, known, fresh, lines)
    known.update(fresh)
    return _in_order(known[id_].decision for id_ in listed)


async def _listed(held: Ledger, fits: Callable[[Summary], bool] | None) -> AsyncIterator[Summary]:
    async for one in held.list():
        if one.entries and not one.imported and (fits is None or fits(one)):
            yield one


def _in_order(found: Iterable[PastDecision | None]) -> list[PastDecision]:
    return sorted((one for one in found if one is not None), key=lambda one: (one.begun, one.id))


async def _decision(held: Ledger, one: Summary) -> PastDecision | None:
    """What one deliberation teaches; nothing if it cannot be opened."""
    with suppress(QuorateError):
        events = [entry.event for entry in await held.read(one.id)]
        return await asyncio.to_thread(past_decision, one.id, one.begun, events)
    return None


def _read(place: Path | None) -> tuple[dict[str, _Line], int]:
    """What the file holds by id, and its number of lines; a line that cannot be read is as if it were not there."""
    known: dict[str, _Line] = {}
    lines = 0
    if place is None:
        return known, lines
    with suppress(OSError), place.open("rb") as file:
        for lines, text in enumerate(file, 1):  # noqa: B007 - how many there were is told
            check_work()
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                row: dict[str, Any] = orjson.loads(text)
                if row["form"] == FORM:
                    known[row["id"]] = _Line(row["entries"], _opened(row["decision"]))
    return known, lines


def _opened(row: dict[str, Any] | None) -> PastDecision | None:
    return None if row is None else PastDecision(**row)


def _written(id_: str, line: _Line) -> bytes:
    decision = None if line.decision is None else asdict(line.decision)
    row = {"form": FORM, "id": id_, "entries": line.entries, "decision": decision}
    return orjson.dumps(row) + b"\n"


def _keep(place: Path, known: dict[str, _Line], fresh: dict[str, _Line], lines: int) -> None:
    """Add what is new; where the disk does not let us, it is read again next time."""
    everything = {**known, **fresh}
    with suppress(OSError):
        if lines + len(fresh) > LOOSE * len(everything):
            _replace(place, [_written(id_, line) for id_, line in everything.items()])
        else:
            _add(place, b"".join(_written(id_, line) for id_, line in fresh.items()))


def _add(place: Path, text: bytes) -> None:
    file = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, text)
    finally:
        os.close(file)


def _replace(place: Path, lines: Sequence[bytes]) -> None:
    beside = place.with_name(f"{place.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    _add(beside, b"".join(lines))
    beside.replace(place)
