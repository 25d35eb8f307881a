"""Whole panels that write their ballots as models do: how many votes count, and what they cost in calls."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

import pytest

from quorate import chair, presets
from quorate.model import Ask, Errand, Event, Found, Passage, Question, Reply, Spoken
from tests.play import convened, play, verdict

CONFERENCE: Final = (("similarity", "overlap"), ("min_rounds", "2"), ("max_rounds", "2"))
SOURCES: Final = tuple(f"https://site{at}.example/" for at in range(5))
QUOTE: Final = "The meter at the harbour showed two millimetres."
ANSWERS: Final[Mapping[str, Mapping[str, object]]] = {
    "decision": {"decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "The backup is fresh."},
    "vote": {"option": "Kafka", "confidence": 0.8, "rationale": "It keeps order.", "continue_debate": True},
    "finding": {
        "outcome": "YES",
        "confidence": 0.9,
        "reasoning": "The meter says so.",
        "evidence": [{"url": SOURCES[0], "title": "Meter", "quote": QUOTE, "category": "official", "relevance": 1}],
    },
}
LABELS: Final = {"decision": "BALLOT", "vote": "VOTE:", "finding": "FINDING"}
PROSE: Final = "I looked at it from all sides. The case seems clear to me, and the risk is small."

Model = Callable[[Ask], str]


def copies_the_mark(ask: Ask) -> str:
    return f"{PROSE}\n\n{LABELS[ask.wants]} {json.dumps({'mark': ask.mark, **ANSWERS[ask.wants]})}"


def copies_it_when_asked_again(ask: Ask) -> str:
    return copies_the_mark(ask) if ask.attempt > 1 else bare(ask)


def bare(ask: Ask) -> str:
    return json.dumps(ANSWERS[ask.wants])


def prose_and_the_line(ask: Ask) -> str:
    """As the seeds show it: words, then the line, without a mark, however often it is asked."""
    return f"{PROSE}\n\n{LABELS[ask.wants]} {json.dumps(ANSWERS[ask.wants])}\n\nThat is my view."


def hold(protocol: str, model: Model) -> tuple[list[Event], int]:
    """The events of a panel of such models, and how many calls it took."""
    calls = 0

    def answer(ask: Ask) -> Reply:
        nonlocal calls
        calls += 1
        return Reply(text=model(ask) if ask.wants in ANSWERS else "Has anybody tried to restore it?")

    def find(errand: Errand) -> Found:
        passages = tuple(Passage(url=url, title="Meter", text=f"{QUOTE} It was read at noon.") for url in SOURCES)
        return Found(**errand.key._asdict(), passages=passages if errand.kind == "find" else (), by="test")

    begin = convened(presets.panel(protocol).panel, protocol, CONFERENCE if protocol == "conference" else ())
    begin = replace(begin, question=Question(text="Did it rain in Oslo?") if protocol == "oracle" else begin.question)
    return play(begin, answer, find=find), calls


def votes(events: list[Event]) -> int:
    """How many seats have a vote in the tally."""
    tally = chair.tally_of(chair.replay(events))
    return sum(tally.heads(option) for option in tally.cast)


@pytest.mark.parametrize(
    ("model", "protocol", "counted", "most"),
    [
        (copies_the_mark, "tribunal", 3, 12), (copies_the_mark, "conference", 3, 6), (copies_the_mark, "oracle", 5, 5),
        (copies_it_when_asked_again, "tribunal", 3, 18), (copies_it_when_asked_again, "conference", 3, 12),
        (bare, "tribunal", 3, 18), (bare, "conference", 3, 12), (bare, "oracle", 5, 10),
        (prose_and_the_line, "tribunal", 3, 18), (prose_and_the_line, "conference", 3, 12),
        (prose_and_the_line, "oracle", 5, 10),
    ],
)  # fmt: skip
def test_no_vote_is_lost_for_want_of_a_mark(model: Model, protocol: str, counted: int, most: int) -> None:
    events, calls = hold(protocol, model)

    assert (votes(events), verdict(events).verdict.decided) == (counted, True)
    assert calls <= most


@pytest.mark.parametrize(("protocol", "calls"), [("tribunal", 12), ("conference", 6)])
def test_honest_seats_that_agree_on_option_and_number_cost_nothing_extra(protocol: str, calls: int) -> None:
    events, taken = hold(protocol, copies_the_mark)
    ballots = [event.ballot for event in events if isinstance(event, Spoken) and event.ballot]

    assert len({(ballot.vote, ballot.confidence) for ballot in ballots}) == 1
    assert ballots[0].confidence == Fraction(4, 5)
    assert (taken, votes(events)) == (calls, 3)


def test_a_panel_that_forgets_the_mark_says_so_on_the_verdict() -> None:
    events, _ = hold("tribunal", prose_and_the_line)

    assert "unmarked" in {caution.name for caution in verdict(events).verdict.cautions}
