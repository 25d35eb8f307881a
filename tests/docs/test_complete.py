"""A feature without a page does not exist: what the source offers is written down, and nothing else is."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from quorate.doors.cli.command_group import quorate
from quorate.doors.cli.exit_codes import TABLE
from quorate.model import Event
from quorate.panelists.registry import PROVIDERS
from quorate.settings import rulebook_file as rulebooks
from quorate.settings import table
from quorate.settings.amounts import BUDGET_PARTS
from quorate.settings.panel_file import SEAT_FIELDS
from quorate.settings.resolve import resolve
from tests.docs.models import Models
from tests.docs.named import cautions, silences, variables
from tests.docs.page import pages
from tests.docs.running import Page
from tests.docs.shell import Shell
from tests.docs.tables import first, page, rows, section

CONFIGURATION = "reference/configuration.md"
GENERATED = "<!-- Written by `make docs`"
WRITTEN = "\n".join(text for path in pages() if GENERATED not in (text := path.read_text(encoding="utf-8")))
"""Every page that somebody wrote; the generated ones hold everything by construction."""


def commands() -> dict[str, click.Command]:
    context = click.Context(quorate, help_option_names=["-h", "--help"])
    found = {name: quorate.get_command(context, name) for name in quorate.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


@pytest.mark.parametrize("name", commands())
def test_every_command_is_written_about(name: str) -> None:
    assert re.search(rf"\bquorate {name}\b", WRITTEN)


def test_every_flag_is_written_about() -> None:
    flags = {flag for command in commands().values() for option in command.params for flag in option.opts[:1]}

    assert {flag for flag in flags if flag.startswith("--") and not re.search(rf"{flag}\b", WRITTEN)} == set()


def test_every_reason_for_silence_is_listed_and_no_other() -> None:
    assert first(page("reference/silence.md")) == silences()


def test_every_caution_is_listed_and_no_other() -> None:
    assert first(page("reference/cautions.md")) == cautions()


def test_the_exit_codes_are_those_of_the_command() -> None:
    published = [(int(row[0]), row[1]) for row in rows(page("reference/exit-codes.md")) if row[0].isdecimal()]

    assert published == list(TABLE)


def test_every_event_is_listed_and_no_other() -> None:
    listed = first(section(page("reference/ledger.md"), "## The events"))

    assert listed == {kind.__name__ for kind in get_args(Event)}


def test_every_setting_is_listed_with_the_places_it_may_stand_in() -> None:
    listed = {row[0].strip("`"): [cell.strip("`") for cell in row[1:8]] for row in settings_listed()}
    expected = {
        option.name: [
            {"flag": option.flag, "variable": option.variable}.get(place, option.name) if place in option.places else ""
            for place in table.EVERYWHERE
        ]
        for option in table.TABLE
        if option.places != ("panel file",)
    }

    assert listed == expected


def test_the_defaults_are_those_listed() -> None:
    listed = {row[0].strip("`"): row[8].strip("`") for row in settings_listed()}
    found = {row.key: row.value for row in resolve({}, {}, Path("~")).rows()}

    for key in ("protocol", "patience", "ledger", "concurrency"):
        assert listed[key] == found[key]
    assert found["panel"] in listed["panel"]
    assert {found[key] for key in ("budget.calls", "budget.tokens", "budget.money", "deadline")} == {"none"}


def settings_listed() -> list[list[str]]:
    return [list(row) for row in rows(section(page(CONFIGURATION), "## Settings"))]


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("## Fields of a panel file", tuple(option.name for option in table.options_at("panel file"))),
        ("## Fields of a seat", SEAT_FIELDS),
        ("## Fields of a rulebook", rulebooks.FIELDS),
        ("## Fields of a budget", tuple(BUDGET_PARTS)),
    ],
)
def test_every_field_of_a_file_is_listed_and_no_other(heading: str, fields: tuple[str, ...]) -> None:
    assert first(section(page(CONFIGURATION), heading)) == set(fields)


def test_every_variable_is_written_about() -> None:
    keys = {provider.variable for provider in PROVIDERS.values()}

    assert {name for name in variables() | keys if name not in WRITTEN} == set()


def test_every_provider_is_listed_with_its_key_and_address() -> None:
    listed = rows(section(page("how-to/use-your-models.md"), "## Name a model"))

    assert {row[0].strip("`"): (row[1].strip("`"), row[2]) for row in listed} == {
        name: (provider.variable, provider.base_url) for name, provider in PROVIDERS.items()
    }


AT = "http://127.0.0.1:{port}/v1"
ASKED = "quorate ask 'Should we?' --model openai:{model}@http://127.0.0.1:{port}/v1 --json"
ORACLE = (
    "quorate ask 'Has it opened?' --panel oracle --context 'It is said that it opened on Monday.' --json "
    f"--model openai:m@{AT} --seat Doubting=openai:expired@{AT} --set answers="
)
DEBATE = f"quorate ask 'Delete it?' --panel debate --set judge=beside --model openai:m@{AT} --json"
COUNSEL = f"quorate ask 'How?' --panel conference --set similarity=overlap --model openai:red@{AT} --json"
RANKED = f"quorate ask 'Which?' --panel ranked --option A --option B --option C --model openai:m@{AT} --json"
WORDS = {
    "ballot.txt": '{"decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}',
    "nothing.txt": "Hm.",
    "vote.txt": 'VOTE: {"option": "A", "confidence": 0.8, "rationale": "so", "continue_debate": false}',
    "approval.txt": '{"approved": ["B", "A"], "confidence": 0.8, "rationale": "so"}',
    "approvals.json": '[{"seat": "a", "approved": ["A"], "confidence": 0.8}]',
    "estimate.txt": '{"value": 12, "low": 10, "high": 15, "confidence": 0.8, "rationale": "so"}',
    "numbers.json": '[{"seat": "a", "value": 12, "low": 10, "high": 15, "confidence": 0.8}]',
    "ranking.txt": '{"ranking": ["B", ["A", "C"]], "confidence": 0.8, "rationale": "so"}',
    "finding.txt": '{"outcome": "YES", "confidence": 0.8, "evidence": [{"url": "https://a.example", "quote": "so"}]}',
    "change.diff": "--- a/app.py\n+++ b/app.py\n@@ -1 +1,2 @@\n a = 1\n+wipe()\n",
    "panel.yaml": "extends: tribunal\nmodel: openai:m@http://127.0.0.1:9/v1\nseats: [{name: Safety, model: 'cli:llm'}]",
    "argument.txt": '{"claims": ["It saves money"], "evidence": ["300 euros"], "confidence": 0.8}',
}
KEYED = {
    "final_tally": "OPTION",
    "pairwise_overlaps": "PAIR",
    "per_participant": "SEAT",
    "per_participant_similarity": "SEAT",
}
"""Objects whose names are somebody's own, and how the page calls them."""
DOCUMENTS = {
    "## ask, resume, review, outcome, show --as json": (
        ASKED,
        "quorate review last --outcome WARN --by Ann --because 'I looked.' --json",
        "quorate review last --outcome REFUSE --by Ben --because 'So did I.' --json",
        "quorate outcome last WARN --by Ann --because 'It was so.' --json",
        "quorate outcome last REFUSE --json",
        "quorate show last --json",
        "quorate ask 'Delete\x01it?' --panel demo --json",
        RANKED,
        ASKED.replace("{model}", "curious").replace("--json", "--look-in . --json"),
        ASKED.replace("{model}", "swayed").replace("--json", "--memory on --json"),
        "quorate decide approvals.json --rulebook approval --json",
        "quorate decide numbers.json --rulebook delphi --json",
        f"{COUNSEL} --seat Gamma=openai:expired@{AT}",
        f"{COUNSEL} --seat Gamma=openai:reworded@{AT}",
        ASKED.replace("{model}", "m").replace("--json", "--context @ballot.txt --json"),
    ),
    "## ask --detach": ("quorate ask 'Should we?' --panel demo --detach --json",),
    "## ask --dry-run": (
        "quorate ask 'Should we?' --panel demo --dry-run --json",
        "quorate ask 'Should we?' --panel gate --model ollama:m --dry-run --json",
        "quorate ask 'Delete\x01it?' --panel demo --dry-run --json",
    ),
    "## show --as oracle": (
        f"{ORACLE}yes_no",
        "quorate show last --as oracle",
        f"{ORACLE}probability",
        "quorate review last --outcome YES --by Ann --because 'It did.' --json",
        "quorate show last --as oracle",
    ),
    "## show --as debate": (
        DEBATE,
        "quorate show last --as debate",
        f"{DEBATE} --seat Moderator=openai:expired@{AT}",
        "quorate show last --as debate",
    ),
    "## show --as counsel": (f"{COUNSEL} --seat Gamma=openai:expired@{AT}", "quorate show last --as counsel"),
    "## findings": (
        f"quorate findings change.diff --model openai:m@{AT} --json",
        f"quorate findings change.diff --model openai:expired@{AT} --json",
    ),
    "## models": ("quorate models --json",),
    "## doctor": (f"quorate doctor openai:m@{AT} openai:m --json", "quorate doctor --json"),
    "## panel check": (
        f"quorate panel check tribunal --model openai:m@{AT} --json",
        "quorate panel check ranked --json",
    ),
    "## panel trust": (
        "quorate panel trust panel.yaml --json",
        "quorate panel trust tribunal --json",
    ),
    "## read": (
        "quorate read ballot.txt --json",
        "quorate read nothing.txt --json",
        "quorate read vote.txt --protocol conference --json",
        "quorate read ranking.txt --protocol ranked --json",
        "quorate read approval.txt --protocol approval --json",
        "quorate read estimate.txt --protocol delphi --json",
        "quorate read finding.txt --protocol oracle --json",
        "quorate read argument.txt --protocol debate --json",
    ),
    "## list, review list": (ASKED, "quorate review list --json", "quorate list --json"),
    "## verify": (ASKED, "quorate verify last --json"),
    "## verify --against": ("quorate verify --against checkpoint.json --json",),
    "## The checkpoint": ("cat checkpoint.json",),
    "## verify an attestation": ("quorate verify attestation.json --key $(cat public.txt) --json",),
    "## verify a proof": ("quorate verify proof.json --attestation attestation.json --key $(cat public.txt) --json",),
    "## The attestation": ("cat attestation.json",),
    "## The proof of an entry": ("cat proof.json",),
    "## Typed data for a contract": ("cat typed.json",),
    "## route": ("quorate route 'Should we?' --seat Safety=ollama:my-model,ollama:other --model auto --json",),
    "## quality": (ASKED, "quorate quality last --against single --json"),
    "## config": ("quorate config --json",),
    "## panels": ("quorate panels --json",),
    "## rules": ("quorate rules --json",),
}
ATTESTED = (
    ASKED.replace("{model}", "swayed"),
    "quorate review last --outcome WARN --by Ann --because 'I looked.' --json",
    "quorate attest keygen --key signing.pem > public.txt",
    "quorate attest last --key signing.pem -o attestation.json",
    "quorate attest last --entry 2 -o proof.json",
    "quorate checkpoint --key signing.pem -o checkpoint.json",
    ASKED.replace("{model}", "my-model"),
    "quorate attest keygen --as eip712 --key chain.key",
    f"quorate attest last --as eip712 --key chain.key --chain-id 1 --contract 0x{'11' * 20} -o typed.json",
)
"""What must be there before an attestation, a proof, a checkpoint or typed data can be looked at."""
Told = Callable[[str], dict[str, Any]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models, request: pytest.FixtureRequest
) -> Iterator[Told]:
    opened = Page(tmp_path, monkeypatch, models)
    shell = Shell(monkeypatch.setenv)
    for name in ("MISTRAL", "NEBIUS"):  # one that the table of routes has a model of, and one that it has none of
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        monkeypatch.setenv(f"{name}_BASE_URL", f"http://127.0.0.1:{models.port}/v1")
    for name, words in WORDS.items():
        Path(name).write_text(words)

    signed = any(word in request.node.name for word in ("attest", "proof", "contract", "checkpoint", "against"))
    for command in ATTESTED if signed else ():
        shell.run(command.replace("{port}", str(models.port)))

    def run(command: str) -> dict[str, Any]:
        found = json.loads(shell.run(command.replace("{port}", str(models.port))).out)
        assert isinstance(found, dict)
        return found

    yield run
    opened.close()


