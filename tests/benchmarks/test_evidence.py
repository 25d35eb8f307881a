from pathlib import Path

import pytest

from benchmarks.evidence import Language, main, measured


@pytest.mark.slow
def test_the_same_seed_writes_the_same_documents() -> None:
    assert Language(3).text(500) == Language(3).text(500) != Language(4).text(500)


@pytest.mark.slow
def test_reading_and_searching_are_measured_beside_their_bounds(tmp_path: Path) -> None:
    rows = {row.name: row for row in measured(tmp_path, 30, 20, seed=1)}

    assert rows["read and indexed"].bound == 60.0
    assert rows["search of 20, 99 of 100"].bound == 50.0
    assert all(row.measured > 0 for row in rows.values())


@pytest.mark.slow
def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--documents", "20", "--queries", "5"])

    assert "read and indexed" in capsys.readouterr().out
