"""Everything written so far, folded once: what has been heard, and what is due."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial

from quorate import catalogue
from quorate.chair.agenda import ATTEMPTS, Agenda
from quorate.chair.early_stop import is_count_settled, last_round
from quorate.chair.lookup_steps import with_paper
from quorate.errors import UnknownName
from quorate.frozen import dataclass
from quorate.model import (
    AboutAsk,
    Admitted,
    Ask,
    Asked,
    AskKey,
    Brief,
    Convened,
    Decided,
    Errand,
    ErrandKey,
    Event,
    Failed,
    Found,
    Halted,
    Hear,
    Heard,
    Prompt,
    Quote,
    Routed,
    Seat,
    SeatModel,
    Silence,
    Silent,
    Speech,
    Spoken,
    Step,
    TurnedAway,
    Withdrawn,
    Write,
)
from quorate.model.append_map import AppendMap
from quorate.model.ask import OPTIONS, OWN, Part, PromptWriter
from quorate.model.heard import Place, Watch
from quorate.model.once import worked_out_once
from quorate.model.panel import is_person
from quorate.model.specs import ProtocolSpec
from quorate.reading.text.pattern import ballot_paper
from quorate.reading.text.redaction import speech_of

__all__ = ["State", "counting_settings"]


@dataclass(frozen=True, kw_only=True)
class State:
    """Everything written so far, folded: what the chair looks at.

    It has no slots, so that the next state is a copy of one dictionary: `replace` costs ten times as much per event.
    """

    convened: Convened
    brief: Brief
    play: Callable[[Brief, Heard], Iterator[Ask | Errand]]
    heard: Heard
    asked: AppendMap[AskKey, int] = field(default_factory=AppendMap[AskKey, int])
    unread: AppendMap[Place, Spoken] = field(default_factory=AppendMap[Place, Spoken])
    kept: AppendMap[Place, Spoken] = field(default_factory=AppendMap[Place, Spoken])
    """First attempts without a ballot whose words stay said if the second has one, and for some reasons even if not."""
    looked: AppendMap[Place, tuple[Spoken, ...]] = field(default_factory=AppendMap[Place, tuple[Spoken, ...]])
    """Replies that asked to see something instead of answering, in their order."""
    speaks: frozenset[str] = frozenset()
    withdrawn: tuple[Withdrawn, ...] = ()
    seated: tuple[SeatModel, ...] = ()
    meant: tuple[SeatModel, ...] = ()
    """Who sat before anybody was asked: the independence that was meant, whatever became of it."""
    admitted: Admitted | None = None
    closed: TurnedAway | Decided | Failed | Halted | None = None

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
        """The state once this has been written too; what is due is handed on to it, and brought up to date."""
        before = self.before(event)
        if before is not self:
            return before.after(event)
        state = self._folded(event)
        if state is not self and (agenda := self.__dict__.pop("_agenda", None)) is not None:
            state.__dict__["_agenda"] = agenda
            agenda.hand_on(self, state, event)
        return state

    def before(self, event: Event) -> "State":
        """The state before an event; after a failure, the asks start over."""
        again = isinstance(self.closed, Failed) and isinstance(event, AboutAsk | Found | Routed)
        return self.reopened() if again else self

    def reopened(self) -> "State":
        """As it was before anybody was asked. Nobody had said anything, so nothing but failures is left behind."""
        return self._with(
            heard=replace(self.heard, words=AppendMap[Place, Speech | Silence]()),
            asked=AppendMap[AskKey, int](),
            withdrawn=(),
            closed=None,
        )

    def _folded(self, event: Event) -> "State":
        match event:
            case Asked(key=key):
                return self._with(asked=self.asked.plus(key, event.sending))
            case Spoken() if event.unreadable:
                return self._with_no_answer(event)
            case Spoken(key=key):
                return self._with(heard=self.heard.plus(key, speech_of(event, self.kept.get(key[:3]))))
            case Silent(key=key):
                before = self.kept.get(key[:3])
                gone = Silence(seat=event.seat, why=event.why, detail=event.detail)
                speaks = before is not None and before.unreadable in self.speaks
                voiceless = replace(speech_of(before), cautions=(event.why,)) if before and speaks else gone
                return self._with(heard=self.heard.plus(key, voiceless))
            case _:
                return self._folded_rare(event)

    def _with_no_answer(self, event: Spoken) -> "State":
        place = event.key[:3]
        if event.lookups:
            return self._with(looked=self.looked.plus(place, (*(self.looked.get(place) or ()), event)))
        keeps = event.attempt == 1 and event.unreadable in {"unmarked", *self.speaks}
        kept = self.kept.plus(place, event) if keeps else self.kept
        return self._with(unread=self.unread.plus(place, event), kept=kept)

    def _folded_rare(self, event: Event) -> "State":
        match event:
            case Admitted():
                return self._with(admitted=event)
            case Withdrawn(key=key):
                gone = Silence(seat=event.seat, why=event.why)
                return self._with(heard=self.heard.plus(key, gone), withdrawn=(*self.withdrawn, event))
            case Found():
                return self._with(heard=self.heard.plus_found(event.key, event))
            case TurnedAway() | Decided() | Failed() | Halted():
                return self._with(closed=event)
            case Routed():
                seated = tuple(event.seated if sat.seat == event.seated.seat else sat for sat in self.seated)
                return self._with(seated=seated, meant=self.meant if self.asked else seated)
            case _:
                return self

    def _with(self, **changes: object) -> "State":
        state = object.__new__(State)
        values = state.__dict__
        values.update(self.__dict__)
        values.update(changes)
        values.pop("_agenda", None)
        values.pop("_possible", None)
        values.pop("_decision", None)
        if "seated" in changes:
            values.pop("models", None)
        return state

    @property
    def agenda(self) -> Agenda:
        """What is due now. The protocol is run again only if something has come that it looked for in vain.

        It was worked out for this very state, or came up to it entry by entry: it lies with the newest state alone.
        """
        agenda: Agenda | None = self.__dict__.get("_agenda")
        if agenda is None:
            agenda = self.__dict__["_agenda"] = Agenda(self)
        agenda.refresh(self)
        return agenda

    @worked_out_once
    def models(self) -> Mapping[str, SeatModel]:
        """Who answers, by seat."""
        return {sat.seat: sat for sat in self.seated}

    def wanted(self, watch: Watch) -> Iterator[Ask | Errand]:
        """All that the protocol asks by now; what it looks for in vain is noted.

        Once no ballot that is still to come can change the verdict, and that was asked for, only what comes after it.
        """
        asks = self.play(self.brief, self.heard.watched(watch))
        if not self._last_round:
            return asks
        watch.everything = True  # every ballot may be the one that settles it
        return (ask for ask in asks if isinstance(ask, Ask) and ask.after) if is_count_settled(self) else asks

    @worked_out_once
    def _last_round(self) -> str:
        return last_round(self)

    def possible(self) -> dict[AskKey | ErrandKey, Step]:
        """What makes sense to ask, run or write now and is not done, by identity; some of it only after the verdict.

        Once asked for it stays with this state when others follow, for whoever looks at it later.
        """
        return self._possible

    @worked_out_once
    def _possible(self) -> dict[AskKey | ErrandKey, Step]:
        return dict(self.agenda.due)

    def due(self, key: AskKey | ErrandKey) -> Step | None:
        """What is to be done now under this identity, if anything is."""
        return self.agenda.due.get(key)

    def next_step(self, ask: Ask, unread: Spoken | None) -> Step:
        """What is done about an ask: put it, put it once more if its answer could not be read, or give up."""
        if unread is None:
            return Hear(ask)
        repair = "" if unread.attempt >= ask.looked + ATTEMPTS else self._repair(ask, unread)
        if not repair:
            return Write(Silent(**unread.key._asdict(), why=unread.unreadable))
        shown = Quote("your reply", unread.reply.text)
        prompt = ask.prompt.plus("\n\nYou replied:\n\n{reply}\n\n{repair}", ("reply", shown), ("repair", repair))
        return Hear(replace(ask, attempt=ask.looked + ATTEMPTS, prompt=prompt))

    def _repair(self, ask: Ask, unread: Spoken) -> str:
        terms = ask.terms(self._mark(ask, ask.looked + ATTEMPTS))
        return catalogue.form(ask.wants).repair(unread.unreadable, terms)

    def put(self, ask: Ask) -> Ask:
        """The ask as it goes out: marked, its ballot paper filled in, its prompt rendered once."""
        mark = self._mark(ask, ask.attempt)
        if self.convened.lookups is not None:
            ask = with_paper(ask, self.convened.lookups, mark, last=ask.attempt >= ask.looked + ATTEMPTS)
        paper = ballot_paper(ask.wants, ask.terms(mark))
        sent = self._rendered(ask.prompt, paper, ask.seat)
        return Ask(
            ask.seat,
            ask.round,
            sent,
            ask.wants,
            ask.about,
            ask.attempt,
            mark,
            ask.options,
            ask.after,
            partial(self._shown, ask, paper, mark),
            ask.looked,
            ask.lookups,
            ask.act_needs_mark,
            self.convened.rulebook in catalogue.protocol(self.convened.protocol).refusal_is_silence,
        )

    def _shown(self, ask: Ask, paper: str, mark: str) -> str:
        """What others gave the seat to read: all of its prompt but its own words, and the codes that chance drew.

        The digits of a code are nobody's risk or confidence.
        """
        parts = tuple((name, "" if _is_own(part) else part) for name, part in ask.prompt.parts)
        words = self._rendered(Prompt(ask.prompt.template, parts), paper, ask.seat).template
        words = words.replace(self.writer.fence(ask.seat), " ")
        return words.replace(mark, " ") if mark else words

    def _rendered(self, prompt: Prompt, paper: str, seat: Seat) -> Prompt:
        return Prompt(self.writer.fill(prompt, self.writer.fence(seat), paper))

    def _mark(self, ask: Ask, attempt: int) -> str:
        """What the ballot must bear. A person copies no code: nobody else's words come through that keyboard."""
        sat = self.models.get(ask.seat.name)
        return "" if sat and is_person(sat.model) else self.writer.mark(ask.round, ask.seat, attempt)

    @worked_out_once
    def writer(self) -> PromptWriter:
        """Writes all prompts of the deliberation: every later state begins as a copy of this one."""
        return PromptWriter(self.brief.seed)


def _is_own(part: Part) -> bool:
    """Whether these are nobody else's words: the seat's own, or the options that we put to the vote."""
    return isinstance(part, Quote) and (part.label.startswith(OWN) or part.label == OPTIONS)


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
