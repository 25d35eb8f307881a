"""What if: recorded ballots counted again under another rulebook, without a seat, or with another threshold.

Nobody is asked and nothing is written. What a protocol's rounds were played with cannot be changed afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from quorate import catalogue, chair, rules
from quorate.chair import State
from quorate.engine.verify import MISREAD, refuse
from quorate.errors import BadSetting, UnknownName
from quorate.model import Decided, Heard, Rulebook
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
            "verdict": verdict_document(*self.decision),
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
    return Recount(decision=Decision(rules.decide(tally, book), tally, book), recorded=state.closed)


def _sorted_settings(
    state: State, settings: Mapping[str, str]
) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    """Settings of rules, and settings of the count.

    Raises:
        BadSetting: one decides how the rounds are played.
    """
    protocol = state.convened.protocol
    spec = catalogue.protocol(protocol)
    ruled = (*(pair for pair in settings.items() if "." in pair[0]), *meant(protocol, settings.items()))
    counting = {one.name for one in catalogue.settings(catalogue.count(spec.count.name).count)}
    counting -= dict(spec.count.settings).keys()
    rest = [pair for pair in settings.items() if "." not in pair[0] and pair[0] not in spec.aliases]
    playing = {one.name for one in catalogue.settings(spec.protocol)}
    for name, _ in rest:
        if name in playing and name not in counting:
            raise BadSetting(f"{name} says how the rounds are played, and they have been; ask again to change it")
        if name not in counting:
            known = {*counting, *spec.aliases, *(f"{one.name}.…" for one in state.convened.rulebook.rules)}
            raise UnknownName("setting of the count", name, known)
    return ruled, rest


def _without(state: State, seats: Sequence[str]) -> State:
    """The same deliberation as if these seats had not sat."""
    panel = state.brief.panel
    gone = {panel.seat(name).name for name in seats}
    left = tuple(seat for seat in panel if seat.name not in gone)
    if gone and not any("vote" in seat.powers for seat in left):
        raise BadSetting("nobody who votes would be left; leave out fewer seats")
    smaller = replace(panel, seats=left)
    words = {place: said for place, said in state.heard.words.items() if not gone & {place[1], place[2]}}
    finds = {key: found for key, found in state.heard.finds.items() if not gone & {key.seat, key.about}}
    seated = tuple(sat for sat in state.seated if sat.seat not in gone)
    return replace(
        state,
        convened=replace(state.convened, panel=smaller),
        brief=replace(state.brief, panel=smaller),
        heard=Heard(smaller, words, finds),
        seated=seated,
        meant=tuple(sat for sat in state.meant if sat.seat not in gone),
    )


def _with_settings(state: State, counted: Sequence[tuple[str, str]], book: Rulebook) -> State:
    settings = tuple({**dict(state.convened.settings), **dict(counted)}.items())
    return replace(
        state,
        convened=replace(state.convened, settings=settings, rulebook=book),
        brief=replace(state.brief, settings=settings),
    )
