"""`quorate simulate`: try a panel on made-up questions before money is spent."""

from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.hints import require_numpy
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import say, say_json
from quorate.errors import BadSetting, QuorateError, UnknownName
from quorate.service.option_table import PANEL, RULEBOOK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quorate.ledger import Ledger
    from quorate.model.charter import Charter
    from quorate.service.lab import Recommendation, SimulatedSeat, Simulation, SkillModel

__all__ = ["simulate"]

FEWEST: Final = 8
"""Deliberations from which on seats are learned from the ledger."""


class SimulateOptions(TypedDict):
    """What `quorate simulate` was told."""

    panel: str
    accuracy: tuple[str, ...]
    persuadable: str
    correlation: str
    choices: int
    liars: tuple[str, ...]
    loudness: str
    calls: int | None
    wrong: str | None
    count: int
    rulebook: str
    seed: int
    ledger: str | None
    as_json: bool


@click.command(
    epilog="""\b
Examples:
  quorate simulate conference --accuracy 0.7 --calls 9
  quorate simulate panel.yaml --accuracy Ann=0.8 --accuracy Ben=0.6 --liar Cleo --loudness 3"""
)
@click.argument("panel", metavar="PANEL", shell_complete=options.complete_panels)
@click.option(
    "--accuracy", multiple=True, metavar="[SEAT=]SHARE", help="How often seats are right alone; default: the ledger."
)
@click.option(
    "--persuadable",
    default="0.3",
    metavar="SHARE",
    help="How often a seat takes over what it hears.",
    show_default=True,
)
@click.option(
    "--correlation",
    default="0.3",
    metavar="SHARE",
    help="How often seats of one model believe the same.",
    show_default=True,
)
@click.option(
    "--options",
    "choices",
    type=click.IntRange(2, 100),
    default=4,
    help="How many answers there are.",
    show_default=True,
)
@click.option("--liar", "liars", multiple=True, metavar="SEAT", help="A seat that always says the same wrong answer.")
@click.option(
    "--loudness",
    default="1",
    metavar="NUMBER",
    help="How much likelier a liar is heard than another seat.",
    show_default=True,
)
@click.option("--calls", type=click.IntRange(1), metavar="N", help="The budget: calls to models for each question.")
@click.option("--wrong", metavar="SHARE", help="The largest share of wrong verdicts you accept, e.g. 10%.")
@click.option(
    "--count",
    type=click.IntRange(100, 1_000_000),
    default=10_000,
    help="Deliberations for each way.",
    show_default=True,
)
@options.flag(RULEBOOK, default="plurality", help="A rulebook of the conference.")
@click.option("--seed", type=int, default=1, help="The same seed gives the same figures.")
@options.ledger
@options.as_json
def simulate(**wish: Unpack[SimulateOptions]) -> int:
    """Try a panel on made-up questions before money is spent.

    PANEL is a panel file or a preset. Its seats are right as often as the ledger has taught, or as --accuracy says.
    Conferences of several sizes, rounds of talk and stopping rules are tried, and oracles, whose seats never hear each
    other; the real rules decide. No model is asked: this is a simulation, it prints what it assumes, and it recommends
    a protocol and a way to hold it within the budget.
    """
    require_numpy()
    from quorate import catalogue
    from quorate.service.lab import SimulatedTalk, SimulationPlan, simulate_panel
    from quorate.service.own_settings import current_settings

    books = {book.name for book in catalogue.protocol("conference").books}
    if wish["rulebook"] not in books:
        raise UnknownName("rulebook of the conference", wish["rulebook"], books)
    charter = current_settings({PANEL.name: wish["panel"]}).draft
    seats, source = _seats(charter, wish)
    talk = SimulatedTalk(options=wish["choices"], correlation=_share("correlation", wish["correlation"]))
    plan = SimulationPlan(
        seats=seats,
        talk=talk,
        count=wish["count"],
        rulebook=wish["rulebook"],
        calls=wish["calls"],
        wrong=None if wish["wrong"] is None else _share("wrong", wish["wrong"]),
        seed=wish["seed"],
    )
    found = simulate_panel(plan)
    if wish["as_json"]:
        say_json({**found.document(), "accuracy_from": source})
    else:
        for line in _lines(found, source):
            say(line)
    return DONE


def _seats(charter: "Charter", wish: SimulateOptions) -> "tuple[tuple[SimulatedSeat, ...], str]":
    from quorate.analysis.fault_domains import family
    from quorate.service.lab import SimulatedSeat

    models = dict(charter.models)
    names = [seat.name for seat in charter.panel.voters]
    known, source = _accuracies(names, models, wish)
    liars = {charter.panel.seat(liar).name for liar in wish["liars"]}
    loud, gives_in = _number(wish["loudness"]), _share("persuadable", wish["persuadable"])
    seats = (
        SimulatedSeat(
            name=name,
            accuracy=known[name],
            group=family(models[name]) if name in models else name,
            persuadable=gives_in,
            loudness=loud if name in liars else 1.0,
            liar=name in liars,
        )
        for name in names
    )
    return tuple(seats), source


