"""Ranked ballots by hand: so many of an order, as a tally, and orders drawn at random."""

from fractions import Fraction

from hypothesis import strategies as st

from quorate.analysis.ranked_choice import Order
from quorate.model import Ranking, Silence, Tally, Voice


def order(written: str) -> Order:
    """B > A = C."""
    return tuple(tuple(one.strip() for one in place.split("=")) for place in written.split(">"))


def orders(*counted: tuple[int, str]) -> tuple[Order, ...]:
    """So many ballots of each order."""
    return tuple(order(written) for times, written in counted for _ in range(times))


def voice(seat: str, ranking: Order, confidence: Fraction | None = None) -> Voice:
    first = ranking[0] if ranking else ()
    return Voice(seat=seat, option=first[0] if len(first) == 1 else "", vote=Ranking(ranking), confidence=confidence)


def tally_of_orders(ballots: tuple[Order, ...], silent: int = 0, abstained: int = 0) -> Tally:
    voices = tuple(voice(f"s{number}", ranking) for number, ranking in enumerate(ballots))
    gone = tuple(Silence(seat=f"silent{number}", why="timeout") for number in range(silent))
    away = tuple(f"away{number}" for number in range(abstained))
    eligible = (*(one.seat for one in voices), *(one.seat for one in gone), *away)
    return Tally(eligible=eligible, options=(), voices=voices, silent=gone, abstained=away)


@st.composite
def rankings(draw: st.DrawFn, options: tuple[str, ...]) -> Order:
    """Any order of some or all options, with equals."""
    kept = draw(st.permutations(options))[: draw(st.integers(1, len(options)))]
    places: list[tuple[str, ...]] = []
    for option in kept:
        equal = places and draw(st.integers(0, 3)) == 0
        places = [*places[:-1], (*places[-1], option)] if equal else [*places, (option,)]
    return tuple(places)


def raised(ranking: Order, winner: str, to: int) -> Order:
    """The same order with the winner in a place of its own, `to` places from the top or where it was, if higher."""
    at = next((number for number, place in enumerate(ranking) if winner in place), len(ranking))
    rest = [tuple(one for one in place if one != winner) for place in ranking]
    goes = min(to, at)
    return tuple(place for place in (*rest[:goes], (winner,), *rest[goes:]) if place)
