"""What a deliberation's events say, counted by hand: nothing here is shared with the views or with what counts.

Only what a statement is about is recounted: who cast which ballot, who was silent, what it cost. Whether a rulebook
decides rightly is another promise.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from statistics import median

from quorate.model import (
    Approval,
    Asked,
    Ballot,
    Convened,
    Decided,
    Estimate,
    Event,
    Found,
    Ranking,
    Silent,
    Spoken,
    Verdict,
    Withdrawn,
)

Slot = tuple[str, str, str]
"""Round, seat and whom it is about."""
IN_ROUNDS = ("conference", "ranked", "delphi")
SCALE = ("ACT", "WARN", "REFUSE")


@dataclass(frozen=True)
class Cast:
    """A seat's ballot and the round it is from."""

    round: str
    ballot: Ballot


@dataclass
class Facts:
    """One record, taken apart."""

    events: Sequence[Event]
    asked: list[Asked] = field(default_factory=list)
    spoken: list[Spoken] = field(default_factory=list)
    silent: list[Silent] = field(default_factory=list)
    withdrawn: list[Withdrawn] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Sort the events by kind."""
        first = self.events[0]
        assert isinstance(first, Convened)
        self.convened = first
        self.settings = dict(first.settings)
        self.protocol = first.protocol
        self.voters = [seat.name for seat in first.panel if "vote" in seat.powers]
        self.guardians = [seat.name for seat in first.panel if "veto" in seat.powers]
        for event in self.events:
            for kind, held in (
                (Asked, self.asked), (Spoken, self.spoken), (Silent, self.silent), (Withdrawn, self.withdrawn),
                (Found, self.found),
            ):  # fmt: skip
                if isinstance(event, kind):
                    held.append(event)  # type: ignore[arg-type]

    @property
    def decided(self) -> bool:
        return any(isinstance(event, Decided) for event in self.events)

    @property
    def verdict(self) -> Verdict:
        return next(event.verdict for event in self.events if isinstance(event, Decided))

    @cached_property
    def settled(self) -> dict[Slot, Event]:
        """What became of each ask in the end; a reply that could not be read settles nothing."""
        done: dict[Slot, Event] = {}
        for event in self.events:
            if isinstance(event, Silent | Withdrawn) or (isinstance(event, Spoken) and not event.unreadable):
                done[event.round, event.seat, event.about] = event
        return done

    def ballot(self, round_: str, seat: str) -> Ballot | None:
        """What a seat cast in a round."""
        event = self.settled.get((round_, seat, ""))
        return event.ballot if isinstance(event, Spoken) else None

    @cached_property
    def rounds(self) -> int:
        """How many rounds every voter has spoken or fallen silent in."""
        if self.settings.get("stop_when_settled") == "true" and self.protocol == "conference" and self.settled:
            return 1  # its only round, which ended before everybody had spoken
        number = 0
        while self.voters and all((str(number + 1), seat, "") in self.settled for seat in self.voters):
            number += 1
        return number

    @cached_property
    def last_round(self) -> str:
        """The round whose ballots are final."""
        if self.protocol == "tribunal":
            if self.agreed_at_once:
                return "analysis"
            return "vote" if any(place[0] == "vote" for place in self.settled) else "revision"
        return {"oracle": "research", "approval": "1"}.get(self.protocol, str(self.rounds))

    @cached_property
    def agreed_at_once(self) -> bool:
        """Whether the sealed ballots stand because all were alike, sure and calm."""
        sealed = [self.ballot("analysis", seat) for seat in self.voters]
        cast = [one for one in sealed if one is not None]
        if (
            self.settings.get("debate") != "when_split"
            or len(cast) < len(sealed)
            or len({one.choice for one in cast}) > 1
        ):
            return False
        sure = [one.confidence for one in cast if one.confidence is not None]
        calm = all(one.risk is not None and one.risk <= Fraction(1, 2) and not one.veto for one in cast)
        return calm and len(sure) == len(cast) and sum(sure, Fraction(0)) / len(sure) >= Fraction(3, 4)

    @cached_property
    def cast(self) -> dict[str, Cast]:
        """Every voter's last ballot, abstentions included."""
        return dict(self._cast(self.last_round))

    @cached_property
    def sealed(self) -> dict[str, Cast]:
        """What every voter cast before it had heard anybody."""
        first = {"tribunal": "analysis", "oracle": "research"}.get(self.protocol, "1")
        if self.protocol in IN_ROUNDS and not self.rounds:
            return {}
        found = {seat: self.ballot(first, seat) for seat in self.voters}
        return {seat: Cast(first, one) for seat, one in found.items() if one is not None}

    def _cast(self, last: str) -> Iterator[tuple[str, Cast]]:
        for seat in self.voters:
            rounds = [str(number) for number in range(self.rounds, 0, -1)] if self.protocol in IN_ROUNDS else [last]
            for name in rounds:
                ballot = self.ballot(name, seat)
                if ballot is None and self.protocol == "tribunal" and (last, seat, "") not in self.settled:
                    opening = self.ballot("analysis", seat)
                    ballot = opening if opening and opening.veto and seat in self.guardians else None
                if ballot is not None:
                    yield seat, Cast(name, ballot)
                    break

    @cached_property
    def sources(self) -> dict[str, int]:
        """By researcher, how many of its sources count: those whose quote stands in a passage on record."""
        texts = [" ".join(passage.text.split()) for found in self.found for passage in found.passages]
        return {
            seat: len(
                {
                    one.quote
                    for one in cast.ballot.evidence
                    if any(" ".join(one.quote.split()) in text for text in texts)
                }
            )
            for seat, cast in self.cast.items()
        }

    @cached_property
    def library(self) -> int:
        """How many documents a closed library holds, 0 where there is none."""
        return max((found.library for found in self.found), default=0)

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Whose findings do not count, and why."""
        if self.protocol != "oracle":
            return {}
        least = int(self.settings.get("min_verified", "1"))
        strict = min(50, self.library or 50) if self.settings.get("few_sources") == "exclude" else 0
        return {
            seat: "unsupported"
            if cast.ballot.choice != "UNDETERMINED" and self.sources[seat] < least
            else "few_sources"
            for seat, cast in self.cast.items()
            if (cast.ballot.choice != "UNDETERMINED" and self.sources[seat] < least) or self.sources[seat] < strict
        }

    @cached_property
    def counted(self) -> dict[str, Cast]:
        """The ballots that are counted: neither abstentions nor findings without sources."""
        return {seat: one for seat, one in self.cast.items() if not one.ballot.abstain and seat not in self.left_out}

    @cached_property
    def groups(self) -> dict[str, str]:
        """By option, the first of those that it counts as one with; by the comparison after the latest round."""
        return self.groups_after(self.rounds)

    def groups_after(self, number: int) -> dict[str, str]:
        """The same after an earlier round."""
        named = [
            ballot.choice
            for at in range(1, number + 1)
            for seat in self.voters
            if (ballot := self.ballot(str(at), seat)) is not None and not ballot.abstain
        ]
        options = list(dict.fromkeys(named))
        done = [
            one for one in self.found if one.kind == "compare" and one.about == "options" and one.round == str(number)
        ]
        if len(options) < 2:
            return {one: one for one in options}
        if not done:
            before = self.groups_after(number - 1) if number > 1 else {}
            return {one: before.get(one, one) for one in options}
        return joined(options, done[-1], Fraction(self.settings.get("alike", "0.7")))

    @cached_property
    def not_needed(self) -> set[str]:
        """Seats that were cancelled or never asked because the outcome was certain without them."""
        stops = self.settings.get("stop_when_settled") == "true" or any(
            one.ballot.veto and seat in self.guardians for seat, one in self.cast.items()
        )
        gone = {event.seat for event in self.withdrawn if not event.about}
        failed = {event.seat for event in self.silent if not event.about}
        return {
            seat for seat in self.voters if seat not in self.cast and seat not in failed and (stops or seat in gone)
        }

    def choice(self, seat: str) -> str:
        """What a seat's counted ballot is for."""
        return self.choice_of(seat, self.counted[seat].ballot)

    def choice_of(self, seat: str, ballot: Ballot) -> str:
        """What a ballot of a seat is for, a veto by its name where the seat holds one."""
        if ballot.veto and seat in self.guardians:
            return "VETO"
        return self.groups.get(ballot.choice, ballot.choice) if self.protocol == "conference" else ballot.choice

    def backs(self, seat: str, outcome: str | None) -> bool:
        """Whether a seat's own ballot is for an outcome."""
        if seat not in self.counted:
            return False
        vote = self.counted[seat].ballot.vote
        if isinstance(vote, Approval):
            return outcome in vote.approved
        if isinstance(vote, Ranking):
            return outcome in vote.ranking[0]
        return self.option(seat) == outcome

    def option(self, seat: str) -> str:
        """The word a ballot counts for: a veto is the most cautious one, a probability the side it is on."""
        ballot = self.counted[seat].ballot
        if self.protocol == "oracle":
            return self._side(ballot.choice)
        return SCALE[-1] if ballot.veto else self.choice_of(seat, ballot)

    def _side(self, choice: str) -> str:
        answers = self.settings.get("answers")
        if answers == "probability":
            value = Fraction(choice)
            return "UNDETERMINED" if value == Fraction(1, 2) else "YES" if value > Fraction(1, 2) else "NO"
        if answers == "number":
            values = [Fraction(one.ballot.choice) for one in self.counted.values()]
            middle = Fraction(median(values))
            near = Fraction(self.settings.get("tolerance", "5 %").rstrip(" %")) / 100
            value = Fraction(choice)
            return plain(middle) if abs(value - middle) <= near * abs(middle) else plain(value)
        return choice

    @cached_property
    def heads(self) -> Counter[str]:
        """How many seats themselves chose each option."""
        count: Counter[str] = Counter()
        for seat, one in self.counted.items():
            vote = one.ballot.vote
            if isinstance(vote, Approval):
                count.update(vote.approved)
            elif isinstance(vote, Ranking):
                count.update(vote.ranking[0] if len(vote.ranking[0]) == 1 else ())
            else:
                count[self.option(seat)] += 1
        return count

    @cached_property
    def values(self) -> list[Fraction]:
        """The numbers that are counted, the lowest first."""
        numbers = [one.ballot.vote.value for one in self.counted.values() if isinstance(one.ballot.vote, Estimate)]
        if self.settings.get("answers") in {"number", "probability"}:
            numbers = [Fraction(one.ballot.choice) for one in self.counted.values()]
        return sorted(numbers)

    def sure(self, seats: Iterator[str] | Sequence[str] | None = None) -> Fraction | None:
        """The mean confidence of these seats' ballots, or of all."""
        said = [self.counted[seat].ballot.confidence for seat in (self.counted if seats is None else seats)]
        known = [one for one in said if one is not None]
        return sum(known, Fraction(0)) / len(known) if known else None

    @cached_property
    def changed(self) -> dict[str, tuple[str, str]]:
        """Who ended at something else than it had sealed, with both."""
        found: dict[str, tuple[str, str]] = {}
        for seat in self.counted:
            before = self.sealed.get(seat)
            if before is None or before.ballot.abstain:
                continue
            was, now = self.choice_of(seat, before.ballot), self.choice(seat)
            if was != now:
                found[seat] = (was, now)
        return found


def joined(options: list[str], found: Found, alike: Fraction) -> dict[str, str]:
    """Complete linkage, the most alike first: two groups are one if every pair across them may be."""
    same = {frozenset(pair) for pair in found.same}
    score = {frozenset((i, j)): value for i, j, value in found.scores}
    may = {pair for pair in same if score.get(pair, Fraction(0)) >= alike}
    home = {at: {at} for at in range(len(options))}
    for pair in sorted(may, key=lambda one: (-score[one], sorted(options[at] for at in one))):
        i, j = sorted(pair)
        if home[i] is not home[j] and all(frozenset((a, b)) in may for a in home[i] for b in home[j]):
            whole = home[i] | home[j]
            for at in whole:
                home[at] = whole
    return {option: options[min(home[at])] for at, option in enumerate(options)}


def plain(value: Fraction) -> str:
    """A number without needless digits; those that are drawn end soon."""
    return str(value.numerator) if value.denominator == 1 else str(float(value))
