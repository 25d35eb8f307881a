"""Cases, findings, assessments and marks as models write them, and an oracle that knows nothing of the readers."""

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Approval, Choice, Estimate, Finish, Ranking, Read, Vote
from quorate.model.specs import Reader
from quorate.reading.judgement import MARKS
from tests.promises.garbage import KEY, MARK, VALUE, public, surrounded

PEER = "0123456789ab"
CLAIMS = ("Deleting staging saves money", 'Ops said "go" twice', "Das Backup läuft 備份", "It's cheap, mostly", "No.")
EVIDENCE = ('The bill: "staging costs 300 euros a month"', "RFC 6962", "3 hours", "see https://example.org/a?b=c")
SOURCES = ({"url": "https://a.example/x", "quote": "It opened at noon.", "category": "news", "relevance": 0.5},)
READERS: Mapping[str, Reader] = {
    name: catalogue.form(name).read
    for name in (
        *("argument", "assessment", "judgement", "finding", "quantity", "probability"),
        *("ranking", "approval", "estimate"),
    )
}
LABELS = {
    "quantity": "FINDING",
    "probability": "FINDING",
    "ranking": "BALLOT",
    "approval": "BALLOT",
    "estimate": "BALLOT",
}
QUEUES = ("Kafka", "NATS, clustered", "Redis")
LISTS = {"ranking": QUEUES, "approval": QUEUES, "argument": ("con",)}
"""The closed list that a form is read over, or the side it was asked to take."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
CHOICES = r"(?:decision|choice|option|outcome|answer|value|probability|estimate)"


@dataclass(frozen=True, slots=True)
class Stated:
    """A reply, and what it states: the choice, the numbers, the claims."""

    form: str
    text: str
    choice: str
    numbers: tuple[Fraction, ...]
    claims: tuple[str, ...] = ()


def stated(form: str, chance: random.Random, mark: str = MARK, *, alone: bool = False) -> Stated:
    """A reply with one complete object of a form, in one of the ways models write it."""
    members, choice, claims = _members(form, chance)
    numbers = tuple(Fraction(str(members[name])) for name in _numbers(form))
    written = chance.choice(WAYS)(form, {"mark": mark, **members} if mark else members)
    return Stated(form, surrounded(written, chance, alone=alone), choice, numbers, claims)


def _numbers(form: str) -> tuple[str, ...]:
    return MARKS if form == "judgement" else ("confidence",)


def _members(form: str, chance: random.Random) -> tuple[dict[str, object], str, tuple[str, ...]]:
    sure = chance.randint(0, 100) / 100
    match form:
        case "argument":
            claims = tuple(chance.sample(CLAIMS, chance.randint(1, 3)))
            evidence = chance.sample(EVIDENCE, chance.randint(0, 3))
            return {"claims": list(claims), "evidence": evidence, "confidence": sure}, "", claims
        case "assessment":
            word = chance.choice(("for", "against", "balanced"))
            return {"agreed": ["costs"], "open": [], "leaning": word, "confidence": sure}, word, ()
        case "judgement":
            return {name: chance.randint(0, 100) / 100 for name in MARKS}, "", ()
        case "ranking" | "approval" | "estimate":
            return {"ranking": _ranked, "approval": _approved, "estimate": _estimated}[form](chance, sure)
        case _:
            return _found(form, chance, sure)


def _found(form: str, chance: random.Random, sure: float) -> tuple[dict[str, object], str, tuple[str, ...]]:
    words = {"finding": ("YES", "YES", "NO", "UNDETERMINED"), "quantity": ("1200", "0.5", "UNDETERMINED")}
    word = chance.choice(words.get(form, ("0.7", "0.25", "UNDETERMINED")))
    cited = list(SOURCES) if chance.random() < 0.5 else []
    return {"outcome": word, "confidence": sure, "reasoning": "as said", "evidence": cited}, word, ()


def _estimated(chance: random.Random, sure: float) -> tuple[dict[str, object], str, tuple[str, ...]]:
    value = chance.randint(-50, 5000)
    bounds = {"low": value - chance.randint(0, 9), "high": value + chance.randint(0, 9)}
    words = f"{value} ({bounds['low']} to {bounds['high']})"
    return {"value": value, **bounds, "confidence": sure, "rationale": "as said"}, words, ()


def _approved(chance: random.Random, sure: float) -> tuple[dict[str, object], str, tuple[str, ...]]:
    """Some options of the list, as a list or in one text."""
    chosen = [option for option in QUEUES if chance.random() < 0.6]
    written: list[object] = [chosen, ", ".join(chosen)] if chosen else [[], "none"]
    return (
        {"approved": chance.choice(written), "confidence": sure, "rationale": "as said"},
        str(Approval(tuple(chosen))),
        (),
    )


def _ranked(chance: random.Random, sure: float) -> tuple[dict[str, object], str, tuple[str, ...]]:
    """Every option of the list, the last two held equal now and then, in one of the ways an order is written."""
    first, second, third = chance.sample(QUEUES, 3)
    equal = chance.random() < 0.3
    words = f"{first} > {second} = {third}" if equal else f"{first} > {second} > {third}"
    places: list[object] = [first, [second, third]] if equal else [first, second, third]
    by_place: dict[str, object] = (
        {"1": first, "2": f"{second} = {third}"} if equal else {"1": first, "2": second, "3": third}
    )
    return {"ranking": chance.choice((places, words, by_place)), "confidence": sure, "rationale": "as said"}, words, ()


def line(form: str, members: Mapping[str, object]) -> str:
    return f"{LABELS.get(form, form.upper())} {json.dumps(members)}"


def spread(_: str, members: Mapping[str, object]) -> str:
    return f"```json\n{json.dumps(members, indent=2, ensure_ascii=False)}\n```"


def nested(_: str, members: Mapping[str, object]) -> str:
    return json.dumps({"ballot": dict(members)})


def trailing(_: str, members: Mapping[str, object]) -> str:
    return json.dumps(members, ensure_ascii=False)[:-1] + ",}"


WAYS = (line, line, spread, nested, trailing)


def read(form: str, text: str, finish: str = "stop", **asked: Any) -> Read:  # noqa: ANN401 - whatever terms there are
    """As asked for with the mark, for the first time, unless it is said otherwise."""
    terms = replace(AnswerTerms(mark=MARK, options=LISTS.get(form, ())), **asked)
    return READERS[form](text, terms, cast("Finish", finish))


def numbers_of(found: Read) -> tuple[Fraction | None, ...]:
    """What a reader made of it, in numbers."""
    if found.argument is not None:
        return (found.argument.confidence,)
    if found.ballot is None:
        return ()
    return tuple(mark for _, mark in found.ballot.shares) or (found.ballot.confidence,)


def stands(form: str, found: Read, text: str) -> bool:
    """Whether all that was read stands in the text as written, before a closing brace."""
    text = public(text)
    close = text.rfind("}")
    if close < 0:
        return False
    whole, plain = text[: close + 1], _decoded(text[: close + 1])
    names = [name.replace("_", "[_ -]") for name in _numbers(form)]
    if not all(_number(whole, name, number) for name, number in zip(names, numbers_of(found), strict=True)):
        return False
    if found.argument is not None:
        pieces = (piece for claim in found.argument.claims for piece in claim.split(": "))
        return bool(found.argument.claims) and all(_letters(piece) in _letters(plain) for piece in pieces)
    if found.ballot is not None and not isinstance(found.ballot.vote, Choice):
        return _vote_stands(found.ballot.vote, whole, plain)
    return form in {"assessment", "judgement"} or (
        found.ballot is not None
        and any(
            _named(one, found.ballot.choice.removesuffix("e-2")) for one in (whole, plain, THOUSANDS.sub("", whole))
        )
    )


def _vote_stands(vote: Vote, whole: str, plain: str) -> bool:
    match vote:
        case Approval():
            return _approvals_stand(vote, whole, plain)
        case Estimate(value, low, high):
            stated = (("(?:value|estimate)", value), ("low", low), ("high", high))
            return all(number is None or _signed(whole, name, number) for name, number in stated)
        case Ranking(places):
            named = [option for place in places for option in place]
            return (
                sorted(named) == sorted(QUEUES) and re.search(KEY.format("ranking"), whole, re.IGNORECASE) is not None
            )
        case _:
            return False


def _approvals_stand(vote: Approval, whole: str, plain: str) -> bool:
    """Whether every approved option is written there, by its words or its number, under a name for such a list."""
    named = re.search(KEY.format("(?:approve[ds]?|approvals)"), whole, re.IGNORECASE)
    letters = _letters(plain).lower()
    places = {option: str(number) for number, option in enumerate(QUEUES, 1)}
    return named is not None and all(_letters(one).lower() in letters or places[one] in whole for one in vote.approved)


def _signed(text: str, name: str, number: Fraction) -> bool:
    written = re.finditer(
        KEY.format(name) + r"[^0-9A-Za-z.+-]{0,40}([+-]?[0-9.,]+(?:e[+-]?[0-9]+)?)", text, re.IGNORECASE
    )
    return any(_value(found[found.lastindex or 0].rstrip(",.").replace(",", "")) == number for found in written)


def _number(text: str, name: str, number: Fraction | None) -> bool:
    written = re.finditer(KEY.format(name) + VALUE + r"\+?([0-9.]+(?:e[+-]?[0-9]+)?)", text, re.IGNORECASE)
    return number is not None and any(_value(found[2]) in {number, number * 100} for found in written)


def _value(digits: str) -> Fraction | None:
    try:
        return Fraction(digits)
    except (ValueError, ZeroDivisionError):
        return None


def _named(text: str, choice: str) -> bool:
    word = re.escape(choice)
    return re.search(KEY.format(CHOICES) + VALUE + rf"[+.]*{word}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None


def _decoded(text: str) -> str:
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _character, text, flags=re.DOTALL)


def _character(escape: re.Match[str]) -> str:
    sign = escape[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else "" if sign in "ntrbf" else sign


def _letters(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())
