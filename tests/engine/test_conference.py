"""Conferences held end to end: engine, memory ledger, similarity, rules."""

import asyncio
import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from quorate import chair
from quorate.engine.runner import Runner
from quorate.errors import PanelistError, QuorateError
from quorate.ledger import open_ledger
from quorate.model import Ask, Convened, Decided, Found, Limits, Reply, Silent, Spoken, Tally, Verdict
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.testing import Faulty, Place, Said, Scripted, vote
from quorate.views import Record
from tests import servers
from tests.conference import EXAMPLE, FLAGS, PROTECTED, SEATS, STRUCTURED, conference, example

NAMES = tuple(seat.name for seat in SEATS)


async def held(begin: Convened, panelists: dict[str, Panelist]) -> Record:
    async with Runner(open_ledger(":memory:")) as runner:
        return await runner.hold(begin, panelists=panelists)


def ended(record: Record) -> tuple[Verdict, Tally]:
    last = record.events[-1]
    assert isinstance(last, Decided)
    return last.verdict, chair.tally_of(chair.replay(record.events))


def everyone(panelist: Panelist) -> dict[str, Panelist]:
    return dict.fromkeys(NAMES, panelist)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("refusal", "refusal"),
        ("timeout", "timeout"),
        ("template_echo", "placeholder"),
        ("prose", "no_vote"),
        ("garbage", "cut_short"),
    ],
)
async def test_three_models_that_all_say_the_same_nothing_are_no_consensus(kind: str, why: str) -> None:
    verdict, tally = ended(await held(conference(), everyone(Faulty(kind))))

    assert (verdict.outcome, verdict.decided, verdict.rule) == (None, False, "all_silent")
    assert verdict.because.startswith("none of the 3 seats gave a ballot: 3 ")
    assert verdict.requires_human_review
    assert {gone.why for gone in tally.silent} == {why}
    assert "consensus" not in tally.course.status


async def test_three_refusals_in_plain_words_are_no_consensus() -> None:
    refusing = Scripted({name: ["I cannot help with that."] * 10 for name in NAMES})
    record = await held(conference(), everyone(refusing))
    verdict, tally = ended(record)

    assert (verdict.outcome, verdict.decided, verdict.rule) == (None, False, "all_silent")
    assert {gone.why for gone in tally.silent} == {"refusal"}
    assert tally.course.status == ""


async def test_three_models_that_never_answer_end_at_the_deadline_without_a_winner() -> None:
    begin = replace(conference(), limits=Limits(deadline=Fraction(1, 20)))
    verdict, tally = ended(await held(begin, everyone(Faulty("never"))))

    assert (verdict.outcome, verdict.rule) == (None, "all_silent")
    assert {gone.why for gone in tally.silent} == {"deadline"}


async def test_one_voice_and_two_refusals_are_no_quorum() -> None:
    speaks = Scripted({"Claude": [lambda ask: vote(ask, "Use A")] * 5})
    verdict, tally = ended(await held(conference(), {**everyone(Faulty("refusal")), "Claude": speaks}))

    assert (verdict.outcome, verdict.decided, verdict.rule) == (None, False, "quorum")
    assert tally.course.status == "no_quorum"


async def test_a_seat_that_fails_in_the_last_round_is_carried() -> None:
    gone = PanelistError("timeout", "too late", again=False)
    script: dict[Place, Said] = {(name, number): example for name in NAMES for number in "12"}
    with Scripted({**script, ("Codex", "2"): gone}) as panelist:
        verdict, tally = ended(await held(conference(), everyone(panelist)))

    assert (verdict.outcome, tally.course.status) == (FLAGS, "unanimous_consensus")
    assert [voice.seat for voice in tally.voices if voice.carried_from == "1"] == ["Codex"]
    assert "carried" in {caution.name for caution in verdict.cautions}


