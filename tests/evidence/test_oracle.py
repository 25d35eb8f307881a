"""The whole way: `quorate ask --protocol oracle --sources …` against researchers that cite well, badly and twice."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.cli.command_group import run
from tests.evidence.library import FACT, MIRROR_TEXT, MIRRORS, fill
from tests.servers import Endpoint, Seen, said

QUESTION = "Has the Valdoria harbour bridge opened to traffic?"


def finding(prompt: str, evidence: list[dict[str, str]], outcome: str = "YES") -> str:
    mark = re.search(r'"mark": "(\w+)"', prompt)
    assert mark
    stated = {"mark": mark[1], "outcome": outcome, "confidence": 0.9, "reasoning": "as cited", "evidence": evidence}
    return f"It opened.\n\nFINDING {json.dumps(stated)}"


def true(prompt: str) -> list[dict[str, str]]:
    """Every source that was shown and holds the fact, with its own words."""
    shown = re.findall(r"begin: source \d+: (\S+), [^\n]*\n(.*?)\n\[\w+ end\]", prompt, re.DOTALL)
    return [{"url": url, "title": "t", "quote": FACT} for url, text in shown if FACT in text]


EVIDENCE: dict[str, Callable[[str], list[dict[str, str]]]] = {
    "Exact": lambda _: [
        {"url": "https://www.reuters.com/none", "title": "t", "quote": "Nobody has ever written this."}
    ],
    "Varied": lambda _: [{"url": url, "title": "t", "quote": MIRROR_TEXT} for url in MIRRORS],
}


async def answer(writer: asyncio.StreamWriter, seen: Seen) -> bool:
    prompt = "\n".join(message["content"] for message in seen.body["messages"])
    cite = EVIDENCE.get(seen.body["model"], true)
    return await said(finding(prompt, cite(prompt)))(writer, seen)


async def asked(tmp_path: Path, *more: str) -> dict[str, Any]:
    async with Endpoint(otherwise=answer) as endpoint:
        seats = [
            word
            for seat in ("Broad", "Exact", "Varied", "Doubting", "Second")
            for word in ("--seat", f"{seat}=openai:{seat}@{endpoint.url}")
        ]
        words = ("ask", QUESTION, "--protocol", "oracle", *seats, "--json", *more)
        env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "OPENAI_API_KEY": "k"}
        env |= {"QUORATE_LEDGER": str(tmp_path / "ledger.db"), "HOME": str(tmp_path)}
        program = await asyncio.create_subprocess_exec(
            Path(sys.executable).with_name("quorate"),
            *words,
            env=env,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await program.communicate()
    assert program.returncode == 0, err.decode()
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
async def test_a_source_counts_where_its_quote_stands_and_once_however_often_it_is_mirrored(tmp_path: Path) -> None:
    fill(tmp_path / "lib")
    shown = await asked(tmp_path, "--sources", "lib")

    assert shown["verdict"]["outcome"] == "YES"
    told = {one["name"]: one["text"] for one in shown["verdict"]["cautions"]}
    assert "Exact has fewer sources than asked for: 0 of" in told["few_sources"]
    assert "Varied has fewer sources than asked for: 1 of" in told["few_sources"]
    assert "its quote stands in no passage" in told["unverified"]
    assert "Varied cites 49 times more a page" in told["repeated_source"]
    assert told["unsupported"].startswith("Exact cited no source that counts")


def test_sources_that_are_not_there_cost_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUORATE_LEDGER", str(tmp_path / "ledger.db"))
    model = "openai:x@http://127.0.0.1:1/v1"
    code = run(["ask", QUESTION, "--protocol", "oracle", "--model", model, "--sources", str(tmp_path / "none")])

    assert code == 1
    assert "no sources at" in capsys.readouterr().err
