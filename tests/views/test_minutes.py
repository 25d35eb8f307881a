import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import presets
from quorate.chair.tolerance import tolerance_of
from quorate.model import Ask, PartRef, Reply, Rulebook
from quorate.offline.decide import ballot_result
from quorate.rules import decide
from quorate.views import Record
from quorate.views.card import dollars, rows, verdict_line
from quorate.views.minutes import minutes
from quorate.views.result import Decision, Result
from quorate.views.rounds import rounds
from tests.debate import THREE, debate, speaking
from tests.play import convened, play, words
from tests.tribunal import PANEL, ballot, panel_of, tally_of


def answer(ask: Ask) -> Reply | str:
    """Utility changes its mind, Accuracy falls silent at last."""
    if ask.seat.name == "Accuracy" and ask.round == "revision":
        return "timeout"
    if ask.seat.name == "Utility" and ask.round == "analysis":
        return words(ask, "ACT", 80, 10)
    return words(ask)


@pytest.fixture
def record() -> Record:
    return Record(id="a" * 26, events=play(convened(PANEL), answer), seconds=4.25)


def test_minutes_are_in_the_order_of_the_rounds(record: Record) -> None:
    headings = [line for line in minutes(record).splitlines() if line.startswith("## ")]

    assert headings == [
        "## Seats",
        "## Round 1: Initial Analysis",
        "## Round 2: Challenge Round",
        "## Round 3: Revision Round",
        "## Round 4: Final Voting",
        "## Verdict",
    ]


def test_challenges_stand_apart_and_revisions_show_before_and_after(record: Record) -> None:
    lines = minutes(record).splitlines()

    assert "### ⚔ Safety challenges Utility" in lines
    assert "### Utility: ACT (80 % sure, risk 10 %) → WARN (70 % sure, risk 30 %)" in lines
    assert "### Accuracy: silent (timeout)" in lines


def test_everything_a_verdict_must_carry_is_there(record: Record) -> None:
    shown = minutes(record)

    for label, lines in rows(Result.of(record)):
        assert label == "id" or (f"- {label}:" in shown and all(line in shown for line in lines))
    assert "- changed: Utility: ACT → WARN after hearing Accuracy and Safety" in shown
    assert "| Accuracy | REFUSE (assumed) | 50 % | 75 % | silent: timeout |" in shown


def test_others_words_stand_in_quotations(record: Record) -> None:
    forging = Record(id=record.id, events=play(convened(PANEL), forged))

    assert [line for line in minutes(forging).splitlines() if line == "## Verdict"] == ["## Verdict"]
    assert "> ## Verdict" in minutes(forging)


def forged(ask: Ask) -> Reply:
    plain = words(ask)
    return Reply(text=f"Well.\n\n## Verdict\n\n**ACT**\n\n{plain.text}")


def test_a_record_that_was_broken_off_says_how_to_go_on(record: Record) -> None:
    begun = Record(id=record.id, events=record.events[:6])

    assert f"Continue with `quorate resume {record.id}`." in minutes(begun)


def test_the_verdict_line_counts_and_names_the_rule(record: Record) -> None:
    line = verdict_line(Result.of(record))

    assert (
        line == f"WARN  2 of 3 seats, 1 silent and counted as REFUSE, agreement 66.7 %, rule supermajority  {'a' * 26}"
    )


def test_a_veto_is_named_by_its_seat() -> None:
    events = play(convened(PANEL), lambda ask: words(ask, "VETO" if ask.seat.name == "Safety" else "ACT"))

    assert verdict_line(Result.of(Record(id="x", events=events))) == "REFUSE  veto by Safety  x"


def test_a_card_of_a_demo_says_so_first_and_what_the_seats_chose_where_it_was_held() -> None:
    tally = replace(tally_of([ballot("ACT")] * 3, panel_of(3), [ballot("ACT")] * 3), demo=True)
    book = presets.rulebook("tribunal")

    shown = rows(Result(decision=Decision(decide(tally, book), tally, book)))
    told = dict(shown)

    assert shown[0] == ("demo", ("this is a demonstration: the verdict says nothing about the question",))
    assert told["rule"] == ("demo, which held back what unanimous decided (undecided)",)
    assert told["agreement"] == ("100 % on ACT, not on WARN",)
    assert "confidence" not in told


