"""Pure. Everything written so far becomes what happens next."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from quorate import catalogue, guard, rules
from quorate.analysis.fault_domains import merge_domains
from quorate.errors import LedgerMismatch, UnknownName
from quorate.model import (
    Adjourn,
    Admitted,
    Ask,
    Asked,
    AskKey,
    Brief,
    Caution,
    Convened,
    Decided,
    Errand,
    ErrandKey,
    Event,
    Found,
    Halted,
    Hear,
    Heard,
    Prompt,
    Quote,
    Routed,
    Run,
    Seat,
    SeatModel,
    Silence,
    Silent,
    Speech,
    Spoken,
    Step,
    Tally,
    TurnedAway,
    Verdict,
    Withdrawn,
    Write,
)
from quorate.model.ask import OWN, Part
from quorate.model.heard import Place
from quorate.model.panel import is_person, is_uninformed
from quorate.model.specs import ProtocolSpec
from quorate.reading.text.redaction import speech_of

__all__ = [
    "VERSION",
    "State",
    "examine_question",
    "heard_reply",
    "replay",
    "steps",
    "tally_of",
    "turned_away",
    "verdict_of",
]

ATTEMPTS = 2

VERSION = 1
"""Raised when the same question, words or ballots are judged otherwise than before, so that no old record is called
forged for it. Records from before there was a version say 0."""


@dataclass(frozen=True, kw_only=True)
class State:
    """Everything written so far, folded: what the chair looks at.

    It has no slots, so that the next state is a copy of one dictionary: `replace` costs ten times as much per event.
    """

    convened: Convened
    brief: Brief
    play: Callable[[Brief, Heard], Iterator[Ask | Errand]]
    heard: Heard
    asked: Mapping[AskKey, int] = field(default_factory=dict[AskKey, int])
    unread: Mapping[Place, Spoken] = field(default_factory=dict[Place, Spoken])
    kept: Mapping[Place, Spoken] = field(default_factory=dict[Place, Spoken])
    """First attempts without a ballot whose words stay said if the second has one, and for some reasons even if not."""
    speaks: frozenset[str] = frozenset()
    withdrawn: tuple[Withdrawn, ...] = ()
    seated: tuple[SeatModel, ...] = ()
    meant: tuple[SeatModel, ...] = ()
    """Who sat before anybody was asked: the independence that was meant, whatever became of it."""
    admitted: Admitted | None = None
    closed: TurnedAway | Decided | Halted | None = None

    @classmethod
    def open(cls, convened: Convened) -> "State":
        """Begin with who was convened over what.

        Raises:
            UnknownName: no such protocol or setting.
            BadSetting: a setting cannot be read.
        """
        spec = catalogue.protocol(convened.protocol)
        known = {setting.name for setting in catalogue.settings(spec.protocol)}
        written = [pair for pair in convened.settings if pair[0] in known]
        counting_settings(spec, convened.settings)
        return cls(
            convened=convened,
            brief=Brief(
                question=convened.question, panel=convened.panel, settings=convened.settings, seed=convened.seed
            ),
            play=partial(spec.protocol, **catalogue.bind(spec.protocol, written, f"protocol {convened.protocol!r}")),
            heard=Heard(convened.panel),
            seated=convened.seated,
            meant=convened.seated,
            speaks=catalogue.form(spec.form).still_speech,
        )

    def after(self, event: Event) -> "State":
        """The state once this has been written too."""
        match event:
            case Asked(key=key):
                return self._with(asked={**self.asked, key: event.sending})
            case Spoken(key=key) if event.unreadable:
                keeps = event.attempt == 1 and event.unreadable in {"unmarked", *self.speaks}
                first = {key[:3]: event} if keeps else {}
                return self._with(unread={**self.unread, key[:3]: event}, kept={**self.kept, **first})
            case Spoken(key=key):
                return self._with(heard=self.heard.plus(key, speech_of(event, self.kept.get(key[:3]))))
            case Silent(key=key):
                kept = self.kept.get(key[:3])
                gone = Silence(seat=event.seat, why=event.why, detail=event.detail)
                speaks = kept is not None and kept.unreadable in self.speaks
                voiceless = replace(speech_of(kept), cautions=(event.why,)) if kept and speaks else gone
                return self._with(heard=self.heard.plus(key, voiceless))
            case _:
                return self._after_rare(event)

    def _after_rare(self, event: Event) -> "State":
        match event:
            case Admitted():
                return self._with(admitted=event)
            case Withdrawn(key=key):
                gone = Silence(seat=event.seat, why=event.why)
                return self._with(heard=self.heard.plus(key, gone), withdrawn=(*self.withdrawn, event))
            case Found():
                found = ErrandKey(event.kind, event.round, event.seat, event.about)
                return self._with(heard=self.heard.plus_found(found, event))
            case TurnedAway() | Decided() | Halted():
                return self._with(closed=event)
            case Routed():
                seated = tuple(event.seated if sat.seat == event.seated.seat else sat for sat in self.seated)
                return self._with(seated=seated, meant=self.meant if self.asked else seated)
            case _:
                return self

    def _with(self, **changes: object) -> "State":
        state = object.__new__(State)
        state.__dict__.update(self.__dict__, **changes)
        if "heard" in changes:
            state.__dict__.pop("wanted", None)
        return state

    @cached_property
    def wanted(self) -> tuple[Ask | Errand, ...]:
        """All that the protocol would have asked by now; it is run again only once something else has been heard."""
        return tuple(self.play(self.brief, self.heard))

    def possible(self) -> dict[AskKey | ErrandKey, Step]:
        """What makes sense to ask, run or write now and is not done, by identity; some of it only after the verdict."""
        late = isinstance(self.closed, Decided)
        due: dict[AskKey | ErrandKey, Step] = {}
        for wanted in self.wanted:
            if isinstance(wanted, Errand):
                if wanted.key not in self.heard.finds:
                    due[wanted.key] = Run(wanted)
            elif wanted.after is late and (key := wanted.key)[:3] not in self.heard.words:
                unread = self.unread.get(key[:3])
                due[key if unread is None else key._replace(attempt=ATTEMPTS)] = self._next(wanted, unread)
        return due

    def _next(self, ask: Ask, unread: Spoken | None) -> Step:
        if unread is None:
            return Hear(ask)
        repair = "" if unread.attempt >= ATTEMPTS else self._repair(ask, unread)
        if not repair:
            return Write(Silent(**unread.key._asdict(), why=unread.unreadable))
        shown = Quote("your reply", unread.reply.text)
        prompt = ask.prompt.plus("\n\nYou replied:\n\n{reply}\n\n{repair}", ("reply", shown), ("repair", repair))
        return Hear(replace(ask, attempt=ATTEMPTS, prompt=prompt))

    def _repair(self, ask: Ask, unread: Spoken) -> str:
        terms = ask.terms(self._mark(ask, ATTEMPTS))
        return catalogue.form(ask.wants).repair(unread.unreadable, terms)

    def put(self, ask: Ask) -> Ask:
        """The ask as it goes out: marked, its ballot paper filled in, its prompt rendered once."""
        mark = self._mark(ask, ask.attempt)
        paper = catalogue.form(ask.wants).instructions(ask.terms(mark))
        sent = self._rendered(ask.prompt, paper, ask.seat)
        return replace(ask, prompt=sent, mark=mark, shown=partial(self._shown, ask, paper))

    def _shown(self, ask: Ask, paper: str) -> str:
        """What others gave the seat to read: all of its prompt but its own words."""
        parts = tuple((name, "" if _is_own(part) else part) for name, part in ask.prompt.parts)
        return self._rendered(Prompt(ask.prompt.template, parts), paper, ask.seat).template

    def _rendered(self, prompt: Prompt, paper: str, seat: Seat) -> Prompt:
        return Prompt(Prompt(prompt.template, (*prompt.parts, ("ballot", paper))).render(self.brief.fence(seat)))

    def _mark(self, ask: Ask, attempt: int) -> str:
        """What the ballot must bear. A person copies no code: nobody else's words come through that keyboard."""
        sat = next((sat for sat in self.seated if sat.seat == ask.seat.name), None)
        return "" if sat and is_person(sat.model) else self.brief.mark(ask.round, ask.seat, attempt)


