"""`quorate ask` and `quorate resume`: hold a deliberation, show it, and leave with the right code."""

from typing import TYPE_CHECKING, Any, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, HUNG_UP, INTERRUPTED, TERMINATED, gate_of
from quorate.doors.cli.hints import flags_of
from quorate.doors.cli.screen import (
    file_named,
    note,
    one_line,
    say,
    say_json,
    text_from,
    text_or_file,
)
from quorate.doors.cli.session import Session, admit, hold, resume_deliberation
from quorate.errors import BadSetting
from quorate.model.charter import DEFAULT_PROTOCOL
from quorate.settings.table import ALLOW_PARTIAL, LEDGER, PANEL

if TYPE_CHECKING:
    from quorate.doors.web.server import LivePage
    from quorate.model import Question
    from quorate.service.request import PreparedRequest, Request
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
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate ask "Should we delete the staging database?" --panel demo
  quorate ask "Merge this?" --context @change.diff --model ollama:NAME --gate
  quorate ask - --model openai:NAME --seat Safety=ollama:NAME --budget '$0.10' < question.txt""",
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
@options.flag(ALLOW_PARTIAL)
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
    from quorate.service.host import Host
    from quorate.service.prepare import prepare

    request = ask_request(said, wish)
    prepared = stopping.run(lambda: prepare(request, Host.here("command line")))
    convened, gate = prepared.convened, request.gate
    _fits(wish["form"], convened.protocol)
    gate_of(gate, convened.protocol, convened.settings, convened.question.options)
    _say_notes(prepared, quiet=wish["quiet"])
    if wish["dry_run"]:
        return _say_forecast(prepared, as_json=wish["as_json"])
    if wish["detach"]:
        return _detach(prepared, wish)
    session = Session(
        resolved=prepared.settings,
        flags=flags_of({**said, **wish}, prepared.settings),
        as_json=wish["as_json"],
        quiet=wish["quiet"],
        wanted=gate,
        form=wish["form"],
    )
    return _hold_with_page(session, prepared, said) if wish["open_page"] else hold(session, prepared)


def ask_request(said: dict[str, Any], wish: AskOptions) -> "Request":
    """What the command line asks for.

    Raises:
        UsageError: there is no question, or flags that don't go together.
    """
    from quorate.service.request import Request

    question, gate = _question(wish)
    return Request(
        question=_put(question, wish),
        options=said,
        gate=gate,
        trust=wish["trust"],
        allow_partial=wish["allow_partial"],
        only_forecast=wish["dry_run"],
    )


def _hold_with_page(session: Session, prepared: "PreparedRequest", said: dict[str, Any]) -> int:
    """Hold a deliberation and show it on a page besides, which stays after the verdict until Ctrl-C."""
    code: int | None = None
    try:
        with _page(session.resolved, said) as page:
            session.shows = lambda id_: note(f"note: watch it at {page.show(id_)}")
            code = hold(session, prepared)
            if code not in {HUNG_UP, INTERRUPTED, TERMINATED}:
                note(f"The page stays at {page.address} until you press Ctrl-C.")
                stopping.run(stopping.stand_still)
    except KeyboardInterrupt:  # pressed a second time while the page closes, it changes no verdict either
        if code is None:
            raise
    return code


def _page(resolved: "Settings", said: dict[str, Any]) -> "LivePage":
    try:
        from quorate.doors.web.server import LivePage, ServerSettings
        from quorate.doors.web.user_tokens import read_token
    except ImportError as missing:
        raise BadSetting("--open needs starlette and uvicorn; pip install 'quorate[web]'") from missing
    from quorate.service.host import Host

    spoken = {name: value for name, value in said.items() if value not in (None, ()) and name != LEDGER.name}
    operator = Host.here("HTTP", defaults=spoken)
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


def _detach(prepared: "PreparedRequest", wish: AskOptions) -> int:
    """Have a process of its own, or a worker, hold it, and print its id."""
    from quorate.service.runs import start

    id_, hindrance = stopping.run(lambda: start(prepared, trust=wish["trust"]))
    if wish["as_json"]:
        say_json({"schema": 1, "id": id_, "state": "running"})
    else:
        say(id_)
    if hindrance or not (wish["quiet"] or wish["as_json"]):
        how = f"Follow it with: quorate wait {id_}{flags_of(wish, prepared.settings)}"
        note(f"quorate: {hindrance or 'it goes on without you'}. {how}")
    return DONE


def _say_notes(prepared: "PreparedRequest", *, quiet: bool) -> None:
    """How the request was understood; a quiet command doesn't mention what most requests come to."""
    from quorate.doors.cli.suggestions import note_words

    left_out = (
        {"act_error", "protocol" if prepared.convened.protocol == DEFAULT_PROTOCOL else ""} if quiet else set[str]()
    )
    for one in prepared.notes:
        if one.kind not in left_out:
            note(f"note: {one_line(note_words(one))}")


def _put(question: str, wish: AskOptions) -> "Question":
    """The question with what the flags say around it."""
    from quorate.model import Question
    from quorate.service.request import check_question

    context = wish["context"] or ""
    if question == context == "-":
        raise click.UsageError("question and context cannot both come from stdin; give one of them as @FILE or text")
    text = text_from("-").strip() if question == "-" else question
    around, criteria = text_or_file(context), text_or_file(wish["criteria"] or "")
    files = file_named(context, around)
    put = Question(text=text, context=around, criteria=criteria, options=wish["choices"], files=files)
    try:
        check_question(put)
    except BadSetting as wrong:
        raise click.UsageError(str(wrong)) from None
    return put


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


def _say_forecast(prepared: "PreparedRequest", *, as_json: bool) -> int:
    expected = prepared.forecast()
    if as_json:
        say_json(expected.document())
    else:
        for line in expected.lines():
            say(line)
    return DONE
