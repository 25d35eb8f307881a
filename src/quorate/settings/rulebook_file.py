"""Rulebooks as users write them: a shipped name, a mapping in a file, or one setting of one rule changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Final

from quorate import catalogue, presets
from quorate.errors import BadPanel, BadSetting, UnknownName
from quorate.model import PartRef, Rulebook
from quorate.settings.file_fields import Field

__all__ = [
    "amend_rulebook",
    "check_outcomes",
    "default_rulebook",
    "meant",
    "rulebook_name",
    "rulebook_of",
    "setting_names",
]

FIELDS: Final = ("name", "rules", "otherwise", "unless", "silence")
NEEDED: Final = ("name", "rules", "otherwise")
Part = str
RATIOS: Final = frozenset({"margin", "weight_ratio"})
"""Settings of rules that say how many times as much one must be as another; every other fraction is a share."""
FITTED: Final = frozenset({"sharpness"})
"""Numbers that learning works out, which may be anything."""
COUNTED: Final = frozenset({"questions", "acts", "errors", "labels", "needed"})
"""Numbers of past decisions, of which there may be none; every other whole number is a minimum of seats."""


def rulebook_of(field: Field) -> Rulebook:
    """A rulebook as a file gives it: the name of one that ships, or all its rules.

    Raises:
        BadPanel: no such rulebook, rule or setting, with its place.
    """
    if field.plain:
        return field.read(presets.rulebook)
    known = field.fields(FIELDS)
    missing = next((name for name in NEEDED if name not in known), None)
    if missing is not None:
        raise field.fault(f"{missing!r} is missing; a rulebook has name, rules and otherwise, for instance hold")
    return Rulebook(
        name=known["name"].text(),
        rules=tuple(_named(one, "rule") for one in known["rules"].items()),
        otherwise=_speaking(known["otherwise"]),
        unless=tuple(_named(one, "cap") for one in known["unless"].items()) if "unless" in known else (),
        silence=known["silence"].text() if "silence" in known else "none",
    )


def rulebook_name(book: Rulebook) -> str:
    """How `quorate config` shows a rulebook."""
    return book.name


def _named(field: Field, part: Part) -> PartRef:
    if field.plain:
        return PartRef(field.read(partial(_rule, part=part)))
    pairs = field.pairs()
    if len(pairs) != 1:
        raise field.fault("one rule: its name, or 'name: {setting: value}'")
    ((name, inner),) = pairs
    try:
        _rule(name, part)
        settings = tuple((setting, value.text()) for setting, value in inner.pairs())
        _bound(PartRef(name, settings))
    except (UnknownName, BadSetting) as wrong:
        raise inner.fault(str(wrong)) from wrong
    return PartRef(name, settings)


def _speaking(field: Field) -> PartRef:
    named = _named(field, "rule")
    if not catalogue.rule(named.name).always:
        raise field.fault(f"{named.name!r} may stay silent; the last rule must always speak, as hold does")
    return named


def _rule(name: str, part: Part) -> str:
    spec = catalogue.rule(name)
    if (spec.rule if part == "rule" else spec.cap) is None:
        other = "'rules' or 'otherwise'" if part == "cap" else "'unless'"
        raise BadSetting(f"{name!r} does not belong here but under {other}")
    return name


def _bound(named: PartRef) -> None:
    values = catalogue.bind(catalogue.rule(named.name).function, named.settings, f"rule {named.name!r}")
    for key, value in values.items():
        if wrong := _out_of_range(key, value):
            raise BadSetting(f"{named.name}.{key} {wrong}, not {value}")


def _out_of_range(key: str, value: object) -> str:
    """What a number of a rule must be and isn't; empty where it may be used."""
    if isinstance(value, Fraction) and key in RATIOS:
        return "is a ratio and must be at least 1" if value < 1 else ""
    if isinstance(value, Fraction) and key not in FITTED:
        return "" if 0 < value <= 1 else "is a share and must be above 0 and at most 1, such as 2/3 or 75%"
    if isinstance(value, int) and not isinstance(value, bool) and key not in COUNTED:
        return "must be at least 1" if value < 1 else ""
    return ""


