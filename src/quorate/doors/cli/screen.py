"""What goes to stdout and stderr, what comes from stdin and files, and who sits there; a reader gone is no error."""

import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from quorate.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path

    from quorate.model import Ask, ContextFile

__all__ = [
    "Keyboard",
    "account",
    "bytes_from",
    "complain",
    "confirm",
    "file_named",
    "is_terminal",
    "note",
    "one_line",
    "person_present",
    "person_prompt",
    "put_file",
    "say",
    "say_bytes",
    "say_json",
    "text_from",
    "text_or_file",
]

LARGEST: Final = 64_000_000
"""Characters of a text that are read: more is no text that anybody wrote, and may have no end."""


LOOKED_AT: Final = 1_000_000
"""Characters in which stdin's own way to let bytes through is looked for; longer texts nobody puts to a panel."""


def say(text: str = "", end: str = "\n") -> bool:
    """Write to stdout what was asked for; whether anybody is there to read it."""
    return _write(sys.stdout, f"{text}{end}")


def note(text: str) -> None:
    """Write to stderr what a person may want to know meanwhile."""
    _write(sys.stderr, f"{text}\n")


def one_line(text: str, most: int = 0) -> str:
    """Others' text in one escaped line; `quorate --help` shows none, so the view is loaded when it is wanted."""
    from quorate.views import escape

    return escape.one_line(text, most)


def complain(text: str) -> None:
    """Write an error to stderr: one sentence, whatever a name in it holds."""
    note(f"quorate: {one_line(text)}")


def say_json(value: Mapping[str, object]) -> None:
    """Write one JSON document to stdout."""
    import json

    from quorate.views.escape import visible_json

    say(visible_json(json.dumps(value, ensure_ascii=False, indent=2)))


def say_bytes(lines: bytes) -> None:
    """Write to stdout, byte for byte."""
    try:
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)


def put_file(file: bytes, where: str | None) -> None:
    """Write a statement to a file that only its owner can read, or to stdout.

    Raises:
        BadSetting: it cannot be written there.
    """
    if where is None:
        say_bytes(file)
        return
    # What stands under that name is written over, but no link is followed: it could lead anywhere.
    over = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(where, over, 0o600), "wb") as out:
            out.write(file)
    except (OSError, ValueError) as wrong:
        said = wrong.strerror if isinstance(wrong, OSError) else None
        raise BadSetting(f"cannot write {where!r}: {(said or 'it is not a file name').lower()}") from None
    note(f"written: {one_line(where)}")


def confirm(question: str) -> bool:
    """Ask a person on stderr; anything but yes, nothing included, is no."""
    _write(sys.stderr, question)
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def _write(stream: TextIO | None, text: str) -> bool:
    """Write, and say whether the text went out; a closed reader is no error."""
    if stream is None:
        return False
    try:
        stream.write(_shown(text) if stream.isatty() else text)
        stream.flush()
    except BrokenPipeError:
        _let_go(stream)
        return False
    except OSError as full:
        _let_go(stream)
        if stream is sys.stderr:  # nobody is left to tell, as when the terminal was closed
            return False
        raise BadSetting(f"cannot write the output: {_reason(full)}; what was recorded is safe") from None
    return True


def _shown(text: str) -> str:
    """What a terminal is sent: whatever a command let through, nothing in it steers."""
    from quorate.views.escape import visible

    return text if text.isascii() and text.replace("\n", "").isprintable() else visible(text)


def drop_unread() -> None:
    """Drop what nobody took of stdout and stderr: Python would try once more, and end with a code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _let_go(stream)


def _let_go(stream: TextIO) -> None:
    """Whoever read this has left; the work goes on, and its exit code still counts."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def account() -> str:
    """The name of the account this runs under; its number where it has no name."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person watches, on a screen that can move its cursor."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "") not in {"", "dumb"}


def text_from(where: str) -> str:
    """The text of a file, or of stdin for `-`.

    Raises:
        BadSetting: it cannot be read as text, or there is no end to it.
    """
    if where == "-" and sys.stdin is None:
        raise BadSetting("standard input is closed; give a file, or pipe something in")
    try:
        text = sys.stdin.read(LARGEST + 1) if where == "-" else _beginning(_path(where))
    except UnicodeDecodeError:
        raise BadSetting(f"{_name(where)} is not UTF-8 text; convert it first") from None
    except (OSError, ValueError) as wrong:
        raise BadSetting(f"cannot read {_name(where)}: {_reason(wrong)}{_meant(where)}") from None
    if len(text) > LARGEST:
        raise BadSetting(
            f"{_name(where)} holds more than {LARGEST // 10**6} million characters; give only a part of it"
        )
    if len(text) <= LOOKED_AT and ("\0" in text or not _is_sound(text)):
        raise BadSetting(f"{_name(where)} is not UTF-8 text; convert it first")
    return text


def _is_sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def file_named(written: str, text: str) -> "tuple[ContextFile, ...]":
    """The file that an option named instead of a text, by its own name: where it was is nobody else's business."""
    from quorate.model import ContextFile

    if not written.startswith("@"):
        return ()
    return (ContextFile(name=_path(written[1:]).name, size=len(text.encode(errors="surrogatepass"))),)