async def as_models_write(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
    """Answers for the model that was asked, as the example has it; the mark is copied from the prompt."""
    prompt = seen.body["messages"][0]["content"]
    mark = re.findall(r'"mark": "([0-9a-f]{12})"', prompt)[-1]
    number = "1" if "This is the first round" in prompt else "2"
    speech, option, confidence, rationale, more = EXAMPLE[number, seen.body["model"]]
    stated = {"option": option, "confidence": confidence, "rationale": rationale, "continue_debate": more}
    line = json.dumps({"mark": mark, **stated}).replace(', "rationale"', ',\n       "rationale"')
    return await servers.said(f"{speech}\n\nVOTE: {line}")(writer, seen)


async def worked_example() -> Record:
    async with servers.Endpoint(otherwise=as_models_write) as endpoint, Http() as client:
        panelists: dict[str, Panelist] = {
            name: OpenAI(Endpoint(url=endpoint.url, model=name), client) for name in NAMES
        }
        record = await held(conference(), panelists)
        assert len(endpoint.seen) == 6
    return record


async def test_the_worked_example_against_an_endpoint() -> None:
    record = await worked_example()
    verdict, tally = ended(record)
    found = next(place for place, event in enumerate(record.events) if isinstance(event, Found))
    first = chair.tally_of(chair.replay(record.events[: found + 1]))

    assert (first.course.status, [first.heads(option) for option in first.cast]) == ("tie", [1, 1, 1])
    assert set(first.cast) == {STRUCTURED, FLAGS, PROTECTED}
    assert (verdict.outcome, verdict.decided, verdict.rule) == (FLAGS, True, "unanimous")
    assert (tally.heads(FLAGS), tally.course.status, tally.course.stop) == (3, "unanimous_consensus", "early")
    assert tally.course.rounds == ("1", "2")
    assert tally.course.similarity is not None
    assert 0 < tally.course.similarity < 1
    assert not [event for event in record.events if isinstance(event, Silent)]


async def test_the_scores_are_on_record_so_that_a_replay_needs_no_backend() -> None:
    record = await worked_example()
    finds = [event for event in record.events if isinstance(event, Found)]

    assert [(found.round, found.seat, found.about) for found in finds[:1]] == [("1", "", "options")]
    assert {found.seat for found in finds[1:]} == {"", *NAMES}
    assert all(found.by and found.scores and not found.why for found in finds)
    assert chair.verdict_of(chair.replay(record.events)) == ended(record)[0]


async def test_in_round_two_each_hears_the_others_of_round_one() -> None:
    record = await worked_example()
    spoken = [event for event in record.events if isinstance(event, Spoken)]

    assert [event.round for event in spoken] == ["1"] * 3 + ["2"] * 3
    assert all(event.ballot is not None and not event.unreadable for event in spoken)


class Talks:
    """Speaks and never votes; with a vote at hand, gives it when it is asked for the vote alone."""

    def __init__(self, option: str = "") -> None:
        self.option = option

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        if self.option and ask.attempt > 1:
            return Reply(text=vote(ask, self.option))
        return Reply(text=f"{ask.seat.name} thinks aloud about logging and says nothing definite.")


async def test_seats_that_talk_and_never_vote_are_heard_and_the_talk_gives_the_status() -> None:
    begin = conference(settings={"max_rounds": 2, "similarity": "overlap"})
    record = await held(begin, {name: Talks() for name in NAMES})
    state, (verdict, tally) = chair.replay(record.events), ended(record)

    assert (verdict.outcome, verdict.rule, tally.voices) == (None, "all_silent", ())
    assert (tally.course.status, tally.course.similarity) == ("refining", Fraction(1))
    assert state.heard.speakers("1") == SEATS


async def test_a_vote_given_when_asked_again_keeps_the_speech_it_came_after() -> None:
    record = await held(
        conference(settings={"mode": "quick", "similarity": "overlap"}), {name: Talks(FLAGS) for name in NAMES}
    )
    speech = chair.replay(record.events).heard.speech("1", SEATS[0])

    assert speech is not None
    assert speech.ballot is not None
    assert "thinks aloud about logging" in speech.text


async def test_options_may_be_compared_by_a_providers_embeddings_and_the_record_says_so() -> None:
    vectors = {PROTECTED: [1.0, 0.0], FLAGS: [0.0, 1.0]}
    told: list[list[str]] = []

    async def embeddings(request: web.Request) -> web.Response:
        wanted = await request.json()
        told.append(wanted["input"])
        rows = [{"index": n, "embedding": vectors.get(text, [0.6, 0.8])} for n, text in enumerate(wanted["input"])]
        return web.json_response({"data": rows})

    app = web.Application()
    app.router.add_post("/v1/embeddings", embeddings)
    said = {"Claude": PROTECTED, "Codex": FLAGS, "Gemini": STRUCTURED}
    talking: dict[str, Panelist] = {name: Talks(option) for name, option in said.items()}
    async with TestServer(app) as server:
        begin = conference(settings={"mode": "quick", "similarity": f"openai:mini@{server.make_url('/v1')}"})
        record = await held(begin, talking)

    found = next(event for event in record.events if isinstance(event, Found))
    assert found.by.startswith("endpoint mini (127.0.0.1)")
    assert sorted(told[0]) == sorted(said.values())
    assert {score for _, _, score in found.scores} == {Fraction(0), Fraction(3, 5), Fraction(4, 5)}


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("fuzzy", "no similarity backend 'fuzzy'"),
        ("nobody:small", "no provider 'nobody'"),
        ("openai:small", "needs a key; set OPENAI_API_KEY"),
    ],
)
async def test_a_backend_that_cannot_be_is_told_before_anything_is_asked(wanted: str, sentence: str) -> None:
    asked = Scripted({})
    with pytest.raises(QuorateError, match=sentence):
        await held(conference(settings={"similarity": wanted}), everyone(asked))
    assert asked.asked == []


async def test_a_demo_panel_that_agrees_has_decided_nothing() -> None:
    begin = conference(settings={"mode": "quick", "similarity": "overlap"})
    begin = replace(begin, panel=replace(begin.panel, demo=True))
    verdict, _ = ended(await held(begin, {name: Talks("Go ahead") for name in NAMES}))

    assert (verdict.outcome, verdict.decided, verdict.rule) == (None, False, "demo_finds")
    assert verdict.requires_human_review
