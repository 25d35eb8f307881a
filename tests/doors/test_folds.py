"""Each event is folded once in a process, by whoever writes or judges it; to show it costs no fold and no protocol."""

import asyncio
import io
import random
from pathlib import Path

import pytest
from rich.console import Console

from quorate.doors.cli.live import Live
from quorate.doors.langgraph import deliberation_graph
from quorate.doors.python import deliberate_now
from quorate.engine.runner import Runner
from quorate.engine.verify import verify_record
from quorate.ledger import open_ledger
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.testing import Obedient
from quorate.views import Record
from quorate.views.document import document
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests.doors.conftest import Quorate
from tests.doors.folds import counted
from tests.play import convened, words
from tests.tribunal import PANEL

QUESTION = "Should we delete the staging database before the weekend?"
FORMS = ("minutes", "markdown", "json", "s4", "s4-log")
SEATS = tuple(seat.name for seat in PANEL)


class Hesitant:
    """Answers as scripted, after a while that chance draws: at times several answer at once."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        overheard("Hm. ")
        await asyncio.sleep(self._chance.choice((0.0, 0.0, 0.01)))
        return words(ask, "WARN")


async def held_before(screen: Live, chance: random.Random) -> Record:
    """A tribunal held with somebody watching it on a screen."""
    begin = convened(PANEL)
    async with Runner(open_ledger(":memory:")) as runner:
        screen.begin(begin)
        async with screen:
            panelists = {seat: Hesitant(chance) for seat in SEATS}
            return await runner.hold(
                begin, panelists=panelists, watch=lambda _, state: screen.saw(state), listen=screen.listen
            )


@pytest.mark.parametrize("wide", [80, 120])
def test_a_watched_tribunal_folds_each_event_once_and_no_drawing_runs_the_protocol(wide: int) -> None:
    drawn = io.StringIO()
    screen = Live(Console(file=drawn, force_terminal=True, width=wide, height=40))

    with counted() as calls:
        record = asyncio.run(held_before(screen, random.Random(random.random())))
        assert verify_record(record).state == "holds"
        screen.catch_up(record.state)
        screen.end(Result.of(record))
        document(record)
        minutes(record)

    assert "W A R N" in drawn.getvalue()
    assert (calls["open"], calls["open"] + calls["after"]) == (1, len(record.events))
    assert calls["protocol"] == 1 + 3 + 3, "at first, when a seat has spoken, when all have challenged one"
    assert calls["drawing"] == 0


def test_the_command_folds_each_event_once_to_ask_to_show_and_to_resume(quorate: Quorate) -> None:
    with counted() as asked:
        quorate("ask", QUESTION, "--panel", "demo")
    events = len(quorate("export", "last").out.splitlines()) - 1

    assert asked["after"] == events - 1
    assert asked["open"] == 1, "the record, opened as it was prepared"
    for words_ in (*(("show", "last", "--as", form) for form in FORMS), ("resume", "last")):
        with counted() as shown:
            assert quorate(*words_).code == 0
        assert (words_, shown["open"] + shown["after"], shown["drawing"]) == (words_, events, 0)


@pytest.mark.slow
def test_the_python_door_and_a_graph_fold_each_event_once(tmp_path: Path) -> None:
    panelists = dict.fromkeys(SEATS, Obedient())

    with counted() as plainly:
        held = deliberate_now(QUESTION, panelists=panelists, ledger=":memory:")
    graph = deliberation_graph(panelists=panelists, ledger=tmp_path / "graph.db")
    with counted() as in_a_graph:
        told = graph.invoke({"question": QUESTION})

    assert plainly["after"] == len(held.events) - 1
    assert told["verdict"]["outcome"] == held.document["verdict"]["outcome"]  # type: ignore[index]
    assert in_a_graph["after"] == len(held.events) - 1
