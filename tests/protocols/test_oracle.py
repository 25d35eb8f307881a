"""The oracle played by hand: who looks for what, what each is shown, and what becomes of what they cite."""

from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import chair
from quorate.errors import BadSetting
from quorate.model import Ask, Errand, Event, Found, Hear, Heard, Origin, Question, Reply, Run, Spoken
from quorate.protocols.oracle import WAYS, queries, strategy
from quorate.testing import finding
from quorate.views import Record
from quorate.views.compat.oracle_view import oracle_view
from tests.oracle import panel_of, passage
from tests.play import convened, play, verdict, words

TEXT = "The council said: the bridge opened to traffic at noon on Monday."
TRUE = {"url": "https://news.example/bridge", "quote": "the bridge opened to traffic at noon", "category": "official"}
FALSE = {"url": "https://news.example/bridge", "quote": "the bridge fell into the river", "credibility": 1}


def found_for(errand: Errand, *texts: str) -> Found:
    pages = (passage(f"https://news.example/{at or 'bridge'}", text) for at, text in enumerate(texts or (TEXT,)))
    return Found(kind=errand.kind, round=errand.round, seat=errand.seat, passages=tuple(pages), by="test")


def view(events: list[Event]) -> dict[str, object]:
    return oracle_view(Record(id="x", events=events, seconds=1.5))


def test_each_researcher_is_asked_as_soon_as_its_own_search_is_back() -> None:
    state = chair.replay([convened(panel_of(3), "oracle")])
    state = state.after(chair.steps(state)[0].event)  # type: ignore[union-attr]
    runs = [step.errand for step in chair.steps(state) if isinstance(step, Run)]
    state = state.after(found_for(runs[1]))
    asks = [step.ask.seat.name for step in chair.steps(state) if isinstance(step, Hear)]

    assert [(run.kind, run.round, run.seat) for run in runs] == [("find", "research", f"r{at}") for at in range(3)]
    assert asks == ["r1"]


def test_a_researcher_is_shown_its_own_finds_and_nobody_elses() -> None:
    shown: dict[str, str] = {}

    def answer(ask: Ask) -> Reply:
        shown[ask.seat.name] = ask.prompt.template
        return words(ask)

    play(convened(panel_of(3), "oracle"), answer, find=lambda errand: found_for(errand, f"only for {errand.seat}"))

    assert {name: [other for other in shown if f"only for {other}" in prompt] for name, prompt in shown.items()} == {
        name: [name] for name in shown
    }


def test_with_nothing_found_a_researcher_is_asked_all_the_same() -> None:
    asked: list[str] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask.prompt.template)
        return words(ask)

    events = play(convened(panel_of(3), "oracle"), answer)

    assert len(asked) == 3
    assert all("Nothing was found for you: none here" in prompt for prompt in asked)
    assert {caution.name for caution in verdict(events).verdict.cautions} >= {"no_search", "few_sources"}


def test_every_way_to_research_looks_for_something_else_and_says_so() -> None:
    brief = chair.replay([convened(panel_of(4), "oracle")]).brief
    looked = {way: queries(brief, way) for way in WAYS}

    assert [strategy(seat, place) for place, seat in enumerate(brief.panel)] == list(WAYS)
    assert len(set(looked.values())) == len({WAYS[way][0] for way in WAYS}) == 4


def test_criteria_reach_the_prompt_and_the_search() -> None:
    begin = replace(convened(panel_of(3), "oracle"), question=Question(text="Is it open?", criteria="By the gazette."))
    brief = chair.replay([begin]).brief
    events = play(begin, lambda ask: Reply(text=ask.prompt.template))

    assert "By the gazette." in queries(brief, "focused")
    assert all("By the gazette." in event.reply.text for event in events if isinstance(event, Spoken))


def test_options_must_be_given_where_they_are_asked_for() -> None:
    with pytest.raises(BadSetting, match="at least two options"):
        chair.steps(play_begun("options"))


def play_begun(answers: str) -> chair.State:
    state = chair.replay([convened(panel_of(3), "oracle", (("answers", answers),))])
    return state.after(chair.steps(state)[0].event)  # type: ignore[union-attr]


