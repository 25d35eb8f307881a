"""Arguments as people hand them over: a JSON list, one object an argument, no model asked."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, cast

from quorate.errors import BadSetting
from quorate.model import Argument, Ballot, Choice
from quorate.reading.text.marked_objects import LONGEST
from quorate.reading.text.marked_objects import MOST as LINES
from quorate.reading.text.strict_json import Digits, loaded
from quorate.reading.text.values import of_one, plain

__all__ = ["Handed", "handed_arguments"]

EXAMPLE: Final = (
    '[{"seat": "Proponent", "round": 1, "claims": ["…"], "evidence": ["…"], "confidence": 0.8}, '
    '{"seat": "Moderator", "round": 1, "confidence": 0.6}]'
)
MOST: Final = 100
"""Rounds a file may hold."""
_ROUND: Final = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What one seat said in one round: a case, an assessment, or why it is neither."""

    seat: str
    round: int
    argument: Argument | None = None
    ballot: Ballot | None = None
    why: str = ""


def handed_arguments(text: str) -> tuple[str, tuple[Handed, ...]]:
    """The context and everything said; what makes no sense is a silent seat, sides come from the seats' parts.

    Raises:
        BadSetting: it is not a list of objects that each name a seat and a round, or one is said twice.
    """
    try:
        whole: object = loaded(text)
    except (ValueError, RecursionError) as broken:
        raise BadSetting(f"the arguments are not JSON ({broken}); write them as {EXAMPLE}") from None
    context, listed = "", whole
    if isinstance(whole, dict):
        named = cast("dict[str, object]", whole)
        context, listed = str(named.get("context", "")), named.get("arguments")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in cast("list[object]", listed)):
        raise BadSetting(f"the arguments must be a list of objects; write them as {EXAMPLE}")
    said = tuple(_handed(one, number) for number, one in enumerate(cast("list[dict[str, object]]", listed), 1))
    places = Counter((one.seat.casefold(), one.round) for one in said)
    for one in said:
        if places[one.seat.casefold(), one.round] > 1:
            raise BadSetting(f"seat {one.seat!r} speaks twice in round {one.round}; a seat speaks once a round")
    return context, said


def _handed(one: dict[str, object], number: int) -> Handed:
    seat, at = one.get("seat"), str(one.get("round", "1"))
    if not isinstance(seat, str) or isinstance(seat, Digits) or not seat.strip():
        raise BadSetting(f"argument {number} names no seat; write it as {EXAMPLE}")
    if not _ROUND.fullmatch(at) or not 1 <= int(at) <= MOST:
        raise BadSetting(f"argument {number} names round {at!r}; a round is a number from 1 to {MOST}")
    confidence = of_one(str(one.get("confidence", "")))
    claims, evidence = _texts(one.get("claims")), _texts(one.get("evidence"))
    if confidence is None:
        return Handed(seat=seat.strip(), round=int(at), why="bad_number" if "confidence" in one else "incomplete")
    return Handed(
        seat=seat.strip(),
        round=int(at),
        argument=Argument(side="pro", claims=claims, evidence=evidence, confidence=confidence) if claims else None,
        ballot=None if claims else Ballot(vote=Choice(str(one.get("leaning", "balanced"))), confidence=confidence),
    )


def _texts(value: object) -> tuple[str, ...]:
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = (plain(text)[:LONGEST] for text in listed[: 4 * LINES] if isinstance(text, str))
    return tuple(dict.fromkeys(text for text in texts if text))[:LINES]
