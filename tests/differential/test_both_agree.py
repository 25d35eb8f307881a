"""The product and the capsule's verifier, which share no code, come to the same verdict on the same deliberation."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from inspect import signature
from random import Random
from types import MappingProxyType, ModuleType
from typing import Final

import pytest

from quorate import catalogue
from quorate.chair import State
from quorate.model import Convened, Event, PartRef
from quorate.offline.capsule import capsule_of, verifier_program
from quorate.presets import rulebooks
from tests.capsule_plays import drawn_events, learned
from tests.capsules import events_of, record_of_events, verifier
from tests.differential.case import Case
from tests.differential.draw import KINDS, conference_case
from tests.differential.states import state_of
from tests.figures import Figure
from tests.play import gone_on_with

Draw = Callable[[Random], list[Event]]


def from_case(kind: Callable[[Random], Case], chance: Random) -> list[Event]:
    return events_of(state_of(kind(chance)))


def from_track_record(chance: Random) -> list[Event]:
    """A conference whose rule weighs seats by earlier answers."""
    return events_of(learned(conference_case(chance), chance))


TALLIES: Final[Mapping[str, Draw]] = MappingProxyType(
    {kind.__name__.removesuffix("_case"): partial(from_case, kind) for kind in KINDS}
    | {"track_record": from_track_record}
)
"""Final ballots drawn by chance, with ties, silence and edges of thresholds far more often than in life."""
DELIBERATIONS: Final[Mapping[str, Draw]] = MappingProxyType(
    {name: partial(drawn_events, name) for name in catalogue.names("protocol")}
)
"""Whole deliberations: replies that are read, retries, vetoes, early stops, seats that get another model."""
EVERYDAY, LONG = 10_000, 1_000_000
WHOLE_EVERYDAY, WHOLE_LONG = 210, 7_000

tally_draws = pytest.mark.parametrize("name", TALLIES)
deliberation_draws = pytest.mark.parametrize("name", DELIBERATIONS)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return verifier(tmp_path_factory.mktemp("verifier"))


def disagreement(program: ModuleType, events: list[Event]) -> str:
    """What the verifier objects to in the product's verdict; empty if it comes to the same."""
    capsule = capsule_of(record_of_events(events))
    entries = [json.loads(entry["event"]) for entry in capsule["entries"]]
    try:
        notes = program.recount(capsule, json.loads(capsule["statement"]), entries)
    except program.WRONG as error:
        return f"{type(error).__name__}: {error}"
    return "; ".join(note for note in notes if not note.startswith("taken as stated"))


def agree_on(program: ModuleType, draw: Draw, number: int, seed: int) -> None:
    """Fail on the first of so many draws on which the two differ."""
    for at in range(number):
        events = draw(Random(f"{seed} {at}"))
        problem = disagreement(program, events)
        assert not problem, f"draw {at} of seed {seed}: {problem}\n{events}"


@tally_draws
def test_both_come_to_the_same_verdict(program: ModuleType, name: str, seed: int) -> None:
    agree_on(program, TALLIES[name], 100, seed)


@deliberation_draws
def test_both_come_to_the_same_verdict_on_whole_deliberations(program: ModuleType, name: str, seed: int) -> None:
    agree_on(program, DELIBERATIONS[name], 3, seed)


@pytest.mark.promise
@tally_draws
def test_both_come_to_the_same_verdict_on_many_tallies(
    program: ModuleType, name: str, seed: int, figure: Figure
) -> None:
    number = EVERYDAY // len(TALLIES)
    agree_on(program, TALLIES[name], number, seed)
    figure(f"{number:,} tallies ({name}, one of {len(TALLIES)} kinds): 0 differ")


@pytest.mark.promise
@deliberation_draws
def test_both_come_to_the_same_verdict_on_many_deliberations(
    program: ModuleType, name: str, seed: int, figure: Figure
) -> None:
    number = WHOLE_EVERYDAY // len(DELIBERATIONS)
    agree_on(program, DELIBERATIONS[name], number, seed)
    figure(f"{number:,} deliberations ({name}, one of {len(DELIBERATIONS)} protocols): 0 differ")