def steps(state: State) -> tuple[Step, ...]:
    """Everything written so far becomes what happens next."""
    if isinstance(state.closed, Decided):
        return tuple(state.possible().values()) or (Adjourn(),)
    if state.closed is not None:
        return (Adjourn(),)
    if state.admitted is None:
        return (Write(examine_question(state)),)
    due = state.possible()
    unwanted = tuple(
        Write(Withdrawn(**key._asdict(), why="no_longer_needed"))
        for key in state.asked
        if key not in due and key[:3] not in state.heard.words and not _superseded(state, key)
    )
    return (*unwanted, *due.values()) or (Write(Decided(verdict=verdict_of(state), version=VERSION)),)


def _superseded(state: State, key: AskKey) -> bool:
    """A first attempt that came back unreadable is over, whatever becomes of the second."""
    unread = state.unread.get(key[:3])
    return unread is not None and unread.attempt >= key.attempt


def heard_reply(ask: Ask, spoken: Spoken) -> Spoken:
    """Read a reply as the form asks; what cannot be read is kept as it came."""
    terms = replace(ask.terms(ask.mark), shown=ask.shown or ask.prompt.template, last=ask.attempt >= ATTEMPTS)
    read = catalogue.form(ask.wants).read(spoken.reply.text, terms, spoken.reply.finish)
    return replace(
        spoken,
        ballot=read.ballot,
        argument=read.argument,
        cuts=read.cuts,
        unreadable=read.unreadable,
        cautions=read.cautions,
        version=VERSION,
    )


