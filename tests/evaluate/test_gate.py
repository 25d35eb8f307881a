"""Gates measured on recorded decisions: files are read as one table, and figures are what the shipped rules decide."""

import json
import zipfile
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from quorate import presets
from quorate.errors import BadSetting
from quorate.evaluate.datasets import load_votes
from quorate.evaluate.gate_page import gate_lines, gate_report, gate_svg
from quorate.evaluate.gate_panels import GATES, choose_gate, first_stage, gate_rows
from quorate.evaluate.gate_votes import ACT, NONE, REFUSE, WARN, GateVotes, load_gate_votes
from quorate.model import Silence, Tally, Voice
from quorate.rules import apply_rulebook

ZSTANDARD = 93
WORDS = {ACT: "ACT", WARN: "WARN", REFUSE: "REFUSE"}
ALL_SEATS = ("ann", "ben", "cat", "dan", "eve")


def log(path: Path, model: str, answers: Mapping[str, tuple[str, str]], packed: int = zipfile.ZIP_DEFLATED) -> str:
    """A log as inspect_ai writes it: what was right, and what the scorer read."""
    import_module("zipfile_zstd")  # teaches zipfile to write what newer logs hold

    with zipfile.ZipFile(path, "w", packed) as file:
        file.writestr("header.json", json.dumps({"eval": {"model": model, "task": "shell"}}))
        for id_, (target, answer) in answers.items():
            scores = {"scorer": {"value": "C", "answer": answer}}
            sample = {"id": id_, "epoch": 1, "input": f"run {id_}", "target": [target], "scores": scores}
            file.writestr(f"samples/{id_}_epoch_1.json", json.dumps(sample))
    return str(path)


HARM = {"rm": ("BLOCK", "BLOCK"), "dd": ("BLOCK", "WARN")}
WORK = {"ls": ("ALLOW", "ALLOW"), "cc": ("ALLOW", "PARSE_ERROR")}


@pytest.mark.parametrize("packed", [zipfile.ZIP_DEFLATED, ZSTANDARD], ids=["deflate", "zstandard"])
def test_logs_of_one_model_on_other_actions_are_one_seat(tmp_path: Path, packed: int) -> None:
    files = [
        log(tmp_path / "a.eval", "one", HARM, packed),
        log(tmp_path / "b.eval", "one", WORK, packed),
        log(tmp_path / "c.eval", "two", {**HARM, **WORK}, packed),
        log(tmp_path / "d.eval", "three", WORK, packed),
    ]
    votes = load_gate_votes(files)

    assert votes.seats == ("one", "two")
    assert votes.harmful.tolist() == [False, False, True, True] or votes.harmful.sum() == 2
    assert votes.casts[:, 0].tolist() == votes.casts[:, 1].tolist()
    assert sorted(votes.casts[:, 0].tolist()) == [ACT, WARN, REFUSE, NONE]
    assert votes.partly == (("three", 2),)


def test_a_second_log_of_one_model_on_the_same_actions_is_another_seat(tmp_path: Path) -> None:
    whole = {**HARM, **WORK}
    files = [log(tmp_path / f"{name}.eval", "one", whole) for name in ("a", "b")]

    assert load_gate_votes(files).seats == ("one", "one (2)")


def test_a_packed_log_is_read_as_votes_too(tmp_path: Path) -> None:
    (question, *_) = load_votes(log(tmp_path / "a.eval", "one", {"rm": ("BLOCK", "WARN")}, ZSTANDARD))

    assert (dict(question.votes), question.right) == ({"one": "WARN"}, "BLOCK")


@pytest.mark.parametrize("damage", ["cut", "bytes"])
def test_a_damaged_packed_log_is_told(tmp_path: Path, damage: str) -> None:
    path = Path(log(tmp_path / "a.eval", "one", HARM, ZSTANDARD))
    content = bytearray(path.read_bytes())
    at = content.index(b"\x28\xb5\x2f\xfd")
    content[at + 6 : at + 12] = b"\xff" * 6
    path.write_bytes(content if damage == "bytes" else content[: len(content) // 2])

    with pytest.raises(BadSetting, match="cannot read"):
        load_gate_votes([str(path)])


def test_lines_of_json_say_who_was_not_asked_and_who_could_not_be_read(tmp_path: Path) -> None:
    rows = [{"id": at, "label": "harmful" if at % 2 else "harmless", "votes": {"ann": "ALLOW", "ben": None}}
            for at in range(20)]  # fmt: skip
    rows[3]["votes"] = {"ann": "maybe", "ben": "Block", "cat": "ALLOW"}
    file = tmp_path / "votes.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    votes = load_gate_votes([str(file)])

    assert votes.seats == ("ann", "ben")
    assert votes.casts[3].tolist() == [NONE, REFUSE]
    assert set(votes.casts[:, 1].tolist()) == {NONE, REFUSE}
    assert votes.partly == (("cat", 1),)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"id": 1, "label": "harmful", "votes": {"ann": "ACT"}}],
        [{"id": 1, "label": "odd", "votes": {"ann": "ACT"}}, {"id": 2, "label": "?", "votes": {"ann": "ACT"}}],
        [{"id": 1, "label": "harmful", "votes": {}}, {"id": 2, "label": "harmless", "votes": {}}],
        [{"id": 1, "label": "harmful", "votes": {"a": "ACT"}}, {"id": 1, "label": "harmless", "votes": {"b": "ACT"}}],
        [{"id": 1, "label": "harmful"}],
    ],
    ids=["nothing", "one label", "unknown labels", "nobody", "two labels", "no votes"],
)
def test_what_cannot_be_measured_is_refused(tmp_path: Path, rows: list[object]) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    with pytest.raises(BadSetting):
        load_gate_votes([str(file)])


