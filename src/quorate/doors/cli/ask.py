"""`quorate ask` and `quorate resume`: hold a deliberation, show it, and leave with the right code."""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR, gate_of, gate_of_record
from quorate.doors.cli.hints import flags_of, hint, note_progress, waits
from quorate.doors.cli.screen import (
    complain,
    note,
    one_line,
    person_present,
    say,
    say_json,
    text_from,
    text_or_file,
)
from quorate.settings.table import CONCURRENCY, FILES, LEDGER, PANEL, PROTOCOL, ROUTES, SEATS

if TYPE_CHECKING:
    from quorate.chair import State
    from quorate.doors.cli.watchers import Watcher
    from quorate.engine.recompute import AuditRecord
    from quorate.engine.runner import Runner
    from quorate.ledger import Entry, Ledger
    from quorate.model import Convened, Question
    from quorate.model.charter import Charter
    from quorate.panelists.person import Present
    from quorate.settings.protocol_choice import ProtocolChoice
    from quorate.settings.resolve import Settings
    from quorate.views import Record

__all__ = ["ask", "resume", "resume_deliberation"]


class AskOptions(options.OutputOptions):
    """What `quorate ask` was told."""

    question: str | None
    context: str | None
    criteria: str | None
    choices: tuple[str, ...]
    dry_run: bool
    form: str | None
    trust: bool


class ResumeOptions(options.OutputOptions):
    """What `quorate resume` was told."""

    panel: str | None
    ledger: str | None
    allow_keys: tuple[str, ...]
    trust: bool


@dataclass(slots=True, kw_only=True)
class Session:
    """One deliberation as this command holds it: how it is shown, and what to say if it is broken off."""

    resolved: "Settings"
    flags: str = ""
    as_json: bool = False
    quiet: bool = False
    wanted: str | None = None
    form: str | None = None
    id: str = field(default="", init=False)

    def begun(self, id_: str) -> None:
        """Remember what is under way."""
        self.id = id_

    def stopped(self) -> int:
        """Ctrl-C and its like: say how to go on."""
        if self.id:
            how = f"nothing that was heard is lost. Go on with: quorate resume {self.id}{self.flags}"
            note(f"\nquorate: {stopping.describe_stop()}; {how}")
        else:
            note(f"\nquorate: {stopping.describe_stop()} before anything was asked")
        return stopping.exit_code()

    def finished(self, record: "Record", watcher: "Watcher") -> int:
        """Show the verdict and give the exit code."""
        from quorate.doors.cli.records import say_as
        from quorate.engine.verify import as_judged, refusal, verify_record
        from quorate.views.card import verdict_line
        from quorate.views.document import document
        from quorate.views.result import Result

        checked = verify_record(record)
        record = as_judged(record, checked)
        result = Result.of(record)
        watcher.catch_up(record.state)
        if self.form:
            say_as(self.form, record, checked)
        elif self.as_json:
            say_json(document(record, checked.document()))
        elif self.quiet:
            say(verdict_line(result))
        else:
            watcher.end(result)
        hint(record)
        if result.state == "waiting":
            waits(record)
        if result.state == "halted":
            complain(f"{record.id} was given up without a verdict; see: quorate show {record.id}")
            return ERROR
        gate = gate_of_record(self.wanted, record)
        if not checked.same or (gate is not None and checked.state == "forgotten"):
            complain(f"{record.id} {refusal(checked)}")
            return ERROR
        return DONE if gate is None else gate.code(result, checked.state)


