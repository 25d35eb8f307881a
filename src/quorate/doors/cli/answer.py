"""`quorate answer`: a person's answer for a seat; and the person at the keyboard while a deliberation is held."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.screen import complain, note, one_line, text_from

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.model import Ask

__all__ = ["Keyboard", "answer"]


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
@click.argument("id_", metavar="ID")
@click.argument("seat")
@click.option("--text", metavar="TEXT|-", help="The answer, or - to read it from stdin; else an editor opens.")
@click.option("--show", is_flag=True, help="Print what is asked, and nothing else.")
@options.ledger
@options.manner
def answer(id_: str, seat: str, **wish: Unpack[AnswerOptions]) -> int:
    """Answer for a seat as the person who holds it.

    A seat whose model is `person` or `person:NAME` waits in the record. Without --text its prompt opens in $VISUAL or
    $EDITOR. An answer that cannot be read is refused with the reason, and nothing is written; else the deliberation
    goes on. ID may be `last` or a unique beginning.
    """
    from quorate.doors.cli.ask import resume_deliberation
    from quorate.doors.cli.exit_codes import DONE
    from quorate.doors.cli.records import with_ledger
    from quorate.doors.cli.screen import say
    from quorate.engine import person_entries as answering
    from quorate.views.escape import visible

    async def asked(held: "Ledger") -> "tuple[str, Ask]":
        return await held.find(id_), await answering.asked_of(held, id_, seat)

    ledger, text = wish["ledger"], wish["text"]
    whole, ask = with_ledger(ledger, asked)
    if wish["show"]:
        say(visible(ask.prompt.template))
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
    return f"\n\n{_RULER}\n\n{ask.prompt.template}\n"


class Keyboard:
    """Puts asks to whoever sits at this terminal, one at a time; an empty answer means later."""

    def __init__(self) -> None:
        import asyncio

        self._free = asyncio.Lock()

        self._typed = bytearray()

    async def __call__(self, ask: "Ask") -> str | None:
        async with self._free:
            return await self._ask(ask)

    async def _ask(self, ask: "Ask") -> str | None:
        from quorate import chair
        from quorate.engine.person_entries import unreadable
        from quorate.model import Spoken
        from quorate.panelists.person import person_reply
        from quorate.views.escape import visible

        about = f", about {one_line(ask.about.name)}" if ask.about else ""
        note(
            f"\n==== You are {one_line(ask.seat.name)}{about}. You are asked: ====\n\n{visible(ask.prompt.template)}\n"
        )
        while True:
            note("==== Answer, and end with a line that holds a single dot; an empty answer means later. ====")
            words = await self._lines()
            if not words.strip():
                return None
            why = unreadable(chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=person_reply(words, "person"))))
            if not why:
                return words
            complain(f"that cannot be counted: {why}")

    async def _lines(self) -> str:
        lines: list[str] = []
        while (line := await self._line()) and line.strip() != ".":
            lines.append(line)
        return "".join(lines)

    async def _line(self) -> str:
        """The next line, empty at the end; read on the loop, for a thread that reads cannot be stopped by Ctrl-C."""
        while b"\n" not in self._typed:
            await _readable(sys.stdin.fileno())
            piece = _read(sys.stdin.fileno())
            if not piece:
                break
            self._typed += piece
        line, newline, rest = self._typed.partition(b"\n")
        self._typed = rest
        return (line + newline).decode(sys.stdin.encoding, "replace")


async def _readable(terminal: int) -> None:
    import asyncio

    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(terminal, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(terminal)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the terminal was closed
        return b""
