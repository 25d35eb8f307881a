"""What a caller over HTTP or MCP names can't act: no address, command, file or server that the owner hasn't allowed."""

import asyncio
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from quorate import catalogue
from quorate.doors.mcp.panel_request import CounselArguments, panel_request
from quorate.errors import QuorateError
from quorate.model import Convened
from quorate.service.fields import request_from_fields
from quorate.service.host import Host
from quorate.service.policy import POLICIES
from quorate.service.prepare import prepare
from quorate.settings.rulebook_file import setting_names

pytestmark = pytest.mark.promise

CALLERS = ("HTTP", "MCP", "MCP over HTTP")
EVIL = "http://evil.example/v1"
ORACLE: Mapping[str, Any] = {"protocol": "oracle", "models": ["openai:m"]}
HOSTILE: tuple[Mapping[str, Any], ...] = (
    *({"models": [model]} for model in (f"openai:m@{EVIL}", f"openai:m,openai:m@{EVIL}", "recording:/etc/passwd")),
    {"models": ["openai:m?base_url=http://evil"]},
    {"models": ["openai:m"], "seats": {"Safety": f"openai:m@{EVIL}"}},
    *({**ORACLE, "settings": {name: "/etc"}} for name in ("sources", "credibility")),
    *({**ORACLE, "settings": {"search": server}} for server in (EVIL, "mcp")),
    *({**ORACLE, "settings": {"fetch": value}} for value in ("true", True, "ON")),
    {"protocol": "conference", "models": ["openai:m"], "settings": {"similarity": f"openai:e@{EVIL}"}},
    *({"models": ["openai:m"], "panel": name} for name in ("/etc/passwd", "../house.yaml", "link.yaml", "evil.yaml")),
    *({"models": ["openai:m"], "settings": {name: "/"}} for name in ("look_in", "files", "ledger", "allow_keys")),
    {"models": ["openai:m"], "rulebook": "/etc/passwd"},
    {"models": ["openai:m"] * 101},
)


def prepared(interface: str, home: Path, fields: Mapping[str, Any], **host: Any) -> Convened:  # noqa: ANN401 - its fields
    made = Host(env={"OPENAI_API_KEY": "k", "HOME": str(home)}, home=home, policy=POLICIES[interface], **host)
    asked = {"question": "Should we?", **fields}
    http = interface == "HTTP"
    request = request_from_fields(asked, "http") if http else panel_request(asked, CounselArguments())
    return asyncio.run(prepare(request, made)).convened


@pytest.mark.parametrize("interface", CALLERS)
@pytest.mark.parametrize("fields", HOSTILE, ids=str)
def test_nothing_a_caller_names_acts(
    interface: str, fields: Mapping[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.yaml").symlink_to("/etc/hostname")
    (tmp_path / "evil.yaml").write_text("extends: tribunal\nmodel: cli:x\ncommands: {x: [sh, -c, 'touch owned']}\n")

    with pytest.raises(QuorateError) as refused:
        prepared(interface, tmp_path, fields)
    assert "--" not in refused.value.reason
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("interface", CALLERS)
@pytest.mark.parametrize(("wanted", "share"), [("50%", Fraction(1, 50)), ("1%", Fraction(1, 100))])
def test_a_caller_can_only_ask_for_fewer_wrong_acts(
    interface: str, wanted: str, share: Fraction, tmp_path: Path
) -> None:
    fields = {"protocol": "tribunal", "act_error": wanted}
    convened = prepared(interface, tmp_path, fields, defaults={"act_error": "2%", "model": ("openai:m",)})
    (cap,) = (dict(part.settings) for part in convened.rulebook.unless if part.name == "act_error")

    assert Fraction(cap["at_most"]) == share


def test_a_tool_of_the_users_own_is_for_the_users_own_process(tmp_path: Path) -> None:
    fields = {"protocol": "tribunal", "models": ["cli:claude"]}

    assert {seated.model for seated in prepared("MCP", tmp_path, fields).seated} == {"cli:claude"}
    with pytest.raises(QuorateError, match="run the command"):
        prepared("MCP over HTTP", tmp_path, fields)
    assert prepared("HTTP", tmp_path, fields, allowed_models=("cli:*",)).protocol == "tribunal"


ACTS = frozenset({"sources", "credibility", "similarity", "search", "fetch"})
"""Settings that read files, run commands or reach servers; each of them is tried above."""
INERT = frozenset(
    [
        "act_needs_mark",
        "alike",
        "allies",
        "anonymous",
        "answers",
        "apart",
        "at_least",
        "consensus",
        "debate",
        "decide_by",
        "diminishing",
        "early_stopping",
        "extended_from",
        "few_sources",
        "final_vote",
        "form",
        "high_risk",
        "judge",
        "longer_from",
        "low_confidence",
        "max_rounds",
        "max_source_overlap",
        "min_agents",
        "min_categories",
        "min_confidence",
        "min_news",
        "min_official",
        "min_rounds",
        "min_shrink",
        "min_sources",
        "min_verified",
        "mode",
        "options",
        "overconfident",
        "passages",
        "respect_min_rounds",
        "rounds",
        "still",
        "stop_share",
        "stop_when_settled",
        "summary",
        "threshold",
        "tolerance",
        "veto",
        "veto_risk",
        "within",
    ]
)
"""Settings that only change how seats are asked and ballots counted."""


def test_somebody_has_said_of_every_setting_whether_it_acts() -> None:
    known = {name for protocol in catalogue.protocols() for name in setting_names(protocol) if "." not in name}

    assert known == ACTS | INERT
