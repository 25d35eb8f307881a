"""Pure. A tally becomes a verdict: rules in an order, the first that speaks decides; one rule, one file.

A rule file has `rule(tally, *, settings…) -> Verdict | None`, or `cap(tally, verdict, *, settings…) -> Verdict | None`:
a cap is asked after the rules and may only make the outcome more careful. Its SPEC says which.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Literal, NamedTuple

from quorate import catalogue
from quorate.analysis.ballot_cautions import advice_on
from quorate.analysis.points import points_of
from quorate.errors import UnknownName
from quorate.model import PartRef, Rulebook, RuleTrace, Tally, Verdict

__all__ = ["apply_rulebook", "check", "decide"]


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

    Raises:
        UnknownName: the rulebook names a rule or a setting there is not.
        BadSetting: a setting cannot be read.
    """
    assumes = tally.silent and rulebook.silence not in {"none", "carry"}
    counted = tally.assuming(rulebook.silence) if assumes else tally
    trace: list[RuleTrace] = []
    rule, verdict = _first(counted, rulebook, trace)
    dissent = verdict.dissent
    for name, cap, silent in _caps(counted, rulebook):
        capped = cap(counted, verdict)
        trace.append(silent if capped is None else RuleTrace(rule=name, said=capped.because))
        if capped is not None:
            # Whoever was behind what the cap has lowered does not dissent from it.
            rule, verdict = name, capped
            break
    because = "; ".join(filter(None, (verdict.because, _assumed(counted), counted.course.why)))
    return Verdict(
        outcome=verdict.outcome,
        decided=verdict.decided,
        rule=rule,
        because=because,
        agreement=verdict.agreement,
        confidence=verdict.confidence,
        dissent=dissent,
        cautions=verdict.cautions,
        requires_human_review=verdict.requires_human_review,
        trace=tuple(trace),
        score=verdict.score,
    )


def _first(tally: Tally, rulebook: Rulebook, trace: list[RuleTrace]) -> tuple[str, Verdict]:
    for name, rule, silent in _prepared(rulebook).rules:
        verdict = rule(tally)
        if verdict is not None:
            trace.append(RuleTrace(rule=name, said=verdict.because))
            return name, verdict
        trace.append(silent)
    raise AssertionError(f"rulebook {rulebook.name!r} ends with {rulebook.otherwise.name!r}, which stayed silent")


class _Part(NamedTuple):
    """A rule or a cap, ready to be asked, and its line of the trace where it says nothing."""

    name: str
    ask: Callable[..., Verdict | None]
    silent: RuleTrace


class _Prepared(NamedTuple):
    """A rulebook with all its parts looked up and their settings read."""

    rules: tuple[_Part, ...]
    caps: tuple[_Part, ...]


def _prepared(rulebook: Rulebook) -> _Prepared:
    """Worked out once for each rulebook, and kept with it: to find one by its value would mean to look at all of it."""
    prepared: _Prepared | None = rulebook.__dict__.get("_prepared")
    if prepared is None:
        rules = tuple(_part(named, "rule") for named in (*rulebook.rules, rulebook.otherwise))
        prepared = _Prepared(rules, tuple(_part(named, "cap") for named in rulebook.unless))
        rulebook.__dict__["_prepared"] = prepared
    return prepared


def _part(named: PartRef, part: Literal["rule", "cap"]) -> _Part:
    return _Part(named.name, _ready(named, part), RuleTrace(rule=named.name))


def _caps(tally: Tally, rulebook: Rulebook) -> tuple[_Part, ...]:
    """The rulebook's caps; whatever it says, a demo panel is capped, and so are seats that fell back on one model."""
    caps = _prepared(rulebook).caps
    if not tally.demo and tally.meant == tally.domains:
        return caps
    named = {cap.name for cap in rulebook.unless}
    always = (("demo", tally.demo), ("one_voice", bool(tally.meant)))
    return (*(_part(PartRef(name), "cap") for name, holds in always if holds and name not in named), *caps)


@cache
def _ready(named: PartRef, part: Literal["rule", "cap"]) -> Callable[..., Verdict | None]:
    """A rule with its settings read; the same name and settings are the same rule every time."""
    spec = catalogue.rule(named.name)
    function = spec.rule if part == "rule" else spec.cap
    if function is None:
        raise UnknownName(f"rule that may {'decide' if part == 'rule' else 'cap'}", named.name, _with(part))
    return partial(function, **catalogue.bind(function, named.settings, f"rule {named.name!r}"))


def _with(part: str) -> tuple[str, ...]:
    specs = ((name, catalogue.rule(name)) for name in catalogue.names("rule"))
    return tuple(name for name, spec in specs if (spec.cap if part == "cap" else spec.rule) is not None)


def _assumed(tally: Tally) -> str:
    assumed = [f"{voice.seat}: {voice.reason}" for voice in tally.voices if voice.assumed]
    if not assumed:
        return ""
    return f"{len(assumed)} {'vote was' if len(assumed) == 1 else 'votes were'} assumed ({', '.join(assumed)})"
