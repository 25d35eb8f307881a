"""Two implementations that share no code come to the same verdict on the same ballots."""

from collections.abc import Callable
from random import Random

import pytest

from quorate.presets import rulebooks
from tests.differential import draw
from tests.differential.case import Answer, Case
from tests.differential.findings import debate, oracle
from tests.differential.heads import conference, strict, tribunal
from tests.differential.kinds import approval, delphi, ranked
from tests.differential.product import product
from tests.figures import Figure

SECOND: dict[str, Callable[[Case], Answer]] = {
    "tribunal": tribunal, "strict": strict, "plurality": conference, "track_record": conference,
    "condorcet": ranked, "borda": ranked, "instant_runoff": ranked, "approval": approval, "delphi": delphi,
    "oracle": oracle, "debate": debate, "debate_evidence": debate, "debate_rounds": debate,
}  # fmt: skip


EVERYDAY, FULL = 10_000, 1_000_000


def disagreement(case: Case) -> str:
    """Where the two differ, in words that say what to look at; empty where they agree."""
    ours, second = product(case), SECOND[case.rulebook](case)
    compared = ("outcome", "decided", "rule", "agreement", "confidence")
    differ = [name for name in compared if getattr(ours, name) != getattr(second, name)]
    differ += ["review"] if second.review and not ours.review else []
    return f"{', '.join(differ)} of {case}\nproduct {ours}\nsecond {second}" if differ else ""


def agree_on(kind: Callable[[Random], Case], number: int, seed: int) -> str:
    """Raise on the first of so many cases on which the two differ; what was compared, in words."""
    for at in range(number):
        found = disagreement(kind(Random(f"{seed} {kind.__name__} {at}")))
        assert not found, f"case {at}: {found}"
    return f"{number:,} tallies ({kind.__name__.removesuffix('_case')}, one of {len(draw.KINDS)} kinds): 0 differ"


@pytest.mark.parametrize("kind", draw.KINDS, ids=lambda kind: kind.__name__)
def test_both_implementations_come_to_the_same_verdict(kind: Callable[[Random], Case], seed: int) -> None:
    agree_on(kind, 100, seed)


@pytest.mark.promise
@pytest.mark.parametrize("kind", draw.KINDS, ids=lambda kind: kind.__name__)
def test_both_come_to_the_same_verdict_on_many_tallies(
    kind: Callable[[Random], Case], seed: int, figure: Figure
) -> None:
    figure(agree_on(kind, EVERYDAY // len(draw.KINDS), seed))


@pytest.mark.promise
@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", draw.KINDS, ids=lambda kind: kind.__name__)
def test_both_come_to_the_same_verdict_on_a_million_tallies(
    kind: Callable[[Random], Case], seed: int, figure: Figure
) -> None:
    figure(agree_on(kind, -(-FULL // len(draw.KINDS)), seed))


def test_every_rulebook_that_ships_has_a_second_implementation_and_is_drawn() -> None:
    drawn = {kind(Random(f"{kind.__name__} {at}")).rulebook for kind in draw.KINDS for at in range(40)}

    assert set(SECOND) == set(rulebooks()) == drawn


def test_a_slip_in_one_of_the_two_does_not_go_unseen(seed: int) -> None:
    """Control: with two thirds taken for more than half, some of the drawn cases come out otherwise."""
    cases = [draw.tribunal_case(Random(f"{seed} {at}")) for at in range(300)]
    cases = [case for case in cases if case.rulebook == "tribunal"]

    slipped = [case for case in cases if _by_a_majority(case) != product(case).outcome]

    assert len(slipped) > 5


def _by_a_majority(case: Case) -> str | None:
    heads = {option: sum(word.choice == option for word in case.last.values()) for option in ("ACT", "WARN", "REFUSE")}
    most = [option for option, count in heads.items() if 2 * count > len(case.voters)]
    return most[0] if most else tribunal(case).outcome
