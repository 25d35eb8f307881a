import json
import os
import subprocess
import sys
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from tests.house.tree import PACKAGE

HEAVY = frozenset({"aiohttp", "apsw", "asyncio", "click", "logging", "pydantic", "rich", "socket", "sqlite3", "yaml"})

QUIET_IMPORT = """
import json, sys
seen = []
def watch(event, args):
    if event.startswith(("socket.", "subprocess.", "os.system", "shutil.", "sqlite3.")):
        seen.append(event)
    if event == "open" and isinstance(args[0], str) and not args[0].endswith((".py", ".pyc")):
        seen.append(f"open {args[0]}")
sys.addaudithook(watch)
import quorate
print(json.dumps(seen))
"""

LOADED = "import sys\n{}\nprint(*sys.modules)"

COMMAND = """
sys.argv = ["quorate", *{}]
from quorate.doors.cli import main
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""

BALLOTS = '[{"seat": "Safety", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "fine"}]'

needs_the_command_line = pytest.mark.skipif(
    not (PACKAGE / "doors" / "cli.py").exists() and not (PACKAGE / "doors" / "cli").exists(),
    reason="the command line is not built yet",
)


def test_a_bare_import_loads_nothing_heavy() -> None:
    assert loaded("import quorate") & HEAVY == frozenset()


def test_a_heavy_module_would_be_seen() -> None:
    assert loaded("import logging") & HEAVY == {"logging"}


def test_a_bare_import_opens_nothing() -> None:
    assert json.loads(run(QUIET_IMPORT)) == []


@needs_the_command_line
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["ask", "--help"]])
def test_help_loads_no_client_no_store_and_no_validation(words: list[str]) -> None:
    assert loaded(COMMAND.format(words)) & {"aiohttp", "apsw", "pydantic", "rich", "yaml"} == frozenset()


@needs_the_command_line
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["list", "--help"]])
def test_help_loads_none_of_the_nouns(words: list[str]) -> None:
    assert loaded(COMMAND.format(words)) & {"quorate.model", "quorate.ledger", "quorate.views"} == frozenset()


@needs_the_command_line
def test_help_loads_no_command() -> None:
    seen = {name for name in loaded(COMMAND.format(["--help"])) if name.startswith("quorate.doors.cli.")}

    assert seen == {f"quorate.doors.cli.{name}" for name in ("command_group", "exit_codes", "screen", "signals")}


ASKING = frozenset(
    {
        *("aiohttp", "cryptography", "genai_prices", "langgraph", "llama_cpp", "mcp", "numpy", "pydantic", "rich"),
        *("tokenizers", "xllamacpp", "yaml", "click.shell_completion", "email", "http", "importlib.metadata"),
        *("quorate.engine.runner", "quorate.evidence", "quorate.ledger.signing", "quorate.middleware"),
        *("quorate.panelists.http.client", "quorate.similarity"),
    }
)
"""What only those need who ask somebody, sign, compare texts or read a file of the user's."""
KEEPING = frozenset({"apsw", "asyncio", "quorate.ledger.sqlite", "concurrent.futures", "logging", "socket", "ssl"})
"""What only those need who open a ledger."""
FOLLOWING = frozenset({"quorate.doors.cli.live_state", "quorate.doors.cli.painter", "quorate.views.spoken_tail"})
"""What only those need who watch a deliberation while it is held."""
OTHERS = frozenset({"quorate.analysis.consensus_quality", "quorate.views.compat.oracle_view"})
"""What only records of another protocol need."""
REPLAYING = frozenset({"quorate.settings.file_fields", "quorate.settings.rulebook_file"})
"""What only those need who try another rulebook."""
LOCAL = (
    (["--help"], KEEPING | {"hashlib", "json", "quorate.model", "quorate.catalogue"}),
    (["rules"], KEEPING),
    (["panels"], KEEPING),
    (
        ["decide", "-"],
        KEEPING | FOLLOWING | OTHERS | {"hashlib", "hmac", "quorate.views.conference_votes", "statistics"},
    ),
    (["read", "-"], KEEPING),
    (["list"], {"html"} | FOLLOWING | OTHERS | REPLAYING),
    (["show", "last"], {"html"} | FOLLOWING | OTHERS | REPLAYING),
    (["verify", "last"], frozenset[str]()),
    (["replay", "last", "--rulebook", "strict"], frozenset[str]()),
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment with a home of its own and a deliberation on record there."""
    home = str(tmp_path_factory.mktemp("home"))
    environment = {"HOME": home, "QUORATE_LEDGER": f"{home}/ledger.db"}
    run(f"import sys\n{COMMAND.format(['ask', 'Ship it?', '--panel', 'demo', '--quiet'])}", environment)
    return environment


@needs_the_command_line
@pytest.mark.parametrize(("words", "others"), LOCAL, ids=[words[0] for words, _ in LOCAL])
def test_a_command_that_asks_nobody_loads_only_what_it_uses(
    words: list[str], others: frozenset[str], ledger: Mapping[str, str]
) -> None:
    assert loaded(COMMAND.format(words), ledger) & (ASKING | others) == frozenset()


@needs_the_command_line
def test_a_deliberation_would_be_seen(ledger: Mapping[str, str]) -> None:
    seen = loaded(COMMAND.format(["ask", "Ship it?", "--panel", "demo", "--quiet"]), ledger)

    assert seen >= {"quorate.engine.runner", "quorate.middleware.stack", *KEEPING}


@needs_the_command_line
def test_a_panel_that_is_named_loads_its_own_protocol_alone() -> None:
    seen = loaded("from quorate import presets; presets.panel('tribunal')")

    assert {name for name in seen if name.startswith("quorate.protocols.")} == {"quorate.protocols.tribunal"}


def loaded(code: str, environment: Mapping[str, str] = MappingProxyType({})) -> frozenset[str]:
    return frozenset(run(LOADED.format(code), environment).split())


def run(code: str, environment: Mapping[str, str] = MappingProxyType({})) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=BALLOTS,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout
