"""What has been heard so far: all that a protocol may look at."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TypeVar

from quorate.frozen import dataclass, fast_init
from quorate.model.append_map import AppendMap, append_map
from quorate.model.ask import AskKey, Errand, ErrandKey
from quorate.model.ballot import Ballot, Silence, Speech
from quorate.model.events import Found
from quorate.model.panel import Panel, Seat

Place = tuple[str, str, str]
K = TypeVar("K")
V = TypeVar("V")


class Watch:
    """What was looked for and not found: before some of it comes, whoever looked would say the same again.

    Of several that were waited for together only the last to come makes a difference.
    """

    __slots__ = ("everything", "missed", "vetoes", "waits")

    def __init__(self) -> None:
        """Nothing has been looked for yet."""
        self.everything = False
        self.vetoes = False
        self.missed: set[object] = set()
        self.waits: dict[object, list[list[int]]] = {}

    def wait_for(self, keys: Iterable[object]) -> None:
        """Note that nothing changes before all of these have come."""
        missing = list(dict.fromkeys(keys))
        left = [len(missing)]
        for key in missing:
            self.waits.setdefault(key, []).append(left)

    def came(self, key: object, what: object) -> bool:
        """Note that something has come, and say whether it makes a difference."""
        last = False
        for left in self.waits.pop(key, ()):
            left[0] -= 1
            last = last or not left[0]
        vetoed = self.vetoes and isinstance(what, Speech) and what.ballot is not None and what.ballot.veto
        return last or self.everything or key in self.missed or vetoed


class WatchedMap(Mapping[K, V]):
    """The same mapping, with a note of what was looked for in vain."""

    __slots__ = ("_known", "plain", "watch")

    def __init__(self, plain: Mapping[K, V], watch: Watch) -> None:
        """Look into this one, and note what is missed there."""
        self.plain, self.watch = plain, watch
        self._known: frozenset[object] | None = None

    def known(self) -> frozenset[object]:
        """What is there, put together once; to look here leaves no note."""
        if self._known is None:
            self._known = append_map(self.plain).known()
        return self._known

    def __getitem__(self, key: K) -> V:
        if key not in self:
            raise KeyError(key)
        return self.plain[key]

    def get(self, key: K, default: V | None = None) -> V | None:  # type: ignore[override]
        """What stands under a key; none is a note that it was looked for."""
        found = self.plain.get(key)
        if found is None:
            self.watch.missed.add(key)
        return default if found is None else found

    def __contains__(self, key: object) -> bool:
        there = key in self.plain
        if not there:
            self.watch.missed.add(key)
        return there

    def __iter__(self) -> Iterator[K]:
        self.watch.everything = True
        return iter(self.plain)

    def __len__(self) -> int:
        self.watch.everything = True
        return len(self.plain)


@fast_init
@dataclass(frozen=True, slots=True)
class Heard:
    """Speeches and silences by (round, seat, about); spoken is readable words, settled is spoken or silent."""

    panel: Panel
    words: Mapping[Place, Speech | Silence] = field(default_factory=AppendMap[Place, Speech | Silence])
    finds: Mapping[ErrandKey, Found] = field(default_factory=AppendMap[ErrandKey, Found])
    watch: Watch | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, panel: Panel, *words: tuple[str, str, Speech | Silence]) -> "Heard":
        """Make it up by hand: (round, about, speech or silence)."""
        return cls(panel, AppendMap({(round_, said.seat, about): said for round_, about, said in words}))

    def plus(self, key: AskKey, words: Speech | Silence) -> "Heard":
        """The same with one more speech or silence."""
        return Heard(self.panel, append_map(self.words).plus(key[:3], words), self.finds)

    def plus_found(self, key: ErrandKey, found: Found) -> "Heard":
        """The same with one more find."""
        return Heard(self.panel, self.words, append_map(self.finds).plus(key, found))

    def watched(self, watch: Watch) -> "Heard":
        """The same, noting what is looked for in vain."""
        return Heard(self.panel, WatchedMap(self.words, watch), WatchedMap(self.finds, watch), watch)

    def speakers(self, round_: str) -> tuple[Seat, ...]:
        """Who spoke in a round about nobody in particular, in seat order."""
        return tuple(seat for seat in self.panel if self.speech(round_, seat) is not None)

    def settled(self, round_: str, *seats: Seat, about: Seat | None = None) -> bool:
        """Whether each of these seats has spoken or fallen silent."""
        whom = about.name if about else ""
        return self._all_there(self.words, [(round_, seat.name, whom) for seat in seats])

    def awaits(self, round_: str, seat: Seat, about: Seat | None = None) -> bool:
        """Whether nothing has come from a seat there yet: what has come need not be asked for again.

        What is asked for so is taken off what is due when it comes, so nobody looks for it here in vain.
        """
        return (round_, seat.name, about.name if about else "") not in _plain(self.words)

    def awaited(self, round_: str, seat: Seat, abouts: Iterable[Seat]) -> list[Seat]:
        """The same for many: of these, about whom nothing has come from a seat there yet."""
        words, name = self.words, seat.name
        known = words.known() if isinstance(words, WatchedMap) else words
        return [about for about in abouts if (round_, name, about.name) not in known]

    def has_found(self, errands: Iterable[Errand]) -> bool:
        """Whether each of these errands has brought something, if only a reason why not."""
        return self._all_there(self.finds, (errand.key for errand in errands))

    def _all_there(self, known: Mapping[K, V], keys: Iterable[K]) -> bool:
        if self.watch is None:
            return all(key in known for key in keys)
        there = known.known() if isinstance(known, WatchedMap) else known
        missing = [key for key in keys if key not in there]
        if missing:
            self.watch.wait_for(missing)
        return not missing

    def speech(self, round_: str, seat: Seat, about: Seat | None = None) -> Speech | None:
        """What a seat said there, none if it was silent or has not been heard."""
        words = self.words.get((round_, seat.name, about.name if about else ""))
        return words if isinstance(words, Speech) else None

    def speeches(self, round_: str, seats: Iterable[Seat], about: Seat | None = None) -> list[Speech]:
        """What these seats said there, without those who were silent or have not been heard."""
        whom = about.name if about else ""
        places = [(round_, seat.name, whom) for seat in seats]
        if isinstance(self.words, WatchedMap):
            known = self.words.known()
            self.words.watch.missed.update([place for place in places if place not in known])
        found = append_map(_plain(self.words)).some(places)
        return [words for words in found if isinstance(words, Speech)]

    def silence(self, round_: str, seat: Seat, about: Seat | None = None) -> Silence | None:
        """Why a seat said nothing there, none if it spoke or has not been heard."""
        words = self.words.get((round_, seat.name, about.name if about else ""))
        return words if isinstance(words, Silence) else None

    def ballot(self, round_: str, seat: Seat) -> Ballot | None:
        """The ballot a seat cast in a round."""
        speech = self.speech(round_, seat)
        return speech.ballot if speech else None

    def found(self, kind: str, round_: str, seat: str = "", about: str = "") -> Found | None:
        """What an errand brought."""
        return self.finds.get(ErrandKey(kind, round_, seat, about))

    def vetoes(self) -> tuple[Seat, ...]:
        """Seats with the power of veto that have used it in any round."""
        words = self.words
        if self.watch is not None and isinstance(words, WatchedMap):
            self.watch.vetoes = True
            words = words.plain
        used = {
            place[1]
            for place, said in words.items()
            if isinstance(said, Speech) and said.ballot is not None and said.ballot.veto
        }
        return tuple(seat for seat in self.panel if "veto" in seat.powers and seat.name in used)


def _plain(known: Mapping[K, V]) -> Mapping[K, V]:
    """What is looked into here leaves no note."""
    return known.plain if isinstance(known, WatchedMap) else known
