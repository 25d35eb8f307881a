import json
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate

OPTIONS = json.dumps(["Use PostgreSQL", "Do not use PostgreSQL", "Adopt PostgreSQL"])


def test_groups_pairs_and_backend_are_one_document(quorate: Quorate) -> None:
    told = quorate("group", "-", "--json", "--backend", "overlap", stdin=OPTIONS)

    assert told.code == 0
    assert told.document["groups"] == [
        {"name": "Use PostgreSQL", "options": ["Use PostgreSQL", "Adopt PostgreSQL"]},
        {"name": "Do not use PostgreSQL", "options": ["Do not use PostgreSQL"]},
    ]
    assert told.document["pairs"][0] == {
        "a": "Use PostgreSQL",
        "b": "Do not use PostgreSQL",
        "score": 1.0,
        "merged": False,
        "why": "other words, at least 0.70",
    }
    assert told.document["backend"] == "overlap 3, same words 1"


def test_a_file_is_grouped_in_plain_lines(quorate: Quorate, tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text(OPTIONS, encoding="utf-8")

    told = quorate("group", str(tmp_path / "options.json"), "--backend", "overlap")

    assert told.out == "Use PostgreSQL\n  = Adopt PostgreSQL\nDo not use PostgreSQL\n"


@pytest.mark.parametrize("given", ["", "{}", "[1]", '["a", " "]', "[" * 5000])
def test_anything_but_a_list_of_texts_is_told_in_a_sentence(quorate: Quorate, given: str) -> None:
    told = quorate("group", "-", "--backend", "overlap", stdin=given)

    assert (told.code, told.out) == (1, "")
    assert "options are a JSON list of texts" in told.err


def test_an_empty_list_has_no_groups(quorate: Quorate) -> None:
    told = quorate("group", "-", "--json", "--backend", "overlap", stdin="[]")

    assert (told.document["groups"], told.document["pairs"]) == ([], [])


def test_an_unknown_backend_is_named(quorate: Quorate) -> None:
    assert "no similarity backend 'fuzzy'" in quorate("group", "-", "--backend", "fuzzy", stdin="[]").err


@pytest.mark.parametrize("backend", ["auto", "overlap", "tfidf"])
def test_half_a_character_is_shown_as_none(quorate: Quorate, backend: str) -> None:
    told = quorate("group", "-", "--backend", backend, stdin='["a\\ud800", "b", "\\udfff"]')

    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == ["a\ufffd", "b", "\ufffd"]


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "-", "--json"),
        ("decide", "-", "--json", "--rulebook", "plurality"),
        ("decide", "-", "--json", "--rulebook", "debate"),
        ("read", "-", "--json"),
        ("read", "-", "--json", "--protocol", "conference"),
        ("ask", "-", "--panel", "demo", "--json"),
        ("ask", "Use a\ud800?", "--option", "b\udfff", "--panel", "demo", "--json"),
    ],
)
def test_nor_is_it_a_bug_elsewhere(quorate: Quorate, words: tuple[str, ...]) -> None:
    half = "\\ud800"
    ballot = f'{{"seat": "A{half}", "decision": "ACT", "option": "a{half}", "confidence": 90, "risk": 5}}'
    told = quorate(*words, stdin=f"[{ballot}]")

    assert "bug" not in told.err
    assert told.code in {0, 1}
    told.out.encode()
