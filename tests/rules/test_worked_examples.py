"""The four worked examples of the S4 documents, and the test they suggest."""

import pytest

from quorate import presets
from quorate.model import Ballot, Tally, Verdict
from quorate.model.numbers import percent
from quorate.rules import decide
from quorate.views.compat.s4 import s4_decision
from quorate.views.result import Decision
from tests.tribunal import PANEL, ballot, tally_of

BOOK = presets.rulebook("tribunal")
EXAMPLES = [
    (("ACT", 95, 5), ("ACT", 98, 3), ("ACT", 90, 2), "ACT", "100 %"),
    (("ACT", 80, 15), ("ACT", 75, 20), ("WARN", 65, 35), "ACT", "66.7 %"),
    (("ACT", 70, 30), ("WARN", 60, 40), ("REFUSE", 55, 60), "WARN", "33.3 %"),
    (("ACT", 40, 50), ("REFUSE", 30, 70), ("VETO", 5, 95), "REFUSE", None),
]
REASONING = [
    "✅ Unanimous decision: All agents agree on ACT",
    "✅ Strong majority (2/3): Proceeding with ACT despite one dissent",
    (
        "⚠️ Agents disagree: 1 ACT, 1 WARN, 1 REFUSE. Weak consensus suggests uncertainty. "
        "Proceeding with WARN as the safest default."
    ),
    "🛡️ Safety Agent exercised VETO power: Clear potential for harm",
]


def decided(*votes: Ballot) -> tuple[Verdict, Tally]:
    tally = tally_of(votes, PANEL)
    return decide(tally, BOOK), tally


@pytest.mark.parametrize(("utility", "accuracy", "safety", "outcome", "agreement"), EXAMPLES)
def test_each_worked_example_comes_out_as_printed(
    utility: tuple[str, int, int],
    accuracy: tuple[str, int, int],
    safety: tuple[str, int, int],
    outcome: str,
    agreement: str | None,
) -> None:
    verdict, _ = decided(*(ballot(*vote) for vote in (utility, accuracy, safety)))

    assert verdict.outcome == outcome
    assert (percent(verdict.agreement) if verdict.agreement is not None else None) == agreement


@pytest.mark.parametrize(("number", "reasoning"), list(enumerate(REASONING)))
def test_the_exported_reasoning_reads_as_printed(number: int, reasoning: str) -> None:
    votes = EXAMPLES[number][:3]
    verdict, tally = decided(*(ballot(*vote, reason="Clear potential for harm") for vote in votes))

    assert s4_decision(Decision(verdict, tally, BOOK))["reasoning"] == reasoning


def test_a_veto_overrides_two_acts_and_stands_in_the_exported_figures() -> None:
    verdict, tally = decided(ballot("ACT"), ballot("ACT"), ballot("VETO", 5, 85))
    exported = s4_decision(Decision(verdict, tally, BOOK))["metadata"]

    assert verdict.outcome == "REFUSE"
    assert isinstance(exported, dict)
    assert "veto" in exported
    assert (exported["veto_agent"], exported["veto_risk"]) == ("Safety Agent", 85)


def test_example_three_is_kept_as_stated_and_called_inconsistent() -> None:
    verdict, _ = decided(ballot("ACT", 70, 30), ballot("WARN", 60, 40), ballot("REFUSE", 55, 60))

    assert [(c.name, c.seat) for c in verdict.cautions if c.name == "inconsistent"] == [("inconsistent", "Safety")]
