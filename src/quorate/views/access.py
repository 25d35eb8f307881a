"""Why a panel couldn't be asked: what each provider said, whose seats that are, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from quorate.chair import State
from quorate.model import Failed, Silence
from quorate.model.ballot import NOT_NEEDED
from quorate.model.panel import name_list
from quorate.rules.all_silent import REASONS

__all__ = ["COULD_NOT_BE_ASKED", "AccessFailure", "access_failures", "access_sentence", "reason_words"]

COULD_NOT_BE_ASKED: Final = "The panel couldn't be asked"


class AccessFailure(NamedTuple):
    """One cause, with the seats that it kept from answering."""

    seats: tuple[str, ...]
    why: str
    detail: str
    """The provider's own sentence; empty where nothing came."""
    advice: str

    @property
    def sentence(self) -> str:
        """Who, what happened, and what to do."""
        told = self.detail or reason_words(self.why)
        return f"{name_list(self.seats)}: {told}. {self.advice}"


def reason_words(why: str) -> str:
    """Why a seat said nothing, in plain words; what is not on the list came and could not be counted."""
    return REASONS.get(why, f"what came could not be counted ({why})")


def access_failures(state: State) -> tuple[AccessFailure, ...]:
    """Each cause once, in the order of the seats; nothing where the deliberation did not fail."""
    if not isinstance(state.closed, Failed):
        return ()
    causes: dict[tuple[str, str], list[str]] = {}
    words = state.heard.words.values()
    silences = [word for word in words if isinstance(word, Silence) and word.why != NOT_NEEDED]
    for seat in state.brief.panel:
        for silence in silences:
            if silence.seat == seat.name:
                causes.setdefault((silence.why, silence.detail), []).append(seat.name)
    return tuple(
        AccessFailure(tuple(dict.fromkeys(seats)), why, detail, _ADVICE.get(why, _OTHERWISE))
        for (why, detail), seats in causes.items()
    )


def access_sentence(state: State) -> str:
    """All of it in one line; empty where the deliberation did not fail."""
    failures = access_failures(state)
    return f"{COULD_NOT_BE_ASKED}. {' '.join(one.sentence for one in failures)}" if failures else ""


_OTHERWISE: Final = "Check that it runs and that the address is right."
_ADVICE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "wrong_key": "Set a key that this provider accepts.",
        "no_quota": "Add credit or raise the limit at the provider.",
        "no_such_model": "Check the model's name and the address.",
        "tool_missing": "Install the tool, or name another model.",
        "bad_request": "Change what the provider objects to.",
        "breaker": "Wait a moment, then try again.",
    }
)
