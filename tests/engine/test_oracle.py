"""Oracles held end to end, and decided on findings handed over."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quorate.doors.cli.command_group import run
from quorate.engine.runner import Runner
from quorate.evidence.errand_find import NO_TIME
from quorate.ledger import open_ledger
from quorate.model import Ask, Decided, Found, Limits
from quorate.offline.decide import decide_ballots
from quorate.testing import Faulty, Scripted, finding
from quorate.views.compat.oracle_view import oracle_view
from tests.oracle import panel_of
from tests.play import convened

QUOTE = "the bridge opened to traffic at noon"


def citing(quote: str) -> Callable[[Ask], str]:
    return lambda ask: finding(ask, "YES", 0.9, [{"url": "gazette.md", "quote": quote}])


async def test_researchers_cite_what_was_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "gazette.md").write_text(f"# Gazette\n\nThe council said that {QUOTE} on Monday.\n")
    begin = replace(
        convened(panel_of(6), "oracle", (("sources", str(tmp_path)),)),
        question=replace(convened(panel_of(6)).question, text="Did the bridge open to traffic?"),
    )
    cites = {"r0": QUOTE, "r1": QUOTE, "r2": "the bridge fell into the river", "r4": QUOTE, "r5": QUOTE}
    script = Scripted({seat: citing(quote) for seat, quote in cites.items()})
    async with Runner(open_ledger(":memory:")) as runner:
        record = await runner.hold(begin, panelists={**dict.fromkeys(cites, script), "r3": Faulty("timeout")})
    shown = oracle_view(record)
    checks = {one["agent_id"]: [cited["check"] for cited in one["sources"]] for one in shown["agent_results"]}  # type: ignore[attr-defined]

    script.finish()
    assert isinstance(record.events[-1], Decided)
    assert sum(isinstance(event, Found) for event in record.events) == 6
    assert checks == {**{key: ["found"] for key in ("r0", "r1", "r4", "r5")}, "r2": ["not_found"], "r3": []}
    assert (shown["outcome"], shown["reached"], shown["agreement_ratio"]) == ("YES", True, 0.666667)
    verdict = record.events[-1].verdict
    assert {caution.name for caution in verdict.cautions} == {
        "unverified", "unsupported", "few_sources", "closed_library", "equal_confidences",
    }  # fmt: skip
    assert not verdict.requires_human_review, "of one document everybody cites the same"
    assert [one["failed"] for one in shown["agent_results"] if one["agent_id"] == "r2"] == ["unsupported"]  # type: ignore[attr-defined]


async def test_a_document_that_takes_longer_than_the_deadline_ends_with_it_and_is_said_to_be_unread(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.html").write_text("<a " * 200_000)  # minutes for the standard library's parser
    begin = replace(
        convened(panel_of(1), "oracle", (("sources", str(tmp_path)),)), limits=Limits(deadline=Fraction(3, 2))
    )
    async with Runner(open_ledger(":memory:")) as runner:
        record = await runner.hold(begin, panelists={"r0": Faulty("timeout")})

    (found,) = (event for event in record.events if isinstance(event, Found))
    assert (found.passages, found.why) == ((), NO_TIME)


FILE = [
    {
        "seat": "A",
        "outcome": "YES",
        "confidence": 0.85,
        "evidence": [{"url": "https://a.example/", "credibility": 0.9}],
    },
    {"seat": "B", "outcome": "YES", "confidence": 0.82, "evidence": [{"title": "nowhere"}]},
    {"seat": "C", "silence": "timeout"},
    {"seat": "D", "outcome": "PERHAPS", "confidence": 0.9},
]


def test_findings_handed_over_are_decided_as_claimed() -> None:
    shown = decide_ballots(json.dumps(FILE), rulebook="oracle")
    found, verdict = shown["oracle"], shown["verdict"]

    assert isinstance(found, dict)
    assert isinstance(verdict, dict)
    assert (verdict["outcome"], verdict["because"]) == (
        "INVALID",
        "Only 1 agents succeeded, need 3; B cited no source that counts",
    )
    assert verdict["participation"]["eligible"] == 4
    assert {one["agent_id"]: one["failed"] for one in found["agent_results"]} == {
        "A": None, "B": "unsupported", "C": "timeout", "D": "bad_decision",
    }  # fmt: skip
    assert [one["sources"][0]["check"] for one in found["agent_results"][:2]] == ["claimed", "no_address"]


@pytest.mark.parametrize(
    ("answers", "outcomes", "outcome"),
    [
        ("number", ("100", "101", "99"), "100"),
        ("probability", ("0.9", "0.8", "0.7"), "YES"),
        ("options", ("Rome",) * 3, "Rome"),
    ],
)
def test_a_panel_file_says_what_is_asked_for(
    tmp_path: Path, answers: str, outcomes: tuple[str, ...], outcome: str
) -> None:
    from quorate.settings.panel_file import load_charter

    seats = "".join(f"  - name: {name}\n" for name in "ABC")
    (tmp_path / "panel.yaml").write_text(
        f"protocol: oracle\nseats:\n{seats}settings:\n  answers: {answers}\n  min_agents: '2'\n"
    )
    given = [
        {"seat": seat, "outcome": said, "confidence": 0.8, "evidence": [{"url": f"https://{seat}.example/"}]}
        for seat, said in zip("ABC", outcomes, strict=True)
    ]
    charter = load_charter(str(tmp_path / "panel.yaml"))
    shown = decide_ballots(json.dumps(given), charter=charter)
    fewer = decide_ballots(json.dumps(given[:2]), charter=charter)

    assert shown["verdict"]["outcome"] == outcome  # type: ignore[index]
    assert fewer["verdict"]["rule"] != "too_few"  # type: ignore[index]


PANEL = """\
protocol: oracle
seats:
  - {name: A, model: "ollama:one"}
  - {name: B, model: "ollama:two"}
  - {name: C, model: "ollama:three"}
  - {name: D, model: "openai:four"}
  - {name: E, model: "openai:five"}
"""


def test_a_panel_is_checked_before_anything_is_spent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "panel.yaml").write_text(PANEL)
    where = str(tmp_path / "panel.yaml")

    assert run(["panel", "check", where]) == 0
    said = capsys.readouterr().out
    assert run(["panel", "check", where, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert said == (
        "5 seats on 2 providers: even if 2 seats lie, a decision has more than half of the honest seats behind it; "
        "even if 1 seat is missing or against it, the others decide if they agree; no provider may lie or be missing\n"
        "5 models may be worth about 1.8 independent votes (not measured here: nine models of seven families were "
        "worth about two independent votes (Kohli 2026, arXiv:2605.29800))\n"
    )
    assert (shown["withstands"]["safe"], shown["withstands"]["live"], len(shown["seats"])) == (2, 1, 5)
