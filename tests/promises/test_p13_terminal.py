"""P13, T36: what models, providers, files and records say cannot steer a terminal, whichever command shows it."""

import asyncio
import io
import json
import os
import pty
import sys
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import presets
from quorate.doors.cli.command_group import COMMANDS, run
from quorate.engine.runner import Runner
from quorate.errors import PanelistError
from quorate.ledger import Row, open_ledger
from quorate.ledger import export as records
from quorate.model import Ask, Convened, Panel, Question, Reply, SeatModel
from quorate.panelists import WordListener, ignore_words
from quorate.testing import argument, assessment, ballot, finding, vote
from quorate.views import VIEWS
from tests.doors import hostile
from tests.doors.conftest import Quorate, home, quorate
from tests.play import convened, has_setting

__all__ = ["home", "quorate"]

pytestmark = pytest.mark.promise

EVIL = hostile.EVIL
NAME = "".join(sign for sign in EVIL if sign not in "\x00\n")
"""What can stand in an argument or the name of a file."""


class Evil:
    """Says what steers a terminal wherever there is room for words, and fails with it now and then."""

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        if ask.round == "challenge" and ask.about == ask.seat:
            raise PanelistError("refusal", EVIL)
        source = {"url": f"https://example.org/{EVIL}", "title": EVIL, "quote": EVIL}
        match ask.wants:
            case "decision":
                cast = ballot(ask, "WARN", 70, 30, EVIL)
            case "vote":
                cast = vote(ask, f"Do it {EVIL}", 0.7, EVIL, more=False)
            case "finding":
                cast = finding(ask, "YES", 0.8, [source], EVIL)
            case "argument":
                cast = argument(ask, [f"It works {EVIL}"], [EVIL])
            case "assessment":
                cast = assessment(ask, 0.5)
            case _:
                cast = ""
        return Reply(text=f"Hear me {EVIL}\n\n{cast}", model=EVIL)


def begun(protocol: str) -> Convened:
    seats = presets.panel(protocol).panel.seats
    panel = Panel(seats=tuple(replace(seat, part=seat.acts, name=f"{seat.name}{NAME}", role=EVIL) for seat in seats))
    settings = (("similarity", "overlap"),) if has_setting(protocol, "similarity") else ()
    begin = convened(panel, protocol, settings)
    seated = tuple(SeatModel(seat=seat.name, model=f"test:{NAME}", domain=NAME) for seat in panel)
    return replace(begin, seated=seated, question=Question(text="Should we?", options=("go", "stay")))


async def held(where: Path) -> dict[str, str]:
    """A record of every protocol, and one that was turned away, by what they are; all of them full of it."""
    begins = {name: begun(name) for name in ("tribunal", "conference", "debate", "oracle")}
    begins["turned"] = replace(begun("tribunal"), question=Question(text=f"So {EVIL}?", context=EVIL, options=(EVIL,)))
    found = {}
    ledger = open_ledger(str(where))
    async with Runner(ledger) as runner:
        for name, begin in begins.items():
            record = await runner.hold(begin, panelists={seat.name: Evil() for seat in begin.panel})
            found[name] = record.id
    await ledger.close()
    return found


def prepared(folder: Path, quorate: Quorate) -> dict[str, str]:
    files(folder)
    assert quorate("attest", "keygen", "--key", str(folder / "key.pem")).code == 0
    return asyncio.run(held(folder / "ledger.db"))


def on_a_terminal(*words: str) -> tuple[int, str]:
    """Run a command with a pseudo-terminal for all its streams: its exit code, and what went to the screen."""
    return shown_by(lambda: run(words))


def shown_by(work: Callable[[], int]) -> tuple[int, str]:
    """The same for anything that writes."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    shown: list[bytes] = []

    def watch() -> None:
        with suppress(OSError):
            while piece := os.read(ours, 65536):
                shown.append(piece)

    watching = threading.Thread(target=watch)
    watching.start()
    os.write(ours, b"\n" * 20)  # an empty answer to whatever asks for a confirmation
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(os.dup(theirs), mode), encoding="utf-8", write_through=True)
        for mode in ("rb", "wb", "wb")
    )
    try:
        code = work()
    finally:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            stream.close()
        sys.stdin, sys.stdout, sys.stderr = before
        os.close(theirs)
        watching.join()
        os.close(ours)
    return code, b"".join(shown).decode(errors="surrogateescape")


def commands(folder: Path, ids: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Every command on every record, and on files and words that hold the same."""
    for id_ in ids.values():
        yield from (("show", id_, "--as", form) for form in VIEWS)
        yield from (("show", id_, "--json"), ("export", id_), ("verify", id_), ("verify", id_, "--json"))
        yield from (("quality", id_), ("quality", id_, "--json"), ("replay", id_, "--rulebook", "strict"))
        yield from (("resume", id_), ("attest", id_, "--key", str(folder / "key.pem")))
        yield "review", id_, "--outcome", "REFUSE", "--by", NAME, "--because", NAME
        yield "show", id_
        yield "answer", id_, NAME, "--show"
    yield from (
        ("list",),
        ("list", "--json"),
        ("review", "list"),
        ("review", "list", "--json"),
        ("models",),
        ("rules",),
    )
    for file in ("ballots.json", "options.json", "reply.txt", "record.jsonl"):
        yield from ((name, str(folder / file)) for name in ("decide", "read", "group", "import", "verify"))
        yield from ((name, str(folder / file), "--json") for name in ("decide", "read", "group", "verify"))
    for panel in ("panel.yaml", "broken.yaml"):
        named = ("--panel", str(folder / panel))
        yield from (("config", *named), ("config", "--json", *named), ("route", "Should we?", *named))
        yield from (
            ("ask", "Should we?", *named),
            ("ask", "Should we?", "--dry-run", *named),
            ("panel", "check", *named),
        )
    yield from (
        ("doctor", NAME),
        ("doctor", f"openai:{NAME}"),
        ("models", "get", NAME),
        ("ask", NAME, "--panel", "demo"),
    )
    for name in COMMANDS:
        yield from ((name, NAME), (name, f"--{NAME}"), (name, NAME, NAME, NAME))


