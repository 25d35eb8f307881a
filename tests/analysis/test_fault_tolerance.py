"""How few carry and block, on panels small enough to work it out by hand."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from quorate import presets
from quorate.analysis.fault_tolerance import Bench, FaultTolerance, largest_within, withstands
from quorate.chair.tolerance import tolerance_of
from quorate.model import Approval, Tally, Verdict

Decide = Callable[[Tally], Verdict]
AB = ("A", "B")


def bench(domains: str, guardians: int = 0, options: tuple[str, ...] = AB, *, share: bool = True) -> Bench:
    """One letter a seat: its domain."""
    seats = tuple((f"s{at}", domain) for at, domain in enumerate(domains))
    return Bench(domains=seats, guardians=tuple(seat for seat, _ in seats[:guardians]), options=options, share=share)


def above(share: Fraction, *, veto: bool = False) -> Decide:
    """An option needs more than a share of the seats; a veto brings the last of the options."""

    def decide(tally: Tally) -> Verdict:
        if veto and tally.vetoes:
            return Verdict(outcome=tally.options[-1], decided=True, rule="veto", because="")
        passed = [option for option in tally.cast if tally.support(option) > share]
        return Verdict(outcome=passed[0] if passed else None, decided=bool(passed), rule="above", because="")

    return decide


@pytest.mark.parametrize(
    ("seats", "options", "is_computed"), [(3, 60, True), (3, 500, False), (40, 3, True), (41, 3, False)]
)
def test_what_would_take_longer_than_a_reader_waits_is_not_computed(
    seats: int, options: int, *, is_computed: bool
) -> None:
    names = tuple(f"option {at}" for at in range(options))
    tally = Tally(eligible=tuple(f"s{at}" for at in range(seats)), options=names, listed=names)
    found = tolerance_of(tally, presets.rulebook("plurality"))

    assert (found.figures is not None) == is_computed
    assert ("is not computed for more than" in found.sentence) != is_computed


def nothing(tally: Tally) -> Verdict:
    return Verdict(outcome=tally.options[-1], decided=False, rule="nothing", because="")


HALF, TWO_THIRDS = above(Fraction(1, 2)), above(Fraction(2, 3))


@pytest.mark.parametrize(
    ("domains", "decide", "carry", "block", "safe"),
    [
        ("abcde", HALF, 3, 3, 0),
        ("abcd", HALF, 3, 2, 1),
        ("abcdefg", TWO_THIRDS, 5, 3, 2),
        ("a", HALF, 1, 1, 0),
        ("ab", HALF, 2, 1, 1),
        ("abc", above(Fraction(9, 10)), 3, 1, 2),
    ],
)
def test_the_fewest_that_carry_and_block(domains: str, decide: Decide, carry: int, block: int, safe: int) -> None:
    found = withstands(bench(domains), decide)

    assert (found.seats, found.domains) == (len(domains), len(domains))
    assert (found.carry, found.block, found.safe, found.needed) == (carry, block, safe, carry)
    assert (found.carry_domains, found.block_domains, found.safe_domains) == (carry, block, safe)
    assert (found.live, found.live_domains) == (block - 1, block - 1)
    assert found.carry_by == (("A", carry), ("B", carry))


@pytest.mark.parametrize(
    ("domains", "carry", "block", "safe"),
    [("aabcc", 2, 2, 0), ("aaabc", 1, 1, 0), ("aaaaa", 1, 1, 0), ("aabbccd", 2, 2, 0), ("abcdefg", 4, 4, 0)],
)
def test_seats_of_one_domain_go_together(domains: str, carry: int, block: int, safe: int) -> None:
    found = withstands(bench(domains), HALF)

    assert (found.domains, found.carry_domains, found.block_domains) == (len({*domains}), carry, block)
    assert (found.agreeing_domains, found.safe_domains) == (carry, safe)


def test_who_holds_the_veto_carries_and_blocks_alone_and_the_rest_together() -> None:
    found = withstands(bench("abcde", guardians=1), above(Fraction(1, 2), veto=True))

    assert (found.carry, found.block) == (1, 1)
    assert found.carries_alone == (("s0", "B"),)
    assert found.blocks_alone == ("s0",)
    assert (found.agreeing, found.agreeing_domains) == (3, 3)
    assert found.carry_by == (("A", 3), ("B", 1))


def test_domains_with_a_veto_are_told_from_those_without() -> None:
    found = withstands(bench("aabbb", guardians=2), above(Fraction(1, 2), veto=True))

    assert (found.carry_domains, found.block_domains, found.agreeing_domains) == (1, 1, 1)
    assert found.carries_alone == (("s0", "B"), ("s1", "B"))
    assert found.blocks_alone == ("s0", "s1")


def test_whoever_decides_alone_is_named_and_nobody_where_it_takes_several() -> None:
    one, many = withstands(bench("a"), HALF), withstands(bench("abc"), HALF)

    assert (one.carries_alone, one.blocks_alone, one.agreeing) == ((("s0", "A"), ("s0", "B")), ("s0",), None)
    assert (many.carries_alone, many.blocks_alone, many.agreeing) == ((), (), 2)


def test_where_nothing_is_ever_decided_nobody_carries_and_none_block() -> None:
    found = withstands(bench("abc"), nothing)

    assert (found.carry, found.carry_domains, found.agreeing, found.carry_by) == (None, None, None, ())
    assert (found.block, found.block_domains, found.needed, found.live, found.live_domains) == (0, 0, None, 0, 0)


def test_an_outcome_that_comes_out_by_itself_is_carried_by_none_and_by_nobody_else() -> None:
    def always(tally: Tally) -> Verdict:
        chosen = HALF(tally)
        return chosen if chosen.decided else Verdict(outcome="B", decided=True, rule="always", because="")

    found = withstands(bench("abcd", options=("A", "B", "C")), always)

    assert found.carry_by == (("A", 3), ("B", 0), ("C", 3))
    assert (found.carry, found.agreeing, found.carry_domains) == (3, 3, 3)


def test_without_a_list_one_option_stands_for_any_and_a_lead_is_enough() -> None:
    def lead(tally: Tally) -> Verdict:
        first = tally.leaders
        return Verdict(outcome=first[0] if len(first) == 1 else None, decided=len(first) == 1, rule="", because="")

    found = withstands(bench("abcde", options=(), share=False), lead)

    assert (found.carry, found.block, found.safe, found.safe_domains, found.carry_by) == (2, 3, None, None, ())


def test_where_no_rule_is_content_with_fewer_they_are_not_tried() -> None:
    asked: list[Tally] = []

    def decide(tally: Tally) -> Verdict:
        asked.append(tally)
        return HALF(tally)

    few = bench("abcde")
    enough = Bench(domains=few.domains, options=AB, least=3)

    assert withstands(enough, decide) == withstands(few, HALF)
    assert withstands(Bench(domains=few.domains, options=AB, least=4), HALF).carry == 4
    assert all(len(tally.voices) + len(tally.silent) == 5 for tally in asked)


def shown(seats: Bench, decide: Decide = HALF) -> list[Tally]:
    """Every count that was tried."""
    tried: list[Tally] = []

    def watched(tally: Tally) -> Verdict:
        tried.append(tally)
        return decide(tally)

    withstands(seats, watched)
    return tried


def test_a_vote_that_approves_says_of_what_and_any_other_is_the_option_alone() -> None:
    domains = (("s0", "a"), ("s1", "b"))
    approving = shown(Bench(domains=domains, options=AB, approves=True))

    votes = {(voice.option, voice.vote) for tally in approving for voice in tally.voices}
    assert votes == {("A", Approval(("A",))), ("B", Approval(("B",)))}
    assert {voice.vote for tally in shown(Bench(domains=domains, options=AB)) for voice in tally.voices} == {None}


def moods(tallies: list[Tally], *, sealed: bool) -> set[tuple[int, ...]]:
    """How sure, alarmed and heavy the voices are, of the counts with sealed ballots or of those without."""
    voices = [voice for tally in tallies if (tally.sealed is not None) is sealed for voice in tally.voices]
    return {tuple(map(int, (voice.confidence or 0, voice.risk or 0, voice.weight))) for voice in voices}


def test_those_who_carry_weigh_most_and_those_who_block_are_calm_or_alarmed() -> None:
    def unmoved(tally: Tally) -> Verdict:
        return Verdict(outcome=tally.options[0], decided=True, rule="unmoved", because="")

    assert moods(shown(bench("ab")), sealed=False) == {(1, 0, 1), (1, 0, 0), (1, 1, 0)}
    assert moods(shown(bench("ab"), unmoved), sealed=True) == {(1, 0, 0), (1, 0, 1), (0, 1, 1)}


def test_where_only_sealed_ballots_decide_nobody_carries_and_all_the_same_some_block() -> None:
    found = withstands(bench("abcde"), lambda tally: HALF(tally) if tally.sealed else nothing(tally))

    assert (found.carry, found.block) == (None, 3)


def test_a_veto_is_cast_for_the_most_cautious_outcome_by_every_guardian() -> None:
    tried = shown(bench("abc", guardians=2, options=("A", "B", "C")), above(Fraction(1, 2), veto=True))
    vetoes = [[voice for voice in tally.voices if voice.veto] for tally in tried]

    assert {voice.option for one in vetoes for voice in one} == {"C"}
    assert {len(one) for one in vetoes} == {0, 1, 2}
    assert all({voice.seat for voice in one} <= {*tally.guardians} for one, tally in zip(vetoes, tried, strict=True))


def test_rivals_on_a_list_are_all_tried_and_of_any_that_can_be_named_one_is_enough() -> None:
    def against(seats: Bench) -> set[str]:
        """What all choose where nobody stands behind the outcome."""
        tried = (tally.voices for tally in shown(seats) if not tally.sealed)
        return {"".join(voice.option for voice in voices) for voices in tried if not any(one.weight for one in voices)}

    assert against(bench("abc", options=("A", "B", "C"))) - {""} == {"AAA", "BBB", "CCC", "ABA", "ACA", "BCB"}
    assert len(against(bench("abc", options=())) - {""}) == 2


def test_who_carries_alone_is_told_of_no_outcome_that_comes_by_itself() -> None:
    def gate(tally: Tally) -> Verdict:
        return Verdict(outcome="A" if "A" in tally.cast else "B", decided=True, rule="gate", because="")

    assert withstands(bench("a", options=("A", "B", "C")), gate).carries_alone == (("s0", "A"),)


def test_against_the_only_option_there_is_silence_is_all_one_can_do() -> None:
    found = withstands(bench("abc", options=("A",)), HALF)

    assert (found.carry, found.block, found.carry_by) == (None, 2, ())


def test_a_rule_that_hears_nobody_but_a_lone_voice_is_safe_from_nobody() -> None:
    def lone(tally: Tally) -> Verdict:
        heads = [option for option in tally.cast if len(tally.voices) == tally.heads(option) == 1]
        return Verdict(outcome=heads[0] if heads else None, decided=bool(heads), rule="lone", because="")

    assert withstands(bench("abcde"), lone).safe is None


@pytest.mark.parametrize("domains", ["aabc", "bcaa", "baac"])
def test_the_fewest_domains_are_found_in_whatever_order_they_sit(domains: str) -> None:
    found = withstands(bench(domains), above(Fraction(1, 4)))

    assert (found.carry, found.carry_domains) == (2, 1)


def test_two_vetoes_of_one_domain_are_one_domains_work() -> None:
    def two_vetoes(tally: Tally) -> Verdict:
        refused = len(tally.vetoes) > 1
        return Verdict(outcome="B" if refused else None, decided=refused, rule="veto", because="")

    assert withstands(bench("aabc", guardians=2), two_vetoes).carry_domains == 1
    assert withstands(bench("abcc", guardians=2), two_vetoes).carry_domains == 2


def test_what_was_sealed_is_what_was_cast_and_of_the_silent_the_most_cautious() -> None:
    tried = shown(bench("ab", options=("A", "B", "C")))
    sealed = [(tally, tally.sealed) for tally in tried if tally.sealed is not None]

    assert sealed
    for tally, before in sealed:
        own = {voice.seat: voice.option for voice in tally.voices}
        assert {voice.seat: voice.option for voice in before.voices} == {
            seat: own.get(seat, "C") for seat in tally.eligible
        }


@pytest.mark.parametrize(("bound", "number"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (9, 3)])
def test_the_largest_domains_count_first(bound: int, number: int) -> None:
    assert largest_within("abcab", bound) == number


def test_what_is_stated_without_a_block_needs_nobody() -> None:
    stated = FaultTolerance(
        seats=3, domains=3, carry=None, block=0, carry_domains=None, block_domains=0, safe=None, safe_domains=None
    )

    assert (stated.needed, stated.live, stated.live_domains) == (None, 0, 0)
