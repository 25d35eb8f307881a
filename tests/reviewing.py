"""Deliberations that wait for a person, kept in a ledger."""

from quorate import presets
from quorate.ledger import Ledger, new_id
from quorate.model import Ask, Event, Reply
from tests.play import convened, play, words
from tests.tribunal import PANEL
from tests.views.discussion import PRIVATE, SELECTIVE, STRUCTURED, discussed

SPLIT = {"Utility": "ACT", "Accuracy": "WARN", "Safety": "REFUSE"}


def tribunal(choices: dict[str, str] | None = None) -> list[Event]:
    """A tribunal whose seats vote so; by default nothing is decided."""
    cast = choices or SPLIT

    def answer(ask: Ask) -> Reply:
        return words(ask, cast[ask.seat.name])

    return play(convened(PANEL), answer)


def demo() -> list[Event]:
    """A demo panel that was held back from approving."""
    return play(convened(presets.panel("demo").panel), lambda ask: words(ask, "ACT"))


def conference(*settings: tuple[str, str]) -> list[Event]:
    """A conference that ends in a tie of three options."""
    votes = dict(zip(("Alpha", "Beta", "Gamma"), (STRUCTURED, SELECTIVE, PRIVATE), strict=True))
    cast = {(seat, str(number)): (option, 0.8, False) for seat, option in votes.items() for number in (1, 2)}
    return list(discussed(cast, *settings).events)


async def kept(ledger: Ledger, events: list[Event]) -> str:
    """Write a record, and give its id."""
    id_ = new_id()
    async with ledger.own(id_) as book:
        for event in events:
            book.write(event)
    return id_
