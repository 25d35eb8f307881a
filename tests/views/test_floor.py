import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from quorate import catalogue, chair, presets
from quorate.model import Ask, Event, Reply, Spoken
from quorate.testing import ballot
from quorate.views.floor import floor
from tests.browser.records import RECORDS
from tests.debate import debate, speaking
from tests.docs.tables import page
from tests.play import convened, play, words
from tests.views.discussion import WORKED, discussed
from tests.written import QUESTIONS, golden

Floor = Mapping[str, Any]
PROTOCOLS = tuple(catalogue.protocols())
EVERY = {"kind", "seat", "round", "title", "about"}
SPOKE = {
    "text",
    "ballot",
    "enforced_by",
    "vote",
    "was",
    "moved",
    "stance",
    "argument",
    "cautions",
    "unreadable",
    "model",
    "tokens",
    "seconds",
}
FIELDS = {
    "convened": {
        *("question", "context", "options", "protocol", "rulebook", "seats", "rounds", "sealed", "outcomes", "demo")
    },
    "spoke": SPOKE,
    "silent": {"why", "detail", "words"},
    "withdrawn": {"why", "words"},
    "found": {"errand", "by", "why", "library", "passages", "scores", "similarity"},
    "decided": {"verdict", "trace_words"},
    "turned_away": {"verdict", "trace_words"},
}


def floors(events: Sequence[Event]) -> list[Floor]:
    return [*_floors(events)]


def _floors(events: Sequence[Event]) -> Iterator[Floor]:
    state: chair.State | None = None
    for event in events:
        state = state.after(event) if state else chair.replay([event])
        yield floor(event, state)


def said(shown: Sequence[Floor], round_: str, seat: str, about: str = "") -> Floor:
    wanted = ("spoke", round_, seat, about)
    return next(one for one in shown if (one["kind"], one["round"], one["seat"], one["about"]) == wanted)


def votes(ask: Ask) -> Reply:
    """Utility acts, the others warn; after the challenges Utility warns too."""
    if ask.wants != "decision":
        return words(ask)
    acts = ask.seat.name == "Utility" and ask.round == "analysis"
    return Reply(text=f"Words.\n\n{ballot(ask, 'ACT' if acts else 'WARN', 70, 30)}")


TRIBUNAL = floors(play(convened(presets.panel("tribunal").panel), votes))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_entry_of_every_protocol_is_plain_json_with_the_fields_of_its_kind(protocol: str) -> None:
    for shown in floors(play(convened(presets.panel(protocol).panel, protocol), words)):
        json.dumps(shown, allow_nan=False)
        assert EVERY | FIELDS.get(shown["kind"], set()) <= set(shown)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_kept_record_is_shown_to_its_end(name: str) -> None:
    shown = floors(golden(name)[0].events)

    assert shown[0]["kind"] == "convened"
    assert shown[-1]["kind"] == ("turned_away" if name == "turned_away" else "decided")
    assert shown[-1]["verdict"]["outcome"] == golden(name)[0].events[-1].verdict.outcome  # type: ignore[union-attr]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tally_is_there_from_the_first_ballot_or_case_on_and_names_every_seat_once_a_choice(protocol: str) -> None:
    events = play(convened(presets.panel(protocol).panel, protocol), words)
    cast = [isinstance(event, Spoken) and bool(event.ballot or event.argument) for event in events]

    for at, shown in enumerate(floors(events)):
        assert ("tally" in shown) == any(cast[: at + 1])
        for row in shown.get("tally", ()):
            assert row["heads"] == len(row["seats"]) == len(set(row["seats"]))


def test_a_challenge_is_told_by_ballots_and_not_by_wording() -> None:
    assert said(TRIBUNAL, "challenge", "Utility", "Safety")["stance"] == "challenge"
    assert said(TRIBUNAL, "challenge", "Accuracy", "Safety")["stance"] == "agree"
    assert said(TRIBUNAL, "analysis", "Utility")["stance"] == ""


