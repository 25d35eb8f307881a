"""P5: a liar can block at most, never push through."""

from dataclasses import replace
from itertools import product

import pytest

from quorate import catalogue, presets
from quorate.model import Ballot
from quorate.model.ask import AnswerTerms
from quorate.reading.decision import counts_at_once
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


TRIBUNAL = catalogue.protocol("tribunal")
BOLD = {"ACT": 2, "WARN": 1}
"""How bold an outcome is; all others are as careful as can be."""


@pytest.mark.promise
@pytest.mark.parametrize("book", GATES)
def test_a_ballot_that_counts_at_once_without_a_mark_makes_no_outcome_bolder_than_silence(book: str) -> None:
    """Every ballot that the reader takes so, in place of a seat's silence; the last seat holds the veto."""
    checked = bolder = 0
    votes = dict(CASTS)
    for seats in range(1, 6):
        table = outcomes(seats, book)
        for cast in table:
            for place, choice in enumerate(cast):
                if choice != "silent":
                    continue
                for word, stated in votes.items():
                    changed = [*cast[:place], word, *cast[place + 1 :]]
                    key = (*sorted(changed[:-1]), changed[-1])
                    grows = BOLD.get(table[key] or "", 0) > BOLD.get(table[cast] or "", 0)
                    terms = AnswerTerms(
                        veto=place == seats - 1, at_once=presets.rulebook(book) in TRIBUNAL.refusal_is_silence
                    )
                    if stated is not None and counts_at_once(stated, terms):
                        checked += 1
                        assert not grows, f"{cast} gives {table[cast]}, with {word} at {place} {table[key]}"
                    bolder += grows
    print(f"{book}: {checked} ballots, 0 violations; {bolder} others make it bolder")  # noqa: T201
    assert bolder > 100
    assert (checked > 100) == (book == "tribunal"), "where any silence refuses, no ballot is as careful as none"


def test_without_the_caps_and_the_last_check_the_same_check_finds_the_violation() -> None:
    """Control: a silenced veto seat would pass if nothing held it back, so the check can see such a thing."""
    careless = replace(presets.rulebook("tribunal"), unless=())
    votes = dict(CASTS)
    with_veto = tally_of([votes["ACT"], votes["ACT"], votes["VETO"]])
    silenced = tally_of([votes["ACT"], votes["ACT"], votes["silent"]]).assuming(careless.silence)

    assert [ask_rules(tally, careless, [])[1].outcome for tally in (with_veto, silenced)] == ["REFUSE", "ACT"]