def _is_own(part: Part) -> bool:
    """Whether these are words that the seat itself has said before."""
    return isinstance(part, Quote) and part.label.startswith(OWN)


def replay(events: Iterable[Event], *, check: bool = True) -> State:
    """Fold a record; to check is to compare each ask with what the protocol would have asked at that point.

    Raises:
        LedgerMismatch: the record does not begin with Convened, or holds an ask nobody would have made.
    """
    state: State | None = None
    for event in events:
        if state is None:
            if not isinstance(event, Convened):
                raise LedgerMismatch(f"the record begins with {type(event).__name__}, not with Convened")
            state = State.open(event)
            continue
        if check and isinstance(event, Asked) and event.sending == 1 and event.key not in state.possible():
            raise LedgerMismatch(
                f"the record holds ask {tuple(event.key)}, which protocol {state.convened.protocol!r} would not make "
                "here; it was written by another version: show or verify it with that one"
            )
        state = state.after(event)
    if state is None:
        raise LedgerMismatch("the record is empty")
    return state


def tally_of(state: State) -> Tally:
    """Count what has been heard so far."""
    spec = catalogue.protocol(state.convened.protocol)
    count = catalogue.count(spec.count.name).count
    written = counting_settings(spec, state.convened.settings)
    tally = count(
        state.brief, state.heard, spec.outcomes, **catalogue.bind(count, written, f"count {spec.count.name!r}")
    )
    demo = tally.demo or any(is_uninformed(sat.model) for sat in state.seated)
    return replace(tally, domains=_domains(state.seated), meant=_domains(state.meant), demo=demo)


