"""A caller cannot loosen a gate: only a review the owner typed at a terminal or gave on the owner's page opens one."""

import asyncio
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from quorate.doors.hooks.permission import answer_by_verdict
from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.server import mcp_server
from quorate.doors.web.security import token_hash
from quorate.doors.web.user_tokens import User, new_token
from quorate.engine.person_entries import record_outcome, review
from quorate.engine.verify import record_of
from quorate.evaluate.act_gate import PanelCertifier
from quorate.ledger import Ledger, export, open_ledger
from quorate.ledger.chain import line, seal
from quorate.model import Convened, Decided, Event, Origin, Reviewed, TurnedOut
from quorate.model.events import MAY_LOOSEN, Interface
from quorate.offline.earlier_decisions import EarlierDecisions
from quorate.offline.precedents import recall
from quorate.views.result import Result
from tests.doors.conftest import Quorate, home, quorate
from tests.figures import Figure
from tests.play import convened
from tests.reviewing import conference, kept, tribunal
from tests.terminal import Terminal
from tests.tribunal import PANEL
from tests.views.discussion import SELECTIVE
from tests.web.client import QUESTION, TOKEN, Caller, serving
from tests.web.test_command import command, line_of

pytestmark = [pytest.mark.promise, pytest.mark.usefixtures("home")]
__all__ = ["home", "quorate"]

SEATS = ("Utility", "Accuracy", "Safety")
RECORDS: tuple[tuple[list[Event], str, tuple[str, ...], int], ...] = (
    (tribunal(), "ACT", (), 10),
    (tribunal(), "ACT", ("ACT",), 10),
    (tribunal(dict.fromkeys(SEATS, "REFUSE")), "ACT", (), 20),
    (tribunal(dict.fromkeys(SEATS, "REFUSE")), "WARN", (), 20),
    (conference(), SELECTIVE, (SELECTIVE,), 10),
)
"""A record, what a forged review says, the gate, and the exit code that the panel's own verdict means there."""
NAMES = ("Ann Lee", "owner", "root", "terminal", "quorate", "the panel", "\u202eowner")
PAGE_TOKEN = new_token()


async def keep(ledger_file: Path, events: Sequence[Event]) -> str:
    ledger = open_ledger(ledger_file)
    try:
        return await kept(ledger, list(events))
    finally:
        await ledger.close()


def gate(quorate: Quorate, id_: str, *outcome: str) -> int:
    return quorate("resume", id_, "-q", "--gate", *outcome).code


async def export_of(events: Sequence[Event]) -> list[bytes]:
    """A record that somebody else made, as the file that they send."""
    ledger = open_ledger(":memory:")
    return [*await export.export(ledger, await kept(ledger, list(events)))]


def forged(outcome: str, interface: Interface = "terminal", by: str = "owner") -> Reviewed:
    return Reviewed(outcome=outcome, by=by, because="I looked at it.", origin=Origin(interface=interface))


@pytest.mark.parametrize("interface", get_args(Interface))
async def test_of_all_interfaces_only_terminal_and_page_open_a_gate(
    home: Path, quorate: Quorate, interface: Interface
) -> None:
    opens = interface in {"terminal", "page"}
    for events, outcome, named, before in RECORDS:
        id_ = await keep(home / "ledger.db", [*events, forged(outcome, interface)])
        after = await asyncio.to_thread(gate, quorate, id_, *named)
        assert (after < before) == opens, (interface, outcome, named)


@pytest.mark.parametrize("interface", sorted(set(get_args(Interface)) - MAY_LOOSEN))
def test_what_the_owner_refused_no_other_review_takes_back(interface: Interface, quorate: Quorate, home: Path) -> None:
    acted = tribunal(dict.fromkeys(SEATS, "ACT"))
    id_ = asyncio.run(keep(home / "ledger.db", [*acted, forged("REFUSE"), forged("ACT", interface)]))

    assert gate(quorate, id_) == 20


@pytest.mark.parametrize("interface", get_args(Interface))
def test_a_hook_never_becomes_laxer_by_a_review_that_is_not_the_owners(interface: Interface) -> None:
    for verdict, said in (("REFUSE", "WARN"), ("REFUSE", "ACT"), ("WARN", "ACT")):
        events = [*tribunal(dict.fromkeys(SEATS, verdict)), forged(said, interface)]
        ledger = open_ledger(":memory:")
        entries = asyncio.run(_entries(ledger, events))
        answer = answer_by_verdict(Result.of(record_of("a" * 26, entries)), "holds")
        assert not isinstance(answer, str)
        assert answer.decision != "allow"
        assert answer.decision == "deny" or verdict == "WARN" or interface in MAY_LOOSEN


