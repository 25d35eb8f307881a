"""What came of each question: a line of JSON or a row of CSV, in the order of the questions, each written once.

The file is a beginning of the whole at any time. Whoever goes on reads it, sees that it belongs to these questions,
removes a last line that was cut off, and adds what is missing; the verdicts themselves are kept by the ledger.
"""

import csv
import fcntl
import io
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from fractions import Fraction
from typing import Any, BinaryIO, Final, Literal

import orjson

from quorate.engine.batches.question_lines import LineError, QuestionLine
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.middleware.budget import Charge
from quorate.views.escape import visible_json

__all__ = ["COLUMNS", "BatchResult", "ResultFile", "ResultFormat", "written_charge"]

ResultFormat = Literal["jsonl", "csv"]
_OPENING: Final = b'{"schema":1,"number":'
_NANO: Final = 10**9
COLUMNS: Final = (
    "number", "key", "id", "state", "outcome", "decided", "requires_human_review", "agreement", "confidence",
    "because", "votes", "may_act", "same_as", "calls", "tokens", "money", "charged_calls", "charged_tokens",
    "charged_money", "seconds", "error", "message",
)  # fmt: skip
"""Of a CSV file of results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What came of one question. `charged` is what it counts against the budget of the whole batch.

    `same_as` is the number of an earlier line with the same key: nothing was asked again and nothing is charged.
    """

    number: int
    key: str
    id: str | None = None
    state: str | None = None
    outcome: str | None = None
    decided: bool | None = None
    requires_human_review: bool | None = None
    agreement: float | None = None
    confidence: float | None = None
    because: str | None = None
    votes: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    may_act: bool = False
    same_as: int | None = None
    calls: int = 0
    tokens: int | None = 0
    money: float | None = 0.0
    charged: Charge = field(default_factory=Charge)
    seconds: float = 0.0
    error: LineError | None = None

    def document(self) -> dict[str, object]:
        """One line of JSON."""
        cost = {"calls": self.calls, "tokens": self.tokens, "money": self.money}
        return {
            "schema": 1,
            **{name: getattr(self, name) for name in COLUMNS[:13]},
            "cost": cost,
            "charged": written_charge(self.charged),
            "seconds": self.seconds,
            "error": asdict(self.error) if self.error else None,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "BatchResult":
        """The same again, from what `document` gave."""
        own = {name: plain[name] for name in COLUMNS[:13]}
        error, charged = plain["error"], plain["charged"]
        return cls(
            **own,
            **plain["cost"],
            charged=Charge(charged["calls"], charged["tokens"], Fraction(str(charged["money"]))),
            seconds=plain["seconds"],
            error=LineError(**error) if error else None,
        )


def written_charge(charge: Charge) -> dict[str, int | float]:
    """A charge for a file; money is rounded up to a billionth, so that no sum of them is less than was spent."""
    return {"calls": charge.calls, "tokens": charge.tokens, "money": math.ceil(charge.money * _NANO) / _NANO}


class ResultFile:
    """A file of results that this process alone adds to, or stdout."""

    def __init__(self, file: BinaryIO, form: ResultFormat, name: str = "") -> None:
        self._file = file
        self._form: ResultFormat = form
        self._name = name
        self._good = 0
        self._rows = self._earlier() if name else None

    @classmethod
    def open(cls, path: str, form: ResultFormat) -> "ResultFile":
        """A new file, or one that an earlier run has begun.

        Raises:
            BadSetting: it cannot be written, or another batch is writing it.
        """
        try:
            made = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except (OSError, ValueError) as wrong:
            why = wrong.strerror if isinstance(wrong, OSError) else "it is no file name"
            raise BadSetting(f"cannot write {path!r}: {why}") from None
        file = os.fdopen(made, "r+b")
        try:
            fcntl.flock(made, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise BadSetting(f"another batch is writing {path!r}; wait for it, or name another file") from None
        return cls(file, form, path)

    def earlier(self, line: QuestionLine) -> BatchResult | None:
        """What an earlier run has written for a line; None from the first line on for which it has not.

        Raises:
            BadSetting: it belongs to other questions.
        """
        if self._rows is None:
            return None
        result = next(self._rows, None)
        if result is None:
            self._rows = None
            self._file.truncate(self._good)
            self._file.seek(self._good)
        elif (result.number, result.key) != (line.number, line.key):
            raise self._foreign(f"where line {line.number} has the key {line.key!r}, it has {result.key!r}")
        return result

    def write(self, result: BatchResult) -> None:
        """Add one result.

        Raises:
            BadSetting: the disk is full or the reader is gone.
        """
        data = (_csv_row(COLUMNS) if self._form == "csv" and not self._good else b"") + _encoded(result, self._form)
        self._good += len(data)
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as wrong:
            raise BadSetting(
                f"cannot write {self._name or 'the results'}: {wrong.strerror}; the verdicts are in the ledger. "
                "Run the same command again to go on"
            ) from None

    def close(self, *, complete: bool = False) -> None:
        """Let go of the file; one that is complete may hold nothing else.

        Raises:
            BadSetting: it holds results of more questions than there are.
        """
        try:
            if self._rows is not None and complete:
                if next(self._rows, None) is not None:
                    raise self._foreign("it holds more results than there are questions")
                self._file.truncate(self._good)
            if self._name:
                os.fsync(self._file.fileno())
        finally:
            if self._name:
                self._file.close()

    def _foreign(self, why: str) -> BadSetting:
        return BadSetting(f"{self._name!r} holds results of other questions ({why}); name another file, or remove it")

    def _earlier(self) -> Iterator[BatchResult]:
        yield from self._csv_results() if self._form == "csv" else self._json_results()

    def _json_results(self) -> Iterator[BatchResult]:
        for line in self._file:
            if not line.endswith(b"\n"):  # cut off while it was written
                if not (line.startswith(_OPENING) or _OPENING.startswith(line)):
                    raise self._foreign("it is no file of results")
                return
            try:
                result = BatchResult.of(orjson.loads(line))
            except (ValueError, TypeError, KeyError):
                raise self._foreign("it is no file of results") from None
            self._good += len(line)
            yield result

    def _csv_results(self) -> Iterator[BatchResult]:
        source = _CountedLines(self._file)
        rows, header = csv.reader(source), _csv_row(COLUMNS)
        start = self._file.peek()[: len(header)] if isinstance(self._file, io.BufferedRandom) else b""
        if not header.startswith(start):
            raise self._foreign("it is no file of results")
        if start != header:
            return
        next(rows)
        self._good = source.count
        for row in rows:
            if not source.whole:  # cut off while it was written
                return
            result = _from_csv(row)
            if result is None:
                raise self._foreign("it is no file of results")
            self._good = source.count
            yield result


class _CountedLines:
    """Lines as text, counted in bytes as they are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0
        self.whole = True

    def __iter__(self) -> "_CountedLines":
        return self

    def __next__(self) -> str:
        line = self._file.readline()
        if not line:
            raise StopIteration
        self.count += len(line)
        self.whole = line.endswith(b"\r\n")
        return line.decode(errors="replace")


def _encoded(result: BatchResult, form: ResultFormat) -> bytes:
    plain = result.document()
    if form == "jsonl":
        return visible_json(orjson.dumps(plain, default=dict).decode()).encode() + b"\n"
    error = result.error or LineError(kind="", message="")
    cost = (result.calls, result.tokens, result.money, *written_charge(result.charged).values(), result.seconds)
    votes = visible_json(orjson.dumps(dict(result.votes)).decode())
    told = [votes if name == "votes" else plain[name] for name in COLUMNS[:13]]
    return _csv_row((*told, *cost, error.kind, error.message))


def _csv_row(values: "tuple[object, ...]") -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow([_cell(value) for value in values])
    return text.getvalue().encode(errors="backslashreplace")


def _cell(value: object) -> object:
    """A cell; text that a spreadsheet would work out as a formula begins with an apostrophe, as OWASP advises.

    So does what begins with an apostrophe already: otherwise nobody could tell whose it is.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}" if _FORMULA.match(value) else value


_FORMULA: Final = re.compile(
    r"['\t\r\n]|[\s\"\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]"
)
"""Signs that begin a formula, wide and small ones too, also behind blanks, quotes and signs nobody sees."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*( ?%)?")


def _from_csv(row: list[str]) -> BatchResult | None:
    """What the books need of a row; none if it is no row of results."""
    if len(row) != len(COLUMNS):
        return None
    cells = dict(zip(COLUMNS, row, strict=True))
    try:
        charged = Charge(int(cells["charged_calls"]), int(cells["charged_tokens"]), Fraction(cells["charged_money"]))
        return BatchResult(
            number=int(cells["number"]),
            key=cells["key"].removeprefix("'"),
            state=cells["state"] or None,
            decided=cells["decided"] == "true",
            requires_human_review=cells["requires_human_review"] == "true",
            same_as=int(cells["same_as"]) if cells["same_as"] else None,
            money=float(cells["money"]) if cells["money"] else None,
            tokens=int(cells["tokens"]) if cells["tokens"] else None,
            charged=charged,
            error=LineError(kind=cells["error"], message=cells["message"]) if cells["error"] else None,
        )
    except ValueError:
        return None
