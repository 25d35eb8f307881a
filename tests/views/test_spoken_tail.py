import random
import time

import pytest

from quorate.views.spoken_tail import GATHERED, KEPT, LINES, Tail


def tail(*pieces: str) -> Tail:
    made = Tail()
    for piece in pieces:
        made.add(piece)
    return made


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("I doubt it.", "I doubt it."),
        ("I doubt it.\n\nBALLOT {}", "I doubt it."),
        ("I doubt it.\n\n> **ballot** {}\nAnd more.", "I doubt it."),
        ("My BALLOT is\nBALLOTS are", "My BALLOT is\nBALLOTS are"),
        ("So.\nBALL", "So."),
        ("So.\nBALLroom", "So.\nBALLroom"),
        ("a\r\nb\rc", "a\nb\\x0dc"),
        ("\x1b[2J\u202e", "\\x1b[2J\\u202e"),
        ('{"decision": "ACT", "reasoning": "say \\"yes\\"\\nnow", "risk": 1}', 'say "yes"\nnow'),
        ('```json\n{"reasoning" : "half \\u00e', "half"),
        ('{"reasoning": "\\u00e9\\ud83d\\ude00"}', "é😀"),
        ('{"decision": "ACT"', ""),
        ("  \n ``", ""),
        ("`` no", "`` no"),
    ],
)
def test_words_are_shown_as_a_person_wants_to_watch_them_in_whatever_pieces_they_come(
    written: str, shown: str, seed: int
) -> None:
    assert tail(written).text == shown
    assert tail(*written).text == shown
    chance, grown = random.Random(seed), Tail()
    for sign in written:
        grown.add(sign)
        if chance.random() < 0.5:
            assert grown.text is not None  # to look is to take in
    assert grown.text == shown


@pytest.mark.parametrize(
    "piece",
    ["and on it goes ", "x" * 1000, "\n", "\u202e", " ", "*", '\n{"reasoning": "x"}', "BALL", "\r", "\\u", '"'],
)
@pytest.mark.parametrize("opening", ["", '{"reasoning": "'])
def test_what_is_kept_is_bounded_and_words_cost_the_same_however_many_came_before(opening: str, piece: str) -> None:
    grown = tail(opening)
    costs = []
    for _ in range(2):
        began = time.process_time()
        for _ in range(30):
            grown.add(piece * (GATHERED // len(piece)))
            assert len(grown.text) <= 2 * KEPT
            assert grown.text.count("\n") <= 2 * LINES
        costs.append(time.process_time() - began)

    assert costs[1] < 10 * costs[0] + 0.5


def test_the_end_of_long_words_is_shown_and_lines_seldom_break_anew() -> None:
    grown, begins = Tail(), []
    for number in range(3000):
        grown.add(f"word {number} ")
        begins.append(grown.text[:20])

    assert grown.text.endswith("word 2999")
    assert len(set(begins[10:])) <= 3000 * len("word 2999 ") // KEPT + 1