def test_a_revision_says_what_the_seat_held_before_and_whether_it_moved() -> None:
    moved, stayed = said(TRIBUNAL, "revision", "Utility"), said(TRIBUNAL, "revision", "Safety")

    assert (moved["was"]["choice"], moved["vote"]["choice"], moved["moved"]) == ("ACT", "WARN", True)
    assert (stayed["was"]["choice"], stayed["vote"]["choice"], stayed["moved"]) == ("WARN", "WARN", False)
    assert said(TRIBUNAL, "analysis", "Utility")["was"] is None


def test_the_tally_goes_with_the_latest_ballots() -> None:
    tallies = [one["tally"] for one in TRIBUNAL if one["kind"] == "spoke" and one["vote"]]

    assert tallies[2] == [
        {"choice": "ACT", "heads": 1, "seats": ["Utility"]},
        {"choice": "WARN", "heads": 2, "seats": ["Accuracy", "Safety"]},
    ]
    assert tallies[-1] == [{"choice": "WARN", "heads": 3, "seats": ["Utility", "Accuracy", "Safety"]}]


def test_no_words_of_a_ballot_are_shown_twice_and_prose_holds_no_mark() -> None:
    shown = said(TRIBUNAL, "analysis", "Utility")

    assert shown["text"].startswith("Words.")
    assert "Decision" not in shown["text"]
    assert "{" not in shown["text"]


def test_a_ballot_is_shown_as_it_came_and_by_what_its_form_was_enforced() -> None:
    lines: list[str] = []

    def enforced(ask: Ask) -> Reply:
        lines.append(ballot(ask, "WARN"))
        return Reply(text=f"Words.\n\n{lines[-1]}", enforced_by="tool")

    shown = [one for one in floors(play(convened(presets.panel("tribunal").panel), enforced)) if one["kind"] == "spoke"]

    assert [one["ballot"] for one in shown] == lines
    assert {one["enforced_by"] for one in shown} == {"tool"}


def test_the_trace_says_in_words_what_each_rule_looks_for_and_what_it_said() -> None:
    told = TRIBUNAL[-1]["trace_words"]

    assert told[0] == "veto (a seat with the power of veto used it): does not apply"
    assert "unanimous (every seat itself stated the same choice): all 3 seats chose WARN" in told


def test_options_that_mean_the_same_are_one_row_once_they_have_been_compared() -> None:
    shown = floors(discussed(WORKED).events)
    similar = [one["similarity"] for one in shown if one["kind"] == "found" and one["similarity"]]

    assert shown[-1]["tally"][0]["heads"] == 3
    assert {one["seat"] for one in similar[-1]["each"]} == {"Alpha", "Beta", "Gamma"}


def test_a_debate_is_weighed_by_side_as_its_cases_come() -> None:
    shown = floors(play(debate(), speaking()))
    first = said(shown, "1", "Proponent")

    assert first["argument"]["side"] == "pro"
    assert first["argument"]["claims"] == ["Deleting staging saves money"]
    assert "Claims:" not in first["text"]
    pro, con = shown[-1]["tally"]
    assert pro["weight"] > con["weight"]


def test_a_silence_has_its_reason_in_words() -> None:
    shown = floors(play(convened(presets.panel("tribunal").panel), lambda _: "timeout"))
    silent = next(one for one in shown if one["kind"] == "silent")

    assert (silent["why"], silent["words"]) == ("timeout", "gave no answer in time")


def test_every_field_is_on_its_page() -> None:
    documented = set(re.findall(r"`([a-z_.\[\]]+)`", page("reference/floor.md")))
    shown = {path for make in RECORDS.values() for one in floors(make().events) for path in fields(one)}

    listed = documented | {re.split(r"\[|\.(?=\w+$)", path)[0] for path in documented}  # what may be empty
    assert shown - listed == set()


def fields(shown: object, path: str = "") -> Iterator[str]:
    """Where values stand; a verdict, settings and a ballot before are told of elsewhere."""
    if isinstance(shown, Mapping) and path not in ("verdict", "settings", "was"):
        for name, value in shown.items():
            yield from fields(value, f"{path}.{name}" if path else name)
    elif isinstance(shown, list) and shown and isinstance(shown[0], Mapping):
        for value in shown:
            yield from fields(value, f"{path}[]")
    else:
        yield path
