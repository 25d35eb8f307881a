"""What may stand in a record: which versions, whether an entry may come where it stands, what a review may say.

A review is asked before it is written; both are asked again when a record is checked.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from quorate import catalogue, chair
from quorate.chair import State
from quorate.errors import BadSetting, OtherVersion
from quorate.model import (
    Admitted,
    Convened,
    Decided,
    Event,
    Failed,
    Halted,
    Reviewed,
    Routed,
    Spoken,
    Tally,
    TurnedAway,
    TurnedOut,
    Verdict,
)
from quorate.model.ballot import Estimate
from quorate.model.numbers import decimal, exact

__all__ = [
    "check_versions",
    "order_fault",
    "person_fault",
    "possible_outcomes",
    "reviewed_outcome",
    "right_outcome",
    "verdict_fault",
    "words_read",
]


LONGEST_VALUE: Final = 300
_NUMBERS: Final = frozenset({"estimate", "quantity"})
"""Forms that ask for a number."""


def order_fault(state: State, event: Event) -> str:
    """Why an entry cannot come after those before it; empty if it can."""
    closed = state.closed
    match event:
        case Admitted() | TurnedAway():
            return "comes a second time" if closed or state.admitted else ""
        case Decided() | Failed():
            return "decides what is closed" if closed else ""
        case Convened():
            return "comes too late"
        case Halted():
            return "comes too late" if closed else ""
        case Reviewed() | Routed() | TurnedOut():
            return _early(state, event)
        case _:
            return "" if _hears(state) else "comes before the question was let in, or after the end"


def _early(state: State, event: Reviewed | Routed | TurnedOut) -> str:
    early = isinstance(event, TurnedOut) and not state.closed
    return "says what turned out right before it ended" if early else ""


def _hears(state: State) -> bool:
    """Whether what became of asks may come: once the question was let in, after a verdict and after a failure too."""
    return isinstance(state.closed, Decided | Failed) if state.closed else bool(state.admitted)


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


def right_outcome(state: chair.State, written: str) -> str:
    """What turned out right, as it is on record; where outcomes are open it may be what nobody had thought of.

    Raises:
        BadSetting: it is blank, too long, no number where numbers were asked for, or not on a closed list.
    """
    value = " ".join(written.split())
    settings = dict(state.convened.settings)
    variant = catalogue.protocol(state.convened.protocol).variant(settings)
    if variant.form in _NUMBERS and exact(value) is not None:
        return value
    given = state.brief.question.options if settings.get("options", "given") == "given" else ()
    closed = tuple(dict.fromkeys((*given, *variant.outcomes)))
    alike = _alike(value, closed or possible_outcomes(state))
    if len(alike) == 1:
        return alike[0]
    if closed or variant.form in _NUMBERS:
        listed = ", ".join((*(["a number"] if variant.form in _NUMBERS else []), *closed))
        raise BadSetting(f"{written!r} cannot turn out right here; there are {listed}")
    if not 0 < len(value) <= LONGEST_VALUE:
        raise BadSetting(f"say what turned out right in 1 to {LONGEST_VALUE} characters, not in {len(value)}")
    return value


def _alike(written: str, known: Sequence[str]) -> list[str]:
    """What is meant by what was written: the same, or else the same but for capitals."""
    return [one for one in known if one == written] or [one for one in known if one.casefold() == written.casefold()]


def person_fault(state: State, event: Reviewed | TurnedOut, *, gaps: bool) -> str:
    """Why what a person put on record cannot be; where words are gone, what was possible is not known any more."""
    closed = state.closed
    if isinstance(event, TurnedOut):
        meant, what = partial(right_outcome, state, event.value), "says what cannot have turned out right"
    elif isinstance(closed, Decided):
        meant, what = partial(reviewed_outcome, state, closed.verdict, event.outcome), "holds a review that cannot be"
    else:
        return "reviews what was not decided"
    if gaps:
        return ""
    try:
        same = meant() == (event.value if isinstance(event, TurnedOut) else event.outcome)
    except BadSetting as wrong:
        return f"{what}: {wrong}"
    return "" if same and (isinstance(event, TurnedOut) or event.by.strip()) else what


def reviewed_outcome(state: chair.State, verdict: Verdict, written: str) -> str:
    """The outcome as it is on record; a demo panel may not be made to approve, by a person neither.

    Raises:
        BadSetting: there is none.
    """
    known = possible_outcomes(state)
    alike = _alike(written, known)
    if len(alike) != 1:
        listed = ", ".join(known) or "none, since nobody voted for anything"
        raise BadSetting(f"{written!r} is no outcome of this deliberation; there are {listed}")
    settings = next((one.settings for one in state.convened.rulebook.unless if one.name == "demo"), ())
    cap = catalogue.rule("demo").function
    stated = Verdict(outcome=alike[0], decided=True, rule=verdict.rule, because="")
    if cap(chair.tally_of(state), stated, **dict(settings)) is not None:
        raise BadSetting(f"this is a demo panel, which answers nothing, so a review cannot make it {alike[0]}")
    return alike[0]


def check_versions(events: Sequence[Event]) -> None:
    """Refuse a record that another version judged: nobody can say here what that one would make of its words.

    Raises:
        OtherVersion: an entry names another version.
    """
    for number, event in enumerate(events, 1):
        if isinstance(event, Admitted | TurnedAway | Spoken | Decided | Failed) and event.version != chair.VERSION:
            raise OtherVersion(
                f"entry {number} was written by version {event.version} of quorate's rules, and this quorate can only "
                f"check version {chair.VERSION}"
            )


def verdict_fault(recorded: Verdict, again: Verdict, of: str) -> str:
    """How a verdict on record differs from the one that its entries come to."""
    said, meant = ("no outcome" if one.outcome is None else one.outcome for one in (recorded, again))
    if said == meant:
        return f"says {said} otherwise than {of} comes to it: its figures, reasons or cautions are others"
    return f"says {said}; from {of} it would be {meant}"


def words_read(spoken: Spoken) -> str:
    """What a reply was read as, in a word."""
    if spoken.ballot is not None:
        return "VETO" if spoken.ballot.veto else spoken.ballot.choice
    if spoken.lookups:
        return f"{len(spoken.lookups)} lookup{'' if len(spoken.lookups) == 1 else 's'}"
    return f"nothing ({spoken.unreadable})" if spoken.unreadable else "an argument" if spoken.argument else "words"
