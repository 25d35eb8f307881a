"""A person answers at a real terminal, of which a pseudo-terminal is one: at the keyboard, and in an editor."""

import sys
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate
from tests.terminal import Terminal

pytestmark = pytest.mark.slow

ASK = ("ask", "Should we delete it?", "--panel", "demo", "--seat", "Safety=person:ann")
BALLOT = ("Decision: WARN", "Confidence: 80", "Risk: 30", "Reasoning: nobody tried the way back", ".")
RULER = "---- Your answer goes above this line"


def editor(folder: Path, body: str) -> str:
    """A program that edits a file as a person would."""
    path = folder / "editor"
    path.write_text(f"#!{sys.executable}\nimport pathlib, sys\npage = pathlib.Path(sys.argv[1])\n{body}\n")
    path.chmod(0o700)
    return str(path)


def test_a_person_at_the_keyboard_is_asked_until_it_can_be_counted_and_the_verdict_comes(quorate: Quorate) -> None:
    with Terminal(*ASK, "--gate") as terminal:
        terminal.until("You are Safety. You are asked:")
        terminal.until("Should we delete it?")
        terminal.until("end with a line that has only a dot")
        terminal.type("No.", ".")
        terminal.until("that cannot be counted:")
        terminal.until("end with a line that has only a dot")
        assert "Utility: " not in terminal.shown  # nobody's opening is read before one's own is written
        terminal.type(*BALLOT)
        for _ in range(2):
            terminal.until("You are Safety, about ")
            terminal.until("end with a line that has only a dot")
            terminal.type("What if the backup is empty?", ".")
        terminal.until("You are Safety. You are asked:")
        terminal.until("end with a line that has only a dot")
        terminal.type(*BALLOT)
        code = terminal.end()

    held = quorate("show", "last", "--as", "json").document
    safety = next(vote for vote in held["verdict"]["votes"] if vote["seat"] == "Safety")
    assert code == 10
    assert (held["state"], safety["choice"], safety["reason"]) == ("decided", "WARN", "nobody tried the way back")


def test_an_empty_answer_means_later_and_how_to_answer_is_told(quorate: Quorate) -> None:
    with Terminal(*ASK, "--gate") as terminal:
        terminal.until("An empty answer means: later")
        terminal.type(".")
        code = terminal.end()

    id_ = quorate("list", "--json").document["deliberations"][0]["id"]
    assert code == 30
    assert f"answer with: quorate answer {id_} Safety" in terminal.shown


def test_an_answer_is_written_in_the_editor_above_what_was_asked(quorate: Quorate, home: Path) -> None:
    quorate(*ASK)
    said = "\n".join(BALLOT[:-1])
    program = editor(
        home,
        f"text = page.read_text()\nassert text.index({RULER!r}) < text.index('Should we delete it?')\n"
        f"page.write_text({said!r} + text)",
    )
    with Terminal("answer", "last", "Safety", "--gate", EDITOR=program) as terminal:
        code = terminal.end()

    shown = quorate("show", "last", "--as", "minutes").out
    assert code == 30, terminal.shown
    assert "nobody tried the way back" in shown
    assert RULER not in shown


@pytest.mark.parametrize("body", ["pass", "page.write_text('  ' + page.read_text())"], ids=["nothing", "blanks"])
def test_an_editor_that_is_left_without_a_word_answers_nothing(quorate: Quorate, home: Path, body: str) -> None:
    quorate(*ASK)
    with Terminal("answer", "last", "Safety", VISUAL=editor(home, body)) as terminal:
        code = terminal.end()

    assert code == 2
    assert "nothing is answered" in terminal.shown
    assert quorate("list", "--json").document["deliberations"][0]["state"] == "waiting"