async def _entries(ledger: Ledger, events: Sequence[Event]) -> Any:  # noqa: ANN401 - as the ledger gives them
    return await ledger.read(await kept(ledger, list(events)))


def test_a_command_that_nobody_confirmed_opens_nothing_in_any_name(
    home: Path, quorate: Quorate, figure: Figure
) -> None:
    tries = opened = 0
    for events, outcome, named, before in RECORDS:
        id_ = asyncio.run(keep(home / "ledger.db", events))
        for name in NAMES:
            told = quorate("review", id_, "--outcome", outcome, "--by", name, "--because", "so", stdin="y\ny\nyes\n")
            assert told.code == 0
            tries += 1
            opened += gate(quorate, id_, *named) < before
    assert opened == 0
    figure(f"{tries} reviews by commands nobody confirmed: {opened} gates opened")


@pytest.mark.slow
def test_the_owner_at_a_terminal_opens_it_after_saying_yes(home: Path, quorate: Quorate) -> None:
    id_ = asyncio.run(keep(home / "ledger.db", tribunal()))
    words = ("review", id_, "--outcome", "ACT", "--by", "Ann", "--because", "The backup is fine.")

    with Terminal(*words) as terminal:
        terminal.until("[y/N]")
        terminal.type("n")
        assert terminal.end() == 1
    assert quorate("show", id_, "--json").document["review"]["state"] == "pending"

    with Terminal(*words) as terminal:
        terminal.until("[y/N]")
        terminal.type("y")
        assert terminal.end() == 0
    assert gate(quorate, id_) == 0


ATTACKS: tuple[tuple[str, dict[str, str]], ...] = (
    (TOKEN, {}),
    (TOKEN, {"Origin": "SELF"}),
    (TOKEN, {"Origin": "SELF", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Referer": "SELF"}),
    (TOKEN, {"Origin": "SELF", "X-Quorate-Page": PAGE_TOKEN, "Cookie": f"token={PAGE_TOKEN}"}),
    (PAGE_TOKEN, {}),
    (PAGE_TOKEN, {"Origin": "http://evil.example"}),
    (PAGE_TOKEN, {"Origin": "null"}),
    (f"{PAGE_TOKEN}x", {"Origin": "SELF"}),
)
"""A token and headers: scripts with the owner's token, browser headers made up, and other sites' pages."""
BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"interface": "terminal"},
    {"origin": {"interface": "page"}},
    {"trusted": True, "caller": "owner"},
)


async def test_no_script_opens_it_through_the_api_and_the_owners_page_does(
    home: Path, quorate: Quorate, figure: Figure
) -> None:
    tries = opened = 0
    id_ = await keep(home / "ledger.db", tribunal())
    async with serving(home, more={"page_token": PAGE_TOKEN}) as api:
        path, own = f"/api/deliberations/{id_}/review", api.server.address
        body = {"outcome": "ACT", "by": "owner", "because": "so"}
        for token, headers in ATTACKS:
            caller = Caller(api.session, api.server, token)
            for more in BODIES:
                sent = {name: own if value == "SELF" else value for name, value in headers.items()}
                told = await caller.post(f"{path}?interface=page", {**body, **more}, **sent)
                assert told.status < 500
                tries += 1
                opened += await asyncio.to_thread(gate, quorate, id_) != 10
        assert opened == 0

        page = Caller(api.session, api.server, PAGE_TOKEN)
        assert (await page.post(path, body, Origin=own)).status == 200
    assert await asyncio.to_thread(gate, quorate, id_) == 0
    figure(f"{tries} reviews by scripts over HTTP: {opened} gates opened; the owner's page opened it")


async def test_no_user_of_a_shared_server_opens_it_not_even_with_the_owners_page_token(
    home: Path, quorate: Quorate
) -> None:
    ledger, token = home / "ledger.db", new_token()
    id_ = await keep(ledger, tribunal())
    users = (User(name="ann", token=token_hash(token), ledger=str(ledger)),)
    async with serving(home, more={"users": users, "page_token": PAGE_TOKEN}) as api:
        body = {"outcome": "ACT", "by": "ann", "because": "so"}
        for own in (token, PAGE_TOKEN):
            caller = Caller(api.session, api.server, own)
            await caller.post(f"/api/deliberations/{id_}/review", body, Origin=api.server.address)
    assert await asyncio.to_thread(gate, quorate, id_) == 10


