"""A dataset put to a live panel: its rows as questions of a batch, and the records of the answers as votes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from quorate.engine.batches.question_lines import LineError, QuestionLine
from quorate.errors import BadSetting
from quorate.evaluate.datasets import load_rows
from quorate.evaluate.inspect_logs import LETTERS
from quorate.evaluate.past_decisions import recorded_votes
from quorate.evaluate.voted_question import SeatNames, VotedQuestion
from quorate.frozen import dataclass
from quorate.ledger import Ledger
from quorate.model import Question, Spoken

__all__ = ["LabelledLine", "SeatCost", "labelled_lines", "seat_costs", "votes_of"]

_ID: Final = ("key", "id", "qid", "question_id", "row_idx")
_QUESTION: Final = ("question", "input", "prompt", "text", "problem")
_RIGHT: Final = ("right", "gold", "label", "target", "answer", "answerKey")
_OPTIONS: Final = ("options", "choices")
LAYOUT: Final = (
    'a row has "question" (or input, prompt, problem), "options" or "choices", and "right" (gold, answer, …)'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLine:
    """A question of a dataset and its right answer, in the words in which a panel would give it."""

    line: QuestionLine
    right: str | None


def labelled_lines(path: str) -> tuple[LabelledLine, ...]:
    """Every question of a dataset.

    Raises:
        BadSetting: it cannot be read, or holds no question.
    """
    found = tuple(_labelled(number, row) for number, row in enumerate(load_rows(path), 1))
    if not any(one.line.question for one in found):
        raise BadSetting(f"no question in {path!r}; {LAYOUT}")
    return found


def _labelled(number: int, row: Mapping[str, object]) -> LabelledLine:
    text = next((row[name] for name in _QUESTION if isinstance(row.get(name), str) and row[name]), None)
    named, options = _options(row)
    key = next((str(row[name]) for name in _ID if row.get(name) not in (None, "")), f"line {number}")
    if not isinstance(text, str) or not text.strip():
        error = LineError(kind="blank", message=f"no question; {LAYOUT}")
        return LabelledLine(line=QuestionLine(number=number, key=key, error=error), right=None)
    right = next((row[name] for name in _RIGHT if row.get(name) not in (None, "")), None)
    question = Question(text=text, options=options)
    line = QuestionLine(number=number, key=key, question=question)
    return LabelledLine(line=line, right=_in_words(right, named, options))


def _options(row: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a list and its texts: letters where it has no names of its own."""
    for name in _OPTIONS:
        match row.get(name):
            case {"label": list(labels), "text": list(texts)}:
                return tuple(map(str, labels)), tuple(map(str, texts))
            case dict() as lettered if lettered:
                return tuple(map(str, lettered)), tuple(map(str, lettered.values()))
            case list() as listed if listed:
                return tuple(LETTERS[: len(listed)]), tuple(map(str, listed))
            case str() as written if "|" in written:
                parts = tuple(part.strip() for part in written.split("|"))
                return tuple(LETTERS[: len(parts)]), parts
            case _:
                pass
    return (), ()


def _in_words(right: object, names: Sequence[str], options: Sequence[str]) -> str | None:
    """The right answer as an option; a letter or a place in the list may stand for it."""
    if right is None:
        return None
    text = " ".join(str(right).split())
    if text in options:
        return text
    if text in names:
        return options[names.index(text)]
    if isinstance(right, int) and not isinstance(right, bool) and right in range(len(options)):
        return options[right]
    return text


async def votes_of(
    ledger: Ledger, ids: Mapping[str, str], lines: Sequence[LabelledLine], names: SeatNames
) -> "tuple[tuple[VotedQuestion, ...], tuple[SeatCost, ...]]":
    """What the records of a batch hold, by the keys of its lines: votes with right answers, and what seats cost."""
    voted, costs = list[VotedQuestion](), dict[str, SeatCost]()
    for one in lines:
        id_ = ids.get(one.line.key)
        if id_ is None:
            continue
        events = [entry.event for entry in await ledger.read(id_)]
        found = recorded_votes(one.line.key, events, names)
        if found is not None and found.votes:
            voted.append(replace(found, right=one.right, listed=len(_listed(one)) or found.listed))
            seat_costs(events, costs)
    return tuple(voted), tuple(costs[seat] for seat in sorted(costs))


def _listed(one: LabelledLine) -> tuple[str, ...]:
    return one.line.question.options if one.line.question else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCost:
    """What a seat has cost over a dataset: tokens and money, as far as replies told.

    `untold` replies did not tell their tokens, `unpriced` ones not their price.
    """

    seat: str
    model: str = ""
    replies: int = 0
    tokens: int = 0
    money: float = 0.0
    untold: int = 0
    unpriced: int = 0


def seat_costs(events: Sequence[object], costs: dict[str, SeatCost]) -> None:
    """Add what the replies of one record cost to what each seat has cost before."""
    for event in events:
        if not isinstance(event, Spoken):
            continue
        used, before = event.reply.usage.credible, costs.get(event.seat) or SeatCost(seat=event.seat)
        costs[event.seat] = replace(
            before,
            model=event.reply.model or before.model,
            replies=before.replies + 1,
            tokens=before.tokens + (used.tokens or 0),
            money=before.money + float(used.money or 0),
            untold=before.untold + (used.tokens is None),
            unpriced=before.unpriced + (used.money is None),
        )
