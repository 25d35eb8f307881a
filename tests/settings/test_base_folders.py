"""Where the ledger is does not depend on whether anything else was asked."""

from pathlib import Path

import pytest

from quorate.errors import QuorateError
from quorate.settings.base_folders import ledger_place
from quorate.settings.resolve import resolve
from quorate.settings.table import LEDGER

FLAGS = (
    None,
    "",
    "flag.db",
    "~/flag.db",
    ":memory:",
    "postgresql://ann:secret@db/records",
    "postgresql://db/x?spool=/s",
)
ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {},
    {"QUORATE_LEDGER": ""},
    {"QUORATE_LEDGER": "around.db"},
    {"QUORATE_LEDGER": "~/around.db"},
    {"QUORATE_LEDGER": "postgresql://db/records"},
    {"XDG_DATA_HOME": "/data", "XDG_STATE_HOME": "/state"},
    {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state"},
    {"QUORATE_MODEL": "openai:gpt-4.1"},
    {"QUORATE_CONCURRENCY": "many"},
    {"QUORATE_CONFIG": "~/own.yaml"},
    {"QUORATE_CONFIG": "/nowhere/own.yaml"},
)
USER_FILES = (None, "ledger: own.db\n", "ledger: ~/own.db\n", "model: openai:gpt-4.1\n", "ledgers: own.db\n", "[")


@pytest.mark.parametrize("content", USER_FILES)
@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_it_is_where_resolve_finds_it(env: dict[str, str], content: str | None, tmp_path: Path) -> None:
    if content is not None:
        for path in (tmp_path / ".config" / "quorate" / "config.yaml", tmp_path / "own.yaml"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    for flag in FLAGS:
        assert place(flag, env, tmp_path) == resolved(flag, env, tmp_path)


def test_a_user_file_that_cannot_be_reached_is_told_of(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("a file where a folder belongs")

    assert place(None, {}, tmp_path) == resolved(None, {}, tmp_path)


def place(flag: str | None, env: dict[str, str], home: Path) -> str:
    try:
        return ledger_place(flag, env, home)
    except QuorateError as wrong:
        return repr(wrong)


def resolved(flag: str | None, env: dict[str, str], home: Path) -> str:
    try:
        return resolve({"ledger": flag, "panel": "tribunal"}, env, home)[LEDGER]
    except QuorateError as wrong:
        return repr(wrong)
