import asyncio
from pathlib import Path

import pytest

from quorate import presets
from quorate.doors.cli.exit_codes import Gate
from quorate.ledger import open_ledger
from quorate.model import Event, Origin, Reviewed, Tally, Verdict
from quorate.views.result import Decision, Result
from tests.doors.conftest import Quorate
from tests.reviewing import conference, kept, tribunal
from tests.views.discussion import SELECTIVE

STRICTER = "note: nobody confirmed this at a terminal, so at a gate it can only make the outcome stricter\n"
SAYS = ("--by", "Ann Lee", "--because", "The backup was never tried.")


def put(home: Path, events: list[Event]) -> str:
    """Keep a record in the ledger of the test."""

    async def work() -> str:
        ledger = open_ledger(home / "ledger.db")
        try:
            return await kept(ledger, events)
        finally:
            await ledger.close()

    return asyncio.run(work())


def owners(outcome: str) -> Reviewed:
    """What the owner said at a terminal."""
    return Reviewed(outcome=outcome, by="Ann Lee", because="so", origin=Origin(interface="terminal", caller="ann"))


@pytest.fixture
def waits(home: Path) -> str:
    """The id of a tribunal that decided nothing."""
    return put(home, tribunal())


def test_what_waits_is_listed_until_it_was_reviewed(quorate: Quorate, home: Path, waits: str) -> None:
    agreed = put(home, tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")))

    assert [line.split()[0] for line in quorate("review", "list").out.splitlines()] == [waits]
    listed = quorate("review", "list", "--json").document["deliberations"]
    assert [(one["id"], one["review"]) for one in listed] == [(waits, {"state": "pending", "outcome": None})]

    assert quorate("review", waits, "--outcome", "REFUSE", *SAYS).code == 0
    assert quorate("review", "list").out == ""
    assert quorate("review", "list").err == "nothing waits for review\n"
    both = {one["id"]: one for one in quorate("list", "--json").document["deliberations"]}
    assert both[agreed]["review"] is None
    assert (both[waits]["outcome"], both[waits]["review"]) == ("WARN", {"state": "given", "outcome": "REFUSE"})


def test_the_list_shows_the_panels_outcome_and_the_persons(quorate: Quorate, waits: str) -> None:
    assert quorate("list").out.endswith("?  (waits for review)\n")

    quorate("review", "last", "--outcome", "ACT", *SAYS)

    line = quorate("list").out
    assert "  WARN  " in line
    assert line.endswith("?  (reviewed: ACT)\n")


def test_a_review_is_told_with_the_name_of_who_gave_it(quorate: Quorate, waits: str) -> None:
    told = quorate("review", "last", "--outcome", "ACT", *SAYS)

    assert (told.code, told.err) == (0, STRICTER)
    assert told.out.startswith("WARN  ")
    assert "Ann Lee reviewed it: ACT" in told.out
    assert "Ann Lee said ACT at 20" in quorate("show", "last").out
    assert quorate("show", "last", "--json").document["review"]["because"] == SAYS[-1]
    assert "review      Ann Lee said ACT at 20" in quorate("resume", "last").out


def test_a_review_takes_the_ending_of_an_id(quorate: Quorate, waits: str) -> None:
    told = quorate("review", waits[-6:], "--outcome", "ACT", *SAYS)

    assert (told.code, told.err) == (0, STRICTER)
    assert told.out.rstrip().endswith(waits)


@pytest.mark.parametrize("given", [("--outcome", "ACT"), ("--by", "Ann"), ("--outcome", "ACT", "--by", "Ann"), ()])
def test_a_review_that_lacks_something_is_refused(quorate: Quorate, waits: str, given: tuple[str, ...]) -> None:
    told = quorate("review", waits, *given)

    assert (told.code, told.out) == (2, "")
    assert "--outcome, --because and --by" in told.err
    assert quorate("review", "list").out != ""


def test_an_open_deliberation_is_refused_with_a_sentence(quorate: Quorate, home: Path) -> None:
    id_ = put(home, tribunal()[:-1])

    told = quorate("review", id_, "--outcome", "ACT", *SAYS)

    assert (told.code, told.out) == (1, "")
    assert told.err == (
        f"quorate: {id_} has no verdict yet, so there is nothing to review; continue with: quorate resume {id_}\n"
    )


@pytest.mark.parametrize(
    ("outcome", "codes"), [("ACT", [10, 10, 20]), ("WARN", [10, 20, 20]), ("REFUSE", [20, 20, 10])]
)
def test_a_review_that_nobody_confirmed_only_makes_the_gate_stricter(
    quorate: Quorate, waits: str, outcome: str, codes: list[int]
) -> None:
    gates = ((), ("ACT",), ("REFUSE",))
    assert [quorate("resume", waits, "-q", "--gate", *gate).code for gate in gates] == [10, 10, 10]

    quorate("review", waits, "--outcome", outcome, *SAYS)

    assert [quorate("resume", waits, "-q", "--gate", *gate).code for gate in gates] == codes


@pytest.mark.parametrize(("outcome", "codes"), [("ACT", [0, 0, 20]), ("WARN", [10, 20, 20]), ("REFUSE", [20, 20, 0])])
def test_the_gate_goes_by_the_owners_review(quorate: Quorate, home: Path, outcome: str, codes: list[int]) -> None:
    id_ = put(home, [*tribunal(), owners(outcome)])

    assert [quorate("resume", id_, "-q", "--gate", *gate).code for gate in ((), ("ACT",), ("REFUSE",))] == codes


def test_a_conference_is_gated_by_the_option_the_owner_chose(quorate: Quorate, home: Path) -> None:
    assert quorate("resume", put(home, conference()), "-q", "--gate", SELECTIVE).code == 10

    id_ = put(home, [*conference(), owners(SELECTIVE)])

    assert quorate("resume", id_, "-q", "--gate", SELECTIVE).code == 0
    assert quorate("resume", id_, "-q", "--gate", "Something else").code == 20


def test_a_bare_gate_is_shut_while_an_approval_waits_for_a_person() -> None:
    verdict = Verdict(outcome="ACT", decided=True, rule="", because="", requires_human_review=True)
    decision = Decision(verdict, Tally(eligible=(), options=()), presets.rulebook("tribunal"))

    assert Gate("").code(Result(decision=decision, state="decided")) == 10
    assert Gate("").code(Result(decision=decision)) == 10


def test_a_name_cannot_steer_the_screen(quorate: Quorate, waits: str) -> None:
    name = "Ann\x1b[2J\u202e"
    quorate("review", waits, "--outcome", "ACT", "--by", name, "--because", "a\nb\x1b]0;x\x07")

    for shown in (quorate("list"), quorate("show", waits), quorate("resume", waits), quorate("show", waits, "--json")):
        assert not set("\x1b\u202e\x07") & set(shown.out)
