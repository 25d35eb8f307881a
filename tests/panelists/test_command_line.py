import asyncio
import json
import os
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from quorate.errors import BadSetting, NoModel, PanelistError, UnknownName
from quorate.model import Ask, Prompt, Reply, Seat, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.cli.command_line import CommandLine
from quorate.panelists.cli.tools import gemini_refusal
from quorate.panelists.http.client import Http
from quorate.panelists.registry import open_panelist
from tests.panelists.fakes import NOTING, STUBBORN, bearing, left, tool

CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Yes, but.",
    "stop_reason": "end_turn",
    "total_cost_usd": 0.0125,
    "usage": {"input_tokens": 3, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 7},
    "modelUsage": {"claude-small": {"outputTokens": 3}, "claude-sonnet-x": {"outputTokens": 70}},
}
GEMINI = {
    "response": "Yes, but.",
    "stats": {
        "models": {
            "gemini-lite": {"tokens": {"candidates": 1}},
            "gemini-x": {"tokens": {"prompt": 11, "candidates": 7}},
        }
    },
}
CODEX = "\n".join(
    json.dumps(event)
    for event in (
        {"type": "thread.started", "thread_id": "01a1"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "no websocket here"}},
        {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": "Let me think."}},
        {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "Yes, but."}},
        {"type": "turn.completed", "usage": {"input_tokens": 12, "cached_input_tokens": 4, "output_tokens": 9}},
    )
)
ANSWERS = {
    "claude": f"print({json.dumps(CLAUDE)!r})",
    "codex": f"print('thinking', file=sys.stderr)\nprint({CODEX!r})",
    "gemini": f"print('Loaded cached credentials.')\nprint({json.dumps(GEMINI)!r})",
    "llm": "print('Yes, but.')",
}


LOST_KEY = "-".join(("sk", "ant", "api03", "0123456789abcdef" * 3))


def ask(text: str = "Shall we?") -> Ask:
    return Ask(Seat(name="Safety"), "analysis", Prompt(text))


