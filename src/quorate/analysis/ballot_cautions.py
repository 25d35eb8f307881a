"""What a reader should know about the ballots: contradicting numbers, high risk, low or implausible confidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from quorate.model import Brief, Caution, Seat, Voice
from quorate.model.numbers import percent

THIN: Final = 12
COMPLEX: Final = 12
SEVERAL: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """From where on a number is worth a caution."""

    veto_risk: Fraction = Fraction(1, 2)
    high_risk: Fraction = Fraction(3, 4)
    low_confidence: Fraction = Fraction(3, 5)
    overconfident: Fraction = Fraction(19, 20)


USUAL: Final = Bounds()
"""As they are when nobody says otherwise."""


def cautions_on(brief: Brief, voices: tuple[Voice, ...], boldest: str, bounds: Bounds) -> tuple[Caution, ...]:
    """Every caution the stated voices give rise to, in seat order, then those about all of them."""
    seats = {seat.name: seat for seat in brief.panel}
    each = (caution for voice in voices for caution in _about_one(seats[voice.seat], voice, bounds, boldest))
    long = len(brief.question.text.split()) >= COMPLEX or bool(brief.question.context)
    sure = (_overconfident(voice) for voice in voices if long and _thin(voice, bounds))
    return (*each, *sure, *_about_all(voices, bounds))


def _about_one(seat: Seat, voice: Voice, bounds: Bounds, boldest: str) -> Iterator[Caution]:
    if voice.risk is not None:
        yield from _about_risk(seat, voice, voice.risk, bounds, boldest)
    confidence = voice.confidence
    if voice.option == boldest and seat.sure is not None and confidence is not None and confidence < seat.sure:
        text = f"{voice.seat} chose {voice.option} at {percent(confidence)}; its role asks for {percent(seat.sure)}"
        yield _caution("inconsistent", voice, text)


def _about_risk(seat: Seat, voice: Voice, risk: Fraction, bounds: Bounds, boldest: str) -> Iterator[Caution]:
    if risk > bounds.high_risk:
        yield _caution("high_risk", voice, f"{voice.seat} states a risk of {percent(risk)}")
    if voice.veto and risk < bounds.veto_risk:
        text = f"{voice.seat} used its veto at a stated risk of {percent(risk)}, below {percent(bounds.veto_risk)}"
        yield _caution("veto_below_threshold", voice, text)
    if not voice.veto and risk >= bounds.veto_risk and _should_have_vetoed(seat, voice, boldest):
        yield _caution("inconsistent", voice, f"{voice.seat} chose {voice.option} at a stated risk of {percent(risk)}")


def _should_have_vetoed(seat: Seat, voice: Voice, boldest: str) -> bool:
    return "veto" in seat.powers or voice.option == boldest


def _thin(voice: Voice, bounds: Bounds) -> bool:
    stated = voice.confidence
    return stated is not None and stated > bounds.overconfident and len(voice.reason.split()) < THIN


def _overconfident(voice: Voice) -> Caution:
    text = f"{voice.seat} is {percent(voice.confidence or Fraction(0))} sure with little reasoning"
    return _caution("overconfident", voice, text)


def _about_all(voices: tuple[Voice, ...], bounds: Bounds) -> Iterator[Caution]:
    sure = [voice.confidence for voice in voices if voice.confidence is not None]
    if sure and (mean := sum(sure, Fraction(0)) / len(sure)) < bounds.low_confidence:
        yield Caution(name="low_confidence", text=f"the seats are {percent(mean)} sure on average")
    if len(sure) < SEVERAL or len(sure) != len(voices):
        return
    if len(set(sure)) == 1:
        yield Caution(name="equal_confidences", text=f"all {len(sure)} seats state exactly {percent(sure[0])}")
    alike = len({voice.option for voice in voices}) == 1
    if alike and min(sure) > bounds.overconfident:
        yield Caution(
            name="even_consensus", text=f"all seats agree, each more than {percent(bounds.overconfident)} sure"
        )


def _caution(name: str, voice: Voice, text: str) -> Caution:
    return Caution(name=name, seat=voice.seat, text=text)
