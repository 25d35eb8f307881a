"""`quorate prove`: what holds is said to hold, and ten wrong rulebooks are refuted with the fewest ballots."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate import presets
from quorate.doors.cli.command_group import run
from quorate.model import PartRef
from quorate.offline.decide import ballot_result
from quorate.offline.prove import prove, subject_of, subjects
from quorate.offline.prove_bench import ProofBench
from quorate.offline.prove_properties import PROPERTIES
from quorate.offline.prove_report import proof_document
from tests.docs.page import ROOT
from tests.offline import wrong_rules

PROVE = """
import sys
from quorate.doors.cli.command_group import run
for name in sys.argv[2:]:
    sys.stdout.write(name + "\\n")
    sys.stdout.flush()
    code = run(["prove", f"{sys.argv[1]}/{name}.yaml", "--seats", "3", "--json", "-o", f"{sys.argv[1]}/{name}.json"])
    assert code == 20, (name, code)
"""
DECIDE = """
import sys
from quorate.doors.cli.command_group import run
for name in sys.argv[2:]:
    where = f"{sys.argv[1]}/{name}"
    sys.stdout.write(name + "\\n")
    sys.stdout.flush()
    code = run(["decide", f"{where}.json", "--panel", f"{where}.panel.yaml", "--json"])
    sys.stdout.write("" if not code else "null\\n")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    wrong_rules.install(folder)
    for name in wrong_rules.RULES:
        (folder / f"{name}.yaml").write_text(wrong_rules.panel_file(name))
    return folder


def in_child(site: Path, program: str, names: Mapping[str, str] = wrong_rules.RULES) -> dict[str, Any]:
    """What one program prints about each rulebook, where their package is installed."""
    env = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    words = [sys.executable, "-c", program, str(site), *names]
    done = subprocess.run(words, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told, name, text = dict[str, Any](), "", list[str]()
    for line in (*done.stdout.splitlines(), "end"):
        if line in {*names, "end"}:
            told |= {name: json.loads("\n".join(text))} if name else {}
            name, text = line, []
        else:
            text.append(line)
    return told


@pytest.mark.promise
@pytest.mark.timeout(300)
def test_ten_wrong_rulebooks_are_refuted_with_the_fewest_ballots_and_decide_replays_them(site: Path) -> None:
    proofs = in_child(site, PROVE)
    replayed = in_child(site, DECIDE)

    assert len(proofs) == len(wrong_rules.BREAKS) == 10
    for name, (broken, fewest) in wrong_rules.BREAKS.items():
        claims = {claim["name"]: claim for claim in proofs[name]["proofs"][0]["claims"]}
        assert claims[broken]["status"] == "refuted", name
        assert len(claims[broken]["counter_example"]["ballots"]) == fewest, name
        counters = [claim["counter_example"] for claim in claims.values() if claim["status"] == "refuted"]
        smallest = min(counters, key=lambda one: len(one["ballots"]))
        verdict = replayed[name] and replayed[name]["verdict"]
        failed = ("WARN", False, "rule_failed")
        expected = failed if smallest["error"] else (smallest["outcome"], smallest["decided"], smallest["rule"])
        assert (verdict and (verdict["outcome"], verdict["decided"], verdict["rule"])) == expected, name


def test_whatever_a_rule_raises_is_reported_as_no_answer_and_proving_goes_on(tmp_path: Path) -> None:
    wrong_rules.install(tmp_path, wrong_rules.UNRULY)
    for name in wrong_rules.UNRULY:
        (tmp_path / f"{name}.yaml").write_text(wrong_rules.panel_file(name))

    proofs = in_child(tmp_path, PROVE.replace('"3"', '"1"'), wrong_rules.UNRULY)

    assert set(proofs) == set(wrong_rules.UNRULY)
    claims = {name: {one["name"]: one for one in told["proofs"][0]["claims"]} for name, told in proofs.items()}
    assert {one["answers"]["status"] for one in claims.values()} == {"refuted"}
    errors = {name: one["answers"]["counter_example"]["error"] for name, one in claims.items()}
    assert errors["raises_its_own"] == "acme_wrong.raises_its_own.Unheard: <exception str() failed>"
    assert errors["recurses"].startswith("RecursionError: ")
    assert errors["leaves"] == "SystemExit: 0"


def statuses(book: str, most: int) -> dict[str, str]:
    return {claim.name: claim.status for claim in prove(subject_of(None, book), most=most).claims}


def test_a_strict_gate_keeps_every_claim() -> None:
    assert set(statuses("strict", 3).values()) == {"checked"}


def test_a_claim_covers_the_sizes_that_were_tried_and_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "strict", "--seats", "2"]) == 0
    shown = capsys.readouterr().out

    assert "checked to N = 2" in shown
    assert "for all N" not in shown
    assert "Nothing is claimed for larger panels" in shown
    assert {claim.seats for claim in prove(subject_of(None, "strict"), most=2).claims} == {2}


