"""What the chair orders, by its place in the protocol: what a framework with steps of its own names and waits for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from quorate.chair import State, steps_before_verdict
from quorate.model import Adjourn, AskKey, Decided, ErrandKey, Failed, Hear, Run, Step, Write
from quorate.model.lookup import LOOK
from quorate.views import Record

__all__ = ["ADJOURN", "ASK", "DueStep", "Order", "due_steps", "first_due", "orders_at", "unfinished_steps"]

ASK: Final = "ask"


class DueStep(NamedTuple):
    """Something to be done, whatever the attempt: an ask, or an errand by its kind."""

    kind: str
    round: str
    seat: str
    about: str


def due_steps(state: State) -> tuple[DueStep, ...]:
    """What the chair would have asked or looked up now, on the way to the verdict; nothing once it is there."""
    if state.closed is not None:
        return ()
    return tuple(place for step in steps_before_verdict(state) if (place := _place_of(step)) is not None)


def first_due(state: State) -> tuple[DueStep, ...]:
    """What the chair orders first of all, however much has been done since."""
    begun = State.open(state.convened).possible().values()
    return tuple(place for step in begun if (place := _place_of(step)) is not None)


def unfinished_steps(record: Record, wanted: Sequence[DueStep] | None) -> tuple[DueStep, ...]:
    """What a turn has left undone of what it was to do: it waits for people who answer later."""
    places = (_place_of(step) for step in steps_before_verdict(record.state))
    return tuple(place for place in places if place is not None and (wanted is None or place in wanted))


def _place_of(step: Step) -> DueStep | None:
    match step:
        case Hear(ask=ask):
            return DueStep(ASK, *ask.key[:3])
        case Run(errand=errand):
            # What a seat asks to see belongs to its ask: whoever puts that waits for all of it.
            return DueStep(ASK if errand.kind == LOOK else errand.kind, *errand.key[1:4])
        case _:
            return None


def _key_of(step: Step) -> AskKey | ErrandKey | None:
    match step:
        case Hear(ask=ask):
            return ask.key
        case Run(errand=errand):
            return errand.key
        case _:
            return None


class Order(NamedTuple):
    """A step with what it is known by, worked out once: whoever waits looks for it after every entry."""

    step: Step
    place: DueStep | None
    key: AskKey | ErrandKey | None

    @classmethod
    def of(cls, step: Step) -> "Order":
        return cls(step, _place_of(step), _key_of(step))


ADJOURN: Final = Order(Adjourn(), None, None)


def orders_at(ordered: Sequence[Order], places: Mapping[DueStep, int]) -> Iterator[Order]:
    """The steps at these places, and whatever is only to be written on the way to a verdict."""
    for order in ordered:
        step = order.step
        if isinstance(step, Write):
            if not isinstance(step.event, Decided | Failed):
                yield order
        elif order.place in places:
            yield order
