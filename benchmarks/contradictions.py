"""Pairs of options that must never be merged, made up by chance from a seed: as many as are wanted."""

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

__all__ = ["KINDS", "Contradiction", "contradictions"]


class Contradiction(NamedTuple):
    """Two options that say different things, and how they differ."""

    kind: str
    a: str
    b: str


def contradictions(seed: int, count: int) -> Iterator[Contradiction]:
    """Negations, enumerators, numbers and comparatives in turn."""
    chance = Random(seed)  # the same seed gives the same pairs again
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        a, b = _MAKERS[kind](chance)
        yield Contradiction(kind, *((a, b) if chance.random() < 1 / 2 else (b, a)))


def _negation(chance: Random) -> tuple[str, str]:
    verb, rest = chance.choice(_VERBS), _what(chance)
    plain, form = chance.choice(_NEGATIONS)
    return plain.format(verb=verb, rest=rest).capitalize(), form.format(verb=verb, rest=rest).capitalize()


def _enumerator(chance: Random) -> tuple[str, str]:
    names = chance.choice(_ENUMERATORS)
    one, other = chance.sample(names, 2)
    form = chance.choice(("{label} {mark}", "Choose {label} {mark}", "{label} {mark} {tail}", "Go with {label} {mark}"))
    label, tail = chance.choice(_LABELS), chance.choice(_TAILS)
    return (
        form.format(label=label, mark=one, tail=tail).strip(),
        form.format(label=label, mark=other, tail=tail).strip(),
    )


def _number(chance: Random) -> tuple[str, str]:
    form, unit = chance.choice(_AMOUNTS)
    verb, noun = chance.choice(_VERBS).capitalize(), chance.choice(_NOUNS)
    one = chance.choice((chance.randint(2, 20), chance.randint(21, 5000), chance.randint(2, 90) / 10))
    other = chance.choice((one * 10, one + 1, chance.randint(6000, 9000)))
    if len(unit) > 1 and chance.random() < 1 / 4:
        first, second = chance.sample(unit, 2)
        return form.format(v=verb, n=noun, x=one, u=first), form.format(v=verb, n=noun, x=one, u=second)
    name = chance.choice(unit) if unit else ""
    return form.format(v=verb, n=noun, x=one, u=name), form.format(v=verb, n=noun, x=other, u=name)


def _comparative(chance: Random) -> tuple[str, str]:
    one, other, form = chance.choice(_COMPARATIVES)
    words = {"n": chance.choice(_NOUNS), "m": chance.choice(_NOUNS), "x": chance.randint(2, 900)}
    tail = chance.choice(_TAILS)
    return f"{form.format(one, **words)} {tail}".strip(), f"{form.format(other, **words)} {tail}".strip()


def _what(chance: Random) -> str:
    return f"the {chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)} {chance.choice(_TAILS)}".strip()


_MAKERS: Final = {
    "negation": _negation,
    "enumerator": _enumerator,
    "number": _number,
    "comparative": _comparative,
}
KINDS: Final = tuple(_MAKERS)

