"""What is due, kept up to date as entries come in rather than worked out anew for each of them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from quorate.chair.lookup_steps import after_lookups
from quorate.frozen import make_tuple
from quorate.model import (
    AboutAsk,
    Admitted,
    Ask,
    Asked,
    AskKey,
    Decided,
    Errand,
    ErrandKey,
    Event,
    Found,
    Hear,
    Run,
    Spoken,
    Step,
)
from quorate.model.append_map import append_map
from quorate.model.heard import Place, Watch

if TYPE_CHECKING:
    from quorate.chair.folded_state import State

__all__ = ["ATTEMPTS", "Agenda", "is_over"]

K = TypeVar("K")

ATTEMPTS = 2
"""How often a seat is asked the same at most: what cannot be read is asked for once more.

Attempts that were spent on looking something up come before these, and are not counted here."""


class Agenda:
    """What can be asked, run or written now. It lies with the newest state, and is handed on with every entry.

    It is given that state and keeps none: what refers to each other waits for the garbage collector with all it holds.
    `due` is what a run of the protocol on that state leaves to do, `open` what has gone out and not come back.
    `changes` names in their order what has come to be due and what is wanted no more, so that whoever acts on it need
    look at each only once.
    """

    __slots__ = ("_late", "_stale", "_watch", "changes", "due", "open")

    def __init__(self, state: "State") -> None:
        """Begin at a state; what is due there is worked out when somebody asks."""
        self.due: dict[AskKey | ErrandKey, Step] = {}
        self.changes: list[AskKey | ErrandKey] = []
        self.open = {key: None for key in state.asked if not is_over(state, key)}
        self._watch = Watch()
        self._late = False
        """Whether anything is to be asked once the verdict is written."""
        self._stale = True

    def refresh(self, state: "State") -> None:
        """Run the protocol again, if something has come that it looked for in vain."""
        if not self._stale:
            return
        watch = Watch()
        due = self._left_to_do(state, watch)
        self.changes += [key for key in dict.fromkeys((*self.due, *self.open)) if key not in due]
        self.changes += [key for key in due if key not in self.due]
        self.due, self._watch, self._stale = due, watch, False

    def _left_to_do(self, state: "State", watch: Watch) -> dict[AskKey | ErrandKey, Step]:
        late, words, finds = isinstance(state.closed, Decided), append_map(state.heard.words).known(), state.heard.finds
        again = state.looked.known() | state.unread.known()
        due: dict[AskKey | ErrandKey, Step] = {}
        self._late = False
        for wanted in state.wanted(watch):
            if isinstance(wanted, Errand):
                if wanted.key not in finds:
                    due[wanted.key] = Run(wanted)
                continue
            self._late = self._late or wanted.after
            about = wanted.about
            place = (wanted.round, wanted.seat.name, about.name if about is not None else "")
            if wanted.after is late and place not in words:
                if place in again:
                    key, step = _asked_again(state, wanted, place, watch)
                else:
                    key, step = make_tuple(AskKey, (*place, wanted.attempt)), Hear(wanted)
                due[key] = step
        return due

    def hand_on(self, before: "State", state: "State", event: Event) -> None:
        """Come to the next state, which one more entry has made."""
        match event:
            case Admitted():
                pass
            case Asked(key=key):
                self.open[key] = None
                if key not in self.due:
                    self.changes.append(key)
            case Spoken() if event.unreadable:
                self._ask_again(state, event)
            case AboutAsk(key=key):
                self._settle(state, key)
                self._come(key[:3], before.heard.words, state.heard.words)
            case Found():
                found = event.key
                self.due.pop(found, None)
                self._come(found, before.heard.finds, state.heard.finds)
            case _:
                decided = isinstance(event, Decided) and not self._late and not self.due
                self._stale = self._stale or not decided

    def _settle(self, state: "State", key: AskKey) -> None:
        """Nothing is left to do about an ask, whichever attempt was answered."""
        for attempted in (key, *(_attempts(key) if key.attempt > 1 or key[:3] in state.unread else ())):
            self.open.pop(attempted, None)
            self.due.pop(attempted, None)

    def _come(self, key: K, before: Mapping[K, object], after: Mapping[K, object]) -> None:
        differs = self._watch.came(key, after[key])
        self._stale = self._stale or differs or key in before

    def _ask_again(self, state: "State", unread: Spoken) -> None:
        """What was no answer leaves something else to do in its place."""
        self._come_back(unread.key)
        step = self.due.pop(unread.key, None)
        if unread.lookups or not isinstance(step, Hear):
            self._stale = True
            return
        key = unread.key._replace(attempt=step.ask.looked + ATTEMPTS)
        self.due[key] = state.next_step(step.ask, unread)
        self.changes.append(key)

    def _come_back(self, key: AskKey) -> None:
        """Note that an attempt has been answered, and all before it."""
        for attempted in _attempts(key)[: key.attempt]:
            self.open.pop(attempted, None)


def _asked_again(state: "State", ask: Ask, place: Place, watch: Watch) -> tuple[AskKey | ErrandKey, Step]:
    """What is to be done about an ask whose answer could not be read, or whose seat wanted to see something.

    What it wanted to see comes first, then the ask again.
    """
    unread = state.unread.get(place)
    if place not in state.looked:
        return AskKey(*place, ATTEMPTS if unread else ask.attempt), state.next_step(ask, unread)
    again = after_lookups(ask, state.looked[place], state.heard.finds)
    if isinstance(again, Errand):
        watch.missed.add(again.key)
        return again.key, Run(again)
    return AskKey(*place, again.looked + ATTEMPTS if unread else again.attempt), state.next_step(again, unread)


def _attempts(key: AskKey) -> tuple[AskKey, ...]:
    return tuple(key._replace(attempt=attempt) for attempt in range(1, max(ATTEMPTS, key.attempt) + 1))


def is_over(state: "State", key: AskKey) -> bool:
    """Whether an ask has come back; an attempt that was no answer has, whatever becomes of the next."""
    place = key[:3]
    unread, looked = state.unread.get(place), state.looked.get(place)
    return (
        place in state.heard.words
        or (unread is not None and unread.attempt >= key.attempt)
        or (looked is not None and looked[-1].attempt >= key.attempt)
    )
