"""Pure. A tally becomes a verdict: rules in an order, the first that speaks decides; one rule, one file.

A rule file has `rule(tally, *, settings…) -> Verdict | None`, or `cap(tally, verdict, *, settings…) -> Verdict | None`:
a cap is asked after the rules and may only make the outcome more careful. Its SPEC says which.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Literal, NamedTuple

from quorate import catalogue
from quorate.analysis.ballot_cautions import advice_on
from quorate.analysis.careful_outcome import NOT_APPROVED, hold_unapproved
from quorate.analysis.points import points_of
from quorate.errors import UnknownName
from quorate.model import PartRef, Rulebook, RuleTrace, Tally, Verdict
from quorate.model.panel import name_list
from quorate.rules._guarded_parts import COUNT_FAILED, RULE_FAILED, PartFailed, failed_count, guard_rule, hold_undecided

__all__ = [
    "COUNT_FAILED",
    "RULE_FAILED",
    "PartFailed",
    "apply_rulebook",
    "apply_strictly",
    "ask_rules",
    "check",
    "decide",
    "rulebook_origin",
]


def check(rulebook: Rulebook) -> None:
    """See that every rule the book names exists and can read its settings.

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
    """
    for named in (*rulebook.rules, rulebook.otherwise):
        _ready(named, "rule")
    for named in rulebook.unless:
        _ready(named, "cap")


def decide(tally: Tally, rulebook: Rulebook) -> Verdict:
    """The verdict on a tally, with what it rests on and what to do about it.

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
    """
    verdict = apply_rulebook(tally, rulebook)
    advice = advice_on(tally, verdict)
    return replace(verdict, points=points_of(tally, verdict), cautions=(*verdict.cautions, *advice))


def apply_rulebook(tally: Tally, rulebook: Rulebook) -> Verdict:
    """Ask each rule in turn; one always speaks. Then let the caps make it more careful.

    Where a rule or a count of another package fails, the outcome is the cautious one, for a person to review.

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
    """
    if reason := failed_count(tally):
        return hold_undecided(tally, COUNT_FAILED, reason)
    try:
        return apply_strictly(tally, rulebook)
    except PartFailed as failed:
        return hold_undecided(tally, RULE_FAILED, str(failed))


def apply_strictly(tally: Tally, rulebook: Rulebook) -> Verdict:
    """The same for whoever wants to know of every failure.

    Last comes a check that no rulebook can leave out: an approval needs a seat that approved and no missing veto.

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
        PartFailed: a rule of another package failed.
    """
    assumes = tally.silent and rulebook.silence not in {"none", "carry"}
    counted = tally.assuming(rulebook.silence) if assumes else tally
    trace: list[RuleTrace] = []
    rule, verdict, dissent = ask_rules(counted, rulebook, trace)
    held = hold_unapproved(counted, verdict)
    if held is not None:
        trace.append(RuleTrace(NOT_APPROVED, held.because))
        rule, verdict = NOT_APPROVED, held
    because = verdict.because
    more = [part for part in (_merged(counted), _assumed(counted), _not_needed(counted), counted.course.why) if part]
    if more:
        # A reason that a seat wrote may end in a full stop.
        because = "; ".join((because.rstrip("."), *more))
    # In the order of the fields: to pass so many by name takes twice as long.
    return Verdict(
        verdict.outcome,
        verdict.decided,
        rule,
        because,
        verdict.agreement,
        verdict.confidence,
        dissent,
        verdict.cautions,
        verdict.requires_human_review,
        tuple(trace),
        (),
        verdict.score,
    )


def ask_rules(counted: Tally, rulebook: Rulebook, trace: list[RuleTrace]) -> tuple[str, Verdict, tuple[str, ...]]:
    """Which rule or cap decides, its verdict, and who dissents from what the rules said; nothing checks it here.

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
        PartFailed: a rule of another package failed.
    """
    prepared = _prepared(rulebook)
    rule, verdict = _first(counted, prepared, trace)
    dissent = verdict.dissent
    always = counted.demo or counted.meant != counted.domains
    for name, cap, silent in _all_caps(counted, rulebook) if always else prepared.caps:
        capped = cap(counted, verdict)
        if capped is not None:
            trace.append(RuleTrace(name, capped.because))
            # Whoever was behind what the cap has lowered does not dissent from it.
            return name, capped, dissent
        trace.append(silent)
    return rule, verdict, dissent


def _first(tally: Tally, prepared: "_Prepared", trace: list[RuleTrace]) -> tuple[str, Verdict]:
    for name, rule, silent in prepared.rules:
        verdict = rule(tally)
        if verdict is not None:
            trace.append(RuleTrace(name, verdict.because))
            return name, verdict
        trace.append(silent)
    if not catalogue.is_shipped(catalogue.rule(prepared.rules[-1][0]).function):
        raise PartFailed(f"rule {prepared.rules[-1][0]!r} stayed silent, and no other comes after it")
    raise AssertionError(f"rulebook {prepared.name!r} ends with {prepared.rules[-1][0]!r}, which stayed silent")


_Part = tuple[str, Callable[..., Verdict | None], RuleTrace]
"""A rule or a cap by its name, ready to be asked, and its line of the trace where it says nothing."""


class _Prepared(NamedTuple):
    """A rulebook with all its parts looked up and their settings read."""

    name: str
    rules: tuple[_Part, ...]
    caps: tuple[_Part, ...]


def _prepared(rulebook: Rulebook) -> _Prepared:
    """Worked out once for each rulebook, and kept with it: to find one by its value would mean to look at all of it."""
    prepared: _Prepared | None = rulebook.__dict__.get("_prepared")
    if prepared is None:
        rules = tuple(_part(named, "rule") for named in (*rulebook.rules, rulebook.otherwise))
        prepared = _Prepared(rulebook.name, rules, tuple(_part(named, "cap") for named in rulebook.unless))
        rulebook.__dict__["_prepared"] = prepared
    return prepared


def _part(named: PartRef, part: Literal["rule", "cap"]) -> _Part:
    return named.name, _ready(named, part), RuleTrace(named.name)


def _all_caps(tally: Tally, rulebook: Rulebook) -> tuple[_Part, ...]:
    """The rulebook's caps; whatever it says, a demo panel is capped, and so are seats that fell back on one model."""
    named = {cap.name for cap in rulebook.unless}
    always = (("demo", tally.demo), ("one_voice", bool(tally.meant)))
    return (
        *(_part(PartRef(name), "cap") for name, holds in always if holds and name not in named),
        *_prepared(rulebook).caps,
    )


