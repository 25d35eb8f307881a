"""`quorate memory` and `quorate ask --memory`, as they are typed."""

import asyncio
from pathlib import Path

import apsw
import pytest

from quorate.ledger import open_ledger
from tests.decisions import STAGING, decide_on
from tests.doors.conftest import Quorate


def decided(home: Path, *decisions: tuple[str, str]) -> list[str]:
    """A ledger in which these questions came to these outcomes; their ids."""

    async def hold() -> list[str]:
        ledger = open_ledger(home / "ledger.db")
        ids = [(await decide_on(ledger, text, choice)).id for text, choice in decisions]
        await ledger.close()
        return ids

    return asyncio.run(hold())


CHANGED = ((STAGING, "ACT"), (STAGING, "REFUSE"), ("Should we delete the production database?", "REFUSE"))


def test_similar_decisions_are_listed_with_how_they_stand(quorate: Quorate, home: Path) -> None:
    first, last, other = decided(home, *CHANGED)

    told = quorate("memory", "similar", STAGING)

    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert [line.split()[0] for line in lines[::2]] == ["strong", "strong", "related"]
    about = dict(zip([line.split()[2] for line in lines[::2]], [line.strip() for line in lines[1::2]], strict=True))
    stands = "the same question; decided by the rule unanimous; not reviewed by a person"
    assert about[first] == f"{stands}; superseded by {last}"
    assert about[last] == stands
    assert about[other].startswith("related, not the same question")


def test_the_same_as_json_is_one_document(quorate: Quorate, home: Path) -> None:
    first, last, _ = decided(home, *CHANGED)

    found = quorate("memory", "similar", last, "--json").document
    timeline = quorate("memory", "timeline", last, "--json").document
    opposed = quorate("memory", "contradictions", "--json").document

    assert [one["id"] for one in found["similar"]][:1] == [first]
    assert found["similar"][0]["same_question"] is True
    assert [(one["id"], one["changed"]) for one in timeline["timeline"]] == [(first, False), (last, True)]
    assert timeline["changes"] == 1
    (pair,) = opposed["contradictions"]
    assert (pair["earlier"]["id"], pair["later"]["id"], pair["supersedes"]) == (first, last, True)
    assert {one["decisions_compared"] for one in (found, timeline, opposed)} == {3}


def test_a_timeline_and_the_contradictions_are_told_in_words(quorate: Quorate, home: Path) -> None:
    decided(home, *CHANGED)

    timeline, opposed = quorate("memory", "timeline", STAGING), quorate("memory", "contradictions")

    assert timeline.out.splitlines()[2].startswith("CHANGED ")
    assert timeline.out.endswith("2 decisions, 1 change of a settled outcome\n")
    assert opposed.out.endswith("  different outcomes; the later supersedes the earlier\n")


def test_an_export_holds_every_decision(quorate: Quorate, home: Path) -> None:
    ids = decided(home, *CHANGED)

    told, document = quorate("memory", "export"), quorate("memory", "export", "--json").document

    assert told.out.startswith("# Decisions\n\n## ")
    assert all(f"- Record: {id_} (tribunal)" in told.out for id_ in ids)
    assert {one["id"] for one in document["decisions"]} == {*ids}
    assert [one["supersedes"] for one in document["contradictions"]] == [True]


def test_where_nothing_is_found_that_is_said(quorate: Quorate) -> None:
    assert quorate("memory", "similar", "Is anybody there?").err == "no earlier decision is like this\n"
    assert quorate("memory", "timeline", "Is anybody there?").err == "nothing was decided on this question\n"
    nothing = "no two decisions on the same question have different outcomes\n"
    assert quorate("memory", "contradictions").err == nothing
    assert quorate("memory", "similar").code == 2
    assert quorate("memory", "export", "all").code == 2


def test_a_record_that_was_changed_is_left_out_and_named(quorate: Quorate, home: Path) -> None:
    (id_,) = decided(home, (STAGING, "ACT"))
    path = home / "ledger.db"
    change = "UPDATE entries SET public = CAST(replace(CAST(public AS TEXT), 'ACT', 'WARN') AS BLOB)"
    apsw.Connection(str(path)).execute(change)

    told = quorate("memory", "similar", STAGING)

    assert told.out == ""
    assert told.err.startswith("no earlier decision is like this\nnote: ")
    assert f"{id_} is left out" in told.err


@pytest.mark.parametrize("asked", ["on", "2k"])
def test_ask_says_what_the_seats_are_shown(quorate: Quorate, home: Path, asked: str) -> None:
    (id_,) = decided(home, (STAGING, "ACT"))

    told = quorate("ask", STAGING, "--panel", "demo", "--memory", asked)
    shown = quorate("show", "last").out

    assert "note: 1 earlier decision shown to the seats as precedent, " in told.err
    assert f"{id_} (strong)" in told.err
    assert f"Precedent that the seats were shown, {id_} (strong)" in shown
    assert quorate("verify", "last").code == 0


def test_forget_names_where_its_words_stand_besides(quorate: Quorate, home: Path) -> None:
    (id_,) = decided(home, (STAGING, "ACT"))
    other = quorate("ask", STAGING, "--panel", "demo", "--memory", "on", "--json").document["id"]

    told = quorate("forget", id_, "--yes")

    assert told.out == f"forgotten: {id_}\n"
    assert told.err.endswith(f"in {other}; to delete those too: quorate forget {other}\n")
    assert quorate("forget", other, "--yes").err == ""
    assert quorate("memory", "similar", STAGING).out == ""


def test_memory_counts_in_what_is_expected(quorate: Quorate, home: Path) -> None:
    decided(home, (STAGING, "ACT"))

    without, with_it = (
        quorate("ask", STAGING, "--panel", "demo", "--dry-run", "--json", *more).document["cost"]["tokens"]
        for more in ((), ("--memory", "on"))
    )

    assert with_it > without


def test_findings_take_no_memory(quorate: Quorate) -> None:
    told = quorate("findings", "-", "--memory", "on", stdin="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")

    assert told.code == 1
    assert "findings takes no memory" in told.err


def test_a_panel_file_cannot_ask_for_memory(quorate: Quorate, home: Path) -> None:
    (home / "panel.yaml").write_text("extends: demo\nmemory: on\n")

    told = quorate("ask", STAGING, "--panel", str(home / "panel.yaml"))

    assert told.code == 1
    assert "memory" in told.err
