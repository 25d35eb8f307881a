"""`quorate ask` and `quorate resume`: hold a deliberation, show it, and leave with the right code."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, HUNG_UP, INTERRUPTED, TERMINATED, gate_of
from quorate.doors.cli.hints import flags_of
from quorate.doors.cli.screen import (
    note,
    one_line,
    say,
    say_json,
    text_from,
    text_or_file,
)
from quorate.doors.cli.session import Session, admit, hold, resume_deliberation
from quorate.errors import BadSetting
from quorate.settings.table import ACT_ERROR, FILES, LEDGER, MEMORY, PANEL, PICKED_BUDGET, PROTOCOL, SEATS

if TYPE_CHECKING:
    from quorate.doors.web.server import LivePage
    from quorate.model import Convened, Question
    from quorate.model.charter import Charter
    from quorate.settings.protocol_choice import ProtocolChoice
    from quorate.settings.resolve import Settings

__all__ = ["ask", "resume"]


class AskOptions(options.OutputOptions):
    """What `quorate ask` was told."""

    question: str | None
    context: str | None
    criteria: str | None
    choices: tuple[str, ...]
    dry_run: bool
    allow_partial: bool
    form: str | None
    open_page: bool
    trust: bool
    detach: bool


class ResumeOptions(options.OutputOptions):
    """What `quorate resume` was told."""

    panel: str | None
    ledger: str | None
    allow_keys: tuple[str, ...]
    trust: bool


@click.command(
    epilog="""\b
Examples:
  quorate ask "Should we delete the staging database?" --panel demo
  quorate ask "Merge this?" --context @change.diff --model ollama:NAME --gate
  quorate ask - --model openai:NAME --seat Safety=ollama:NAME --budget '$0.10' < question.txt"""
)
@click.argument("question", required=False)
@click.option(
    "--context",
    metavar="TEXT|@FILE",
    help="Background the models should know: text, @FILE to read one, or - for stdin.",
)
@click.option(
    "--criteria", metavar="TEXT|@FILE", help="Decision criteria: what would settle the question. Text, or @FILE."
)
@click.option("--option", "choices", metavar="TEXT", multiple=True, help="An option to choose from; may be repeated.")
@options.settings
@click.option(
    "--allow-partial",
    is_flag=True,
    help="Start even if the budget cannot pay for one complete pass; go as far as it lasts.",
)
@click.option("--dry-run", is_flag=True, help="Ask no model; print the calls, tokens and price to expect.")
@click.option(
    "--as", "form", type=click.Choice(options.FORMS), help="Print the result in this form, as `quorate show` does."
)
@click.option(
    "--detach",
    is_flag=True,
    help="Print the id and leave; a process of its own holds the deliberation, or a worker if the ledger is in "
    "PostgreSQL. Follow it with: quorate wait ID",
)
@click.option(
    "--open", "open_page", is_flag=True, help="Open a page in the browser that shows it live; Ctrl-C ends the page."
)
@options.consent
@options.manner
def ask(said: dict[str, Any], **wish: Unpack[AskOptions]) -> int:
    """Put a question to a panel and get a verdict.

    QUESTION is the question, or - to read it from stdin.

    A panel has seats, and a model answers for each. The seats answer alone, challenge each other, revise and vote;
    rules that anyone can read turn the votes into a verdict. Everything is recorded as it happens, so an
    interrupted deliberation can be resumed.
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
        resolved = admit(resolved, trust=wish["trust"])
    check_fit(put, resolved.draft)
    put = _with_context_files(put, resolved)
    convened = _with_memory(convene(put, _charter(resolved), resolved.environment(os.environ)), resolved)
    _note_choice(choice, wish)
    if wish["dry_run"]:
        return _forecast(convened, resolved, as_json=wish["as_json"])
    _note_price(convened, resolved)
    _check_budget(convened, resolved, allow_partial=wish["allow_partial"])
    if wish["detach"]:
        return _detach(convened, resolved, wish)
    session = Session(
        resolved=resolved,
        flags=flags_of({**said, **wish}, resolved),
        as_json=wish["as_json"],
        quiet=wish["quiet"],
        wanted=gate,
        form=wish["form"],
    )
    return _hold_with_page(session, convened, said) if wish["open_page"] else hold(session, convened)


