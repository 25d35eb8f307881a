"""Peers are measured in turn, by programs that know nothing of us; one that cannot be had is left out."""

import json
from pathlib import Path

import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.peers.tribunals import in_order
from benchmarks.speed import Spent

SEATS = ("a", "b", "c")
PROMPTS = {
    **{("analysis", seat, ""): f"analyse as {seat}" for seat in SEATS},
    **{("challenge", one, other): f"{one} to {other}" for one in SEATS for other in SEATS if one != other},
    **{("revision", seat, ""): f"revise as {seat}" for seat in SEATS},
}


async def test_a_peer_asks_twelve_times_and_round_after_round() -> None:
    asked: list[str] = []

    async def ask(prompt: str) -> str:
        asked.append(prompt)
        return prompt.upper()

    said = await in_order(PROMPTS, ask)

    assert asked == list(PROMPTS.values())
    assert said == ["REVISE AS A", "REVISE AS B", "REVISE AS C"]


def test_a_peer_whose_packages_cannot_be_had_is_left_out_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "openai.txt").write_text(f"openai @ file://{tmp_path}/none.whl\n", encoding="utf-8")
    monkeypatch.setattr(peers, "HERE", tmp_path)

    assert peers._environment("openai", tmp_path / "environments") is None  # noqa: SLF001
    assert "openai is left out: its packages cannot be fetched" in capsys.readouterr().out


def test_every_peer_has_its_packages_pinned() -> None:
    for name in peers.NAMES:
        lines = (peers.HERE / f"{name}.txt").read_text(encoding="utf-8").split()
        assert lines
        assert all("==" in line for line in lines)


def test_the_lead_is_what_others_take_of_ours() -> None:
    took = {"bare": [Spent(1, 0.6)], "quorate": [Spent(2, 1.2)], "openai": [Spent(3, 2.4)]}

    figures = {row.name: row.measured for row in peers._rows(took)}  # noqa: SLF001

    assert figures["wall time, openai / quorate"] == 1.5
    assert figures["CPU per call, openai / quorate"] == 2.0
    assert figures["one tribunal: CPU per model call, quorate"] == pytest.approx(100.0)


@pytest.mark.promise
def test_without_peers_ours_is_measured_beside_the_bare_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "NAMES", ())
    path = tmp_path / "peers.json"

    assert peers.main(["--runs", "1", "--json", str(path), "--disk", str(tmp_path)]) == 0
    assert len(json.loads(path.read_text(encoding="utf-8"))["rows"]) == 5
