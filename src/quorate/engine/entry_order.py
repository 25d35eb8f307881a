"""Whether an entry may come where it stands in a record, whatever it says."""

from quorate.chair import State
from quorate.model import Admitted, Convened, Decided, Event, Halted, Reviewed, Routed, TurnedAway

__all__ = ["order_fault"]


def order_fault(state: State, event: Event) -> str:
    """Why an entry cannot come after those before it; empty if it can."""
    closed = state.closed
    match event:
        case Admitted() | TurnedAway():
            return "comes a second time" if closed or state.admitted else ""
        case Decided():
            return "decides what is closed" if closed else ""
        case Convened():
            return "comes too late"
        case Halted():
            return "comes too late" if closed else ""
        case Reviewed() | Routed():
            return ""
        case _:
            return "" if _hears(state) else "comes before the question was let in, or after the end"


def _hears(state: State) -> bool:
    """Whether what became of asks may come: once the question was let in, and after a verdict too."""
    return isinstance(state.closed, Decided) if state.closed else bool(state.admitted)
