"""A promise about errors holds as often as it says, and no verdict passes that it does not cover."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from quorate import presets, rules
from quorate.evaluate.act_gate import certify
from quorate.evaluate.past_decisions import PastDecision, likeness
from quorate.model import Limits, Tally, Voice
from tests.play import convened
from tests.tribunal import PANEL

ASKED = convened(PANEL)
LIKE = likeness(ASKED)
HUNDREDTHS = [Fraction(one, 100) for one in range(50, 101)]


def past(score: Fraction, *, right: bool, like: str = "") -> PastDecision:
    return PastDecision(
        id="a",
        begun="2026",
        protocol="tribunal",
        kind="tribunal: other",
        like=like or LIKE,
        models={},
        listed=3,
        first={},
        last={},
        heard={},
        outcome=0,
        score=str(score),
        right=0 if right else 1,
        certified=0 if right else 1,
    )


def settings_of(known: list[PastDecision], at_most: Fraction = Fraction(1, 40)) -> dict[str, str]:
    return dict(certify(ASKED, at_most, known).convened.rulebook.unless[-1].settings)


def test_too_few_labels_promise_nothing_and_say_how_many_it_takes() -> None:
    found = certify(ASKED, Fraction(1, 40), [past(Fraction(1), right=True)] * 90)

    assert found.threshold.score is None
    assert found.sentence == (
        "every verdict goes to a person: not enough labels to promise that: 91 error-free acts are needed, "
        "and there are 90 labels"
    )


def test_ninety_one_without_an_error_are_enough() -> None:
    told = settings_of([past(Fraction(2, 3), right=True)] * 91)

    assert told == {
        "at_most": "1/40", "certified": "true", "at_least": "2/3", "acts": "91", "errors": "0", "labels": "91",
        "needed": "91",
    }  # fmt: skip


def test_only_decisions_of_the_same_panel_under_the_same_rules_vouch_for_it() -> None:
    others = [past(Fraction(1), right=True, like="another panel")] * 200

    assert settings_of([*others, past(Fraction(1), right=True)])["labels"] == "1"


def test_the_cap_is_written_once_and_a_verdict_replays_by_it() -> None:
    first = certify(ASKED, Fraction(1, 40), [past(Fraction(1), right=True)] * 91).convened
    again = certify(first, Fraction(1, 40), [past(Fraction(1), right=True)] * 91).convened
    assert again.rulebook == first.rulebook
    assert likeness(first) == likeness(ASKED)

    seats = tuple(seat.name for seat in PANEL)
    for votes, outcome in ((("ACT", "ACT", "ACT"), "ACT"), (("ACT", "ACT", "WARN"), "WARN")):
        voices = tuple(Voice(seat=seat, option=vote) for seat, vote in zip(seats, votes, strict=True))
        told = Tally(eligible=seats, options=("ACT", "WARN", "REFUSE"), voices=voices)
        assert rules.decide(told, first.rulebook).outcome == outcome


@pytest.mark.promise
@pytest.mark.parametrize("levels", [HUNDREDTHS, [Fraction(1, 3), Fraction(2, 3), Fraction(1)]])
def test_the_promised_share_of_errors_is_exceeded_in_at_most_a_tenth_of_repetitions(
    seed: int, levels: list[Fraction]
) -> None:
    """Labels are drawn from a panel whose true error at every score is known, and so is that of what is acted on."""
    chance, at_most, broken, certified, rounds = Random(seed), Fraction(1, 20), 0, 0, 200
    wrong = {score: float((1 - score) / 2 + Fraction(1, 100)) for score in levels}
    for _ in range(rounds):
        drawn = [chance.choice(levels) for _ in range(400)]
        known = [past(score, right=chance.random() >= wrong[score]) for score in drawn]
        told = settings_of(known, at_most)
        if told["certified"] == "true":
            acted = [wrong[score] for score in levels if score >= Fraction(told["at_least"])]
            certified += 1
            broken += sum(acted) / len(acted) > at_most

    print(f"certified {certified} of {rounds}, broken {broken}")  # noqa: T201
    assert certified > rounds / 4
    # A tenth, and three standard deviations of chance on top.
    assert broken <= rounds / 10 + 3 * (rounds * 0.09) ** 0.5


def test_the_presets_that_ship_have_no_such_cap() -> None:
    assert all("act_error" not in {cap.name for cap in book.unless} for book in presets.rulebooks().values())


def test_another_model_another_rule_or_another_setting_is_another_panel() -> None:
    book = replace(ASKED.rulebook, rules=ASKED.rulebook.rules[1:])
    others = (
        replace(ASKED, rulebook=book),
        replace(ASKED, settings=(*ASKED.settings, ("veto", "immediate"))),
        replace(ASKED, protocol="conference"),
    )

    assert LIKE not in {likeness(other) for other in others}
    assert likeness(ASKED, ["openai:a", "openai:a", "openai:b"]) != likeness(ASKED, ["openai:a"] * 3)
    assert likeness(replace(ASKED, seed="another", limits=Limits(calls=9))) == LIKE