def files(folder: Path) -> None:
    seat = {"name": f"Evil {EVIL}", "model": f"openai:{NAME}"}
    (folder / "panel.yaml").write_text(json.dumps({"protocol": "tribunal", "seats": [seat]}), encoding="utf-8")
    (folder / "broken.yaml").write_text(json.dumps({f"odd {EVIL}": EVIL}), encoding="utf-8")
    ballots = [{"seat": f"Evil {EVIL}", "decision": "ACT", "confidence": 80, "risk": 10, "reasoning": EVIL}]
    (folder / "ballots.json").write_text(json.dumps(ballots), encoding="utf-8")
    (folder / "options.json").write_text(json.dumps([f"Do it {EVIL}", EVIL]), encoding="utf-8")
    (folder / "reply.txt").write_text(f"{EVIL}{hostile.reply()}", encoding="utf-8")


def test_no_command_sends_anything_to_a_terminal_but_text(home: Path, quorate: Quorate) -> None:
    ids = prepared(home, quorate)
    os.environ["TERM"] = "xterm-256color"
    shown = {words: on_a_terminal(*words)[1] for words in commands(home, ids)}

    raw = {words: hostile.raw(text, drawn=True) for words, text in shown.items()}
    assert {words: sorted(map(ascii, signs))[:5] for words, signs in raw.items() if signs} == {}
    assert sum("202e" in text for text in shown.values()) > len(shown) // 2, "hardly anything was shown"


def test_no_command_writes_a_steering_sign_into_a_pipe(home: Path, quorate: Quorate) -> None:
    ids = prepared(home, quorate)
    told = {words: quorate(*words) for words in commands(home, ids)}

    raw = {words: hostile.raw(one.out + one.err) for words, one in told.items()}
    assert {words: sorted(map(ascii, signs))[:5] for words, signs in raw.items() if signs} == {}


def test_what_is_exported_means_what_was_recorded_and_comes_back_byte_for_byte(home: Path, quorate: Quorate) -> None:
    ids = asyncio.run(held(home / "ledger.db"))
    for name, id_ in ids.items():
        told = quorate("export", id_)
        (home / "record.jsonl").write_text(told.out, encoding="utf-8")
        other = ("--ledger", str(home / f"{name}.db"))
        words = {text for line in told.out.splitlines() for text in json.loads(line).get("words", {}).values()}

        assert any(EVIL in text for text in words)
        assert quorate("verify", str(home / "record.jsonl")).code == 0
        assert quorate("import", str(home / "record.jsonl"), *other).out.strip() == id_
        assert quorate("export", id_, *other).out == told.out
        assert quorate("show", id_, "--json", *other).out == quorate("show", id_, "--json").out


HALVES = ("\ud800", "\udc00", "\ud83d\udb40\U000e0001\udc00", "\ud83d\ude00", '\x7f\\\\u202e\\\u202e"\\"', "\\u0041")


def test_halves_of_characters_and_backslashes_come_back_too(home: Path) -> None:
    begin = replace(begun("tribunal"), question=Question(text="".join(HALVES), context="?", options=HALVES))

    async def work() -> tuple[Sequence[Row], Sequence[Row]]:
        first, second = (open_ledger(str(home / name)) for name in ("one.db", "two.db"))
        async with Runner(first) as runner:
            id_ = (await runner.hold(begin, panelists={seat.name: Evil() for seat in begin.panel})).id
        lines = await records.export(first, id_)
        await records.import_(second, lines, lambda *_: None)
        rows = await first.rows(id_), await second.rows(id_)
        await first.close()
        await second.close()
        return rows

    here, there = asyncio.run(work())
    assert [row._replace(imported=True) for row in here] == there  # an entry that was taken in says so
