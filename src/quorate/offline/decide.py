"""The decision alone: ballots in, verdict out, no model asked."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import catalogue, presets, rules
from quorate.chair import State, tally_of
from quorate.errors import BadSetting, QuorateError, Suggestion
from quorate.frozen import dataclass
from quorate.model import (
    Caution,
    Convened,
    Found,
    Heard,
    Panel,
    Question,
    Read,
    Rulebook,
    Seat,
    Silence,
    Speech,
    Tally,
    Voice,
)
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.model.panel import plain
from quorate.model.specs import FormSpec, ProtocolSpec, Settings
from quorate.offline.file_panel import all_sit_on, panel_of_file, seat_file
from quorate.reading.text.answer_file import FileAnswer, read_file
from quorate.settings.rulebook_file import amend_rulebook, meant
from quorate.views import VIEWS
from quorate.views.document import verdict_document
from quorate.views.result import Decision, Result

__all__ = ["BallotResult", "ballot_result", "decide_ballots", "decide_text", "protocol_of"]


def decide_ballots(
    text: str, *, charter: Charter | None = None, rulebook: str | None = None, protocol: str | None = None
) -> dict[str, object]:
    """The document with `verdict` alone, and where options were compared, what was counted as one and why.

    Raises:
        BadSetting: the text is no list of ballots.
        UnknownName: no such rulebook or protocol, or a ballot from nobody on the given panel.
    """
    return ballot_result(text, charter=charter, rulebook=rulebook, protocol=protocol).document()


def ballot_result(
    text: str, *, charter: Charter | None = None, rulebook: str | None = None, protocol: str | None = None
) -> "BallotResult":
    """The same with its types: what handed-over ballots come to.

    Raises:
        BadSetting: the text is no list of ballots.
        UnknownName: no such rulebook or protocol, or a ballot from nobody on the given panel.
    """
    counted = _counted(text, charter, rulebook, protocol)
    tally, convened = counted.tally, counted.state.convened
    verdict = rules.decide(tally, convened.rulebook)
    return BallotResult(counted.state, Decision(verdict, tally, convened.rulebook, convened.protocol))


def decide_text(
    text: str, *, charter: Charter | None = None, rulebook: str | None = None, protocol: str | None = None
) -> Decision:
    """Count handed-over ballots as the protocol's final round and decide."""
    return ballot_result(text, charter=charter, rulebook=rulebook, protocol=protocol).decision


def protocol_of(charter: Charter | None, rulebook: str | None, protocol: str | None) -> str:
    """The protocol that was asked for, else the one whose rulebook it is, else the panel's.

    A panel's own protocol goes before another with the same outcomes.
    """
    held = charter.protocol if charter else DEFAULT_PROTOCOL
    owner = _owner(rulebook) if rulebook and not protocol else None
    if protocol or owner is None:
        return protocol or held
    same = catalogue.protocol(owner).outcomes == catalogue.protocol(held).outcomes
    return held if charter and same else owner


def _owner(rulebook: str) -> str | None:
    """The protocol that brings a rulebook."""
    specs = catalogue.protocols().items()
    return next((name for name, spec in specs if rulebook in {book.name for book in spec.books}), None)


@dataclass(frozen=True, slots=True)
class BallotResult:
    """What ballots come to that were handed over, and the state they were counted in."""

    state: State
    decision: Decision

    def document(self) -> dict[str, object]:
        """The document with `verdict` alone, with what was counted as one, and an oracle's own result."""
        shown: dict[str, object] = {
            "schema": 1,
            "may_act": Result(decision=self.decision).may_act,
            "verdict": verdict_document(self.decision),
        }
        return shown | _compared(self.state) | _researched(self.state, self.decision)

    def s4(self) -> dict[str, object]:
        """The decision as the S4 system writes it.

        Raises:
            BadSetting: its outcomes are others than S4's.
        """
        from quorate.views.compat.s4 import s4_decision  # noqa: PLC0415  for whoever asks for that form

        return s4_decision(self.decision)


