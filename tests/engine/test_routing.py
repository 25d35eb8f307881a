"""`auto`: by the task, the table and what can be used, the same every time, on record before anybody is asked."""

from dataclasses import replace
from pathlib import Path

import pytest

from quorate.engine.prices import Prices
from quorate.engine.routing import RouteChoice, Router
from quorate.engine.runner import Runner
from quorate.errors import BadPanel, NoModel
from quorate.ledger import open_ledger
from quorate.model import Asked, Convened, Decided, Question, Routed, Seat
from quorate.panelists.registry import parse
from quorate.settings.convene import convene
from quorate.settings.provider_settings import ProviderLimits
from quorate.settings.route_table import RouteTable, load_table
from tests import servers
from tests.middleware.test_fallback import ballots, seated

KEYS = {"OPENAI_API_KEY": "a", "MISTRAL_API_KEY": "b", "XAI_API_KEY": "c"}
TABLE = """
date: 2026-01-01
otherwise: talk
tasks:
  code: {words: [bug, merge], models: [openai:coder, mistral:coder]}
  talk:
    words: [should, bug]
    models: [openai:big, mistral:big, openai:small]
    roles: {safety: [xai:careful]}
models:
  openai:big: {context: 5k, latency: 20s}
  mistral:big: {context: 100k, latency: 5s, price: 0.01}
"""


def table(tmp_path: Path, written: str = TABLE) -> RouteTable:
    path = tmp_path / "routes.yaml"
    path.write_text(written, encoding="utf-8")
    load_table.cache_clear()
    return load_table(str(path))


def auto(text: str = "Should we?", context: str = "") -> Convened:
    return convene(Question(text=text, context=context), seated("auto", "auto", "auto"))


def routed(of: RouteTable, convened: Convened, env: dict[str, str] = KEYS) -> dict[str, RouteChoice]:
    choices = Router(of, env, Prices(None, env)).route(convened, convened.seated)
    return {choice.seat: choice for choice in choices}


def test_every_model_of_the_shipped_table_can_be_named() -> None:
    shipped = load_table()
    models = {model for task in shipped.tasks.values() for part in ("", *task.roles) for model in task.order(part)}

    assert len(models) > 5
    assert {parse(model).provider for model in models} >= {"openai", "mistral", "ollama"}
    assert set(shipped.models) <= models


@pytest.mark.parametrize(
    ("question", "task"),
    [("Merge this bug?", "code"), ("Should we?", "talk"), ("Bug?", "code"), ("Hm?", "talk"), ("Debugging?", "talk")],
)
def test_the_task_is_told_by_whole_words_of_the_question(tmp_path: Path, question: str, task: str) -> None:
    assert {choice.task for choice in routed(table(tmp_path), auto(question)).values()} == {task}


def test_the_protocol_goes_before_the_question(tmp_path: Path) -> None:
    hinted = table(tmp_path, TABLE + "protocols: {tribunal: {safety: code, otherwise: talk}}\n")
    found = routed(hinted, auto("Merge this bug?"))

    assert {seat: choice.task for seat, choice in found.items()} == {
        "Utility": "talk",
        "Accuracy": "talk",
        "Safety": "code",
    }


def test_voting_seats_are_spread_over_providers_and_a_part_has_its_own_preferences(tmp_path: Path) -> None:
    found = routed(table(tmp_path), auto())

    assert [choice.model for choice in found.values()] == ["openai:big", "mistral:big", "xai:careful"]
    assert found["Accuracy"].passed == (("openai:big", "its provider has a seat already"),)
    assert found["Utility"].fallbacks == ("mistral:big", "openai:small")


def test_without_spreading_the_first_is_everybodys(tmp_path: Path) -> None:
    found = routed(replace(table(tmp_path), spread=False), auto())

    assert [choice.model for choice in found.values()] == ["openai:big", "openai:big", "xai:careful"]


@pytest.mark.parametrize(
    ("limits", "env", "model", "why"),
    [
        ("latency: 10s", KEYS, "mistral:big", "openai:big: its latency is 20, the limit 10"),
        ("context: 50k", KEYS, "mistral:big", "openai:big: its context is 5000, the limit at least 50000"),
        ("price: 0.02", KEYS, "mistral:big", "openai:big: its price is not known, the limit 0.02"),
        ("", {"MISTRAL_API_KEY": "b"}, "mistral:big", "openai:big: OPENAI_API_KEY is not set"),
    ],
)
def test_only_what_can_be_used_and_keeps_the_limits_is_chosen(
    tmp_path: Path, limits: str, env: dict[str, str], model: str, why: str
) -> None:
    found = routed(table(tmp_path, f"{TABLE}limits: {{{limits}}}\n"), auto(), env | {"XAI_API_KEY": "c"})
    seat = Seat(name="Utility")

    assert found[seat.name].model == model
    assert why in found[seat.name].why


