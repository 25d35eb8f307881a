"""One seat, one approval: every option counts once for each seat that approves of it, however many others it does."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from quorate.model import Ballot, Brief, Course, Heard, Silence, Tally, Voice
from quorate.model.ballot import NOT_ASKED, Approval
from quorate.model.panel import Seat
from quorate.model.specs import CountSpec
from quorate.reading.text.listed_options import plain_option


def count(brief: Brief, heard: Heard, outcomes: tuple[str, ...], *, final: str = "1") -> Tally:
    """Count the approvals of the last round; who approves of nothing has voted all the same."""
    cast = {seat: ballot for seat in brief.panel.voters if (ballot := _approval(heard, seat, final)) is not None}
    names = _names(cast.values())
    return Tally(
        eligible=tuple(seat.name for seat in brief.panel.voters),
        options=outcomes,
        voices=tuple(_voice(seat, ballot, names) for seat, ballot in cast.items() if not ballot.abstain),
        silent=tuple(_silences(brief, heard, final, tuple(cast))),
        abstained=tuple(seat.name for seat, ballot in cast.items() if ballot.abstain),
        course=Course(rounds=tuple(dict.fromkeys(place[0] for place in heard.words))),
        demo=brief.panel.demo,
    )


def _approval(heard: Heard, seat: Seat, final: str) -> Ballot | None:
    ballot = heard.ballot(final, seat)
    return ballot if ballot is not None and isinstance(ballot.vote, Approval) else None


def _names(ballots: Iterable[Ballot]) -> dict[str, str]:
    """Every option by its plain words, as it was first written: without a list, seats write one in several ways."""
    names: dict[str, str] = {}
    for option in (option for ballot in ballots for option in _approved(ballot)):
        names.setdefault(plain_option(option), option)
    return names


def _approved(ballot: Ballot) -> tuple[str, ...]:
    return ballot.vote.approved if isinstance(ballot.vote, Approval) else ()


def _voice(seat: Seat, ballot: Ballot, names: Mapping[str, str]) -> Voice:
    vote = Approval(tuple(dict.fromkeys(names[plain_option(option)] for option in _approved(ballot))))
    return Voice(
        seat=seat.name,
        option=str(vote),
        weight=seat.weight,
        confidence=ballot.confidence,
        reason=ballot.rationale,
        vote=vote,
    )


def _silences(brief: Brief, heard: Heard, final: str, cast: tuple[Seat, ...]) -> Iterator[Silence]:
    for seat in brief.panel.voters:
        if seat not in cast:
            yield heard.silence(final, seat) or Silence(seat=seat.name, why=NOT_ASKED)


SPEC: Final = CountSpec(count=count, votes=(Approval,))