def votes_of(casts: list[tuple[int, ...]], harmful: list[bool]) -> GateVotes:
    return GateVotes(seats=ALL_SEATS[: len(casts[0])], harmful=np.array(harmful), casts=np.array(casts, dtype=np.int8))


@pytest.mark.parametrize(("rule", "name"), GATES.items())
def test_the_table_counts_what_the_shipped_rulebook_decides(rule: tuple[int, int], name: str) -> None:
    _needed, size = rule
    casts = list(product((ACT, WARN, REFUSE, NONE), repeat=size))
    votes = votes_of(casts, [True, *[False] * (len(casts) - 1)])
    (row,) = (row for row in gate_rows(votes) if (row.needed, row.size) == rule)
    seats, book = votes.seats, presets.rulebook(name)
    acts = []
    for cast in casts[1:]:
        tally = Tally(
            eligible=seats,
            options=("ACT", "WARN", "REFUSE"),
            voices=tuple(Voice(seat=s, option=WORDS[c]) for s, c in zip(seats, cast, strict=True) if c in WORDS),
            silent=tuple(Silence(seat=s, why="timeout") for s, c in zip(seats, cast, strict=True) if c not in WORDS),
        )
        acts.append(apply_rulebook(tally, book).outcome == "ACT")

    assert row.harmful_allowed.value == 1.0
    assert row.harmless_allowed.value == pytest.approx(sum(acts) / len(acts))


def drawn(seed: int) -> GateVotes:
    """Five seats that mostly see what is harmful, two of them often wrong together."""
    chance = np.random.default_rng(seed)
    harmful = np.arange(400) < 200
    wrong = chance.random((400, 5)) < np.array([0.05, 0.05, 0.1, 0.2, 0.3])
    wrong[:, 4] |= wrong[:, 3]
    casts = np.where(harmful[:, None] ^ wrong, REFUSE, ACT).astype(np.int8)
    return GateVotes(seats=ALL_SEATS, harmful=harmful, casts=casts)


def test_more_who_must_agree_let_less_run_and_pass_less(seed: int) -> None:
    rows = gate_rows(drawn(seed))

    for row, other in pairwise(rows):
        if row.size == other.size:
            assert other.harmful_allowed.value <= row.harmful_allowed.value
            assert other.harmless_allowed.value <= row.harmless_allowed.value
    for row in rows:
        assert row.best.harmful_allowed.value <= row.harmful_allowed.value <= row.worst.harmful_allowed.value
        assert row.harmful_allowed.low <= row.harmful_allowed.value <= row.harmful_allowed.high


def test_a_recommendation_keeps_to_its_limit_with_its_whole_interval(seed: int) -> None:
    rows = gate_rows(drawn(seed))
    taken = [choose_gate(rows, limit).row for limit in (0.5, 0.1, 0.05, 0.02)]

    for limit, row in zip((0.5, 0.1, 0.05, 0.02), taken, strict=True):
        if row is not None:
            assert row.harmful_allowed.high <= limit
            assert all(
                other.harmless_allowed.value <= row.harmless_allowed.value
                for other in rows
                if other.harmful_allowed.high <= limit
            )
    assert choose_gate(rows, 0.0).row is None


def test_a_seat_that_may_allow_first_never_makes_a_panel_safer(seed: int) -> None:
    stage = first_stage(drawn(seed), 3, 4)

    assert stage is not None
    assert stage.panel <= stage.highest
    assert first_stage(drawn(seed), 4, 5) is None


def test_the_drawing_is_xml_with_a_point_for_every_rule(seed: int) -> None:
    report = gate_report(drawn(seed))
    drawing = ET.fromstring(gate_svg(report))  # noqa: S314 - our own

    assert len(drawing.findall("{http://www.w3.org/2000/svg}circle")) == len(report.rows)
    assert any("gate-five" in (text.text or "") for text in drawing.iter("{http://www.w3.org/2000/svg}text"))


def test_the_page_begins_with_what_to_take(seed: int) -> None:
    lines = list(gate_lines(gate_report(drawn(seed), 0.4)))

    assert lines[0].startswith("400 actions, 200 harmful and 200 harmless, decided by 5 seats: ann, ben")
    assert lines[2].startswith("for at most 40 % harmful allowed take ")
