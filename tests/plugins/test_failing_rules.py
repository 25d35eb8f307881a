"""A failing rule or count of another package costs no reply: the record has a verdict, and others can decide on it."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.conftest import KEY, OddServer, Ran, run_in
from tests.plugins.packages import ODD, ODD_POINTS, write_metadata

pytestmark = pytest.mark.slow

QUESTION = "Should we restart the staging server?"
BEGIN = "from quorate.authoring import *\n\n\ndef rule(tally, *, at_least: int = 1):\n"
RULES = {
    "raises": ("    return 1 / 0\n", "raised ZeroDivisionError"),
    "recurses": ("    return rule(tally)\n", "raised RecursionError"),
    "leaves": ("    raise SystemExit(0)\n", "raised SystemExit"),
    "slips": ("    return True\n", "returned bool, which is no Verdict"),
    "floats": (
        "    return Verdict('WARN', True, '', 'so', agreement=0.5)\n",
        "returned a verdict whose agreement is float",
    ),
    "mumbles": (
        "    return Verdict.on(tally, 'WARN', None, decided=True)\n",
        "returned a verdict whose because is NoneType",
    ),
    "hushes": ("    return None\n", "stayed silent, and no other comes after it"),
    "needs": ("    return Verdict.on(tally, 'WARN', 'so it is', decided=True)\n", ""),
}
"""What a rule does, by its name, and what is said of it. `needs` decides; what it says that it needs raises."""
ENDS = dict.fromkeys(RULES, "\n\nSPEC = RuleSpec(rule=rule, always=True)\n")
ENDS["needs"] = "\n\nSPEC = RuleSpec(rule=rule, always=True, needs=lambda seats, at_least=1: 1 / 0)\n"
PANEL = "extends: tribunal\nrulebook:\n  name: acme\n  rules: []\n  otherwise: {}\n  silence: none\n"
COUNT = "\n\ndef count(brief, heard, options):\n    return {}\n\n\nSPEC = CountSpec(count=count, votes=(Choice,))\n"
COUNTS = {"counts_zero": ("1 / 0", "raised ZeroDivisionError"), "counts_none": ("None", "returned NoneType")}
Quorate = Callable[..., Ran]


@pytest.fixture
def quorate(tmp_path: Path, odd: OddServer) -> Quorate:
    site = tmp_path / "site"
    rules = {f"acme_{name}.py": BEGIN + text + ENDS[name] for name, (text, _) in RULES.items()}
    counts = {
        f"acme_{name}.py": "from quorate.authoring import *\n" + COUNT.format(what[0]) for name, what in COUNTS.items()
    }
    outing = ODD["acme_odd/outing.py"]
    protocols = {
        f"acme_by_{name}.py": outing.replace('"heads", (("final", "vote"), ("sealed", "vote"))', f'"{name}"')
        for name in COUNTS
    }
    points = {
        "quorate.rules": {name: f"acme_{name}" for name in RULES},
        "quorate.counts": {name: f"acme_{name}" for name in COUNTS},
        "quorate.protocols": {f"by_{name}": f"acme_by_{name}" for name in COUNTS},
    }
    write_metadata(site, "acme-rules", {**rules, **counts, **protocols}, points)
    for name in RULES:
        (tmp_path / f"{name}.yaml").write_text(PANEL.format(name))
    (site / "acme_odd").mkdir()
    write_metadata(site, "acme-odd", ODD, ODD_POINTS)
    return partial(run_in, tmp_path, site, {"ODD_API_KEY": KEY, "ODD_BASE_URL": odd.url})


@pytest.mark.parametrize("name", [name for name in RULES if name != "needs"])
def test_a_failing_rule_leaves_a_verdict_for_a_person(name: str, quorate: Quorate, odd: OddServer) -> None:
    words = ("--panel", f"{name}.yaml", "--trust", "--model", "odd:parrot")
    verdict = document(quorate("ask", QUESTION, *words, "--json"))
    asked, verified = len(odd.asked), quorate("verify", "last")
    shown = quorate("show", "last")
    again = document(quorate("replay", "last", "--rulebook", "tribunal", "--json"))

    assert (verdict["outcome"], verdict["decided"], verdict["rule"]) == ("WARN", False, "rule_failed")
    assert verdict["requires_human_review"]
    assert RULES[name][1] in verdict["because"]
    assert name in verdict["because"]
    assert [one["name"] for one in verdict["cautions"]].count("rule_failed") == 1
    assert verified.returncode == 0, verified.stderr
    assert "this is a bug" not in shown.stderr
    assert (again["outcome"], again["decided"]) == ("ACT", True)
    assert len(odd.asked) == asked, "another rulebook decides on the same ballots"


def test_a_rule_that_cannot_say_what_it_needs_decides_all_the_same(quorate: Quorate) -> None:
    words = ("--panel", "needs.yaml", "--trust", "--model", "odd:parrot")
    asked = quorate("ask", QUESTION, *words)

    assert "this is a bug" not in asked.stderr
    assert "so it is" in asked.stdout


@pytest.mark.parametrize("name", COUNTS)
def test_a_failing_count_leaves_a_verdict_for_a_person(name: str, quorate: Quorate) -> None:
    asked = quorate("ask", QUESTION, "--protocol", f"by_{name}", "--model", "odd:parrot", "--json")
    verdict, verified, shown = document(asked), quorate("verify", "last"), quorate("show", "last")

    assert (verdict["outcome"], verdict["decided"], verdict["rule"]) == ("WARN", False, "count_failed")
    assert verdict["requires_human_review"]
    assert f"{name!r} (acme_{name}) {COUNTS[name][1]}" in verdict["because"]
    assert verified.returncode == 0, verified.stderr
    assert "this is a bug" not in shown.stderr + asked.stderr


def document(ran: Ran) -> Any:  # noqa: ANN401 - what JSON holds
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)["verdict"]
