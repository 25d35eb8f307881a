"""Pure. Everything written so far becomes what happens next."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial

from quorate import catalogue, guard, rules
from quorate.analysis.fault_domains import merge_domains
from quorate.chair.agenda import ATTEMPTS
from quorate.chair.early_stop import heard_out, is_count_settled, last_round
from quorate.chair.folded_state import State, counting_settings
from quorate.chair.lookup_steps import lookups_of
from quorate.errors import LedgerMismatch, QuorateError
from quorate.model import (
    Adjourn,
    Admitted,
    Ask,
    Asked,
    AskKey,
    Caution,
    Convened,
    Decided,
    ErrandKey,
    Event,
    Failed,
    Lookup,
    Reply,
    SeatModel,
    Silence,
    Speech,
    Spoken,
    Step,
    Tally,
    TurnedAway,
    Verdict,
    Withdrawn,
    Write,
)
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import NO_ACCESS, NOT_ASKED, NOT_NEEDED
from quorate.model.panel import is_uninformed, name_list
from quorate.plugins import blame_package

__all__ = [
    "ATTEMPTS",
    "VERSION",
    "State",
    "changed_steps",
    "could_not_be_asked",
    "counting_settings",
    "examine_question",
    "heard_reply",
    "read_reply",
    "replay",
    "steps",
    "steps_before_verdict",
    "tally_of",
    "turned_away",
    "verdict_of",
]

VERSION = 1
"""The version of the rules that judged an entry, written into it. Records of any other version are refused."""


def steps(state: State) -> tuple[Step, ...]:
    """Everything written so far becomes what happens next."""
    return steps_before_verdict(state) or (_closing_step(state),)


def steps_before_verdict(state: State) -> tuple[Step, ...]:
    """The same, but nothing where a verdict is all that is left: to work one out costs more than all the rest."""
    if not _is_heard(state):
        return (_closing_step(state),)
    agenda = state.agenda
    unwanted = [key for key in agenda.open if key not in agenda.due]
    return tuple(_acts(state, (*unwanted, *agenda.due)))


def changed_steps(state: State, keys: Sequence[AskKey | ErrandKey]) -> tuple[Step, ...]:
    """The same, but of what is due or wanted no more only these."""
    if not _is_heard(state):
        return (_closing_step(state),)
    done = not state.agenda.due and not state.agenda.open
    return tuple(_acts(state, keys)) or ((_closing_step(state),) if done else ())


def _acts(state: State, keys: Iterable[AskKey | ErrandKey]) -> Iterator[Step]:
    """What is to be done about each of these; what has gone out and is wanted no more is withdrawn."""
    agenda = state.agenda
    for key in dict.fromkeys(keys):  # one that several entries in a row have left unwanted is named after each
        if key in agenda.due:
            yield agenda.due[key]
        elif isinstance(key, AskKey) and key in agenda.open and state.closed is None:
            yield Write(Withdrawn(**key._asdict(), why=NOT_NEEDED))


def _is_heard(state: State) -> bool:
    """Whether anybody can be asked: once the question was let in, and after a verdict too."""
    return state.admitted is not None and (state.closed is None or isinstance(state.closed, Decided))


def _closing_step(state: State) -> Step:
    """What happens when there is nothing to ask."""
    if state.closed is not None:
        return Adjourn()
    if state.admitted is None:
        return Write(examine_question(state))
    if could_not_be_asked(state):
        return Write(Failed(version=VERSION))
    return Write(Decided(verdict=verdict_of(state), version=VERSION))


def could_not_be_asked(state: State) -> bool:
    """Whether no seat said anything, and every failure was one of access. One of another kind is a silence to count."""
    words = state.heard.words.values()
    failures = [word.why for word in words if isinstance(word, Silence) and word.why != NOT_NEEDED]
    heard = any(isinstance(word, Speech) for word in words) or state.unread or state.looked
    return bool(failures) and not heard and NO_ACCESS.issuperset(failures)


def heard_reply(ask: Ask, spoken: Spoken) -> Spoken:
    """Read a reply as the form asks; what cannot be read is kept as it came."""
    return read_reply(ask, spoken.key, spoken.reply)


def read_reply(ask: Ask, key: AskKey, reply: Reply) -> Spoken:
    """The same for a reply that has just come to the ask of this identity."""
    terms = AnswerTerms(
        mark=ask.mark,
        shown=ask.shown or ask.prompt.template,
        last=ask.attempt >= ask.looked + ATTEMPTS,
        options=ask.options,
        veto="veto" in ask.seat.powers,
        enforced=reply.enforced_by != "",
        at_once=ask.at_once,
        act_needs_mark=ask.act_needs_mark,
    )
    read = catalogue.form(ask.wants).read(reply.text, terms, reply.finish)
    lookups: tuple[Lookup, ...] = ()
    if ask.lookups is not None:
        read, lookups = lookups_of(ask, terms, reply, read)
    return Spoken(
        round=key.round,
        seat=key.seat,
        about=key.about,
        attempt=key.attempt,
        reply=reply,
        ballot=read.ballot,
        argument=read.argument,
        cuts=read.cuts,
        unreadable=read.unreadable,
        cautions=read.cautions,
        version=VERSION,
        lookups=lookups,
    )


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
        state = state.before(event)
        if check and isinstance(event, Asked) and event.sending == 1 and state.due(event.key) is None:
            raise LedgerMismatch(
                f"the record holds ask {tuple(event.key)}, which protocol {state.convened.protocol!r} would not make "
                "here; the record was changed"
            )
        state = state.after(event)
    if state is None:
        raise LedgerMismatch("the record is empty")
    return state


def tally_of(state: State) -> Tally:
    """Count what has been heard so far."""
    spec = catalogue.protocol(state.convened.protocol)
    way = catalogue.count(spec.count.name)
    written = counting_settings(spec, state.convened.settings)
    bound = catalogue.bind(way.count, written, f"count {spec.count.name!r}")
    heard = heard_out(state) if last_round(state) else state.heard
    empty = Tally(eligible=tuple(seat.name for seat in state.brief.panel.voters), options=spec.outcomes)
    counted = _counted(partial(way.count, state.brief, heard, spec.outcomes, **bound), spec.count.name, empty)
    demo = counted.demo or any(is_uninformed(sat.model) for sat in state.seated)
    counted = _without_spared(state, counted)
    domains = _domains(state.seated)
    meant = domains if state.meant is state.seated else _domains(state.meant)
    tally = replace(counted, domains=domains, meant=meant, demo=demo)
    if way.stricter is None:
        return tally
    decide = partial(rules.decide, rulebook=state.convened.rulebook)
    return _counted(partial(way.stricter, tally, heard, decide, **bound), spec.count.name, tally)


def _counted(count: "partial[Tally]", name: str, otherwise: Tally) -> Tally:
    """What a way to count comes to; where one of another package fails, `otherwise` with a caution that says so."""
    function = count.func
    if catalogue.is_shipped(function):
        return count()
    where = f"count {name!r} ({function.__module__})"
    try:
        with blame_package(where):
            tally = count()
    except QuorateError as wrong:
        # Only the type is recorded: the words of an error may differ each time, and the record is counted again.
        reason = f"{where} raised {type(wrong.__cause__ or wrong).__name__}"
    else:
        if _is_tally(tally):
            return tally
        reason = f"{where} returned {type(tally).__name__}, which is no Tally"
    return replace(otherwise, cautions=(*otherwise.cautions, Caution(name="count_failed", text=reason)))


def _is_tally(found: object) -> bool:
    return isinstance(found, Tally)


def _without_spared(state: State, tally: Tally) -> Tally:
    """The tally with seats that weren't needed told apart from those that are silent, before the discussion as well."""
    stopped = bool(tally.vetoes) or bool(last_round(state))
    if not tally.silent or not (stopped or state.withdrawn):
        return tally
    reasons = {NOT_NEEDED, NOT_ASKED} if stopped else {NOT_NEEDED}
    sealed = tally.sealed
    return replace(_spared(tally, reasons), sealed=None if sealed is None else _spared(sealed, reasons))


