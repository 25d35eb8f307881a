"""Where nobody could be asked nothing was decided: the deliberation failed, says why, and can be gone on with."""

from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from quorate import Question, catalogue, chair
from quorate.doors.cli.exit_codes import UNHEARD, Gate, plain_code
from quorate.doors.hooks.permission import answer_by_verdict
from quorate.engine.batches.batch_worker import BatchJob, BatchWorker
from quorate.engine.runner import Runner
from quorate.engine.shared_runner import RunnerSettings
from quorate.engine.verify import verify_record
from quorate.errors import PanelistError
from quorate.evaluate.past_decisions import past_decision
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.summary import check_summary
from quorate.model import Ask, Convened, Decided, Event, Failed, Reply, Silent
from quorate.model.ballot import NO_ACCESS
from quorate.offline.compare import compare_records
from quorate.offline.ledger_list import RecordFilter, list_records
from quorate.offline.ledger_report import report_ledger
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.settings.convene import convene
from quorate.settings.provider_settings import ProviderLimits
from quorate.testing import vote
from quorate.views import Record
from quorate.views.card import rows, verdict_line
from quorate.views.compat.oracle_view import oracle_view
from quorate.views.compat.s4 import s4
from quorate.views.document import document
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests import servers
from tests.middleware.test_fallback import seated
from tests.play import convened, gone_on_with, play, verdict, words

PROTOCOLS = catalogue.names("protocol")


def failing_with(why: str, protocol: str = "tribunal") -> list[Event]:
    panel = catalogue.protocol(protocol).panel
    assert panel is not None
    return play(convened(panel, protocol), lambda _: why)


def record_of(events: list[Event]) -> Record:
    return Record(id="0", events=events)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("why", sorted(NO_ACCESS))
def test_where_every_failure_is_one_of_access_nothing_is_decided(why: str, protocol: str) -> None:
    record = record_of(failing_with(why, protocol))
    result = Result.of(record)

    assert isinstance(record.events[-1], Failed)
    assert (result.state, result.decision, result.may_act) == ("failed", None, False)
    assert not any(isinstance(event, Decided) for event in record.events)
    assert verify_record(record).why == ""
    assert plain_code(result) == UNHEARD
    assert Gate("").code(result) == UNHEARD
    assert isinstance(answer_by_verdict(result, "holds"), str), "a sentence, and no permission"


@pytest.mark.parametrize("other", ["timeout", "deadline", "budget", "overloaded", "server_error", "rate_limited"])
def test_one_failure_of_another_kind_and_the_rules_decide(other: str) -> None:
    panel = catalogue.protocol("tribunal").panel
    assert panel is not None
    events = play(convened(panel), lambda ask: other if ask.seat.name == "Accuracy" else "wrong_key")

    assert (verdict(events).verdict.outcome, verdict(events).verdict.rule) == ("REFUSE", "all_silent")


@pytest.mark.parametrize("text", ["", "what?", "no ballot in here"])
def test_one_seat_that_said_anything_and_the_rules_decide(text: str) -> None:
    """Words that no ballot could be read from are words: somebody was asked."""
    panel = catalogue.protocol("tribunal").panel
    assert panel is not None
    events = play(convened(panel), lambda ask: Reply(text=text) if ask.seat.name == "Safety" else "wrong_key")

    assert isinstance(events[-1], Decided)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_asked_after_a_failure_begins_anew_and_comes_to_the_same(protocol: str, seed: int) -> None:
    """The same answers as on a fresh record give the same verdict, and nothing of the failure is left in it."""
    panel = catalogue.protocol(protocol).panel
    assert panel is not None
    whole = play(convened(panel, protocol), words, Random(seed))
    events = gone_on_with(protocol, Random(seed))

    assert verdict(events).verdict == verdict(whole).verdict
    assert verify_record(record_of(events)).state == "holds"
    assert Result.of(record_of(events)).state == "decided"


def test_a_record_may_not_say_that_nobody_could_be_asked_where_somebody_was() -> None:
    panel = catalogue.protocol("tribunal").panel
    assert panel is not None
    events = play(convened(panel), lambda ask: "timeout" if ask.seat.name == "Safety" else "wrong_key")

    forged = record_of([*events[:-1], Failed(version=chair.VERSION)])

    assert "that was not so" in verify_record(forged).why


def test_the_seeds_views_keep_their_words() -> None:
    tribunal: Any = s4(record_of(failing_with("wrong_key")))
    oracle: Any = oracle_view(record_of(failing_with("wrong_key", "oracle")))

    assert tribunal["decision"] == "REFUSE"
    assert tribunal["metadata"]["vote_breakdown"] == {"ACT": 0, "WARN": 0, "REFUSE": 0}
    assert tribunal["metadata"]["individual_votes"] == []
    assert (oracle["outcome"], oracle["reached"]) == ("INVALID", False)
    assert oracle["reason"] == "Only 0 agents succeeded, need 3"


class Locked:
    """Refuses every ask until somebody mends the key."""

    mended = False
    asked = 0

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        del overheard
        self.asked += 1
        if not self.mended:
            raise PanelistError("wrong_key", "the provider answered 401: no such key")
        return words(ask, "ACT")


@pytest.fixture
async def ledger() -> AsyncIterator[Ledger]:
    held = open_ledger(":memory:")
    yield held
    await held.close()


