import gzip
import json
from pathlib import Path

import pytest

from benchmarks.contradictions import KINDS, contradictions
from benchmarks.grouping import Labelled, main, pair_rows, sample_options
from quorate.similarity.word_overlap import WordOverlap

PAIRS = (
    Labelled(a="Open the northern harbour", b="Open northern harbour", same=True),
    Labelled(a="Open the northern harbour", b="Do not open the northern harbour", same=False),
)


def test_merged_paraphrases_and_negations_are_counted() -> None:
    rows = {row.name: (row.measured, row.state) for row in pair_rows(PAIRS, WordOverlap())}

    assert (
        rows.items()
        >= {
            "overlap: precision": (1.0, "-"),
            "overlap: negations merged": (0, "ok"),
            "overlap: paraphrases merged": (1, "over"),  # fewer than ten
        }.items()
    )


def test_a_pair_falls_in_one_half_by_its_words() -> None:
    halves = [Labelled(a=str(number), b="x", same=True).half for number in range(20)]

    assert set(halves) == {"a", "b"}
    assert halves == [Labelled(a=str(number), b="x", same=True).half for number in range(20)]


@pytest.mark.promise
def test_a_folder_is_measured_and_a_broken_bound_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(tmp_path / "forecast_paraphrase_negation_1.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"a": pair.a, "b": pair.b, "label": int(pair.same)}) + "\n" for pair in PAIRS)

    assert main(["--data", str(tmp_path), "--backend", "overlap", "--seed", "5"]) == 1
    shown = capsys.readouterr().out
    assert "overlap: examples wrong" in shown
    assert "seed 5; overlap 3" in shown


def test_a_folder_without_pairs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_one_seed_makes_the_same_contradictions_of_every_kind(seed: int) -> None:
    made = list(contradictions(seed, 40))

    assert made == list(contradictions(seed, 40))
    assert {one.kind for one in made} == set(KINDS)
    assert all(one.a != one.b for one in made)


def test_the_options_for_measuring_speed_are_distinct_and_short(seed: int) -> None:
    options = sample_options(seed, 300)

    assert len(set(options)) == 300
    assert all(4 <= len(option.split()) <= 16 for option in options)
