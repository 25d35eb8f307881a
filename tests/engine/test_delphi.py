"""A Delphi held end to end: engine, memory ledger, scripted panelists, rules, record."""

from quorate import chair
from quorate.engine.runner import Runner
from quorate.errors import PanelistError
from quorate.ledger import open_ledger
from quorate.model import Decided
from quorate.protocols.delphi import SPEC
from quorate.testing import Scripted, estimate
from quorate.views import Record
from quorate.views.document import document
from quorate.views.markdown import markdown
from quorate.views.minutes import minutes
from tests.play import convened

NAMES = tuple(seat.name for seat in SPEC.panel)
NUMBERS = {"Ann": (8, 12, 12), "Ben": (10, 12, 12), "Cleo": (12, 12.5, 12), "Dan": (14, 14, None), "Eve": (30, 20, 12)}


def script() -> Scripted:
    """Everybody narrows down; Dan is gone in the third round."""
    said = {
        (name, str(number)): (
            PanelistError("timeout")
            if value is None
            else lambda ask, value=value: estimate(ask, value, (value - 2, value + 3), rationale=f"{value} it is")
        )
        for name, values in NUMBERS.items()
        for number, value in enumerate(values, 1)
    }
    return Scripted(said)  # type: ignore[arg-type]


async def held() -> Record:
    with script() as panelist:
        async with Runner(open_ledger(":memory:")) as runner:
            return await runner.hold(convened(SPEC.panel, "delphi"), panelists=dict.fromkeys(NAMES, panelist))


async def test_three_rounds_narrow_down_to_a_number_that_is_decided() -> None:
    record = await held()
    last = record.events[-1]
    tally = chair.tally_of(chair.replay(record.events))

    assert isinstance(last, Decided)
    assert (last.verdict.outcome, last.verdict.rule, last.verdict.decided) == ("12", "close_median", True)
    assert (tally.course.rounds, tally.course.stop) == (("1", "2", "3"), "converged")
    assert [caution.name for caution in last.verdict.cautions] == ["carried", "equal_confidences"]
    assert last.verdict.dissent == ("Dan",)


async def test_every_view_shows_a_number_with_its_bounds() -> None:
    record = await held()
    votes = document(record)["verdict"]["votes"]  # type: ignore[index]

    assert votes[0]["choice"] == "12 (10 to 15)"
    assert votes[0]["estimate"] == {"value": 12, "low": 10, "high": 15}
    for shown in (minutes(record), markdown(record)):
        assert "### Ann: 12 (10 to 15) (70 % sure) → 12 (10 to 15) (70 % sure)" in shown
        assert "### Dan: silent (timeout)" in shown
    assert document(record)["verdict"]["sealed"]["outcome"] is None  # type: ignore[index]
