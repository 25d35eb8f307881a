"""Decides any ballots of a rulebook under proof, as `quorate decide` would, and remembers what it came to."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import combinations_with_replacement, pairwise, permutations, product
from traceback import format_exception_only
from typing import Final, cast

from quorate import rules
from quorate.chair import State, tally_of
from quorate.frozen import dataclass
from quorate.model import Convened, Panel, Question, Rulebook, Seat, Silence, Speech
from quorate.model.specs import ProtocolSpec, Settings
from quorate.offline.prove_ballots import BallotKind, BallotSet
from quorate.reading.text.answer_file import FileAnswer
from quorate.reading.text.strict_json import load_json

__all__ = ["MOST", "Casts", "CountResult", "ProofBench", "Subject"]

MOST: Final = 7
"""Seats up to which everything is gone through."""
Casts = tuple[BallotKind, ...]
Word = Speech | Silence


@dataclass(frozen=True, slots=True)
class CountResult:
    """What ballots come to: an outcome and whether it is decided, or the error that was raised instead."""

    outcome: str | None
    decided: bool
    rule: str
    error: str = ""

    @property
    def words(self) -> str:
        """For a person."""
        if self.error:
            return f"an error ({self.error})"
        return f"{self.outcome or 'no outcome'}{'' if self.decided else ', undecided'} (rule {self.rule})"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is under proof: a rulebook, and the protocol whose ballots it decides on."""

    name: str
    protocol: str
    book: Rulebook
    settings: Settings
    spec: ProtocolSpec
    ballots: BallotSet

    @property
    def outcomes(self) -> tuple[str, ...]:
        return self.spec.variant(dict(self.settings)).outcomes

    @property
    def form(self) -> str:
        return self.spec.variant(dict(self.settings)).form

    @property
    def has_vetoes(self) -> bool:
        return any(kind.sort == "veto" for kind in self.ballots.kinds)

    def rank(self, ending: CountResult) -> int:
        """How bold an outcome is, the safest 0; of outcomes that no order ranks, whether anything is decided."""
        known = self.outcomes
        if self.is_ordered:
            return len(known) - 1 - known.index(ending.outcome) if ending.outcome in known else 0
        return int(ending.decided and self.is_finding(ending.outcome))

    @property
    def is_ordered(self) -> bool:
        """Whether outcomes stand in an order of caution, and so do ballots."""
        return self.form in {"decision", "argument"}

    def is_finding(self, outcome: str | None) -> bool:
        """Whether an outcome says something of the matter, and not that it is unknown or that nobody came back."""
        return outcome is not None and (self.form != "finding" or outcome in {self.outcomes[0], self.outcomes[2]})