def test_where_the_tribunal_is_not_monotone_its_rule_says_so() -> None:
    proof = prove(subject_of(None, "tribunal"), most=2)
    (claim,) = (one for one in proof.claims if one.name == "monotone")

    assert (claim.status, claim.by) == ("on_purpose", ("tie",))
    assert claim.counter is not None
    assert [kind.name for kind in claim.counter.casts] == ["WARN", "REFUSE"]


def test_even_without_its_caps_a_tribunal_approves_nothing_while_the_veto_seat_is_silent() -> None:
    subject = subject_of(None, "tribunal")
    careless = replace(subject, book=replace(subject.book, unless=()))
    found = {claim.name: claim for claim in prove(careless, most=3).claims}

    assert found["approval"].status == "checked"


def test_when_time_is_up_nothing_is_said_to_hold() -> None:
    proof = prove(subject_of(None, "strict"), most=2, tick=lambda _: False)

    assert {claim.status for claim in proof.claims} == {"unfinished"}
    assert proof_document(proof)["holds"] is False


def test_a_veto_that_means_warn_is_refuted() -> None:
    """Control: the search notices a rulebook in which a veto does not refuse."""
    subject = subject_of(None, "tribunal")
    other = replace(subject.book, rules=(PartRef("veto", (("means", "WARN"),)), *subject.book.rules[1:]))
    found = {claim.name: claim for claim in prove(replace(subject, book=other), most=2).claims}

    assert found["veto"].status == "refuted"


def test_every_rulebook_that_ships_can_be_proved() -> None:
    assert {subject.name for subject in subjects()} == set(presets.rulebooks())


def test_names_are_tried_on_the_rulebook_under_proof_whatever_was_proved_before() -> None:
    """What is remembered of one bench must not be found again by another that came to lie in the same place."""
    subjects = [subject_of(None, book) for book in ("delphi", "approval", "plurality")]
    for subject in subjects * 20:
        bench = ProofBench(subject, ("Seat 1", "Seat 2"))
        casts = next(casts for casts in bench.every(subject.ballots.kinds) if bench.decide(casts).decided)

        assert list(PROPERTIES["names"].broken_by(bench, casts)) == []
        assert bench.renamed
        assert all(other.subject is subject and other.seats != bench.seats for other in bench.renamed)


@pytest.mark.parametrize("book", sorted(presets.rulebooks()))
def test_of_every_rulebook_nothing_is_refuted_on_small_panels_and_several_outcomes_are_reached(book: str) -> None:
    proof = prove(subject_of(None, book), most=3 if book == "oracle" else 2)

    assert not proof.refuted
    assert len(proof.outcomes) > 1


def test_the_command_tells_what_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove"]) == 1
    assert "name a rulebook or a panel file, or give --all" in capsys.readouterr().err
    assert run(["prove", "strict", "--seats", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["proofs"][0]["rulebook"] == "strict"
    assert told["proofs"][0]["holds"] is True
    assert run(["prove", "strict", "--time-limit", "0.000001"]) == 10


def test_what_is_proved_of_garbage_speaks_of_approval_since_silence_may_refuse_what_nobody_chose() -> None:
    alone = '[{"seat": "Utility", "decision": "ACT", "confidence": 90, "risk": 5}]'
    verdict = ballot_result(alone).decision.verdict

    assert (verdict.outcome, verdict.decided) == ("REFUSE", True)
    assert PROPERTIES["garbage"].title.endswith("and nothing is approved that nobody chose")
