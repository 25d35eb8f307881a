"""How a discussion in rounds goes: who holds what, how still the positions are, and whether to stop."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from statistics import median
from string import ascii_uppercase
from typing import Final, Literal

from quorate.analysis.option_groups import OptionPair, OptionScores, group, regroupings
from quorate.frozen import dataclass, fast_init
from quorate.model import Ballot, Course, Heard, Panel, Seat
from quorate.model.tally import Stop

__all__ = [
    "USUAL",
    "ConferenceSettings",
    "LatestVote",
    "Mode",
    "OtherNames",
    "SpeechSimilarity",
    "ballot_paper",
    "compared_options",
    "count_rounds",
    "course_of",
    "group_names",
    "held_options",
    "latest",
    "named_options",
    "options_of",
    "other_names",
    "speaker_letters",
    "talk",
]

Mode = Literal["quick", "conference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConferenceSettings:
    """A discussion's settings as they were given.

    From where on positions are still, drift apart and options are one, and when it may and must end.
    """

    mode: Mode = "conference"
    min_rounds: int = 2
    max_rounds: int = 5
    respect_min_rounds: bool = True
    early_stopping: bool = True
    stop_share: Fraction = Fraction(2, 3)
    still: Fraction = Fraction(85, 100)
    apart: Fraction = Fraction(40, 100)
    alike: Fraction = Fraction(70, 100)

    @property
    def most(self) -> int:
        """The rounds after which it must end; a quick one has one."""
        return 1 if self.mode == "quick" else self.max_rounds

    @property
    def least(self) -> int:
        """The rounds before which nothing but their number may end it."""
        return min(self.min_rounds, self.most) if self.respect_min_rounds else 1


USUAL: Final = ConferenceSettings()
"""As they are when nobody says otherwise."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class LatestVote:
    """A seat's latest valid vote and the round it was cast in."""

    seat: str
    round: int
    ballot: Ballot


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSimilarity:
    """How like its own last speech each seat's is. The minimum decides, the median is shown."""

    status: str = ""
    round: int = 0
    each: tuple[tuple[str, Fraction], ...] = ()

    @property
    def lowest(self) -> Fraction | None:
        return min((score for _, score in self.each), default=None)

    @property
    def middle(self) -> Fraction | None:
        return median([score for _, score in self.each]) if self.each else None

    @property
    def mean(self) -> Fraction | None:
        return sum((score for _, score in self.each), Fraction(0)) / len(self.each) if self.each else None


def count_rounds(heard: Heard) -> int:
    """How many rounds are over: every voting seat has spoken or fallen silent."""
    number = 0
    while heard.panel.voters and heard.settled(str(number + 1), *heard.panel.voters):
        number += 1
    return number


def latest(heard: Heard, upto: int) -> tuple[LatestVote, ...]:
    """Each seat's latest valid vote, in the order of rounds, then of seats; earlier ones are history."""
    found: list[LatestVote] = []
    for seat in heard.panel.voters:
        for number in range(upto, 0, -1):
            ballot = heard.ballot(str(number), seat)
            if ballot is not None:
                found.append(LatestVote(seat=seat.name, round=number, ballot=ballot))
                break
    return tuple(sorted(found, key=lambda vote: vote.round))


def options_of(heard: Heard, upto: int) -> tuple[str, ...]:
    """The different options named so far, in the order of rounds, then of seats: what is to be compared."""
    ballots = (heard.ballot(str(number), seat) for number in range(1, upto + 1) for seat in heard.panel.voters)
    return tuple(dict.fromkeys(ballot.choice for ballot in ballots if ballot and not ballot.abstain))


def held_options(heard: Heard, upto: int) -> tuple[str, ...]:
    """The different options that a seat still holds."""
    return tuple(dict.fromkeys(vote.ballot.choice for vote in latest(heard, upto) if not vote.ballot.abstain))


def compared_options(heard: Heard, number: int) -> OptionScores | None:
    """What the comparison after a round found; none where there was nothing to compare, or the list was closed."""
    found = heard.found("compare", str(number), about="options")
    return OptionScores(scores=found.scores, same=found.same) if found else None


def group_names(heard: Heard, number: int, alike: Fraction) -> dict[str, str]:
    """The name under which each option named so far counts; without a comparison every option is its own group.

    A vote that was cast before the list was closed counts for the listed option it was grouped with.
    """
    options = options_of(heard, number)
    compared = compared_options(heard, number) if len(options) > 1 else None
    if len(options) <= 1 or (compared is None and number <= 1):
        return {option: option for option in options}
    if compared is None:
        before = group_names(heard, number - 1, alike)
        return {option: before.get(option, option) for option in options}
    grouped = group(options, compared, alike)
    return {option: one.name for one in grouped.groups for option in one.members}