def _accuracies(
    names: "Sequence[str]", models: "Mapping[str, str]", wish: SimulateOptions
) -> tuple[dict[str, float], str]:
    """How often each seat is right, and where that is from."""
    given = dict(_named(text, names) for text in wish["accuracy"])
    usual = given.pop("", None)
    if usual is not None or set(names) <= given.keys():
        return {name: given.get(name, usual if usual is not None else 0.0) for name in names}, "as given"
    learned = with_ledger(wish["ledger"], lambda held: _learned(held, names, models, wish["choices"]))
    if learned is None and len(given) < len(names):
        raise BadSetting(
            f"the ledger holds fewer than {FEWEST} deliberations with votes to learn from; say how often seats are "
            "right: --accuracy 0.7, or --accuracy SEAT=0.7 for each"
        )
    known, new = learned or ({}, ())
    return {**known, **given}, _source([name for name in new if name not in given], some_given=bool(given))


def _source(new: "Sequence[str]", *, some_given: bool) -> str:
    told = f", and {', '.join(new)} taken for average because nobody has heard them vote" if new else ""
    return f"learned from the ledger by who agreed with whom{told}{', some as given' if some_given else ''}"


def _named(text: str, names: "Sequence[str]") -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    if equals and name not in names:
        raise UnknownName("seat", name, names)
    return name, _share("accuracy", value)


def _share(what: str, text: str) -> float:
    from quorate.model.numbers import share

    found = share(text)
    if found is None or not 0 <= found <= 1:
        raise BadSetting(f"--{what} is a share from 0 to 1, e.g. 0.7 or 70%, not {text!r}")
    return float(found)


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 < found < 1000:  # noqa: PLR2004 - nobody is heard so much
        raise BadSetting(f"--loudness is a number above 0, e.g. 3, not {text!r}")
    return found


async def _learned(
    held: "Ledger", names: "Sequence[str]", models: "Mapping[str, str]", choices: int
) -> tuple[dict[str, float], tuple[str, ...]] | None:
    """Accuracy of each seat's model, over questions of every difficulty, by what votes have taught; and who is new."""
    from quorate.service.lab import VoteTable, fit_skills
    from quorate.service.past_votes import recorded_votes, seat_name

    table = VoteTable()
    async for one in held.list():
        if one.entries and not one.imported:
            try:
                found = recorded_votes(one.id, [entry.event for entry in await held.read(one.id)], "model")
            except QuorateError:
                continue
            if found is not None:
                table.append(found)
    if table.questions < FEWEST:
        return None
    return _by_skill(fit_skills(table, {}), {name: seat_name(name, models) for name in names}, choices)


def _by_skill(
    model: "SkillModel", called: "Mapping[str, str]", choices: int
) -> tuple[dict[str, float], tuple[str, ...]]:
    from quorate.service.lab import expected_accuracy

    accuracy = {name: expected_accuracy(model.skill(seat), choices) for name, seat in called.items()}
    return accuracy, tuple(name for name, seat in called.items() if seat not in model.skills)


def _lines(found: "Simulation", source: str) -> "list[str]":
    from quorate.service.lab import ASSUMPTIONS, text_table

    talk = found.plan.talk
    told = ", ".join(
        f"{seat.name} {'lies' if seat.liar else f'{100 * seat.accuracy:.0f} %'}" for seat in found.plan.seats
    )
    head = ("protocol", "seats", "rounds of talk", "stops", "counted", "calls", "right", "95 % interval", "wrong")
    rows = [head, *(_row(way) for way in found.ways)]
    return [
        *ASSUMPTIONS,
        f"Right alone, {source}: {told}. {talk.options} options, correlation {100 * talk.correlation:.0f} %.",
        "",
        *text_table(rows),
        "",
        _recommended(found),
    ]


def _row(way: "Recommendation") -> tuple[str, ...]:
    return (
        way.protocol,
        str(len(way.seats)),
        str(way.rounds),
        "at once" if not way.rounds else "when two thirds agree" if way.stop != "fixed" else "after them",
        way.counts,
        f"{way.calls:.1f}",
        f"{100 * way.right.value:.1f} %",
        f"{100 * way.right.low:.1f} to {100 * way.right.high:.1f} %",
        f"{100 * way.wrong:.1f} %",
    )


def _recommended(found: "Simulation") -> str:
    best, bounds = found.best, _bounds(found)
    if best is None:
        return f"Nothing that was tried keeps{bounds}."
    rounds = "1 round" if best.rounds == 1 else f"{best.rounds} rounds"
    talk = f"{rounds} of talk" if best.rounds else "one sealed vote and no talk"
    stop = ", stopping when two thirds agree" if best.rounds and best.stop != "fixed" else ""
    seats = "1 seat" if len(best.seats) == 1 else f"{len(best.seats)} seats"
    return (
        f"Recommended{bounds}: protocol {best.protocol}, {seats} ({', '.join(best.seats)}), {talk}{stop}; "
        f"{best.calls:.1f} calls a question, right on {100 * best.right.value:.1f} % of simulated questions and wrong "
        f"on {100 * best.wrong:.1f} %. It is the cheapest way that chance cannot tell from the best."
    )


def _bounds(found: "Simulation") -> str:
    """What was asked for, in words."""
    calls, wrong = found.plan.calls, found.plan.wrong
    said = (
        "" if calls is None else f"{calls} call{'' if calls == 1 else 's'}",
        "" if wrong is None else f"{100 * wrong:g} % wrong",
    )
    return f" within {' and '.join(filter(None, said))}" if any(said) else ""
