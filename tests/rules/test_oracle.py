"""The oracle's published scenarios and edge cases, and what its rules say beyond them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import presets
from quorate.analysis.consensus_quality import leading_outcome, weighted_share
from quorate.counting.findings import count
from quorate.model import (
    Ballot,
    Brief,
    ErrandKey,
    Found,
    Passage,
    Question,
    Rulebook,
    Silence,
    Speech,
)
from quorate.protocols.oracle import OUTCOMES
from quorate.rules import decide
from quorate.settings.rulebook_file import amend_rulebook
from tests.oracle import BOOK, ballot, heard_of, panel_of, sources, tally_of, verdict_on


def found(outcome: str, confidence: str, number: int, begin: int) -> Ballot:
    return ballot(outcome, confidence, sources(number, begin))


FULL = (found("YES", "0.85", 52, 0), found("YES", "0.82", 48, 100), found("YES", "0.88", 55, 200))
MOST = (found("YES", "0.85", 52, 0), found("YES", "0.82", 48, 100), found("NO", "0.65", 51, 200))
NONE = (found("YES", "0.55", 50, 0), found("NO", "0.60", 52, 100), found("UNDETERMINED", "0.40", 48, 200))
TIED = (found("YES", "0.90", 60, 0), found("NO", "0.50", 45, 100), found("YES", "0.85", 55, 200))


@pytest.mark.parametrize(
    ("casts", "verdict_is", "agreement", "confidence", "weighted"),
    [
        (FULL, ("YES", True), Fraction(1), Fraction(85, 100), (1, 1)),
        (MOST, ("YES", True), Fraction(2, 3), Fraction(835, 1000), (0.70, 0.73)),
        (NONE, ("UNDETERMINED", False), Fraction(1, 3), Fraction(0), (0.3, 0.45)),
        (TIED, ("YES", True), Fraction(2, 3), Fraction(875, 1000), (0.78, 0.80)),
    ],
)
def test_the_published_scenarios(
    casts: tuple[Ballot, ...],
    verdict_is: tuple[str, bool],
    agreement: Fraction,
    confidence: Fraction,
    weighted: tuple[float, float],
) -> None:
    tally = tally_of(casts)
    verdict = decide(tally, BOOK)
    outcome, decided = verdict_is
    share = weighted_share(tally, verdict.outcome if decided else max(tally.cast, key=tally.weight))

    assert (verdict.outcome, verdict.decided, verdict.agreement, verdict.confidence) == (
        outcome, decided, agreement, confidence,
    )  # fmt: skip
    assert weighted[0] <= share <= weighted[1]
    assert verdict.requires_human_review is not decided


def test_too_few_researchers_is_invalid_in_the_published_words() -> None:
    verdict = verdict_on((ballot("YES"), ballot("YES"), "timeout"))

    assert (verdict.outcome, verdict.decided, verdict.rule) == ("INVALID", False, "too_few")
    assert verdict.because == "Only 2 agents succeeded, need 3"


def test_no_researcher_at_all_is_invalid() -> None:
    verdict = verdict_on(("timeout", "deadline", "bad_decision"))

    assert (verdict.outcome, verdict.decided, verdict.rule, verdict.agreement) == (
        "INVALID", False, "all_silent", None,
    )  # fmt: skip


def test_all_undetermined_is_reached_and_held_for_a_person() -> None:
    verdict = verdict_on((ballot("UNDETERMINED", "0.6"),) * 3)

    assert (verdict.outcome, verdict.decided, verdict.rule) == ("UNDETERMINED", True, "all_undetermined")
    assert verdict.requires_human_review
    assert verdict.confidence == Fraction(6, 10)


def test_too_few_sources_count_less_or_not_at_all() -> None:
    casts = (found("YES", "0.9", 49, 0), found("YES", "0.9", 50, 100), found("YES", "0.9", 50, 200))
    lenient, strict = verdict_on(casts), verdict_on(casts, few_sources="exclude")

    assert (lenient.outcome, lenient.decided) == ("YES", True)
    (told,) = (caution.text for caution in lenient.cautions if caution.name == "few_sources")
    assert [told.count(seat) for seat in ("r0", "r1", "r2")] == [1, 1, 1], "one caution names them all"
    assert (strict.outcome, strict.because) == ("INVALID", "Only 2 agents succeeded, need 3")


def test_a_tie_of_heads_names_who_leads_and_accepts_nothing() -> None:
    casts = (
        *(found("YES", "0.9", 50, 100 * at) for at in range(2)),
        *(found("NO", "0.3", 5, 500 + at) for at in (0, 9)),
    )
    tally = tally_of(casts)
    verdict = decide(tally, BOOK)

    assert leading_outcome(tally) == "YES"
    assert (verdict.outcome, verdict.decided, verdict.confidence) == ("UNDETERMINED", False, Fraction(0))
    assert "by weight YES leads" in verdict.because
    assert "decides nothing" in verdict.because


def by(way: str, *changes: tuple[str, str]) -> Rulebook:
    return amend_rulebook(BOOK, (("consensus.decide_by", way), *changes))


def test_one_heavy_researcher_never_outvotes_two() -> None:
    casts = (found("YES", "1", 60, 0), ballot("NO", "0.01"), ballot("NO", "0.01"))

    for way in ("heads", "weighted", "both"):
        assert verdict_on(casts, by(way, ("consensus.weight_ratio", "100"))).outcome != "YES"


def test_weights_decide_only_where_they_are_told_to() -> None:
    light = (*(ballot("NO", "0.1") for _ in range(2)), *(found("YES", "1", 50, 100 * at) for at in range(3)))

    assert verdict_on(light).decided is False
    assert verdict_on(light, by("weighted")).outcome == "YES"
    assert verdict_on(light, by("both")).decided is False


def test_low_confidence_and_common_sources_are_held_for_a_person() -> None:
    unsure = verdict_on(tuple(found("YES", "0.4", 50, 100 * at) for at in range(3)))
    copied = verdict_on((found("YES", "0.9", 50, 0),) * 3)
    fine = verdict_on(tuple(found("YES", "0.9", 50, 100 * at) for at in range(3)))

    assert (unsure.outcome, unsure.requires_human_review) == ("YES", True)
    assert "low_confidence" in {caution.name for caution in unsure.cautions}
    assert (copied.outcome, copied.requires_human_review) == ("YES", True)
    assert "source_overlap" in {caution.name for caution in copied.cautions}
    assert fine.requires_human_review is False


@pytest.mark.parametrize("outcome", ["YES", "NO"])
def test_a_demo_panel_establishes_nothing(outcome: str) -> None:
    verdict = decide(tally_of((ballot(outcome),) * 3, panel_of(3, demo=True)), BOOK)

    assert (verdict.outcome, verdict.decided, verdict.requires_human_review) == ("UNDETERMINED", False, True)
    assert verdict.rule == ("demo" if outcome == "YES" else "demo_finds")


@pytest.mark.parametrize(
    ("numbers", "outcome", "decided", "agreement"),
    [
        (("100", "104", "96", "101", "250"), "101", True, Fraction(4, 5)),
        (("100", "104", "96", "103.5", "250"), "UNDETERMINED", False, Fraction(3, 5)),
        (("0", "0", "0", "0.001"), "0", True, Fraction(3, 4)),
        (("100", "100", "100", "UNDETERMINED"), "100", True, Fraction(3, 4)),
    ],
)
def test_numbers_near_the_median_support_it(
    numbers: tuple[str, ...],
    outcome: str,
    decided: bool,
    agreement: Fraction,
) -> None:
    verdict = verdict_on(tuple(ballot(text) for text in numbers), answers="number")

    assert (verdict.outcome, verdict.decided, verdict.agreement) == (outcome, decided, agreement)


def test_probabilities_give_a_side_and_one_pooled_number() -> None:
    tally = tally_of(tuple(ballot(text) for text in ("0.9", "0.8", "0.7", "0.6", "0.2")), answers="probability")
    verdict = decide(tally, BOOK)

    assert (verdict.outcome, verdict.decided) == ("YES", True)
    assert tally.figure("probability") == Fraction(665_966, 1_000_000)
    assert "pooled probability 0.665966" in verdict.because


def test_named_options_are_counted_by_the_same_rules() -> None:
    verdict = verdict_on((*(ballot("Paris"),) * 3, ballot("Rome")), answers="options")

    assert (verdict.outcome, verdict.decided) == ("Paris", True)


def test_a_finding_without_a_source_is_not_counted_and_its_seat_is_named() -> None:
    bare = ballot("NO", cited=())
    verdict = verdict_on((*(ballot("YES") for _ in range(4)), bare, ballot("UNDETERMINED", cited=())))

    assert (verdict.outcome, verdict.decided) == ("YES", True), "4 of 6; to find nothing needs no source"
    assert [(one.seat, one.name) for one in verdict.cautions if one.name == "unsupported"] == [("r4", "unsupported")]
    assert "r4" not in verdict.dissent


def test_where_nobody_is_supported_it_is_invalid_in_the_published_words() -> None:
    verdict = verdict_on((ballot("YES", cited=()),) * 3)

    assert (verdict.outcome, verdict.decided, verdict.rule) == ("INVALID", False, "too_few")
    assert verdict.because.startswith("Only 0 agents succeeded, need 3")
    assert verdict_on(("timeout",) * 3).rule == "all_silent"


def test_how_many_sources_a_finding_stands_on_is_a_setting_and_none_were_asked_for_before() -> None:
    bare = (ballot("YES", cited=()),) * 3

    assert verdict_on(bare, min_verified=0).outcome == "YES"
    assert (
        verdict_on(
            (found("YES", "0.9", 1, 0), found("YES", "0.9", 2, 10), found("YES", "0.9", 2, 20)), min_verified=2
        ).outcome
        == "INVALID"
    )


@pytest.mark.parametrize(("library", "review"), [(4, False), (7, False), (8, True)])
def test_overlap_asks_for_a_person_only_where_there_was_something_else_to_cite(
    library: int,
    review: bool,
) -> None:
    panel, cited = panel_of(3), sources(4)
    heard = heard_of(panel, [ballot("YES", "0.9", cited)] * 3)
    for seat in panel:
        pages = tuple(Passage(url=one.url, text="the bridge is open to all", digest=one.url) for one in cited)
        found = Found(kind="find", round="research", seat=seat.name, passages=pages, library=library)
        heard = heard.plus_found(ErrandKey("find", "research", seat.name, ""), found)
    quoted = {place: _quoting(word) for place, word in heard.words.items()}
    tally = count(Brief(question=Question(text="?"), panel=panel), replace(heard, words=quoted), OUTCOMES)
    verdict = decide(tally, presets.rulebook("oracle"))

    assert (verdict.outcome, verdict.requires_human_review) == ("YES", review)
    told = [caution.name for caution in verdict.cautions]
    assert ("source_overlap" in told) is review
    assert told.count("closed_library") == 1
    assert "few_sources" not in told or library > len(cited), "a closed library need not hold every kind of source"
    assert not any("categor" in caution.text or "official" in caution.text for caution in verdict.cautions)
    (closed,) = (caution.text for caution in verdict.cautions if caution.name == "closed_library")
    assert ("all 3 researchers share 100 % of their sources" in closed) is not review


def _quoting(word: Speech | Silence) -> Speech | Silence:
    assert isinstance(word, Speech)
    assert word.ballot is not None
    cited = tuple(replace(one, quote="the bridge is open") for one in word.ballot.evidence)
    return replace(word, ballot=replace(word.ballot, evidence=cited))