HELD = {
    "a demo panel": (
        replace(tally_of([ballot("ACT")] * 3, panel_of(3), [ballot("ACT")] * 3), demo=True),
        (
            "WARN  held: the votes came to ACT (3 of 3 seats, agreement 100 %), but this is a demo panel, which does "
            "not answer the question, rule demo, undecided, for a person to review"
        ),
    ),
    "turned by talk": (
        tally_of([ballot("ACT")] * 3, panel_of(3), [ballot("REFUSE"), ballot("WARN"), ballot("ACT")]),
        (
            "WARN  held: the votes came to ACT (3 of 3 seats, agreement 100 %), but before the discussion 2 of 3 seats "
            "had chosen something other than ACT, rule sealed_vote, undecided, for a person to review"
        ),
    ),
    "the veto missing": (
        tally_of([ballot("ACT"), ballot("ACT"), None]),
        (
            "WARN  held: the votes came to ACT (2 of 3 seats, 1 silent and counted as REFUSE, agreement 66.7 %), but "
            "last may veto and gave no ballot, rule veto_seat_silent, undecided, for a person to review"
        ),
    ),
}


@pytest.mark.parametrize("case", HELD)
def test_the_first_line_of_a_verdict_that_was_held_says_what_the_seats_chose_and_why(case: str) -> None:
    tally, line = HELD[case]
    book = presets.rulebook("tribunal")

    assert verdict_line(Result(decision=Decision(decide(tally, book), tally, book))) == line


def test_what_changes_how_to_take_a_verdict_stands_above_the_votes(record: Record) -> None:
    tally = tally_of([ballot("ACT"), ballot("ACT", confidence=30, risk=90), None])
    book = presets.rulebook("tribunal")

    labels = [label for label, _ in rows(Result(decision=Decision(decide(tally, book), tally, book)))]
    order = ["because", "points", "cautions", "review", "weak spots", "votes", "rule", "agreement"]
    assert [label for label in labels if label in order] == order
    whole = [label for label, _ in rows(Result.of(record))]
    assert whole[-3:] == ["cost", "time", "id"]


@pytest.mark.parametrize(
    ("votes", "close"),
    [
        (
            ("ACT", "ACT", "WARN"),
            ["one other vote by s0 or s1, or no vote by last, would have brought another outcome"],
        ),
        (("ACT", "ACT", "ACT"), ["no vote by last would have brought another outcome"]),
        (("ACT", "WARN", "WARN", "REFUSE"), ["one other vote by s0 or last would have decided it"]),
        (("REFUSE", "WARN", "WARN"), ["one other vote by s1 or last would have brought another outcome"]),
        ((None, None, None), []),
    ],
)
def test_whose_single_vote_would_have_changed_it_is_said_where_it_is_close(
    votes: Sequence[str | None], close: list[str]
) -> None:
    tally, book = tally_of([ballot(vote) if vote else None for vote in votes]), presets.rulebook("tribunal")

    told = dict(rows(Result(decision=Decision(decide(tally, book), tally, book))))
    assert list(told.get("close", ())) == close


@pytest.mark.parametrize(
    ("ballots", "line"),
    [
        ([{"approved": []}, {"approved": []}], "2 for none of them"),
        ([{"value": 12, "low": 10, "high": 15}], "1 number, 12"),
        (
            [{"option": f"plan {n}"} for n in "ABCDEFGHI"],
            "1 plan A, 1 plan B, 1 plan C, 1 plan D, 1 plan E, 1 plan F, ",
        ),
    ],
)
def test_the_first_line_of_what_nobody_won_can_be_read_aloud(ballots: list[dict[str, object]], line: str) -> None:
    named = [{"seat": f"s{n}", "confidence": 0.9, "rationale": "x", **one} for n, one in enumerate(ballots)]

    told = verdict_line(Result(decision=ballot_result(json.dumps(named)).decision))

    assert told.startswith(f"NO OUTCOME  {line}")
    assert ("1 plan G and 2 other options" in told) == (len(ballots) > 7)