_VERBS: Final = (
    *(
        "approve",
        "deploy",
        "release",
        "merge",
        "fund",
        "publish",
        "rewrite",
        "migrate",
        "encrypt",
        "archive",
        "monitor",
    ),
    *("expand", "review", "sign", "audit", "license", "index", "compress", "upgrade", "document", "replace", "test"),
)
_ADJECTIVES: Final = (
    *(
        "new",
        "regional",
        "internal",
        "shared",
        "annual",
        "legacy",
        "public",
        "joint",
        "experimental",
        "main",
        "current",
    ),
)
_NOUNS: Final = (
    *("service", "budget", "treaty", "database", "policy", "cluster", "contract", "dataset", "schema", "forecast"),
    *("vaccine", "warehouse", "bridge", "report", "interface", "pipeline", "archive", "timetable", "grant", "reactor"),
)
_TAILS: Final = (
    *("", "", "before the winter", "in every region", "for all customers", "with the partners", "this quarter"),
    *("on the second site", "during the trial", "under the current plan", "by the end of June"),
)
_NEGATIONS: Final = (
    ("{verb} {rest}", "do not {verb} {rest}"),
    ("{verb} {rest}", "don't {verb} {rest}"),
    ("{verb} {rest}", "never {verb} {rest}"),
    ("{verb} {rest}", "refuse to {verb} {rest}"),
    ("we should {verb} {rest}", "we should not {verb} {rest}"),
    ("we should {verb} {rest}", "we shouldn't {verb} {rest}"),
    ("the board will {verb} {rest}", "the board won't {verb} {rest}"),
    ("the board will {verb} {rest}", "the board will fail to {verb} {rest}"),
    ("will anyone {verb} {rest}?", "will no one {verb} {rest}?"),
    ("we can {verb} {rest}", "we cannot {verb} {rest}"),
    ("it is right to {verb} {rest}", "it is not right to {verb} {rest}"),
    ("yes, {verb} {rest}", "no, do not {verb} {rest}"),
    ("vote to {verb} {rest}", "vote not to {verb} {rest}"),
    ("{verb} {rest} with a review", "{verb} {rest} without a review"),
    ("agree to {verb} {rest}", "decline to {verb} {rest}"),
)
_LABELS: Final = ("Option", "Plan", "Variant", "Proposal", "Phase", "Team", "Version", "Candidate", "Tier", "Scenario")
_ENUMERATORS: Final = (
    tuple("ABCDEFGH"),
    tuple(str(number) for number in range(1, 31)),
    ("I", "II", "III", "IV", "V", "VI", "VII"),
    ("one", "two", "three", "four", "five", "six"),
    tuple(f"v{number}" for number in range(1, 12)),
    tuple(f"{one}.{two}" for one in range(1, 4) for two in range(6)),
    tuple(f"{letter}{number}" for letter in "ABC" for number in range(1, 4)),
    ("Alpha", "Beta", "Gamma", "Delta"),
)
_AMOUNTS: Final = (
    ("{v} the {n} within {x} {u}", ("hours", "days", "weeks", "months")),
    ("Give the {n} {x} {u}", ("KB", "MB", "GB", "TB")),
    ("Cut the cost of the {n} by {x}{u}", ("%",)),
    ("{v} {x} {n}s", ()),
    ("Spend ${x} {u} on the {n}", ("thousand", "million", "billion")),
    ("Keep the {n} for {x} {u}", ("minutes", "hours", "years")),
    ("Set the limit of the {n} to {x}", ()),
    ("{v} the {n} {x} {u} from the centre", ("meters", "kilometers")),
)
_COMPARATIVES: Final = (
    ("at least", "at most", "Ask {0} {x} {n}s"),
    ("at least", "fewer than", "Ask {0} {x} {n}s"),
    ("more than", "less than", "Spend {0} {x} dollars on the {n}"),
    ("over", "under", "Price the {n} {0} {x} euros"),
    ("up to", "more than", "Allow {0} {x} {n}s"),
    ("a minimum of", "a maximum of", "Require {0} {x} {n}s"),
    (">", "<", "Latency of the {n} {0} {x} ms"),
    ("more", "less", "Put {0} weight on the {n}"),
    ("more", "fewer", "Order {0} {n}s"),
    ("higher", "lower", "Aim for a {0} price of the {n}"),
    ("larger", "smaller", "Build a {0} {n}"),
    ("faster", "slower", "Choose the {0} {n}"),
    ("earlier", "later", "Start the {n} {0}"),
    ("before", "after", "Finish the {n} {0} the {m}"),
    ("above", "below", "Keep the {n} {0} average"),
    ("better", "worse", "The {n} is {0} now"),
    ("longer", "shorter", "Ask for a {0} {n}"),
    ("stronger", "weaker", "Write a {0} {n}"),
    ("cheaper", "more expensive", "Take the {0} {n}"),
    ("most", "least", "Take the {0} expensive {n}"),
    ("increase", "decrease", "{0} the size of the {n}"),
    ("raise", "lower", "{0} the price of the {n}"),
)
