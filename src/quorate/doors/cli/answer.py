"""`quorate answer`: a person's answer for a seat."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.screen import note, one_line, person_prompt, text_from

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.model import Ask

__all__ = ["answer"]


class AnswerOptions(options.OutputOptions):
    """What `quorate answer` was told."""

    text: str | None
    show: bool
    ledger: str | None


@click.command(
    epilog="""\b
Examples:
  quorate answer last Safety
  quorate answer last Safety --text "Decision: WARN
  Confidence: 80
  Risk: 30
  Reasoning: the backup was never restored"
  quorate answer last Safety --text - < answer.txt"""
)
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.argument("seat")
@click.option("--text", metavar="TEXT|-", help="The answer, or - to read it from stdin; without it an editor opens.")
@click.option("--show", is_flag=True, help="Print the prompt and answer nothing.")
@options.ledger
@options.manner
def answer(id_: str, seat: str, **wish: Unpack[AnswerOptions]) -> int:
    """Answer for a seat that a person holds.

    A seat whose model is `person` or `person:NAME` waits for you. Without --text, its prompt opens in $VISUAL or
    $EDITOR. If the answer cannot be read, you are told why and nothing is written; otherwise the deliberation
    continues. ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.doors.cli.exit_codes import DONE
    from quorate.doors.cli.records import whole_id, with_ledger
    from quorate.doors.cli.screen import say
    from quorate.doors.cli.session import resume_deliberation
    from quorate.service.reviews import person_entries as answering
    from quorate.views.escape import visible

    async def asked(held: "Ledger") -> "tuple[str, Ask]":
        found = await whole_id(held, id_)
        return found, await answering.asked_of(held, found, seat)

    ledger, text = wish["ledger"], wish["text"]
    whole, ask = with_ledger(ledger, asked)
    if wish["show"]:
        say(visible(person_prompt(ask)))
        return DONE
    try:
        words = _written(ask) if text is None else text_from("-") if text == "-" else text
    except KeyboardInterrupt:
        where = f" --ledger {shlex.quote(ledger)}" if ledger else ""
        how = f"quorate answer {whole} {shlex.quote(one_line(seat))}{where}"
        note(f"\nquorate: {stopping.describe_stop()}; nothing was answered. Answer with: {how}")
        return stopping.exit_code()

    async def put(held: "Ledger") -> None:
        await answering.answer(held, whole, seat, words)

    with_ledger(ledger, put)
    return resume_deliberation(whole, ledger, wish)


def _written(ask: "Ask") -> str:
    """From an editor where a person can use one, else from stdin."""
    if not sys.stdin.isatty():
        return text_from("-")
    with stopping.left_to_others():
        text = click.edit(_page(ask), editor=os.environ.get("VISUAL") or os.environ.get("EDITOR"), extension=".txt")
    said = (text or "").partition(_RULER)[0].strip()
    if not said:
        raise click.UsageError("nothing was written above the line, so nothing is answered")
    return said


_RULER = "---- Your answer goes above this line; what was asked stands below. ----"


def _page(ask: "Ask") -> str:
    return f"\n\n{_RULER}\n\n{person_prompt(ask)}\n"
