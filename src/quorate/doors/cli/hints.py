"""What is told on stderr beside a verdict: who could not be heard and why, who is waited for, what takes long."""

import shlex
from typing import TYPE_CHECKING, Any

from quorate.doors.cli.screen import note
from quorate.service.option_table import ALLOW_KEYS, LEDGER, PANEL, TRUST

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from quorate.service.own_settings import Settings
    from quorate.views import Record
    from quorate.views.result import Result

__all__ = ["flags_of", "hint", "note_progress", "note_reason", "require_numpy", "waits"]


def flags_of(wish: "Mapping[str, Any]", resolved: "Settings") -> str:
    """What must be typed again to go on: where the record is, the panel file with its commands and keys, consent."""
    from quorate.ledger.address import repeatable_ledger

    file = resolved[PANEL] if resolved.file else None
    pairs = [(ALLOW_KEYS, pair) for pair in wish.get(ALLOW_KEYS.name, ())]
    said = [(LEDGER, repeatable_ledger(wish.get(LEDGER.name))), (PANEL, file), *pairs]
    typed = "".join(f" {option.flag} {shlex.quote(value)}" for option, value in said if value)
    return f"{typed} {TRUST.flag}" if wish.get(TRUST.name) else typed


def note_reason(result: "Result") -> None:
    """Where the verdict line alone is wanted: why nothing was decided, the conditions or the first point.

    stdout stays one line.
    """
    from quorate.views.escape import one_line
    from quorate.views.point_lines import first_points

    if result.decision is None:
        return
    verdict = result.decision.verdict
    if not verdict.decided and result.review is None:
        note(f"quorate: {one_line(verdict.because)}")
    for point in first_points(result):
        note(point)


def note_progress(said: str) -> None:
    """What takes long besides asking, such as reading many sources."""
    from quorate.views.escape import one_line

    note(f"quorate: {one_line(said)}")


def note_failed(result: "Result", flags: str) -> None:
    """Where nobody could be asked: what to do about each cause, and how to go on then."""
    from quorate.views.escape import one_line

    for failure in result.failures:
        note(f"quorate: {one_line(', '.join(failure.seats))}: {failure.advice}")
    note(f"quorate: nothing was decided. Once that is fixed, continue with: quorate resume {result.id}{flags}")


def waits(record: "Record") -> None:
    """Whom the panel waits for, and how they answer."""
    from quorate.views.document import open_asks
    from quorate.views.escape import one_line

    for seat in dict.fromkeys(asked.seat for asked in open_asks(record.events)):
        name = shlex.quote(one_line(seat))
        note(f"quorate: {record.id} waits for a person; answer with: quorate answer {record.id} {name}")


def hint(record: "Record") -> None:
    """Seats that stayed silent for a reason one can do something about, and whether they had cast a ballot."""
    from quorate.model import Silent, Spoken
    from quorate.views.escape import one_line

    voted = {event.seat for event in record.events if isinstance(event, Spoken) and event.ballot is not None}
    silent = {(event.detail, event.seat in voted, event.seat) for event in record.events if isinstance(event, Silent)}
    groups: dict[tuple[str, bool], list[str]] = {}
    for detail, cast, seat in sorted(silent):
        groups.setdefault((detail, cast), []).append(seat)
    for (detail, cast), seats in groups.items():
        what = "cast a ballot, but could not be heard in every round" if cast else "could not be heard"
        if detail:
            note(f"hint: {one_line(', '.join(seats))} {what}: {one_line(detail)}")
    _hint_unread(record, voted)


def _hint_unread(record: "Record", voted: "Container[str]") -> None:
    """Who answered and was silent all the same, because nothing could be made of it."""
    from quorate.model import Silent, Spoken
    from quorate.views.escape import one_line

    silent = {event.seat for event in record.events if isinstance(event, Silent) and not event.detail}
    unread = {event.seat for event in record.events if isinstance(event, Spoken) and event.unreadable}
    if seats := one_line(", ".join(seat for seat in sorted(silent & unread) if seat not in voted)):
        note(f"hint: {seats} answered, but not as asked; read it with: quorate show {record.id} --as minutes")


def require_numpy() -> None:
    """See that what was learned can be learned here.

    Raises:
        BadSetting: numpy is not installed.
    """
    from importlib.util import find_spec

    from quorate.errors import BadSetting

    if find_spec("numpy") is None:
        raise BadSetting("learning from votes needs numpy; pip install 'quorate[evaluate]'")
