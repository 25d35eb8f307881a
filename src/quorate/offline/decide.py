"""The decision alone: ballots in, verdict out, no model asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType

from quorate import presets, rules
from quorate.analysis.conference_course import options_of
from quorate.catalogue import load, names
from quorate.chair import Docket, tally_of
from quorate.errors import QuorateError
from quorate.model import (
    Caution,
    Convened,
    ErrandKey,
    Found,
    Heard,
    Panel,
    Question,
    Rulebook,
    Seat,
    Silence,
    Speech,
    Tally,
    Verdict,
)
from quorate.model.charter import Charter
from quorate.model.panel import plain
from quorate.reading.ballot_file import Given, given_ballots
from quorate.settings.rulebook_file import amended, meant
from quorate.views.compat.oracle import consensus, is_oracle
from quorate.views.conference_votes import conferred, is_conference
from quorate.views.document import verdict_document

__all__ = ["decide_ballots", "decided", "protocol_of"]


def decide_ballots(
    text: str, *, charter: Charter | None = None, rulebook: str | None = None, protocol: str | None = None
) -> dict[str, object]:
    """The document with `verdict` alone, and where options were compared, what was counted as one and why.

    Raises:
        BadSetting: the text is no list of ballots.
        UnknownName: no such rulebook or protocol, or a ballot from nobody on the given panel.
    """
    counted = _counted(text, charter, rulebook, protocol)
    shown: dict[str, object] = {"schema": 1, "verdict": verdict_document(*_decided(counted))}
    return shown | _compared(counted.docket) | _researched(counted)


def decided(
    text: str, *, charter: Charter | None = None, rulebook: str | None = None, protocol: str | None = None
) -> tuple[Verdict, Tally, Rulebook]:
    """Count handed-over ballots as the protocol's final round and decide."""
    return _decided(_counted(text, charter, rulebook, protocol))


def protocol_of(charter: Charter | None, rulebook: str | None, protocol: str | None) -> str:
    """The protocol that was asked for, else the one whose own rulebook it is, else the panel's."""
    own = {load("protocol", name).RULEBOOK: name for name in names("protocol")} if rulebook and not protocol else {}
    family = (rulebook or "").partition("_")[0]
    return protocol or own.get(rulebook) or own.get(family) or (charter.protocol if charter else "tribunal")


@dataclass(frozen=True, slots=True)
class _Counted:
    docket: Docket
    tally: Tally


def _counted(text: str, charter: Charter | None, rulebook: str | None, protocol: str | None) -> _Counted:
    name = protocol_of(charter, rulebook, protocol)
    script = load("protocol", name)
    if script.COUNT.name == "strength":
        return _debated(text, charter, name, presets.rulebook(rulebook or script.RULEBOOK))
    said = charter.settings if charter and charter.protocol == name else ()
    renamed = meant(name, said)
    settings = tuple(pair for pair in said if not meant(name, (pair,)))
    scale = getattr(load("form", script.FORM), "SCALE", 100)
    given = given_ballots(text, script.OUTCOMES, scale, _reader(script, dict(settings)))
    panel, noticed = _panel(given, charter, script)
    book = (
        presets.rulebook(rulebook) if rulebook else (charter and charter.rulebook) or presets.rulebook(script.RULEBOOK)
    )
    book = amended(book, renamed) if renamed else book
    final = dict(script.COUNT.settings).get("final", getattr(script, "FINAL", "1"))
    docket = Docket.open(
        Convened(question=Question(text=""), panel=panel, protocol=name, rulebook=book, settings=settings)
    )
    words = {(final, seat.name, ""): _word(seat, given, final) for seat in panel}
    heard = replace(docket.heard, words=words)
    docket = replace(docket, heard=heard if script.OUTCOMES else _likened(heard, final, dict(settings)))
    tally = tally_of(docket)
    cautions = (*tally.cautions, *noticed, *_unstated(tally, risk=scale > 1))
    return _Counted(docket, replace(tally, sealed=None, changes=(), cautions=cautions))


def _debated(text: str, charter: Charter | None, name: str, rulebook: Rulebook) -> _Counted:
    """Arguments in place of ballots."""
    from quorate.offline.debate_file import argued  # noqa: PLC0415  for debates only

    docket = argued(text, charter if charter and charter.protocol == name else None, name, rulebook)
    return _Counted(docket, tally_of(docket))


