"""Which files were read is on record, and so on the card: nothing else says what a panel was shown."""

from dataclasses import replace
from pathlib import Path

from quorate.model import Question
from quorate.settings.context_files import with_files
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.document import document
from quorate.views.result import Result
from tests.conference import conference, holding
from tests.play import play


def test_the_card_says_which_files_were_read_with_their_sizes_and_which_were_not(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("x" * 1234, encoding="utf-8")
    (tmp_path / "big.md").write_text("x" * 70_000, encoding="utf-8")
    question, _ = with_files(Question(text="Ship it?"), [(str(tmp_path), "*.md")])
    begin = replace(conference(), question=question)
    record = Record(id="x", events=play(begin, holding((("A", "A", "A"),))))

    assert dict(rows(Result.of(record)))["files read"] == (
        "plan.md (1,234 bytes)",
        "big.md left out: larger than 64 KiB",
    )
    assert document(record)["files"] == [
        {"name": "plan.md", "size": 1234, "left_out": None},
        {"name": "big.md", "size": 0, "left_out": "larger than 64 KiB"},
    ]
