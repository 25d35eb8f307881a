"""Recorded votes from a file: JSON lines, JSON rows as dataset servers write them, or CSV."""

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson

from quorate.errors import BadSetting
from quorate.evaluate.inspect_logs import inspect_samples, inspect_votes, is_inspect_log
from quorate.evaluate.votes import VotedQuestion

__all__ = ["load_rows", "load_votes", "read_text"]

_ID: Final = ("id", "qid", "question_id", "row_idx")
_RIGHT: Final = ("right", "gold", "label", "target")
_SEAT: Final = ("seat", "agent", "model")
_VOTE: Final = ("answer", "vote", "option")
_NO_SEAT: Final = frozenset({*_ID, *_RIGHT, "question", "options", "choices", "category", "dataset"})
_MORE: Final = "\0"
"""Where a row keeps the cells that have no column."""
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a file of votes, unpacked."""
LAYOUTS: Final = (
    'a line of JSON per question: {"id": …, "votes": {"seat": "option"}, "right": …}, or "rounds": [[{"agent": …, '
    '"answer": …}]]; or CSV with the columns id, seat, answer and right, or id, right and a column per seat'
)


def load_votes(path: str) -> tuple[VotedQuestion, ...]:
    """Every question of a file on which somebody voted.

    Raises:
        BadSetting: it cannot be read, or nothing in it is a vote; with the line, and what a line may look like.
    """
    if is_inspect_log(path):
        rows: Iterable[Mapping[str, object]] = inspect_votes(path)
    else:
        text = read_text(path)
        rows = _csv_rows(text) if _is_csv(path) else _json_rows(text, path)
    try:
        found = tuple(question for row in rows if (question := _question(row)).votes)
    except csv.Error as wrong:
        raise BadSetting(f"cannot read {path!r}: {wrong}") from wrong
    if not found:
        raise BadSetting(f"no votes in {path!r}; expected {LAYOUTS}")
    _refuse_doubles(found, path)
    return found


def _refuse_doubles(found: Sequence[VotedQuestion], path: str) -> None:
    """See that every question stands there once: whoever counted one twice would be surer than he may be."""
    named = Counter(question.id for question in found if question.id)
    if twice := next((id_ for id_, times in named.items() if times > 1), None):
        raise BadSetting(
            f"question {twice[:60]!r} stands in {path!r} {named[twice]} times, and a question counts once; leave one "
            "of them, or give each its own id"
        )


def load_rows(path: str) -> Iterator[Mapping[str, object]]:
    """Every row of a file of questions, whether anybody has voted on them or not.

    Raises:
        BadSetting: it cannot be read.
    """
    if is_inspect_log(path):
        yield from inspect_samples(path)
        return
    text = read_text(path)
    try:
        yield from csv.DictReader(io.StringIO(text)) if _is_csv(path) else _json_rows(text, path)
    except csv.Error as wrong:
        raise BadSetting(f"cannot read {path!r}: {wrong}") from wrong


def _is_csv(path: str) -> bool:
    return path.removesuffix(".gz").endswith(".csv")


def read_text(path: str) -> str:
    """The text of a file, unpacked.

    Raises:
        BadSetting: it cannot be read, or is larger than anybody means it to be.
    """
    if path.removesuffix(".gz").endswith((".parquet", ".arrow")):
        raise BadSetting(f"{path!r} is no text; write it as JSON lines first, as with pandas' to_json(lines=True)")
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)  # a small file can be made to unpack without end
        if len(data) > LARGEST:
            raise BadSetting(f"{path!r} holds more than {LARGEST} bytes; give a part of it")
        return data.decode()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as wrong:
        raise BadSetting(f"cannot read {path!r}: {wrong}") from wrong


def _json_rows(text: str, path: str) -> Iterator[Mapping[str, object]]:
    """Lines of objects, one list, or `{"rows": [{"row": …}]}`."""
    if text.lstrip().startswith("[") or text.lstrip().startswith('{"features"') or '"rows"' in text[:2000]:
        whole = _parsed(text, path, 1)
        rows = whole.get("rows") if isinstance(whole, dict) else whole
        if isinstance(rows, list):
            yield from (_unwrapped(row) for row in rows if isinstance(row, dict))
            return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            row = _parsed(line, path, number)
            if not isinstance(row, dict):
                raise BadSetting(f"line {number} of {path!r} is no object; expected {LAYOUTS}")
            yield _unwrapped(row)


def _parsed(text: str, path: str, number: int) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as wrong:
        raise BadSetting(f"line {number} of {path!r} is no JSON: {wrong}; expected {LAYOUTS}") from wrong


def _unwrapped(row: Mapping[str, object]) -> Mapping[str, object]:
    inner = row.get("row")
    return {"row_idx": row.get("row_idx"), **inner} if isinstance(inner, dict) else row


def _csv_rows(text: str) -> Iterator[Mapping[str, object]]:
    """A row per question, with a column per seat; or a row per vote, brought together here."""
    rows = list(csv.DictReader(io.StringIO(text), restkey=_MORE))
    if odd := next((number for number, row in enumerate(rows, 1) if _MORE in row), 0):
        raise BadSetting(f"row {odd} below the header has more cells than there are columns; put it right")
    columns = set(rows[0]) if rows else set[str]()
    by_vote = columns & set(_SEAT) and columns & set(_VOTE)
    yield from _together(rows) if by_vote else map(_wide_row, rows)


def _wide_row(row: Mapping[str, str]) -> Mapping[str, object]:
    return {**_about(row), "votes": {name: value for name, value in row.items() if name not in _NO_SEAT and value}}


def _about(row: Mapping[str, str]) -> dict[str, object]:
    """What is said of the question and not by a seat."""
    return {name: value for name, value in row.items() if name in _NO_SEAT and value}


def _together(rows: Iterable[Mapping[str, str]]) -> Iterator[Mapping[str, object]]:
    votes: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        votes.setdefault(str(_first(row, _ID)), []).append(row)
    for id_, cast in votes.items():
        seats = Counter(str(_first(row, _SEAT)) for row in cast)
        if (twice := max(seats, key=lambda seat: seats[seat])) and seats[twice] > 1:
            raise BadSetting(f"seat {twice[:60]!r} votes {seats[twice]} times on question {id_[:60]!r}; leave one vote")
        if len({answer for row in cast if (answer := _first(row, _RIGHT))}) > 1:
            raise BadSetting(f"question {id_[:60]!r} has two right answers; leave one")
        yield {**_about(cast[0]), "votes": cast}


def _question(row: Mapping[str, object]) -> VotedQuestion:
    rounds, options = _rounds(row), _options(row)
    right = _first(row, _RIGHT)
    return VotedQuestion(
        id=_text(_first(row, _ID), ()) or "",
        votes=_votes(rounds[0], options) if rounds else {},
        listed=len(options) or None,
        right=_text(right, options),
        later=_votes(rounds[-1], options) if len(rounds) > 1 else {},
        stated=dict(_stated(rounds[0])) if rounds else {},
    )


def _rounds(row: Mapping[str, object]) -> list[list[Mapping[str, object]]]:
    """Rounds of votes as objects, whichever way they are written."""
    match row:
        case {"rounds": list(rounds)}:
            return [_objects(votes) for votes in rounds if isinstance(votes, list)]
        case {"votes": list(votes)}:
            return [_objects(votes)]
        case _:
            sure = row.get("confidence")
            sides = (row.get("votes"), row.get("final"))
            return [_by_seat(side, sure) for side in sides if isinstance(side, dict)]


def _objects(votes: Iterable[object]) -> list[Mapping[str, object]]:
    return [vote for vote in votes if isinstance(vote, dict)]


def _by_seat(votes: Mapping[str, object], sure: object) -> list[Mapping[str, object]]:
    stated = sure if isinstance(sure, dict) else {}
    return [{"seat": seat, "answer": vote, "confidence": stated.get(seat)} for seat, vote in votes.items()]


def _options(row: Mapping[str, object]) -> tuple[str, ...]:
    """The names of a closed list: the letters of a lettered one."""
    for name in ("options", "choices"):
        match row.get(name):
            case {"label": list(labels)}:
                return tuple(map(str, labels))
            case dict() as lettered:
                return tuple(map(str, lettered))
            case list() as listed:
                return tuple(map(str, listed))
            case str() as written if "|" in written:
                return tuple(part.strip() for part in written.split("|"))
            case _:
                pass
    return ()


def _first(row: Mapping[str, object], names: Iterable[str]) -> object:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: object, options: Sequence[str]) -> str | None:
    """An answer as it is compared; a number may stand for its place in the list."""
    if value is None or isinstance(value, dict | list):
        return None
    if type(value) is int and str(value) not in options and value in range(len(options)):
        return options[value]
    return " ".join(str(value).split()) or None


def _votes(votes: Sequence[Mapping[str, object]], options: Sequence[str]) -> dict[str, str]:
    pairs = ((_first(vote, _SEAT), _text(_first(vote, _VOTE), options)) for vote in votes)
    return {str(seat): vote for seat, vote in pairs if seat is not None and vote is not None}


def _stated(votes: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, float]]:
    """Confidences from 0 to 1; anything else says nothing."""
    for vote in votes:
        seat, stated = _first(vote, _SEAT), vote.get("confidence")
        try:
            sure = float(str(stated))
        except ValueError:
            continue
        if seat is not None and 0.0 <= sure <= 1.0:
            yield str(seat), sure
