"""P3 and P7 for debates and oracles: whoever fails, in whatever way, it ends, approves nothing, and can be shown."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from quorate import chair, views
from quorate.engine.runner import Runner
from quorate.engine.verify import verify_record
from quorate.ledger import open_ledger
from quorate.model import Ask, Convened, Decided, Failed, Limits, Reply, Verdict
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.testing import FAULTS, Faulty, finding
from quorate.views import Record
from quorate.views.card import rows, verdict_line
from quorate.views.compat.oracle_view import oracle_view
from quorate.views.debate_view import debate_view
from quorate.views.document import document
from quorate.views.markdown import markdown
from quorate.views.minutes import minutes
from quorate.views.quality import quality
from quorate.views.result import Result
from tests.debate import SIX, THREE, debate, speaking
from tests.oracle import panel_of
from tests.play import convened

pytestmark = pytest.mark.promise

VIEWS: tuple[Callable[[Record], object], ...] = (document, minutes, markdown, quality)
OF_ITS_OWN: dict[str, Callable[[Record], object]] = {"debate": debate_view, "oracle": oracle_view}


class Speaks:
    """Answers as the tests of the debate do: the proponent has the better case."""

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        return speaking()(ask)


class Finds:
    """Finds YES, sure of it."""

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        return Reply(text=finding(ask, {"quantity": "5", "probability": "0.9"}.get(ask.wants, "YES"), 0.9))


async def held(begin: Convened, faults: dict[str, str], healthy: Panelist) -> tuple[Verdict | None, Record]:
    """Hold it with these seats failing in these ways, and look at the record in every way there is."""
    begin = replace(begin, limits=Limits(patience=Fraction(1, 10)))
    panelists = {seat.name: Faulty(faults[seat.name]) if seat.name in faults else healthy for seat in begin.panel}
    async with Runner(open_ledger(":memory:")) as runner:
        record = await runner.hold(begin, panelists=panelists)
    last = record.events[-1]
    assert isinstance(last, Decided | Failed), faults
    assert verify_record(record).same, faults
    own = (view for name, view in OF_ITS_OWN.items() if views.VIEWS[name].fits(begin.protocol))
    shown = VIEWS if isinstance(last, Decided) else tuple(view for view in VIEWS if view is not quality)
    for view in (*shown, *own):
        assert view(record), (view, faults)
    assert rows(Result.of(record))
    assert verdict_line(Result.of(record))
    seen = chair.tally_of(chair.replay(record.events)).participation
    assert seen.received + seen.carried + seen.abstained + seen.failed == seen.eligible
    return last.verdict if isinstance(last, Decided) else None, record


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_side_that_fails_never_makes_a_debate_support_or_oppose(fault: str) -> None:
    for seats in ("Proponent",), ("Opponent",), ("Proponent", "Opponent"), ("Proponent", "Opponent", "Moderator"):
        verdict, record = await held(debate(THREE), dict.fromkeys(seats, fault), Speaks())

        if verdict is None:
            assert len(seats) > 1
            assert chair.could_not_be_asked(chair.replay(record.events))
            continue
        assert (verdict.outcome, verdict.decided, verdict.confidence) == ("UNCERTAIN", False, Fraction(1, 2)), seats
        assert verdict.requires_human_review
        assert verdict.rule == ("one_sided" if len(seats) == 1 else "all_silent"), seats


@pytest.mark.parametrize("fault", FAULTS)
async def test_those_without_a_vote_change_nothing_by_failing(fault: str) -> None:
    begin = debate(SIX, {"form": "extended"})
    sound, _ = await held(begin, {}, Speaks())
    assert sound is not None
    for gone in combinations(("Moderator", "Refiner", "Advocate", "Critic"), 2):
        verdict, record = await held(begin, dict.fromkeys(gone, fault), Speaks())

        assert verdict is not None
        assert (verdict.outcome, verdict.decided) == (sound.outcome, sound.decided), gone
        stop = chair.tally_of(chair.replay(record.events)).course.stop
        assert stop == "max_rounds", gone


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_judge_that_was_to_decide_and_fails_calls_for_a_person(fault: str) -> None:
    verdict, _ = await held(debate(THREE, {"judge": "decides"}), {"Moderator": fault}, Speaks())

    assert verdict is not None
    assert verdict.requires_human_review
    assert "judge_silent" in {caution.name for caution in verdict.cautions}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("answers", ["yes_no", "number", "probability"])
async def test_researchers_that_fail_find_nothing_and_are_never_left_out_of_the_count(fault: str, answers: str) -> None:
    for failing in range(5):
        faults = {f"r{number}": fault for number in range(failing)}
        settings = (("answers", answers), ("min_verified", "0"))
        verdict, record = await held(convened(panel_of(4), "oracle", settings), faults, Finds())

        if verdict is None:
            assert failing == 4
            assert chair.could_not_be_asked(chair.replay(record.events))
            continue
        found = {"number": "5"}.get(answers, "YES")
        expected = found if failing < 2 else "INVALID"
        assert (verdict.outcome, verdict.decided) == (expected, failing < 2), failing
        assert verdict.rule == ("consensus" if failing < 2 else "too_few" if failing < 4 else "all_silent")