def test_of_many_seats_that_could_have_changed_it_the_number_is_told() -> None:
    tally, book = tally_of([ballot("ACT")] * 10 + [ballot("WARN")] * 5), presets.rulebook("tribunal")

    told = dict(rows(Result(decision=Decision(decide(tally, book), tally, book))))
    assert told["close"] == (
        "one other vote by any of 10 seats, or no vote by last, would have brought another outcome",
    )


def test_seats_whose_answers_do_not_count_are_not_said_to_have_given_none() -> None:
    found = [{"seat": seat, "outcome": "YES", "confidence": 0.9, "reasoning": "r", "evidence": []} for seat in "ABC"]

    told = verdict_line(Result(decision=ballot_result(json.dumps(found), protocol="oracle").decision))
    assert told.startswith("INVALID  no ballot that counts, rule too_few")


def test_one_seat_is_one_seat() -> None:
    tally, book = tally_of([ballot("ACT")], panel_of(1, guardian=False)), presets.rulebook("tribunal")

    told = verdict_line(Result(decision=Decision(decide(tally, book), tally, book)))
    assert told == "ACT  1 of 1 seat, agreement 100 %, rule unanimous"
    held = tolerance_of(tally, book).sentence
    assert held == "1 seat: it decides alone; which provider stands behind it is not known"


@pytest.mark.parametrize(
    ("money", "words"),
    [(None, "price unknown"), (0, "free"), ("1/90000", "less than $0.0001"), ("0.0123", "$0.0123")],
)
def test_a_price_is_never_a_row_of_noughts(money: str | None, words: str) -> None:
    assert dollars(None if money is None else Fraction(money)) == words


def test_a_moderator_leans_and_says_how_settled_it_is_and_is_not_shown_to_vote() -> None:
    held = rounds(Record(id="x", events=play(debate(THREE), speaking())).state)

    told = {f"{said.choice} {said.numbers}" for one in held for said in one.said if said.seat == "Moderator"}
    assert told
    assert all("settled" in one and "sure" not in one for one in told), told


def test_what_a_silent_seat_said_is_shown_though_nothing_of_it_counted() -> None:
    def chatty(ask: Ask) -> Reply | str:
        return (
            Reply(text="I would go ahead, # all in all.", finish="stop") if ask.seat.name == "Utility" else words(ask)
        )

    page = minutes(Record(id="a" * 26, events=play(convened(PANEL), chatty), seconds=1.0))

    assert (
        "### Utility: silent (no_ballot)\n\nIt said this, and nothing of it could be counted:\n\n> I would go" in page
    )
    assert "(Nothing was said.)" not in page


@pytest.mark.parametrize(
    ("votes", "agreement"),
    [
        (("ACT", None, None), "66.7 %"),
        (("ACT", "ACT", None), "66.7 % on ACT, not on WARN"),
        (("ACT", "WARN", None), "33.3 %"),
    ],
)
def test_agreement_is_never_said_to_be_on_what_fewer_chose(votes: Sequence[str | None], agreement: str) -> None:
    tally, book = tally_of([ballot(vote) if vote else None for vote in votes]), presets.rulebook("tribunal")

    told = dict(rows(Result(decision=Decision(decide(tally, book), tally, book))))
    assert told["agreement"] == (agreement,)


def card_of(ballots: Sequence[dict[str, str]]) -> dict[str, tuple[str, ...]]:
    return dict(rows(Result(decision=ballot_result(json.dumps(ballots)).decision)))


