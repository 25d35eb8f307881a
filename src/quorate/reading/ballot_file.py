"""Ballots as people hand them over: a JSON list, one object a seat, no model asked."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, cast

from quorate.errors import BadSetting
from quorate.model import Ballot, Choice, Evidence, Silence
from quorate.model.numbers import exact
from quorate.reading.text.finding_object import evidence_of
from quorate.reading.text.strict_json import Digits, loaded
from quorate.reading.vote import abstains, no_choice

__all__ = ["Given", "given_ballots"]

EXAMPLE: Final = '[{"seat": "Safety", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "…"}]'
OPEN_EXAMPLE: Final = (
    '[{"seat": "Alpha", "option": "Use PostgreSQL", "confidence": 0.8, "rationale": "…", "continue_debate": false}]'
)
FOUND_EXAMPLE: Final = (
    '[{"seat": "Broad", "outcome": "YES", "confidence": 0.8, "reasoning": "…", "evidence": [{"url": "…"}]}]'
)
SOURCES: Final = 5_000
"""Sources of one seat that are read."""
CHOICES: Final = ("choice", "decision", "option", "outcome")
REASONS: Final = ("reasoning", "reason", "rationale")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One seat's ballot, or why what was handed over is none."""

    seat: str
    ballot: Ballot | None = None
    silence: Silence | None = None
    cautions: tuple[str, ...] = ()


Named = Callable[[str], tuple[str, str]]
"""What a written outcome means, or why it means nothing."""

_SILENCE: Final = re.compile(r"[a-z][a-z_]{0,39}")


def given_ballots(
    text: str, outcomes: tuple[str, ...], scale: int = 100, named: Named | None = None
) -> tuple[Given, ...]:
    """Read a list of ballots; a ballot that makes no sense is a silent seat. Without outcomes any words are an option.

    `named` reads an outcome where that is the form's business. A seat may be given as silent, with the reason.

    Raises:
        BadSetting: it is not a JSON list of objects that each name a seat of their own.
    """
    example = FOUND_EXAMPLE if named else EXAMPLE if outcomes else OPEN_EXAMPLE
    try:
        listed: object = loaded(text)
    except (ValueError, RecursionError) as broken:
        raise BadSetting(f"the ballots are not JSON ({broken}); write them as {example}") from None
    terms = _Terms(outcomes, scale, named, example)
    given = tuple(_given(one, number, terms) for number, one in enumerate(_objects(listed, example), 1))
    names = Counter(one.seat.casefold() for one in given)
    for one in given:
        if names[one.seat.casefold()] > 1:
            raise BadSetting(f"seat {one.seat!r} has more than one ballot; a seat votes once")
    return given


def _objects(listed: object, example: str) -> list[dict[str, object]]:
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in cast("list[object]", listed)):
        raise BadSetting(f"the ballots must be a list of objects; write them as {example}")
    return cast("list[dict[str, object]]", listed)


@dataclass(frozen=True, slots=True)
class _Terms:
    outcomes: tuple[str, ...]
    scale: int
    named: Named | None
    example: str


def _given(one: dict[str, object], number: int, terms: _Terms) -> Given:
    seat = one.get("seat", one.get("agent"))
    if not isinstance(seat, str) or isinstance(seat, Digits) or not seat.strip():
        raise BadSetting(f"ballot {number} names no seat; write it as {terms.example}")
    said = one.get("silence")
    if isinstance(said, str) and _SILENCE.fullmatch(said):
        return Given(seat=seat.strip(), silence=Silence(seat=seat.strip(), why=said))
    ballot = _ballot(one, terms)
    if isinstance(ballot, str):
        return Given(seat=seat.strip(), silence=Silence(seat=seat.strip(), why=ballot))
    shares = terms.scale > 1 and any(0 < (exact(str(one.get(name))) or 0) < 1 for name in ("confidence", "risk"))
    return Given(seat=seat.strip(), ballot=ballot, cautions=("scale",) if shares else ())


def _ballot(one: dict[str, object], terms: _Terms) -> Ballot | str:
    values = [one[key] for key in CHOICES if key in one]
    words = {str(value) for value in values}
    if len(words) != 1:
        return "no_ballot" if not words else "duplicate"
    word, wrong = _chosen(words.pop().strip() if isinstance(values[0], str) else "", terms)
    numbers = [_number(one.get(name), terms.scale) for name in ("confidence", "risk")]
    if wrong or "bad_number" in numbers:
        return wrong or "bad_number"
    confidence, risk = (value if isinstance(value, Fraction) else None for value in numbers)
    reason = next((str(one[key]) for key in REASONS if key in one), "")
    ballot = Ballot(vote=Choice(word), confidence=confidence, risk=risk, rationale=reason)
    if terms.named:
        return replace(ballot, evidence=_cited(one))
    if terms.outcomes:
        veto = word.upper() == "VETO"
        return replace(ballot, vote=Choice(terms.outcomes[-1] if veto else word.upper()), veto=veto)
    goes_on = str(one.get("continue_debate", True)).strip().casefold() != "false"
    return replace(ballot, abstain=abstains(word), continue_debate=goes_on)


def _chosen(word: str, terms: _Terms) -> tuple[str, str]:
    if terms.named:
        return terms.named(word)
    if terms.outcomes:
        return word, "" if word.upper() in (*terms.outcomes, "VETO") else "bad_decision"
    return word, no_choice(word)


def _cited(one: dict[str, object]) -> tuple[Evidence, ...]:
    """The sources of a finding, as far as each is an object; more than are read are left."""
    lists = (cast("list[object]", one[key]) for key in ("evidence", "sources") if isinstance(one.get(key), list))
    listed = next(lists, list[object]())
    objects = (cast("dict[object, object]", part) for part in listed[:SOURCES] if isinstance(part, dict))
    fields = ({str(name): str(value) for name, value in part.items() if isinstance(value, str)} for part in objects)
    return tuple(cited for part in fields if (cited := evidence_of(part)) is not None)


def _number(value: object, scale: int) -> Fraction | str | None:
    """A number on the given scale as a share; on a scale of 100, strictly between 0 and 1 it is one already."""
    if value is None:
        return None
    stated = exact(value.removesuffix("%") if scale > 1 else value) if isinstance(value, str) else None
    if stated is None or not 0 <= stated <= scale:
        return "bad_number"
    return stated if scale > 1 and 0 < stated < 1 else stated / scale