def _spared(tally: Tally, reasons: AbstractSet[str]) -> Tally:
    not_needed = tuple(gone.seat for gone in tally.silent if gone.why in reasons)
    return replace(
        tally, silent=tuple(gone for gone in tally.silent if gone.seat not in not_needed), not_needed=not_needed
    )


def _domains(seated: tuple[SeatModel, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((sat.seat, sat.domain) for sat in merge_domains(seated))


def verdict_of(state: State) -> Verdict:
    """Decide on what has been heard so far, by the rulebook on record."""
    tally = tally_of(state)
    verdict = rules.decide(tally, state.convened.rulebook)
    noticed = state.admitted.cautions if state.admitted else ()
    of_seats = (*_unmarked(state), *_without_rationale(state), *_swapped(state), *_hollow(state))
    more = (*noticed, *_stopped_early(state, tally), *of_seats)
    return replace(verdict, cautions=(*verdict.cautions, *more)) if more else verdict


def _unmarked(state: State) -> Iterator[Caution]:
    """Whose answers were read without their mark, which is done only where nobody else can have written them."""
    words = state.heard.words.values()
    read = {word.seat for word in words if isinstance(word, Speech) and _is_read_unmarked(word)}
    seats = [seat.name for seat in state.brief.panel if seat.name in read]
    if seats:
        # Nothing is said of the first reply: it may have failed for another reason, or there may have been only one.
        whose = "an answer is its own; the answer" if len(seats) == 1 else "answers are their own; each answer"
        text = (
            f"{name_list(seats)} left out the code that shows {whose} counts because the reply held no other and it "
            "wasn't copied from what the seat was shown"
        )
        yield Caution(name="unmarked", text=text)


def _is_read_unmarked(word: Speech) -> bool:
    return "unmarked" in word.cautions and (word.ballot is not None or word.argument is not None)


def _without_rationale(state: State) -> Iterator[Caution]:
    """Whose ballots say what and not why."""
    words = state.heard.words.values()
    read = {word.seat for word in words if isinstance(word, Speech) and "no_rationale" in word.cautions}
    seats = [seat.name for seat in state.brief.panel if seat.name in read]
    if seats:
        yield Caution(name="no_rationale", text=f"{', '.join(seats)} left the rationale of a ballot empty")


def _hollow(state: State) -> Iterator[Caution]:
    """Whose words are a real model's and mean nothing all the same; a script says so of itself."""
    asked = {key.seat for key in state.asked}
    seats = [sat.seat for sat in state.seated if sat.model.startswith("embedded:") and sat.seat in asked]
    if seats:
        text = f"the small built-in model answered for {', '.join(seats)}; its opinions mean nothing"
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


def _stopped_early(state: State, tally: Tally) -> Iterator[Caution]:
    """Who wasn't needed any more, and why."""
    cancelled = {event.seat for event in state.withdrawn}
    if tally.not_needed and last_round(state) and is_count_settled(state):
        text = (
            f"the count was stopped before {', '.join(tally.not_needed)} had voted, because no ballot of theirs could "
            f"have changed the outcome; {_calls_spared(len(tally.not_needed), len(cancelled & {*tally.not_needed}))}"
        )
    elif tally.not_needed and tally.vetoes:
        vetoes, seats = name_list([voice.seat for voice in tally.vetoes]), name_list(tally.not_needed)
        calls = f"; {_calls_spared(len(cancelled), len(cancelled))}" if cancelled else ""
        text = f"the veto of {vetoes} ended it before the final ballot of {seats}{calls}"
    elif cancelled:
        text = f"calls to {name_list(sorted(cancelled))} were cancelled, because nothing depended on them any more"
    else:
        return
    yield Caution(name="stopped_early", text=text)


def _calls_spared(seats: int, cancelled: int) -> str:
    """What a stop saves: a call that was never made, and of one under way perhaps nothing but the wait."""
    saved = seats - cancelled
    parts = (
        f"{saved} {'call' if saved == 1 else 'calls'} saved" if saved else "",
        f"{cancelled} {'call' if cancelled == 1 else 'calls'} under way cancelled, which may still be billed"
        if cancelled
        else "",
    )
    return ", ".join(filter(None, parts))


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
