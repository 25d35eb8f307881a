"""What was said, as people hand it over: a JSON list, an object for each seat and round, and the fields of each."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, cast

from quorate import catalogue
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern
from quorate.reading.text.strict_json import Digits, load_json

__all__ = ["FileAnswer", "is_share_of_hundred", "read_choice", "read_file", "read_number", "read_reason"]

MOST_ROUNDS: Final = 100
"""Rounds a file may hold."""
_SILENCE: Final = lazy_pattern(r"[a-z][a-z_]{0,39}")
_ROUND: Final = lazy_pattern(r"[0-9]{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAnswer:
    """One object of the file: whose it is, of which round, and what is written in it."""

    seat: str
    round: int
    fields: Mapping[str, object]

    def read(self, form: str, options: tuple[str, ...]) -> Read:
        """The answer in the form it was to have; a seat may be given as silent, with the reason.

        Raises:
            BadSetting: the form does not say how it is handed over.
        """
        said = self.fields.get("silence")
        if said is not None:  # whatever the reason is written as, who is given as silent has no vote
            is_reason = isinstance(said, str) and _SILENCE.fullmatch(said) is not None
            return Read(unreadable=str(said) if is_reason else catalogue.form(form).missing)
        from_file = catalogue.form(form).from_file
        if from_file is None:
            raise BadSetting(f"an answer of the form {form!r} cannot be handed over in a file")
        read = from_file(self.fields, AnswerTerms(options=options))
        if read.ballot is None:
            return read
        conditions, change = read_conditions(self.fields), read_change(self.fields)
        return replace(read, ballot=replace(read.ballot, conditions=conditions, would_change=change))


def read_file(text: str, example: str, *, rounds: bool) -> tuple[str, tuple[FileAnswer, ...]]:
    """The context, where one is given, and every object of the file. With `rounds` each belongs to one.

    Raises:
        BadSetting: it is not a list of objects that each name a seat of their own, and a round where there are any.
    """
    try:
        whole: object = load_json(text)
    except (ValueError, RecursionError) as broken:
        raise BadSetting(f"the file is not JSON ({broken}); write it as {example}") from None
    context, listed = _parts(whole) if rounds else ("", whole)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in cast("list[object]", listed)):
        raise BadSetting(f"the file must be a list of objects; write it as {example}")
    objects = cast("list[dict[str, object]]", listed)
    return context, read_answers(objects, example, rounds=rounds)


def _parts(whole: object) -> tuple[str, object]:
    """A file with rounds may put a context around its list."""
    if not isinstance(whole, dict):
        return "", whole
    named = cast("dict[str, object]", whole)
    return str(named.get("context", "")), named.get("arguments", named.get("ballots"))


def read_answers(objects: list[dict[str, object]], example: str, *, rounds: bool) -> tuple[FileAnswer, ...]:
    """Whose each object is.

    Raises:
        BadSetting: one names no seat or no round, or a seat has two of one round.
    """
    answers = tuple(_answer(one, number, example, rounds=rounds) for number, one in enumerate(objects, 1))
    places = Counter((one.seat.casefold(), one.round) for one in answers)
    for one in answers:
        if places[one.seat.casefold(), one.round] > 1 and rounds:
            raise BadSetting(f"seat {one.seat!r} speaks twice in round {one.round}; a seat speaks once a round")
        if places[one.seat.casefold(), one.round] > 1:
            raise BadSetting(f"seat {one.seat!r} has more than one ballot; a seat votes once")
    return answers


def _answer(one: dict[str, object], number: int, example: str, *, rounds: bool) -> FileAnswer:
    what = "argument" if rounds else "ballot"
    seat, at = one.get("seat", one.get("agent")), str(one.get("round", "1")) if rounds else "1"
    if not isinstance(seat, str) or isinstance(seat, Digits) or not seat.strip():
        raise BadSetting(f"{what} {number} names no seat; write it as {example}")
    if not _ROUND.fullmatch(at) or not 1 <= int(at) <= MOST_ROUNDS:
        raise BadSetting(f"{what} {number} names round {at!r}; a round is a number from 1 to {MOST_ROUNDS}")
    return FileAnswer(seat=seat.strip(), round=int(at), fields=one)


_CHOICES: Final = ("choice", "decision", "option", "outcome")
_REASONS: Final = ("reasoning", "reason", "rationale")
BAD: Final = "bad_number"


def read_choice(fields: Mapping[str, object]) -> tuple[str, str]:
    """What was chosen, under whichever name, or why nothing was."""
    values = [fields[key] for key in _CHOICES if key in fields]
    words = {str(value) for value in values}
    if len(words) != 1:
        return "", "duplicate" if words else "no_ballot"
    return words.pop().strip() if isinstance(values[0], str) else "", ""


def read_number(fields: Mapping[str, object], name: str, scale: int = 1) -> Fraction | str | None:
    """A number on the given scale as a share; on a scale of 100, strictly between 0 and 1 it is one already."""
    value = fields.get(name)
    if value is None:
        return None
    stated = exact(value.removesuffix("%") if scale > 1 else value) if isinstance(value, str) else None
    if stated is None or not 0 <= stated <= scale:
        return BAD
    return stated if 0 < stated < 1 else stated / scale


def is_share_of_hundred(fields: Mapping[str, object], names: Iterable[str]) -> bool:
    """Whether a number was written as a share where a scale of 100 was asked for."""
    return any(0 < (exact(str(fields.get(name))) or 0) < 1 for name in names)


def read_reason(fields: Mapping[str, object]) -> str:
    """Why, under whichever name."""
    return next((str(fields[key]) for key in _REASONS if key in fields), "")


def read_conditions(fields: Mapping[str, object]) -> tuple[str, ...]:
    """What must hold before anyone goes ahead: a list of texts, or one text."""
    written = fields.get("conditions", [])
    listed = cast("list[object]", written) if isinstance(written, list) else [written]
    return tuple(text for text in listed if isinstance(text, str) and text.strip())


def read_change(fields: Mapping[str, object]) -> str:
    """Which fact would change the seat's mind."""
    written = fields.get("would_change")
    return written if isinstance(written, str) else ""
