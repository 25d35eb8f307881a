"""`quorate mcp install`: shown first, written with --yes, kept beside, and the same when done twice."""

import json
import stat
import tomllib
from pathlib import Path

import pytest

from quorate.doors.cli.mcp import CLIENTS
from tests.doors.conftest import Quorate

JSON_CLIENTS = [name for name, client in CLIENTS.items() if client.path().suffix == ".json"]
SECRET = "sk-other-server"


def place(client: str) -> Path:
    return CLIENTS[client].path()


@pytest.mark.parametrize("client", CLIENTS)
def test_without_yes_it_is_only_shown(quorate: Quorate, client: str) -> None:
    told = quorate("mcp", "install", client)

    assert told.code == 0
    assert "quorate" in told.out
    assert f"To write it: quorate mcp install {client} --yes" in told.err
    assert not place(client).exists()


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_what_else_stands_in_the_file_stays_and_is_not_shown(quorate: Quorate, client: str) -> None:
    field = CLIENTS[client].field
    whole = {"theme": "dark", field: {"other": {"command": "x", "env": {"KEY": SECRET}}}, "last": [1, 2]}
    path = place(client)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=4))
    path.chmod(0o600)
    told = quorate("mcp", "install", client, "--yes")
    now = json.loads(path.read_text())
    entry = now[field].pop("quorate")

    assert told.code == 0, told.err
    assert SECRET not in told.out + told.err
    assert now == whole
    assert list(now) == list(whole)
    assert entry["args"][-1] == "mcp"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (kept,) = path.parent.glob(f"{path.name}.backup-*")
    assert json.loads(kept.read_text()) == whole


@pytest.mark.parametrize("client", CLIENTS)
def test_twice_changes_nothing(quorate: Quorate, client: str) -> None:
    quorate("mcp", "install", client, "--yes")
    before = place(client).read_text()
    again = quorate("mcp", "install", client, "--yes")

    assert "nothing to change" in again.err
    assert place(client).read_text() == before
    assert list(place(client).parent.glob("*.backup-*")) == []


def test_no_link_that_waits_beside_a_file_is_followed(quorate: Quorate, tmp_path: Path) -> None:
    mine, file = tmp_path / "mine", tmp_path / "project/.mcp.json"
    mine.write_text("mine")
    file.parent.mkdir()
    file.write_text("{}")
    file.with_name(f".{file.name}.new").symlink_to(mine)
    told = quorate("mcp", "install", "claude-code", "--file", str(file), "--yes")

    assert told.code == 0, told.err
    assert mine.read_text() == "mine"
    assert not file.is_symlink()
    assert "quorate" in json.loads(file.read_text())["mcpServers"]


def test_two_changes_in_one_second_keep_both_files(quorate: Quorate) -> None:
    path = place("cursor")
    path.parent.mkdir()
    for theme in ("dark", "light"):
        path.write_text(json.dumps({"theme": theme}))
        quorate("mcp", "install", "cursor", "--yes")

    assert len([*path.parent.glob("*.backup-*")]) == 2


def test_a_toml_file_keeps_its_comments(quorate: Quorate) -> None:
    place("codex").parent.mkdir()
    place("codex").write_text('# mine\nmodel = "o3"\n[mcp_servers.other]\ncommand = "x"')
    quorate("mcp", "install", "codex", "--yes")
    text = place("codex").read_text()

    assert text.startswith('# mine\nmodel = "o3"\n')
    assert tomllib.loads(text)["mcp_servers"].keys() == {"other", "quorate"}


@pytest.mark.parametrize("text", ["// a comment\n{}", "[]", '{"mcpServers": []}', "{", "null"])
def test_what_cannot_be_written_again_is_left_alone_with_what_to_add(quorate: Quorate, text: str) -> None:
    place("cursor").parent.mkdir()
    place("cursor").write_text(text)
    told = quorate("mcp", "install", "cursor", "--yes")

    assert told.code == 1
    assert 'Add this to it: { "mcpServers"' in " ".join(told.err.split())
    assert place("cursor").read_text() == text


def test_a_projects_own_file_may_be_named(quorate: Quorate, tmp_path: Path) -> None:
    quorate("mcp", "install", "claude-code", "--file", str(tmp_path / ".mcp.json"), "--yes")

    assert "quorate" in json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
