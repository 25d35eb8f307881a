"""The page about scale shows what the model reckons from the figures that are kept, and the model reckons right."""

import json

import pytest

from benchmarks.scale_model import HERE, Assumptions, Measured, main, rows
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "explanation" / "scale.md"
ONE = {
    "name": "1 worker",
    "deliberations": 100,
    "events": 2700,
    "seconds": 10.0,
    "worker_cpu": 1000.0,
    "database_cpu": 500.0,
    "bytes_each": 50_000.0,
    "connections": 10,
    "commits": 2000,
    "memory": [],
}


def test_the_page_shows_what_the_model_prints(capsys: pytest.CaptureFixture[str]) -> None:
    main([])

    assert capsys.readouterr().out in PAGE.read_text(encoding="utf-8")


def test_the_model_takes_the_cheapest_run_and_the_connections_of_one_worker() -> None:
    dearer = {**ONE, "name": "2 workers", "worker_cpu": 3000.0, "connections": 20}
    measured = Measured.of([{**ONE, "name": "one process", "connections": 0, "worker_cpu": 1.0}, dearer, ONE])

    assert (measured.worker_cpu, measured.connections, measured.events) == (10.0, 10, 27.0)


def test_figures_grow_with_the_number() -> None:
    told = dict(rows(Measured.of([ONE]), Assumptions(an_hour=36_000, reply=2.0)))

    assert told["deliberations"] == "10.0 a second"
    assert told["under way at once"] == "80"
    assert told["workers"] == "4, each with 64 deliberations and 64 calls at once"
    assert told["calls to models"] == "120 a second, 7,200 a minute"
    assert told["commits"] == "200 a second"
    assert told["connections"] == "40"


def test_the_figures_that_are_kept_are_of_runs_with_workers() -> None:
    names = {one["name"] for one in json.loads(HERE.read_text(encoding="utf-8"))}

    assert "1 worker" in names
