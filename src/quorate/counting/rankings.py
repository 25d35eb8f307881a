"""Each seat's latest ranking, complete over all options; those it leaves out come last, together."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from quorate.analysis.conference_course import LatestVote, count_rounds, latest
from quorate.analysis.ranked_choice import Order, complete_order
from quorate.model import Brief, Caution, Change, Course, Heard, Ranking, Seat, Silence, Tally, Voice
from quorate.model.specs import CountSpec
from quorate.reading.text.listed_options import plain_option


def count(brief: Brief, heard: Heard, outcomes: tuple[str, ...]) -> Tally:
    """Count what each seat holds after the last round that was held, over every option that somebody ranked."""
    last = count_rounds(heard)
    options = _options(heard, last)
    tally = _counted(brief, heard, outcomes, options, last)
    sealed = replace(_counted(brief, heard, outcomes, options, min(1, last)), cautions=())
    return replace(
        tally,
        course=Course(rounds=tuple(str(number) for number in range(1, last + 1))),
        sealed=sealed,
        changes=tuple(_changes(heard, sealed, tally)),
    )


def _options(heard: Heard, last: int) -> dict[str, str]:
    """Every option by its plain words, as it was first written. A ballot over a list holds the whole list."""
    orders = (_order(vote) for number in range(last, 0, -1) for vote in latest(heard, number))
    names: dict[str, str] = {}
    for option in (option for order in orders for place in order for option in place):
        names.setdefault(plain_option(option), option)
    return names


def _order(vote: LatestVote) -> Order:
    return vote.ballot.vote.ranking if isinstance(vote.ballot.vote, Ranking) else ()


def _counted(brief: Brief, heard: Heard, outcomes: tuple[str, ...], options: dict[str, str], last: int) -> Tally:
    votes = {vote.seat: vote for vote in latest(heard, last)}
    voters = brief.panel.voters
    voices = tuple(
        _voice(seat, votes[seat.name], options, last)
        for seat in voters
        if seat.name in votes and not votes[seat.name].ballot.abstain
    )
    return Tally(
        eligible=tuple(seat.name for seat in voters),
        options=outcomes,
        voices=voices,
        silent=tuple(_silence(heard, seat, last) for seat in voters if seat.name not in votes),
        abstained=tuple(seat.name for seat in voters if seat.name in votes and votes[seat.name].ballot.abstain),
        cautions=tuple(_carried(voices)),
        demo=brief.panel.demo,
    )


def _voice(seat: Seat, vote: LatestVote, options: dict[str, str], last: int) -> Voice:
    """A head is counted only for an option that stands first alone."""
    named = tuple(tuple(options.get(plain_option(one), one) for one in place) for place in _order(vote))
    order = complete_order(named, options.values())
    first = order[0] if order else ()
    return Voice(
        seat=seat.name,
        option=first[0] if len(first) == 1 else "",
        weight=seat.weight,
        confidence=vote.ballot.confidence,
        reason=vote.ballot.rationale,
        carried_from=str(vote.round) if vote.round < last else "",
        vote=Ranking(order),
    )


def _changes(heard: Heard, sealed: Tally, now: Tally) -> Iterator[Change]:
    before = {voice.seat: voice for voice in sealed.voices}
    for voice in now.voices:
        was = before.get(voice.seat)
        if was is not None and _plainly(was) != _plainly(voice):
            others = (seat.name for seat in heard.panel.voters if heard.speech("1", seat) and seat.name != voice.seat)
            yield Change(seat=voice.seat, was=was.choice, now=voice.choice, heard=tuple(others))


def _plainly(voice: Voice) -> list[frozenset[str]]:
    """The order without the order in which equals were written."""
    return [frozenset(place) for place in voice.vote.ranking] if isinstance(voice.vote, Ranking) else []


def _silence(heard: Heard, seat: Seat, last: int) -> Silence:
    known = heard.silence(str(last), seat) if last else None
    spoke = heard.speech(str(last), seat) if last else None
    return known or Silence(seat=seat.name, why=spoke.cautions[0] if spoke and spoke.cautions else "no_ballot")


def _carried(voices: tuple[Voice, ...]) -> Iterator[Caution]:
    for voice in voices:
        if voice.carried_from:
            text = f"{voice.seat} was silent in the last round; its ranking from round {voice.carried_from} counts"
            yield Caution(name="carried", seat=voice.seat, text=text)


SPEC: Final = CountSpec(count=count, votes=(Ranking,))