async def test_once_the_cause_is_removed_the_same_record_is_gone_on_with(ledger: Ledger) -> None:
    locked = Locked()
    begin = convened(catalogue.protocol("tribunal").panel or pytest.fail("it has a panel"))
    panelists = dict.fromkeys((seat.name for seat in begin.panel), locked)
    async with Runner(ledger) as runner:
        first = await runner.hold(begin, panelists=panelists)
        still = await runner.resume(first.id, panelists=panelists)
        locked.mended = True
        ended = await runner.resume(first.id, panelists=panelists)
    listed = [one.summary.state async for one in list_records(ledger, RecordFilter())]

    assert [Result.of(one).state for one in (first, still, ended)] == ["failed", "failed", "decided"]
    assert Result.of(ended).decision.verdict.outcome == "ACT"  # type: ignore[union-attr]
    assert verify_record(Record(id=ended.id, events=ended.events)).state == "holds"
    assert listed == ["decided"]
    await check_summary(ledger, ended.id)


async def test_the_provider_s_own_sentence_is_told_and_what_to_do(ledger: Ledger) -> None:
    """A real server that answers 401, 404 and 429 without quota, each to one seat."""
    refuses = {
        401: "Incorrect API key provided",
        404: "The model `m` does not exist",
        429: "You exceeded your current quota, please check your plan",
    }
    async with (
        servers.Endpoint(otherwise=servers.failing(401, refuses[401])) as key,
        servers.Endpoint(otherwise=servers.failing(404, refuses[404])) as model,
        servers.Endpoint(otherwise=servers.failing(429, refuses[429])) as quota,
        Runner(ledger) as runner,
    ):
        models = [f"openai:m@{one.url}" for one in (key, model, quota)]
        record = await runner.hold(convene(Question(text="Shall we?"), seated(*models)))
        asked = [len(one.seen) for one in (key, model, quota)]
    told = dict(rows(Result.of(record)))["because"]
    shown: Any = document(record)

    assert asked == [1, 1, 1]
    assert "couldn't be asked" in verdict_line(Result.of(record))
    for sentence, line, failure in zip(refuses.values(), told, shown["failures"], strict=True):
        assert sentence in line
        assert sentence in failure["detail"]
        assert failure["advice"]
        assert sentence in minutes(record)
    assert [failure["why"] for failure in shown["failures"]] == ["wrong_key", "no_such_model", "no_quota"]
    assert (shown["state"], shown["verdict"], shown["review"], shown["may_act"]) == ("failed", None, None, False)


class Votes:
    """Votes for another option in every round, so that the discussion goes on."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        del overheard
        return Reply(text=vote(ask, f"Option of {ask.seat.name}"))


async def test_a_seat_without_access_is_not_asked_again_every_round(ledger: Ledger) -> None:
    locked, begin = Locked(), convened(catalogue.protocol("conference").panel or pytest.fail("no panel"), "conference")
    first, *others = [seat.name for seat in begin.panel]
    panelists: dict[str, Panelist] = {first: locked, **dict.fromkeys(others, Votes())}
    async with Runner(ledger) as runner:
        record = await runner.hold(begin, panelists=panelists)
    silent = [event.round for event in record.events if isinstance(event, Silent) and event.seat == first]

    assert isinstance(record.events[-1], Decided)
    assert len(silent) > 1
    assert locked.asked == 1


async def test_a_batch_row_of_a_panel_that_could_not_be_asked_is_failed(ledger: Ledger) -> None:
    async with servers.Endpoint(otherwise=servers.failing(401, "Incorrect API key provided")) as endpoint:
        begin: Convened = convene(Question(text="Shall we?"), seated(*(f"openai:m@{endpoint.url}" for _ in range(3))))
        terms = RunnerSettings(concurrency=3, provider_limits=ProviderLimits())
        async with BatchWorker(ledger, {}, terms) as worker:
            result = await worker.answer(BatchJob(number=1, key="1", claim="c", digest="d", convened=begin))

    assert (result.state, result.outcome, result.votes, result.may_act) == ("failed", None, {}, False)
    assert result.error is not None
    assert result.error.kind == "failed"
    assert "Incorrect API key provided" in result.error.message


async def test_what_failed_is_in_no_figures_and_in_no_review_queue(ledger: Ledger) -> None:
    begin, locked = convened(catalogue.protocol("tribunal").panel or pytest.fail("no panel")), Locked()
    async with Runner(ledger) as runner:
        record = await runner.hold(begin, panelists=dict.fromkeys((seat.name for seat in begin.panel), locked))
    report = await report_ledger(ledger)
    waiting = [one.summary.id async for one in list_records(ledger, RecordFilter(awaits=True))]

    assert Result.of(record).state == "failed"
    assert (report.held, report.silences, waiting) == (0, Counter(), [])
    assert past_decision(record.id, "", record.events) is None
    assert [one async for one in list_records(ledger, RecordFilter(state="failed"))] != []


def test_a_record_that_failed_can_be_compared_with_what_came_of_it() -> None:
    first, second = record_of(failing_with("wrong_key")), record_of(gone_on_with("tribunal", Random(1)))

    assert ("state", "failed", "decided") in compare_records(first, second)
