"""Recorded decisions on labelled actions: what each seat said of each, from logs of inspect_ai or files of votes."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from quorate.errors import BadSetting
from quorate.evaluate.datasets import load_rows
from quorate.evaluate.inspect_logs import is_inspect_log, read_inspect_log, sample_row, scored_answer
from quorate.frozen import dataclass

__all__ = ["ACT", "NONE", "NOT_ASKED", "REFUSE", "WARN", "GateVotes", "load_gate_votes"]

Casts = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

NOT_ASKED: Final = -1
ACT: Final = 0
WARN: Final = 1
REFUSE: Final = 2
NONE: Final = 3
"""A seat that was asked and gave nothing that could be read."""
WORDS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("act", "allow", "approve", "valid", "safe"), ACT),
        **dict.fromkeys(("warn", "ask"), WARN),
        **dict.fromkeys(("refuse", "block", "deny", "invalid", "unsafe", "veto"), REFUSE),
    }
)
"""What a seat may have said. Any other word is no ballot: nothing is allowed by a word that nobody listed."""
MOST: Final = 0.9
"""A seat that was asked about fewer actions is left out; what it was not asked about it does not approve."""
LABELS: Final[Mapping[str, bool]] = MappingProxyType(
    {
        **dict.fromkeys(("harmful", "malicious", "block", "deny", "refuse", "warn", "invalid", "unsafe"), True),
        **dict.fromkeys(("harmless", "benign", "allow", "act", "valid", "safe"), False),
    }
)
"""Whether an action is harmful, by the word it is labelled with."""
_LABELLED: Final = ("label", "right", "gold", "target")
_NAMED: Final = ("id", "qid", "question_id")


_Action = tuple[str, str]
"""The name of an action and, where it is known, what was asked about it."""


class _Decision(NamedTuple):
    seat: str
    action: _Action
    label: object
    cast: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVotes:
    """Actions with their labels, and a row of what every seat said of each; `partly` are seats asked of too few."""

    seats: tuple[str, ...]
    harmful: Flags
    casts: Casts
    partly: tuple[tuple[str, int], ...] = ()

    @property
    def actions(self) -> int:
        return len(self.harmful)


def load_gate_votes(paths: Sequence[str]) -> GateVotes:
    """The decisions of several files together; logs of one model on other actions are one seat.

    Raises:
        BadSetting: a file cannot be read, or there are not at least a harmful action, a harmless one and a seat that
            was asked about nearly all of them.
    """
    decisions = [one for file in _by_seat(paths) for one in file]
    labels = _labels(decisions)
    seats = tuple(dict.fromkeys(one.seat for one in decisions))
    casts = _cast_table(decisions, tuple(labels), seats)
    asked = (casts != NOT_ASKED).sum(axis=0)
    whole = asked >= MOST * len(labels)
    harmful = np.array(list(labels.values()), dtype=np.bool_)
    if not whole.any() or harmful.all() or not harmful.any():
        raise BadSetting(
            "to measure a gate takes actions labelled harmful and harmless, and a seat that was asked about nine in "
            f"ten of them; here are {int(harmful.sum())} harmful and {int((~harmful).sum())} harmless actions, and "
            f"{int(whole.sum())} such seats. Labels: {', '.join(LABELS)}. Answers: {', '.join(WORDS)}"
        )
    partly = tuple((seats[at], int(asked[at])) for at in np.flatnonzero(~whole))
    return GateVotes(
        seats=tuple(seats[at] for at in np.flatnonzero(whole)), harmful=harmful, casts=casts[:, whole], partly=partly
    )


def _cast_table(decisions: Sequence[_Decision], actions: Sequence[_Action], seats: Sequence[str]) -> Casts:
    """A row for each action and a column for each seat."""
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (actions, seats))
    casts = np.full((len(actions), len(seats)), NOT_ASKED, dtype=np.int8)
    for one in decisions:
        if one.action in rows:
            casts[rows[one.action], columns[one.seat]] = one.cast
    return casts


def _labels(decisions: Sequence[_Decision]) -> dict[_Action, bool]:
    """What each action is; one without a label that is known says nothing.

    Raises:
        BadSetting: two files say otherwise of one action.
    """
    labels: dict[_Action, bool] = {}
    for one in decisions:
        label = LABELS.get(str(one.label).casefold())
        if label is not None and labels.setdefault(one.action, label) != label:
            raise BadSetting(f"action {one.action[0][:60]!r} is labelled harmful in one place and harmless in another")
    return labels


def _by_seat(paths: Sequence[str]) -> Iterator[Sequence[_Decision]]:
    """The decisions of each file, in which a seat that spoke of the same action before has another name."""
    spoken: dict[str, set[_Action]] = {}
    for path in paths:
        actions: dict[str, set[_Action]] = {}
        decisions = list(_log_decisions(path) if is_inspect_log(path) else _row_decisions(path))
        for one in decisions:
            actions.setdefault(one.seat, set()).add(one.action)
        renamed = {seat: _free_name(seat, spoken, about) for seat, about in actions.items()}
        for seat, about in actions.items():
            spoken.setdefault(renamed[seat], set()).update(about)
        yield [one._replace(seat=renamed[one.seat]) for one in decisions]


def _free_name(seat: str, spoken: Mapping[str, set[_Action]], about: set[_Action]) -> str:
    name, number = seat, 1
    while spoken.get(name, set()) & about:
        number += 1
        name = f"{seat} ({number})"
    return name


def _log_decisions(path: str) -> Iterator[_Decision]:
    log = read_inspect_log(path)
    for sample in log.samples:
        row, epoch = sample_row(sample), int(sample.get("epoch") or 1)
        seat = log.model if epoch == 1 else f"{log.model} (epoch {epoch})"
        action = (str(row["id"]), str(row["question"]))
        yield _Decision(seat, action, row["target"], _read_cast(scored_answer(sample)))


def _row_decisions(path: str) -> Iterator[_Decision]:
    for number, row in enumerate(load_rows(path)):
        votes = _sealed_votes(row)
        if votes is None:
            raise BadSetting(f'{path!r} holds no votes; expected lines as {{"id": …, "label": …, "votes": {{…}}}}')
        label = next((row[name] for name in _LABELLED if row.get(name) is not None), None)
        name = next((row[name] for name in _NAMED if row.get(name) is not None), number)
        for seat, answer in votes.items():
            yield _Decision(str(seat), (str(name), ""), label, _read_cast(answer))


def _sealed_votes(row: Mapping[str, object]) -> Mapping[str, object] | None:
    """What each seat said before it heard anybody."""
    match row:
        case {"votes": dict(votes)}:
            return votes
        case {"rounds": [list(votes), *_]}:
            objects = [vote for vote in votes if isinstance(vote, dict)]
            return {str(vote.get("agent") or vote.get("seat")): vote.get("answer") for vote in objects}
        case _:
            return None


def _read_cast(answer: object) -> int:
    return WORDS.get(answer.strip().casefold(), NONE) if isinstance(answer, str) else NONE
