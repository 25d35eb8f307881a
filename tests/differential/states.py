"""A drawn case as the product's state: heard to its end, and not yet decided."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from quorate import catalogue
from quorate.chair import State
from quorate.model import (
    Approval,
    Argument,
    Ballot,
    Choice,
    Convened,
    ErrandKey,
    Estimate,
    Evidence,
    Found,
    Panel,
    Question,
    Ranking,
    Seat,
    Silence,
    Speech,
)  # fmt: skip
from quorate.model.ballot import Vote
from quorate.model.numbers import decimal
from quorate.presets import rulebook
from quorate.settings.rulebook_file import amend_rulebook, meant
from tests.differential.case import Case, Word, options_seen


def state_of(case: Case) -> State:
    """The deliberation, heard to its end."""
    spec = catalogue.protocol(case.protocol)
    said = tuple(case.settings.items())
    book, renamed = rulebook(case.rulebook), meant(case.protocol, said)
    panel = Panel(seats=tuple(_seat(case, number) for number in range(len(case.chairs))), demo=case.demo)
    settings = tuple(pair for pair in said if not meant(case.protocol, (pair,)))
    if spec.file.settings:
        settings = (*settings, *spec.file.settings(panel.seats[:2], len(case.rounds)))
    state = State.open(
        Convened(
            question=Question(text="", options=case.options),
            panel=panel,
            protocol=case.protocol,
            rulebook=amend_rulebook(book, renamed) if renamed else book,
            settings=settings,
        )
    )
    words = {
        (name, chair.name, ""): _spoken(case, number, chair.name, name)
        for number, name in enumerate(_rounds(case))
        for chair in case.chairs
    }
    heard = replace(state.heard, words=words)
    if case.alike:
        found = _alike(case)
        heard = heard.plus_found(ErrandKey(found.kind, found.round, found.seat, found.about), found)
    return replace(state, heard=heard)


def _seat(case: Case, number: int) -> Seat:
    chair = case.chairs[number]
    return Seat(name=chair.name, powers=(*(("vote",) if chair.votes else ()), *(("veto",) if chair.vetoes else ())))


def _rounds(case: Case) -> tuple[str, ...]:
    spec = catalogue.protocol(case.protocol)
    if case.protocol == "tribunal":
        return ("analysis", "revision")[-len(case.rounds) :]
    if case.protocol == "oracle":
        return (spec.final,)
    return tuple(str(number) for number in range(1, len(case.rounds) + 1))


def _spoken(case: Case, number: int, seat: str, round_: str) -> Speech | Silence:
    word = case.rounds[number].get(seat)
    if word is None:
        return Silence(seat=seat, why="timeout")
    if case.protocol == "debate":
        side, sure = ("pro" if seat == "Proponent" else "con"), word.confidence
        assert sure is not None
        argument = Argument(
            side="pro" if side == "pro" else "con", claims=word.claims, evidence=word.evidence, confidence=sure
        )
        return Speech(seat=seat, round=round_, about="", argument=argument)
    ballot = Ballot(
        vote=_vote(case, word), confidence=word.confidence, risk=word.risk, veto=word.veto, abstain=word.abstain,
        evidence=tuple(
            Evidence(url=url, category=category, credibility=share)  # type: ignore[arg-type]
            for url, category, share in word.sources
        ),
    )  # fmt: skip
    return Speech(seat=seat, round=round_, about="", ballot=ballot)


def _vote(case: Case, word: Word) -> Vote:
    match case.protocol:
        case "ranked":
            # A ballot over a list holds the whole list: the form that reads it puts the options left out last.
            ranked = [option for place in word.ranking for option in place]
            missing = tuple(option for option in case.options if option not in ranked)
            return Ranking((*word.ranking, missing) if missing else word.ranking)
        case "approval":
            return Approval(word.approved)
        case "delphi":
            return Estimate(word.value)
        case "oracle" if case.settings.get("answers") in {"number", "probability"} and not word.choice:
            return Choice(decimal(word.value))
        case _:
            return Choice(word.choice)


def _alike(case: Case) -> Found:
    seen = options_seen(case)
    pairs = [(a, b, case.alike[seen[a], seen[b]]) for a, b in combinations(range(len(seen)), 2)]
    return Found(
        kind="compare", round=str(len(case.rounds)), about="options", by="overlap",
        scores=tuple((a, b, Fraction(9, 10) if score is None else score) for a, b, score in pairs),
        same=tuple((a, b) for a, b, score in pairs if score is not None and score >= Fraction(69, 100)),
    )  # fmt: skip