@click.command(
    epilog="""\b
Examples:
  quorate ask "Should we delete the staging database?" --panel demo
  quorate ask "Merge this?" --context @change.diff --model ollama:NAME --gate
  quorate ask - --model openai:NAME --seat Safety=ollama:NAME --budget '$0.10' < question.txt"""
)
@click.argument("question", required=False)
@click.option("--context", metavar="TEXT|@FILE", help="What is known around it: text, @FILE, or - for stdin.")
@click.option("--criteria", metavar="TEXT|@FILE", help="By what it is to be settled: text, or @FILE.")
@click.option("--option", "choices", metavar="TEXT", multiple=True, help="An option to choose from; again for each.")
@options.settings
@click.option("--dry-run", is_flag=True, help="Ask nobody: print the asks, calls, tokens and price to expect.")
@click.option(
    "--as", "form", type=click.Choice(options.FORMS), help="Print the result in this form, as `quorate show` does."
)
@options.consent
@options.manner
def ask(said: dict[str, Any], **wish: Unpack[AskOptions]) -> int:
    """Put a question to a panel and get a verdict.

    QUESTION is the question, or - to read it from stdin.

    The panel's seats analyse, challenge each other, revise and vote; rules that anyone can read decide.
    Everything is recorded in the ledger as it happens, and what was broken off can be resumed.
    """
    from quorate.settings.convene import check_fit, convene
    from quorate.settings.resolve import resolve

    question, gate = _question(wish)
    put = _put(question, wish)
    if choice := _choice(put, said, gate):
        put, said = choice.put(put, said)
    resolved = resolve(said, os.environ, Path("~").expanduser())
    _fits(wish["form"], resolved[PROTOCOL])
    gate_of(gate, resolved[PROTOCOL], resolved.draft.settings, put.options)
    if not wish["dry_run"]:  # a forecast asks nobody, so no file can act in it
        resolved = _admitted(resolved, trust=wish["trust"])
    check_fit(put, resolved.draft)
    put = _with_context_files(put, resolved)
    convened = convene(put, _charter(resolved), resolved.environment(os.environ))
    if choice and not (choice.is_usual and wish["quiet"]):
        note(f"note: {one_line(choice.sentence)}")
    if wish["dry_run"]:
        from quorate.engine.routing import resolve_routes

        env = resolved.environment(os.environ)
        return _forecast(resolve_routes(convened, resolved.provider_limits, env), as_json=wish["as_json"])
    session = Session(
        resolved=resolved,
        flags=flags_of({**said, **wish}, resolved),
        as_json=wish["as_json"],
        quiet=wish["quiet"],
        wanted=gate,
        form=wish["form"],
    )
    return _run(session, convened)


@click.command(epilog="\b\nExample:\n  quorate resume last")
@click.argument("id_", metavar="ID")
@options.flag(
    PANEL,
    metavar="FILE",
    shell_complete=None,
    help="A panel file whose rate, breaker, cache, routes and keys hold for what is asked now; who sits is on record.",
)
@options.ledger
@options.allow_key
@options.consent
@options.manner
def resume(id_: str, **wish: Unpack[ResumeOptions]) -> int:
    """Go on with a deliberation that was broken off.

    What was heard is not bought again. ID may be `last` or a unique beginning. A finished one is only shown.
    A record that did not begin here goes on only with --trust if it names commands, addresses or files; no key goes
    along.
    """
    from quorate.doors.cli.records import place

    resolved = place(wish["ledger"], wish["panel"], wish["allow_keys"])
    return resume_deliberation(id_, wish["ledger"], wish, _admitted(resolved, trust=wish["trust"]))


def resume_deliberation(
    id_: str, ledger: str | None, manner: options.OutputOptions, resolved: "Settings | None" = None
) -> int:
    """Go on with a deliberation, and leave with its code; of a panel file, only how providers are treated is used."""
    from quorate.doors.cli.records import place

    known = resolved or _admitted(place(ledger), trust=False)
    session = Session(
        resolved=known,
        flags=flags_of({"ledger": ledger, **manner}, known),
        as_json=manner["as_json"],
        quiet=manner["quiet"],
        wanted=manner["gate"],
    )
    return _run(session, id_)


def _admitted(resolved: "Settings", *, trust: bool) -> "Settings":
    from quorate.settings.consent import admit_settings

    return admit_settings(resolved, os.environ, trust=trust)


def _put(question: str, wish: AskOptions) -> "Question":
    """The question with what the flags say around it."""
    from quorate.model import Question

    context = wish["context"] or ""
    if question == context == "-":
        raise click.UsageError("question and context cannot both come from stdin; give one of them as @FILE or text")
    text = text_from("-").strip() if question == "-" else question
    around, criteria = text_or_file(context), text_or_file(wish["criteria"] or "")
    return Question(text=text, context=around, criteria=criteria, options=wish["choices"])


def _choice(put: "Question", said: dict[str, Any], gate: str | None) -> "ProtocolChoice | None":
    """The protocol that suits the question, where nobody named one or a panel."""
    from quorate.settings.resolve import suitable_protocol

    return suitable_protocol(said, put, os.environ, Path("~").expanduser(), gate=gate)