@pytest.mark.promise
@pytest.mark.long
@pytest.mark.timeout(0)
@tally_draws
def test_both_come_to_the_same_verdict_on_a_million_tallies(
    program: ModuleType, name: str, seed: int, figure: Figure
) -> None:
    number = LONG // len(TALLIES)
    agree_on(program, TALLIES[name], number, seed)
    figure(f"{number:,} tallies ({name}, one of {len(TALLIES)} kinds): 0 differ")


@pytest.mark.promise
@pytest.mark.long
@pytest.mark.timeout(0)
@deliberation_draws
def test_both_come_to_the_same_verdict_on_thousands_of_deliberations(
    program: ModuleType, name: str, seed: int, figure: Figure
) -> None:
    number = WHOLE_LONG // len(DELIBERATIONS)
    agree_on(program, DELIBERATIONS[name], number, seed)
    figure(f"{number:,} deliberations ({name}, one of {len(DELIBERATIONS)} protocols): 0 differ")


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_both_agree_on_a_record_that_was_gone_on_with_after_a_failure(
    program: ModuleType, protocol: str, seed: int
) -> None:
    """Its capsule holds as a whole, too: an ask may be answered once more after nobody could be asked."""
    events = gone_on_with(protocol, Random(seed))
    capsule = capsule_of(record_of_events(events))

    assert not disagreement(program, events)
    program.check_entries(capsule, program.read_statement(capsule["statement"]))


THRESHOLDS = {Fraction: ("3/10", "2/5", "1/2", "7/10", "4/5", "1"), int: ("1", "2", "4")}
CAPS = (
    *(PartRef("unseen_files", (("files", "a.bin"),)), PartRef("veto_seat_silent"), PartRef("sealed_vote")),
    PartRef("objections", (("at_least", "2"),)),
    *(PartRef("act_error"), PartRef("act_error", (("certified", "yes"), ("at_least", "7/10")))),
)


def drawn_settings(rule: str, chance: Random) -> tuple[tuple[str, str], ...]:
    """Thresholds for a rule on the edges that ballots are drawn on; half the time its own."""
    given = signature(catalogue.rule(rule).function).parameters.values()
    named = [one for one in given if one.kind is one.KEYWORD_ONLY and one.annotation in THRESHOLDS]
    return (
        tuple((one.name, chance.choice(THRESHOLDS[one.annotation])) for one in named) if chance.random() < 0.5 else ()
    )


def with_first_rule(state: State, rule: str, chance: Random) -> State:
    """The same ballots under a rulebook of somebody's own, which asks this rule first, and may have one more cap."""
    book = state.convened.rulebook
    rules, unless = (PartRef(rule, drawn_settings(rule, chance)), *book.rules), book.unless
    if chance.random() < 0.5:
        unless = (chance.choice(CAPS),)
    own = replace(book, name="own", rules=rules, unless=unless)
    return replace(state, convened=replace(state.convened, rulebook=own))


DRAWS = 15
"""Of each rule in each protocol: so many that the edge of every threshold is met."""


def own_rulebooks(kind: Callable[[Random], Case], seed: int) -> Iterator[list[Event]]:
    """Every rule first, over drawn ballots of one protocol."""
    rules = [name for name in catalogue.names("rule") if catalogue.rule(name).rule]
    for at, rule in enumerate(rules * DRAWS):
        chance = Random(f"{seed} {at}")
        yield events_of(with_first_rule(state_of(kind(chance)), rule, chance))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_both_agree_when_a_panel_file_puts_any_rule_first(
    program: ModuleType, kind: Callable[[Random], Case], seed: int
) -> None:
    for at, events in enumerate(own_rulebooks(kind, seed)):
        assert not disagreement(program, events), f"draw {at} of seed {seed}"


def test_every_rulebook_that_ships_is_drawn() -> None:
    began = [draw(Random(f"{name} {at}"))[0] for name, draw in TALLIES.items() for at in range(40)]

    assert {event.rulebook.name for event in began if isinstance(event, Convened)} == set(rulebooks())