@dataclass(frozen=True, slots=True)
class ProofBench:
    """So many seats, of which the first hold the veto; or a debate's two sides, round by round."""

    subject: Subject
    seats: tuple[str, ...]
    guardians: int = 0
    known: dict[tuple[tuple[str, ...], bool], CountResult] = field(
        default_factory=dict[tuple[tuple[str, ...], bool], CountResult]
    )
    words: dict[tuple[str, str], Word] = field(default_factory=dict[tuple[str, str], Word])
    states: list[State] = field(default_factory=list[State])
    renamed: "list[ProofBench]" = field(default_factory=list["ProofBench"])

    @property
    def rounds(self) -> int:
        """How many rounds its places are, where sides argue."""
        return len(self.seats) // 2 if self.subject.ballots.rounds else 1

    def decide(self, casts: Casts, *, whole: bool = False) -> CountResult:
        """What these ballots come to, seat by seat; `whole` with all that a verdict rests on."""
        key = (tuple(kind.name for kind in casts), whole)
        if key not in self.known:
            self.known[key] = self._ending(casts, whole=whole)
        return self.known[key]

    def _ending(self, casts: Casts, *, whole: bool) -> CountResult:
        state = self._state()
        heard = {**self._quiet(), **{self._place(at): self._word(at, kind) for at, kind in enumerate(casts)}}
        try:
            tally = tally_of(replace(state, heard=replace(state.heard, words=heard)))
            verdict = rules.apply_strictly(tally, self.subject.book)
            if whole:
                verdict = rules.decide(tally, self.subject.book)
            return CountResult(verdict.outcome, bool(verdict.decided), verdict.rule)
        except (Exception, SystemExit) as wrong:  # noqa: BLE001 - whatever a rule under proof raises is what is found
            return CountResult(None, decided=False, rule="", error=_told(wrong.__cause__ or wrong))

    def _quiet(self) -> dict[tuple[str, str, str], Word]:
        """Where sides argue, whoever else sits there says nothing."""
        if not self.subject.ballots.rounds:
            return {}
        rounds = range(1, self.rounds + 1)
        return {
            (str(at), seat.name, ""): Silence(seat=seat.name, why="not_asked") for at in rounds for seat in self.panel
        }

    def _place(self, at: int) -> tuple[str, str, str]:
        if self.subject.ballots.rounds:
            return str(at // 2 + 1), self.seats[at], ""
        return self.subject.spec.final, self.seats[at], ""

    def _word(self, at: int, kind: BallotKind) -> Word:
        seat, round_ = self.seats[at], self._place(at)[0]
        key = (f"{seat} {round_}", kind.name)
        if key not in self.words:
            self.words[key] = self._read(seat, round_, kind)
        return self.words[key]

    def _read(self, seat: str, round_: str, kind: BallotKind) -> Word:
        fields = cast("dict[str, object]", load_json(json.dumps({"seat": seat, **kind.fields})))
        variant = self.subject.spec.variant(dict(self.subject.settings))
        options = () if variant.listed else variant.choices or variant.outcomes
        if self.subject.ballots.rounds:
            options = ("pro" if seat == self.seats[0] else "con",)
        read = FileAnswer(seat=seat, round=1, fields=fields).read(variant.form, options)
        if read.unreadable:
            return Silence(seat=seat, why=read.unreadable)
        return Speech(
            seat=seat, round=round_, about="", ballot=read.ballot, argument=read.argument, cautions=read.cautions
        )

    def _state(self) -> State:
        if not self.states:
            subject, panel = self.subject, self.panel
            implied = subject.spec.file.settings
            spoke = implied(panel.seats[:2], self.rounds) if implied else ()
            kept = tuple(pair for pair in subject.settings if pair[0] not in dict(spoke))
            self.states.append(
                State.open(
                    Convened(
                        question=Question(text=""), panel=panel, protocol=subject.protocol, rulebook=subject.book,
                        settings=(*kept, *spoke),
                    )
                )
            )  # fmt: skip
        return self.states[0]

    @property
    def panel(self) -> Panel:
        """The panel these ballots are of."""
        if self.subject.ballots.rounds:
            return self.subject.spec.panel
        return Panel(
            seats=tuple(
                Seat(name=name, powers=("vote", "veto") if at < self.guardians else ("vote",))
                for at, name in enumerate(self.seats)
            )
        )

    def every(self, kinds: Sequence[BallotKind]) -> Iterator[Casts]:
        """Every way to vote, once: seats of the same powers, and options that are only names, stand for each other."""
        if self.subject.ballots.rounds:
            yield from product(kinds, repeat=len(self.seats))
            return
        plain = [kind for kind in kinds if kind.sort != "veto"]
        others = len(self.seats) - self.guardians
        first = _first_of_names(self.subject.ballots)
        for held in combinations_with_replacement(kinds, self.guardians):
            for rest in combinations_with_replacement(plain, others):
                casts = (*held, *rest)
                if first(casts):
                    yield casts

    def changed(self, casts: Casts, at: int, kind: BallotKind) -> Casts:
        """The same with one ballot another, written in the order in which every way stands once."""
        after = (*casts[:at], kind, *casts[at + 1 :])
        if self.subject.ballots.rounds:
            return after
        place = {one.name: number for number, one in enumerate(self.subject.ballots.by_name.values())}
        held = sorted(after[: self.guardians], key=lambda one: place[one.name])
        return (*held, *sorted(after[self.guardians :], key=lambda one: place[one.name]))


def _told(wrong: BaseException) -> str:
    """An error in a line, even one that cannot be put into words itself."""
    return " ".join("".join(format_exception_only(wrong)).split())[:200]


_FEW: Final = 3


def _first_of_names(ballots: BallotSet) -> Callable[[Casts], bool]:
    """Whether a way to vote is the one that stands for all that differ from it by the names of options."""
    renamed, options = ballots.renamed, ballots.options
    if renamed is None:
        return lambda _: True
    if len(options) > _FEW:  # one option a vote: named in the order of their votes
        return lambda casts: _falls([sum(kind.name == option for kind in casts) for option in options])
    place = {name: at for at, name in enumerate(ballots.by_name)}
    tables = [
        {
            kind.name: place[renamed(kind, dict(zip(options, order, strict=True)))]
            for kind in ballots.by_name.values()
            if set(kind.chooses) <= set(options)
        }
        for order in permutations(options)
    ]

    def is_first(casts: Casts) -> bool:
        if any(kind.name not in tables[0] for kind in casts):
            return True
        own = sorted(place[kind.name] for kind in casts)
        return all(own <= sorted(table[kind.name] for kind in casts) for table in tables)

    return is_first


def _falls(counts: Sequence[int]) -> bool:
    return all(a >= b for a, b in pairwise(counts))
