"""What the page says of a verdict is true of its record: conditions, merged options, and who stood where."""

import json
import random

import pytest

from quorate.model import Ask, Reply
from quorate.testing import ballot
from tests.browser.conftest import Opener
from tests.browser.records import record, tribunal
from tests.conference import conference, holding, scoring
from tests.play import play

pytestmark = [pytest.mark.browser, pytest.mark.promise]

BACKUP = "The Thursday backup is restored once on a scratch host"
SOURCING, PLAINLY = "Use event sourcing to implement audit trail", "Event sourcing for audit trail"


def warning(ask: Ask) -> Reply:
    """All warn, and all ask for the same; Utility has a second condition."""
    conditions = [BACKUP, *(["It runs before noon"] if ask.seat.name == "Utility" else [])]
    stated = {"mark": ask.mark, "decision": "WARN", "confidence": 80, "risk": 40, "reasoning": "so"}
    return Reply(
        text=f"BALLOT {json.dumps({**stated, 'conditions': conditions})}" if ask.wants == "decision" else "Why?"
    )


def test_the_verdict_lists_what_must_hold_with_all_who_ask_for_it(opener: Opener) -> None:
    listed = opener.report(tribunal(warning)).page.locator(".conditions li")

    assert listed.all_inner_texts() == [f"{BACKUP} (Utility, Accuracy, Safety)", "It runs before noon (Utility)"]


def test_a_vote_that_counts_under_another_name_shows_its_own_words(opener: Opener) -> None:
    begin = conference(settings={"mode": "quick"})
    events = play(begin, holding(((SOURCING, PLAINLY, SOURCING),)), find=scoring((0.5, 0.5, 0.5), options=0.9))
    page = opener.report(record(events)).page

    assert PLAINLY in page.locator(".votes li").nth(1).inner_text()
    assert "Counted as one option" in page.locator(".verdict").inner_text()


HELD = {"Utility": ("WARN", "REFUSE"), "Accuracy": ("ACT", "WARN"), "Safety": ("WARN", "WARN")}


def moving(ask: Ask) -> Reply:
    """Accuracy comes over to the two who warn, one of whom moves on in the same round."""
    return Reply(text=ballot(ask, HELD[ask.seat.name][ask.round == "revision"]) if ask.wants == "decision" else "Why?")


@pytest.mark.parametrize("seed", range(3))
def test_who_moves_comes_over_to_all_who_stood_there_before_in_whatever_order_they_speak(
    opener: Opener, seed: int
) -> None:
    events = play(tribunal(moving).state.convened, moving, random.Random(seed))
    moves = opener.report(record(events)).page.locator(".moves li").all_inner_texts()
    (moved,) = (one for one in moves if one.startswith("Accuracy"))

    assert {"Utility", "Safety"} <= set(moved.replace(",", "").split())
