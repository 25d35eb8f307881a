"""Whether a count can still change, and so whether anybody need be waited for."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from quorate import catalogue, rules
from quorate.analysis.settled_count import OpenBallots, Part, is_settled
from quorate.model import Approval, Heard, Rulebook, Seat, Silence, Speech
from quorate.model.append_map import append_map
from quorate.model.ballot import NOT_NEEDED
from quorate.model.heard import Place
from quorate.model.specs import ProtocolSpec

if TYPE_CHECKING:
    from quorate.chair.folded_state import State

__all__ = ["STOP", "heard_out", "is_count_settled", "is_given_up", "last_round"]

STOP = "stop_when_settled"


def last_round(state: "State") -> str:
    """The round after whose ballot a seat has no other, where the count may be stopped early; else nothing."""
    settings = dict(state.convened.settings)
    if settings.get(STOP, "false").casefold() not in {"true", "yes", "on", "1"}:
        return ""
    last_word = catalogue.protocol(state.convened.protocol).last_word
    return last_word(settings) if last_word else ""


def heard_out(state: "State") -> Heard:
    """What was heard; where one round is all there is, with silence in the place of every ballot that has not come."""
    if catalogue.protocol(state.convened.protocol).sealed != last_round(state):
        return state.heard  # who was not asked for a last ballot is silent anyway, and a veto may stand from before
    words = append_map(state.heard.words)
    for seat in _open_seats(state):
        place: Place = (last_round(state), seat.name, "")
        words = words.plus(place, Silence(seat=seat.name, why=NOT_NEEDED))
    return replace(state.heard, words=words)


def is_count_settled(state: "State") -> bool:
    """Whether no last ballot that is still to come can change the verdict. It is judged from what was heard alone."""
    if not _is_sealed(state):
        return False
    from quorate.chair import tally_of  # noqa: PLC0415 - it counts what this room has folded

    spec, book = catalogue.protocol(state.convened.protocol), state.convened.rulebook
    still = OpenBallots(
        seats=tuple(seat.name for seat in _open_seats(state)),
        options=spec.outcomes or state.brief.question.options,
        approves=Approval in catalogue.count(spec.count.name).votes,
        may_abstain=not spec.outcomes,
    )
    if len(still.seats) == len(state.brief.panel.voters):
        return False
    tally, part = tally_of(state), _part(book, spec)
    # A rule that fails on every tally would seem settled at once, and the seats are worth hearing for another rulebook.
    if part == "all" and rules.apply_rulebook(tally, book).rule in {rules.COUNT_FAILED, rules.RULE_FAILED}:
        return False
    return is_settled(tally, still, partial(rules.apply_rulebook, rulebook=book), part=part)


def _part(book: Rulebook, spec: ProtocolSpec) -> Part:
    """Our own rules are known to be judged well by a part of all ways to vote; those of others are not."""
    named = (*book.rules, book.otherwise, *book.unless)
    if not all(catalogue.is_shipped(catalogue.rule(part.name).function) for part in named):
        return "all"
    return "mixes" if spec.outcomes else "extremes"


def _open_seats(state: "State") -> tuple[Seat, ...]:
    """Seats whose last ballot may still come: who was silent before has none."""
    last, sealed = last_round(state), catalogue.protocol(state.convened.protocol).sealed
    heard = state.heard
    return tuple(
        seat
        for seat in state.brief.panel.voters
        if (not heard.settled(last, seat) or is_given_up(heard, last, seat))
        and (sealed == last or not _fell_silent(heard, sealed, seat))
    )


def is_given_up(heard: Heard, round_: str, seat: Seat) -> bool:
    """Whether a seat is silent only because nobody waited for it: it might have cast any ballot."""
    word = heard.words.get((round_, seat.name, ""))
    return isinstance(word, Silence) and word.why == NOT_NEEDED


def _fell_silent(heard: Heard, round_: str, seat: Seat) -> bool:
    return heard.settled(round_, seat) and not isinstance(heard.words.get((round_, seat.name, "")), Speech)


def _is_sealed(state: "State") -> bool:
    """Whether what was sealed before the discussion is known: a verdict may depend on it."""
    sealed, last = catalogue.protocol(state.convened.protocol).sealed, last_round(state)
    return bool(last) and (sealed in {"", last} or state.heard.settled(sealed, *state.brief.panel.voters))