def _hold_with_page(session: Session, convened: "Convened", said: dict[str, Any]) -> int:
    """Hold a deliberation and show it on a page besides, which stays after the verdict until Ctrl-C."""
    code: int | None = None
    try:
        with _page(session.resolved, said) as page:
            session.shows = lambda id_: note(f"note: watch it at {page.show(id_)}")
            code = hold(session, convened)
            if code not in {HUNG_UP, INTERRUPTED, TERMINATED}:
                note(f"The page stays at {page.address} until you press Ctrl-C.")
                stopping.run(stopping.stand_still)
    except KeyboardInterrupt:  # pressed a second time while the page closes, it changes no verdict either
        if code is None:
            raise
    return code


def _page(resolved: "Settings", said: dict[str, Any]) -> "LivePage":
    try:
        from quorate.doors.web.operator import Operator
        from quorate.doors.web.server import LivePage, ServerSettings
        from quorate.doors.web.user_tokens import read_token
    except ImportError as missing:
        raise BadSetting("--open needs starlette and uvicorn; pip install 'quorate[web]'") from missing
    spoken = {name: value for name, value in said.items() if value not in (None, ()) and name != LEDGER.name}
    operator = Operator(env=dict(os.environ), home=Path("~").expanduser(), said=spoken)
    token, page_token = (read_token(resolved.state / name) for name in ("token", "page-token"))
    settings = ServerSettings(
        operator=operator, token=token, page_token=page_token, ledger=resolved[LEDGER], port=0, resumes=False
    )
    return LivePage(settings)


@click.command(epilog="\b\nExample:\n  quorate resume last")
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@options.flag(
    PANEL,
    metavar="FILE",
    shell_complete=None,
    help="A panel file to take rate, breaker, cache, routes and keys from. The seats stay as recorded.",
)
@options.ledger
@options.allow_key
@options.consent
@options.manner
def resume(id_: str, **wish: Unpack[ResumeOptions]) -> int:
    """Continue a deliberation that was interrupted.

    Answers that were recorded are not paid for again. ID may be `last`, or a beginning or end that only one id has.
    A finished deliberation is only shown. If the record was imported and names commands, addresses or files, it
    continues only with --trust; keys are not sent.
    """
    from quorate.doors.cli.records import place

    resolved = place(wish["ledger"], wish["panel"], wish["allow_keys"])
    return resume_deliberation(id_, wish["ledger"], wish, admit(resolved, trust=wish["trust"]))


def _check_detachable(wish: AskOptions) -> None:
    """Refuse beside --detach what needs the end; whoever waits for it gives it to `quorate wait`."""
    needs = {"--gate": wish["gate"] is not None, "--as": wish["form"], "--dry-run": wish["dry_run"]}
    elsewhere = {"--dry-run": "ask without --detach", "--open": "watch it with: quorate serve --open"}
    for flag, is_given in {**needs, "--open": wish["open_page"]}.items():
        if wish["detach"] and is_given:
            how = elsewhere.get(flag, f"give it to: quorate wait ID {flag}")
            raise click.UsageError(f"--detach leaves before there is anything for {flag} to show; {how}")


def _detach(convened: "Convened", resolved: "Settings", wish: AskOptions) -> int:
    """Have a process of its own, or a worker, hold it, and print its id."""
    from quorate.engine.hosts.detached_host import HostTerms
    from quorate.engine.hosts.host_choice import host_deliberation

    if resolved.get(ACT_ERROR) is not None:
        from quorate.evaluate.act_gate import certify_by_settings

        asked = convened
        convened = stopping.run(lambda: certify_by_settings(asked, resolved))
    terms = HostTerms.of(resolved, trust=wish["trust"])
    id_, hindrance = stopping.run(lambda: host_deliberation(terms, convened))
    if wish["as_json"]:
        say_json({"schema": 1, "id": id_, "state": "running"})
    else:
        say(id_)
    if hindrance or not (wish["quiet"] or wish["as_json"]):
        how = f"Follow it with: quorate wait {id_}{flags_of(wish, resolved)}"
        note(f"quorate: {hindrance or 'it goes on without you'}. {how}")
    return DONE