SLIPS: Final = (
    ("tribunal", 't.top >= x("at_least", "2/3")', 't.top > x("at_least", "2/3")'),
    ("tribunal", '"veto": lambda t, s, x: any', '"veto": lambda t, s, x: all'),
    ("tribunal", "{t.options[0], t.options[-1]}", "{*t.options[1:]}"),
    ("tribunal", "all(v.risk < x(", "all(v.risk < 5 * x("),
    ("tribunal", "v.sure < x(", "v.sure <= x("),
    ("tribunal", 'name == "sealed_vote" and v.outcome == bold', 'name == "sealed_vote" and False'),
    ("tribunal", '>= int(s("at_least", "1")) and mild', '> int(s("at_least", "1")) and mild'),
    ("tribunal", "return t.guardians - {one.seat for one in t.votes} and mild", "return None"),
    ("conference", 't.voted <= x("more_than", "1/2") * t.n', 't.voted < x("more_than", "1/2") * t.n'),
    ("conference", "all(frozenset((a, b)) in alike for a in here for b in there)", "True"),
    ("conference", "found = [decide(t, book, names) for names in t.ways]", "found = [decide(t, book, t.ways[0])]"),
    ("ranked", "votes if votes > wins[b, a] else 0", "votes"),
    ("ranked", "points[a] == max(points.values())", "points[a] == min(points.values())"),
    ("ranked", "F(1, len(top))", "F(1)"),
    ("approval", 't.top >= x("at_least", "0")', 't.top > x("at_least", "0")'),
    ("delphi", "for below in range(t.n - len(values) + 1)", "for below in range(1)"),
    ("oracle", "max(1, int(s(", "max(2, int(s("),
    ("oracle", "+ t.n - len(weight)", ""),
    ("debate", "one > margin * other", "one >= margin * other"),
    ("debate", "[(v.choices, v.marks[0]) for v in t.votes if v.marks]", "[(v.choices, v.weight) for v in t.votes]"),
    ("track_record", "p * root", "p"),
    ("tribunal", "average([one.sure for one in own])", "average([one.sure for one in t.votes])"),
    ("tribunal", "or not t.votes or any(one.veto for one in t.votes)\n", "or not t.votes\n"),
    ("approval", "F(len(behind), t.n)", "F(len(behind), len(t.votes))"),
    ("delphi", "if one.seat in found[3]]", "]"),
    ("oracle", 'F(0) if rule == "no_consensus"', 'F(1) if rule == "no_consensus"'),
    ("debate", "v.confidence = found[2] if found[2:] else F(1, 2)", "v.confidence = F(1, 2)"),
)
"""Small mistakes in the verifier: the kind of draw that shows each, what stands there, and what replaces it."""


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip[0]}: {slip[2]}")
def test_a_mistake_in_one_of_the_two_is_noticed(slip: tuple[str, str, str], seed: int) -> None:
    """Control: with one rule of the verifier slightly wrong, drawn cases come out otherwise."""
    name, right, wrong = slip
    source = verifier_program().decode()
    assert source.count(right) == 1
    broken = ModuleType("broken_verifier")
    exec(source.replace(right, wrong), broken.__dict__)  # noqa: S102 - our own program with one change

    draws = (TALLIES[name](Random(f"{seed} {at}")) for at in range(5_000))

    assert any(disagreement(broken, events) for events in draws)


OWN_SLIPS: Final = (
    (
        'any(v.veto for v in t.votes) and (s("means", "REFUSE"), True)',
        "any(v.veto for v in t.votes) and ('WARN', True)",
    ),
    ('int(s("min_seats", "3"))', 'int(s("min_seats", "2"))'),
    ('return s("files", "") and mild', 'return ""'),
    ("v.score = None if share is None else", "v.score = F(1) if share is None else"),
)
"""Small mistakes that only a panel file's own rules, settings and caps show."""


@pytest.mark.parametrize("slip", OWN_SLIPS, ids=lambda slip: slip[0])
def test_a_mistake_that_only_own_rulebooks_show_is_noticed(slip: tuple[str, str], seed: int) -> None:
    right, wrong = slip
    source = verifier_program().decode()
    assert source.count(right) == 1
    broken = ModuleType("broken_verifier")
    exec(source.replace(right, wrong), broken.__dict__)  # noqa: S102 - our own program with one change

    assert any(disagreement(broken, events) for kind in KINDS for events in own_rulebooks(kind, seed))
