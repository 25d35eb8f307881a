"""What is counted as one means the same: no two options that differ in meaning are merged, on any backend."""

import asyncio
import json
from collections.abc import Iterator
from random import Random

import pytest

from benchmarks.grouping import APART, TOGETHER
from quorate import catalogue, chair
from quorate.model import Ask, Errand, Found, Panel, Reply, Seat
from quorate.model.ask import AnswerTerms
from quorate.offline.group import group_options
from quorate.reading.text.listed_options import distinct_options, listed_option
from quorate.similarity.backend_choice import choose
from quorate.similarity.errand_compare import comparer
from quorate.similarity.same_option import asks_for_order, is_same
from quorate.testing import vote
from tests.conference import conference
from tests.play import play, verdict
from tests.promises.rivals import BARE_MAKERS, DENIALS, KINDS, deny, rivals
from tests.similarity.backends import on_every_backend

pytestmark = pytest.mark.promise

PAIRS, LONG = 100_000, 1_000_000
ON_A_BACKEND = {"overlap": 400, "tfidf": 200, "embeddings": 40}

Pair = tuple[str, str]


def rival_pairs(seed: int, count: int) -> Iterator[Pair]:
    """Half of them sentences in five casings, half of them pairs that differ by a sign, a number or one word."""
    chance = Random(seed)
    for kind in KINDS:
        yield from ((pair.a, pair.b) for pair in rivals(kind, seed, count // (10 * len(KINDS)) + 1))
    for make in BARE_MAKERS.values():
        yield from (make(chance) for _ in range(count // (2 * len(BARE_MAKERS)) + 1))


def merged(pairs: Iterator[Pair]) -> list[Pair]:
    """Those that would be counted as one, in either order and even where the order of lists doesn't matter."""
    return [(a, b) for a, b in pairs if is_same(a, b, any_order=True) or is_same(b, a, any_order=True)]


def test_no_rivals_are_the_same_option(seed: int) -> None:
    pairs = list(rival_pairs(seed, PAIRS))

    assert len(pairs) >= PAIRS
    assert merged(iter(pairs)) == []


@pytest.mark.long
def test_no_rivals_are_the_same_option_at_full_size(seed: int) -> None:
    assert merged(rival_pairs(seed, LONG)) == []


def test_the_test_sees_a_merge() -> None:
    pairs = [("Merge the branch", "merge branch."), ("Merge the branch", "Merge no branch")]

    assert merged(iter(pairs)) == pairs[:1]


@pytest.mark.parametrize(
    "options",
    [("A", "A*"), ("n", "n!"), ("init", "__init__"), ("5'", '5"'), ("nix", "*nix"), ("Merge", "!Merge"), ("C", "C++")],
)
def test_a_listed_option_is_never_taken_for_one_that_differs_by_a_sign(options: tuple[str, ...]) -> None:
    terms = AnswerTerms(options=options)
    replies = [json.dumps({"outcome": one, "confidence": 0.9, "reasoning": "Why not."}) for one in options]
    findings = [catalogue.form("finding").read(reply, terms).ballot for reply in replies]

    assert distinct_options(options) == options
    assert [listed_option(one, options) for one in options] == list(options)
    assert [ballot and ballot.choice for ballot in findings] == list(options)


@pytest.mark.parametrize(
    "question",
    [
        *("In which order should we ship?", "Who should be CEO and CTO?", "Which of them goes ahead of the others?"),
        *("Wat is de volgorde?", "Welche Reihenfolge will das Team?", "Qual a ordem do deploy?", "Arrange these."),
        *("Which one leads, and which come later?", "What is most important?", "Who is president, who vice president?"),
    ],
)
def test_lists_in_another_order_stay_apart_where_the_order_may_be_asked_for(question: str) -> None:
    groups = group_options(("Alice and Bob", "Bob and Alice"), choose("overlap"), question).groups

    assert asks_for_order(question)
    assert len(groups) == 2


@pytest.mark.parametrize(
    "question", ["Which languages should we use?", "Should we support Python, Go or Java?", "Who?"]
)
def test_lists_in_another_order_are_one_where_no_order_is_asked_for(question: str) -> None:
    assert len(group_options(("Python and Go", "Go and Python"), choose("overlap"), question).groups) == 1


@pytest.mark.parametrize("options", [("`init`", '"init"', "wait"), ("“a” or “b”", '"a” or “b"', "wait")])
def test_two_groups_never_have_one_name(options: tuple[str, ...]) -> None:
    groups = group_options(options, choose("overlap")).groups

    assert len({one.name for one in groups}) == len(groups) == len(options)


@pytest.mark.parametrize(
    ("options", "reply", "named"),
    [
        (("2. Keep", "Keep"), "2. Keep", "2. Keep"),
        (("2. Keep", "Keep"), "2", None),
        (("Wait", "Keep"), "2. Keep", "Keep"),
        (("1. Wait", "2. Keep"), "2. Keep", "2. Keep"),
    ],
)
def test_a_number_names_an_option_only_where_no_option_reads_like_a_line_of_the_list(
    options: tuple[str, ...], reply: str, named: str | None
) -> None:
    assert listed_option(reply, options) == named


def test_no_rivals_are_one_option_of_a_list(seed: int) -> None:
    pairs = [pair for pair in rival_pairs(seed, PAIRS) if not any("**" in text for text in pair)]

    assert len(pairs) > PAIRS // 2
    assert [pair for pair in pairs if pair[0] != pair[1] and len(distinct_options(pair)) == 1] == []


@on_every_backend
def test_rivals_stay_two_groups(name: str, seed: int) -> None:
    backend, pairs = choose(name), list(rival_pairs(seed, PAIRS // 10))
    drawn = Random(seed).sample(pairs, ON_A_BACKEND[name])

    assert [pair for pair in drawn if pair[0] != pair[1] and len(group_options(pair, backend).groups) != 2] == []


@on_every_backend
def test_the_published_examples_come_out_as_ruled(name: str) -> None:
    backend = choose(name)

    assert [options for options in TOGETHER if len(group_options(options, backend).groups) != 1] == []
    assert [options for options in APART if len(group_options(options, backend).groups) != len(options)] == []


@on_every_backend
@pytest.mark.parametrize("denial", DENIALS)
def test_two_seats_that_deny_it_are_never_counted_for_merge(name: str, denial: str) -> None:
    merge, denied = "Merge the pull request", denial
    _, denied = deny(merge, _Fixed(denial))
    options = (merge, denied, denied)
    seats = tuple(Seat(name=f"s{number}") for number in range(3))

    def answer(ask: Ask) -> Reply:
        return Reply(text=vote(ask, options[seats.index(ask.seat)]))

    async def compare(errand: Errand) -> Found:
        return await comparer(name)(errand)

    begin = conference(Panel(seats=seats), settings={"mode": "quick"})
    events = play(begin, answer, find=lambda errand: asyncio.run(compare(errand)))
    found, tally = verdict(events).verdict, chair.tally_of(chair.replay(events))

    assert not (found.decided and found.outcome == merge)
    assert (tally.heads(merge), tally.heads(denied)) != (3, 0)


class _Fixed(Random):
    """Chance that always draws the same."""

    def __init__(self, drawn: str) -> None:
        super().__init__(0)
        self.drawn = drawn

    def choice(self, seq: object) -> str:  # type: ignore[override]
        del seq
        return self.drawn
