"""P4: what a panel is said to withstand is what every way to vote comes to, and each rule needs what it says."""

from itertools import product
from random import Random

import pytest

from quorate import catalogue, decide, presets
from quorate.chair.tolerance import Tolerance, tolerance_of
from quorate.model import Approval, PartRef, Rulebook, Tally
from quorate.settings.rulebook_file import amend_rulebook
from tests.promises.ballots import MOODS, Found, Kind, Letter, Ways, brute

GATE = ("ACT", "WARN", "REFUSE")
FINDS = ("YES", "UNDETERMINED", "NO")
WEIGHTED = {
    way: amend_rulebook(presets.rulebook("oracle"), (("consensus.decide_by", way),)) for way in ("weighted", "both")
}
BOOKS: dict[str, Ways] = {
    "tribunal": Ways(book=presets.rulebook("tribunal"), seats=1, options=GATE),
    "tribunal with a veto": Ways(book=presets.rulebook("tribunal"), seats=1, guardians=1, options=GATE),
    "tribunal with two": Ways(book=presets.rulebook("tribunal"), seats=2, guardians=2, options=GATE),
    "gate": Ways(book=presets.rulebook("gate"), seats=1, guardians=1, options=GATE),
    "gate-five": Ways(book=presets.rulebook("gate-five"), seats=1, guardians=1, options=GATE),
    "strict": Ways(book=presets.rulebook("strict"), seats=1, options=GATE, moods=MOODS),
    "strict with a veto": Ways(book=presets.rulebook("strict"), seats=1, guardians=1, options=GATE, moods=MOODS[:3]),
    "plurality": Ways(book=presets.rulebook("plurality"), seats=1),
    "plurality of two": Ways(book=presets.rulebook("plurality"), seats=1, options=("A", "B")),
    "approval": Ways(book=presets.rulebook("approval"), seats=1, approves=True),
    "oracle": Ways(book=presets.rulebook("oracle"), seats=1, options=FINDS),
    **{f"oracle {way}": Ways(book=book, seats=1, options=FINDS, weights=(0, 1)) for way, book in WEIGHTED.items()},
}
SMALL = {"strict": 4, "strict with a veto": 4}
"""Where numbers matter there are too many ways for seven seats."""
QUICK = 3
"""Panels of up to so many seats are gone through with the quick tests."""
SIZES = [
    pytest.param(name, seats, marks=[pytest.mark.promise] if seats > QUICK else [])
    for name, ways in BOOKS.items()
    for seats in range(max(1, ways.guardians), SMALL.get(name, 7) + 1)
]


def panel(name: str, seats: int) -> Ways:
    ways = BOOKS[name]
    return Ways(**{**vars(ways), "seats": seats})


def stated(ways: Ways, domains: tuple[str, ...] = ()) -> Tolerance:
    """What is said of a panel; every seat its own domain unless told otherwise."""
    names = tuple(f"s{at}" for at in range(ways.seats))
    tally = Tally(
        eligible=names,
        options=ways.options,
        guardians=names[: ways.guardians],
        domains=tuple(zip(names, domains or names, strict=True)),
    )
    return tolerance_of(tally, ways.book)


def fewest(kinds: set[Kind]) -> int | None:
    return min((held + plain for held, plain in kinds), default=None)


def useful(found: Found) -> dict[str, set[Kind]]:
    """Outcomes that do not come out without anybody's choosing them."""
    return {outcome: kinds for outcome, kinds in found.carried.items() if (0, 0) not in kinds}


def blocking(found: Found) -> set[Kind]:
    """Whoever stopped an outcome that would have come out if all had chosen it."""
    return {kind for kinds in found.blocked.values() if (0, 0) not in kinds for kind in kinds}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "seats"), SIZES)
