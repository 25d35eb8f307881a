"""Small things tests of the graphs are made of: panels for every protocol, and somebody who answers every ask."""

import json
from collections.abc import Mapping
from dataclasses import replace

from quorate import presets
from quorate.catalogue import names
from quorate.errors import PanelistError
from quorate.model import Ask, Panel, Reply, Seat
from quorate.model.charter import Charter
from quorate.panelists import WordListener, ignore_words
from tests.play import has_setting, words

PROTOCOLS = sorted(names("protocol"))
QUESTION = "Should we delete the staging database before the weekend?"


def charter(protocol: str, **settings: str) -> Charter:
    """The panel that ships with a protocol; texts are compared by their words, which needs nothing installed."""
    likeness = {"similarity": "overlap"} if has_setting(protocol, "similarity") else {}
    written = {**likeness, **settings}
    return replace(presets.panel(protocol), settings=tuple(written.items()))


def debate(*extra: str, form: str = "auto", **settings: str) -> Charter:
    """A debate by its main roles and whoever else is named."""
    roles = ("Proponent", "Opponent", *extra)
    seats = tuple(Seat(name=role, powers=("vote",) if number < 2 else ()) for number, role in enumerate(roles))
    written = {"form": form, **settings}
    return Charter(panel=Panel(seats=seats), protocol="debate", settings=tuple(written.items()))


class Answers:
    """Answers every ask the same way every time, and keeps the bill; `silent` places (round, seat) fail."""

    def __init__(self, *silent: tuple[str, str], cast: Mapping[str, str] | None = None) -> None:
        self.silent = silent
        self.cast = cast or {}
        self.asked: list[tuple[str, str, str, int]] = []

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """By what is wanted, who asks and in which round, and nothing else."""
        del overheard
        self.asked.append(ask.key)
        if ask.key[:2] in self.silent:
            raise PanelistError("timeout")
        return self.reply(ask)

    def reply(self, ask: Ask) -> Reply:
        stated = _case(ask) if ask.wants == "argument" else _STATED.get(ask.wants)
        if stated is None:
            return words(ask, self.cast.get(ask.seat.name, "WARN"))
        paper = json.dumps({"mark": ask.mark, **stated})
        return Reply(text=f"{ask.seat.name} in {ask.round}.\n\n{ask.wants.upper()} {paper}")

    def by_seat(self, panel: Panel) -> dict[str, "Answers"]:
        return {seat.name: self for seat in panel}


def _case(ask: Ask) -> Mapping[str, object]:
    return {
        "claims": [f"{ask.seat.name} says in {ask.round} that {_FRESH[int(ask.round) % 3]}, as 12 % show."],
        "evidence": ["a report of 2024 at https://example.org/1", "the log of 3 March"],
        "confidence": 0.9 if ask.seat.acts == "proponent" else 0.5,
    }


_STATED: Mapping[str, Mapping[str, object]] = {
    "assessment": {"leaning": "for", "agreed": ["much"], "open": ["little"], "confidence": 0.6},
    "judgement": {"a_evidence": 0.7, "a_logic": 0.6, "b_evidence": 0.5, "b_logic": 0.6},
}
_FRESH = ("a copy exists elsewhere", "nobody has opened it since spring", "restoring took an hour last time")


EXTENDED = ("Moderator", "Advocate", "Critic", "Refiner")
DEBATES = {
    "standard": debate("Moderator", form="standard"),
    "extended": debate(*EXTENDED, form="extended"),
    "extended, three rounds": debate(*EXTENDED, form="extended", max_rounds="3"),
    "auto, simple": debate(*EXTENDED),
    "auto, complex": debate(*EXTENDED, extended_from="0"),
    "judged": debate("Moderator", "Judge", form="standard", judge="beside"),
    "judged by the moderator": debate("Moderator", form="extended", judge="decides"),
    "nobody moderates": debate(form="auto", extended_from="0"),
    "nobody moderates, standard": debate(form="standard"),
}
