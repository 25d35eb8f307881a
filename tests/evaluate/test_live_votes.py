import json
import zipfile
from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.evaluate.datasets import load_votes
from quorate.evaluate.live_votes import SeatCost, labelled_lines
from quorate.evaluate.targets import cost_points, target_rows
from quorate.evaluate.votes import VotedQuestion

SAMPLES = [
    {"id": 1, "epoch": epoch, "input": "Larger?", "choices": ["whale", "mouse"], "target": "A",
     "scores": {"choice": {"value": "C", "answer": answer}}}
    for epoch, answer in ((1, "A"), (2, "B"))
]  # fmt: skip


def written(folder: Path, name: str, *rows: object) -> str:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("row", "right"),
    [
        ({"question": "?", "options": {"A": "whale", "B": "mouse"}, "gold": "B"}, "mouse"),
        ({"input": "?", "choices": ["whale", "mouse"], "answer": 1}, "mouse"),
        ({"question": "?", "choices": {"label": ["1", "2"], "text": ["whale", "mouse"]}, "answerKey": "2"}, "mouse"),
        ({"question": "?", "options": "whale | mouse", "right": "mouse"}, "mouse"),
        ({"problem": "1 + 1", "answer": 2}, "2"),
        ({"question": "?", "options": ["whale", "mouse"]}, None),
    ],
)
def test_a_right_answer_is_the_option_that_it_stands_for(row: object, right: str | None, tmp_path: Path) -> None:
    (found,) = labelled_lines(written(tmp_path, "data.jsonl", row))

    assert found.right == right


def test_a_row_without_a_question_has_an_error_and_a_file_without_any_is_refused(tmp_path: Path) -> None:
    first, _ = labelled_lines(written(tmp_path, "data.jsonl", {"id": 7}, {"question": "Why?"}))

    assert (first.line.key, first.line.error and first.line.error.kind) == ("7", "blank")
    with pytest.raises(BadSetting, match="no question in"):
        labelled_lines(written(tmp_path, "other.jsonl", {"id": 7}))


def test_a_log_of_inspect_holds_votes_by_epoch_and_questions(tmp_path: Path) -> None:
    log = {"version": 2, "eval": {"task": "t", "model": "mock/one"}, "samples": SAMPLES}
    plain = tmp_path / "log.json"
    plain.write_text(json.dumps(log), encoding="utf-8")
    packed = tmp_path / "log.eval"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"eval": log["eval"]}))
        for sample in SAMPLES:
            file.writestr(f"samples/1_epoch_{sample['epoch']}.json", json.dumps(sample))

    for path in (str(plain), str(packed)):
        (question,) = load_votes(path)
        assert question.votes == {"mock/one (epoch 1)": "A", "mock/one (epoch 2)": "B"}
        assert (question.right, question.listed) == ("A", 2)
        (line,) = labelled_lines(path)
        assert (line.right, line.line.question and line.line.question.options) == ("whale", ("whale", "mouse"))


def test_a_target_is_met_only_when_the_whole_interval_is_above_it() -> None:
    good = VotedQuestion(id="1", votes={"ann": "a", "ben": "a", "cat": "b"}, right="a")

    few, many = target_rows([good])[0], target_rows([good] * 50)[0]

    assert (few.measured and round(few.measured.value, 2), many.met) == (0.5, True)
    assert target_rows([good] * 3)[1].met is False
    assert target_rows([VotedQuestion(id="1", votes={"ann": "a"})])[0].measured is None


def test_what_replies_did_not_tell_is_not_drawn() -> None:
    questions = [VotedQuestion(id="1", votes={"ann": "a", "ben": "b"}, right="a")]
    told = SeatCost(seat="ann", replies=1, tokens=10, money=0.1)

    points = cost_points(questions, [told, SeatCost(seat="ben", replies=1, tokens=30, unpriced=1)])

    assert [(point.name, point.tokens, point.money, point.best) for point in points] == [
        ("ann", 10, 0.1, True),
        ("ben", 30, None, False),
        ("the panel", 40, None, False),
    ]
    assert cost_points(questions, [told, SeatCost(seat="ben", replies=1, untold=1)]) == ()
