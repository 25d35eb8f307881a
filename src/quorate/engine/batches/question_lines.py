"""Questions from a file as a stream: a line of JSON or a row of CSV each, and what is wrong with one that is none.

However long the file is, one line of it is in memory; which keys have come before is kept in a temporary file.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import BinaryIO, Final, cast

import apsw
import orjson

from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.guard.empty import visible
from quorate.ledger.sqlite.database import run
from quorate.model import Question

__all__ = ["FIELDS", "KeyIndex", "LineError", "QuestionLine", "count_lines", "is_csv", "read_lines"]

FIELDS: Final = ("key", "question", "context", "criteria", "options")
"""What a line may say; anything else in it is left alone."""
OTHER_KEYS: Final = ("id", "qid", "question_id")
LONGEST: Final = 16 * 1024 * 1024
"""Bytes of one line: more is no question, and must not fill the memory."""
SHOWN: Final = 16
EXPECTED: Final = 'expected {"question": …} with, where wanted, "key", "context", "criteria" and "options": […]'


@dataclass(frozen=True, slots=True, kw_only=True)
class LineError:
    """Why a line has no verdict: a word for programs and a sentence for people."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLine:
    """One question of a batch, counted from 1; or what is wrong with the line where it should stand."""

    number: int
    key: str
    question: Question | None = None
    error: LineError | None = None

    @property
    def digest(self) -> str:
        """What was asked, whatever the line's key is."""
        return _digest(self.question) if self.question is not None else ""


def is_csv(name: str) -> bool:
    """Whether a file is CSV by its name; anything else is JSON lines."""
    return name.casefold().endswith(".csv")


def read_lines(file: BinaryIO, *, as_csv: bool) -> Iterator[QuestionLine]:
    """Every question of an open file, in its order; blank lines are none.

    Raises:
        BadSetting: a CSV file without a column for the question.
    """
    rows = _csv_rows(file) if as_csv else _json_rows(file)
    for number, row in enumerate(rows, 1):
        yield _line(number, row)


def count_lines(file: BinaryIO, *, as_csv: bool) -> int:
    """How many questions an open file holds."""
    if as_csv:
        return sum(1 for _ in _csv_rows(file))
    return sum(1 for _ in _raw_lines(file))


def _raw_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST + 1):
        whole = line
        while whole and not whole.endswith(b"\n") and len(whole) > LONGEST:  # the rest of a line nobody can ask
            whole = file.readline(LONGEST + 1)
            if not whole or whole.endswith(b"\n"):
                break
        if line.strip():
            yield line


def _json_rows(file: BinaryIO) -> Iterator["Mapping[str, object] | LineError"]:
    for line in _raw_lines(file):
        yield _parsed(line)


def _parsed(line: bytes) -> "Mapping[str, object] | LineError":
    if len(line) > LONGEST:
        return LineError(kind="unreadable", message=f"the line is longer than {LONGEST} bytes")
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as wrong:
        return LineError(kind="unreadable", message=f"no JSON: {wrong}; {EXPECTED}")
    if isinstance(row, str):
        return {"question": row}
    if not isinstance(row, dict):
        return LineError(kind="unreadable", message=f"no object; {EXPECTED}")
    return cast("dict[str, object]", row)


def _csv_rows(file: BinaryIO) -> Iterator["Mapping[str, object] | LineError"]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    before = csv.field_size_limit(LONGEST)
    try:
        rows = csv.DictReader(text, restkey="")
        names = rows.fieldnames or ()
        if "question" not in names:
            raise BadSetting(f"the CSV file has no column 'question'; it has {', '.join(names) or 'none'}")
        while True:
            try:
                yield {name: value for name, value in next(rows).items() if value}
            except csv.Error as wrong:
                yield LineError(kind="unreadable", message=f"no row of CSV: {wrong}")
            except StopIteration:
                return
    finally:
        csv.field_size_limit(before)
        text.detach()


def _line(number: int, row: "Mapping[str, object] | LineError") -> QuestionLine:
    if isinstance(row, LineError):
        return QuestionLine(number=number, key=f"line {number}", error=row)
    key = next((str(row[name]) for name in ("key", *OTHER_KEYS) if isinstance(row.get(name), str | int)), "")
    try:
        question = _question(row)
    except BadSetting as wrong:
        kind = "blank" if "blank" in str(wrong) else "unreadable"
        return QuestionLine(number=number, key=key or f"line {number}", error=LineError(kind=kind, message=str(wrong)))
    return QuestionLine(number=number, key=key or _digest(question)[:SHOWN], question=question)


def _question(row: Mapping[str, object]) -> Question:
    text, context, criteria = (_text(row, name) for name in ("question", "context", "criteria"))
    if not any(map(visible, text)):
        raise BadSetting(f"the question is blank; {EXPECTED}")
    options = _options(row.get("options"))
    if not _is_sound("".join((text, context, criteria, *options, str(row.get("key"))))):
        raise BadSetting("it is not UTF-8 text; convert the file first")
    return Question(text=text, context=context, criteria=criteria, options=options)


def _is_sound(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadSetting(f"{name!r} is no text: {value!r:.60}")
    return value


def _options(value: object) -> tuple[str, ...]:
    """A list of texts; in CSV, and where somebody likes it so, one text with bars between them."""
    match value:
        case None | "":
            return ()
        case str():
            return tuple(filter(None, (part.strip() for part in value.split("|"))))
        case list():
            options = cast("list[object]", value)
            texts = tuple(option for option in options if isinstance(option, str) and option.strip())
            if len(texts) == len(options):
                return texts
        case _:
            pass
    raise BadSetting(f"'options' is no list of texts: {value!r:.60}")


def _digest(question: Question) -> str:
    said = [question.text, question.context, question.criteria, list(question.options)]
    return sha256(orjson.dumps(said)).hexdigest()


class KeyIndex:
    """The line on which each key came first: in a temporary file that ends with it, so that no length fills memory."""

    def __init__(self) -> None:
        self._db = apsw.Connection("")
        run(self._db, "CREATE TABLE keys (key BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        run(self._db, "BEGIN")

    def first(self, line: QuestionLine) -> int:
        """The number of the first line with this key, which may be this one."""
        key = sha256(line.key.encode(errors="surrogatepass")).digest()
        run(self._db, "INSERT INTO keys VALUES (?, ?) ON CONFLICT DO NOTHING", (key, line.number))
        return int(run(self._db, "SELECT number FROM keys WHERE key = ?", (key,))[0][0])

    def close(self) -> None:
        """Remove the file."""
        self._db.close()