@dataclass(frozen=True, slots=True)
class _Counted:
    state: State
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handed:
    """What was handed over, under which protocol and settings, and who sits."""

    spec: ProtocolSpec
    settings: tuple[tuple[str, str], ...]
    answers: tuple[FileAnswer, ...]
    panel: Panel

    @property
    def last(self) -> int:
        return max((one.round for one in self.answers), default=1)

    @property
    def implied(self) -> tuple[tuple[str, str], ...]:
        """The settings, with those that the file implies in place of what was said."""
        of_file = self.spec.file.settings
        spoke = tuple(self.panel.seat(one.seat) for one in self.answers)
        implied = of_file(spoke, self.last) if of_file else ()
        return (*(pair for pair in self.settings if pair[0] not in dict(implied)), *implied)

    def words(self) -> dict[tuple[str, str, str], Speech | Silence]:
        """What each seat said in each round of the file, or in the final one."""
        rounds = range(1, self.last + 1) if self.spec.file.rounds else (1,)
        named = {at: str(at) if self.spec.file.rounds else self.spec.final for at in rounds}
        return {(named[at], seat.name, ""): self._word(seat, at, named[at]) for at in rounds for seat in self.panel}

    def _word(self, seat: Seat, at: int, name: str) -> Speech | Silence:
        found = (one for one in self.answers if plain(one.seat) == plain(seat.name) and one.round == at)
        one = next(found, None)
        form, options = self._wants(seat)
        read = one.read(form, options) if one else Read(unreadable=catalogue.form(form).missing)
        if read.unreadable:
            return Silence(seat=seat.name, why=read.unreadable)
        return Speech(
            seat=seat.name, round=name, about="",
            ballot=read.ballot, argument=read.argument, cautions=read.cautions,
        )  # fmt: skip

    def misread(self) -> tuple[tuple[int, FileAnswer, str], ...]:
        """The ballots that cannot be read, by their number in the file, and why not."""
        reads = (
            (number, one, one.read(*self._wants(Seat(name=one.seat))).unreadable)
            for number, one in enumerate(self.answers, 1)
            if one.fields.get("silence") is None
        )
        return tuple(found for found in reads if found[2])

    @property
    def unread(self) -> bool:
        """Whether not one ballot of the file can be read, though some are there."""
        cast = [one for one in self.answers if one.fields.get("silence") is None]
        return bool(cast) and len(self.misread()) == len(cast)

    def _wants(self, seat: Seat) -> tuple[str, tuple[str, ...]]:
        if self.spec.file.wants:
            return self.spec.file.wants(seat)
        variant = self.spec.variant(dict(self.settings))
        return variant.form, () if variant.listed else variant.choices or variant.outcomes


def _kinds_of(text: str) -> tuple[str, ...]:
    """The protocols whose ballots these are: every one of the file can be read so."""
    return tuple(name for name, spec in catalogue.protocols().items() if _reads(text, spec))


def _reads(text: str, spec: ProtocolSpec) -> bool:
    try:
        _, answers = read_file(text, "", rounds=spec.file.rounds)
        given = _Handed(spec=spec, settings=(), answers=answers, panel=panel_of_file(answers))
        at_home = spec.file.seats != "only" or all_sit_on(spec.panel, answers)
        return at_home and bool(answers) and not given.misread()
    except QuorateError:
        return False


def _protocol_in(text: str, name: str, settings: tuple[tuple[str, str], ...], *, named: bool) -> str:
    """The protocol that the ballots are of: the one at hand if it can read any of them.

    Raises:
        BadSetting: it was named and can read none, and another can; or several can.
    """
    spec = catalogue.protocol(name)
    try:
        _, answers = read_file(text, _form_of(spec, settings).example, rounds=spec.file.rounds)
    except BadSetting as broken:
        return _only_kind(text, broken, named=named)
    given = _Handed(spec=spec, settings=settings, answers=answers, panel=spec.panel)
    kinds = tuple(kind for kind in _kinds_of(text) if kind != name) if given.unread else ()
    if not kinds or (len(kinds) == 1 and not named):
        return kinds[0] if kinds else name
    shown = " or ".join(kinds)
    raise BadSetting(
        f"no ballot in the file fits protocol {name}; they fit {shown}",
        suggestions=(Suggestion("protocol", kinds[0], "to count them"),),
    )


def _only_kind(text: str, broken: BadSetting, *, named: bool) -> str:
    """The one protocol of a file that another cannot take apart; in a debate a seat speaks more than once."""
    match () if named else _kinds_of(text):
        case (only,):
            return only
        case _:
            raise broken


def _read_as(name: str, other: str) -> tuple[Caution, ...]:
    if name == other:
        return ()
    text = f"these ballots do not fit protocol {name}, so protocol {other} counted them; name that protocol to be sure"
    return (Caution(name="read_as", text=text),)


def _of_no_kind(name: str) -> tuple[Caution, ...]:
    """What to do about a file of which nothing can be read, where nobody said what its ballots are of."""
    others = ", ".join(other for other in catalogue.protocols() if other != name)
    none = f"these ballots fit no protocol, so protocol {name} counted none of them"
    return (Caution(name="read_as", text=f"{none}; to see how others are written, name a protocol: {others}"),)


def _form_of(spec: ProtocolSpec, settings: tuple[tuple[str, str], ...]) -> FormSpec:
    return catalogue.form(spec.variant(dict(settings)).form)


def _settings_of(charter: Charter | None, name: str) -> tuple[Settings, Settings]:
    """A panel's settings for a protocol, and those that stand for a rule's."""
    said = charter.settings if charter and charter.protocol == name else ()
    return tuple(pair for pair in said if not meant(name, (pair,))), meant(name, said)


