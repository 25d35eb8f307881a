"""A record judged again from its words: the guard, every reply, every step the chair may take, the verdict, the review.

What stands in an entry is compared with what the entries before it come to, and must be the same in every field.
A record that another version wrote is refused.
Words may be gone. Whatever is still there is read all the same, with its mark, which hangs on the seed alone.
"""

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Self

from quorate import chair
from quorate.chair.agenda import is_over
from quorate.engine.entry_checks import (
    check_versions,
    order_fault,
    person_fault,
    verdict_fault,
    words_read,
)
from quorate.engine.work_limit import check_work
from quorate.errors import LedgerMismatch
from quorate.frozen import dataclass
from quorate.ledger.serde import count_forgotten, wordless
from quorate.model import (
    AboutAsk,
    Admitted,
    Ask,
    Asked,
    AskKey,
    Convened,
    Decided,
    Event,
    Failed,
    Found,
    Halted,
    Hear,
    Reviewed,
    Routed,
    Silent,
    Spoken,
    TurnedAway,
    TurnedOut,
    Verdict,
    Withdrawn,
    Write,
)
from quorate.model.texts import is_forgotten
from quorate.views import Record

__all__ = ["Audit", "AuditRecord", "Recomputation", "figures", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputation:
    """What a record came to when it was judged again.

    `wrong` says which entry cannot be as it is. `gaps` are the entries whose words are gone in part or all, `unread`
    the replies that could not be read for that; `bare` is a record without any words. `again` is the verdict from the
    ballots on record.
    """

    state: chair.State
    wrong: str = ""
    reworded: tuple[str, ...] = ()
    gaps: frozenset[int] = frozenset()
    unread: tuple[str, ...] = ()
    bare: bool = False
    again: Verdict | None = None

    @property
    def seedless(self) -> bool:
        """Whether nobody can go on with it: the seed did not leave with it, or was forgotten."""
        return is_forgotten(self.state.convened.seed)


@dataclass(frozen=True, kw_only=True)
class AuditRecord(Record):
    """A record that is folded where it is judged: both are done once, by whoever holds it or first looks at it."""

    @cached_property
    def judged(self) -> Recomputation:
        return judge(self.events)

    @cached_property
    def state(self) -> chair.State:
        return self.judged.state

    def with_audit(self, judged: Recomputation) -> Self:
        """The same, as it was judged while it was written."""
        record = self.with_state(judged.state)
        record.__dict__["judged"] = judged
        return record


def judge(events: Sequence[Event]) -> Recomputation:
    """Judge a record again, up to the first entry that cannot be as it is; all of it is folded.

    Raises:
        LedgerMismatch: it does not begin as a record does.
        OtherVersion: another version of quorate judged part of it.
        QuorateError: its protocol, its form or a setting is not known here.
    """
    return Audit.of(events).judged()


def figures(verdict: Verdict) -> tuple[object, ...]:
    """Everything in a verdict except its words and cautions, which may have been forgotten."""
    return (
        verdict.outcome,
        verdict.decided,
        verdict.rule,
        verdict.agreement,
        verdict.confidence,
        verdict.dissent,
        verdict.requires_human_review,
        tuple(asked.rule for asked in verdict.trace),
        verdict.score,
    )


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Audit:
    """The record so far, folded once and judged entry by entry, while it is written or when it is read."""

    state: chair.State
    gaps: frozenset[int] = frozenset()
    first_gap: int = 0
    bare: bool = False
    asks: dict[AskKey, Ask] = field(default_factory=dict[AskKey, Ask])
    unread: list[str] = field(default_factory=list[str])
    reworded: list[str] = field(default_factory=list[str])
    again: Verdict | None = None
    unweighed: bool = False
    """Whether words are gone that an argument is weighed by: then nobody can say what it came to."""
    entries: int = 1
    wrong: str = ""

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Audit":
        """Judge what is on record; what is written from now on is added.

        Raises:
            LedgerMismatch: it does not begin as a record does.
            OtherVersion: another version of quorate judged part of it.
            QuorateError: its protocol, its form or a setting is not known here.
        """
        check_versions(events)
        audit = cls._open(events)
        for event in events[1:]:
            check_work()
            audit.add(event)
        return audit

    @classmethod
    def _open(cls, events: Sequence[Event]) -> "Audit":
        first = events[0] if events else None
        if not isinstance(first, Convened):
            raise LedgerMismatch("the record does not begin with who was convened over what; it was changed or cut")
        left = [count_forgotten(event) for event in events]
        gaps = frozenset(number for number, (gone, _) in enumerate(left, 1) if gone)
        # A person may review or label what was forgotten, and those words are new.
        kept = any(
            there for event, (_, there) in zip(events, left, strict=True) if not isinstance(event, Reviewed | TurnedOut)
        )
        unweighed = any(isinstance(event := events[number - 1], Spoken) and event.argument for number in gaps)
        return cls(
            state=chair.State.open(first),
            gaps=gaps,
            first_gap=min(gaps, default=0),
            bare=bool(gaps) and not kept,
            unweighed=unweighed,
        )

    def judged(self) -> Recomputation:
        """What it has come to so far."""
        return Recomputation(
            state=self.state,
            wrong=self.wrong,
            reworded=tuple(self.reworded),
            gaps=self.gaps,
            unread=tuple(self.unread),
            bare=self.bare,
            again=self.again,
        )

    def add(self, event: Event) -> None:
        """Judge one more entry, and fold it; after one that cannot be as it is nothing is judged any more."""
        self.entries += 1
        self._meet(event)
        if not self.wrong and (wrong := order_fault(self.state, event) or self._wrong_with(self.entries, event)):
            self.wrong = f"entry {self.entries} {wrong}"
        self.state = self.state.after(event)

    def reopen(self) -> None:
        """Begin anew after a failure."""
        self.state = self.state.reopened()
        self.asks.clear()

    def _meet(self, event: Event) -> None:
        if self.state.before(event) is not self.state:
            self.reopen()

    def add_own(self, event: Event) -> None:
        """Fold an entry that this process has just worked out by the same functions: to judge it again tells nothing.

        Where words are gone, it is judged as any other.
        """
        if self.gaps or self.wrong:
            self.add(event)
            return
        self.entries += 1
        if isinstance(event, TurnedAway | Decided):
            self.again = event.verdict
        self.state = self.state.after(event)

    def _wrong_with(self, number: int, event: Event) -> str:
        """Why an entry that may come where it stands cannot be as it is; empty if it can."""
        match event:
            case Admitted() | TurnedAway():
                return self._guarded(number, event)
            case Decided() | Failed():
                return self._decided(event) if isinstance(event, Decided) else self._failed(event)
            case Reviewed() | TurnedOut():
                return person_fault(self.state, event, gaps=bool(self.gaps))
            case Routed():
                seats = {seat.name for seat in self.state.brief.panel}
                return "" if event.seated.seat in seats else f"seats {event.seated.seat}, and there is no such seat"
            case Convened() | Halted():
                return ""
            case _:
                return self._heard(number, event)

    def _guarded(self, number: int, event: Admitted | TurnedAway) -> str:
        if isinstance(event, TurnedAway):
            meant = chair.turned_away(self.state, event.verdict.cautions, event.reasons)
            self.again = meant.verdict
            if not event.reasons or figures(meant.verdict) != figures(event.verdict):
                return verdict_fault(event.verdict, meant.verdict, "a question that is turned away")
        if 1 in self.gaps:
            return ""
        judged = chair.examine_question(self.state)
        if judged == event or (number in self.gaps and _same_but_words(judged, event)):
            return ""
        return "is not what the guard says of the question"

    def _heard(self, number: int, event: Event) -> str:
        """What came of asks and errands; without any words a record can be followed no more than counted."""
        if self.bare:
            return ""
        match event:
            case Found():
                key = event.key
                known = self._after_gap(number) or self.state.due(key) is not None
                return "" if known else f"brings what nobody looked up: {key.kind} {key.round}"
            case Asked():
                return self._asked(number, event)
            case Spoken():
                return self._once_more(event) or self._spoken(number, event)
            case Silent() | Withdrawn():
                return self._once_more(event) or self._gone(number, event)
            case _:
                return ""

    def _after_gap(self, number: int) -> bool:
        """Whether words are gone that may have gone into what was asked there."""
        return 0 < self.first_gap < number

    def _asked(self, number: int, event: Asked) -> str:
        ask = self._ask(event.key)
        if ask is None and self._after_gap(number):
            return ""
        if ask is None:
            return f"holds ask {tuple(event.key)}, which protocol {self.state.convened.protocol!r} would not make here"
        if event.sending != (self.state.asked.get(event.key) or 0) + 1:
            return f"sends ask {tuple(event.key)} for the time {event.sending}, which is not the next"
        if event.prompt != ask.prompt.template and not (is_forgotten(event.prompt) or self._after_gap(number)):
            self.reworded.append(f"the prompt of {event.seat} in round {event.round} is worded differently today")
        return ""

    def _ask(self, key: AskKey) -> Ask | None:
        """An ask as it went out, worked out once: when its prompt was sent, else when the answer came."""
        if key not in self.asks:
            step = self.state.due(key)
            if not isinstance(step, Hear):
                return None
            self.asks[key] = self.state.put(step.ask)
        return self.asks[key]

    def _once_more(self, event: AboutAsk) -> str:
        """What is wrong if its ask was answered before; a reply that was no answer may be asked for once more."""
        again = isinstance(event, Spoken) and is_over(self.state, event.key)
        answered = again or event.key[:3] in self.state.heard.words
        return f"is one more answer of {event.seat} in round {event.round}" if answered else ""

    def _spoken(self, number: int, event: Spoken) -> str:
        ask = self._ask(event.key)
        where = f"{event.seat} in round {event.round}"
        if ask is None and not self._after_gap(number):
            return f"holds a reply of {where}, which was not asked for"
        if ask is None or any(map(is_forgotten, (event.reply.text, self.state.convened.seed, *ask.options))):
            self.unread.append(f"{where} (entry {number})")
            return ""
        read = chair.heard_reply(ask, event)
        if read == event or (number in self.gaps and _same_but_words(read, event)):
            return ""
        return f"records {words_read(event)} for {where}; its words read {words_read(read)}"

    def _gone(self, number: int, event: Silent | Withdrawn) -> str:
        # Nothing is assumed for a seat that isn't needed, so an ask that is still due can't have been cancelled.
        if isinstance(event, Withdrawn) and self.state.due(event.key) is not None and not self._after_gap(number):
            return f"withdraws an ask of {event.seat} in round {event.round} that was still due"
        known = (
            self._after_gap(number)
            or event.key in self.asks
            or event.key[:3] in self.state.unread
            or self.state.due(event.key) is not None
        )
        return "" if known else f"holds a silence of {event.seat} in round {event.round}, who was not asked"

    def _failed(self, event: Failed) -> str:
        due = chair.steps(self.state)
        return "" if due == (Write(event),) else "says that nobody could be asked, and that was not so"

    def _decided(self, event: Decided) -> str:
        if self.state.admitted is None:
            return "decides before the question was let in"
        due = (Write(Decided(verdict=chair.verdict_of(self.state))),) if self.gaps else chair.steps(self.state)
        match due:
            case (Write(event=Decided(verdict=verdict)),):
                self.again = verdict
            case _:
                return "decides before everybody was heard"
        same = self._same_figures(event.verdict, self.again) if self.gaps else event.verdict == self.again
        return "" if same else verdict_fault(event.verdict, self.again, "its ballots")

    def _same_figures(self, recorded: Verdict, again: Verdict) -> bool:
        return self.unweighed or figures(recorded) == figures(again)


def _same_but_words(read: Admitted | TurnedAway | Spoken, event: Admitted | TurnedAway | Spoken) -> bool:
    return wordless(read) == wordless(event)
