import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import DOCS, main, report
from benchmarks.disk import kind_of
from benchmarks.growth import exponent
from benchmarks.server import answered
from benchmarks.table import BEGIN, END, Row, document, failed, markdown, table
from benchmarks.waiting import elapsed, saved

WITHIN = Row(name="within", measured=1.05, unit="×", bound=1.10)
OVER = Row(name="over", measured=1.11, unit="×", bound=1.10)
SHORT = Row(name="short", measured=3.0, unit="×", bound=4, goal=2.5)
SCANT = Row(name="scant", measured=3.9, unit="%", bound=4, least=True)


@pytest.mark.promise
def test_the_quick_bench_measures_everything_and_keeps_it_as_json(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"

    code = main(["--quick", "--json", str(path), "--disk", str(tmp_path)])

    kept = json.loads(path.read_text(encoding="utf-8"))
    names = " | ".join(row["name"] for row in kept["rows"])
    assert kept.keys() == {"schema", "machine", "runs", "failed", "rows"}
    for row in kept["rows"]:
        assert row.keys() == {"name", "measured", "unit", "bound", "goal", "least", "state"}
        # Of so few runs, the larger may have taken less on a busy machine: then an exponent is below zero.
        assert row["measured"] > 0 or "exponent" in row["name"]
    for figure in (
        "load",
        "fdatasync",
        "wall time",
        "CPU per model call",
        "at once: rate",
        "overlapping",
        "quorate decide",
        "graph / engine",
        "verdicts",
        "hostile replies of 1 MiB",
        "exponent of CPU in calls: tribunal",
        "exponent of CPU in calls: conference",
        "verify a record",
        "memory",
    ):
        assert figure in names
    assert code == int(kept["failed"]) == any(row["state"] == "over" for row in kept["rows"])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("row", "state"), [(WITHIN, "ok"), (OVER, "over"), (SHORT, "short"), (SCANT, "over")])
def test_only_a_broken_bound_fails(row: Row, state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = report([WITHIN, row], tmp_path / "bench.json", 1)

    assert (row.state, code) == (state, int(state == "over"))
    assert failed([row]) is (state == "over")
    assert row.name in capsys.readouterr().out


def test_each_group_can_be_measured_alone(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"

    main(["--quick", "--only", "rules,waiting", "--json", str(path), "--disk", str(tmp_path)])

    names = [row["name"] for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    assert [name.partition(":")[0].partition(",")[0] for name in names[2:]] == [
        "rules alone",
        "waiting saved by overlapping",
        "waiting saved by overlapping",
    ]


def test_a_group_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "tribunel"])

    assert "tribunel" in capsys.readouterr().err


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_exponent_of_a_power_is_that_power(power: float) -> None:
    assert exponent([(size, 3 * size**power) for size in (3, 9, 51)]) == pytest.approx(power)


def test_the_kept_table_is_put_between_its_marks_and_nothing_else_is_touched(tmp_path: Path) -> None:
    page, kept = tmp_path / "speed.md", tmp_path / "bench.json"
    begin, end = BEGIN.format(""), END.format("")
    page.write_text(f"before\n{begin}\n\nold\n\n{end}\nafter\n", encoding="utf-8")
    kept.write_text(document([WITHIN, SCANT], runs=7), encoding="utf-8")

    assert main(["--write-docs", "--json", str(kept), "--docs", str(page), "--peers", str(tmp_path / "none")]) == 0

    text = page.read_text(encoding="utf-8")
    table_ = markdown(json.loads(kept.read_text(encoding="utf-8")))
    assert text == f"before\n{begin}\n\n{table_}\n\n{end}\nafter\n"
    assert "| within | 1.050 × | ≤ 1.1 × |  | ok |" in text
    assert "medians of 7 runs" in text


@pytest.mark.parametrize("of", ["", " of peers"])
def test_the_page_on_speed_has_room_for_the_tables(of: str) -> None:
    text = DOCS.read_text(encoding="utf-8")

    assert text.count(BEGIN.format(of)) == text.count(END.format(of)) == 1


def test_a_figure_without_bound_or_goal_is_only_shown() -> None:
    row = Row(name="rate", measured=12.0, unit="per s")

    assert row.state == "-"
    assert table([row]).splitlines()[1].split() == ["rate", "12.000", "per", "s", "-"]


def test_the_mock_casts_a_ballot_under_the_mark_of_the_prompt_and_speaks_where_none_is_wanted() -> None:
    ballot = json.loads(
        content({"messages": [{"content": '"mark": "5eed5eed5eed"'}], "response_format": "json_schema"})
    )

    assert ballot["mark"] == "5eed5eed5eed"
    assert 1000 < len(content({"messages": [{"content": "Challenge her."}]})) < 1400


def test_overlapping_saves_waiting_and_equal_replies_save_nothing() -> None:
    assert saved(0.6, 10) > 0
    assert elapsed(0.0, 1, barriers=False) == elapsed(0.0, 1, barriers=True) == 3.0


def test_a_file_system_is_named_by_the_mount_nearest_to_the_folder(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"one / ext4 rw 0 0\ntwo {tmp_path} tmpfs rw 0 0\n", encoding="utf-8")

    assert kind_of(tmp_path / "inner", mounts) == "tmpfs"
    assert kind_of(tmp_path.parent, mounts) == "ext4"
    assert kind_of(tmp_path, tmp_path / "none") == "an unknown file system"


def content(request: dict[str, Any]) -> str:
    _, _, body = answered(json.dumps(request).encode()).partition(b"\r\n\r\n")
    text: str = json.loads(body)["choices"][0]["message"]["content"]
    return text
