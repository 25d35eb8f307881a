import asyncio

import pytest

from tests.doors.conftest import Quorate
from tests.servers import Endpoint, said


def test_it_says_first_that_it_is_a_simulation_and_recommends_a_way(quorate: Quorate) -> None:
    told = quorate("simulate", "conference", "--accuracy", "0.7", "--calls", "3", "--count", "500")

    assert told.code == 0, told.err
    assert told.out.startswith("This is a simulation. Nobody was asked")
    assert "Recommended within 3 calls: protocol conference, " in told.out


def test_where_nothing_errs_seldom_enough_it_says_so(quorate: Quorate) -> None:
    words = ("--accuracy", "0.3", "--calls", "3", "--count", "500", "--wrong", "0.1%")

    assert quorate("simulate", "conference", *words).out.endswith(
        "Nothing that was tried keeps within 3 calls and 0.1 % wrong.\n"
    )


def test_the_document_says_where_accuracy_is_from(quorate: Quorate) -> None:
    words = ("--accuracy", "Alpha=0.9", "--accuracy", "0.6", "--liar", "gamma", "--count", "500", "--json")

    found = quorate("simulate", "conference", *words).document

    assert (found["simulated"], found["accuracy_from"]) == (True, "as given")
    seats = found["plan"]["seats"]
    assert [(seat["name"], seat["accuracy"], seat["liar"]) for seat in seats] == [
        ("Alpha", 0.9, False), ("Beta", 0.6, False), ("Gamma", 0.6, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "the ledger holds fewer than 8 deliberations with votes"),
        (("--accuracy", "Zoe=0.5"), "no seat 'Zoe'"),
        (("--accuracy", "0.7", "--wrong", "2"), "--wrong is a share from 0 to 1"),
        (("--accuracy", "7"), "--accuracy is a share from 0 to 1"),
        (("--accuracy", "0.7", "--rulebook", "lottery"), "no rulebook of the conference 'lottery'"),
        (("--accuracy", "0.7", "--liar", "Alpha", "--loudness", "x"), "--loudness is a number above 0"),
    ],
)
def test_what_cannot_be_simulated_is_said_in_a_sentence(
    quorate: Quorate, words: tuple[str, ...], sentence: str
) -> None:
    told = quorate("simulate", "conference", *words)

    assert told.code == 1
    assert sentence in told.err


async def test_seats_that_have_never_voted_are_taken_for_average_and_named(quorate: Quorate) -> None:
    questions = "".join(f'{{"question": "Should we do thing {number}?"}}\n' for number in range(8))
    async with Endpoint(otherwise=said("Decision: ACT\nConfidence: 90\nRisk: 10\nReasoning: fine")) as endpoint:
        words = ("batch", "-", "--panel", "tribunal", "--model", f"openai:m@{endpoint.url}")
        await asyncio.to_thread(quorate, *words, stdin=questions)

    told = await asyncio.to_thread(quorate, "simulate", "conference", "--count", "100", "--json")
    assert told.code == 0, told.err
    came = told.document["accuracy_from"]
    assert came.startswith("learned from the ledger by who agreed with whom, and Alpha, Beta, Gamma taken for average")
