"""Ranking in rounds, played by hand through the chair."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import catalogue, chair, presets
from quorate.engine.verify import replay_with, verify_record
from quorate.errors import BadSetting
from quorate.ledger.serde import decode, encode
from quorate.model import Ask, Convened, Event, Panel, Question, Ranking, Reply, Seat, Silent, Tally
from quorate.views import Record
from quorate.views.card import rows, verdict_line
from quorate.views.document import document
from quorate.views.markdown import markdown
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests.play import Answer, convened, play, verdict

ANN, BEN, CLEO = SEATS = tuple(Seat(name=name) for name in ("Ann", "Ben", "Cleo"))
PANEL = Panel(seats=SEATS)
QUEUES = Question(text="Which queue?", options=("Kafka", "NATS", "Redis"))
SAID: Mapping[tuple[str, str], str] = {
    ("1", "Ann"): '["Kafka", "NATS", "Redis"]',
    ("1", "Ben"): '["NATS", "Kafka"]',
    ("1", "Cleo"): '["Redis", "NATS", "Kafka"]',
    ("2", "Ann"): '["NATS", "Kafka", "Redis"]',
    ("2", "Ben"): '["NATS", "Kafka"]',
    ("2", "Cleo"): '[["Redis", "NATS"], "Kafka"]',
}


def begin(question: Question = QUEUES, panel: Panel = PANEL, **settings: str) -> Convened:
    return replace(convened(panel, "ranked", tuple(settings.items())), question=question)


def saying(said: Mapping[tuple[str, str], str], asked: dict[tuple[str, str], Ask] | None = None) -> Answer:
    def answer(ask: Ask) -> Reply | str:
        if asked is not None:
            asked[ask.round, ask.seat.name] = ask
        order = said.get((ask.round, ask.seat.name), "timeout")
        if not order.startswith(("[", '"')):
            return order
        line = f'BALLOT {{"mark": "{ask.mark}", "ranking": {order}, "confidence": 0.8, "rationale": "So."}}'
        return Reply(text=f"{ask.seat.name} speaks in {ask.round}.\n\n{line}")

    return answer


def tally(events: Sequence[Event]) -> Tally:
    return chair.tally_of(chair.replay(events))


def held(said: Mapping[tuple[str, str], str] = SAID) -> list[Event]:
    return play(begin(), saying(said))


def test_everybody_ranks_alone_and_again_after_hearing_the_others() -> None:
    asked: dict[tuple[str, str], Ask] = {}
    play(begin(), saying(SAID, asked))

    assert list(asked) == [(number, seat.name) for number in "12" for seat in SEATS]
    assert "speaks in 1" not in asked["1", "Cleo"].prompt.template
    again = asked["2", "Ann"].prompt.template
    assert "the speech of Ben" in again
    assert "your own last speech" in again
    assert again.index("Ann speaks in 1") < again.index("Ben speaks in 1")
    assert "Position: NATS > Kafka > Redis (confidence 80 %)." in again
    assert "  2. NATS" in asked["1", "Ann"].prompt.template


@pytest.mark.parametrize(("rounds", "asks"), [("1", 3), ("2", 6), ("3", 9)])
def test_as_many_rounds_are_held_as_are_wanted(rounds: str, asks: int) -> None:
    asked: dict[tuple[str, str], Ask] = {}
    said = {(str(number), seat.name): '["1"]' for number in (1, 2, 3) for seat in SEATS}
    events = play(begin(rounds=rounds), saying(said, asked))

    assert len(asked) == asks
    assert tally(events).course.rounds == tuple(str(number) for number in range(1, int(rounds) + 1))


@pytest.mark.parametrize("options", [(), ("Kafka",), ("Kafka", "kafka.", " KAFKA ")])
def test_fewer_than_two_different_options_are_refused_in_a_sentence(options: tuple[str, ...]) -> None:
    with pytest.raises(BadSetting, match=r"at least two different options, and the question has (none|1)"):
        play(begin(replace(QUEUES, options=options)), saying(SAID))


def test_more_options_than_a_ranking_takes_are_refused_in_a_sentence() -> None:
    many = tuple(f"queue {at}" for at in range(101))

    with pytest.raises(BadSetting, match="at most 100 options, and the question has 101"):
        play(begin(replace(QUEUES, options=many)), saying(SAID))


def test_no_round_at_all_is_refused() -> None:
    with pytest.raises(BadSetting, match="rounds = 0"):
        play(begin(rounds="0"), saying(SAID))


def test_the_latest_rankings_count_complete_and_heads_only_where_one_stands_first_alone() -> None:
    counted = tally(held())

    assert [(voice.seat, voice.option, voice.choice) for voice in counted.voices] == [
        ("Ann", "NATS", "NATS > Kafka > Redis"),
        ("Ben", "NATS", "NATS > Kafka > Redis"),
        ("Cleo", "", "Redis = NATS > Kafka"),
    ]
    assert counted.leaders == ("NATS",)
    assert [(change.seat, change.was, change.now) for change in counted.changes] == [
        ("Ann", "Kafka > NATS > Redis", "NATS > Kafka > Redis"),
        ("Cleo", "Redis > NATS > Kafka", "Redis = NATS > Kafka"),
    ]
    assert counted.sealed is not None
    assert counted.sealed.voices[0].choice == "Kafka > NATS > Redis"


def test_who_is_silent_in_the_end_is_carried_with_a_caution() -> None:
    events = held({place: order for place, order in SAID.items() if place != ("2", "Ann")})
    counted, decided = tally(events), verdict(events).verdict

    assert (counted.participation.received, counted.participation.carried) == (2, 1)
    assert counted.voices[0].carried_from == "1"
    assert [caution.text for caution in decided.cautions if caution.name == "carried"] == [
        "Ann was silent in the last round; its ranking from round 1 counts"
    ]


def test_a_speech_without_a_ranking_is_heard_and_counts_for_nothing() -> None:
    unread = {**SAID, ("1", "Ben"): '["NATS", "Oracle"]', ("2", "Ben"): '["NATS", "NATS"]'}
    counted = tally(held(unread))

    assert [voice.seat for voice in counted.voices] == ["Ann", "Cleo"]
    assert [(gone.seat, gone.why) for gone in counted.silent] == [("Ben", "duplicate")]


def test_who_abstains_is_counted_apart() -> None:
    counted = tally(held({**SAID, ("2", "Ben"): '"abstain"'}))

    assert counted.abstained == ("Ben",)
    assert (counted.participation.received, counted.participation.failed) == (2, 0)


def test_too_few_rankings_decide_nothing() -> None:
    events = held({("1", "Ann"): '["Kafka"]'})

    assert (verdict(events).verdict.outcome, verdict(events).verdict.rule) == (None, "quorum")


def test_every_view_shows_the_order_and_the_document_its_places() -> None:
    record = Record(id="r", events=tuple(held()), seconds=1.0)
    shown = document(record)
    decided = shown["verdict"]
    assert isinstance(decided, dict)

    assert decided["outcome"] == "NATS"
    assert decided["votes"][2]["choice"] == "Redis = NATS > Kafka"
    assert decided["votes"][2]["ranking"] == [["Redis", "NATS"], ["Kafka"]]
    assert decided["withstands"] is None
    assert decided["agreement"] == 1.0
    assert decided["dissent"] == []
    assert verdict_line(Result.of(record)) == "NATS  first for 3 of 3 seats, rule condorcet  r"
    told = dict(rows(Result.of(record)))
    assert "withstands" not in told
    assert told["votes"][2] == "Cleo: Redis = NATS > Kafka (80 % sure)"
    assert told["agreement"] == ("100 % of the seats rank it first",)
    assert told["changed"][0] == "Ann: Kafka > NATS > Redis → NATS > Kafka > Redis after hearing Ben and Cleo"
    for page in (minutes(record), markdown(record)):
        assert "### Cleo: Redis > NATS > Kafka (80 % sure) → Redis = NATS > Kafka (80 % sure)" in page
    json.dumps(shown)


def test_a_record_holds_when_it_is_judged_again_and_when_its_words_are_gone() -> None:
    events = held({**SAID, ("2", "Ann"): '["NATS"]', ("2", "Cleo"): '["Redis"]'})
    asked, *answered = (decode(encode(event, "salt")[0], {}) for event in events)

    assert verify_record(Record(id="r", events=events)).state == "holds"
    assert verify_record(Record(id="r", events=[asked, *events[1:]])).state == "partly_forgotten"
    assert verify_record(Record(id="r", events=[asked, *answered])).state == "forgotten"
    assert [decode(*encode(event, "salt")) for event in events] == events
    assert isinstance(tally(events).voices[0].vote, Ranking)
    assert verdict(events).verdict.confidence == Fraction(4, 5)


def test_other_rules_decide_on_the_same_record() -> None:
    record = Record(id="r", events=held())
    for book in ("borda", "instant_runoff", "condorcet", "plurality"):
        again = replay_with(record, book)["verdict"]
        assert isinstance(again, dict)
        assert again["outcome"] == "NATS"


def test_a_demo_panel_decides_nothing() -> None:
    decided = verdict(play(begin(panel=replace(PANEL, demo=True)), saying(SAID))).verdict

    assert (decided.outcome, decided.decided) == (None, False)


def test_each_rulebook_of_the_protocol_is_known_by_name() -> None:
    books = catalogue.protocol("ranked").books

    assert [book.name for book in books] == ["condorcet", "borda", "instant_runoff"]
    assert all(presets.rulebook(book.name) == book for book in books)
    assert not [event for event in held() if isinstance(event, Silent)]