def test_what_is_too_long_for_a_model_goes_to_another(tmp_path: Path) -> None:
    found = routed(table(tmp_path), auto(context="word " * 4000))["Utility"]

    assert found.model == "mistral:big"
    assert found.passed[0][1].startswith("reads 5000 tokens, and this needs")


def test_nothing_that_can_be_used_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match=r"no model for seat 'Utility' \(talk\): openai:big: OPENAI_API_KEY is not set"):
        routed(table(tmp_path), auto(), {})


def test_what_the_user_file_disables_is_not_chosen(tmp_path: Path) -> None:
    router = Router(
        table(tmp_path), KEYS, Prices(None, KEYS), ProviderLimits(disabled=("openai:*",), enabled=("*:big", "x*"))
    )
    choices = router.route(auto(), auto().seated)

    assert [choice.model for choice in choices] == ["mistral:big", "mistral:big", "xai:careful"]
    assert choices[0].passed == (("openai:big", "the user file disables it"),)


def test_a_local_server_is_known_once_its_address_is(tmp_path: Path) -> None:
    local = table(tmp_path, "date: 1\ntasks: {talk: {models: [ollama:small]}}\n")
    with pytest.raises(NoModel, match="no server is named; set OLLAMA_BASE_URL"):
        routed(local, auto(), {})

    assert routed(local, auto(), {"OLLAMA_HOST": "127.0.0.1"})["Safety"].model == "ollama:small"


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("tasks: {}", "'date' is missing"),
        ("date: 1\ntasks: {a: {words: [x]}}", ":2: tasks.a: no models"),
        ("date: 1\ntasks: {a: {models: [nobody:x]}}", r":2: tasks.a.models\[0\]: no provider 'nobody'"),
        ("date: 1\ntasks: {a: {models: [openai:x]}}\notherwise: b", ":3: otherwise: no task 'b'; there are a"),
        ("date: 1\ntasks: {a: {models: [openai:x]}}\nlimits: {price: dear}", ":3: limits.price: must be an amount"),
        ("date: 1\ntask: {}", ":2: no field 'task'; there are aliases"),
    ],
)
def test_a_complaint_about_a_table_names_line_and_field(tmp_path: Path, written: str, complaint: str) -> None:
    with pytest.raises(BadPanel, match=complaint):
        table(tmp_path, written)


async def test_what_auto_chose_is_on_record_before_anybody_is_asked(tmp_path: Path) -> None:
    async with servers.Endpoint(otherwise=ballots()) as endpoint:
        path = tmp_path / "own.yaml"
        path.write_text(f"date: 1\ntasks: {{talk: {{models: ['openai:m@{endpoint.url}']}}}}\n", encoding="utf-8")
        ledger = open_ledger(":memory:")
        async with Runner(ledger, provider_limits=ProviderLimits(routes=str(path))) as runner:
            record = await runner.hold(auto())
            again = await runner.resume(record.id)
    kinds = [type(event) for event in record.events]

    assert kinds[:4] == [Convened, Routed, Routed, Routed]
    assert kinds.index(Asked) > 3
    assert {event.model for event in record.events if isinstance(event, Asked)} == {f"openai:m@{endpoint.url}"}
    assert isinstance(record.events[-1], Decided)
    assert again.events == record.events


async def test_nothing_is_recorded_when_auto_finds_nothing() -> None:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        with pytest.raises(NoModel, match="auto found no model"):
            await runner.hold(auto())

    assert [summary async for summary in ledger.list()] == []


def test_auto_stands_alone_and_is_no_model_of_a_demo() -> None:
    assert auto().seated[0].domain == "auto"
    assert not auto().panel.demo


def test_a_fallback_on_a_script_makes_the_panel_a_demo() -> None:
    convened = convene(Question(text="Shall we?"), seated(*["openai:x@http://127.0.0.1:1/v1, demo:scripted"] * 3))

    assert convened.panel.demo
    assert convened.seated[0].fallbacks == ("demo:scripted",)
