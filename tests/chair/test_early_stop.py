"""A count is stopped early only when nothing that may still come can change the verdict."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from random import Random

import pytest

from quorate import Question, chair, presets
from quorate.analysis.settled_count import OpenBallots, is_settled
from quorate.model import (
    Approval,
    Ask,
    Asked,
    Convened,
    Hear,
    Panel,
    PartRef,
    Reply,
    Rulebook,
    Seat,
    Silence,
    Silent,
    Spoken,
    Tally,
    Verdict,
    Voice,
    Write,
)
from quorate.rules import apply_rulebook
from quorate.testing import approval, vote
from tests.play import OPTIONS, Answer, convened, play, verdict, words

GATE = ("ACT", "WARN", "REFUSE")
PLACES = ("Kafka", "NATS", "Redis")
Ballot = tuple[str, int, bool]
"""An option (none is silence, `-` an abstention), how sure, and whether it is a veto."""


def ballots(options: tuple[str, ...], *, vetoes: bool) -> list[Ballot]:
    """Every ballot of a seat; nobody abstains before a gate."""
    votes = [(option, sure, False) for option in options for sure in (1, 0)]
    rest = [("-", 1, False)] if options is not GATE else []
    return [*votes, ("", 1, False), *rest, *([(options[-1], 1, True), (options[-1], 0, True)] if vetoes else [])]


def tally(casts: dict[str, Ballot], seats: tuple[str, ...], options: tuple[str, ...], kind: str) -> Tally:
    """What is counted of these ballots; who is not among them is silent."""
    voices = tuple(
        Voice(
            seat=seat, option=option, confidence=Fraction(sure), risk=Fraction(1 - sure), veto=veto,
            vote=Approval((option,)) if kind == "approval" else None,
        )
        for seat in seats
        if seat in casts and (option := casts[seat][0]) not in {"", "-"}
        for _, sure, veto in (casts[seat],)
    )  # fmt: skip
    abstained = tuple(seat for seat in seats if seat in casts and casts[seat][0] == "-")
    cast = {voice.seat for voice in voices} | set(abstained)
    return Tally(
        eligible=seats,
        options=options if kind == "gate" else (),
        voices=voices,
        silent=tuple(Silence(seat=seat, why="timeout") for seat in seats if seat not in cast),
        abstained=abstained,
        guardians=seats[:1] if kind == "gate" else (),
    )


def ending(verdict: Verdict) -> tuple[str | None, bool, bool]:
    return verdict.outcome, verdict.decided, verdict.requires_human_review


BOOKS = {"tribunal": "gate", "strict": "gate", "plurality": "heads", "track_record": "heads", "approval": "approval"}


def options_of(kind: str) -> tuple[str, ...]:
    return GATE if kind == "gate" else PLACES


def endings(book: str, casts: dict[str, Ballot], seats: tuple[str, ...]) -> set[tuple[str | None, bool, bool]]:
    """What every completion comes to, by brute force over ballots of every seat that has not voted."""
    kind, rulebook = BOOKS[book], presets.rulebook(book)
    open_ = [seat for seat in seats if seat not in casts]
    choices = [ballots(options_of(kind), vetoes=kind == "gate" and seat == seats[0]) for seat in open_]
    return {
        ending(
            apply_rulebook(tally(casts | dict(zip(open_, given, strict=True)), seats, options_of(kind), kind), rulebook)
        )
        for given in product(*choices)
    }


def settled(book: str, casts: dict[str, Ballot], seats: tuple[str, ...], one_by_one: int) -> bool:
    kind = BOOKS[book]
    still = OpenBallots(
        seats=tuple(seat for seat in seats if seat not in casts), options=options_of(kind),
        approves=kind == "approval", may_abstain=kind != "gate",
    )  # fmt: skip
    decide = partial(apply_rulebook, rulebook=presets.rulebook(book))
    now = tally(casts, seats, options_of(kind), kind)
    return is_settled(now, still, decide, part="mixes" if kind == "gate" else "extremes", one_by_one=one_by_one)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("sizes", [(2,), pytest.param((3, 4), marks=pytest.mark.promise)], ids=str)
@pytest.mark.parametrize("book", BOOKS)
def test_where_it_stops_every_completion_comes_to_the_same(book: str, sizes: tuple[int, ...]) -> None:
    """Up to four seats go through every ballot and every completion; by the extremes alone, too."""
    stopped = 0
    for size in sizes:
        seats = tuple(f"s{at}" for at in range(size))
        kind = BOOKS[book]
        for heard in range(max(1, size - 2), size):
            for given in combinations_with_replacement(ballots(options_of(kind), vetoes=False), heard):
                for voted in (seats[:heard], seats[size - heard :]):  # who may veto sits first
                    casts = dict(zip(voted, given, strict=True))
                    ends = endings(book, casts, seats)
                    stopped += settled(book, casts, seats, 0)
                    assert len(ends) == 1 or not settled(book, casts, seats, 0), casts
                    assert (len(ends) == 1) == settled(book, casts, seats, 10**6), casts
    assert stopped or sizes == (2,), "nothing was ever stopped"


@pytest.mark.parametrize("book", BOOKS)
def test_on_larger_panels_no_completion_drawn_by_chance_refutes_a_stop(book: str, seed: int) -> None:
    chance, kind = Random(seed), BOOKS[book]
    for _ in range(60):
        seats = tuple(f"s{at}" for at in range(chance.randrange(5, 16)))
        few = chance.sample(ballots(options_of(kind), vetoes=False), 2)
        casts = {seat: chance.choice(few) for seat in seats if chance.random() < 0.7}
        if settled(book, casts, seats, 0):
            rest = [seat for seat in seats if seat not in casts]
            found = set()
            for _ in range(20):
                every = ballots(options_of(kind), vetoes=False)
                more = {seat: chance.choice(every) for seat in rest}
                full = tally(casts | more, seats, options_of(kind), kind)
                found.add(ending(apply_rulebook(full, presets.rulebook(book))))
            assert len(found) == 1, (seed, casts)


def test_it_does_not_stop_while_a_seat_may_still_veto() -> None:
    seats = ("Safety", "b", "c", "d")
    casts: dict[str, Ballot] = dict.fromkeys(seats[1:], ("ACT", 1, False))

    assert not settled("tribunal", casts, seats, 10**6)
    assert settled("tribunal", {**casts, "Safety": ("REFUSE", 1, True)}, seats, 10**6)


def test_of_rules_that_are_somebody_elses_many_ways_are_not_judged_by_their_extremes() -> None:
    seats = tuple(f"s{at}" for at in range(30))
    casts: dict[str, Ballot] = dict.fromkeys(seats[:20], ("Kafka", 1, False))
    still = OpenBallots(seats=seats[20:], options=PLACES)
    decide = partial(apply_rulebook, rulebook=presets.rulebook("plurality"))

    assert is_settled(tally(casts, seats, PLACES, "heads"), still, decide, part="extremes")
    assert not is_settled(tally(casts, seats, PLACES, "heads"), still, decide)


STOPS = (("stop_when_settled", "true"),)
ONE_ROUND = (("mode", "quick"), ("options", "given"))
DECISIONS = ("ACT", "WARN", "REFUSE", "VETO", "silent")


def panel(size: int, *, guardian: bool) -> Panel:
    powers = [("vote", "veto") if guardian and not at else ("vote",) for at in range(size)]
    return Panel(seats=tuple(Seat(name=f"s{at}", powers=held) for at, held in enumerate(powers)))  # type: ignore[arg-type]


def answers(protocol: str, chosen: dict[str, str]) -> Answer:
    """Each seat votes as it has chosen, in every round; a challenge is words."""

    def answer(ask: Ask) -> Reply | str:
        choice = chosen[ask.seat.name]
        if choice == "silent" and ask.round in {"revision", "1"}:
            return "timeout"
        if protocol == "approval":
            return Reply(text=approval(ask, [choice]))
        if protocol == "conference":
            return Reply(text=vote(ask, choice))
        return words(ask, "WARN" if ask.round == "analysis" or choice == "silent" else choice)

    return answer


CASES = [("tribunal", (), DECISIONS), ("approval", (), OPTIONS), ("conference", ONE_ROUND, OPTIONS)]


@pytest.mark.parametrize(("protocol", "settings", "choices"), CASES, ids=[case[0] for case in CASES])
def test_a_stopped_deliberation_comes_to_the_same_and_replays(
    protocol: str, settings: tuple[tuple[str, str], ...], choices: tuple[str, ...], seed: int
) -> None:
    chance, saved = Random(seed), 0
    for _ in range(25):
        seats = panel(chance.randrange(3, 6), guardian=protocol == "tribunal")
        some = chance.sample(choices, 2)
        answer = answers(protocol, {seat.name: chance.choice(some) for seat in seats})
        order = chance.randrange(10**9)
        begin = replace(convened(seats, protocol, settings), question=Question(text="Which?", options=OPTIONS))
        whole = play(begin, answer, Random(order))
        stopped = play(replace(begin, settings=(*settings, *STOPS)), answer, Random(order))

        assert ending(verdict(stopped).verdict) == ending(verdict(whole).verdict)
        assert chair.verdict_of(chair.replay(stopped[:-1])) == verdict(stopped).verdict
        fewer = len(whole) - len(stopped)
        saved += fewer
        names = [note.name for note in verdict(stopped).verdict.cautions]
        assert ("stopped_early" in names) == (fewer > 0)
    assert saved > 0


def approval_of_five() -> Convened:
    """An approval that stops once it is settled: when three have approved of the same, the others change nothing."""
    seats = panel(5, guardian=False)
    return replace(convened(seats, "approval", STOPS), question=Question(text="Which?", options=OPTIONS))


def five_who_approve() -> tuple[chair.State, list[Ask]]:
    """The same once it was let in, and what is put to them."""
    state = chair.replay([approval_of_five()])
    state = state.after(chair.examine_question(state))
    return state, [state.put(step.ask) for step in chair.steps(state) if isinstance(step, Hear)]


def approved(state: chair.State, ask: Ask) -> chair.State:
    """After a seat has approved of the first option."""
    reply = Reply(text=approval(ask, [OPTIONS[0]]))
    return state.after(chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=reply)))


def test_what_is_in_flight_and_no_longer_needed_is_withdrawn() -> None:
    state, asks = five_who_approve()
    for ask in asks:
        state = state.after(Asked(**ask.key._asdict()))
    for ask in asks[:3]:
        state = approved(state, ask)

    steps = chair.steps(state)

    assert [type(step.event).__name__ for step in steps if isinstance(step, Write)] == ["Withdrawn", "Withdrawn"]
    for step in steps:
        assert isinstance(step, Write)
        state = state.after(step.event)
    found = chair.verdict_of(state)
    (note,) = (note for note in found.cautions if note.name == "stopped_early")
    assert found.outcome == OPTIONS[0]
    assert note.text.endswith("changed the outcome; 2 calls under way cancelled, which may still be billed")


def test_a_call_that_was_never_made_is_said_to_be_saved() -> None:
    state, asks = five_who_approve()
    for ask in asks[:4]:
        state = state.after(Asked(**ask.key._asdict()))
    for ask in asks[:3]:
        state = approved(state, ask)
    for step in chair.steps(state):
        assert isinstance(step, Write)
        state = state.after(step.event)

    (note,) = (note for note in chair.verdict_of(state).cautions if note.name == "stopped_early")

    assert note.text.endswith("outcome; 1 call saved, 1 call under way cancelled, which may still be billed")


def test_who_was_given_up_before_the_request_went_out_is_named_and_the_call_is_saved() -> None:
    state, asks = five_who_approve()
    for ask in asks[:3]:
        state = approved(state.after(Asked(**ask.key._asdict())), ask)
    for ask in asks[3:]:
        state = state.after(Silent(**ask.key._asdict(), why="no_longer_needed"))

    (note,) = (note for note in chair.verdict_of(state).cautions if note.name == "stopped_early")

    assert f"before {asks[3].seat.name}, {asks[4].seat.name} had voted" in note.text
    assert note.text.endswith("could have changed the outcome; 2 calls saved")


def test_it_is_off_unless_asked_for_and_on_in_the_gate() -> None:
    assert dict(presets.panel("gate").settings)["stop_when_settled"] == "true"
    assert "stop_when_settled" not in dict(presets.panel("tribunal").settings)


def test_a_control_rulebook_that_anything_may_change_never_stops() -> None:
    """Control: under a rule that every ballot matters to, nothing is settled before the last."""
    book = Rulebook(name="all", rules=(PartRef("unanimous"),), otherwise=PartRef("hold", (("means", "WARN"),)))
    seats = ("a", "b", "c")
    casts: dict[str, Ballot] = dict.fromkeys(seats[:2], ("ACT", 1, False))
    now = replace(tally(casts, seats, GATE, "gate"), guardians=())
    still = OpenBallots(seats=("c",), options=GATE, may_abstain=False)

    assert not is_settled(now, still, partial(apply_rulebook, rulebook=book))
