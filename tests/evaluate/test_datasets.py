import gzip
import json
from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.evaluate.datasets import load_votes
from quorate.evaluate.votes import VotedQuestion

LINE = b'{"id": "1", "votes": {"ann": "a"}}\n'
SIMPLE = {"id": "1", "votes": {"ann": "a", "ben": "b"}, "options": ["a", "b", "c"], "right": "a"}
ROUNDS = {
    "qid": "1",
    "options": {"a": "one", "b": "two", "c": "three"},
    "gold": "a",
    "rounds": [
        [{"agent": "ann", "answer": "a", "confidence": 0.75}, {"agent": "ben", "answer": "b", "confidence": None}],
        [{"agent": "ann", "answer": "b"}, {"agent": "ben", "answer": None}],
    ],
}
SERVER = {"rows": [{"row_idx": 1, "row": {"votes": {"ann": 0, "ben": 1}, "choices": ["a", "b", "c"], "label": 0}}]}
LONG = "id,seat,answer,right,options\n1,ann,a,a,a|b|c\n1,ben,b,a,a|b|c\n"
WIDE = "id,right,options,ann,ben,cat\n1,a,a|b|c,a,b,\n"
EXPECTED = VotedQuestion(id="1", votes={"ann": "a", "ben": "b"}, listed=3, right="a")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("simple.jsonl", json.dumps(SIMPLE) + "\n\n"),
        ("list.json", json.dumps([SIMPLE])),
        ("server.json", json.dumps(SERVER)),
        ("long.csv", LONG),
        ("wide.csv", WIDE),
        ("answer.jsonl", json.dumps({"answer" if name == "right" else name: value for name, value in SIMPLE.items()})),
        ("answer.csv", WIDE.replace("right", "answer")),
    ],
)
def test_one_question_is_read_from_every_layout(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")

    assert load_votes(str(file)) == (EXPECTED,)


def test_where_each_row_is_a_vote_its_answer_is_no_label(tmp_path: Path) -> None:
    file = tmp_path / "unlabelled.csv"
    file.write_text("id,seat,answer\n1,ann,a\n1,ben,b\n", encoding="utf-8")

    assert load_votes(str(file)) == (VotedQuestion(id="1", votes={"ann": "a", "ben": "b"}),)


def test_rounds_are_read_with_what_was_stated_and_what_came_last(tmp_path: Path) -> None:
    file = tmp_path / "rounds.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(ROUNDS).encode()))

    (question,) = load_votes(str(file))

    assert (question.votes, question.listed, question.right) == ({"ann": "a", "ben": "b"}, 3, "a")
    assert (question.later, question.stated) == ({"ann": "b"}, {"ann": 0.75})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("twice.jsonl", f"{json.dumps(SIMPLE)}\n{json.dumps(SIMPLE)}\n", "question '1' stands in .* 2 times"),
        ("twice.csv", f"{WIDE}1,a,a|b|c,a,b,\n", "question '1' stands in .* 2 times"),
        ("votes.csv", f"{LONG}1,ann,c,a,a|b|c\n", "seat 'ann' votes 2 times on question '1'"),
        ("right.csv", f"{LONG}1,cat,c,b,a|b|c\n", "question '1' has two right answers"),
        ("cells.csv", f"{WIDE}2,a,a|b|c,a,b,,c\n", "row 2 below the header has more cells"),
    ],
)
def test_nothing_is_counted_twice_or_dropped_in_silence(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")

    with pytest.raises(BadSetting, match=message):
        load_votes(str(file))


def test_a_line_may_hold_any_separator_but_the_end_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps({**SIMPLE, "question": "one\u2028two"}, ensure_ascii=False), encoding="utf-8")

    assert load_votes(str(file)) == (EXPECTED,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{not json", "line 1 of .* is no JSON"),
        ("3\n", "line 1 of .* is no object"),
        ('{"id": "1"}\n', "no votes in"),
        ("", "no votes in"),
    ],
)
def test_what_is_no_vote_is_refused_with_a_pattern(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(BadSetting, match=message):
        load_votes(str(file))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.jsonl.gz", gzip.compress(LINE)[:-9]),
        ("broken.jsonl.gz", gzip.compress(b"")[:10] + b"\xff" * 40),
        ("long.csv", b"id,right,s1\n1,a," + b"x" * 200_000),
    ],
    ids=["cut", "broken", "long"],  # what is packed bears the time
)
def test_a_spoilt_file_is_told_in_a_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadSetting, match="cannot read"):
        load_votes(str(tmp_path / name))


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.evaluate.datasets.LARGEST", 1000)
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(LINE + b" " * 10**6))
    with pytest.raises(BadSetting, match="more than 1000 bytes"):
        load_votes(str(tmp_path / "bomb.jsonl.gz"))


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(BadSetting, match=r"cannot read 'nowhere\.jsonl'"):
        load_votes("nowhere.jsonl")