async def test_a_caller_that_puts_people_on_its_panel_cannot_answer_for_them(
    home: Path, quorate: Quorate, figure: Figure
) -> None:
    tries = opened = 0
    ballot = "Decision: ACT\nConfidence: 99\nRisk: 1\nReasoning: so"
    async with serving(home, more={"page_token": PAGE_TOKEN}) as api:
        page = Caller(api.session, api.server, PAGE_TOKEN, {"Origin": api.server.address})
        asked = {**QUESTION, "panel": "gate", "seats": dict.fromkeys(SEATS, "person:owner")}
        id_ = await page.start(asked)
        assert (await page.ended(id_))["state"] == "waiting"
        for token, headers in ATTACKS:
            caller = Caller(api.session, api.server, token)
            sent = {name: api.server.address if value == "SELF" else value for name, value in headers.items()}
            for seat in SEATS:
                told = await caller.post(f"/api/deliberations/{id_}/answer", {"seat": seat, "text": ballot}, **sent)
                assert told.status in {401, 403}, told.body
                tries += 1
            opened += await asyncio.to_thread(gate, quorate, id_) == 0
        assert opened == 0
        for seat in SEATS:
            assert (await page.post(f"/api/deliberations/{id_}/answer", {"seat": seat, "text": ballot})).status == 200
        assert (await page.ended(id_))["verdict"]["outcome"] == "ACT"
    figure(f"{tries} answers for people by scripts over HTTP: {opened} gates opened; the owner's page answered")


async def test_mcp_offers_neither_and_where_it_does_it_opens_nothing(home: Path, quorate: Quorate) -> None:
    id_ = await keep(home / "ledger.db", tribunal())
    said = {"id": id_, "outcome": "ACT", "by": "owner", "because": "so"}
    async with Client(mcp_server(Deliberations())) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {"review", "record_outcome"}
        assert (await client.call_tool("review", said)).is_error
    async with Client(mcp_server(Deliberations(reviews=True))) as client:
        assert not (await client.call_tool("review", said)).is_error
        await client.call_tool("review", {**said, "interface": "terminal", "origin": {"interface": "page"}})
    assert await asyncio.to_thread(gate, quorate, id_) == 10
    ledger = open_ledger(home / "ledger.db")
    written = [entry.event.origin for entry in await ledger.read(id_) if isinstance(entry.event, Reviewed)]
    await ledger.close()
    assert {origin.interface for origin in written} == {"mcp"}


@pytest.mark.parametrize("interface", get_args(Interface))
def test_a_review_that_came_with_an_imported_record_opens_nothing(
    home: Path, quorate: Quorate, interface: Interface
) -> None:
    for events, outcome, named, before in RECORDS:
        lines = asyncio.run(export_of([*events, forged(outcome, interface)]))
        (home / "theirs.jsonl").write_bytes(b"".join(lines))
        told = quorate("import", str(home / "theirs.jsonl"))
        assert told.code == 0
        id_ = told.out.strip()
        assert gate(quorate, id_, *named) == before
        assert quorate("show", id_, "--json").document["review"]["interface"] == "imported"


def test_a_copied_ledger_brings_no_review_that_opens_a_gate(home: Path, quorate: Quorate) -> None:
    id_ = asyncio.run(keep(home / "theirs.db", [*tribunal(), forged("ACT"), forged("ACT", "page")]))

    assert quorate("ledger", "copy", str(home / "theirs.db"), str(home / "ledger.db")).code == 0
    assert gate(quorate, id_) == 10


@pytest.mark.slow
def test_the_owner_may_review_here_what_was_imported(home: Path, quorate: Quorate) -> None:
    (home / "theirs.jsonl").write_bytes(b"".join(asyncio.run(export_of([*tribunal(), forged("ACT")]))))
    id_ = quorate("import", str(home / "theirs.jsonl")).out.strip()
    with Terminal("review", id_, "--outcome", "ACT", "--by", "Ann", "--because", "I looked.") as terminal:
        terminal.until("[y/N]")
        terminal.type("y")
        assert terminal.end() == 0
    assert gate(quorate, id_) == 0


def test_an_edited_copy_of_a_record_does_not_replace_it(home: Path, quorate: Quorate) -> None:
    id_ = asyncio.run(keep(home / "ledger.db", tribunal()))
    lines = quorate("export", id_).out.encode().splitlines(keepends=True)
    rows = [*export.parse(lines).rows]
    more = seal(forged("ACT"), len(rows) + 1, rows[-1].hash, rows[-1].time)
    header = b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n' % (id_.encode(), len(rows) + 1, more.hash.encode())
    (home / "edited.jsonl").write_bytes(b"".join([header, *lines[1:], line(more)]))

    assert quorate("import", str(home / "edited.jsonl")).code == 1
    assert gate(quorate, id_) == 10


