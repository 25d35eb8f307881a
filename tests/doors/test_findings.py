"""`quorate findings`: a diff put to a panel; findings are listed and never approve, the verdict sets the code."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.doors.conftest import Quorate, Told
from tests.doors.test_hooks import SECRET
from tests.servers import MARK, Act, Endpoint, said
from tests.views.test_unified_diff import DIFF

SUBSET = json.loads(Path(__file__).with_name("sarif_subset.json").read_text(encoding="utf-8"))
"""What of the standard quorate writes, stricter than the standard: no other members."""
STANDARD = json.loads((Path(__file__).parent / "fixtures" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
LISTED = """\
I read it.

FINDING | high | src/app.py:10 | b is never checked [see](https://evil.example) @ann
1. **FINDING** | Moderate | `src/app.py:9-10` | a head that is none
- FINDING | low | gone.txt | why is it gone?
FINDING | critical | /etc/passwd:1 | not in this diff
FINDING | high | src/app.py:4000 | no such line
FINDING: something is odd here
FINDING | severity | file:line | what is wrong, and what would put it right
"""


READABLE = DIFF.partition("diff --git a/logo.png")[0]
"""The same change without the image, which nobody could read."""


def ballot(decision: str, listed: str = LISTED, why: str = "so") -> Act:
    cast = {"decision": decision, "confidence": 90, "risk": 10, "reasoning": why, "mark": MARK}
    return said(f"{listed}\n{json.dumps(cast)}")


async def look(quorate: Quorate, answer: Act, *words: str, diff: str = DIFF) -> tuple[Told, Endpoint]:
    async with Endpoint(otherwise=answer) as endpoint:
        flags = ("--model", f"openai:m@{endpoint.url}", "--set", "debate=when_split", *words)
        told = await asyncio.to_thread(quorate, "findings", "-", *flags, stdin=diff)
    return told, endpoint


def checked(file: Path) -> dict[str, Any]:
    log = json.loads(file.read_text(encoding="utf-8"))
    for schema in (SUBSET, STANDARD):
        jsonschema.validate(log, schema, format_checker=jsonschema.FormatChecker())
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert isinstance(run, dict)
    return run


async def test_findings_come_with_severity_file_line_and_who_has_them(quorate: Quorate) -> None:
    told, endpoint = await look(quorate, ballot("WARN"), "--json")
    document = told.document

    assert (told.code, document["outcome"], document["decided"]) == (0, "WARN", True)
    assert [(one["severity"], one["file"], one["line"], one["in_diff"]) for one in document["findings"]] == [
        ("critical", "/etc/passwd", 1, False),
        ("high", "src/app.py", 10, True),
        ("high", "src/app.py", 4000, False),
        ("medium", "src/app.py", 9, True),
        ("low", "gone.txt", None, True),
        ("unknown", None, None, False),
    ]
    assert document["findings"][0]["seats"] == ["Attacker", "Defender", "Privacy", "Operations"]
    assert document["without_list"] == []
    assert "    10 +b = 2" in endpoint.seen[0].body["messages"][-1]["content"]


@pytest.mark.parametrize(("outcome", "code"), [("ACT", 0), ("WARN", 10), ("REFUSE", 20)])
@pytest.mark.parametrize("listed", [LISTED, "FINDING | none", "Nothing to say."])
async def test_the_verdict_alone_sets_the_code_whatever_was_found(
    quorate: Quorate, outcome: str, code: int, listed: str
) -> None:
    told, _ = await look(quorate, ballot(outcome, listed), "--gate", diff=READABLE)

    assert told.code == code
    assert told.out.startswith(outcome)


@pytest.mark.parametrize(
    ("outcome", "shown", "code"), [("ACT", "WARN", 10), ("WARN", "WARN", 10), ("REFUSE", "REFUSE", 20)]
)
async def test_a_change_with_a_file_nobody_could_read_is_never_approved(
    quorate: Quorate, outcome: str, shown: str, code: int
) -> None:
    told, _ = await look(quorate, ballot(outcome), "--gate", "--json")

    assert (told.code, told.document["outcome"]) == (code, shown)
    assert ("nobody could read logo.png" in told.document["because"]) is (outcome == "ACT")


async def test_a_seat_without_a_list_is_not_one_that_found_nothing(quorate: Quorate, tmp_path: Path) -> None:
    none, _ = await look(quorate, ballot("ACT", "FINDING | none"))
    silent, _ = await look(quorate, ballot("ACT", ""), "--sarif", str(tmp_path / "a.sarif"))
    notes = checked(tmp_path / "a.sarif")["invocations"][0]["toolExecutionNotifications"]

    assert "No list of findings came from" not in none.out
    assert "No list of findings came from Attacker, Defender, Privacy, Operations." in silent.out
    assert any("No list" in note["message"]["text"] for note in notes)


async def test_a_list_inside_the_reasoning_is_read_too(quorate: Quorate) -> None:
    told, _ = await look(quorate, ballot("WARN", "", "Two.\nFINDING | low | ä.txt:1 | odd\nFINDING | none"), "--json")

    assert [(one["severity"], one["file"], one["line"]) for one in told.document["findings"]] == [("low", "ä.txt", 1)]


async def test_the_same_as_sarif_and_as_a_comment(quorate: Quorate, tmp_path: Path) -> None:
    sarif, comment = tmp_path / "out.sarif", tmp_path / "out.md"
    await look(quorate, ballot("REFUSE"), "--sarif", str(sarif), "--comment", str(comment))
    run, text = checked(sarif), comment.read_text(encoding="utf-8")
    places = [result["locations"][0]["physicalLocation"] for result in run["results"] if "locations" in result]

    assert run["properties"]["outcome"] == "REFUSE"
    assert run["invocations"][0]["executionSuccessful"] is True
    assert places[0] == {"artifactLocation": {"uri": "src/app.py"}, "region": {"startLine": 10}}
    assert len(places) == 3, "a place that is not in the diff is told in words alone"
    assert all("](" not in result["message"]["text"] for result in run["results"])
    assert text.startswith("### quorate: REFUSE\n")
    assert "@ann" not in text
    assert "](https" not in text
    assert "src/app.py:4000 (not in the diff)" in text


@pytest.mark.parametrize("wrong", [{"version": "2.0.0"}, {"runs": [{}]}, {"extra": 1}, {"runs": [{"tool": {}}]}])
def test_the_standards_own_schema_would_refuse_what_is_no_sarif(wrong: dict[str, Any]) -> None:
    log = {"version": "2.1.0", "runs": [], **wrong}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, STANDARD)


async def test_nobody_heard_is_no_clean_bill(quorate: Quorate, tmp_path: Path) -> None:
    told, _ = await look(quorate, said("Hm."), "--sarif", str(tmp_path / "a.sarif"), "--gate")
    run = checked(tmp_path / "a.sarif")

    assert told.code == 20
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["properties"]["decided"] is False


@pytest.mark.parametrize("hidden", [False, True])
async def test_secrets_are_sent_nowhere_and_shown_unless_others_read_it(
    quorate: Quorate, tmp_path: Path, *, hidden: bool
) -> None:
    listed = "FINDING | critical | src/app.py:10 | the token [secret-1] is in the code"
    words = ("--comment", str(tmp_path / "out.md"), *(("--redacted",) if hidden else ()))
    told, endpoint = await look(
        quorate, ballot("REFUSE", listed), *words, diff=DIFF.replace("b = 2", f"b = {SECRET!r}")
    )
    sent = json.dumps([seen.body for seen in endpoint.seen])

    assert SECRET not in sent
    assert (SECRET in told.out, SECRET in (tmp_path / "out.md").read_text()) == (not hidden, not hidden)
    assert SECRET not in quorate("show", "last", "--json").out


def test_an_empty_diff_asks_nobody_and_what_is_no_diff_is_refused(quorate: Quorate, tmp_path: Path) -> None:
    empty = quorate("findings", "-", "--gate", "--sarif", str(tmp_path / "a.sarif"), stdin="\n")
    prose = quorate("findings", "-", "--gate", "--model", "ollama:a", stdin="Fine by me.")

    assert (empty.code, prose.code) == (0, 1)
    assert "nobody was asked" in empty.out
    assert checked(tmp_path / "a.sarif")["results"] == []
    assert "this is no unified diff" in prose.err


def test_without_a_model_nothing_passes(quorate: Quorate) -> None:
    assert quorate("findings", "-", "--gate", stdin=DIFF).code == 1


async def test_files_for_the_context_are_shown_without_their_secrets(
    quorate: Quorate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.md").write_text(f"Nothing is wiped. {SECRET}")
    _, endpoint = await look(quorate, ballot("ACT"), "--files", "policy.md")
    sent = json.dumps([seen.body for seen in endpoint.seen])

    assert "Nothing is wiped." in sent
    assert SECRET not in sent