def amend_rulebook(book: Rulebook, changes: Iterable[tuple[str, str]]) -> Rulebook:
    """The same rulebook with settings changed: ("supermajority.at_least", "3/4").

    Raises:
        UnknownName: the rulebook has no such rule, or the rule no such setting.
        BadSetting: the value cannot be read.
    """
    for key, value in changes:
        name, _, setting = key.partition(".")
        present = {named.name for named in (*book.rules, book.otherwise, *book.unless)}
        if name not in present:
            raise UnknownName(f"rule of rulebook {book.name!r}", name, present)
        _bound(PartRef(name, ((setting, value),)))
        change = partial(_changed, name=name, setting=setting, value=value)
        book = replace(
            book,
            rules=tuple(change(named) for named in book.rules),
            otherwise=change(book.otherwise),
            unless=tuple(change(named) for named in book.unless),
        )
    return book


def _changed(named: PartRef, *, name: str, setting: str, value: str) -> PartRef:
    if named.name != name:
        return named
    return PartRef(name, (*(pair for pair in named.settings if pair[0] != setting), (setting, value)))


def meant(protocol: str, settings: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Settings of a protocol that stand for a setting of a rule, by that: ("threshold", "3/4") of an oracle."""
    aliases = catalogue.protocol(protocol).aliases
    return tuple((aliases[key], text) for key, text in settings if key in aliases)


def setting_names(protocol: str) -> frozenset[str]:
    """Every setting that may be written for a protocol: its own, its count's, and those that stand for a rule's.

    Raises:
        UnknownName: no such protocol.
    """
    spec = catalogue.protocol(protocol)
    counted = catalogue.settings(catalogue.count(spec.count.name).count)
    names = {setting.name for setting in (*catalogue.settings(spec.protocol), *counted)}
    return frozenset((names | spec.aliases.keys()) - dict(spec.count.settings).keys())


def default_rulebook(protocol: str) -> Rulebook:
    """The rulebook a protocol names for itself.

    Raises:
        UnknownName: no such protocol.
    """
    return catalogue.protocol(protocol).rulebook


def check_outcomes(book: Rulebook, protocol: str) -> Rulebook:
    """The rulebook, if what silence and each rule stand for are outcomes of the protocol.

    Raises:
        BadPanel: something would be decided that the protocol has no word for.
    """
    spec = catalogue.protocol(protocol)
    outcomes = spec.outcomes
    if foreign := catalogue.foreign_votes(book, spec):
        raise BadPanel(f"rulebook {book.name!r} does not fit protocol {protocol!r}: {foreign}")
    silence = ("none", *outcomes) if outcomes else ("none", "carry")
    own = [one.name for one in spec.books]
    if book.silence not in silence:
        raise BadPanel(
            f"rulebook {book.name!r} does not fit protocol {protocol!r}: silence may count as {', '.join(silence)} "
            f"there, not {book.silence!r}; it brings {', '.join(own)}"
        )
    for named in (*book.rules, book.otherwise, *book.unless):
        for key, word in named.settings:
            if outcomes and key in {"means", "instead_of"} and word not in outcomes:
                raise BadPanel(
                    f"rulebook {book.name!r}: {named.name}.{key} may be {', '.join(outcomes)} under protocol "
                    f"{protocol!r}, not {word!r}"
                )
    _check_caps(book, outcomes)
    return book


def _check_caps(book: Rulebook, outcomes: Sequence[str]) -> None:
    for named in book.unless:
        defaults = {one.name: one.default for one in catalogue.settings(catalogue.rule(named.name).function)}
        if bolder := _bolder({**defaults, **dict(named.settings)}, outcomes):
            raise BadPanel(f"rulebook {book.name!r}: {named.name} may only make an outcome more careful, not {bolder}")


def _bolder(values: Mapping[str, object], outcomes: Sequence[str]) -> str:
    """What a cap would make of a more careful outcome, empty where it lowers one as it should.

    A setting that a file leaves out counts too; an empty one stands for the boldest outcome and what comes after it.
    """
    if "instead_of" not in values or not outcomes:
        return ""
    before, means = str(values["instead_of"] or outcomes[0]), str(values["means"] or outcomes[1])
    if before not in outcomes or means not in outcomes:
        return ""
    return means if outcomes.index(means) < outcomes.index(before) else ""
