"""Checks a rulebook: tries every property on every way to vote of up to seven seats."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal

from quorate import catalogue, presets, rules
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model.charter import Charter
from quorate.offline.decide import protocol_of
from quorate.offline.prove_ballots import ballots_of
from quorate.offline.prove_bench import MOST, ProofBench, Subject
from quorate.offline.prove_guarantee import GuaranteeFigures, find_guarantee
from quorate.offline.prove_properties import PROPERTIES, CounterExample, RuleProperty, SearchResult, benches
from quorate.settings.rulebook_file import amend_rulebook, meant

__all__ = ["GUARANTEE", "ClaimStatus", "Proof", "ProofClaim", "TimeIsUp", "prove", "subject_of", "subjects"]

ClaimStatus = Literal["checked", "on_purpose", "refuted", "not_stated", "unfinished"]
GUARANTEE: Final = "guarantee"
_TITLE: Final = "what a panel is said to withstand is tight: so many carry or block, and one fewer does not"


class TimeIsUp(Exception):
    """The time limit was reached; it never leaves this file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofClaim:
    """A property of a rulebook and what became of it.

    `checked` holds for up to `seats` seats. `on_purpose` does not hold, and `by` names the rules that declare it.
    """

    name: str
    title: str
    status: ClaimStatus
    tried: int = 0
    seats: int = 0
    by: tuple[str, ...] = ()
    note: str = ""
    counter: CounterExample | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result for one rulebook: all its claims, and what it withstands."""

    subject: Subject
    claims: tuple[ProofClaim, ...]
    figures: tuple[GuaranteeFigures, ...] = ()
    outcomes: tuple[str, ...] = ()

    @property
    def refuted(self) -> tuple[ProofClaim, ...]:
        return tuple(claim for claim in self.claims if claim.status == "refuted")

    @property
    def is_finished(self) -> bool:
        return all(claim.status != "unfinished" for claim in self.claims)

    @property
    def smallest(self) -> CounterExample | None:
        """The counter-example with the fewest ballots."""
        found = [claim.counter for claim in self.refuted if claim.counter is not None]
        return min(found, key=lambda one: len(one.casts), default=None)


def subjects() -> tuple[Subject, ...]:
    """Every rulebook that ships or is installed, with the protocol that brings it."""
    found = ((name, spec, book) for name, spec in catalogue.protocols().items() for book in spec.books)
    return tuple(subject_of(None, book.name) for _, _, book in found)


def subject_of(charter: Charter | None, rulebook: str | None) -> Subject:
    """What is to be proved: a rulebook by its name, or the one of a panel.

    Raises:
        UnknownName: no such rulebook.
        BadSetting: its ballots cannot be gone through.
    """
    protocol = protocol_of(charter, rulebook, None)
    spec = catalogue.protocol(protocol)
    said = charter.settings if charter else ()
    renamed = meant(protocol, said)
    settings = tuple(pair for pair in said if not meant(protocol, (pair,)))
    book = presets.rulebook(rulebook) if rulebook else (charter and charter.rulebook) or spec.rulebook
    if foreign := catalogue.foreign_votes(book, spec):
        raise BadSetting(f"rulebook {book.name!r} cannot decide on this: {foreign}")
    book = amend_rulebook(book, renamed) if renamed else book
    rules.check(book)
    variant = spec.variant(dict(settings))
    return Subject(book.name, protocol, book, settings, spec, ballots_of(variant.form, variant.outcomes))


def prove(subject: Subject, *, most: int = MOST, tick: Callable[[str], bool] = lambda _: True) -> Proof:
    """Try every property. `tick` is told what is being tried after each decision, and says whether there is time."""
    known = {(len(bench.seats), bench.guardians): bench for bench in benches(subject, most)}
    names = [name for name, one in PROPERTIES.items() if one.holds_for(subject)]
    claims = [_claim(subject, known, name, tick) for name in names]
    guarantee, figures = _guarantee(known, tick)
    declared = _declared(subject)
    return Proof(
        subject=subject,
        claims=tuple(_on_purpose(claim, declared) for claim in (*claims, guarantee)),
        figures=figures,
        outcomes=_outcomes(known),
    )


def _outcomes(known: Mapping[tuple[int, int], ProofBench]) -> tuple[str, ...]:
    """Everything that came out, in alphabetical order."""
    endings = (ending for bench in known.values() for ending in bench.known.values())
    return tuple(sorted({ending.outcome or "no outcome" for ending in endings}))


def _progress(tick: Callable[[str], bool], what: str) -> Callable[[], None]:
    def progress() -> None:
        if not tick(what):
            raise TimeIsUp

    return progress


def _claim(
    subject: Subject, known: Mapping[tuple[int, int], ProofBench], name: str, tick: Callable[[str], bool]
) -> ProofClaim:
    rule_property: RuleProperty = PROPERTIES[name]
    try:
        result = rule_property.find(subject, known, _progress(tick, name))
    except TimeIsUp:
        return ProofClaim(name=name, title=rule_property.title, status="unfinished")
    return _claim_from_search(name, rule_property.title, result)


def _claim_from_search(name: str, title: str, result: SearchResult) -> ProofClaim:
    status: ClaimStatus = "refuted" if result.counter else "checked"
    return ProofClaim(
        name=name, title=title, status=status, tried=result.tried, seats=result.seats, counter=result.counter
    )


def _guarantee(
    known: Mapping[tuple[int, int], ProofBench], tick: Callable[[str], bool]
) -> tuple[ProofClaim, tuple[GuaranteeFigures, ...]]:
    try:
        found = find_guarantee(known, _progress(tick, GUARANTEE))
    except TimeIsUp:
        return ProofClaim(name=GUARANTEE, title=_TITLE, status="unfinished"), ()
    if found.why:
        return ProofClaim(name=GUARANTEE, title=_TITLE, status="not_stated", note=found.why), ()
    return _claim_from_search(GUARANTEE, _TITLE, found.finding), found.figures


def _declared(subject: Subject) -> Mapping[str, tuple[str, ...]]:
    """Which rules say of themselves that they do not keep a property."""
    book = subject.book
    named = [part.name for part in (*book.rules, book.otherwise, *book.unless)]
    return {
        one: tuple(name for name in named if one in catalogue.rule(name).breaks) for one in (*PROPERTIES, GUARANTEE)
    }


def _on_purpose(claim: ProofClaim, declared: Mapping[str, tuple[str, ...]]) -> ProofClaim:
    by = declared[claim.name]
    return replace(claim, status="on_purpose", by=by) if claim.status == "refuted" and by else claim
