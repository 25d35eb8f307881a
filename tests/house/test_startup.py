import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
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

LOADED = "import json, sys\n{}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"

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
@pytest.mark.parametrize("words", [["list"], ["decide", "-"]])
def test_commands_that_ask_nobody_load_no_client_and_no_validation(words: list[str], tmp_path: Path) -> None:
    ledger = {"QUORATE_LEDGER": str(tmp_path / "ledger.sqlite")}

    assert loaded(COMMAND.format(words), ledger) & {"aiohttp", "pydantic"} == frozenset()


def loaded(code: str, environment: Mapping[str, str] = MappingProxyType({})) -> frozenset[str]:
    return frozenset(json.loads(run(LOADED.format(code), environment)))


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
