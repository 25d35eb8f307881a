"""Each seat's latest estimate, carried if it is silent later, with the median and how far all of them lie apart."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.conference_course import count_rounds
from quorate.analysis.delphi_course import USUAL, DelphiSettings, delphi_stop, latest_estimates, spread_after
from quorate.model import Brief, Caution, Change, Course, Heard, Seat, Silence, Tally, Voice
from quorate.model.ballot import NOT_ASKED, Estimate
from quorate.model.numbers import decimal
from quorate.model.specs import CountSpec


def count(brief: Brief, heard: Heard, outcomes: tuple[str, ...], *, terms: DelphiSettings = USUAL) -> Tally:
    """Count what each seat estimates after the last round that was held."""
    last = count_rounds(heard)
    now, sealed = (_counted(brief, heard, outcomes, upto) for upto in (last, min(last, 1)))
    stop = delphi_stop(heard, last, terms) if last else None
    return replace(
        now,
        course=Course(rounds=tuple(str(number) for number in range(1, last + 1)), stop=stop or "complete"),
        sealed=sealed,
        changes=tuple(_changes(heard, sealed, now)),
        cautions=tuple(_cautions(now)),
    )


def _counted(brief: Brief, heard: Heard, outcomes: tuple[str, ...], last: int) -> Tally:
    estimates = latest_estimates(heard, last)
    cast = {one.seat for one in estimates}
    return Tally(
        eligible=tuple(seat.name for seat in brief.panel.voters),
        options=outcomes,
        voices=tuple(
            Voice(
                seat=one.seat,
                option=decimal(one.estimate.value),
                weight=brief.panel.seat(one.seat).weight,
                confidence=one.ballot.confidence,
                reason=one.ballot.rationale,
                carried_from=str(one.round) if one.round < last else "",
                value=one.estimate.value,
                vote=one.estimate,
            )
            for one in estimates
        ),
        silent=tuple(_silence(heard, seat, last) for seat in brief.panel.voters if seat.name not in cast),
        demo=brief.panel.demo,
        figures=tuple(_figures(heard, last)),
    )


def _figures(heard: Heard, last: int) -> Iterator[tuple[str, Fraction]]:
    spread = spread_after(heard, last)
    if spread is not None:
        yield "median", spread.median
        yield "lowest", spread.lowest
        yield "highest", spread.highest
        yield "lower_quartile", spread.lower_quartile
        yield "upper_quartile", spread.upper_quartile
        yield "interquartile_range", spread.interquartile_range


def _silence(heard: Heard, seat: Seat, last: int) -> Silence:
    known = heard.silence(str(last), seat) if last else None
    return known or Silence(seat=seat.name, why=NOT_ASKED)


def _changes(heard: Heard, sealed: Tally, now: Tally) -> Iterator[Change]:
    """Who ended at another number; everybody had been shown what all who answered first had said, without names."""
    before = {voice.seat: voice for voice in sealed.voices}
    for voice in now.voices:
        was = before.get(voice.seat)
        if was is not None and was.value != voice.value:
            others = tuple(seat.name for seat in heard.speakers("1") if seat.name != voice.seat)
            yield Change(seat=voice.seat, was=was.choice, now=voice.choice, heard=others)


def _cautions(tally: Tally) -> Iterator[Caution]:
    for voice in tally.voices:
        if voice.carried_from:
            text = f"{voice.seat} was silent in the last round; its estimate from round {voice.carried_from} counts"
            yield Caution(name="carried", seat=voice.seat, text=text)


SPEC: Final = CountSpec(count=count, votes=(Estimate,))
