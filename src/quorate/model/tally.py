"""Ballots as counted: all that a rule may look at."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Literal, TypedDict

from quorate.frozen import dataclass, fast_init
from quorate.model.ballot import Approval, Ranking, Silence, Vote
from quorate.model.numbers import mean, ratio
from quorate.model.once import worked_out_once
from quorate.model.texts import WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """Something a reader should know that changes no outcome: a name, whom it concerns, a sentence."""

    name: str
    text: str = field(metadata=WORDS)
    seat: str = ""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """A seat's ballot as counted, or one argument of a debate with its round and what its marks are.

    `value` is the number or the probability a seat named, where that is what was asked for; `vote` is the whole vote
    where it is more than an option, and `option` then what of it counts as a head.
    """

    seat: str
    option: str
    weight: Fraction = Fraction(1)
    confidence: Fraction | None = None
    risk: Fraction | None = None
    reason: str = ""
    veto: bool = False
    assumed: bool = False
    carried_from: str = ""
    evidence: int = 0
    round: str = ""
    quality: Fraction | None = None
    consistency: Fraction | None = None
    value: Fraction | None = None
    vote: Vote | None = None
    quotes: tuple[str, ...] = ()
    """What it quotes from sources that count, the best first."""
    conditions: tuple[str, ...] = ()
    """What must hold before anyone goes ahead, as far as the seat says; of a vote that warns."""
    words: str = ""
    """The option in the seat's own words, where options are grouped; `option` is what they count as."""

    @property
    def choice(self) -> str:
        """The vote as it is shown: the whole of it, where it is more than an option."""
        return "VETO" if self.veto else self.option if self.vote is None else str(self.vote)

    @property
    def is_merged(self) -> bool:
        """Whether it counts as an option that the seat put in other words."""
        return bool(self.words) and self.words != self.option

    @property
    def choices(self) -> tuple[str, ...]:
        """The options this voice is a head for: every one that is approved, else its one option, if it has one."""
        if self.vote is not None and isinstance(self.vote, Approval):
            return self.vote.approved
        return (self.option,) if self.option else ()

    def backs(self, outcome: str | None) -> bool:
        """Whether this is a vote for an outcome: it is chosen or approved, or nothing is ranked above it."""
        if self.vote is None:
            return self.option == outcome
        match self.vote:
            case Ranking(ranking=(first, *_)):
                return outcome in first
            case Approval(approved):
                return outcome in approved
            case _:
                return self.option == outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A seat that ended elsewhere than its sealed ballot, and whom it had heard in between."""

    seat: str
    was: str
    now: str
    heard: tuple[str, ...] = ()


Stop = Literal["complete", "veto", "agreed", "early", "consensus", "diminishing", "max_rounds", "converged", "impasse"]


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How the deliberation went: the rounds held, why it stopped, and what the talk looked like."""

    rounds: tuple[str, ...] = ()
    stop: Stop = "complete"
    status: str = ""
    similarity: Fraction | None = None
    why: str = ""
    """Why it stopped where it did, in a sentence with its figures; empty where there was nothing to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Of the eligible seats, how many gave a ballot, were carried, abstained, failed or weren't needed; all add up."""

    eligible: int
    received: int
    carried: int
    abstained: int
    failed: int
    not_needed: int


