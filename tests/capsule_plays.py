"""Whole deliberations drawn by chance and played through the chair: the votes of a capsule must follow from them."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from quorate import catalogue
from quorate.chair import State
from quorate.model import Ask, Asked, Convened, Errand, Event, Found, PartRef, Reply, Routed, Rulebook, Spoken
from quorate.model.panel import Panel
from quorate.presets import rulebook
from tests.differential.case import Case
from tests.differential.draw import NAMES
from tests.differential.states import state_of
from tests.play import Answer, Find, convened, play_on

OPTIONS = ("Delete it", "Keep it", "Archive it first")
SPELLED = (*OPTIONS, '"Delete it"', "keep it.", "DELETE IT", "Move it")
SETTINGS: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {
    "tribunal": (
        (),
        (("veto", "immediate"),),
        (("final_vote", "asked"),),
        (("debate", "when_split"),),
        (("debate", "never"),),
        (("debate", "never"), ("stop_when_settled", "true")),
        (("debate", "when_split"), ("stop_when_settled", "true")),
    ),
    "conference": (
        (("max_rounds", "2"),),
        (("max_rounds", "3"), ("alike", "0.8")),
        (("options", "nominated"), ("max_rounds", "3")),
        (("options", "given"), ("mode", "quick")),
        (("options", "given"), ("mode", "quick"), ("stop_when_settled", "true")),
    ),
    "oracle": (
        (("min_verified", "0"),),
        (),
        (("answers", "number"), ("min_verified", "0"), ("tolerance", "10 %")),
        (("answers", "probability"), ("min_verified", "0")),
        (("answers", "options"), ("min_verified", "0")),
    ),
    "debate": (
        (("max_rounds", "2"), ("min_rounds", "1")),
        (("max_rounds", "2"), ("allies", "true"), ("form", "extended")),
        (("max_rounds", "1"), ("min_rounds", "1"), ("judge", "decides")),
    ),
    "ranked": ((), (("rounds", "2"),)),
    "approval": ((), (("stop_when_settled", "true"),)),
    "delphi": ((("max_rounds", "2"),), (("max_rounds", "3"),)),
}
"""What each protocol is played under."""


def drawn_events(protocol: str, chance: Random) -> list[Event]:
    """A deliberation to its verdict, with silence, replies that cannot be read, and now and then another model."""
    begin = convened(drawn_panel(protocol, chance), protocol, chance.choice(SETTINGS[protocol]))
    if protocol == "conference" and dict(begin.settings).get("options") == "given":
        begin = replace(begin, question=replace(begin.question, options=OPTIONS))
    if dict(begin.settings).get("answers") == "options":
        begin = replace(begin, question=replace(begin.question, options=OPTIONS))
    begin = replace(begin, rulebook=_capped(chance.choice(catalogue.protocol(protocol).books), chance))
    quiet, lean = chance.choice((0, 0, 0.1, 0.3)), chance.randrange(9)
    events = play_on([begin], _answers(chance, quiet, lean), chance, _finds(chance))
    return _rerouted(events, chance) if chance.random() < 0.3 else events


def drawn_panel(protocol: str, chance: Random) -> Panel:
    """The protocol's own seats, or fewer, or some more."""
    panel = catalogue.protocol(protocol).panel
    seats = panel.seats if protocol == "debate" else panel.seats[: chance.choice((1, 2, 3, 3, 5))]
    if protocol in {"tribunal", "conference"} and chance.random() < 0.5:
        seats = (*seats, *(replace(seats[0], name=f"Seat {number}") for number in range(chance.choice((1, 2)))))
    return replace(panel, seats=seats, demo=chance.random() < 0.05)


def _capped(book: Rulebook, chance: Random) -> Rulebook:
    """The rulebook, sometimes with the cap that learned errors put on it."""
    if chance.random() < 0.7:
        return book
    settings = (("certified", chance.choice(("true", "false"))), ("at_least", chance.choice(("0.6", "3/4", "1"))))
    return replace(book, unless=(*book.unless, PartRef("act_error", settings)))


def _answers(chance: Random, quiet: float, lean: int) -> Answer:
    def answer(ask: Ask) -> Reply | str:
        drawn = chance.random()
        if drawn < quiet:
            return chance.choice(("timeout", "refusal"))
        if drawn < quiet + 0.05:
            return Reply(text="I would rather not say.")
        return Reply(text=drawn_answer(ask, Random(lean) if chance.random() < 0.7 else chance))

    return answer


def drawn_answer(ask: Ask, chance: Random) -> str:
    """What a seat says that answers as it was asked to."""
    said = _SAID.get(ask.wants)
    return f"{ask.seat.name} thinks.\n\n{said(ask, chance)}" if said else f"{ask.seat.name} thinks."


def _decision(ask: Ask, chance: Random) -> str:
    words = ("ACT", "ACT", "WARN", "REFUSE", *(("VETO",) if "veto" in ask.seat.powers else ()))
    stated = {"decision": chance.choice(words), "confidence": chance.randrange(101), "risk": chance.randrange(101)}
    return f"BALLOT {json.dumps({'mark': ask.mark, **stated, 'reasoning': 'as said'})}"


