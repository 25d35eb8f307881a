"""What the views of a conference have in common: its votes, its groups of options and how its talk went."""

from collections.abc import Iterator
from typing import Final

from quorate import catalogue, chair
from quorate.analysis.conference_course import (
    USUAL,
    ConferenceSettings,
    SpeechSimilarity,
    compared_options,
    count_rounds,
    options_of,
    talk,
)
from quorate.analysis.option_groups import Grouping, group
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model import Ballot, Decided, Speech, Tally, TurnedAway, Verdict
from quorate.views import VIEWS

__all__ = ["SUMMARY", "CastVote", "ConferenceRecord", "conference_record", "conference_settings", "is_conference"]

SUMMARY: Final = "summary"
"""The round that sums up, after the last that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CastVote:
    """A vote as it was cast. `counts_as` is the option it stands for in the final tally, empty if it is history."""

    round: int
    seat: str
    ballot: Ballot
    counts_as: str = ""
    carried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConferenceRecord:
    """A conference as far as it got."""

    state: chair.State
    tally: Tally
    terms: ConferenceSettings
    mode: str
    rounds: int

    @property
    def verdict(self) -> Verdict | None:
        closed = self.state.closed
        return closed.verdict if isinstance(closed, Decided | TurnedAway) else None

    @property
    def winner(self) -> str | None:
        """The option that won; none while nothing is decided."""
        return self.verdict.outcome if self.verdict and self.verdict.decided else None

    @property
    def votes(self) -> tuple[CastVote, ...]:
        """Every valid vote, round by round in the order of the seats, the round under way included."""
        return tuple(self._votes())

    def _votes(self) -> Iterator[CastVote]:
        counted = {voice.seat: voice for voice in self.tally.voices}
        for number in range(1, self.rounds + 2):
            for seat in self.state.brief.panel.voters:
                ballot = self.state.heard.ballot(str(number), seat)
                voice = counted.get(seat.name)
                stands = voice is not None and (voice.carried_from or str(self.rounds)) == str(number)
                if ballot is not None:
                    yield CastVote(
                        round=number,
                        seat=seat.name,
                        ballot=ballot,
                        counts_as=voice.option if voice and stands else "",
                        carried=bool(voice and stands and voice.carried_from),
                    )

    @property
    def summary(self) -> Speech | None:
        """What the seat chosen for it wrote when all was over."""
        words = (word for place, word in self.state.heard.words.items() if place[0] == SUMMARY)
        return next((word for word in words if isinstance(word, Speech)), None)

    @property
    def talks(self) -> tuple[SpeechSimilarity, ...]:
        """How the talk stood after each round in which it was compared."""
        found = (talk(self.state.heard, number, self.terms) for number in range(1, self.rounds + 1))
        return tuple(one for one in found if one.each)

    @property
    def grouping(self) -> Grouping | None:
        """What became of each pair of options in the end; none where there was nothing to compare."""
        compared = compared_options(self.state.heard, self.rounds)
        return group(options_of(self.state.heard, self.rounds), compared, self.terms.alike) if compared else None

    @property
    def backends(self) -> tuple[str, ...]:
        """Who compared texts; one that compared options, too, is named once."""
        finds = self.state.heard.finds.values()
        named = dict.fromkeys(found.by for found in finds if found.by and found.kind == "compare")
        return tuple(one for one in named if not any(other.startswith(f"{one},") for other in named))


def is_conference(state: chair.State) -> bool:
    """Whether it was counted as a conference is."""
    return VIEWS["counsel"].fits(state.convened.protocol)


def conference_record(state: chair.State) -> ConferenceRecord:
    """Look at a record as a conference.

    Raises:
        BadSetting: it is none.
    """
    if not is_conference(state):
        raise BadSetting(f"this is a {state.convened.protocol}, and that form shows conferences; try minutes or json")
    terms = conference_settings(state)
    return ConferenceRecord(
        state=state,
        tally=chair.tally_of(state),
        terms=terms,
        mode=terms.mode,
        rounds=count_rounds(state.heard),
    )


def conference_settings(state: chair.State) -> ConferenceSettings:
    """Under which settings a conference is counted."""
    spec = catalogue.protocol(state.convened.protocol)
    count = catalogue.count(spec.count.name).count
    written = chair.counting_settings(spec, state.convened.settings)
    terms: ConferenceSettings = catalogue.bind(count, written, f"count {spec.count.name!r}").get("terms", USUAL)
    return terms
