"""A stranger's file cannot act: no command runs, no key and no private file leaves until the user allowed that content.

The stranger is a real server on loopback, as is the user's own provider; commands would touch a canary file.
"""

import asyncio
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from quorate import deliberate, resume
from quorate.doors.langgraph import deliberation_graph
from quorate.errors import NotTrusted
from quorate.ledger import export as records
from quorate.ledger import open_ledger
from quorate.panelists.registry import PROVIDERS
from quorate.settings.route_table import load_table
from tests.promises.strangers import (
    HARMLESS,
    KEY,
    OPENAI,
    PANELS,
    QUESTION,
    ROUTES,
    SECRET,
    World,
    forged,
    furnish,
    own_charter,
    table,
)
from tests.servers import Act, Endpoint, Seen

ASKED = 3
"""The exit code once seats were asked: what the stand-ins say is no ballot."""

pytestmark = [pytest.mark.promise, pytest.mark.timeout(120)]

CONSENTED: dict[str, Callable[[World], bool]] = {
    "a command": lambda world: world.canary.exists(),
    "a known tool": lambda world: world.canary.exists(),
    "a secret file": lambda world: world.sent() == [SECRET],
    "sources behind a link": lambda world: world.sent() == [SECRET],
    "one seat": lambda world: world.sent() == [OPENAI],
    "the key of mistral": lambda world: world.sent() == [KEY.format("MISTRAL_API_KEY")],
    "what compares texts": lambda world: bool(world.own.seen),
    "a file to write": lambda world: bool((world.home / ".bashrc").read_text()),
}
"""What shows that a consented file does what it says."""


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with Endpoint() as own, Endpoint() as stranger:
        yield furnish(tmp_path, own, stranger, monkeypatch)


@pytest.mark.parametrize("named", PANELS)
async def test_a_panel_file_does_nothing_that_nobody_allowed(world: World, named: str) -> None:
    file = world.file(PANELS[named])
    told = await world.ask(file)

    assert told.code == 1
    assert f"quorate panel trust {file}" in told.err
    assert world.untouched()


@pytest.mark.parametrize("named", PANELS)
async def test_nor_in_a_program_or_a_graph(world: World, named: str) -> None:
    file = world.file(PANELS[named])

    with pytest.raises(NotTrusted, match="set trust"):
        await deliberate(QUESTION, panel=file)
    with pytest.raises(NotTrusted):
        deliberation_graph(panel=file)
    assert world.untouched()


@pytest.mark.parametrize("named", HARMLESS)
async def test_what_cannot_act_needs_no_consent(world: World, named: str) -> None:
    told = await world.ask(world.file(HARMLESS[named]))

    assert told.code == (0 if named == "the demo" else ASKED), told.err
    assert world.sent() == []


@pytest.mark.parametrize("named", CONSENTED)
async def test_what_was_allowed_is_done_until_the_content_changes(world: World, named: str) -> None:
    file = world.file(PANELS[named])
    shown = await world.quorate("panel", "trust", str(file), "--yes")
    told = await world.ask(file)

    assert shown.code == 0, shown.err
    assert told.code == ASKED, told.err
    assert CONSENTED[named](world), told.err
    file.write_text(file.read_text(encoding="utf-8") + "# one more line\n", encoding="utf-8")
    assert (await world.ask(file)).code == 1


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
async def test_consent_shows_the_address_and_the_name_of_the_key_but_not_the_key(world: World, provider: str) -> None:
    file = world.file(PANELS[f"the key of {provider}"])
    told = await world.quorate("panel", "trust", str(file))

    assert told.code == 1, "nobody can be asked, and nobody said yes"
    assert world.stranger.url in told.out
    assert PROVIDERS[provider].variable in told.out
    assert KEY.format(PROVIDERS[provider].variable) not in told.out + told.err
    assert "--yes" in told.err
    assert (await world.ask(file)).code == 1


async def test_consent_for_one_run_is_for_one_run(world: World) -> None:
    file = world.file(PANELS["one seat"])

    assert (await world.ask(file, "--trust")).code == ASKED
    assert world.stranger.seen
    assert (await world.ask(file)).code == 1
    held = await deliberate(QUESTION, panel=file, trust=True, ledger=":memory:")
    assert held.verdict is not None
    assert world.sent() == []


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
async def test_trust_for_one_run_sends_no_key_and_says_which_it_held_back(world: World, provider: str) -> None:
    file = world.file(PANELS[f"the key of {provider}"])
    told = await world.ask(file, "--trust")

    assert world.stranger.seen, told.err
    assert world.sent() == []
    assert f"{PROVIDERS[provider].variable} is held back from {world.stranger.url}" in told.err
    pair = next(word for word in told.err.split() if word.endswith(f"@127.0.0.1:{world.stranger.port}"))
    await world.ask(file, "--trust", "--allow-key", pair)
    assert world.sent() == [KEY.format(PROVIDERS[provider].variable)], "what it tells to type does it"