def _written(start: str, **choices: Callable[[Ask, Random], object]) -> Callable[[Ask, Random], str]:
    def said(ask: Ask, chance: Random) -> str:
        stated = {name: choose(ask, chance) for name, choose in choices.items()}
        return f"{start} {json.dumps({'mark': ask.mark, **stated})}"

    return said


def _sure(_ask: Ask, chance: Random) -> float:
    return chance.randrange(101) / 100


def _why(_ask: Ask, _chance: Random) -> str:
    return "as said"


def _outcome(ask: Ask, chance: Random) -> str:
    if ask.wants == "finding":
        return chance.choice(ask.options or ("YES", "NO", "UNDETERMINED"))
    return chance.choice(
        ("0.4", "0.5", "0.7", "0.9") if ask.wants == "probability" else ("95", "100", "104", "120", "0")
    )


_SAID: dict[str, Callable[[Ask, Random], str]] = {
    "decision": _decision,
    "vote": _written(
        "VOTE:",
        option=lambda ask, chance: chance.choice((*(ask.options or SPELLED), "abstain")),
        confidence=_sure, rationale=_why, continue_debate=lambda _, chance: chance.random() < 0.8,
    ),
    "ranking": _written(
        "BALLOT",
        ranking=lambda ask, chance: chance.sample(ask.options or SPELLED[:4], chance.randrange(1, 4)),
        confidence=_sure, rationale=_why,
    ),
    "approval": _written(
        "BALLOT",
        approved=lambda ask, chance: chance.sample(ask.options or SPELLED[:4], chance.randrange(4)),
        confidence=_sure, rationale=_why,
    ),
    "estimate": _written(
        "BALLOT", value=lambda _, chance: chance.choice((95, 99.5, 100, 101, 1000)), confidence=_sure, rationale=_why
    ),
    "argument": _written(
        "ARGUMENT",
        claims=lambda _, chance: [f"It takes {chance.randrange(9)} days"],
        evidence=lambda _, chance: [f"It took {chance.randrange(9)} hours in 2024"] * chance.randrange(3),
        confidence=_sure,
    ),
    "assessment": _written(
        "ASSESSMENT",
        agreed=lambda *_: [], open=lambda *_: ["the cost"], leaning=lambda *_: "balanced", confidence=_sure,
    ),
    "judgement": _written("JUDGEMENT", a_evidence=_sure, a_logic=_sure, b_evidence=_sure, b_logic=_sure),
    **{
        form: _written("FINDING", outcome=_outcome, confidence=_sure, reasoning=_why, evidence=lambda *_: [])
        for form in ("finding", "probability", "quantity")
    },
}  # fmt: skip


def _finds(chance: Random) -> Find:
    """Scores over and under every threshold, pairs that are the same words, and backends that find nothing."""
    by = chance.choice(("overlap", "embeddings:small"))

    def find(errand: Errand) -> Found:
        if errand.kind != "compare" or chance.random() < 0.05:
            return Found(**errand.key._asdict(), why="none here")
        pairs = list(combinations(range(len(errand.texts)), 2))
        scores = tuple((i, j, Fraction(chance.choice((10, 45, 58, 65, 69, 70, 80, 90)), 100)) for i, j in pairs)
        same = tuple((i, j) for i, j, score in scores if chance.random() < (0.8 if score >= Fraction(7, 10) else 0.1))
        return Found(**errand.key._asdict(), scores=scores, same=same, by=by)

    return find


def _rerouted(events: list[Event], chance: Random) -> list[Event]:
    """The same, if seats are answered for by one model after the first was asked; it is decided anew on that."""
    first = next((at for at, event in enumerate(events) if isinstance(event, Spoken)), None)
    begin = events[0]
    if first is None or not isinstance(begin, Convened):
        return events
    shared = chance.choice(begin.seated).model if chance.random() < 0.2 else "ollama:same"
    swapped = [
        Routed(seated=replace(sat, model=shared, domain="shared"), why="gone")
        for sat in begin.seated[: chance.randrange(2, 6)]
    ]
    asked = Asked(**_about(events[first]))
    return play_on([*events[:first], asked, *swapped, *events[first:-1]], lambda _: "timeout")


def _about(event: Event) -> dict[str, Any]:
    return event.key._asdict() if isinstance(event, Spoken) else {}


def learned(case: Case, chance: Random) -> State:
    """A conference whose seats are known from earlier questions."""
    skills = ", ".join(f'"{name}": {chance.randrange(-300, 301) / 100}' for name in NAMES if chance.random() < 0.9)
    bonus = ", ".join(f'"{name}": {chance.randrange(-99, 100) / 100}' for name in NAMES[:4])
    settings = (
        ("skills", f"{{{skills}}}"),
        ("questions", chance.choice(("7", "8", "40"))),
        *((("bonus", f"{{{bonus}}}"), ("sharpness", "0.8")) if chance.random() < 0.5 else ()),
        *((("keep_majority", "true"),) if chance.random() < 0.2 else ()),
    )
    state = state_of(case)
    book = rulebook("track_record")
    rules = tuple(PartRef(part.name, settings) if part.name == "track_record" else part for part in book.rules)
    return replace(state, convened=replace(state.convened, rulebook=replace(book, rules=rules)))