def _domains(seated: tuple[SeatModel, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((sat.seat, sat.domain) for sat in merge_domains(seated))


def counting_settings(spec: ProtocolSpec, written: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The settings meant for the way to count: the protocol's own, then those a user wrote.

    Raises:
        UnknownName: a setting that neither the protocol nor its way to count has.
    """
    of_protocol = {setting.name for setting in catalogue.settings(spec.protocol)}
    count = catalogue.count(spec.count.name).count
    fixed = dict(spec.count.settings)
    open_ = {setting.name for setting in catalogue.settings(count)} - set(fixed)
    for name, _ in written:
        if name not in of_protocol | open_:
            raise UnknownName("setting", name, of_protocol | open_)
    return (*fixed.items(), *(pair for pair in written if pair[0] in open_))


def verdict_of(state: State) -> Verdict:
    """Decide on what has been heard so far, by the rulebook on record."""
    tally = tally_of(state)
    verdict = rules.decide(tally, state.convened.rulebook)
    noticed = state.admitted.cautions if state.admitted else ()
    early = (_stopped_early(state),) if state.withdrawn or tally.course.stop == "veto" else ()
    of_seats = (*_unmarked(state), *_swapped(state), *_hollow(state))
    return replace(verdict, cautions=(*verdict.cautions, *noticed, *early, *of_seats))


def _unmarked(state: State) -> Iterator[Caution]:
    """Whose answers were read without their mark, on the second asking and standing alone."""
    words = state.heard.words.values()
    read = {word.seat for word in words if isinstance(word, Speech) and _is_read_unmarked(word)}
    seats = [seat.name for seat in state.brief.panel if seat.name in read]
    if seats:
        text = f"{', '.join(seats)} left out the code to copy, twice; the answer was read because it stood alone"
        yield Caution(name="unmarked", text=text)


def _is_read_unmarked(word: Speech) -> bool:
    return "unmarked" in word.cautions and (word.ballot is not None or word.argument is not None)


def _hollow(state: State) -> Iterator[Caution]:
    """Whose words are a real model's and mean nothing all the same; a script says so of itself."""
    asked = {key.seat for key in state.asked}
    seats = [sat.seat for sat in state.seated if sat.model.startswith("embedded:") and sat.seat in asked]
    if seats:
        text = f"the small model in process answered for {', '.join(seats)}: its opinions carry no information"
        yield Caution(name="uninformed", text=text)


def _swapped(state: State) -> Iterator[Caution]:
    """Who was answered for by another model than was meant, and who is therefore no longer independent."""
    if state.seated == state.meant:
        return
    for was, now in zip(state.meant, state.seated, strict=True):
        if now.model != was.model:
            yield Caution(name="fallback", seat=now.seat, text=f"{now.model} answered in place of {was.model}")
        if now.serves:
            text = f"{now.model} was asked, and {now.serves} answered"
            yield Caution(name="another_model", seat=now.seat, text=text)
    apart, together = dict(_domains(state.meant)), dict(_domains(state.seated))
    for domain in dict.fromkeys(together.values()):
        seats = [seat for seat, where in together.items() if where == domain]
        if len({apart[seat] for seat in seats}) > 1:
            text = f"{', '.join(seats)} ended up on one model or provider: their agreement is not independent"
            yield Caution(name="one_voice", text=text)


def _stopped_early(state: State) -> Caution:
    who = ", ".join(dict.fromkeys(event.seat for event in state.withdrawn)) or "everyone"
    return Caution(name="stopped_early", text=f"the count was stopped before {who} had finished")


def examine_question(state: State) -> Admitted | TurnedAway:
    """What the guard says of the question."""
    findings = guard.examine(state.brief.question)
    noted = tuple(Caution(name=found.check, text=found.reason) for found in findings)
    reasons = tuple(note for note, found in zip(noted, findings, strict=True) if found.turn_away)
    return turned_away(state, noted, reasons) if reasons else Admitted(cautions=noted, version=VERSION)


def turned_away(state: State, noted: tuple[Caution, ...], reasons: tuple[Caution, ...]) -> TurnedAway:
    """What it means here that the guard turns a question away for these reasons."""
    outcome = catalogue.protocol(state.convened.protocol).turned_away
    because = "the question was turned away: " + "; ".join(note.text for note in reasons)
    verdict = Verdict(outcome=outcome, decided=False, rule="guard", because=because, cautions=noted)
    return TurnedAway(reasons=reasons, verdict=verdict, version=VERSION)
