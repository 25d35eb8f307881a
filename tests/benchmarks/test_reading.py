import gzip
import json
from pathlib import Path

import pytest

from benchmarks.reading import RecordedAnswer, as_vote, main, reading_of, ways

REPLY = '{"Reasoning": "So it is", "Answer": "B", "Confidence": 0.9}'


def test_a_reply_is_measured_under_the_names_of_a_vote_with_its_faults() -> None:
    renamed = as_vote(REPLY)

    assert renamed == '{"Reasoning": "So it is", "option": "B", "Confidence": 0.9}'
    assert ways(renamed) == (True, True, True)
    assert as_vote("no answer at all") is None
    assert ways(renamed.replace("}", "")) == (False, False, False)


def test_words_around_an_unmarked_reply_keep_it_from_counting_the_second_time() -> None:
    assert ways(f"VOTE: {as_vote(REPLY)}") == (True, True, True)
    assert ways(f"I am not sure of it. VOTE: {as_vote(REPLY)}") == (True, True, False)


def test_a_recorded_reply_is_read_as_it_was_or_it_shows() -> None:
    assert reading_of(RecordedAnswer(REPLY, "B", ("A", "B"))) == "read"
    assert reading_of(RecordedAnswer(REPLY, "A", ("A", "B"))) == "otherwise"
    assert reading_of(RecordedAnswer("no answer at all", "A", ("A", "B"))) == "missed"


def test_a_folder_is_read_and_a_table_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"output": REPLY, "lenient_answer": "B", "how": "braces"},
        {"rounds": [[{"raw": REPLY, "answer": "B"}, {"raw": "nothing", "answer": None}]]},
    ]
    with gzip.open(tmp_path / "some.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)

    assert main(["--data", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "some                                      2  100.00%          0           0" in printed
    assert "some                                      2    100.00%" in printed
    assert main(["--data", str(tmp_path / "none")]) == 1
