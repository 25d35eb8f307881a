"""P6: in a tribunal, talk cannot overrule the sealed vote."""

import random
from dataclasses import replace
from functools import cache

import pytest

from quorate import chair, presets
from quorate.model import Ask, Reply, Rulebook
from quorate.rules import decide
from quorate.views import Record
from quorate.views.document import document
from tests.play import convened, play, verdict, words
from tests.tribunal import GATES, ballot, panel_of, tally_of

CHOICES = ("ACT", "WARN", "REFUSE", "VETO")
CASTS = {choice: ballot(choice, 90, 20) for choice in CHOICES}
PANELS = {seats: panel_of(seats) for seats in range(1, 6)}


def persuaded(chance: random.Random, seats: int, conversion: float) -> tuple[dict[str, str], dict[str, str]]:
    """What each seat seals, and where talk has taken it in the end: a loud seat urges ACT."""
    sealed = {name: chance.choice(CHOICES) for name in [f"s{place}" for place in range(seats - 1)] + ["last"]}
    final = {name: "ACT" if chance.random() < conversion else was for name, was in sealed.items()}
    return sealed, final


def one_history(seed: int) -> None:
    chance = random.Random(seed)
    seats, conversion = chance.randint(1, 5), chance.random()
    sealed, final = persuaded(chance, seats, conversion)

    def answer(ask: Ask) -> Reply:
        return words(ask, (sealed if ask.round == "analysis" else final)[ask.seat.name], 90, 20)

    events = play(convened(panel_of(seats)), answer)
    decided = verdict(events).verdict
    against = sum(choice != "ACT" for choice in sealed.values())
    changes = chair.tally_of(chair.replay(events, check=False)).changes
    flipped = {name for name in sealed if _counted(name, sealed[name]) != _counted(name, final[name])}

    assert not (decided.outcome == "ACT" and 3 * against >= 2 * seats), f"seed {seed}: {sealed} then {final}"
    assert {change.seat for change in changes} == flipped, f"seed {seed}: a flip is not in the verdict"


def _counted(name: str, choice: str) -> str:
    """What a choice counts as: a veto is one only from the last seat."""
    return "REFUSE" if choice == "VETO" and name != "last" else choice


@cache
def outcome(sealed: tuple[str, ...], final: tuple[str, ...], book: Rulebook) -> str | None:
    """What is decided, seat by seat, the last one the guardian; the same votes come up again and again."""
    casts = [[CASTS[choice] for choice in votes] for votes in (final, sealed)]
    return decide(tally_of(casts[0], PANELS[len(final)], casts[1]), book).outcome


def one_count(seed: int, book: Rulebook) -> None:
    """The same without the talk: only what was sealed and where it ended is counted."""
    chance = random.Random(seed)
    seats, conversion = chance.randint(1, 5), chance.random()
    sealed, final = persuaded(chance, seats, conversion)
    against = sum(choice != "ACT" for choice in sealed.values())

    assert not (outcome(tuple(sealed.values()), tuple(final.values()), book) == "ACT" and 3 * against >= 2 * seats), (
        f"seed {seed}: {sealed} then {final}"
    )


@pytest.mark.promise
def test_approval_against_a_sealed_quorum_never_happens_in_whole_deliberations(seed: int) -> None:
    for number in range(seed, seed + 500):
        one_history(number)


@pytest.mark.promise
@pytest.mark.parametrize("book", GATES)
def test_approval_against_a_sealed_quorum_never_happens_in_any_count(book: str, seed: int) -> None:
    for number in range(seed, seed + 50_000 // len(GATES)):
        one_count(number, presets.rulebook(book))


def test_without_the_cap_the_same_check_finds_approval_against_the_sealed_vote(seed: int) -> None:
    """Control: the check can see what it claims never happens."""
    careless = replace(presets.rulebook("tribunal"), unless=())

    def search() -> None:
        for number in range(seed, seed + 2000):
            one_count(number, careless)

    with pytest.raises(AssertionError, match="seed"):
        search()


def test_every_flip_is_listed_with_whom_the_seat_had_heard() -> None:
    def answer(ask: Ask) -> Reply:
        return words(ask, "ACT" if ask.round != "analysis" or ask.seat.name == "s0" else "WARN", 90, 20)

    events = play(convened(panel_of(3)), answer)
    shown = document(Record(id="x", events=events))["verdict"]

    assert isinstance(shown, dict)
    assert shown["rule"] == "sealed_vote"
    assert shown["sealed"] == {
        "outcome": "WARN",
        "changed": [
            {"seat": "s1", "from": "WARN", "to": "ACT", "heard": ["s0", "last"]},
            {"seat": "last", "from": "WARN", "to": "ACT", "heard": ["s0", "s1"]},
        ],
    }
