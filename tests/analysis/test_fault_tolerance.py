"""How few carry and block, on panels small enough to work it out by hand."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from quorate.analysis.fault_tolerance import Bench, FaultTolerance, largest_within, withstands
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


def test_a_vote_that_approves_says_of_what() -> None:
    shown: list[Tally] = []

    def decide(tally: Tally) -> Verdict:
        shown.append(tally)
        return HALF(tally)

    withstands(Bench(domains=(("s0", "a"), ("s1", "b")), options=AB, approves=True), decide)

    votes = {(voice.option, voice.vote) for tally in shown for voice in tally.voices}
    assert votes == {("A", Approval(("A",))), ("B", Approval(("B",)))}


def test_what_was_sealed_is_what_was_cast_and_of_the_silent_the_most_cautious() -> None:
    shown: list[Tally] = []

    def decide(tally: Tally) -> Verdict:
        shown.append(tally)
        return HALF(tally)

    withstands(bench("ab"), decide)
    sealed = [(tally, tally.sealed) for tally in shown if tally.sealed is not None]

    assert sealed
    for tally, before in sealed:
        own = {voice.seat: voice.option for voice in tally.voices}
        assert {voice.seat: voice.option for voice in before.voices} == {
            seat: own.get(seat, "B") for seat in tally.eligible
        }


@pytest.mark.parametrize(("bound", "number"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (9, 3)])
def test_the_largest_domains_count_first(bound: int, number: int) -> None:
    assert largest_within("abcab", bound) == number


def test_what_is_stated_without_a_block_needs_nobody() -> None:
    stated = FaultTolerance(
        seats=3, domains=3, carry=None, block=0, carry_domains=None, block_domains=0, safe=None, safe_domains=None
    )

    assert (stated.needed, stated.live, stated.live_domains) == (None, 0, 0)