async def test_nor_does_it_to_another_host(world: World) -> None:
    file = world.file("extends: tribunal\nmodel: openai:m@https://gateway.invalid/v1\n")
    told = await world.ask(file, "--trust")

    assert told.code == 1
    assert "OPENAI_API_KEY was held back" in told.err
    assert "--allow-key openai@gateway.invalid:443" in told.err
    assert world.untouched()


async def test_nor_for_a_record_or_a_table(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    export = world.home / "record.jsonl"
    export.write_bytes(b"".join(await forged(world)))
    id_ = (await world.quorate("import", str(export))).out.strip()
    resumed = await world.quorate("resume", id_, "--trust")
    load_table.cache_clear()
    monkeypatch.setenv("QUORATE_ROUTES", str(world.file(ROUTES, "routes.yaml")))
    routed = await world.quorate("ask", QUESTION, "--model=auto", "--trust")

    for told in (resumed, routed):
        assert told.code == ASKED, told.err
        assert "OPENAI_API_KEY is held back" in told.err
    assert world.stranger.seen
    assert world.sent() == []


async def test_consent_lists_the_search_server(world: World) -> None:
    listed = {
        named: (await world.quorate("panel", "trust", str(world.file(text)))).out
        for named, text in PANELS.items()
        if named.startswith("a search server")
    }

    assert all("search" in shown for shown in listed.values())
    assert world.stranger.url in listed["a search server's address"]
    assert "https://api.search.brave.com, with BRAVE_API_KEY (not set now)" in listed["a search server by its name"]


async def test_consent_is_for_what_was_there_to_see(world: World) -> None:
    file = world.file("extends: tribunal\nmodel: openai:m\nfiles: ['*.pem', '*.key']\n")
    (world.project / "a.key").write_text("x", encoding="utf-8")
    assert (await world.quorate("panel", "trust", str(file), "--yes")).code == 0
    assert (await world.ask(file)).code == ASKED

    (world.project / "b.key").write_text("y", encoding="utf-8")
    assert (await world.ask(file)).code == 1, "the file is the same, but it would read what nobody saw"


async def test_what_was_allowed_is_kept_where_only_the_user_can_read_it(world: World) -> None:
    file = world.file(PANELS["a command"])
    await world.quorate("panel", "trust", str(file), "--yes")
    kept = list((world.home / ".local/state/quorate/trust").iterdir())

    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600]
    assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("how", ["--model=auto", ""])
