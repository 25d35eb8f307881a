"""What each seat looked up before it answered: what it asked for, and what was found or why nothing was."""

from collections import Counter
from collections.abc import Iterator

from quorate.chair import State
from quorate.frozen import dataclass
from quorate.model import ErrandKey, Found, Lookup, Passage, Spoken
from quorate.model.heard import Place
from quorate.model.lookup import LOOK

__all__ = ["SeatLookup", "lookup_counts", "lookup_text", "lookups_at", "lookups_document", "seat_lookups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLookup:
    """One thing that a seat asked to see; without a passage it has not been looked up yet."""

    place: Place
    attempt: int
    lookup: Lookup
    passage: Passage | None

    @property
    def line(self) -> str:
        """What was seen, or what was wanted and why it was not."""
        if self.passage is None:
            return f"{lookup_text(self.lookup)} (not looked up yet)"
        seen = self.passage.title or lookup_text(self.lookup)
        return seen if self.passage.text else f"{seen} (nothing: {self.passage.why})"


def lookup_text(lookup: Lookup) -> str:
    """What is asked for, in words."""
    match lookup.kind:
        case "read":
            return f"file {lookup.path}"
        case "list":
            return f"folder {lookup.path}"
        case "search":
            return f"search for {lookup.text!r} in {lookup.path}"


def seat_lookups(state: State) -> Iterator[SeatLookup]:
    """Everything that was asked for, place by place, in the order in which it was."""
    for place in state.looked:
        yield from lookups_at(state, place)


def lookups_at(state: State, place: Place) -> Iterator[SeatLookup]:
    """The same for one seat in one round."""
    for spoken in state.looked.get(place) or ():
        found = state.heard.finds.get(_key(spoken))
        for number, lookup in enumerate(spoken.lookups):
            passage = _passage(found, number) if found else None
            yield SeatLookup(place=place, attempt=spoken.attempt, lookup=lookup, passage=passage)


def _key(spoken: Spoken) -> ErrandKey:
    return ErrandKey(LOOK, *spoken.key)


def _passage(found: Found, number: int) -> Passage:
    there = number < len(found.passages)
    return found.passages[number] if there else Passage(url="", why=found.why or "nothing was found")


def lookup_counts(state: State) -> tuple[str, ...]:
    """For each seat that looked anything up, how much of what, in seat order."""
    counts: dict[str, Counter[str]] = {}
    for one in seat_lookups(state):
        seen = one.passage is not None and bool(one.passage.text)
        counts.setdefault(one.place[1], Counter())[one.lookup.kind if seen else "none"] += 1
    seats = (seat.name for seat in state.brief.panel if seat.name in counts)
    return tuple(f"{seat}: {', '.join(_counted(counts[seat]))}" for seat in seats)


def _counted(counts: Counter[str]) -> Iterator[str]:
    for kind, one, many in _COUNTED:
        if counts[kind]:
            yield f"{counts[kind]} {one if counts[kind] == 1 else many}"


_COUNTED = (
    ("read", "file read", "files read"),
    ("list", "folder listed", "folders listed"),
    ("search", "search", "searches"),
    ("none", "lookup without a result", "lookups without a result"),
)


def lookups_document(state: State) -> list[dict[str, object]]:
    """Everything that was asked for, for the one document; no content of any file."""
    return [
        {
            "seat": one.place[1],
            "round": one.place[0],
            "about": one.place[2] or None,
            "attempt": one.attempt,
            "kind": one.lookup.kind,
            "path": one.lookup.path,
            "text": one.lookup.text or None,
            "found": one.passage is not None and bool(one.passage.text),
            "title": one.passage.title if one.passage else None,
            "because": (one.passage.why or None) if one.passage else None,
        }
        for one in seat_lookups(state)
    ]