def test_what_is_stated_is_what_every_way_to_vote_comes_to(name: str, seats: int) -> None:
    ways = panel(name, seats)
    found, said = brute(ways), stated(ways).figures
    assert said is not None

    carrying = {kind for kinds in useful(found).values() for kind in kinds if kind != (0, 0)}
    assert said.carry == fewest(carrying)
    assert said.block == (fewest(blocking(found)) or 0)
    if ways.options:
        assert dict(said.carry_by) == {outcome: fewest(kinds) for outcome, kinds in found.carried.items()}
    if said.safe is not None and found.fewest is not None:
        assert said.safe == min(seats, max(0, 2 * found.fewest - seats)) - 1
    print(f"{name}, {seats} seats: carry {said.carry}, block {said.block}, safe {said.safe}")  # noqa: T201


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seats", [QUICK, *(pytest.param(size, marks=pytest.mark.promise) for size in (4, 5))])
@pytest.mark.parametrize("name", ["tribunal with a veto", "plurality", "oracle"])
def test_the_same_per_provider_for_every_way_to_share_them_out(name: str, seats: int) -> None:
    ways = panel(name, seats)
    found = brute(ways)
    carrying = {kind for kinds in useful(found).values() for kind in kinds if kind != (0, 0)}
    for domains in _shared_out(seats):
        said = stated(ways, domains).figures
        assert said is not None
        assert said.carry_domains == _fewest_domains(ways, domains, carrying)
        assert said.block_domains == (_fewest_domains(ways, domains, blocking(found)) or 0)


def _shared_out(seats: int) -> list[tuple[str, ...]]:
    """Every way to share providers out, once: which of them bears which name makes no difference."""
    named = {tuple("abcdefg"[sorted({*given}, key=given.index).index(one)] for one in given)
             for given in product("abcde", repeat=seats)}  # fmt: skip
    return sorted(named)


def _fewest_domains(ways: Ways, domains: tuple[str, ...], wanted: set[Kind]) -> int | None:
    """Go through every set of providers; a seat too many never hurts those who agree."""
    names = sorted(set(domains))
    best = None
    for chosen in product((False, True), repeat=len(names)):
        inside = {name for name, taken in zip(names, chosen, strict=True) if taken}
        kind = (
            sum(domain in inside for domain in domains[: ways.guardians]),
            sum(domain in inside for domain in domains[ways.guardians :]),
        )
        if any(held <= kind[0] and plain <= kind[1] for held, plain in wanted):
            best = len(inside) if best is None else min(best, len(inside))
    return best


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", BOOKS)
def test_no_way_to_vote_drawn_by_chance_refutes_it_on_larger_panels(name: str) -> None:
    seed = Random().randrange(10**9)
    print(f"seed {seed}")  # noqa: T201
    chance = Random(seed)
    for _ in range(300):
        ways = panel(name, chance.randrange(8, 26))
        said = stated(ways).figures
        assert said is not None
        few = chance.sample(ways.letters, k=min(len(ways.letters), chance.randrange(1, 5)))
        more = [[*few, *ways.vetoes[-1:]] if at < ways.guardians else few for at in range(ways.seats)]
        casts = tuple(map(chance.choice, more))
        outcome = ways.outcome(casts)
        if outcome is not None:
            behind = sum(cast.option in (outcome, "") for cast in casts)
            least = dict(said.carry_by).get(outcome, said.carry)
            assert least is not None
            assert behind >= least, f"seed {seed}: {casts}"
        for wanted in {cast.option for cast in casts} & set(ways.options):
            against = sum(cast[:4] != (wanted, False, 1, 0) for cast in casts)
            assert outcome == wanted or against >= said.block or wanted == "REFUSE", f"seed {seed}: {casts}"


def test_two_of_five_that_vote_alike_are_not_called_liars_the_panel_is_safe_against() -> None:
    ways = panel("plurality", 5)
    split = tuple(next(letter for letter in ways.letters if letter.option == f"option {at}") for at in (0, 0, 1, 2, 3))
    assert ways.outcome(split) == "option 0"

    said = stated(ways)

    assert said.figures is not None
    assert (said.figures.safe, said.figures.carry) == (None, 2)
    assert "2 of 5 seats that vote alike can win if the others split" in said.sentence


