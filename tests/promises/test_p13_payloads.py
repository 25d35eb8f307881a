"""P13: two thousand texts that would steer a terminal, each in a model's mouth, in a record, and on the screen."""

import asyncio
import os
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.testing import ballot
from quorate.views import VIEWS
from tests.doors import hostile
from tests.doors.conftest import Quorate, home, quorate
from tests.figures import Figure
from tests.play import convened
from tests.promises.test_p13_terminal import on_a_terminal, shown_by
from tests.tribunal import PANEL

__all__ = ["home", "quorate"]

pytestmark = pytest.mark.promise

PAYLOADS = 2_000
A_REPLY = 40
"""Payloads in one reply; a tribunal has twelve."""
MANY = int(os.environ.get("QUORATE_PAYLOADS", "50000"))

SEQUENCES = (
    "\x1b[{n};{n}H",  # moves
    "\x1b[{n}A\r\x1b[2KACT  3 of 3 seats",  # goes up and overwrites the verdict
    "\x1b[{n}m",
    "\x1b[{n}J",
    "\x1b[?{n}h",
    "\x1b]0;{text}\x07",  # names the window
    "\x1b]2;{text}\x1b\\",
    "\x1b]8;;http://192.0.2.1/{text}\x1b\\here\x1b]8;;\x1b\\",  # a link
    "\x1b]52;c;{text}\x07",  # the clipboard
    "\x1b]1337;File=inline=1:{text}\x07",  # a picture
    "\x1b]777;notify;{text}\x07",
    "\x1bP{n}q{text}\x1b\\",  # drawn by points
    "\x1bP+q{text}\x1b\\",
    "\x1b_G{text}\x1b\\",
    "\x1b^{text}\x1b\\",
    "\x1bX{text}\x1b\\",
    "\x1bc",
    "\x1b#8",
    "\x1b[{n}n",  # asks the terminal, and it types the answer
    "\x1b[{n};{n};{n}t",
    "\x9b{n}m\x9d0;{text}\x9c",
    "\x90{text}\x9c",
    "\x08" * 3 + "{text}",
    "\rACT {text}",
    "\x0b\x0c\x85\u2028\u2029{text}",
    "\x0e{text}\x0f",
    "\u202e{text}\u202c",
    "\u2066{text}\u2069",
    "\u200e\u200f\u061c{text}",
    "\u200b\u2060\ufeff{text}",
    "\U000e0041\U000e0043\U000e0054{text}",  # hidden in tags
    "\ud83d{text}\udc00",
    "[bold red]{text}[/] [link=http://192.0.2.1]here[/link]\x07",
)
WRAPPED = ("{}", "**{}**", "`{}`", "> {}", "```\n{}\n```", "| {} | {} |", "\x1b{}", "{}\x1b", "\x1b[0m{}\x1b[0m")


def payloads(chance: random.Random) -> Iterator[str]:
    """Sequences in ever other clothes, some of them cut within another."""
    while True:
        text = "".join(chance.choices((*"ACTWARN 0;m", *hostile.SENDABLE), k=chance.randrange(1, 12)))
        sequence = chance.choice(SEQUENCES).format(n=chance.choice((0, 1, 6, 31, 1049, 99999)), text=text)
        wrapped = chance.choice(WRAPPED).replace("{}", sequence)
        if chance.random() < 0.3:
            at = chance.randrange(len(wrapped))
            wrapped = wrapped[:at] + chance.choice(SEQUENCES).format(n=1, text="x") + wrapped[at:]
        yield wrapped


class Steers:
    """Says so many payloads in every reply, in the speech and in the ballot's reason."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts
        self.said: list[str] = []

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        some = [*islice(self._texts, A_REPLY)]
        self.said += some
        cast = f"\n\n{ballot(ask, 'WARN', 70, 30, some[0])}" if ask.wants == "decision" else ""
        return Reply(text="\n".join(some) + cast, model=f"test{some[1]}")


async def held(where: Path, speaker: Steers, number: int) -> list[str]:
    """So many payloads and a few more, on record; the ids."""
    ids: list[str] = []
    ledger = open_ledger(str(where))
    async with Runner(ledger) as runner:
        while len(speaker.said) < number:
            panelists = dict.fromkeys((seat.name for seat in PANEL), speaker)
            ids.append((await runner.hold(convened(PANEL), panelists=panelists)).id)
    await ledger.close()
    return ids


def shown(ids: list[str], quorate: Quorate) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Every view of every record in a pipe, and the record on a terminal, which draws."""
    for id_ in ids:
        for name in (name for name, view in VIEWS.items() if view.fits("tribunal")):
            told = quorate("show", id_, "--as", name)
            assert told.code == 0
            yield ("show", name), told.out + told.err, False
        for words in (("show", id_), ("verify", id_)):
            yield words, on_a_terminal(*words)[1], True


def shows_none(number: int, seed: int, folder: Path, quorate: Quorate) -> str:
    speaker = Steers(payloads(random.Random(seed)))
    ids = asyncio.run(held(folder / "ledger.db", speaker, number))
    os.environ["TERM"] = "xterm-256color"

    found = [*shown(ids, quorate)]

    raw = [(words, hostile.raw(text, drawn=drawn)) for words, text, drawn in found]
    assert [(words, sorted(map(ascii, signs))) for words, signs in raw if signs] == []
    assert sum("202e" in text for _, text, _ in found) > len(found) // 2, "hardly anything was shown"
    assert sum(bool(hostile.raw(said)) for said in speaker.said) > 0.99 * len(speaker.said)
    return f"{len(speaker.said):,} payloads in {len(found)} outputs: 0 characters that steer"


def test_none_of_2000_payloads_steers_a_terminal_or_stands_raw_in_a_pipe(
    home: Path, quorate: Quorate, seed: int, figure: Figure
) -> None:
    figure(shows_none(PAYLOADS, seed, home, quorate))


def test_words_that_are_printed_as_they_came_are_noticed(seed: int) -> None:
    """Control: the same terminal and the same look at it, and nobody escapes anything."""
    said = "".join(islice(payloads(random.Random(seed)), 20)).encode(errors="replace").decode()

    _, screen = shown_by(lambda: sys.stdout.write(said))

    assert len(hostile.raw(screen, drawn=True)) > 10


@pytest.mark.long
def test_none_of_many_payloads_steers_a_terminal(home: Path, quorate: Quorate, seed: int, figure: Figure) -> None:
    figure(shows_none(MANY, seed, home, quorate))