def env(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8", **more}


async def put(
    model: str, environ: Mapping[str, str], text: str = "Shall we?", overheard: WordListener = ignore_words
) -> Reply:
    return await open_panelist(model, Http(), environ).answer(ask(text), overheard)


def notes(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "notes.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_tool_reads_the_prompt_on_its_standard_input_and_answers(tmp_path: Path, name: str) -> None:
    tool(tmp_path, name, NOTING + ANSWERS[name])
    reply = await put(f"cli:{name}", env(tmp_path, OPENAI_API_KEY="sk-secret", SHELL="/bin/x"), "--help me decide")

    (seen,) = notes(tmp_path)
    assert reply.text == "Yes, but."
    assert seen["begun"] == "--help me decide"
    assert "help" not in " ".join(seen["argv"])
    assert seen["there"] == ([".gemini"] if name == "gemini" else [])
    assert seen["session"]
    assert not Path(seen["cwd"]).exists()  # noqa: ASYNC240  a test
    homes = {"GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "CODEX_HOME"}
    assert {*seen["env"]} - {*homes, "LC_CTYPE"} == {*("PATH", "HOME", "LANG", "TMPDIR", "QUORATE_ASK")}


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("claude", ["--tools", "", "--strict-mcp-config", "--setting-sources", ""]),
        ("codex", ["--sandbox", "read-only"]),
        ("codex", ["-c", "features.shell_tool=false"]),
        ("codex", ["-c", 'web_search="disabled"']),
        ("codex", ["-c", "features.code_mode_host=false"]),
        ("codex", ["-c", "agents.enabled=false"]),
        ("codex", ["-c", "project_doc_max_bytes=0"]),
        ("gemini", ["--skip-trust", "--admin-policy", "../policy.toml"]),
        ("gemini", ["--extensions", "none"]),
        ("gemini", ["--approval-mode", "default"]),
    ],
)
async def test_a_tool_has_no_tools_of_its_own(tmp_path: Path, name: str, off: list[str]) -> None:
    tool(tmp_path, name, NOTING + ANSWERS[name])
    await put(f"cli:{name}", env(tmp_path))

    (seen,) = notes(tmp_path)
    assert any(seen["argv"][place : place + len(off)] == off for place in range(len(seen["argv"])))
    assert seen["argv"][-1] == "--" or seen["argv"][-2:] == ["--", "-"]


async def test_model_and_effort_of_a_tool_are_arguments_that_we_write(tmp_path: Path) -> None:
    for name in ("claude", "codex", "gemini"):
        tool(tmp_path, name, NOTING + ANSWERS[name])
    await put("cli:claude/opus?effort=high", env(tmp_path))
    await put("cli:codex/gpt-x?effort=low", env(tmp_path))
    await put("cli:gemini/flash", env(tmp_path))

    claude, codex, gemini = (seen["argv"] for seen in notes(tmp_path))
    assert claude[-5:] == ["--model", "opus", "--effort", "high", "--"]
    assert codex[-6:] == ["--model", "gpt-x", "-c", 'model_reasoning_effort="low"', "--", "-"]
    assert gemini[-3:] == ["--model", "flash", "--"]


async def test_what_a_tool_says_of_model_cost_and_tokens_is_kept(tmp_path: Path) -> None:
    for name in ("claude", "gemini", "codex"):
        tool(tmp_path, name, NOTING + ANSWERS[name])

    claude, gemini, codex = [await put(f"cli:{name}", env(tmp_path)) for name in ("claude", "gemini", "codex")]
    assert (claude.model, claude.usage) == ("claude-sonnet-x", Usage(asked=33, answered=7, money=Fraction(1, 80)))
    assert (gemini.model, gemini.usage) == ("gemini-x", Usage(asked=11, answered=7))
    assert (codex.text, codex.model, codex.usage) == ("Yes, but.", "cli:codex", Usage(asked=12, answered=9))


async def test_a_turn_of_codex_that_failed_is_no_answer_whatever_else_it_says(tmp_path: Path) -> None:
    failed = json.dumps({"type": "turn.failed", "error": {"message": "the model broke down"}})
    for events in (f"{failed}\n{CODEX}", f"{CODEX}\n{failed}"):
        tool(tmp_path, "codex", f"{NOTING}print({events!r})")
        with pytest.raises(PanelistError, match="the model broke down"):
            await put("cli:codex", env(tmp_path))


LOGINS = {
    "codex": {"auth.json": "the login", "config.toml": "[mcp_servers.x]", "hooks.json": "{}", "AGENTS.md": "obey"},
    "gemini": {
        "oauth_creds.json": "the login",
        "settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "hooks": {}} // mine',
        ".env": "GEMINI_API_KEY='k'\nNODE_OPTIONS=--require=x\nexport GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9",
        "GEMINI.md": "obey",
        "policies/all.toml": 'decision = "allow"',
    },
}
TAKEN = {
    "codex": {"home/auth.json": "the login"},
    "gemini": {
        "policy.toml": '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n',
        "home/.gemini/oauth_creds.json": "the login",
        "home/.gemini/settings.json": json.dumps(
            {
                "hooksConfig": {"enabled": False},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
                "security": {"auth": {"selectedType": "gemini-api-key"}},
            }
        ),
        "empty/.gemini/.env": "GEMINI_API_KEY='k'\nexport GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\n",
    },
}


@pytest.mark.parametrize("name", LOGINS)
async def test_a_tool_that_cannot_be_told_to_ignore_its_user_has_a_home_with_the_login_alone(
    tmp_path: Path, name: str
) -> None:
    tool(tmp_path, name, NOTING + ANSWERS[name])
    for file, content in LOGINS[name].items():
        path = tmp_path / f".{name}" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    await put(f"cli:{name}", env(tmp_path))

    (seen,) = notes(tmp_path)
    assert seen["files"] == TAKEN[name]


def test_gemini_is_not_used_where_the_systems_policies_would_go_before_ours(tmp_path: Path) -> None:
    assert gemini_refusal(tmp_path / "nowhere") == ""
    (tmp_path / "all.toml").write_text("", encoding="utf-8")
    assert str(tmp_path) in gemini_refusal(tmp_path)


async def test_a_tool_of_one_s_own_is_declared_by_its_command(tmp_path: Path) -> None:
    mine = tool(tmp_path / "away", "mine", NOTING + "print('Mine.')")
    heard: list[str] = []
    environ = env(tmp_path, QUORATE_COMMAND_MY_TOOL=f"{mine} --quiet 'two words' {{model}}")
    reply = await put("cli:my-tool/small", environ, overheard=heard.append)

    assert (reply.text, "".join(heard)) == ("Mine.", "Mine.\n")
    assert notes(tmp_path / "away")[0]["argv"] == ["--quiet", "two words", "small"]


@pytest.mark.parametrize(
    ("model", "kind", "helps"),
    [
        ("cli:clod", UnknownName, "no command-line tool 'clod'; there are broken, claude, codex, gemini, llm, mine"),
        ("cli:claude", NoModel, "needs the command 'claude'; install it"),
        ("cli:claude/--dangerously-skip-permissions", BadSetting, "is no name of a model"),
        ("cli:claude/a b", BadSetting, "is no name of a model"),
        ("cli:mine/x", BadSetting, "write {model} into its command"),
        ("cli:gemini?effort=high", BadSetting, "takes no effort"),
        ("cli:claude?effort=extreme", BadSetting, "effort is one of none, minimal"),
        ("cli:claude?temperature=1", UnknownName, "no option of a tool 'temperature'; there are effort, idle, total"),
        ("cli:claude?idle=0", BadSetting, "whole seconds from 1"),
        ("cli:../claude", BadSetting, "lower-case letters"),
        ("cli:broken", BadSetting, "cannot be read: No closing quotation"),
        ("cli:claude@http://127.0.0.1/v1", BadSetting, "leave out what follows the @"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is(model: str, kind: type[Exception], helps: str) -> None:
    environ = {"PATH": "/nowhere", "QUORATE_COMMAND_MINE": "/bin/cat", "QUORATE_COMMAND_BROKEN": "'cat"}
    with pytest.raises(kind) as raised:
        open_panelist(model, Http(), environ)

    assert helps in str(raised.value)


@pytest.mark.parametrize(
    ("script", "why", "says"),
    [
        ("echo no credit >&2; exit 3", "tool_failed", "'mine' ended with code 3: no credit"),
        ("kill -9 $$", "tool_failed", "was ended by signal 9"),
        (f"echo {LOST_KEY} >&2; exit 1", "tool_failed", "code 1: [key]"),
        ("sleep 600", "timeout", "wrote nothing for 1 seconds"),
        ("while :; do echo .; sleep 0.2; done", "timeout", "took more than 2 seconds"),
        ("while :; do echo . >&2; sleep 0.2; done", "timeout", "took more than 2 seconds"),
        ("yes", "bad_reply", "wrote more than 8192 KiB"),
    ],
)
async def test_a_tool_that_fails_is_silent_with_a_reason(tmp_path: Path, script: str, why: str, says: str) -> None:
    mine = tool(tmp_path, "mine", f"#!/bin/sh\n{script}\n")
    with pytest.raises(PanelistError) as raised:
        await put("cli:mine?idle=1&total=2", env(tmp_path, QUORATE_COMMAND_MINE=str(mine), LOGNAME=str(tmp_path)))

    assert (raised.value.why, raised.value.billed, raised.value.again) == (why, True, False)
    assert says in raised.value.detail
    assert await left(f"LOGNAME={tmp_path}") == []


@pytest.mark.parametrize(("stop", "finish"), [("max_tokens", "length"), ("odd", "length"), (None, "stop")])
async def test_a_tool_says_how_its_reply_ended(tmp_path: Path, stop: str | None, finish: str) -> None:
    tool(tmp_path, "claude", NOTING + f"print({json.dumps({**CLAUDE, 'stop_reason': stop})!r})")

    assert (await put("cli:claude", env(tmp_path))).finish == finish


async def test_a_tool_that_fails_in_its_own_words_has_failed(tmp_path: Path) -> None:
    said = json.dumps({**CLAUDE, "is_error": True, "result": "Credit balance is too low"})
    tool(tmp_path, "claude", NOTING + f"print({said!r})")
    with pytest.raises(PanelistError, match="tool_failed: the tool 'claude' failed: Credit balance is too low"):
        await put("cli:claude", env(tmp_path))


async def test_a_tool_that_still_writes_is_not_idle(tmp_path: Path) -> None:
    mine = tool(tmp_path, "mine", "#!/bin/sh\nfor i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done\n")
    reply = await put("cli:mine?idle=1", env(tmp_path, QUORATE_COMMAND_MINE=str(mine)))

    assert reply.text == "1\n2\n3\n4\n5\n6"


async def test_cancelling_kills_a_tool_and_everything_it_started(tmp_path: Path) -> None:
    mine, begun = tool(tmp_path, "mine", STUBBORN), asyncio.Event()
    environ = env(tmp_path, QUORATE_COMMAND_MINE=str(mine), LOGNAME=str(tmp_path))
    task = asyncio.create_task(put("cli:mine", environ, overheard=lambda _: begun.set()))
    await begun.wait()
    assert len(bearing(f"LOGNAME={tmp_path}")) >= 3
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await left(f"LOGNAME={tmp_path}") == []


async def test_cancelling_twice_kills_at_once(tmp_path: Path) -> None:
    mine, begun = tool(tmp_path, "mine", STUBBORN), asyncio.Event()
    environ = env(tmp_path, QUORATE_COMMAND_MINE=str(mine), LOGNAME=str(tmp_path))
    task = asyncio.create_task(put("cli:mine", environ, overheard=lambda _: begun.set()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await left(f"LOGNAME={tmp_path}") == []


async def test_what_a_tool_leaves_running_ends_with_it(tmp_path: Path) -> None:
    script = "#!/bin/sh\nsleep 600 &\nsetsid sleep 600 >/dev/null 2>&1 &\necho Done.\n"
    mine = tool(tmp_path, "mine", script)
    reply = await put("cli:mine", env(tmp_path, QUORATE_COMMAND_MINE=str(mine), LOGNAME=str(tmp_path)))

    assert reply.text == "Done."
    assert await left(f"LOGNAME={tmp_path}") == []


@pytest.mark.parametrize("begun", ["-", "--version\n", "@file", "/exit\n", "\0", "$(touch x) `y` ; |"])
async def test_a_prompt_of_two_megabytes_arrives_whatever_it_begins_with(tmp_path: Path, begun: str) -> None:
    mine = tool(tmp_path, "mine", "#!/bin/sh\nexec cat\n")
    text = begun + "x" * 2_000_000
    reply = await put("cli:mine", env(tmp_path, QUORATE_COMMAND_MINE=str(mine)), text)

    assert reply.text == text.strip()


async def test_a_proxy_with_a_password_is_not_passed_on(tmp_path: Path) -> None:
    tool(tmp_path, "llm", NOTING + ANSWERS["llm"])
    await put("cli:llm", env(tmp_path, HTTPS_PROXY="http://u:secret@proxy:1", http_proxy="http://proxy:1"))

    (seen,) = notes(tmp_path)
    assert "secret" not in json.dumps(seen)
    assert seen["env"]["http_proxy"] == "http://proxy:1"


def test_a_panelist_shows_no_more_than_its_name() -> None:
    panelist = CommandLine.of("mine", (), {"QUORATE_COMMAND_MINE": sys.executable, "PATH": os.environ["PATH"]})

    assert repr(panelist) == "CommandLine('cli:mine')"
