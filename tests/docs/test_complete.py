"""A feature without a page does not exist: what the source offers is written down, and nothing else is."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from quorate.doors.cli import quorate
from quorate.doors.cli.codes import TABLE
from quorate.engine import layers, panelfile, rulebooks, seats
from quorate.engine.config import Flags, resolve
from quorate.engine.durations import Allowance
from quorate.model import Event
from quorate.panelists.models import PROVIDERS
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
    context = click.Context(quorate)
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
    wish = {option.name: option.opts[0] for option in commands()["config"].params}
    inward = {"seats": "seats", "settings": "settings"}
    named = frozenset(layers.USER_FIELDS) - layers.FILE_ONLY
    expected = {
        name: (
            wish.get(inward.get(name, name), ""),
            f"QUORATE_{name.upper()}" if name in named else "",
            name if name in panelfile.FIELDS else "",
            name if name in layers.USER_FIELDS else "",
        )
        for name in (*layers.USER_FIELDS, "seats", "files")
    }
    listed = rows(section(page(CONFIGURATION), "## Settings"))

    assert {row[0].strip("`"): tuple(cell.strip("`") for cell in row[1:5]) for row in listed} == expected


def test_the_defaults_are_those_listed() -> None:
    listed = {row[0].strip("`"): row[5].strip("`") for row in rows(section(page(CONFIGURATION), "## Settings"))}
    found = {row.key: row.value for row in resolve(Flags(), {}, Path("~")).rows()}

    for key in ("protocol", "patience", "ledger", "concurrency"):
        assert listed[key] == found[key]
    assert found["panel"] in listed["panel"]
    assert {found[key] for key in ("budget.calls", "budget.tokens", "budget.money", "deadline")} == {"none"}


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("## Fields of a panel file", panelfile.FIELDS),
        ("## Fields of a seat", seats.FIELDS),
        ("## Fields of a rulebook", rulebooks.FIELDS),
        ("## Fields of a budget", tuple(Allowance.__dataclass_fields__)),
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


ASKED = "quorate ask 'Should we?' --model openai:{model}@http://127.0.0.1:{port}/v1 --json"
DOCUMENTS = {
    "## ask, resume, review, show --as json": (
        ASKED,
        "quorate review last --outcome WARN --by Ann --because 'I looked.' --json",
        "quorate review last --outcome REFUSE --by Ben --because 'So did I.' --json",
        "quorate show last --json",
        "quorate ask 'Delete\x01it?' --panel demo --json",
    ),
    "## ask --dry-run": (
        "quorate ask 'Should we?' --panel demo --dry-run --json",
        "quorate ask 'Delete\x01it?' --panel demo --dry-run --json",
    ),
    "## read": ("quorate read ballot.txt --json", "quorate read nothing.txt --json"),
    "## list, review list": (ASKED, "quorate review list --json", "quorate list --json"),
    "## verify": (ASKED, "quorate verify last --json"),
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
    "quorate attest keygen --as eip712 --key chain.key",
    f"quorate attest last --as eip712 --key chain.key --chain-id 1 --contract 0x{'11' * 20} -o typed.json",
)
"""What must be there before an attestation, a proof or typed data can be looked at."""
Told = Callable[[str], dict[str, Any]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models, request: pytest.FixtureRequest
) -> Iterator[Told]:
    opened = Page(tmp_path, monkeypatch, models)
    shell = Shell(monkeypatch.setenv)
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    Path("ballot.txt").write_text('{"decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}')
    Path("nothing.txt").write_text("Hm.")

    signed = any(word in request.node.name for word in ("attest", "proof", "contract"))
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
            for name, inner in value.items():
                yield from paths(inner, f"{path}.{name}" if path else str(name))
        case list():
            for inner in value:
                yield from paths(inner, f"{path}[]")
        case _:
            yield path


def empties(document: dict[str, Any]) -> set[str]:
    """Lists that are empty, as paths to what they would hold."""
    return {f"{name}[]" for name, value in document.items() if value == []}


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
    listed = first(section(page("reference/json.md"), "## ask, resume, review, show --as json"))
    told(ASKED.replace("{model}", "split"))

    for command in ("quorate decide ballots.json --json", "quorate replay last --rulebook strict --json"):
        assert set(paths(told(command))) <= listed