def _with_context_files(put: "Question", resolved: "Settings") -> "Question":
    """The question with the files for its context; what was taken for it is noted."""
    from quorate.settings.context_files import with_files

    put, files = with_files(put, resolved[FILES])
    for said in (*resolved.notes, *([files.sentence] if resolved[FILES] else ())):
        note(f"note: {said}")
    return put


def _fits(form: str | None, protocol: str) -> None:
    """A form that another protocol has is refused before anything is asked."""
    from quorate.views import VIEWS

    if form and not VIEWS[form].fits(protocol):
        shows = VIEWS[form].shows
        raise click.UsageError(f"--as {form} shows a {shows}, and this is a {protocol}; try --as minutes or --as json")


def _question(wish: AskOptions) -> tuple[str, str | None]:
    """The question and the gate; `--gate "Should we?"` means a bare gate and the question after it."""
    question, gate = wish["question"], wish["gate"]
    if question is None and gate and " " in gate.strip():
        return gate, ""
    if question is None:
        raise click.UsageError("there is no question; give it in quotes and before --gate, or - to read it from stdin")
    return question, gate


def _charter(resolved: "Settings") -> "Charter":
    """The charter as it was given; where nobody said anything about models, with what is found here, and told so.

    Raises:
        NoModel: a seat has none and others do, or nothing was found.
    """
    if resolved[SEATS]:
        return resolved.charter
    from quorate.engine.discovery import discover, pick

    env = resolved.environment(os.environ)
    picked = pick(resolved.panel, stopping.run(lambda: discover(env, resolved[ROUTES])))
    if not picked:
        return resolved.charter
    told = ", ".join(f"{model} for {seat}" for seat, model in picked)
    note(f"note: no model was named; the answers come from {told} (see: quorate models)")
    return replace(resolved.draft, models=picked)


def _forecast(convened: "Convened", *, as_json: bool) -> int:
    from quorate.offline.forecast import forecast

    expected = forecast(convened, os.environ)
    if as_json:
        say_json(expected.document())
    else:
        for line in expected.lines():
            say(line)
    return DONE


def _run(session: Session, what: "Convened | str") -> int:
    """Hold a new deliberation, or resume the one of that id."""
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


async def _hold(session: Session, what: "Convened | str", watcher: "Watcher") -> "Record":
    from quorate.engine.verify import as_judged, verify_record
    from quorate.ledger import open_ledger

    present = person_present() if _asks_people(what) else None

    def watch(_: "Entry", state: "State") -> None:
        # Whoever is to write an opening is shown nobody else's meanwhile, and has the screen to themselves.
        if present is None:
            watcher.saw(state)

    def catch_up(earlier: "AuditRecord") -> None:
        relied_on = as_judged(earlier, verify_record(earlier))
        watcher.begin(relied_on.state.convened)
        watcher.catch_up(relied_on.state)

    listen = watcher.listen if watcher.hears and present is None else None
    ledger = open_ledger(session.resolved[LEDGER])
    try:
        async with await _runner(session, ledger, what, present) as runner:
            if isinstance(what, str):
                session.begun(await ledger.find(what))
                async with watcher:
                    return await runner.resume(session.id, watch=watch, listen=listen, catch_up=catch_up)
            await runner.check(what)
            watcher.begin(what)
            async with watcher:
                return await runner.hold(what, watch=watch, listen=listen, begun=session.begun)
    finally:
        await ledger.close()


async def _runner(session: Session, ledger: "Ledger", what: "Convened | str", present: "Present | None") -> "Runner":
    """Where it is held; for a record, with the keys that were allowed when it was begun."""
    from quorate.engine.runner import Runner

    resolved = session.resolved
    env, consent = resolved.environment(os.environ), resolved.consent
    if isinstance(what, str) and consent is not None:
        env = consent.environment(what, [entry.event for entry in await ledger.read(what)], note_progress)
    told, provider_limits = None if session.quiet else note_progress, resolved.provider_limits
    return Runner(
        ledger,
        env=env,
        concurrency=resolved[CONCURRENCY],
        note=told,
        provider_limits=provider_limits,
        present=present,
        consent=consent,
    )


def _asks_people(what: "Convened | str") -> bool:
    """Whether a person sits on a new panel; one that is resumed is answered with `quorate answer`."""
    from quorate.model.panel import is_person

    return not isinstance(what, str) and any(is_person(sat.model) for sat in what.seated)