@pytest.mark.parametrize(
    ("typed", "more"),
    [("I am not sure\n", ()), ("half a line", ()), ("", ("--seat", "Utility=person:ben", "--quiet"))],
    ids=["after a line", "within a line", "two people, quiet"],
)
def test_ctrl_c_at_the_prompt_stops_cleanly_and_the_ask_waits(
    quorate: Quorate, typed: str, more: tuple[str, ...]
) -> None:
    with Terminal(*ASK, *more) as terminal:
        terminal.until("end with a line that has only a dot")
        terminal.write(typed)
        terminal.interrupt()
        terminal.interrupt()
        code = terminal.end()

    id_ = quorate("list", "--json").document["deliberations"][0]["id"]
    assert code == 130
    assert f"stopped; every answer so far is saved. Continue with: quorate resume {id_}" in terminal.shown
    assert "Traceback" not in terminal.shown
    # Of two people, the second may not have been asked yet when the first interrupts.
    asked = ("Safety", "Utility") if more else ("Safety",)
    assert 0 in [quorate("answer", id_, seat, "--text", "\n".join(BALLOT[:-1])).code for seat in asked]


def test_a_terminal_that_is_closed_at_the_prompt_stops_it_too(quorate: Quorate) -> None:
    with Terminal(*ASK) as terminal:
        terminal.until("end with a line that has only a dot")
        code = terminal.hang_up()

    assert code == 129
    assert quorate("list", "--json").document["deliberations"][0]["state"] in {"halted", "waiting"}


def test_a_terminal_that_is_closed_while_it_is_drawn_on_stops_it_without_a_fault(home: Path) -> None:
    tool = home / "slow"
    tool.write_text("#!/bin/sh\nsleep 60\n")
    tool.chmod(0o700)
    with Terminal("ask", "Should we?", "--model", "cli:slow", QUORATE_COMMAND_SLOW=str(tool)) as terminal:
        terminal.until("Initial Analysis")
        code = terminal.hang_up()

    assert code == 129


def test_ctrl_c_instead_of_an_answer_answers_nothing_and_says_how_to(quorate: Quorate, home: Path) -> None:
    quorate(*ASK)
    program = editor(home, "print('open', flush=True)\nimport time\ntime.sleep(60)")
    with Terminal("answer", "last", "Safety", EDITOR=program) as terminal:
        terminal.until("open")
        terminal.interrupt()
        code = terminal.end()

    id_ = quorate("list", "--json").document["deliberations"][0]["id"]
    assert code == 130
    assert f"nothing was answered. Answer with: quorate answer {id_} Safety" in terminal.shown
    assert quorate("list", "--json").document["deliberations"][0]["state"] == "waiting"


def test_ctrl_c_is_the_editor_s_while_it_is_open(quorate: Quorate, home: Path) -> None:
    quorate(*ASK)
    said = "\n".join(BALLOT[:-1])
    program = editor(
        home,
        "import signal\ncame = []\nsignal.signal(signal.SIGINT, lambda *_: came.append(1))\nprint('open', flush=True)\n"
        f"while not came:\n    signal.pause()\npage.write_text({said!r} + page.read_text())",
    )
    with Terminal("answer", "last", "Safety", EDITOR=program) as terminal:
        terminal.until("open")
        terminal.interrupt()
        code = terminal.end()

    assert code == 0, terminal.shown
    assert "nobody tried the way back" in quorate("show", "last", "--as", "minutes").out


def test_a_record_is_shown_on_a_terminal_with_the_verdict_first(quorate: Quorate) -> None:
    quorate("ask", "Should we rotate the key?", "--panel", "demo", "--quiet")
    with Terminal("show", "last") as terminal:
        code = terminal.end()

    assert code == 0
    assert terminal.shown.index("W A R N") < terminal.shown.index("Initial Analysis")


def test_a_person_is_asked_in_words_for_people() -> None:
    with Terminal(*ASK) as terminal:
        terminal.until("end with a line that has only a dot")
        terminal.interrupt()
        terminal.end()

    assert "Decision: ACT (go ahead), WARN" in terminal.shown
    assert "The question:" in terminal.shown
    assert " begin: " not in terminal.shown
    assert "BALLOT {" not in terminal.shown