def _reader(script: ModuleType, settings: Mapping[str, str]) -> Callable[[str], tuple[str, str]] | None:
    """How a form reads an outcome, where a protocol has forms to choose from; of handed-over options any will do."""
    forms: Mapping[str, str] = getattr(script, "FORMS", {})
    answers = settings.get("answers", next(iter(forms), ""))
    if answers not in forms:
        return None
    named: Callable[..., tuple[str, str]] = load("form", forms[answers]).named
    return partial(named, options=()) if answers == "options" else named


def _decided(counted: _Counted) -> tuple[Verdict, Tally, Rulebook]:
    book = counted.docket.convened.rulebook
    return rules.decide(counted.tally, book), counted.tally, book


def _likened(heard: Heard, final: str, settings: Mapping[str, str]) -> Heard:
    """Open options are compared here, as the clerk would have done it."""
    options = options_of(heard, int(final))
    if not options[1:]:
        return heard
    from quorate.similarity.backend_choice import NAMES, choose  # noqa: PLC0415  a lexicon and weights, for open options only
    from quorate.similarity.errand_compare import likeness_of  # noqa: PLC0415  the same

    # A provider's embeddings are for deliberations: nobody is asked anything here.
    wanted = settings.get("similarity", "auto")
    alike = likeness_of(options, choose(wanted if wanted in NAMES else "auto"))
    found = Found(
        kind="compare", round=final, about="options",
        scores=alike.scores, refused=alike.refused, by=alike.by, why=alike.why,
    )  # fmt: skip
    return heard.plus_found(ErrandKey(found.kind, found.round, found.seat, found.about), found)


def _compared(docket: Docket) -> dict[str, object]:
    """Which options were counted as one, every pair with its score and reason, and who compared them."""
    held = conferred(docket) if is_conference(docket) else None
    if held is None or held.grouping is None:
        return {}
    groups = [{"name": one.name, "options": list(one.members)} for one in held.grouping.groups]
    pairs = [
        {"a": pair.a, "b": pair.b, "score": float(pair.score), "merged": pair.merged, "why": pair.why}
        for pair in held.grouping.pairs
    ]
    return {"grouping": {"groups": groups, "pairs": pairs, "backend": ", ".join(held.backends)}}


def _researched(counted: _Counted) -> dict[str, object]:
    """An oracle's own result beside the verdict, with its metrics and what every source came to."""
    if not is_oracle(counted.docket):
        return {}
    return {"oracle": consensus(counted.docket, counted.tally, _decided(counted)[0])}


def _unstated(tally: Tally, *, risk: bool) -> tuple[Caution, ...]:
    """Ballots handed over without numbers count as stated; a reader should know that there were none."""
    bare = (voice.seat for voice in tally.voices if voice.confidence is None or (risk and voice.risk is None))
    what = "no confidence or no risk" if risk else "no confidence"
    return tuple(Caution(name="incomplete", seat=seat, text=f"{seat} states {what}") for seat in bare)


def _panel(given: tuple[Given, ...], charter: Charter | None, script: ModuleType) -> tuple[Panel, tuple[Caution, ...]]:
    if charter is not None:
        for one in given:
            charter.panel.seat(one.seat)
        return charter.panel, ()
    own_panel = script.RULEBOOK not in presets.PANELS or getattr(script, "GIVEN_IS_PANEL", False)
    known = None if own_panel else presets.PANELS[script.RULEBOOK].panel
    if known is not None and {plain(one.seat) for one in given} <= {plain(seat.name) for seat in known}:
        return known, ()
    if not given:
        raise QuorateError("there is no ballot to decide on; give at least one, or name a panel with --panel")
    own = Panel(seats=tuple(Seat(name=one.seat) for one in given))
    text = "the seats are those of the file, so nobody holds a veto; name a panel with --panel to give one"
    return own, (Caution(name="no_veto", text=text),) if known and any("veto" in s.powers for s in known) else ()


def _word(seat: Seat, given: tuple[Given, ...], final: str) -> Speech | Silence:
    one = next((one for one in given if plain(one.seat) == plain(seat.name)), None)
    if one is None:
        return Silence(seat=seat.name, why="no_ballot")
    if one.ballot is None:
        return Silence(seat=seat.name, why=one.silence.why if one.silence else "no_ballot")
    return Speech(seat=seat.name, round=final, about="", text="", ballot=one.ballot, cautions=one.cautions)