def text_or_file(written: str) -> str:
    """A text as it was typed, of the file behind an @, or of stdin for `-`.

    Raises:
        BadSetting: it cannot be read, or it is the name of a file and the @ is missing.
    """
    if written == "-":
        return text_from("-")
    if written.startswith("@"):
        return text_from(written[1:])
    if _names_file(written):
        raise BadSetting(
            f"{written!r} is the name of a file here; to read it, write @{written}; to use it as text, add a word"
        )
    return written


def _names_file(written: str) -> bool:
    """Whether a text is nothing but the name of a file: nobody wants a verdict on a name."""
    try:
        return bool(written) and written == written.strip() and "\n" not in written and _path(written).is_file()
    except (OSError, ValueError):
        return False


def _path(where: str) -> "Path":
    """`quorate --help` names no file, so paths are loaded when one is wanted."""
    from pathlib import Path

    return Path(where)


def _beginning(path: "Path") -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(LARGEST + 1)


def bytes_from(where: str) -> BinaryIO:
    """A file opened to be read line by line, or stdin for `-`.

    Raises:
        BadSetting: it cannot be opened.
    """
    if where == "-" and sys.stdin is None:
        raise BadSetting("standard input is closed; give a file, or pipe something in")
    try:
        return sys.stdin.buffer if where == "-" else _path(where).open("rb")
    except (OSError, ValueError) as wrong:
        raise BadSetting(f"cannot read {_name(where)}: {_reason(wrong)}") from None


def _meant(where: str) -> str:
    """A file of nearly that name beside where it was looked for."""
    from difflib import get_close_matches

    path = _path(where)
    try:
        near = (
            [] if path.exists() else get_close_matches(path.name, [one.name for one in path.parent.iterdir()], 1, 0.7)
        )
    except (OSError, ValueError):
        return ""
    return f"; did you mean {str(path.with_name(near[0]))!r}?" if near else ""


def _name(where: str) -> str:
    return "stdin" if where == "-" else repr(where)


def _reason(wrong: Exception) -> str:
    return (wrong.strerror or "it cannot be opened").lower() if isinstance(wrong, OSError) else "it is not a file name"


def person_prompt(ask: "Ask") -> str:
    """A prompt in words for people: others' words behind bars in place of fences, and how to answer in plain lines."""
    from quorate import catalogue

    text, how = ask.prompt.template, PLAIN_ANSWERS.get(ask.wants, "")
    for mark in (ask.mark, ""):
        asked = catalogue.form(ask.wants).instructions(ask.terms(mark)).strip()
        if how and asked and text.rstrip().endswith(asked):
            text = f"{text.rstrip().removesuffix(asked).rstrip()}\n\n{how}"
            break
    return re.sub(_FENCED, _behind_bars, text, flags=re.DOTALL)


def _behind_bars(quote: "re.Match[str]") -> str:
    lines = quote["text"].split("\n")
    return "\n".join((f"{quote['label'][:1].upper()}{quote['label'][1:]}:", *(f"  | {line}" for line in lines)))


_FENCED: Final = r"\[(?P<fence>\w+) begin: (?P<label>[^\]\n]*)\]\n(?P<text>.*?)\n\[(?P=fence) end\]"
PLAIN_ANSWERS: Final = {
    "decision": "Say in your own words what speaks for it and what against it. Then end with four lines:\n\n"
    "Decision: ACT (go ahead), WARN (go ahead only with the concerns you name) or REFUSE (do not); with the power to "
    "veto also VETO\n"
    "Confidence: how sure you are, from 0 to 100\n"
    "Risk: how much harm going ahead could do, from 0 to 100\n"
    "Reasoning: your main reason, in a sentence or two",
    "speech": "Answer in your own words.",
}
"""How a person answers, by what is wanted; where nothing stands here, as the prompt itself says."""


def person_present() -> "Keyboard | None":
    """The person at the keyboard, if one is."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return Keyboard()


class Keyboard:
    """Puts asks to whoever sits at this terminal, one at a time; an empty answer means later."""

    def __init__(self) -> None:
        import asyncio

        self._free = asyncio.Lock()
        self._terminal: int | None = None
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
        note(f"\n==== You are {one_line(ask.seat.name)}{about}. You are asked: ====\n\n{visible(person_prompt(ask))}\n")
        while True:
            note("==== Answer, and end with a line that has only a dot. An empty answer means: later. ====")
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
        if self._terminal is None:
            self._terminal = _own_terminal(sys.stdin.fileno())
        while b"\n" not in self._typed:
            await _readable(self._terminal)
            piece = _read(self._terminal)
            if piece == b"":
                break
            self._typed += piece or b""
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


def _own_terminal(terminal: int) -> int:
    """The same terminal for us alone, so that a read need never wait: Ctrl-C takes back what was typed before it."""
    try:
        return os.open(os.ttyname(terminal), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:  # another user's, or one that has no name here
        return terminal


def _read(terminal: int) -> bytes | None:
    """What was typed, empty at the end, none if it was taken back meanwhile."""
    try:
        return os.read(terminal, 65536)
    except BlockingIOError:
        return None
    except OSError:  # the terminal was closed
        return b""
