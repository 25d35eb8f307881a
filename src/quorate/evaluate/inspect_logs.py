"""Logs of inspect_ai as rows: questions with their choices, and what the model of the log answered in each epoch."""

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple

import orjson

from quorate.errors import BadSetting

__all__ = [
    "InspectLog",
    "inspect_samples",
    "inspect_votes",
    "is_inspect_log",
    "read_inspect_log",
    "sample_row",
    "scored_answer",
]

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one part of a log, unpacked."""
ZSTANDARD: Final = 93
"""How newer versions of inspect_ai pack the parts of a log; the standard library reads it from Python 3.14 on."""
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEAD: Final = 4096
_LOCAL_HEADER: Final = Struct("<26xHH")
"""What stands before a member: how long its name and its extra fields are, at the end of 30 bytes."""


def is_inspect_log(path: str) -> bool:
    """Whether a file is such a log: `.eval`, or JSON that begins as one does."""
    if path.endswith(".eval"):
        return True
    if not path.endswith(".json"):
        return False
    try:
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return b'"eval"' in head and b'"task"' in head


class InspectLog(NamedTuple):
    """Which model a log is about, and each of its samples as inspect_ai wrote it."""

    model: str
    samples: Sequence[Mapping[str, Any]]


def inspect_samples(path: str) -> Iterator[dict[str, object]]:
    """A row per question of a log; each once, however many epochs there were.

    Raises:
        BadSetting: it cannot be read.
    """
    seen = set[str]()
    for sample in read_inspect_log(path).samples:
        id_ = str(sample.get("id"))
        if id_ not in seen:
            seen.add(id_)
            yield sample_row(sample)


def inspect_votes(path: str) -> Iterator[dict[str, object]]:
    """The same with votes: what the scorer read from the model's answer, a seat for each epoch.

    Raises:
        BadSetting: it cannot be read.
    """
    model, samples = read_inspect_log(path)
    rows: dict[str, dict[str, object]] = {}
    votes: dict[str, dict[str, str]] = {}
    epochs = max((int(sample.get("epoch") or 1) for sample in samples), default=1)
    for sample in samples:
        id_, answer = str(sample.get("id")), scored_answer(sample)
        rows.setdefault(id_, sample_row(sample))
        if answer:
            seat = f"{model} (epoch {sample.get('epoch') or 1})" if epochs > 1 else model
            votes.setdefault(id_, {})[seat] = answer
    for id_, row in rows.items():
        yield {**row, "options": list(LETTERS[: len(_choices(row))]) or None, "votes": votes.get(id_, {})}


def _choices(row: Mapping[str, object]) -> list[object]:
    choices = row.get("choices")
    return choices if isinstance(choices, list) else []


def sample_row(sample: Mapping[str, Any]) -> dict[str, object]:
    """The question of a sample, its choices and its first target."""
    asked, target = sample.get("input"), sample.get("target")
    if isinstance(asked, list):
        asked = "\n\n".join(str(turn.get("content", "")) for turn in asked if isinstance(turn, dict))
    right = target[0] if isinstance(target, list) and target else target
    return {"id": sample.get("id"), "question": asked, "choices": sample.get("choices"), "target": right}


def scored_answer(sample: Mapping[str, Any]) -> str:
    """What the first scorer that read an answer took from the model's reply; empty if none did."""
    scores = sample.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        if isinstance(score, dict) and score.get("answer"):
            return str(score["answer"])
    return ""


def read_inspect_log(path: str) -> InspectLog:
    """A whole log.

    Raises:
        BadSetting: it cannot be read.
    """
    try:
        parts = list(_zipped(path)) if path.endswith(".eval") else [orjson.loads(Path(path).read_bytes())]
    except (OSError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as wrong:
        raise BadSetting(f"cannot read {path!r} as a log of inspect_ai: {wrong}") from wrong
    plain = _objects(parts)
    head = next((part for part in plain if "eval" in part), {})
    model = str(head.get("eval", {}).get("model", "model"))
    return InspectLog(model, _objects(head.get("samples") or [part for part in plain if "target" in part]))


def _objects(listed: list[Any]) -> list[dict[str, Any]]:
    return [part for part in listed if isinstance(part, dict)]


def _zipped(path: str) -> Iterator[Any]:
    """The header and every sample of a packed log, in the order of their names."""
    with zipfile.ZipFile(path) as log:
        for info in sorted(log.infolist(), key=lambda one: one.filename):
            if info.filename == "header.json" or info.filename.startswith("samples/"):
                if info.file_size > LARGEST:
                    raise ValueError(f"{info.filename} holds more than {LARGEST} bytes")
                packed = info.compress_type == ZSTANDARD
                yield orjson.loads(_unpack_zstandard(path, info) if packed else log.read(info))


def _unpack_zstandard(path: str, info: zipfile.ZipInfo) -> bytes:
    """A member that the standard library finds and cannot unpack.

    Raises:
        ValueError: it is not what its entry says.
        BadSetting: the package that unpacks it is not installed.
    """
    try:
        import zstandard  # noqa: PLC0415 - few logs need it
    except ImportError:
        raise BadSetting(f"{path!r} is packed with Zstandard; install it: pip install 'quorate[evaluate]'") from None
    with Path(path).open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size:
            raise ValueError(f"{info.filename} begins after the end of the file")
        name, extra = _LOCAL_HEADER.unpack(header)
        file.seek(name + extra, 1)
        content = file.read(info.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True) as reader:
            unpacked = reader.read(info.file_size + 1)
    except zstandard.ZstdError as wrong:
        raise ValueError(f"{info.filename} is damaged: {wrong}") from wrong
    if len(unpacked) != info.file_size or zlib.crc32(unpacked) != info.CRC:
        raise ValueError(f"{info.filename} is not what the log says it is")
    return unpacked
