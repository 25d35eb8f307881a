"""The verifier that ships beside a capsule and our own rules agree on deliberations drawn by chance."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from quorate import catalogue
from quorate.model import Event
from quorate.offline.capsule import capsule_of
from tests.capsule_plays import drawn_events, learned
from tests.capsules import events_of, record_of_events, verifier
from tests.differential.draw import KINDS, conference_case
from tests.differential.product import state_of


def agree(folder: Path, events: list[Event]) -> str:
    """Which rule decided, if the verifier counts the same votes and comes to the same."""
    program, capsule = verifier(folder), capsule_of(record_of_events(events))
    facts = json.loads(capsule["statement"])
    told = program.recount(capsule, facts, program.check_entries(capsule, facts))
    assert all(line.startswith("taken as stated") for line in told), told
    return str(facts["verdict"]["rule"])


def draw(folder: Path, seed: int, number: int) -> Counter[str]:
    chance = Random(seed)
    cases = [kind(chance) for kind in KINDS for _ in range(number)]
    rules = Counter(agree(folder, events_of(state_of(case))) for case in cases)
    rules.update(agree(folder, events_of(learned(conference_case(chance), chance))) for _ in range(number))
    return rules


def play(folder: Path, seed: int, number: int) -> Counter[str]:
    chance = Random(seed)
    names = catalogue.names("protocol")
    return Counter(agree(folder, drawn_events(name, chance)) for name in names for _ in range(number))


def test_the_verifier_comes_to_the_same_verdict_by_the_same_rule(tmp_path: Path, seed: int) -> None:
    assert draw(tmp_path, seed, 4).total() == 4 * (len(KINDS) + 1)


def test_it_does_so_on_whole_deliberations(tmp_path: Path, seed: int) -> None:
    assert play(tmp_path, seed, 3).total() == 3 * len(catalogue.names("protocol"))


@pytest.mark.promise
def test_it_does_so_three_hundred_times(tmp_path: Path, seed: int) -> None:
    assert len(draw(tmp_path, seed, 40)) > 20


@pytest.mark.promise
def test_it_does_so_on_a_hundred_whole_deliberations(tmp_path: Path, seed: int) -> None:
    assert len(play(tmp_path, seed, 15)) > 15


@pytest.mark.long
def test_it_does_so_a_thousand_times_for_every_rulebook(tmp_path: Path, seed: int) -> None:
    # Three rulebooks share the cases of a debate and of a ranking, two those of a tribunal.
    assert len(draw(tmp_path, seed, 3000)) > 25
    assert len(play(tmp_path, seed, 1000)) > 28
