"""Lines that ask to see something: only with the mark, of one kind, and never what was planted in the prompt."""

import json

import pytest

from quorate.model.ask import AnswerTerms
from quorate.model.lookup import PER_REPLY, Lookup
from quorate.reading.text.lookup_lines import LAST_LINE, LONGEST, LookupLines, lookup_line, lookup_paper, read_lookups

MARK = "0123456789ab"
OURS = AnswerTerms(mark=MARK)


def asked(written: object, mark: str = MARK) -> tuple[Lookup, ...]:
    return read_lookups(f"LOOKUP {mark} {json.dumps(written)}", OURS).lookups


@pytest.mark.parametrize(
    ("written", "lookup"),
    [
        ({"read": "a.txt"}, Lookup(kind="read", path="a.txt")),
        ({"read": "a.txt", "from": 0}, Lookup(kind="read", path="a.txt")),
        ({"read": "a.txt", "from": 1}, Lookup(kind="read", path="a.txt")),
        ({"read": "a.txt", "from": 2}, Lookup(kind="read", path="a.txt", line=2)),
        ({"read": "a.txt", "from": LAST_LINE}, Lookup(kind="read", path="a.txt", line=LAST_LINE)),
        ({"read": "x" * LONGEST}, Lookup(kind="read", path="x" * LONGEST)),
        ({"read": "größe.txt"}, Lookup(kind="read", path="größe.txt")),
        ({"list": "docs"}, Lookup(kind="list", path="docs")),
        ({"list": ""}, Lookup(kind="list", path=".")),
        ({"search": "retry", "in": "src"}, Lookup(kind="search", path="src", text="retry")),
        ({"search": "retry", "in": ""}, Lookup(kind="search", path=".", text="retry")),
        ({"search": "retry"}, Lookup(kind="search", path=".", text="retry")),
        ({"read": "a.txt", "mark": MARK}, Lookup(kind="read", path="a.txt")),
        ({"read": "a.txt", "from": 2, "mark": MARK}, Lookup(kind="read", path="a.txt", line=2)),
    ],
)
def test_one_lookup_is_read_with_what_belongs_to_it(written: object, lookup: Lookup) -> None:
    assert asked(written) == (lookup,)
    assert read_lookups(lookup_line(MARK, lookup), OURS).lookups == (lookup,)
    assert f'"{lookup.path}"' in lookup_line(MARK, lookup)


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"open": "a.txt"},
        {"read": "a.txt", "list": "docs"},
        {"read": "a.txt", "in": "docs"},
        {"list": "docs", "from": 2},
        {"read": 5},
        {"search": "retry", "in": None},
        {"read": "a.txt", "from": -1},
        {"read": "a.txt", "from": LAST_LINE + 1},
        {"read": "a.txt", "from": True},
        {"read": "a.txt", "from": "2"},
        {"read": "x" * (LONGEST + 1)},
        {"read": "a\u0007.txt"},
    ],
)
def test_what_is_anything_else_asks_for_nothing_and_is_shown_as_it_stands(written: object) -> None:
    assert read_lookups(f"LOOKUP {MARK} {json.dumps(written)}", OURS) == LookupLines()


def test_a_line_without_the_mark_asks_for_nothing_and_is_hidden_all_the_same() -> None:
    for mark in ("", "ba9876543210"):
        line = f'LOOKUP {mark} {{"read": "a.txt"}}'
        found = read_lookups(f"Well.\n{line}", OURS)

        assert (found.lookups, found.spans) == ((), ((6, 6 + len(line)),))
    assert asked({"read": "a.txt", "mark": MARK}, mark="") == (Lookup(kind="read", path="a.txt"),)
    assert read_lookups(f'LOOKUP {MARK} {{"read": "a.txt"}}', AnswerTerms()) == LookupLines()


def test_broken_lines_and_lists_are_no_lookups_and_end_nothing() -> None:
    lines = ('{"read": }', '["read"]', '{"read": "a.txt"}', "{[}")
    found = read_lookups("\n".join(f"LOOKUP {MARK} {line}" for line in lines), OURS)

    assert found.lookups == (Lookup(kind="read", path="a.txt"),)
    assert len(found.spans) == 1


def test_only_so_many_are_heard_of_one_reply_each_once_and_none_from_private_thinking() -> None:
    lines = [f'LOOKUP {MARK} {{"read": "{at}.txt"}}' for at in (1, 1, *range(2, PER_REPLY + 5))]
    found = read_lookups("<think>" + lines[-1] + "</think>\n" + "\n".join(lines[:-1]), OURS)

    assert [one.path for one in found.lookups] == [f"{at}.txt" for at in range(1, PER_REPLY + 1)]
    assert len(found.spans) == len(lines) - 1


def test_what_stands_in_the_prompt_as_a_lookup_is_a_quotation_even_with_the_mark() -> None:
    shown = 'Somebody wrote {"read": "secret.txt"} and {"odd": 1} and {broken}.'
    text = f'LOOKUP {MARK} {{"read": "secret.txt"}}\nLOOKUP {MARK} {{"read": "a.txt"}}'

    assert [one.path for one in read_lookups(text, AnswerTerms(mark=MARK, shown=shown)).lookups] == ["a.txt"]


@pytest.mark.parametrize(("left", "words"), [(1, " once"), (2, " 2 times"), (0, "")])
def test_a_seat_is_told_how_often_it_may_still_ask_and_the_paper_asks_for_nothing(left: int, words: str) -> None:
    paper = lookup_paper(MARK, left)

    assert words in paper
    assert (MARK in paper) is (left > 0)
    assert read_lookups(paper, OURS).lookups == ()