def test_a_true_citation_counts_with_our_credibility_and_a_false_one_does_not() -> None:
    def answer(ask: Ask) -> Reply:
        return Reply(text=finding(ask, "YES", 0.9, [TRUE] if ask.seat.name != "r2" else [FALSE]), took=2000)

    shown = view(play(convened(panel_of(4), "oracle"), answer, find=found_for))
    each = {one["agent_id"]: one for one in shown["agent_results"]}  # type: ignore[attr-defined]

    assert [each[name]["sources"][0]["check"] for name in ("r0", "r1", "r2")] == ["found", "found", "not_found"]
    assert each["r0"]["sources"][0]["credibility_score"] == 0.9
    assert each["r0"]["sources"][0]["category"] == "news", "what our table says, not what the seat says"
    assert (each["r2"]["counts_as"], each["r2"]["failed"]) == (None, "unsupported")
    assert (shown["outcome"], shown["reached"]) == ("YES", True)
    assert shown["metrics"]["total_research_time"] == 1.5  # type: ignore[index]
    assert shown["metrics"]["avg_agent_time"] == 2  # type: ignore[index]


def test_fifty_mirrors_of_one_page_are_one_source() -> None:
    def mirrored(errand: Errand) -> Found:
        pages = tuple(passage(f"https://mirror{at}.example/", TEXT) for at in range(50))
        return Found(kind=errand.kind, round=errand.round, seat=errand.seat, passages=pages, by="test")

    def answer(ask: Ask) -> Reply:
        cited = [{"url": f"https://mirror{at}.example/", "quote": TRUE["quote"]} for at in range(50)]
        return Reply(text=finding(ask, "YES", 0.9, cited))

    shown = view(play(convened(panel_of(3), "oracle"), answer, find=mirrored))

    assert [one["source_count"] for one in shown["agent_results"]] == [1, 1, 1]  # type: ignore[attr-defined]
    assert len(shown["sources"]) == 1  # type: ignore[arg-type]
    assert shown["sources"][0]["cited_by"] == ["r0", "r1", "r2"]  # type: ignore[index]


def test_an_outcome_that_may_not_be_named_is_asked_for_again_and_then_silent() -> None:
    asked: list[int] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask.attempt)
        return Reply(text=finding(ask, "PERHAPS" if ask.seat.name == "r0" else "YES", 0.9, [TRUE]))

    events = play(convened(panel_of(4), "oracle"), answer, find=found_for)

    assert sorted(asked) == [1, 1, 1, 1, 2]
    assert view(events)["agent_results"][-1]["failed"] == "bad_decision"  # type: ignore[index]
    assert verdict(events).verdict.outcome == "YES"


def test_a_researcher_that_comes_too_late_is_missing_from_the_count_not_from_the_panel() -> None:
    late = {"r0", "r1"}
    begin = convened(panel_of(5), "oracle")
    events = play(begin, lambda ask: "deadline" if ask.seat.name in late else yes(ask), find=found_for)
    found = verdict(events).verdict

    assert (found.outcome, found.decided, found.agreement) == ("UNDETERMINED", False, Fraction(3, 5))


def yes(ask: Ask) -> Reply:
    return Reply(text=finding(ask, "YES", 0.9, [TRUE]))


def test_what_is_cited_besides_is_fetched_where_that_is_wanted() -> None:
    besides = {"url": "https://other.example/a", "quote": "and this stands elsewhere altogether"}
    errands: list[Errand] = []

    def find(errand: Errand) -> Found:
        errands.append(errand)
        return replace(found_for(errand), passages=(passage("https://other.example/a", str(besides["quote"])),))

    def answer(ask: Ask) -> Reply:
        return Reply(text=finding(ask, "YES", 0.9, [besides]))

    def nothing_then_page(errand: Errand) -> Found:
        return find(errand) if errand.kind == "fetch" else Found(kind="find", round="research", seat=errand.seat)

    shown = view(play(convened(panel_of(3), "oracle", (("fetch", "true"),)), answer, find=nothing_then_page))

    assert [errand.texts for errand in errands] == [("https://other.example/a",)] * 3
    assert [one["sources"][0]["check"] for one in shown["agent_results"]] == ["found"] * 3  # type: ignore[attr-defined]


def test_a_probability_is_scored_once_it_is_known_what_happened() -> None:
    from quorate.model import Reviewed

    begin = convened(panel_of(3), "oracle", (("answers", "probability"),))
    events = play(begin, lambda ask: Reply(text=finding(ask, "0.75", 0.9, [TRUE])), find=found_for)
    shown = view(
        [*events, Reviewed(outcome="YES", by="ann", because="it happened", origin=Origin(interface="terminal"))]
    )

    assert (shown["outcome"], shown["probability"], shown["brier"]) == ("YES", 0.75, 0.0625)


def test_another_protocol_has_no_such_form() -> None:
    with pytest.raises(BadSetting, match="shows oracles"):
        view([convened(panel_of(3), "tribunal")])


def test_heard_of_nothing_counts_as_nobody() -> None:
    state = chair.replay([convened(panel_of(3), "oracle")])

    assert isinstance(state.heard, Heard)
    assert [gone.why for gone in chair.tally_of(state).silent] == ["not_asked"] * 3