def test_one_seat_that_is_enough_where_no_other_approves_of_anything_is_told_of() -> None:
    one, none = ({"seat": "Ann", "approved": ["Friday"]}, [{"seat": name, "approved": []} for name in "BCDE"])
    verdict = decide([one, *none], rulebook="approval")
    assert (verdict.outcome, verdict.decided) == ("Friday", True)

    said = stated(panel("approval", 5))
    majority = amend_rulebook(presets.rulebook("approval"), (("most_approved.at_least", "1/2"),))

    told = "any one seat can bring an option if no other seat approves of anything"
    assert told in said.sentence
    assert said.notice == told
    assert told not in stated(Ways(**{**vars(panel("approval", 5)), "book": majority})).sentence
    assert told not in stated(panel("plurality", 5)).sentence


def test_a_tribunal_without_its_safety_seat_is_not_called_live() -> None:
    bench = Tally(eligible=("Utility", "Accuracy", "Safety"), options=GATE, guardians=("Safety",))
    said = tolerance_of(bench, presets.rulebook("tribunal"))

    assert said.figures is not None
    assert (said.figures.live, said.figures.block, said.figures.blocks_alone) == (0, 1, ("Safety",))
    assert said.notice == "Safety alone can bring REFUSE; Safety alone can block a decision"


def test_a_debate_claims_nothing_of_heads() -> None:
    said = tolerance_of(Tally(eligible=("Pro", "Con"), options=()), presets.rulebook("debate"))

    assert said.figures is None
    assert "counts no heads" in said.sentence
    assert said.notice == ""


def test_a_rule_that_does_not_say_what_it_needs_is_not_guessed_at() -> None:
    unknown = Rulebook(name="mine", rules=(PartRef("of another package"),), otherwise=PartRef("hold"))
    ranked = presets.rulebook("condorcet")
    for book in (unknown, ranked):
        said = tolerance_of(Tally(eligible=("a", "b", "c"), options=()), book)
        assert said.figures is None
        assert "not computed" in said.sentence


SETTINGS: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {
    "supermajority": tuple((("at_least", share),) for share in ("1/3", "1/2", "2/3", "3/4", "1")),
    "most_approved": tuple((("at_least", share),) for share in ("0", "1/2", "2/3")),
    "safe_act": tuple((("above", share),) for share in ("1/2", "4/5")),
    "consensus": tuple((("decide_by", way), ("at_least", "2/3")) for way in ("heads", "weighted", "both")),
}
CLAIMS = [
    (name, settings)
    for name in catalogue.names("rule")
    if catalogue.rule(name).needs is not None
    for settings in SETTINGS.get(name, ((),))
]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("sizes", [range(1, 4), pytest.param(range(4, 8), marks=pytest.mark.promise)], ids=str)
@pytest.mark.parametrize(("name", "settings"), CLAIMS)
def test_a_rule_needs_just_what_it_says(name: str, settings: tuple[tuple[str, str], ...], sizes: range) -> None:
    """Nobody is silent: with fewer it never decides although all others chose something else, with so many it can."""
    spec = catalogue.rule(name)
    bound = catalogue.bind(spec.function, settings, name)
    assert spec.needs is not None
    for seats in sizes:
        claimed = spec.needs(seats, **bound)
        behind = [
            sum(cast.option == outcome for cast in casts)
            for options in ((GATE,) if spec.power else (GATE, FINDS, ()))
            for ways in (_ways(name, seats, options),)
            for casts in ways.every()
            if all(cast.option for cast in casts) and (outcome := _said(name, bound, ways, casts)) is not None
        ]
        assert min(behind, default=seats + 1) == min(claimed, seats + 1), f"{seats} seats"


def _ways(name: str, seats: int, options: tuple[str, ...]) -> Ways:
    weighs = name == "consensus"
    return Ways(
        book=presets.rulebook("tribunal"),
        seats=seats,
        guardians=1 if catalogue.rule(name).power else 0,
        options=options,
        weights=(0, 1) if weighs and options else (1,),
        approves=Approval in catalogue.rule(name).votes,
    )


def _said(name: str, bound: dict[str, object], ways: Ways, casts: tuple[Letter, ...]) -> str | None:
    verdict = catalogue.rule(name).function(ways.tally(casts), **bound)
    return verdict.outcome if verdict is not None and verdict.decided else None
