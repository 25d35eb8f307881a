"""Holding a deliberation at the command line: watched, resumed, stopped, shown at its end, left with the right code."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import ERROR, gate_of_record, plain_code
from quorate.doors.cli.hints import flags_of, hint, note_failed, note_progress, note_reason, waits
from quorate.doors.cli.screen import complain, note, person_present, put_file, say, say_json
from quorate.settings.table import LEDGER, TRANSCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from quorate.chair import State
    from quorate.doors.cli.watchers import Watcher
    from quorate.engine.recompute import AuditRecord
    from quorate.ledger import Entry
    from quorate.service.request import PreparedRequest
    from quorate.settings.resolve import Settings
    from quorate.views import Record

__all__ = ["Session", "admit", "hold", "resume_deliberation"]


@dataclass(slots=True, kw_only=True)
class Session:
    """One deliberation as this command holds it: how it is shown, and what to say if it is broken off."""

    resolved: "Settings"
    flags: str = ""
    as_json: bool = False
    quiet: bool = False
    wanted: str | None = None
    form: str | None = None
    shows: "Callable[[str], None] | None" = None
    """Told of what is under way, to show it elsewhere too."""
    id: str = field(default="", init=False)

    def begun(self, id_: str) -> None:
        """Remember what is under way."""
        self.id = id_
        if self.shows is not None:
            self.shows(id_)

    def stopped(self) -> int:
        """Ctrl-C and its like: say how to go on."""
        if self.id:
            how = f"every answer so far is saved. Continue with: quorate resume {self.id}{self.flags}"
            note(f"\nquorate: {stopping.describe_stop()}; {how}")
        else:
            note(f"\nquorate: {stopping.describe_stop()} before anything was asked")
        return stopping.exit_code()

    def _transcribe(self, record: "Record") -> str | None:
        """Keep the minutes in the folder for them, if there is one, and say in which file."""
        folder = self.resolved.get(TRANSCRIPTS)
        if not folder:
            return None
        from pathlib import Path

        from quorate.views.minutes import minutes

        try:
            Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as wrong:
            complain(f"cannot write to {folder!r}, where transcripts go: {(wrong.strerror or 'no such place').lower()}")
            return None
        file = str(Path(folder).absolute() / f"{record.id}.md")
        put_file(minutes(record).encode(errors="backslashreplace"), file)
        return file

    def finished(self, record: "Record", watcher: "Watcher") -> int:
        """Show the verdict and give the exit code."""
        from quorate.doors.cli.past_figures import learned_document, with_learned
        from quorate.doors.cli.records import say_as
        from quorate.engine.verify import refusal, verify_record
        from quorate.views.card import verdict_line
        from quorate.views.document import document
        from quorate.views.result import Result

        checked = verify_record(record)
        result = with_learned(Result.of(record), record, self.resolved[LEDGER])
        watcher.catch_up(record.state)
        transcript = self._transcribe(record)
        if self.form:
            say_as(self.form, record, checked, self.resolved[LEDGER], transcript)
        elif self.as_json:
            say_json(document(record, checked.document(), learned_document(record, self.resolved[LEDGER])))
        elif self.quiet:
            say(verdict_line(result))
            note_reason(result)
        else:
            watcher.end(result)
        hint(record)
        if result.state == "failed":
            note_failed(result, self.flags)
        if result.state == "waiting":
            waits(record)
        if result.state == "halted":
            complain(f"{record.id} was given up without a verdict; see: quorate show {record.id}")
            return ERROR
        gate = gate_of_record(self.wanted, record)
        if not checked.same or (gate is not None and checked.state == "forgotten"):
            complain(f"{record.id} {refusal(checked)}")
            return ERROR
        return plain_code(result) if gate is None else gate.code(result, checked.state)


def resume_deliberation(
    id_: str, ledger: str | None, manner: options.OutputOptions, resolved: "Settings | None" = None
) -> int:
    """Go on with a deliberation, and leave with its code; of a panel file, only how providers are treated is used."""
    from quorate.doors.cli.records import place

    known = resolved or admit(place(ledger), trust=False)
    session = Session(
        resolved=known,
        flags=flags_of({"ledger": ledger, **manner}, known),
        as_json=manner["as_json"],
        quiet=manner["quiet"],
        wanted=manner["gate"],
    )
    return hold(session, id_)


def admit(resolved: "Settings", *, trust: bool) -> "Settings":
    """The settings, if the user allowed what their files would do."""
    from quorate.settings.consent import admit_settings

    return admit_settings(resolved, os.environ, trust=trust)


def hold(session: Session, what: "PreparedRequest | str") -> int:
    """Hold what was prepared, or resume the deliberation of that id."""
    from quorate.doors.cli.watchers import watcher_for
    from quorate.middleware.telemetry import log_to
    from quorate.panelists.cli.workspace import sweep

    sweep()
    silent = bool(session.form or session.as_json or session.quiet)
    watcher = watcher_for(silent=silent, notes=not session.quiet, drawn=not _asks_people(what))
    try:
        with log_to(os.environ.get("QUORATE_LOG", "")):
            record = stopping.run(lambda: _hold(session, what, watcher))
    except KeyboardInterrupt:
        return session.stopped()
    return session.finished(record, watcher)


async def _hold(session: Session, what: "PreparedRequest | str", watcher: "Watcher") -> "Record":
    from quorate.doors.cli.records import whole_id
    from quorate.service.host import open_place
    from quorate.service.runs import open_runner

    present = person_present() if _asks_people(what) else None

    def watch(entry: "Entry", state: "State") -> None:
        # Whoever is to write an opening is shown nobody else's meanwhile, and has the screen to themselves.
        if present is None:
            watcher.saw(state, entry.event)

    def catch_up(earlier: "AuditRecord") -> None:
        watcher.begin(earlier.state.convened)
        watcher.catch_up(earlier.state)

    listen = watcher.listen if watcher.hears and present is None else None
    told = _say_nothing if session.quiet else note_progress
    if isinstance(what, str):
        env = session.resolved.environment(os.environ)
        async with open_place(session.resolved[LEDGER]) as ledger:
            id_ = await whole_id(ledger, what)
            async with open_runner(session.resolved, env, ledger=ledger, note=told, id_=id_) as runner:
                session.begun(id_)
                async with watcher:
                    return await runner.resume(id_, watch=watch, listen=listen, catch_up=catch_up)
    async with open_runner(what.settings, what.env, note=told, present=present) as runner:
        await runner.check(what.convened)
        watcher.begin(what.convened)
        async with watcher:
            return await runner.hold(what.convened, state=what.state, watch=watch, listen=listen, begun=session.begun)


def _say_nothing(_: str) -> None:
    """A quiet command is not told what takes long."""


def _asks_people(what: "PreparedRequest | str") -> bool:
    """Whether a person sits on a new panel; one that is resumed is answered with `quorate answer`."""
    from quorate.model.panel import is_person

    return not isinstance(what, str) and any(is_person(sat.model) for sat in what.convened.seated)
