"""What talking did: a table of first and last votes, counted by hand."""

from quorate.evaluate.conformity import conformity_lines, measure_conformity
from quorate.evaluate.voted_question import VotedQuestion

VOTED = (
    # Cat gives in to Ann and Ben, who are wrong.
    VotedQuestion(
        id="1",
        votes={"ann": "x", "ben": "x", "cat": "y"},
        later={"ann": "x", "ben": "x", "cat": "x"},
        right="y",
        heard={"cat": ("ann",)},
    ),
    # Everybody ends where one had stood: hollow, and right.
    VotedQuestion(
        id="2", votes={"ann": "x", "ben": "y", "cat": "z"}, later={"ann": "z", "ben": "z", "cat": "z"}, right="z"
    ),
    # Nothing moves, and nobody knows what was right.
    VotedQuestion(id="3", votes={"ann": "x", "ben": "y"}, later={"ann": "x", "ben": "y"}),
    # There was no last round.
    VotedQuestion(id="4", votes={"ann": "x"}, right="x"),
)


def test_moves_turns_and_hollow_agreement_are_counted() -> None:
    found = measure_conformity(VOTED)

    assert found is not None
    assert (found.questions, found.votes, found.changed, found.towards_most) == (3, 8, 3, 1)
    assert (found.unanimous, found.hollow) == (2, 1)
    assert (found.labelled, found.wrong_to_right, found.right_to_wrong) == (2, 2, 1)
    assert (found.verdicts_to_right, found.verdicts_to_wrong) == (1, 0)
    assert {(move.mover, move.moved, move.times) for move in found.moves} == {
        ("ann", "cat", 1), ("cat", "ann", 1), ("cat", "ben", 1),
    }  # fmt: skip


def test_only_those_who_were_heard_can_have_moved_somebody() -> None:
    found = measure_conformity(VOTED[:1])

    assert found is not None
    assert [(move.mover, move.moved) for move in found.moves] == [("ann", "cat")]


def test_it_is_told_in_sentences() -> None:
    found = measure_conformity(VOTED)
    assert found is not None

    told = list(conformity_lines(found))

    assert told[0] == "3 of 8 votes changed in the discussion, 1 of them to what most seats had chosen first"
    assert "2 of 3 discussions ended in agreement of all who voted at last, 1 of them hollow: " in told[-3]
    assert told[-2:] == [
        "of 2 with a known answer: 2 votes turned from wrong to right, 1 from right to wrong",
        "the leading answer turned right once and wrong 0 times",
    ]


def test_without_a_last_round_there_is_nothing_to_say() -> None:
    assert measure_conformity(VOTED[3:]) is None
