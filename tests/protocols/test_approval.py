"""Approval: one sealed round, everyone alone, over a list that must be given."""

import pytest

from quorate import catalogue
from quorate.errors import BadSetting
from quorate.model import Ask, Brief, Heard, Question, Reply, Speech
from quorate.protocols.approval import SPEC, protocol
from quorate.testing import approval
from tests.play import convened, play, verdict

PANEL = SPEC.panel
OPTIONS = ("Keep it", "Delete it", "Ask again")
BRIEF = Brief(question=Question(text="What of staging?", options=OPTIONS), panel=PANEL, seed="5eed")


def test_everyone_is_asked_at_once_and_shown_nobody() -> None:
    first = Speech(seat="First", round="1", about="", prose="I am loud.")
    before = list(protocol(BRIEF, Heard.of(PANEL)))
    after = list(protocol(BRIEF, Heard.of(PANEL, ("1", "", first))))

    assert before == after
    assert [ask.seat.name for ask in before if isinstance(ask, Ask)] == [seat.name for seat in PANEL]
    assert {ask.options for ask in before if isinstance(ask, Ask)} == {OPTIONS}


@pytest.mark.parametrize("options", [(), ("Only this",), ("Twice", "Twice")])
def test_a_question_without_two_options_is_told_what_to_give(options: tuple[str, ...]) -> None:
    brief = Brief(question=Question(text="What of staging?", options=options), panel=PANEL)

    with pytest.raises(BadSetting, match="at least two options"):
        list(protocol(brief, Heard.of(PANEL)))


def test_a_played_round_elects_what_most_approve_of() -> None:
    chosen = dict(zip((seat.name for seat in PANEL), (["1", "3"], ["3"], ["2", "3"], [], ["1"]), strict=True))

    def answer(ask: Ask) -> Reply:
        return Reply(text=f"I weighed them.\n\n{approval(ask, chosen[ask.seat.name])}")

    ended = verdict(play(convened(PANEL, "approval"), answer)).verdict

    assert (ended.outcome, ended.decided, ended.rule) == ("Archive it first", True, "most_approved")
    assert ended.dissent == ("Fourth", "Fifth")
    assert ended.because == "3 of 5 seats (60 %) approve of 'Archive it first'; the next option has 2"


def test_its_form_count_and_rule_look_into_approvals() -> None:
    kind = catalogue.form(SPEC.form).vote

    assert kind is not None
    assert catalogue.count(SPEC.count.name).votes == (kind,)
    assert catalogue.rule("most_approved").votes == (kind,)