@cache
def _ready(named: PartRef, part: Literal["rule", "cap"]) -> Callable[..., Verdict | None]:
    """A rule with its settings read; the same name and settings are the same rule every time."""
    spec = catalogue.rule(named.name)
    function = spec.rule if part == "rule" else spec.cap
    if function is None:
        raise UnknownName(f"rule that may {'decide' if part == 'rule' else 'cap'}", named.name, _with(part))
    settings = catalogue.bind(function, named.settings, f"rule {named.name!r}")
    # What is a rule's default anyway need not be passed: a plain function is asked faster than a partial one.
    own: Mapping[str, object] = getattr(function, "__kwdefaults__", None) or {}
    other = {name: value for name, value in settings.items() if name not in own or own[name] != value}
    ask = guard_rule(named.name, function)
    return partial(ask, **other) if other else ask


def _with(part: str) -> tuple[str, ...]:
    specs = ((name, catalogue.rule(name)) for name in catalogue.names("rule"))
    return tuple(name for name, spec in specs if (spec.cap if part == "cap" else spec.rule) is not None)


def _merged(tally: Tally) -> str:
    """Who put an option in other words: their votes are counted for it, and they did not name it so."""
    merged = [voice for voice in tally.voices if voice.is_merged and voice.value is None]
    return ", ".join([f"{voice.seat}'s {voice.words!r} counts as {voice.option!r}" for voice in merged])


def _assumed(tally: Tally) -> str:
    assumed = [f"{voice.seat}: {voice.reason}" for voice in tally.assumed]
    if not assumed:
        return ""
    return f"{len(assumed)} {'vote was' if len(assumed) == 1 else 'votes were'} assumed ({', '.join(assumed)})"


def _not_needed(tally: Tally) -> str:
    seats = tally.not_needed
    return f"{name_list(seats)} {'was' if len(seats) == 1 else 'were'} not needed" if seats else ""


def rulebook_origin(book: Rulebook, protocol: str = "") -> Literal["shipped", "changed", "own"]:
    """Where a rulebook is from: a protocol brings it as it stands, or with other settings, or it is somebody's own.

    By its value: a file may give its own rulebook any name. A `protocol` is looked at first, because to load all of
    them takes time.
    """
    shipped = next((one for one in _books(protocol) if one.name == book.name), None)
    if shipped == book:
        return "shipped"
    return "changed" if shipped is not None and _rule_names(shipped) == _rule_names(book) else "own"


def _books(protocol: str) -> Iterator[Rulebook]:
    if protocol:
        yield from catalogue.protocol(protocol).books
    for spec in catalogue.protocols().values():
        yield from spec.books


def _rule_names(book: Rulebook) -> tuple[object, ...]:
    return tuple(one.name for one in book.rules), book.otherwise.name, book.silence
