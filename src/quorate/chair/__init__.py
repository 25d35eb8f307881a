"""Pure. Everything written so far becomes what happens next."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from quorate import catalogue, guard, rules
from quorate.analysis.fault_domains import merge_domains
from quorate.chair.agenda import ATTEMPTS
from quorate.chair.early_stop import heard_out, is_count_settled, is_given_up, last_round
from quorate.chair.folded_state import State, counting_settings
from quorate.chair.lookup_steps import lookups_of
from quorate.errors import LedgerMismatch
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
    Lookup,
    Reply,
    SeatModel,
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
from quorate.model.ballot import NOT_NEEDED
from quorate.model.panel import is_uninformed

__all__ = [
    "ATTEMPTS",
    "VERSION",
    "State",
    "changed_steps",
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
    return Write(Decided(verdict=verdict_of(state), version=VERSION))


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
    counted = way.count(state.brief, heard, spec.outcomes, **bound)
    demo = counted.demo or any(is_uninformed(sat.model) for sat in state.seated)
    domains = _domains(state.seated)
    meant = domains if state.meant is state.seated else _domains(state.meant)
    tally = replace(counted, domains=domains, meant=meant, demo=demo)
    if way.stricter is None:
        return tally
    return way.stricter(tally, heard, partial(rules.decide, rulebook=state.convened.rulebook), **bound)


def _domains(seated: tuple[SeatModel, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((sat.seat, sat.domain) for sat in merge_domains(seated))


def verdict_of(state: State) -> Verdict:
    """Decide on what has been heard so far, by the rulebook on record."""
    tally = tally_of(state)
    verdict = rules.decide(tally, state.convened.rulebook)
    noticed = state.admitted.cautions if state.admitted else ()
    settled = bool(last_round(state)) and any(_unheard(state))
    early = (_stopped_early(state),) if state.withdrawn or settled or tally.course.stop == "veto" else ()
    of_seats = (*_unmarked(state), *_without_rationale(state), *_swapped(state), *_hollow(state))
    more = (*noticed, *early, *of_seats)
    return replace(verdict, cautions=(*verdict.cautions, *more)) if more else verdict


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


def _unheard(state: State) -> Iterator[str]:
    """Seats that spoke, or were asked, and whose last ballot was not waited for."""
    last, panel = last_round(state), state.brief.panel
    gone = {event.seat for event in state.withdrawn}
    for seat in panel.voters:
        words = state.heard.words.get((last, seat.name, ""))
        given_up = is_given_up(state.heard, last, seat) or (seat.name in gone and not isinstance(words, Speech))
        if given_up or (words is None and _is_under_way(state, seat.name)):
            yield seat.name


def _is_under_way(state: State, seat: str) -> bool:
    sealed = catalogue.protocol(state.convened.protocol).sealed
    return sealed == last_round(state) or isinstance(state.heard.words.get((sealed, seat, "")), Speech)


def _stopped_early(state: State) -> Caution:
    unheard = list(_unheard(state)) if last_round(state) and is_count_settled(state) else []
    if unheard:
        text = (
            f"the count was stopped before {', '.join(unheard)} had voted, because no ballot of theirs could have "
            f"changed the verdict; {_spared(state, unheard)}"
        )
        return Caution(name="stopped_early", text=text)
    who = ", ".join(dict.fromkeys(event.seat for event in state.withdrawn)) or "everyone"
    return Caution(name="stopped_early", text=f"the count was stopped before {who} had finished")


def _spared(state: State, unheard: Sequence[str]) -> str:
    """What a stop saves: a call that was never made, and of one under way perhaps nothing but the wait."""
    cancelled = len({event.seat for event in state.withdrawn}.intersection(unheard))
    saved = len(unheard) - cancelled
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
