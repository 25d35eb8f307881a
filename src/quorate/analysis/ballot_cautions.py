"""What a reader should know about the ballots: contradicting numbers, high risk, low or implausible confidence."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from quorate.frozen import dataclass
from quorate.model import Brief, Caution, Seat, Tally, Verdict, Voice
from quorate.model.numbers import mean, percent

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
    voted = "seats" if len(voices) == len(brief.panel.voters) else "seats that voted"
    return (*each, *sure, *_about_all(voices, voted, bounds))


def _about_one(seat: Seat, voice: Voice, bounds: Bounds, boldest: str) -> Iterator[Caution]:
    if voice.risk is not None:
        yield from _about_risk(seat, voice, voice.risk, bounds, boldest)
    confidence = voice.confidence
    if voice.option == boldest and seat.sure is not None and confidence is not None and confidence < seat.sure:
        text = f"{voice.seat} chose {voice.option}, {percent(confidence)} sure; its role asks for {percent(seat.sure)}"
        yield _caution("inconsistent", voice, text)


def _about_risk(seat: Seat, voice: Voice, risk: Fraction, bounds: Bounds, boldest: str) -> Iterator[Caution]:
    if risk > bounds.high_risk:
        yield _caution("high_risk", voice, f"{voice.seat} states a risk of {percent(risk)}")
    if voice.veto and risk < bounds.veto_risk:
        text = f"{voice.seat} used its veto at a stated risk of {percent(risk)}, below {percent(bounds.veto_risk)}"
        yield _caution("veto_below_threshold", voice, text)
    if not voice.veto and risk >= bounds.veto_risk and _should_have_vetoed(seat, voice, boldest):
        yield _caution(
            "inconsistent", voice, f"{voice.seat} chose {voice.option} although it states a risk of {percent(risk)}"
        )


def _should_have_vetoed(seat: Seat, voice: Voice, boldest: str) -> bool:
    return "veto" in seat.powers or voice.option == boldest


def _thin(voice: Voice, bounds: Bounds) -> bool:
    stated = voice.confidence
    return stated is not None and stated > bounds.overconfident and len(voice.reason.split()) < THIN


def _overconfident(voice: Voice) -> Caution:
    text = f"{voice.seat} is {percent(voice.confidence or Fraction(0))} sure with little reasoning"
    return _caution("overconfident", voice, text)


def _about_all(voices: tuple[Voice, ...], voted: str, bounds: Bounds) -> Iterator[Caution]:
    sure = [voice.confidence for voice in voices if voice.confidence is not None]
    if sure and (average := mean(sure)) < bounds.low_confidence:
        yield _unsure(average)
    if len(sure) < SEVERAL or len(sure) != len(voices):
        return
    alike = len({voice.option for voice in voices}) == 1
    if alike and min(sure) > bounds.overconfident:
        yield Caution(
            name="even_consensus", text=f"all {voted} agree, each more than {percent(bounds.overconfident)} sure"
        )


def _unsure(average: Fraction) -> Caution:
    known = f"the seats are {percent(average)} sure on average"
    text = f"{known}: the question may be unclear; add context, or ask more narrowly"
    return Caution(name="low_confidence", text=text)


def advice_on(tally: Tally, verdict: Verdict) -> tuple[Caution, ...]:
    """What to do about a verdict that says less than it seems to; nothing that is said already."""
    told = {caution.name for caution in verdict.cautions}
    found = (
        *_about_voting(tally),
        *_about_sealed(tally, verdict),
        *_about_equals(tally),
        *_about_confidence(tally, verdict),
        *_about_provider(tally),
    )
    return tuple(caution for caution in found if caution.name not in told)


def _about_voting(tally: Tally) -> Iterator[Caution]:
    if not tally.stated() and tally.eligible and not tally.sides and not _cast_in_vain(tally):
        advice = "" if tally.options else ", and ask for a choice between named options"
        yield Caution(
            name="nobody_voted", text=f"nobody voted: see what each seat said, or why it said nothing{advice}"
        )
    if not tally.options and all(voice.vote is None for voice in tally.voices):  # who ranks or approves names several
        yield from _about_options(tally)


def _cast_in_vain(tally: Tally) -> bool:
    """Whether somebody gave a ballot that isn't counted: who abstains or cites no source has voted all the same."""
    return bool(tally.abstained) or any(gone.why in {"unsupported", "few_sources"} for gone in tally.silent)


