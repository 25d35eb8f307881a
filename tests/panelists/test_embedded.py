"""The small model in process: real weights, real ballots, no port, and never an approval."""

import asyncio
import hashlib
import json
import socket
from pathlib import Path

import pytest

from quorate import catalogue
from quorate.chair import heard_reply
from quorate.engine.runner import Runner
from quorate.errors import NoModel
from quorate.ledger import open_ledger
from quorate.model import Ask, Panel, Prompt, Question, Seat, Spoken
from quorate.model.ask import AnswerTerms
from quorate.model.charter import Charter
from quorate.panelists import embedded
from quorate.settings.convene import convene
from quorate.views.document import document

SAFETY = Seat(name="Safety", powers=("vote", "veto"))
UTILITY = Seat(name="Utility")
MARK = "0123456789ab"


def asked(
    seat: Seat = UTILITY, wants: str = "decision", options: tuple[str, ...] = (), text: str = "Should we? {ballot}"
) -> Ask:
    terms = AnswerTerms(mark=MARK, veto="veto" in seat.powers, options=options)
    paper = catalogue.form(wants).instructions(terms)
    return Ask(seat, "analysis", Prompt(text.format(ballot=paper)), wants=wants, mark=MARK, options=options)


def listening() -> set[str]:
    """Inodes of sockets of this process that listen on TCP; other processes may do as they like meanwhile."""
    tables = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
    lines = [line for table in tables if table.exists() for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    ours = {file.name for file in Path("/proc/self/fd").iterdir()}
    held = {target for name in ours if (target := _target(Path("/proc/self/fd") / name))}
    return {inode for line in lines if line.split()[3] == "0A" and f"socket:[{(inode := line.split()[9])}]" in held}


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def test_a_port_of_our_own_would_be_seen() -> None:
    before = listening()
    with socket.create_server(("127.0.0.1", 0)):
        assert len(listening() - before) == 1


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("wants", "options"), [("decision", ()), ("vote", ()), ("vote", ("A", "B")), ("speech", ())])
async def test_whatever_it_is_asked_for_can_be_read(wants: str, options: tuple[str, ...]) -> None:
    ask = asked(SAFETY, wants, options)

    reply = await embedded.Embedded().answer(ask)

    read = heard_reply(ask, Spoken(**ask.key._asdict(), reply=reply))
    assert read.unreadable == ""
    assert (read.ballot is None) == (wants == "speech")
    assert reply.usage.answered
    assert reply.usage.money == 0


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_it_opens_no_port_and_lets_the_loop_go_on() -> None:
    before, ticks = listening(), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    heard: list[str] = []
    reply = await embedded.Embedded().answer(asked(wants="speech"), heard.append)
    ticking.cancel()

    assert listening() <= before
    assert ticks > 10
    assert "".join(heard) == reply.text


@pytest.mark.promise
@pytest.mark.timeout(120)
async def test_a_deliberation_by_it_ends_and_never_approves() -> None:
    panel = Panel(seats=(UTILITY, SAFETY))
    begin = convene(
        Question(text="Should we delete it?"),
        Charter(panel=panel, models=(("Utility", "embedded:smollm2"), ("Safety", "embedded:smollm2"))),
    )
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        shown = document(await runner.hold(begin))

    verdict = shown["verdict"]
    assert isinstance(verdict, dict)
    assert shown["state"] == "decided"
    assert verdict["demo"]
    assert verdict["outcome"] in {"WARN", "REFUSE"}
    assert "uninformed" in {caution["name"] for caution in verdict["cautions"]}
    assert verdict["participation"]["received"] == 2


def test_a_panel_that_rests_on_it_is_a_demo_whatever_its_charter_says() -> None:
    charter = Charter(panel=Panel(seats=(UTILITY,)), models=(("Utility", "embedded:smollm2"),))

    assert not charter.panel.demo
    assert convene(Question(text="Should we?"), charter).panel.demo


def test_the_weights_are_the_ones_that_were_pinned() -> None:
    path = embedded.find_weights()

    assert path is not None
    with path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == embedded.SHA256


def test_a_number_is_from_a_list_and_a_veto_is_for_those_who_hold_one() -> None:
    schema = catalogue.form("decision").schema(AnswerTerms(mark=MARK))

    plain, powerful = (embedded.bound_schema(schema, veto=veto)["properties"] for veto in (False, True))

    assert plain["confidence"]["enum"] == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert "VETO" not in plain["decision"]["enum"]
    assert "VETO" in powerful["decision"]["enum"]
    assert list(plain)[-1] == "mark"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("wants", ["speech", "decision", "vote"])
async def test_it_says_two_short_sentences_at_most(wants: str) -> None:
    ask = asked(wants=wants, text="Explain at great length, in many paragraphs, how the whole world works. {ballot}")

    reply = await embedded.Embedded().answer(ask)

    said = reply.text if wants == "speech" else max(filter(_is_text, json.loads(reply.text).values()), key=len)
    sentences = said.rstrip(".").split(". ")
    assert said.endswith(".")
    assert len(sentences) <= 2
    assert all(4 <= len(sentence.split(" ")) <= 14 for sentence in sentences), said


def test_it_is_shown_the_question_and_not_the_rules_around_it() -> None:
    fenced = "Rules.\n\n[0a1b begin: the question]\nShip it?\n[0a1b end]\n\nDecide.PAPER"

    assert embedded.shorten_prompt(fenced, "PAPER").startswith("Ship it?\n\nDecide.\n")


def test_a_long_prompt_keeps_its_beginning_and_its_end() -> None:
    shown = embedded.shorten_prompt("begin " + "ж" * 5000 + " end", "")

    assert shown.startswith("begin ")
    assert "[…]" in shown
    assert " end\n" in shown
    assert len(shown.encode()) < 400


def test_without_its_package_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_such_package")

    with pytest.raises(NoModel, match="quorate models get smollm2"):
        embedded.answers(tmp_path)