def _put(question: str, wish: AskOptions) -> "Question":
    """The question with what the flags say around it."""
    from quorate.guard.empty import visible
    from quorate.model import Question

    context = wish["context"] or ""
    if question == context == "-":
        raise click.UsageError("question and context cannot both come from stdin; give one of them as @FILE or text")
    text = text_from("-").strip() if question == "-" else question
    if not any(map(visible, text)):
        raise click.UsageError("the question is blank; give it in quotes, or - to read it from stdin")
    around, criteria = text_or_file(context), text_or_file(wish["criteria"] or "")
    return Question(text=text, context=around, criteria=criteria, options=wish["choices"])


def _choice(put: "Question", said: dict[str, Any], gate: str | None) -> "ProtocolChoice | None":
    """The protocol that suits the question, where nobody named one or a panel."""
    from quorate.settings.resolve import suitable_protocol

    return suitable_protocol(said, put, os.environ, Path("~").expanduser(), gate=gate)


def _note_choice(choice: "ProtocolChoice | None", wish: AskOptions) -> None:
    if choice and not (choice.is_usual and wish["quiet"]):
        note(f"note: {one_line(choice.sentence)}")


def _with_context_files(put: "Question", resolved: "Settings") -> "Question":
    """The question with the files for its context; what was taken for it is noted."""
    from quorate.settings.context_files import with_files

    put, files = with_files(put, resolved[FILES])
    for said in (*resolved.notes, *([files.sentence] if resolved[FILES] else ())):
        note(f"note: {said}")
    return put


def _with_memory(convened: "Convened", resolved: "Settings") -> "Convened":
    """The deliberation with what its seats are shown of earlier ones, where that was asked for; it is noted."""
    if not resolved[MEMORY]:
        return convened
    from quorate.offline.precedents import recall_by_settings

    found = stopping.run(lambda: recall_by_settings(convened, resolved))
    note(f"note: {one_line(found.sentence)}")
    return found.convened


def _fits(form: str | None, protocol: str) -> None:
    """A form that another protocol has is refused before anything is asked."""
    from quorate.views import VIEWS

    if form and not VIEWS[form].fits(protocol):
        shows = VIEWS[form].shows
        raise click.UsageError(f"--as {form} shows a {shows}, and this is a {protocol}; try --as minutes or --as json")


def _question(wish: AskOptions) -> tuple[str, str | None]:
    """The question and the gate; `--gate "Should we?"` means a bare gate and the question after it."""
    _check_detachable(wish)
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
    from quorate.engine.picked_models import pick_models

    found = stopping.run(lambda: pick_models(resolved, os.environ))
    note(f"note: {found.sentence}")
    return found.charter


def _note_price(convened: "Convened", resolved: "Settings") -> None:
    """Before the first call to models that quorate picked: what to expect, and the most it may use."""
    if resolved[SEATS] or convened.limits == resolved.limits:
        return
    from quorate.offline.forecast import forecast

    expected = forecast(convened, os.environ)
    budget = PICKED_BUDGET.write(resolved[PICKED_BUDGET])
    note(f"note: price {expected.price}; it may use at most {budget} (--budget, or the setting {PICKED_BUDGET.name})")


def _forecast(convened: "Convened", resolved: "Settings", *, as_json: bool) -> int:
    from quorate.engine.routing import resolve_routes
    from quorate.offline.forecast import forecast

    env = resolved.environment(os.environ)
    expected = forecast(resolve_routes(convened, resolved.provider_limits, env), os.environ)
    if as_json:
        say_json(expected.document())
    else:
        for line in expected.lines():
            say(line)
    return DONE


def _check_budget(convened: "Convened", resolved: "Settings", *, allow_partial: bool) -> None:
    if not allow_partial and convened.limits.has_budget:  # a forecast takes what few starts need
        from quorate.offline.forecast import require_one_pass

        require_one_pass(convened, resolved.provider_limits, resolved.environment(os.environ))
