"""Rulebooks that ship, applied to votes that were recorded elsewhere: by the same rules that decide a deliberation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from quorate import catalogue
from quorate.errors import BadSetting, UnknownName
from quorate.evaluate.voted_question import VotedQuestion
from quorate.model import Change, Course, Rulebook, Silence, Tally, Verdict, Voice
from quorate.presets import rulebooks
from quorate.rules import apply_rulebook

__all__ = ["apply_to_votes", "books_for", "chosen_option", "voting_rulebook"]

OPEN: Final = ("conference", "oracle")
"""Protocols whose rulebooks decide on one vote a seat, for an option of any name."""
TRIBUNAL: Final = "tribunal"


def books_for(questions: Sequence[VotedQuestion]) -> tuple[Rulebook, ...]:
    """Every rulebook that can decide on such votes. The tribunal's is one of them where all votes are its outcomes.

    Its strict one asks for a stated risk, and approvals, rankings, estimates and debates are other votes than these.
    """
    books = _open_books()
    tribunal = catalogue.protocol(TRIBUNAL)
    voted = {vote for one in questions for side in (one.votes, one.later) for vote in side.values()}
    return (*books, tribunal.rulebook) if voted and voted <= set(tribunal.outcomes) else books


def voting_rulebook(name: str) -> Rulebook:
    """A rulebook by its name, if it decides on one vote a seat.

    Raises:
        UnknownName: none of that name.
        BadSetting: it needs other votes.
    """
    known = {book.name: book for book in (*_open_books(), catalogue.protocol(TRIBUNAL).rulebook)}
    if name in known:
        return known[name]
    if name not in rulebooks():
        raise UnknownName("rulebook", name, known)
    raise BadSetting(f"rulebook {name!r} needs more than one option a seat; those that do not: {', '.join(known)}")


def _open_books() -> tuple[Rulebook, ...]:
    return tuple(book for name in OPEN for book in catalogue.protocol(name).books)


def apply_to_votes(question: VotedQuestion, eligible: Sequence[str], book: Rulebook) -> Verdict:
    """What a rulebook decides on the votes of a question; who is eligible and did not vote is silent."""
    return apply_rulebook(_tally(question, tuple(eligible)), book)


def chosen_option(question: VotedQuestion, verdict: Verdict) -> str | None:
    """The option that was decided on, if somebody voted for it: a rulebook's own word for failure is no answer."""
    voted = {*question.votes.values(), *question.later.values()}
    return verdict.outcome if verdict.decided and verdict.outcome in voted else None


def _tally(question: VotedQuestion, eligible: tuple[str, ...]) -> Tally:
    last = question.later or question.votes
    listed = tuple(f"{number}" for number in range(question.listed or 0))
    first = Tally(eligible=eligible, options=(), voices=_voices(question.votes, eligible), listed=listed)
    return replace(
        first,
        voices=_voices(last, eligible),
        silent=tuple(Silence(seat=seat, why="no_vote") for seat in eligible if seat not in last),
        sealed=first,
        changes=tuple(_moved(question)),
        course=Course(rounds=("first", "last") if question.later else ("first",)),
    )


def _moved(question: VotedQuestion) -> Iterator[Change]:
    for seat, now in sorted(question.later.items()):
        was = question.votes.get(seat, now)
        if was != now:
            yield Change(seat=seat, was=was, now=now)


def _voices(votes: Mapping[str, str], seats: Sequence[str]) -> tuple[Voice, ...]:
    return tuple(Voice(seat=seat, option=votes[seat]) for seat in seats if seat in votes)
