"""What if: recorded ballots counted again under another rulebook, without a seat, or with another threshold.

Nobody is asked and nothing is written. What a protocol's rounds were played with cannot be changed afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from quorate import catalogue, chair, rules
from quorate.chair import State
from quorate.engine.verify import MISREAD, refuse
from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.model import Decided, Heard, Panel, Rulebook, SeatModel
from quorate.model.specs import ProtocolSpec
from quorate.offline.record_view import fitting_rulebook
from quorate.settings.rulebook_file import amend_rulebook, check_outcomes, meant
from quorate.views import Record
from quorate.views.document import verdict_document
from quorate.views.result import Decision

__all__ = ["Recount", "WhatIf", "recount"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What is supposed: another rulebook by name, seats left out, settings of the count or of a rule (`RULE.KEY`)."""

    rulebook: str | None = None
    without: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """What the ballots come to then, beside what is on record."""

    decision: Decision
    recorded: Decided

    @property
    def changed(self) -> bool:
        """Whether anybody who acts on it would act otherwise."""
        now, then = self.decision.verdict, self.recorded.verdict
        return (now.outcome, now.decided, now.requires_human_review) != (
            then.outcome,
            then.decided,
            then.requires_human_review,
        )

    def document(self) -> dict[str, object]:
        """For JSON."""
        now, then = self.decision.verdict, self.recorded.verdict
        said = "the same" if not self.changed else f"{_named(then.outcome)} before, {_named(now.outcome)} now"
        return {
            "verdict": verdict_document(self.decision),
            "changed": self.changed,
            "because": f"{said}: {now.because}",
        }


def _named(outcome: str | None) -> str:
    return "no outcome" if outcome is None else outcome


def recount(record: Record, supposed: WhatIf) -> Recount:
    """Count what is on record again.

    Raises:
        LedgerMismatch: the ballots are not what the words on record come to.
        BadSetting: there is no verdict, nobody would be left, or the setting is not one of the count's or the rules'.
        UnknownName: no such rulebook, rule, setting or seat.
    """
    refuse(record, *MISREAD)
    state = record.state
    if not isinstance(state.closed, Decided):
        raise BadSetting(f"{record.id} has no verdict, so there are no ballots to count again; resume it first")
    own, counted = _sorted_settings(state, supposed.settings)
    book = state.convened.rulebook if supposed.rulebook is None else fitting_rulebook(supposed.rulebook, record)
    book = check_outcomes(amend_rulebook(book, own), state.convened.protocol)
    tally = chair.tally_of(_with_settings(_without(state, supposed.without), counted, book))
    decision = Decision(rules.decide(tally, book), tally, book, state.convened.protocol)
    return Recount(decision=decision, recorded=state.closed)


def _sorted_settings(
    state: State, settings: Mapping[str, str]
) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    """Settings of rules, and settings of the count.

    Raises:
        BadSetting: one decides how the rounds are played.
    """
    spec = catalogue.protocol(state.convened.protocol)
    own = {name for name in settings if "." in name or name in spec.aliases}
    ruled = (*(pair for pair in settings.items() if "." in pair[0]), *meant(state.convened.protocol, settings.items()))
    counted = [pair for pair in settings.items() if pair[0] not in own]
    for name, _ in counted:
        _check_counted(name, spec)
    return ruled, counted


def _check_counted(name: str, spec: ProtocolSpec) -> None:
    counting = {one.name for one in catalogue.settings(catalogue.count(spec.count.name).count)}
    counting -= dict(spec.count.settings).keys()
    if name in counting:
        return
    if name in {one.name for one in catalogue.settings(spec.protocol)}:
        raise BadSetting(f"{name} says how the rounds are played, and they have been; ask again to change it")
    known = {*counting, *spec.aliases, *(f"{one.name}.…" for one in spec.rulebook.rules)}
    raise UnknownName("setting of the count", name, known)


def _without(state: State, seats: Sequence[str]) -> State:
    """The same deliberation as if these seats had not sat."""
    panel = state.brief.panel
    gone = {panel.seat(name).name for name in seats}
    if not gone:
        return state
    if gone.issuperset(seat.name for seat in panel.voters):
        raise BadSetting("nobody who votes would be left; leave out fewer seats")
    smaller = replace(panel, seats=tuple(seat for seat in panel if seat.name not in gone))
    return replace(
        state,
        convened=replace(state.convened, panel=smaller),
        brief=replace(state.brief, panel=smaller),
        heard=_heard_without(state.heard, smaller, gone),
        seated=_seated_without(state.seated, gone),
        meant=_seated_without(state.meant, gone),
    )


def _heard_without(heard: Heard, panel: Panel, gone: set[str]) -> Heard:
    words = {place: said for place, said in heard.words.items() if not gone & {place[1], place[2]}}
    finds = {key: found for key, found in heard.finds.items() if not gone & {key.seat, key.about}}
    return Heard(panel, words, finds)


def _seated_without(seated: tuple[SeatModel, ...], gone: set[str]) -> tuple[SeatModel, ...]:
    return tuple(sat for sat in seated if sat.seat not in gone)


def _with_settings(state: State, counted: Sequence[tuple[str, str]], book: Rulebook) -> State:
    settings = tuple({**dict(state.convened.settings), **dict(counted)}.items())
    return replace(
        state,
        convened=replace(state.convened, settings=settings, rulebook=book),
        brief=replace(state.brief, settings=settings),
    )