async def test_a_table_of_routes_does_nothing_that_nobody_allowed(
    world: World, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = world.file(ROUTES, "routes.yaml")
    load_table.cache_clear()
    monkeypatch.setenv("QUORATE_ROUTES", str(file))
    words = ("ask", QUESTION, *filter(None, (how,)))
    told = await world.quorate(*words)

    assert told.code == 1
    assert f"quorate panel trust {file}" in told.err
    assert world.untouched()
    assert (await world.quorate("panel", "trust", str(file), "--yes")).code == 0
    assert (await world.quorate(*words)).code == ASKED
    assert world.sent() == [OPENAI]


async def test_a_table_of_credibility_can_only_weigh(world: World) -> None:
    world.file(table(), "table.yaml")
    file = world.file("extends: oracle\nmodel: openai:m\nsettings: {{sources: readme.md, credibility: table.yaml}}\n")
    told = await world.ask(file)

    assert told.code == ASKED, told.err
    assert not world.stranger.seen
    assert world.sent() == []


@pytest.mark.parametrize("way", ["import", "ledger", "python", "graph's turn"])
async def test_a_forged_record_does_not_go_on(world: World, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = await forged(world, sources=str(world.home / "private"))
    ledger = world.home / ("elsewhere.db" if way == "ledger" else "ledger.db")
    held = open_ledger(ledger)
    id_ = await records.import_(held, lines, lambda *_: None)
    await held.close()
    if way == "python":
        with pytest.raises(NotTrusted, match="was not started here"):
            await resume(id_)
    elif way == "graph's turn":
        monkeypatch.setattr("quorate.engine.stepper.fresh_id", lambda _: id_)
        graph = deliberation_graph(panel=own_charter(world.own.url), ledger=ledger)
        with pytest.raises(NotTrusted, match="was not started here"):
            await graph.ainvoke({"question": QUESTION})
    else:
        told = await world.quorate("resume", id_, "--ledger", str(ledger))
        assert (told.code, "--trust" in told.err, world.stranger.url in told.err) == (1, True, True)

    assert world.untouched()


async def test_nor_is_whom_it_names_asked_alone(world: World) -> None:
    (world.home / "record.jsonl").write_bytes(b"".join(await forged(world)))
    id_ = (await world.quorate("import", str(world.home / "record.jsonl"))).out.strip()
    await world.quorate("resume", id_, "--trust")
    world.stranger.seen.clear()
    told = await world.quorate("quality", id_, "--against", "single")

    assert (told.code, "was not started here" in told.err) == (1, True), told.err
    assert world.untouched()


async def test_a_forecast_asks_nobody_whatever_the_file_names(world: World) -> None:
    for named in PANELS:
        await world.ask(world.file(PANELS[named]), "--dry-run")

    assert world.untouched()


async def test_a_record_from_elsewhere_goes_on_with_consent(world: World) -> None:
    lines = await forged(world, sources=str(world.home / "private"))
    export = world.home / "record.jsonl"
    export.write_bytes(b"".join(lines))
    id_ = (await world.quorate("import", str(export))).out.strip()
    shown = await world.quorate("panel", "trust", str(export), "--yes")

    assert str(world.home / "private") in shown.out
    assert (await world.quorate("resume", id_)).code == ASKED
    assert set(world.sent()) == {OPENAI, SECRET}


async def test_consent_for_one_record_is_not_consent_for_another(world: World) -> None:
    export = world.home / "record.jsonl"

    async def imported() -> str:
        export.write_bytes(b"".join(await forged(world)))
        return (await world.quorate("import", str(export))).out.strip()

    first, second = await imported(), await imported()
    assert (await world.quorate("resume", first, "--trust")).code == ASKED
    before = len(world.stranger.seen)

    assert (await world.quorate("resume", second)).code == 1
    assert len(world.stranger.seen) == before > 0


def hesitant(begun: asyncio.Event) -> Act:
    """Says nothing until it is asked again."""

    async def act(_: asyncio.StreamWriter, __: Seen) -> bool:
        begun.set()
        await asyncio.sleep(60)
        return False

    return act


@pytest.mark.parametrize("by", ["model", "panel for one run", "panel, allowed"])
async def test_what_the_user_began_himself_resumes_as_before(world: World, by: str) -> None:
    begun, file = asyncio.Event(), world.file(PANELS["one seat"])
    world.stranger.otherwise = world.own.otherwise = hesitant(begun)
    if by == "panel, allowed":
        await world.quorate("panel", "trust", str(file), "--yes")
    model, trust = f"openai:m@{world.stranger.url}", by == "panel for one run"
    asked = deliberate(QUESTION, model=model) if by == "model" else deliberate(QUESTION, panel=file, trust=trust)
    held = asyncio.create_task(asked)
    await begun.wait()
    held.cancel()
    await asyncio.gather(held, return_exceptions=True)
    world.stranger.otherwise = world.own.otherwise = "Fine."
    told = await world.quorate("resume", "last")

    assert told.code == ASKED, told.err
    assert world.sent() == ([OPENAI] if by == "panel, allowed" else [])


async def test_a_key_does_not_follow_an_address_that_was_typed(world: World) -> None:
    model = f"openai:m@{world.stranger.url}"

    assert (await world.quorate("ask", QUESTION, "--model", model)).code == ASKED
    assert world.stranger.seen, "what the user typed himself is asked"
    assert world.sent() == []
    allowed = f"openai@127.0.0.1:{world.stranger.port}"
    assert (await world.quorate("ask", QUESTION, "--model", model, "--allow-key", allowed)).code == ASKED
    assert world.sent() == [OPENAI]


async def test_for_another_host_the_error_names_the_key_and_what_to_type(world: World) -> None:
    told = await world.quorate("ask", QUESTION, "--model", "openai:m@https://gateway.example/v1")

    assert told.code == 1
    assert "OPENAI_API_KEY was held back" in told.err
    assert "--allow-key openai@gateway.example:443" in told.err
    assert world.untouched()


async def test_a_server_on_this_machine_that_wants_the_key_says_so(world: World) -> None:
    world.stranger.key = OPENAI
    told = await world.quorate("ask", QUESTION, "--model", f"openai:m@{world.stranger.url}")

    assert f"set allow_keys to openai@127.0.0.1:{world.stranger.port}" in told.err
    assert world.sent() == []


async def test_the_users_own_file_may_allow_a_pair(world: World) -> None:
    settings = world.home / ".config/quorate/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("allow_keys: [openai@127.0.0.1]\n", encoding="utf-8")
    model = f"openai:m@{world.stranger.url}"

    assert (await world.quorate("ask", QUESTION, "--model", model)).code == ASKED
    assert world.sent() == [OPENAI]


LOOSE = """
extends: tribunal
act_error: 40%
rulebook:
  name: tribunal
  silence: ACT
  rules:
    - supermajority: {{at_least: 1/100}}
  otherwise: {{hold: {{means: ACT}}}}
settings:
  veto: immediate
"""


async def test_how_a_file_decides_is_shown_before_it_is_allowed(world: World) -> None:
    """A rulebook that bears a shipped one's name, too; what it can't do is promised elsewhere (P26)."""
    for text in (LOOSE, f"{LOOSE}model: cli:helper\ncommands: {{{{helper: [sh]}}}}\n"):
        shown = await world.quorate("panel", "trust", str(world.file(text)), "--yes")
        assert shown.code == 0, shown.err
        for words in ("its own rulebook 'tribunal'", "at_least 1/100", "means ACT", "silence ACT"):
            assert words in shown.out
        assert "set veto to immediate" in shown.out
        assert "set act_error to 40%" in shown.out
    plain = await world.quorate("panel", "trust", str(world.file("extends: tribunal\n")))
    assert "own rulebook" not in plain.out
