"""`quorate evaluate --live`: a dataset is put to a panel once, and its votes are measured."""

import json
from pathlib import Path

from benchmarks.server import serving
from tests.doors.begun import convened_settings
from tests.doors.conftest import Quorate


def test_a_dataset_is_asked_once_and_measured_each_time(quorate: Quorate, home: Path) -> None:
    rows = [
        {"id": one, "question": f"{one}?", "options": ["Delete it", "Keep it"], "gold": "AB"[one]} for one in (0, 1)
    ]
    (home / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = ("evaluate", str(home / "data.jsonl"), "--live", "-o", str(home / "out.jsonl"), "--json")
    settings = ("--set", "mode=quick", "--set", "similarity=overlap")
    with serving(0.0) as address:
        seats = (word for name in ("Ann", "Ben") for word in ("--seat", f"{name}=openai:mock@{address}"))
        panel = (*settings, *seats)
        first = quorate(*words, *panel)

    again = quorate(*words, *panel)  # nobody is there to answer any more

    assert first.code == 0, first.err
    assert again.document == first.document
    assert (first.document["questions"], first.document["labelled"]) == (2, 2)
    assert first.document["methods"][0]["accuracy"]["value"] == 0.5
    assert [one["name"] for one in first.document["frontier"]] == ["Ann", "Ben", "the panel"]
    begun = convened_settings(home)
    assert len(begun) == 2
    assert all("stop_when_settled" not in one for one in begun)  # every vote is to be measured


def test_a_panel_that_nobody_asks_is_refused(quorate: Quorate, home: Path) -> None:
    told = quorate("evaluate", str(home / "votes.jsonl"), "--model", "ollama:NAME")

    assert told.code == 2
    assert "--model is for a panel that is asked; add --live" in told.err
