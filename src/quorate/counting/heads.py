"""One seat, one vote: each seat's ballot of the last round, with the sealed ballots of the first beside it."""

from typing import Final

from quorate.analysis.ballot_cautions import USUAL, Bounds, cautions_on
from quorate.analysis.sealed_agreement import Debate, agree_at_once
from quorate.model import Ballot, Brief, Caution, Change, Course, Heard, Seat, Silence, Speech, Tally, Voice
from quorate.model.ballot import NOT_ASKED
from quorate.model.specs import CountSpec


def count(  # noqa: PLR0913 - each is a setting of its own
    brief: Brief,
    heard: Heard,
    outcomes: tuple[str, ...],
    *,
    final: str,
    confirmed: str = "",
    sealed: str = "",
    debate: Debate = "always",
    bounds: Bounds = USUAL,
) -> Tally:
    """Count the final ballots; `confirmed` is the round that repeats them, when it was held.

    With `debate` when_split the sealed ballots are final if they agree and are sure; with never they always are.
    """
    agreed = debate == "when_split" and agree_at_once(brief.panel, heard, sealed)
    rounds = {place[0] for place in heard.words}
    last = confirmed if confirmed in rounds else final
    # Ballots from a file are final ones, whatever the panel would have asked for.
    if agreed or (debate == "never" and last not in rounds):
        last = sealed
    tally = _counted(brief, heard, outcomes, last, sealed)
    before = _counted(brief, heard, outcomes, sealed, "") if sealed else None
    return Tally(
        eligible=tally.eligible,
        options=outcomes,
        voices=tally.voices,
        silent=tally.silent,
        abstained=tally.abstained,
        guardians=tally.guardians,
        course=Course(rounds=(sealed,), stop="agreed", why=AGREED) if agreed else _course(heard, last, tally),
        sealed=before,
        changes=_changes(heard, before, tally) if before else (),
        cautions=(*tally.cautions, *cautions_on(brief, tally.voices, outcomes[0], bounds)),
        demo=brief.panel.demo,
    )


def _counted(brief: Brief, heard: Heard, outcomes: tuple[str, ...], last: str, first: str) -> Tally:
    voices: list[Voice] = []
    silent: list[Silence] = []
    abstained: list[str] = []
    cautions: list[Caution] = []
    for seat in brief.panel.voters:
        ballot = _last_word(heard, seat, last, first)
        if ballot is None:
            silent.append(_silence(heard, seat))
        elif ballot.abstain:
            abstained.append(seat.name)
        else:
            voices.append(_voice(seat, ballot))
            cautions += _scale(heard, seat, last)
            if ballot.veto and "veto" not in seat.powers:
                cautions.append(_powerless(seat))
    return Tally(
        eligible=tuple(seat.name for seat in brief.panel.voters),
        options=outcomes,
        voices=tuple(voices),
        silent=tuple(silent),
        abstained=tuple(abstained),
        guardians=tuple(seat.name for seat in brief.panel if "veto" in seat.powers),
        cautions=tuple(cautions),
        demo=brief.panel.demo,
    )


def _last_word(heard: Heard, seat: Seat, last: str, first: str) -> Ballot | None:
    """The seat's final ballot; a veto that ended the deliberation before the final round is final too."""
    ballot = heard.ballot(last, seat)
    if ballot is None and first and not heard.settled(last, seat):
        opening = heard.ballot(first, seat)
        return opening if opening and opening.veto and "veto" in seat.powers else None
    return ballot


def _silence(heard: Heard, seat: Seat) -> Silence:
    """Why it fell silent, in whichever round: who is silent once is not asked for a later ballot."""
    own = [words for place, words in heard.words.items() if place[1:] == (seat.name, "")]
    known = [words for words in own if isinstance(words, Silence)]
    return known[-1] if known else Silence(seat=seat.name, why=NOT_ASKED)


def _voice(seat: Seat, ballot: Ballot) -> Voice:
    return Voice(
        seat=seat.name,
        option=ballot.choice,
        weight=seat.weight,
        confidence=ballot.confidence,
        risk=ballot.risk,
        reason=ballot.rationale,
        conditions=ballot.conditions,
        veto=ballot.veto and "veto" in seat.powers,
        evidence=len(ballot.evidence),
    )


def _course(heard: Heard, last: str, tally: Tally) -> Course:
    rounds = tuple(dict.fromkeys(place[0] for place in heard.words))
    stopped = any(not heard.settled(last, heard.panel.seat(voice.seat)) for voice in tally.vetoes)
    return Course(rounds=rounds, stop="veto" if stopped else "complete")


def _changes(heard: Heard, before: Tally, now: Tally) -> tuple[Change, ...]:
    sealed = {voice.seat: _word(voice) for voice in before.voices}
    return tuple(
        Change(seat=voice.seat, was=sealed[voice.seat], now=_word(voice), heard=_heard_by(heard, voice.seat))
        for voice in now.voices
        if voice.seat in sealed and sealed[voice.seat] != _word(voice)
    )


def _word(voice: Voice) -> str:
    return "VETO" if voice.veto else voice.option


def _heard_by(heard: Heard, seat: str) -> tuple[str, ...]:
    """Whose words about this seat it was shown, in seat order."""
    spoke = {place[1] for place, said in heard.words.items() if place[2] == seat and isinstance(said, Speech)}
    return tuple(other.name for other in heard.panel if other.name in spoke)


def _scale(heard: Heard, seat: Seat, last: str) -> list[Caution]:
    speech = heard.speech(last, seat)
    if speech is None or "scale" not in speech.cautions:
        return []
    return [Caution(name="scale", seat=seat.name, text="a number between 0 and 1 was read as a share, 0.85 as 85 %")]


def _powerless(seat: Seat) -> Caution:
    text = f"{seat.name} cast a veto without having that right; it counts as the most cautious vote"
    return Caution(name="veto_without_power", seat=seat.name, text=text)


AGREED: Final = "no challenge round was held, because all seats agreed at once and were sure"

SPEC: Final = CountSpec(count=count)
