"""What a review may say of a verdict; asked before one is written, and again when a record is checked."""

from quorate import catalogue, chair
from quorate.errors import BadSetting
from quorate.model import Tally, Verdict
from quorate.model.ballot import Estimate
from quorate.model.numbers import decimal

__all__ = ["possible_outcomes", "reviewed_outcome"]


def possible_outcomes(state: chair.State) -> tuple[str, ...]:
    """What a review may say: the protocol's outcomes, and the options or numbers that were given, voted for or met."""
    closed = catalogue.protocol(state.convened.protocol).outcomes
    tally = chair.tally_of(state)
    voted = (option for voice in tally.voices for option in voice.choices)
    named = (*closed, *state.brief.question.options, *tally.options, *voted, *_median(tally))
    return tuple(filter(None, dict.fromkeys(named)))


def _median(tally: Tally) -> tuple[str, ...]:
    """Where numbers were estimated, what lies in their middle, though no seat may have named it."""
    median = tally.figure("median")
    estimated = any(isinstance(voice.vote, Estimate) for voice in tally.voices)
    return (decimal(median),) if median is not None and estimated else ()


def reviewed_outcome(state: chair.State, verdict: Verdict, written: str) -> str:
    """The outcome as it is on record; a demo panel may not be made to approve, by a person neither.

    Raises:
        BadSetting: there is none.
    """
    known = possible_outcomes(state)
    alike = [one for one in known if one == written] or [one for one in known if one.casefold() == written.casefold()]
    if len(alike) != 1:
        listed = ", ".join(known) or "none, since nobody voted for anything"
        raise BadSetting(f"{written!r} is no outcome of this deliberation; there are {listed}")
    settings = next((one.settings for one in state.convened.rulebook.unless if one.name == "demo"), ())
    cap = catalogue.rule("demo").function
    stated = Verdict(outcome=alike[0], decided=True, rule=verdict.rule, because="")
    if cap(chair.tally_of(state), stated, **dict(settings)) is not None:
        raise BadSetting(f"this is a demo panel, which answers nothing, so a review cannot make it {alike[0]}")
    return alike[0]
