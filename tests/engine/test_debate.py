"""Debates held end to end against an endpoint: engine, memory ledger, reading, measures, rules."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import chair
from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Convened, Decided, Limits, Silent, Spoken, Tally, Verdict
from quorate.panelists import Panelist
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.views import Record
from quorate.views.debate_view import debate_view
from tests import servers
from tests.debate import PATIENCE, SIX, behind, debate, speaking

HANGS = servers.sends(b"", "hang")
LIMITED = servers.failing(429, "Rate limit reached", "Retry-After: 60")
RAMBLES = servers.said("I think it went rather well, all things considered.")
Acts = Mapping[tuple[str, str], servers.Act]


async def held(begin: Convened, settled: Mapping[str, float], acts: Acts) -> Record:
    begin = replace(begin, limits=Limits(patience=PATIENCE))
    async with (
        servers.Endpoint(otherwise=behind(begin, speaking(settled), acts)) as endpoint,
        Http() as client,
        Runner(open_ledger(":memory:")) as runner,
    ):
        panelists: dict[str, Panelist] = {
            seat.name: OpenAI(Endpoint(url=endpoint.url, model=seat.name), client) for seat in begin.panel
        }
        return await runner.hold(begin, panelists=panelists)


def ended(record: Record) -> tuple[Verdict, Tally]:
    last = record.events[-1]
    assert isinstance(last, Decided)
    return last.verdict, chair.tally_of(chair.replay(record.events))


SUPPORTED = ("SUPPORT", True, "confidence_weighted")
UNDECIDED = ("UNCERTAIN", False, "one_sided")


@pytest.mark.parametrize(
    ("settled", "acts", "rounds", "stop", "verdict"),
    [
        ({"1": 0.9}, {}, 1, "consensus", SUPPORTED),
        ({"1": 0.8, "2": 0.81}, {}, 2, "consensus", SUPPORTED),
        ({}, {}, 2, "max_rounds", SUPPORTED),
        ({"1": 0.9}, {("Moderator", "*"): RAMBLES}, 2, "max_rounds", SUPPORTED),
        ({"1": 0.9}, {("Moderator", "1"): HANGS}, 2, "max_rounds", SUPPORTED),
        ({}, {("Proponent", "1"): HANGS}, 2, "max_rounds", SUPPORTED),
        ({}, {("Proponent", "*"): HANGS}, 2, "max_rounds", UNDECIDED),
        ({"1": 0.99}, {("Opponent", "*"): LIMITED}, 1, "consensus", UNDECIDED),
        ({}, {("Opponent", "*"): LIMITED}, 2, "max_rounds", UNDECIDED),
        ({}, {("Proponent", "1"): HANGS, ("Opponent", "2"): LIMITED}, 2, "max_rounds", UNDECIDED),
        (
            {}, {("Proponent", "*"): HANGS, ("Opponent", "*"): LIMITED}, 2, "max_rounds",
            ("UNCERTAIN", False, "all_silent"),
        ),
    ],
)  # fmt: skip
async def test_how_a_standard_debate_ends(
    settled: dict[str, float], acts: Acts, rounds: int, stop: str, verdict: tuple[str, bool, str]
) -> None:
    record = await held(debate(), settled, acts)
    found, tally = ended(record)

    assert (len(tally.course.rounds), tally.course.stop) == (rounds, stop)
    assert (found.outcome, found.decided, found.rule) == verdict
    if found.outcome == "UNCERTAIN":
        assert (found.confidence, found.requires_human_review) == (Fraction(1, 2), True)
    else:
        weight = {side: tally.weight(side) for side in ("SUPPORT", "OPPOSE")}
        share = weight["SUPPORT"] / (weight["SUPPORT"] + weight["OPPOSE"])
        assert found.confidence == min(share, Fraction(95, 100))
    assert ("one_sided" in {caution.name for caution in found.cautions}) == (found.rule == "one_sided")
    assert found.agreement is None
    assert chair.verdict_of(chair.replay(record.events)) == found


async def test_a_seat_knocked_out_by_rate_limits_is_named_with_its_reason() -> None:
    verdict, tally = ended(await held(debate(), {}, {("Opponent", "*"): LIMITED}))

    assert [(gone.seat, gone.why) for gone in tally.silent] == [("Opponent", "rate_limited")]
    assert "Opponent (rate_limited)" in verdict.because
    assert tally.participation.failed == 1


async def test_a_round_with_one_side_silent_is_not_counted_and_the_verdict_says_so() -> None:
    verdict, tally = ended(await held(debate(), {}, {("Proponent", "1"): HANGS}))

    assert {voice.round for voice in tally.voices if voice.quality is not None} == {"2"}
    assert [c.text for c in verdict.cautions if c.name == "round_not_counted"] == [
        "round 1 does not count: Proponent made no case in it"
    ]


async def test_an_unreadable_moderator_is_asked_once_more_and_then_silent() -> None:
    record = await held(debate(), {"1": 0.9}, {("Moderator", "1"): RAMBLES})
    replies = [event for event in record.events if isinstance(event, Spoken) and event.seat == "Moderator"]
    silences = [event for event in record.events if isinstance(event, Silent)]

    assert [(event.round, event.attempt, event.unreadable) for event in replies] == [
        ("1", 1, "no_ballot"), ("1", 2, "no_ballot"), ("2", 1, ""),
    ]  # fmt: skip
    assert [(event.seat, event.round, event.why) for event in silences] == [("Moderator", "1", "no_ballot")]


@pytest.mark.parametrize("gone", ["Advocate", "Critic", "Refiner"])
async def test_the_extended_form_goes_on_with_one_debater_silent(gone: str) -> None:
    record = await held(debate(SIX, {"form": "extended"}), {}, {(gone, "*"): HANGS})
    verdict, tally = ended(record)
    shown = debate_view(record)

    assert (tally.course.status, len(tally.course.rounds), tally.course.stop) == ("extended", 2, "max_rounds")
    assert (verdict.outcome, verdict.rule) == ("SUPPORT", "confidence_weighted")
    assert tally.eligible == ("Proponent", "Opponent")
    assert shown["stop_reason"] == "max_rounds"


async def test_the_extended_form_without_its_opponent_is_never_a_win() -> None:
    verdict, _ = ended(await held(debate(SIX, {"form": "extended"}), {}, {("Opponent", "*"): LIMITED}))

    assert (verdict.outcome, verdict.rule, verdict.confidence) == ("UNCERTAIN", "one_sided", Fraction(1, 2))