class _Sums(TypedDict):
    """What one walk over the voices of a tally finds, each by the name it has there."""

    vetoes: tuple[Voice, ...]
    assumed: tuple[Voice, ...]
    all_stated: tuple[Voice, ...]
    is_plain: bool
    counted: Mapping[str, int]
    leaders: tuple[str, ...]
    agreement: Fraction


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Everything counted. Every share is taken over the eligible seats, never over those who answered.

    It has no slots, so that what every rule asks for is added up once.
    """

    eligible: tuple[str, ...]
    options: tuple[str, ...]
    voices: tuple[Voice, ...] = ()
    silent: tuple[Silence, ...] = ()
    abstained: tuple[str, ...] = ()
    not_needed: tuple[str, ...] = ()
    """Seats whose ballot nobody waited for: a veto had ended it, or the count was settled. They are not silent."""
    guardians: tuple[str, ...] = ()
    course: Course = Course()
    sealed: "Tally | None" = None
    changes: tuple[Change, ...] = ()
    domains: tuple[tuple[str, str], ...] = ()
    meant: tuple[tuple[str, str], ...] = ()
    """The fault domain of each seat before any fallback: who was meant to be independent of whom."""
    cautions: tuple[Caution, ...] = ()
    demo: bool = False
    listed: tuple[str, ...] = ()
    """The closed list that seats had to choose from, where the question gave one and outcomes are open."""
    sides: bool = False
    """Whether sides were given out beforehand, as in a debate: then no share of the seats says anything."""
    figures: tuple[tuple[str, Fraction], ...] = ()
    """Numbers about the whole that a rule may look at, by name: the overlap of sources, a median, a probability."""

    def figure(self, name: str) -> Fraction | None:
        """One of the figures, none if it was not counted."""
        return dict(self.figures).get(name)

    @worked_out_once
    def vetoes(self) -> tuple[Voice, ...]:
        return self._add_up()["vetoes"]

    @worked_out_once
    def assumed(self) -> tuple[Voice, ...]:
        """The votes that were assumed for silent seats."""
        return self._add_up()["assumed"]

    @worked_out_once
    def counted(self) -> Mapping[str, int]:
        """Heads of every option that somebody chose: the listed ones in their order, then as they were first heard.

        A vote without a single first choice has no option, and so no head.
        """
        return self._add_up()["counted"]

    @worked_out_once
    def weighed(self) -> Mapping[str, Fraction]:
        """Weights of the same options."""
        weights = dict.fromkeys(self.counted, Fraction(0))
        for voice in self.voices:
            for option in voice.choices:
                weights[option] += voice.weight
        return weights

    def heads(self, option: str) -> int:
        """How many seats chose an option."""
        return self.counted.get(option, 0)

    def weight(self, option: str) -> Fraction:
        """How much weight an option carries."""
        return self.weighed.get(option, Fraction(0))

    @property
    def cast(self) -> tuple[str, ...]:
        """The options that somebody chose."""
        return tuple(self.counted)

    @worked_out_once
    def leaders(self) -> tuple[str, ...]:
        """Every option with the most heads: more than one is a tie."""
        return self._add_up()["leaders"]

    @property
    def heaviest(self) -> tuple[str, ...]:
        """Every option with the most weight."""
        most = max(self.weighed.values(), default=Fraction(0))
        return tuple(option for option, weight in self.weighed.items() if weight == most)

    def support(self, option: str) -> Fraction:
        """The share of the eligible seats that chose an option."""
        return ratio(self.heads(option), len(self.eligible)) if self.eligible else Fraction(0)

    @worked_out_once
    def agreement(self) -> Fraction:
        """The share of the eligible seats behind the leading option."""
        return self._add_up()["agreement"]

    @property
    def merged(self) -> Mapping[str, tuple[str, ...]]:
        """Every option that several wordings count as, with those wordings, its own name first.

        The votes before the discussion are counted in the same groups, so their wordings are here too.
        """
        words: dict[str, dict[str, None]] = {}
        for voice in (*self.voices, *(self.sealed.voices if self.sealed else ())):
            if voice.words and voice.value is None:  # a number is no wording
                words.setdefault(voice.option, {voice.option: None})[voice.words] = None
        return {option: tuple(named) for option, named in words.items() if len(named) > 1}

    def behind(self, outcome: str | None) -> Fraction | None:
        """The share of the eligible seats behind an outcome; of votes that are one option each, behind the leader."""
        if self.is_plain:
            return self.agreement
        backing = {voice.seat for voice in self.voices if voice.backs(outcome)}
        return None if outcome is None else Fraction(len(backing), max(1, len(self.eligible)))

    @worked_out_once
    def is_plain(self) -> bool:
        """Whether every vote is one option."""
        return self._add_up()["is_plain"]

    def stated(self, option: str | None = None) -> tuple[Voice, ...]:
        """The voices that a seat itself stated, for one option or for all."""
        return self.all_stated if option is None else tuple([voice for voice in self.all_stated if voice.backs(option)])

    @worked_out_once
    def all_stated(self) -> tuple[Voice, ...]:
        """The voices that a seat itself stated."""
        return self._add_up()["all_stated"]

    def _add_up(self) -> _Sums:
        """What nearly every rule asks for, from one walk over the voices: the first who asks pays for the others."""
        vetoes: list[Voice] = []
        assumed: list[Voice] = []
        seats: set[str] = set()
        heads: dict[str, int] = {}
        plain = True
        for voice in self.voices:
            seats.add(voice.seat)
            if voice.veto:
                vetoes.append(voice)
            if voice.assumed:
                assumed.append(voice)
            if voice.vote is not None:
                plain = False
            elif voice.option:
                heads[voice.option] = heads.get(voice.option, 0) + 1
        if not plain or len(seats) < len(self.voices):
            heads = self._heads_of_many()
        counted, leaders, agreement = self._ranked(heads)
        sums: _Sums = {
            "vetoes": tuple(vetoes),
            "assumed": tuple(assumed),
            "all_stated": tuple([voice for voice in self.voices if not voice.assumed]) if assumed else self.voices,
            "is_plain": plain,
            "counted": counted,
            "leaders": leaders,
            "agreement": agreement,
        }
        self.__dict__.update(sums)
        return sums

    def _heads_of_many(self) -> dict[str, int]:
        """Where a vote or a seat names several options: a seat is one head for an option, however often it names it."""
        heads: dict[str, int] = {}
        for option, _ in dict.fromkeys([(option, voice.seat) for voice in self.voices for option in voice.choices]):
            heads[option] = heads.get(option, 0) + 1
        return heads

    def _ranked(self, heads: Mapping[str, int]) -> tuple[Mapping[str, int], tuple[str, ...], Fraction]:
        """Heads in the order of the options, those with the most, and their share of the seats."""
        counted: dict[str, int] = {}
        for option in self.options:
            if option in heads:
                counted[option] = heads[option]
        counted.update(heads)
        most = 0
        leaders: list[str] = []
        for option, number in counted.items():
            if number > most:
                most, leaders = number, [option]
            elif number == most:
                leaders.append(option)
        return counted, tuple(leaders), ratio(most, len(self.eligible)) if self.eligible else Fraction(0)

    @property
    def first_votes(self) -> Mapping[str, str]:
        """What each seat chose before it had heard anybody, named as it is counted unless it has changed since."""
        now = {voice.seat: voice.option for voice in self.stated() if voice.option}
        moved = {change.seat: change.was for change in self.changes}
        first = now if self.sealed is None else {voice.seat: voice.option for voice in self.sealed.voices}
        return {seat: moved.get(seat) or now.get(seat) or option for seat, option in first.items()}

    def for_and_against(self, outcome: str | None) -> tuple[Sequence[Fraction], Collection[str]]:
        """How sure those are who stated a vote for an outcome, as far as they say; and who stated another."""
        sure: list[Fraction] = []
        others: dict[str, None] = {}
        plain = self.is_plain
        for voice in self.all_stated:
            if not (voice.option == outcome if plain else voice.backs(outcome)):
                others[voice.seat] = None
            elif voice.confidence is not None:
                sure.append(voice.confidence)
        return sure, others

    def confidence(self, option: str | None = None) -> Fraction | None:
        """The mean of the stated confidences, none if nobody stated one."""
        said = [voice.confidence for voice in self.stated(option) if voice.confidence is not None]
        return mean(said) if said else None

    @property
    def participation(self) -> Participation:
        stated = {voice.seat for voice in self.stated()}
        carried = len({voice.seat for voice in self.voices if voice.carried_from})
        return Participation(
            eligible=len(self.eligible),
            received=len(stated) - carried,
            carried=carried,
            abstained=len(self.abstained),
            failed=len(self.eligible) - len(stated) - len(self.abstained) - len(self.not_needed),
            not_needed=len(self.not_needed),
        )

    def assuming(self, option: str) -> "Tally":
        """The same tally with a vote assumed for every silent seat, left out of means and maxima."""
        assumed = (Voice(seat=gone.seat, option=option, reason=gone.why, assumed=True) for gone in self.silent)
        return replace(self, voices=tuple(in_order((*self.voices, *assumed), self.eligible)))


def in_order(voices: tuple[Voice, ...], seats: tuple[str, ...]) -> Iterator[Voice]:
    """Voices in the order of the seats, so that who spoke first never shows."""
    place = {seat: number for number, seat in enumerate(seats)}
    return iter(sorted(voices, key=lambda voice: place.get(voice.seat, len(place))))