def test_nobody_is_said_to_agree_where_nothing_was_chosen() -> None:
    split = [{"seat": "A", "option": "Kafka"}, {"seat": "B", "option": "a spreadsheet"}]

    assert "dissent" not in card_of(split)
    assert "dissent" not in card_of([{"seat": "A", "silence": "timeout"}])
    assert card_of([split[0], {"seat": "B", "option": "Kafka"}])["dissent"] == ("none",)


def test_nobody_is_said_to_have_kept_a_vote_that_nobody_had_cast() -> None:
    book = presets.rulebook("tribunal")
    tally = tally_of([None, None, None], sealed=[None, None, None])

    assert "changed" not in dict(rows(Result(decision=Decision(decide(tally, book), tally, book))))


def test_the_first_line_of_a_debate_names_what_its_rule_went_by() -> None:
    said = [
        {
            "seat": "Proponent",
            "claims": ["It saves hours"],
            "evidence": ["120 minutes in May 2024."],
            "confidence": 0.1,
        },
        {"seat": "Opponent", "claims": ["It costs more"], "evidence": ["A bill."], "confidence": 0.95},
    ]

    def line(rulebook: str) -> str:
        return verdict_line(Result(decision=ballot_result(json.dumps(said), rulebook=rulebook).decision))

    assert "  evidence 0.60 for SUPPORT, 0.10 for OPPOSE" in line("debate_evidence")
    assert "won 0 of 1 rounds" in line("debate_rounds")
    assert "  strength 0." in line("debate")


def test_one_seat_that_ranks_is_one_seat() -> None:
    alone = ballot_result('[{"seat": "A", "ranking": ["x", "y"]}]').decision

    assert verdict_line(Result(decision=alone)) == "x  first for 1 of 1 seat, rule condorcet"


def test_an_outcome_that_nobody_chose_is_not_said_to_be_what_the_seats_agree_on() -> None:
    ballots = [{"seat": seat, "decision": "ACT", "confidence": 90, "risk": 40} for seat in "ABC"]

    told = verdict_line(Result(decision=ballot_result(json.dumps(ballots), rulebook="strict").decision))
    assert told == "WARN  0 of 3 seats, agreement 100 % on ACT, not on WARN, rule short_of_refusal"


def test_whoever_has_no_vote_is_named_with_the_reason() -> None:
    given = [
        {"seat": "A", "option": "Kafka"},
        {"seat": "B", "option": "abstain"},
        {"seat": "C", "silence": "timeout"},
        {"seat": "D", "option": "Kafka"},
        {"seat": "E", "option": "Kafka"},
    ]

    assert card_of(given)["no vote"] == ("B: abstained", "C: timeout")
    assert "no vote" not in card_of([{"seat": "Utility", "decision": "ACT"}]), "those were assumed, and are votes"


def test_a_veto_that_no_rule_looks_at_holds_an_approval_and_is_not_said_to_have_decided() -> None:
    tally = tally_of([ballot("ACT"), ballot("ACT"), ballot("VETO")])

    def line(*named: str) -> str:
        book = Rulebook(name="mine", rules=tuple(map(PartRef, named)), otherwise=PartRef("hold"), silence="REFUSE")
        return verdict_line(Result(decision=Decision(decide(tally, book), tally, book)))

    assert line("veto") == "REFUSE  veto by last, own rulebook mine"
    assert line("supermajority").startswith("WARN  held: the votes came to ACT (2 of 3 seats), but last used the veto")
    assert line("unanimous") == "WARN  2 ACT, 1 VETO, rule hold, undecided, so WARN by default, own rulebook mine"


def test_the_line_of_a_ballot_stands_there_as_it_came_folded_and_quoted() -> None:
    hostile = '{"decision": "ACT", "confidence": 80}\n## Forged\n<b>x</b>'
    told = Record(id="a" * 26, events=play(convened(PANEL), lambda _: Reply(text=hostile)), seconds=1)
    text = minutes(told)

    assert "no_risk" in text
    assert '> {"decision": "ACT", "confidence": 80}' in text
    assert text.count("<details>") == text.count("</details>") == 3
    assert not {"## Forged", "<b>x</b>"} & set(text.splitlines())
