import asyncio
import json
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

from quorate.ledger import open_ledger
from quorate.model import Event
from tests.doors.conftest import Quorate
from tests.evaluate.panels import drawn
from tests.reviewing import conference, demo, kept, tribunal

ALL_ACT = dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")


@pytest.fixture
def votes(tmp_path: Path, seed: int) -> str:
    """A file of votes of five seats, half of them with a last round."""
    rows = [
        {
            "id": one.id,
            "votes": one.votes,
            "final": dict.fromkeys(one.votes, one.right) if number % 2 else None,
            "options": ["a", "b", "c", "d"],
            "right": one.right,
        }
        for number, one in enumerate(drawn(Random(seed), 120))
    ]
    file = tmp_path / "votes.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(file)


def test_a_table_of_methods_and_seats_is_printed(quorate: Quorate, votes: str) -> None:
    told = quorate("evaluate", votes, "--act-error", "2.5%")

    assert told.code == 0, told.err
    assert told.out.startswith("120 questions with votes, 120 of them with a known answer")
    for part in ("plurality of first votes", "track record, one question at a time", "rulebook track_record", "ann"):
        assert part in told.out
    assert "votes turned from wrong to right, 0 from right to wrong" in told.out
    assert "act or escalate: " in told.out
    assert "measuring plurality" in told.err


def test_the_document_holds_every_figure(quorate: Quorate, votes: str) -> None:
    told = quorate("evaluate", votes, "--json").document

    assert (told["schema"], told["questions"], told["labelled"], told["act"]) == (1, 120, 120, None)
    assert {"value", "low", "high"} == set(told["methods"][0]["accuracy"])
    assert {one["seat"] for one in told["seats"]} == {"ann", "ben", "cat", "dan", "eve"}
    assert told["conformity"]["right_to_wrong"] == 0
    assert json.loads(told["settings"]["skills"]).keys() == {"ann", "ben", "cat", "dan", "eve"}


def test_the_page_is_whole_and_needs_no_other_file(quorate: Quorate, votes: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    assert quorate("evaluate", votes, "--html", str(page)).code == 0

    text = page.read_text(encoding="utf-8")
    HTMLParser().feed(text)
    assert text.count("<svg") == 4
    assert "http" not in text.replace("http-equiv", "")
    assert "script" not in text


def test_without_right_answers_skills_are_shown_and_nothing_is_claimed(quorate: Quorate, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("id,ann,ben\n1,a,b\n2,a,a\n", encoding="utf-8")

    told = quorate("evaluate", str(file))

    assert told.out.startswith("2 questions with votes, 0 of them with a known answer")
    assert "unknown" in told.out


@pytest.mark.parametrize("share", ["0", "1", "much", "150%"])
def test_a_share_of_errors_lies_between_none_and_all(quorate: Quorate, votes: str, share: str) -> None:
    told = quorate("evaluate", votes, "--act-error", share)

    assert told.code == 1
    assert "is a share of decisions between 0 and 1" in told.err


def put(home: Path, *records: list[Event]) -> None:
    async def work() -> None:
        ledger = open_ledger(home / "ledger.db")
        try:
            for events in records:
                await kept(ledger, events)
        finally:
            await ledger.close()

    asyncio.run(work())


def test_seats_are_learned_from_the_ledger_and_reviews_are_labels(quorate: Quorate, home: Path) -> None:
    split = {"Utility": "ACT", "Accuracy": "ACT", "Safety": "REFUSE"}
    put(home, *(tribunal(ALL_ACT) for _ in range(4)), *(tribunal(split) for _ in range(4)), demo())
    quorate("review", "last", "--outcome", "ACT", "--by", "Ann", "--because", "It was right.")

    told = quorate("seats", "--by", "seat", "--json").document

    assert (told["questions"], told["labelled"]) == (8, 0)
    skills = {one["seat"]: one["skill"] for one in told["seats"]}
    assert skills["Safety"] < skills["Utility"] == skills["Accuracy"]
    assert json.loads(told["settings"]["skills"]).keys() == {"Utility", "Accuracy", "Safety"}


def test_a_review_says_who_was_right(quorate: Quorate, home: Path) -> None:
    put(home, tribunal({"Utility": "ACT", "Accuracy": "WARN", "Safety": "REFUSE"}))
    assert quorate("review", "last", "--outcome", "WARN", "--by", "Ann", "--because", "It was not ready.").code == 0

    told = quorate("seats", "--by", "seat")

    assert told.out.startswith("1 deliberations with votes, 1 of them with a known answer")
    assert "too little to learn from: 1 deliberation, and 8 are needed" in told.err
    right = {
        one["seat"]: one["accuracy"]["value"] for one in quorate("seats", "--by", "seat", "--json").document["seats"]
    }
    assert right == {"Utility": 0.0, "Accuracy": 1.0, "Safety": 0.0}


def test_one_protocol_is_looked_at_alone(quorate: Quorate, home: Path) -> None:
    put(home, tribunal(ALL_ACT), conference())

    assert quorate("seats", "--protocol", "conference", "--json").document["questions"] == 1
    assert quorate("seats", "--json").document["questions"] == 2


def test_an_empty_ledger_teaches_nothing(quorate: Quorate) -> None:
    told = quorate("seats")

    assert (told.code, told.out) == (0, "0 deliberations with votes, 0 of them with a known answer\n")


def test_votes_of_a_tribunal_are_decided_by_its_own_rulebook_too(quorate: Quorate, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("id,right,u,v,w\n1,ACT,ACT,ACT,WARN\n2,WARN,ACT,WARN,REFUSE\n", encoding="utf-8")

    methods = {one["method"]: one for one in quorate("evaluate", str(file), "--json").document["methods"]}

    assert methods["rulebook tribunal"]["decided"] == methods["rulebook oracle"]["decided"] == 0.5
    assert methods["rulebook tribunal"]["accuracy"]["value"] == 0.5