def _counted(text: str, charter: Charter | None, rulebook: str | None, protocol: str | None) -> _Counted:
    wanted = protocol_of(charter, rulebook, protocol)
    named = bool(charter or rulebook or protocol)
    name = _protocol_in(text, wanted, _settings_of(charter, wanted)[0], named=named)
    spec, (settings, renamed) = catalogue.protocol(name), _settings_of(charter, name)
    form = _form_of(spec, settings)
    context, answers = read_file(text, form.example, rounds=spec.file.rounds)
    own = charter if charter and (charter.protocol == name or spec.file.seats != "only") else None
    panel, noticed = seat_file(answers, own, spec)
    given = _Handed(spec=spec, settings=settings, answers=answers, panel=panel)
    book = _fitting(presets.rulebook(rulebook) if rulebook else _own_rulebook(own, spec), spec)
    state = State.open(
        Convened(
            question=Question(text="", context=context),
            panel=panel,
            protocol=name,
            rulebook=amend_rulebook(book, renamed) if renamed else book,
            settings=given.implied,
        )
    )
    heard = replace(state.heard, words=given.words())
    compares = catalogue.count(spec.count.name).compares
    state = replace(state, heard=_likened(heard, spec.final, dict(settings)) if compares else heard)
    tally = tally_of(state)
    read_as = _of_no_kind(name) if given.unread and not named else _read_as(wanted, name)
    of_file = (*_unstated(tally, form.states), *_misread(given, form.example), *read_as)
    cautions = (*tally.cautions, *noticed, *of_file)
    return _Counted(state, replace(tally, sealed=None, changes=(), cautions=cautions))


def _fitting(book: Rulebook, spec: ProtocolSpec) -> Rulebook:
    if foreign := catalogue.foreign_votes(book, spec):
        raise BadSetting(f"rulebook {book.name!r} cannot decide on this: {foreign}; name the protocol")
    return book


def _own_rulebook(charter: Charter | None, spec: ProtocolSpec) -> Rulebook:
    return (charter and charter.rulebook) or spec.rulebook


def _likened(heard: Heard, final: str, settings: Mapping[str, str]) -> Heard:
    """Open options are compared here, as the clerk would have done it."""
    from quorate.analysis.conference_course import options_of  # noqa: PLC0415  for open options only

    options = options_of(heard, int(final))
    if not options[1:]:
        return heard
    from quorate.similarity.backend_choice import NAMES, choose  # noqa: PLC0415  weights, for open options only
    from quorate.similarity.errand_compare import likeness_of  # noqa: PLC0415  the same

    # A provider's embeddings are for deliberations: nobody is asked anything here.
    wanted = settings.get("similarity", "auto")
    alike = likeness_of(options, choose(wanted if wanted in NAMES else "auto"))
    found = Found(
        kind="compare", round=final, about="options",
        scores=alike.scores, same=alike.same, by=alike.by, why=alike.why,
    )  # fmt: skip
    return heard.plus_found(found.key, found)


def _compared(state: State) -> dict[str, object]:
    """Which options were counted as one, every pair with its score and reason, and who compared them."""
    if not VIEWS["counsel"].fits(state.convened.protocol):
        return {}
    from quorate.views.conference_votes import conference_record  # noqa: PLC0415  for conferences only

    held = conference_record(state)
    if held.grouping is None:
        return {}
    groups = [{"name": one.name, "options": list(one.members)} for one in held.grouping.groups]
    pairs = [
        {"a": pair.a, "b": pair.b, "score": float(pair.score), "merged": pair.merged, "why": pair.why}
        for pair in held.grouping.pairs
    ]
    return {"grouping": {"groups": groups, "pairs": pairs, "backend": ", ".join(held.backends)}}


def _researched(state: State, decision: Decision) -> dict[str, object]:
    """An oracle's own result beside the verdict, with its metrics and what every source came to."""
    if not VIEWS["oracle"].fits(state.convened.protocol):
        return {}
    from quorate.views.compat.oracle_view import consensus  # noqa: PLC0415  for oracles only

    return {"oracle": consensus(state, decision.tally, decision.verdict)}


def _unstated(tally: Tally, states: tuple[str, ...]) -> tuple[Caution, ...]:
    """Ballots handed over without numbers count as stated; a reader should know that there were none."""
    found = (voice.seat for voice in tally.voices if any(_NUMBERS[name](voice) is None for name in states))
    bare, what = tuple(dict.fromkeys(found)), " or ".join(f"no {name}" for name in states)
    if not bare:
        return ()
    says = "states" if len(bare) == 1 else "state"
    text = f"{', '.join(bare)} {says} {what}"
    return (Caution(name="incomplete", seat=bare[0] if len(bare) == 1 else "", text=text),)


def _misread(given: _Handed, example: str) -> tuple[Caution, ...]:
    """Which ballots of the file could not be read, by their number: none is dropped without a word."""
    return tuple(
        Caution(
            name="misread",
            seat=one.seat,
            text=f"ballot {number} ({one.seat}) cannot be read: {why}; it counts as silence. Write it as {example}",
        )
        for number, one, why in given.misread()
    )


_NUMBERS: Final[Mapping[str, Callable[[Voice], Fraction | None]]] = MappingProxyType(
    {"confidence": lambda voice: voice.confidence, "risk": lambda voice: voice.risk}
)
