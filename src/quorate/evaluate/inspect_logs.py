"""Logs of inspect_ai as rows: questions with their choices, and what the model of the log answered in each epoch."""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from quorate.errors import BadSetting

__all__ = ["inspect_samples", "inspect_votes", "is_inspect_log"]

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one part of a log, unpacked."""
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEAD: Final = 4096


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


def inspect_samples(path: str) -> Iterator[dict[str, object]]:
    """A row per question of a log; each once, however many epochs there were.

    Raises:
        BadSetting: it cannot be read.
    """
    seen = set[str]()
    for sample in _samples(path)[1]:
        id_ = str(sample.get("id"))
        if id_ not in seen:
            seen.add(id_)
            yield _row(sample)


def inspect_votes(path: str) -> Iterator[dict[str, object]]:
    """The same with votes: what the scorer read from the model's answer, a seat for each epoch.

    Raises:
        BadSetting: it cannot be read.
    """
    model, samples = _samples(path)
    rows: dict[str, dict[str, object]] = {}
    votes: dict[str, dict[str, str]] = {}
    epochs = max((int(sample.get("epoch") or 1) for sample in samples), default=1)
    for sample in samples:
        id_, answer = str(sample.get("id")), _answer(sample)
        rows.setdefault(id_, _row(sample))
        if answer:
            seat = f"{model} (epoch {sample.get('epoch') or 1})" if epochs > 1 else model
            votes.setdefault(id_, {})[seat] = answer
    for id_, row in rows.items():
        yield {**row, "options": list(LETTERS[: len(_choices(row))]) or None, "votes": votes.get(id_, {})}


def _choices(row: Mapping[str, object]) -> list[object]:
    choices = row.get("choices")
    return choices if isinstance(choices, list) else []


def _row(sample: Mapping[str, Any]) -> dict[str, object]:
    asked, target = sample.get("input"), sample.get("target")
    if isinstance(asked, list):
        asked = "\n\n".join(str(turn.get("content", "")) for turn in asked if isinstance(turn, dict))
    right = target[0] if isinstance(target, list) and target else target
    return {"id": sample.get("id"), "question": asked, "choices": sample.get("choices"), "target": right}


def _answer(sample: Mapping[str, Any]) -> str:
    scores = sample.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        if isinstance(score, dict) and score.get("answer"):
            return str(score["answer"])
    return ""


def _samples(path: str) -> tuple[str, list[dict[str, Any]]]:
    try:
        parts = list(_zipped(path)) if path.endswith(".eval") else [orjson.loads(Path(path).read_bytes())]
    except (OSError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as wrong:
        raise BadSetting(f"cannot read {path!r} as a log of inspect_ai: {wrong}") from wrong
    plain = _objects(parts)
    head = next((part for part in plain if "eval" in part), {})
    model = str(head.get("eval", {}).get("model", "model"))
    return model, _objects(head.get("samples") or [part for part in plain if "target" in part])


def _objects(listed: list[Any]) -> list[dict[str, Any]]:
    return [part for part in listed if isinstance(part, dict)]


def _zipped(path: str) -> Iterator[Any]:
    """The header and every sample of a packed log, in the order of their names."""
    with zipfile.ZipFile(path) as log:
        for info in sorted(log.infolist(), key=lambda one: one.filename):
            if info.filename == "header.json" or info.filename.startswith("samples/"):
                if info.file_size > LARGEST:
                    raise ValueError(f"{info.filename} holds more than {LARGEST} bytes")
                yield orjson.loads(log.read(info))