OtherNames = tuple[tuple[OptionPair, ...], Mapping[str, str]]
"""Pairs of options taken for the same, and the name each option then counts under."""


def other_names(heard: Heard, number: int, alike: Fraction) -> Iterator[OtherNames]:
    """The names options would count under if pairs that could be the same were, with those pairs."""
    options = options_of(heard, number)
    compared = compared_options(heard, number) if len(options) > 1 else None
    if compared is not None:
        for pairs, grouped in regroupings(options, compared, held_options(heard, number), alike):
            yield pairs, {option: one.name for one in grouped.groups for option in one.members}


def named_options(heard: Heard, number: int, alike: Fraction) -> tuple[str, ...]:
    """The options named up to a round, grouped: what is put to the vote by name in the next one.

    Those that somebody still holds come first into the list where there are too many; the order is by first mention.
    """
    names = group_names(heard, number, alike)
    held = {names[option] for option in held_options(heard, number)}
    listed = list(dict.fromkeys(names.values()))
    chosen = [name for name in listed if name in held] + [name for name in listed if name not in held]
    return tuple(name for name in listed if name in set(chosen[:MOST_NAMED]))


MOST_NAMED: Final = 20


def ballot_paper(heard: Heard, alike: Fraction) -> tuple[str, ...]:
    """The options nominated in the first round, grouped: the closed list of the rounds after it."""
    return tuple(dict.fromkeys(group_names(heard, 1, alike).values()))


def talk(heard: Heard, number: int, terms: ConferenceSettings) -> SpeechSimilarity:
    """What similarity says of the talk after a round; from the second on, and silence takes no part."""
    now, before = _stillness(heard, number), _stillness(heard, number - 1)
    if not now:
        return SpeechSimilarity(round=number)
    low, last = min(now.values()), min(before.values(), default=None)
    each = tuple(now.items())
    if low >= terms.still and last is not None and last >= terms.still:
        names = group_names(heard, number, terms.alike)
        split = len({names[option] for option in held_options(heard, number)}) > 1
        return SpeechSimilarity(status="impasse" if split else "converged", round=number, each=each)
    if low < terms.apart:
        stuck = last is not None and last < terms.apart
        return SpeechSimilarity(status="impasse" if stuck else "diverging", round=number, each=each)
    return SpeechSimilarity(status="refining", round=number, each=each)


def _stillness(heard: Heard, number: int) -> dict[str, Fraction]:
    """By seat, how like its speech is to its own of the round before."""
    found = {seat.name: heard.found("compare", str(number), seat.name) for seat in heard.panel.voters}
    return {seat: one.scores[0][2] for seat, one in found.items() if one is not None and one.scores}


def course_of(heard: Heard, terms: ConferenceSettings) -> Course:
    """The rounds held and whether they were the last: `complete` is what goes on, as far as the talk is concerned.

    Who asks and who counts both go by this; it holds once what was to be compared of the last round has been.
    """
    last = count_rounds(heard)
    said = talk(heard, last, terms)
    return Course(
        rounds=tuple(str(number) for number in range(1, last + 1)),
        stop=_stop_after(heard, said, terms) or "complete",
        status=said.status,
        similarity=said.middle,
    )


def _stop_after(heard: Heard, said: SpeechSimilarity, terms: ConferenceSettings) -> Stop | None:
    """Why the discussion ends after a round, none if it goes on."""
    number = said.round
    if number >= terms.most:
        return "max_rounds"
    if number < terms.least:
        return None
    if terms.early_stopping and _content(heard, number) >= terms.stop_share:
        return "early"
    return "converged" if said.status == "converged" else "impasse" if said.status == "impasse" else None


def _content(heard: Heard, number: int) -> Fraction:
    """The share of the configured seats that said in this round that they are content to end."""
    panel: Panel = heard.panel
    done = sum(_ends(heard.ballot(str(number), seat)) for seat in panel.voters)
    return Fraction(done, len(panel.voters)) if panel.voters else Fraction(0)


def _ends(ballot: Ballot | None) -> bool:
    return ballot is not None and not ballot.continue_debate


def own_speeches(heard: Heard, number: int, seat: Seat) -> tuple[str, str] | None:
    """A seat's speech of the round before and of this one, if it made both."""
    before, now = heard.speech(str(number - 1), seat), heard.speech(str(number), seat)
    return (before.text, now.text) if before and now else None


def speaker_letters(place: int) -> str:
    """What an anonymous speaker is called: A to Z, then AA, AB and so on."""
    more, last = divmod(place, len(ascii_uppercase))
    return (ascii_uppercase[more - 1] if more else "") + ascii_uppercase[last]