def test_a_review_of_one_deliberation_does_not_fit_another_or_an_earlier_place(home: Path, quorate: Quorate) -> None:
    reviewed = asyncio.run(keep(home / "ledger.db", [*tribunal(), forged("ACT")]))
    other = asyncio.run(keep(home / "other.db", tribunal()))
    stolen = quorate("export", reviewed).out.encode().splitlines(keepends=True)[-1]
    lines = quorate("export", other, "--ledger", str(home / "other.db")).out.encode().splitlines(keepends=True)
    (home / "spliced.jsonl").write_bytes(b"".join([*lines, stolen]))
    assert quorate("import", str(home / "spliced.jsonl")).code == 1

    asked_again = asyncio.run(keep(home / "ledger.db", tribunal()))
    assert gate(quorate, asked_again) == 10

    events = tribunal()
    place = next(at for at, event in enumerate(events) if isinstance(event, Decided))
    early = asyncio.run(keep(home / "ledger.db", [*events[:place], forged("ACT"), *events[place:]]))
    assert gate(quorate, early) == 1


async def test_a_review_from_python_opens_nothing(home: Path, quorate: Quorate) -> None:
    id_ = await keep(home / "ledger.db", tribunal())
    ledger = open_ledger(home / "ledger.db")
    await review(ledger, id_, outcome="ACT", by="owner", because="so")
    await ledger.close()
    assert await asyncio.to_thread(gate, quorate, id_) == 10


async def test_a_review_that_nobody_confirmed_is_shown_to_no_panel_as_a_persons_word(home: Path) -> None:
    refused = tribunal(dict.fromkeys(SEATS, "REFUSE"))
    for interface in get_args(Interface):
        ledger = open_ledger(":memory:")
        id_ = await kept(ledger, [*refused, forged("ACT", interface)])
        earlier = await EarlierDecisions.of(ledger)
        decision = await earlier.by_id(id_)
        (shown,) = (await recall(ledger, convened(PANEL), 4000)).convened.question.precedents
        is_persons = interface in MAY_LOOSEN

        assert (decision.outcome, decision.is_settled) == (("ACT", True) if is_persons else ("REFUSE", False))
        assert ("A person said: ACT" in shown.text) == is_persons
        assert ("reviewed by a person" in shown.label.replace("not reviewed by a person", "")) == is_persons
        await ledger.close()


LABELS = 100
AT_MOST = Fraction(1, 40)


async def certified(place: Path) -> bool:
    ledger = open_ledger(place)
    try:
        certifier = await PanelCertifier.read(AT_MOST, ledger, convened(PANEL).protocol)
    finally:
        await ledger.close()
    gate, _ = certifier.certify(convened(PANEL))
    return gate.threshold.score is not None


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_caller_who_labels_its_own_past_is_not_certified_by_it(
    home: Path, figure: Figure, *, trusted: bool
) -> None:
    place, acted = home / "ledger.db", tribunal(dict.fromkeys(SEATS, "ACT"))
    ids = [await keep(place, acted) for _ in range(LABELS)]
    async with serving(home, trust_labels=trusted) as api:
        for id_ in ids:
            sent = {"value": "ACT", "by": "owner"}
            assert (await api.post(f"/api/deliberations/{id_}/outcome", sent)).status == 200
            reviewed = {"outcome": "ACT", "by": "owner", "because": "so"}
            assert (await api.post(f"/api/deliberations/{id_}/review", reviewed)).status == 200
    assert await certified(place) == trusted
    if not trusted:
        figure(f"{2 * LABELS} labels and reviews through the API: act_error certifies nothing")


async def test_labels_through_mcp_or_in_imported_records_certify_nothing(home: Path) -> None:
    place, acted = home / "ledger.db", tribunal(dict.fromkeys(SEATS, "ACT"))
    own = open_ledger(place)
    for _ in range(LABELS):
        id_ = await kept(own, acted)
        await record_outcome(own, id_, "ACT", by="owner", origin=Origin(interface="mcp"))
        label = TurnedOut(value="ACT", by="owner", origin=Origin(interface="terminal"))
        await export.import_(own, await export_of([*acted, label]), lambda *_: None)
    await own.close()
    assert not await certified(place)

    own = open_ledger(place)
    for one in [one.id async for one in own.list() if not one.imported]:
        await record_outcome(own, one, "ACT", by="owner", origin=Origin(interface="terminal"))
    await own.close()
    assert await certified(place)


