"""The rules of a debate; the table in the reference is the table of this test."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import presets
from quorate.model import Course, Silence, Tally, Verdict, Voice
from quorate.model.numbers import exact, percent
from quorate.rules import decide
from tests.docs.tables import page, rows, section

OUTCOMES = ("SUPPORT", "UNCERTAIN", "OPPOSE")
BOOKS = ("debate", "debate_evidence", "debate_rounds")
SHARES = st.fractions(0, 1, max_denominator=100)


def tally(*rounds: tuple[Fraction | None, Fraction | None], demo: bool = False) -> Tally:
    """By round, the strength of the proponent's and the opponent's argument; none is silence."""
    voices = [
        Voice(
            seat=seat, option=option, weight=strength if None not in pair else Fraction(0), round=str(number),
            quality=strength if None not in pair else None,
        )
        for number, pair in enumerate(rounds, 1)
        for seat, option, strength in zip(("Proponent", "Opponent"), ("SUPPORT", "OPPOSE"), pair, strict=True)
        if strength is not None
    ]  # fmt: skip
    spoke = {voice.seat for voice in voices}
    return Tally(
        eligible=("Proponent", "Opponent"),
        options=OUTCOMES,
        voices=tuple(voices),
        silent=tuple(Silence(seat=s, why="timeout") for s in ("Proponent", "Opponent") if s not in spoke),
        course=Course(rounds=tuple(str(n) for n in range(1, len(rounds) + 1)), stop="max_rounds"),
        demo=demo,
        sides=True,
    )


def told(cell: str) -> list[tuple[Fraction | None, Fraction | None]]:
    """A cell of the table: "0.8 : 0.2, - : 0.4" is two rounds, the second without a proponent."""
    pairs = [part.split(":") for part in cell.split(",")]
    return [(exact(one), exact(other)) for one, other in pairs]


@pytest.mark.parametrize(
    ("cell", "book", "outcome", "confidence", "rule"),
    [tuple(row) for row in rows(section(page("reference/debate.md"), "## The table"))],
)
def test_every_published_row_holds(cell: str, book: str, outcome: str, confidence: str, rule: str) -> None:
    verdict = decide(tally(*told(cell)), presets.rulebook(book.strip("`")))

    assert (verdict.outcome, verdict.rule) == (outcome, rule.strip("`"))
    assert verdict.confidence is not None
    assert percent(verdict.confidence) == confidence
    assert verdict.decided == (outcome != "UNCERTAIN")
    assert verdict.agreement is None


def swapped(one: Tally) -> Tally:
    other = {"SUPPORT": "OPPOSE", "OPPOSE": "SUPPORT"}
    voices = tuple(
        Voice(seat=v.seat, option=other[v.option], weight=v.weight, round=v.round, quality=v.quality)
        for v in one.voices
    )
    return Tally(
        eligible=one.eligible, options=OUTCOMES, voices=voices, silent=one.silent, course=one.course, sides=True
    )


PAIRS = st.lists(st.tuples(st.none() | SHARES, st.none() | SHARES), max_size=4)


@pytest.mark.parametrize("book", BOOKS)
@given(pairs=PAIRS)
def test_the_rules_know_no_favourite_side(book: str, pairs: list[tuple[Fraction | None, Fraction | None]]) -> None:
    mirror = {"SUPPORT": "OPPOSE", "OPPOSE": "SUPPORT", "UNCERTAIN": "UNCERTAIN"}
    one, other = (decide(counted, presets.rulebook(book)) for counted in (tally(*pairs), swapped(tally(*pairs))))

    assert other.outcome == mirror[str(one.outcome)]
    assert other.confidence == one.confidence


@pytest.mark.parametrize("book", BOOKS)
@given(pairs=PAIRS, demo=st.booleans())
def test_a_debate_always_ends_in_one_of_three_words_and_a_demo_never_supports(
    book: str, pairs: list[tuple[Fraction | None, Fraction | None]], demo: bool
) -> None:
    verdict: Verdict = decide(tally(*pairs, demo=demo), presets.rulebook(book))
    both = [pair for pair in pairs if None not in pair]

    assert verdict.outcome in OUTCOMES
    assert not (demo and verdict.outcome == "SUPPORT")
    assert both or (verdict.outcome, verdict.decided, verdict.requires_human_review) == ("UNCERTAIN", False, True)
    assert verdict.confidence is None or Fraction(1, 2) <= verdict.confidence <= Fraction(95, 100)


@pytest.mark.parametrize("book", BOOKS)
@given(pairs=PAIRS, place=st.integers(0, 3), seat=st.integers(0, 1))
def test_silencing_a_side_throughout_never_wins_the_debate_for_the_other(
    book: str, pairs: list[tuple[Fraction | None, Fraction | None]], place: int, seat: int
) -> None:
    gone = [(None, pair[1]) if seat == 0 else (pair[0], None) for pair in pairs]
    verdict = decide(tally(*gone), presets.rulebook(book))

    assert verdict.outcome == "UNCERTAIN"


def test_a_rulebook_of_debates_on_open_options_decides_nothing_and_does_not_fail() -> None:
    open_ = Tally(eligible=("a", "b"), options=(), voices=(Voice(seat="a", option="Use A", quality=Fraction(1)),))

    for book in BOOKS:
        assert decide(open_, presets.rulebook(book)).outcome is None
