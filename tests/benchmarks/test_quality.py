import json
from pathlib import Path
from random import Random

import pytest

from benchmarks import quality
from tests.evaluate.panels import drawn

SEATS = {"gpt-4o": 2.0, "claude-3-opus": 1.5, "gemini-1.5-pro": 1.0, "llama-3-8b": 0.0, "qwen2-7b": -0.5}


def test_every_row_of_the_table_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rows = [
        {"id": one.id, "votes": one.votes, "options": ["a", "b", "c", "d"], "right": one.right}
        for one in drawn(Random(seed), 80, SEATS)
    ]
    (tmp_path / "small.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{quality.BEGIN}\nold\n{quality.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["quality", "--data", str(tmp_path), "--write-docs", str(page)])

    quality.main()

    told = capsys.readouterr().out
    assert "| plurality |" in told
    assert "| track record, 30 labels |" in told
    assert "too few questions" in told
    assert "5 seats: mean gain (worst of 20)" in told
    assert page.read_text(encoding="utf-8").startswith("before")
    assert "old" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("seat", "maker"),
    [
        ("o1-mini", "openai"),
        ("Meta-Llama-3-8B", "meta"),
        ("yi-large", "01"),
        ("QwQ-32B", "alibaba"),
        ("agent0", None),
    ],
)
def test_whose_model_it_is(seat: str, maker: str | None) -> None:
    assert quality.maker(seat) == maker