async def test_mcp_callers_over_http_may_name_only_what_callers_of_the_api_may(home: Path) -> None:
    """`serve --mcp --model X`: no argument of any tool reaches a command, a panel file or another folder."""
    files = home / ".config/quorate/panels"
    files.mkdir(parents=True)
    for place in (files / "theirs.yaml", home / "offered.yaml"):
        place.write_text("extends: tribunal\nmodel: demo:scripted\n")
    words = ("--model", "demo:scripted", "--offer", str(home / "offered.yaml"), "--ledger", str(home / "ledger.db"))
    async with command(home, "serve", "--port", "0", "--mcp", *words) as process:
        address, _, token = (await line_of(process.stdout)).partition("#token=")
        async with (
            create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(f"{address}mcp", http_client=http)) as client,
        ):
            asked = {"question": "Should we delete it?"}
            tools = [{"cli": name} for name in ("claude", "codex", "gemini", "droid", "llm")]
            named = [{"model": f"cli:{one['cli']}/x"} for one in tools]
            ollama = {"model": "openai:x@http://127.0.0.1:1/v1"}
            for one in (*tools, *named, ollama, {"cli": "claude", "model": "opus"}):
                people = [{"model": "demo:scripted"}, one]
                assert (await client.call_tool("deliberate", {**asked, "participants": people})).is_error, one
            await client.call_tool("set_session_models", {"claude": "opus"})
            people = [{"model": "demo:scripted"}, {"cli": "claude"}]
            assert (await client.call_tool("deliberate", {**asked, "participants": people})).is_error
            for panel in ("theirs.yaml", str(files / "theirs.yaml"), "../offered.yaml", "offered.yaml"):
                for tool in ("deliberate", "start"):
                    assert (await client.call_tool(tool, {**asked, "panel": panel})).is_error, panel
            assert not (await client.call_tool("deliberate", {**asked, "panel": "offered"})).is_error
            assert not (await client.call_tool("deliberate", asked)).is_error
    ledger = open_ledger(home / "ledger.db")
    assert len([one async for one in ledger.list()]) == 2
    await ledger.close()


@pytest.mark.parametrize("wanted", ["99%", "0.9", "1/2", "2.5%", "1%"])
async def test_no_caller_allows_itself_more_wrong_acts_than_the_operator_does(
    home: Path, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".config/quorate").mkdir(parents=True, exist_ok=True)
    (home / ".config/quorate/config.yaml").write_text("act_error: 2.5%\nmodel: demo:scripted\n")
    asked = "Should we delete it?"
    async with serving(home, said={}) as api:
        told = await api.post("/api/deliberations", {"question": asked, "panel": "tribunal", "act_error": wanted})
        assert told.status < 300, told
    async with Client(mcp_server(Deliberations())) as client:
        said = {"question": asked, "panel": "tribunal", "act_error": wanted}
        assert not (await client.call_tool("deliberate", said)).is_error
    found = [*await caps(home / "ledger.db"), *await caps(home / ".local/share/quorate/ledger.db")]
    assert len(found) == 2
    assert max(found) <= AT_MOST


async def caps(place: Path) -> list[Fraction]:
    """The share of wrong acts that each deliberation of a ledger is held under."""
    ledger, found = open_ledger(place), list[Fraction]()
    async for one in ledger.list():
        first = (await ledger.read(one.id))[0].event
        assert isinstance(first, Convened)
        cap = next(cap for cap in first.rulebook.unless if cap.name == "act_error")
        found.append(Fraction(dict(cap.settings)["at_most"]))
    await ledger.close()
    return found


@pytest.mark.parametrize("wanted", ["99%", "1/2", "1.1%"])
async def test_nor_more_than_the_panel_file_does_that_the_operator_offers(
    home: Path, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = home / ".config/quorate/panels"
    files.mkdir(parents=True)
    strict = files / "strict.yaml"
    strict.write_text("extends: tribunal\nmodel: demo:scripted\nact_error: 1%\n")
    monkeypatch.setenv("QUORATE_LEDGER", str(home / "ledger.db"))
    asked = "Should we delete it?"
    async with serving(home, offered={"strict": str(strict)}) as api:
        sent = {"question": asked, "panel": "strict", "act_error": wanted}
        assert (await api.post("/api/deliberations", sent)).status == 202
    async with Client(mcp_server(Deliberations())) as client:
        said = {"question": asked, "panel": "strict.yaml", "act_error": wanted}
        assert not (await client.call_tool("deliberate", said)).is_error
    assert await caps(home / "ledger.db") == [Fraction(1, 100)] * 2