def _about_equals(tally: Tally) -> Iterator[Caution]:
    """Whether several seats state the very same confidence, which people hardly ever do."""
    sure = [voice.confidence for voice in tally.stated()]
    if len(sure) < SEVERAL or sure[0] is None or len(set(sure)) > 1 or tally.sides:
        return
    voted = "seats" if len(sure) == len(tally.eligible) else "seats that voted"
    yield Caution(name="equal_confidences", text=f"all {len(sure)} {voted} are equally sure: {percent(sure[0])}")


def _about_sealed(tally: Tally, verdict: Verdict) -> Iterator[Caution]:
    """Whether the talk turned what most seats had sealed; in a tribunal a rule of its own holds an ACT back."""
    sealed = tally.sealed
    if sealed is None or not verdict.decided or any(voice.value is not None for voice in tally.voices):
        return
    seats, leaders = len(tally.eligible), sealed.leaders
    heads = sealed.heads(leaders[0]) if len(leaders) == 1 else 0
    if 2 * heads > seats and leaders[0] != verdict.outcome:
        before = f"{heads} of {seats} seat{'s' * (seats > 1)} had sealed {leaders[0]!r} before the discussion"
        yield Caution(name="sealed_differs", text=f"{before}, and the outcome is {verdict.outcome!r}")


def _about_options(tally: Tally) -> Iterator[Caution]:
    seats, named = len(tally.eligible), len(tally.listed) or len(tally.cast)
    each_its_own = named == len(tally.stated()) == seats
    if seats >= SEVERAL and (named > seats or each_its_own):
        text = f"{named} options for {seats} seats: each may get one vote; offer fewer, or add seats"
        yield Caution(name="many_options", text=text)


def _about_confidence(tally: Tally, verdict: Verdict) -> Iterator[Caution]:
    behind, against = _confidences(tally, verdict)
    every = (*behind, *against)
    if not every or tally.sides:
        return
    if (average := mean(every)) < MODERATE:
        yield _unsure(average)
    if verdict.decided:
        yield from _about_agreement(tally, behind)
        yield from _about_sides(behind, against)


def _confidences(tally: Tally, verdict: Verdict) -> tuple[list[Fraction], list[Fraction]]:
    """How sure those are who stand behind the outcome, and those who do not."""
    stated = [(voice.seat in verdict.dissent, voice.confidence) for voice in tally.stated()]
    behind, against = (
        [sure for side, sure in stated if side is dissents and sure is not None] for dissents in (False, True)
    )
    return behind, against


def _about_agreement(tally: Tally, behind: Sequence[Fraction]) -> Iterator[Caution]:
    voted = len(tally.stated())
    if 1 < voted == len(behind) and max(behind) < WEAK:
        who = "all" if voted == len(tally.eligible) else "all who voted"
        least = "it may be the least bad choice; ask again with more context"
        yield Caution(name="weak_consensus", text=f"{who} agree and none is {percent(WEAK)} sure: {least}")


def _about_sides(behind: Sequence[Fraction], against: Sequence[Fraction]) -> Iterator[Caution]:
    if 0 < len(against) < len(behind) and mean(against) > mean(behind):
        surer = f"surer ({percent(mean(against))}) than those for it ({percent(mean(behind))})"
        yield Caution(name="surer_minority", text=f"those against it are {surer}: read their reasons")


def _about_provider(tally: Tally) -> Iterator[Caution]:
    behind = {domain for _, domain in tally.domains}
    if len(tally.domains) > 1 and len(behind) == 1 and tally.stated() and not tally.demo:
        text = (
            "all seats are answered by one provider, so they may err together; give some seats another provider's model"
        )
        yield Caution(name="one_provider", text=text)


HIGH: Final = Fraction(4, 5)
MODERATE: Final = Fraction(3, 5)
WEAK: Final = Fraction(7, 10)


def confidence_band(sure: Fraction) -> str:
    """What a confidence is called: high from 80 %, moderate from 60 %, low below."""
    return "high" if sure >= HIGH else "moderate" if sure >= MODERATE else "low"


def _caution(name: str, voice: Voice, text: str) -> Caution:
    return Caution(name=name, seat=voice.seat, text=text)