def paths(value: object, path: str = "") -> Iterator[str]:
    """Every path to a value that is no container."""
    match value:
        case dict():
            called = KEYED.get(path.rpartition(".")[2])
            for name, inner in value.items():
                yield from paths(inner, f"{path}.{called or name}" if path else str(name))
        case list():
            for inner in value:
                yield from paths(inner, f"{path}[]")
        case _:
            yield path


def empties(value: object, path: str = "") -> Iterator[str]:
    """Lists that are empty, as paths to what they would hold."""
    if value == []:
        yield f"{path}[]"
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from empties(inner, f"{path}.{name}" if path else str(name))
    for inner in value if isinstance(value, list) else ():
        yield from empties(inner, f"{path}[]")


def holds(path: str, found: set[str]) -> bool:
    return path in found or any(one.startswith((f"{path}.", f"{path}[")) for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("heading", DOCUMENTS)
def test_every_field_of_a_document_is_listed_and_no_other(heading: str, told: Told) -> None:
    said = [
        told(command.replace("{model}", model))
        for command in DOCUMENTS[heading]
        for model in (("swayed", "expired", "stern") if "{model}" in command else ("",))
    ]
    told_of = [document for document in said if "verdict" not in document or "ask" in heading]
    found = {path for document in told_of for path in paths(document)}
    empty = {path for document in told_of for path in empties(document)}
    listed = first(section(page("reference/json.md"), heading))

    assert found - listed == set()
    assert {path for path in listed - found if not holds(path, found | empty)} == set()


@pytest.mark.slow
def test_a_verdict_alone_has_the_same_names(told: Told) -> None:
    Path("ballots.json").write_text('[{"seat": "Safety", "decision": "VETO"}]')
    listed = first(section(page("reference/json.md"), "## ask, resume, review, outcome, show --as json"))
    told(ASKED.replace("{model}", "split"))

    for command in ("quorate decide ballots.json --json", "quorate replay last --rulebook strict --json"):
        assert set(paths(told(command))) <= listed


@pytest.mark.slow
def test_what_decide_adds_is_listed(told: Told) -> None:
    text = page("reference/json.md")
    added = first(section(text, "## decide, replay"))
    found = [{"seat": seat, "outcome": "YES", "confidence": 0.8} for seat in "abc"]
    options = [{"seat": seat, "option": f"Use {seat} now", "confidence": 0.8} for seat in ("flags", "logs", "tags")]
    Path("found.json").write_text(json.dumps(found))
    Path("options.json").write_text(json.dumps(options))

    oracle = set(paths(told("quorate decide found.json --rulebook oracle --json")["oracle"]))
    grouping = told("quorate decide options.json --rulebook plurality --json")["grouping"]

    assert oracle - first(section(text, "## show --as oracle")) == set()
    assert set(paths(grouping, "grouping")) == added - {"oracle"}
