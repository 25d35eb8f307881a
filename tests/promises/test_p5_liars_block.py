"""P5: a liar can block at most, never push through."""

from dataclasses import replace
from itertools import product

import pytest

from quorate import presets
from quorate.model import Ballot
from quorate.rules import ask_rules, decide
from tests.tribunal import GATES, ballot, panel_of, tally_of

CASTS: tuple[tuple[str, Ballot | None], ...] = (
    ("ACT", ballot("ACT", 90, 10)),
    ("WARN", ballot("WARN", 90, 10)),
    ("REFUSE", ballot("REFUSE", 90, 10)),
    ("VETO", ballot("VETO", 90, 90)),
    ("silent", None),
)
SAFER = {
    "ACT": ("WARN", "REFUSE", "VETO", "silent"),
    "WARN": ("REFUSE", "VETO", "silent"),
    "REFUSE": ("VETO", "silent"),
    "VETO": ("silent",),
    "silent": (),
}


def outcomes(seats: int, book: str) -> dict[tuple[str, ...], str | None]:
    """The outcome of every possible count; counts suffice, since order never matters but for the last seat's veto."""
    votes, rulebook, panel = dict(CASTS), presets.rulebook(book), panel_of(seats)
    table: dict[tuple[str, ...], str | None] = {}
    for cast in product(votes, repeat=seats):
        key = (*sorted(cast[:-1]), cast[-1])
        if key not in table:
            table[key] = decide(tally_of([votes[name] for name in key], panel), rulebook).outcome
    return table


@pytest.mark.promise
@pytest.mark.timeout(240)
@pytest.mark.parametrize("book", GATES)
def test_making_a_ballot_safer_silent_or_a_veto_never_makes_approval(book: str) -> None:
    checked = 0
    for seats in range(1, 7):
        table = outcomes(seats, book)
        for cast, outcome in table.items():
            if outcome == "ACT":
                continue
            for place, choice in enumerate(cast):
                for safer in SAFER[choice]:
                    changed = [*cast[:place], safer, *cast[place + 1 :]]
                    key = (*sorted(changed[:-1]), changed[-1])
                    assert table[key] != "ACT", f"{cast} gives {outcome}, {tuple(changed)} gives ACT"
                    checked += 1
    print(f"{book}: {checked} changes, 0 violations")  # noqa: T201 - the promise states its size
    assert checked > 1000


def test_without_the_caps_and_the_last_check_the_same_check_finds_the_violation() -> None:
    """Control: a silenced veto seat would pass if nothing held it back, so the check can see such a thing."""
    careless = replace(presets.rulebook("tribunal"), unless=())
    votes = dict(CASTS)
    with_veto = tally_of([votes["ACT"], votes["ACT"], votes["VETO"]])
    silenced = tally_of([votes["ACT"], votes["ACT"], votes["silent"]]).assuming(careless.silence)

    assert [ask_rules(tally, careless, [])[1].outcome for tally in (with_veto, silenced)] == ["REFUSE", "ACT"]
