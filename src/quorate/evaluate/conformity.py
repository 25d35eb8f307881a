"""What talking did to votes: who moved, towards whom, whether agreement was hollow, and whether it helped."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from quorate.evaluate.voted_question import VotedQuestion, plurality
from quorate.frozen import dataclass

__all__ = ["Conformity", "Move", "conformity_lines", "measure_conformity"]

SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How often one seat ended where another had stood before it was heard."""

    mover: str
    moved: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformity:
    """First votes beside last votes, over every question that has both.

    An agreement is hollow if all who voted at last agree, and no more than half of them had thought so before.
    """

    questions: int
    votes: int
    changed: int
    towards_most: int
    """Votes that changed to what most seats had chosen first."""
    moves: tuple[Move, ...]
    unanimous: int
    hollow: int
    labelled: int
    wrong_to_right: int
    right_to_wrong: int
    verdicts_to_right: int
    """Labelled questions on which the most votes were wrong at first and right at last."""
    verdicts_to_wrong: int

    def document(self) -> dict[str, object]:
        return asdict(self)


def measure_conformity(questions: Sequence[VotedQuestion]) -> Conformity | None:
    """Everything about votes that were cast twice; none where there were none."""
    both = [one for one in questions if _seats(one)]
    if not both:
        return None
    known = [one for one in both if one.right is not None]
    turns = Counter(turn for one in known for turn in _turns(one))
    verdicts = Counter((_is_right(one, one.votes), _is_right(one, one.later)) for one in known)
    changed = list(_changed(both))
    united = list(filter(_is_united, both))
    return Conformity(
        questions=len(both),
        votes=sum(len(_seats(one)) for one in both),
        changed=len(changed),
        towards_most=sum(plurality(one.votes) == (one.later[seat],) for one, seat in changed),
        moves=tuple(_moves(changed)),
        unanimous=len(united),
        hollow=sum(map(_is_hollow, united)),
        labelled=len(known),
        wrong_to_right=turns[False, True],
        right_to_wrong=turns[True, False],
        verdicts_to_right=verdicts[False, True],
        verdicts_to_wrong=verdicts[True, False],
    )


def _changed(both: Sequence[VotedQuestion]) -> Iterator[tuple[VotedQuestion, str]]:
    for one in both:
        for seat in _seats(one):
            if one.later[seat] != one.votes[seat]:
                yield one, seat


def _is_united(one: VotedQuestion) -> bool:
    return len(one.later) > 1 and len(set(one.later.values())) == 1


def _seats(one: VotedQuestion) -> list[str]:
    return [seat for seat in one.later if seat in one.votes]


def _turns(one: VotedQuestion) -> Iterator[tuple[bool, bool]]:
    for seat in _seats(one):
        yield one.votes[seat] == one.right, one.later[seat] == one.right


def _is_right(one: VotedQuestion, votes: Mapping[str, str]) -> bool:
    return plurality(votes) == (one.right,)


def _is_hollow(one: VotedQuestion) -> bool:
    held = [one.votes.get(seat) == vote for seat, vote in one.later.items()]
    return 2 * sum(held) <= len(held)


def _moves(changed: Sequence[tuple[VotedQuestion, str]]) -> Iterator[Move]:
    """Who stood first where somebody else ended, if that one had heard them."""
    pairs: Counter[tuple[str, str]] = Counter()
    for one, seat in changed:
        heard = one.heard.get(seat, tuple(one.votes))
        pairs.update((mover, seat) for mover in heard if mover != seat and one.votes.get(mover) == one.later[seat])
    for (mover, moved), times in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        yield Move(mover=mover, moved=moved, times=times)


def conformity_lines(found: Conformity) -> Iterator[str]:
    """The same for a person."""
    share = f"{found.changed} of {found.votes} votes changed in the discussion"
    if not found.changed:
        yield share
        return
    yield f"{share}, {found.towards_most} of them to what most seats had chosen first"
    for move in found.moves[:SHOWN]:
        yield f"{move.moved} ended where {move.mover} had stood {_times(move.times)}"
    if found.unanimous:
        hollow = f"{found.hollow} of them hollow: on an answer that no more than half of these had chosen before"
        held = "discussion" if found.questions == 1 else "discussions"
        yield f"{found.unanimous} of {found.questions} {held} ended in agreement of all who voted at last, {hollow}"
    if found.labelled:
        right = f"{found.wrong_to_right} {'vote' if found.wrong_to_right == 1 else 'votes'} turned from wrong to right"
        votes = f"{right}, {found.right_to_wrong} from right to wrong"
        yield f"of {found.labelled} with a known answer: {votes}"
        most = f"the leading answer turned right {_times(found.verdicts_to_right)}"
        yield f"{most} and wrong {_times(found.verdicts_to_wrong)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
