import json
from pathlib import Path

from tests.doors.conftest import Quorate
from tests.evaluate.test_gate import HARM, WORK, ZSTANDARD, log


def test_the_command_reads_several_logs_and_answers_in_json(quorate: Quorate, tmp_path: Path) -> None:
    files = [log(tmp_path / f"{name}.eval", name, {**HARM, **WORK}, ZSTANDARD) for name in ("one", "two", "three")]
    answer = quorate("eval", "gate", *files, "--json", "--at-most", "10%").document

    assert (answer["actions"], answer["harmful"], answer["seats"]) == (4, 2, ["one", "two", "three"])
    assert {(row["needed"], row["size"]) for row in answer["rows"]} >= {(1, 1), (2, 3), (3, 3)}
    assert answer["recommendations"][0]["at_most"] == 0.1


def test_the_frontier_is_written_as_a_drawing(quorate: Quorate, tmp_path: Path) -> None:
    file = log(tmp_path / "one.eval", "one", {**HARM, **WORK})
    written = tmp_path / "frontier.svg"

    assert quorate("eval", "gate", file, "--svg", str(written)).code == 0
    assert written.read_text(encoding="utf-8").startswith("<svg ")


def test_a_limit_that_is_no_share_is_refused(quorate: Quorate, tmp_path: Path) -> None:
    file = log(tmp_path / "one.eval", "one", {**HARM, **WORK})

    assert quorate("eval", "gate", file, "--at-most", "many").code == 1
    assert json.loads(quorate("eval", "gate", file, "--json").out)["schema"] == 1
