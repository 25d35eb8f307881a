"""The ballots a proof goes through: for each form every kind that rules could tell apart, and broken ones."""

from collections.abc import Callable, Mapping
from dataclasses import field
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final, Literal

from quorate.errors import BadSetting
from quorate.frozen import dataclass

__all__ = ["BallotKind", "BallotSet", "ballots_of"]

Fields = Mapping[str, object]
Sort = Literal["vote", "veto", "silent", "abstain", "garbage"]


@dataclass(frozen=True, slots=True, eq=False)
class BallotKind:
    """One kind of ballot as a file has it. `chooses` are the outcomes it is a vote for, `caution` how safe it is.

    `plain` is a vote with nothing else to it: sure, calm and well founded.
    """

    name: str
    fields: Fields
    chooses: tuple[str, ...] = ()
    caution: int = 0
    sort: Sort = "vote"
    plain: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every option that stands on it, first or not."""
        listed = self.fields.get("ranking")
        return tuple(one for place in listed for one in place) if isinstance(listed, list) else self.chooses

    @property
    def is_number(self) -> bool:
        """Whether it names a number, so that an outcome may lie between those that were named."""
        return "value" in self.fields

    @property
    def gives_nothing(self) -> bool:
        """Whether it is no vote at all."""
        return self.sort in {"silent", "abstain", "garbage"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotSet:
    """What seats may cast under one form.

    `kinds` are combined in every way for up to seven seats, `more` besides them for up to `few`. `heads` are those
    that show what a panel withstands. `options` are interchangeable: none of them is more than a name.
    """

    kinds: tuple[BallotKind, ...]
    more: tuple[BallotKind, ...] = ()
    heads: tuple[BallotKind, ...] = ()
    options: tuple[str, ...] = ()
    few: int = 4
    orders: int = 4
    """For up to so many seats every order of the ballots is tried."""
    renamed: Callable[[BallotKind, Mapping[str, str]], str] | None = None
    """The name of the kind that a kind becomes when options change their names."""
    rounds: int = 0
    """Where sides argue: the most rounds that are tried; 0 where heads are counted."""
    by_name: Mapping[str, BallotKind] = field(default_factory=lambda: MappingProxyType[str, BallotKind]({}))


SILENT: Final = BallotKind("silent", {"silence": "timeout"}, sort="silent")
_LETTERS: Final = "ABCDEFG"


def ballots_of(form: str, outcomes: tuple[str, ...]) -> BallotSet:
    """Every kind of ballot of a form, under these outcomes, the boldest first.

    Raises:
        BadSetting: nobody has said which ballots of this form a rule could tell apart.
    """
    made = _FORMS.get(form)
    if made is None:
        raise BadSetting(f"ballots of the form {form!r} cannot be gone through; those of {', '.join(_FORMS)} can")
    found = made(outcomes)
    known = {kind.name: kind for kind in (*found.kinds, *found.more, *found.heads)}
    return BallotSet(
        kinds=found.kinds, more=found.more, heads=found.heads or found.kinds, options=found.options, few=found.few,
        orders=found.orders, renamed=found.renamed, rounds=found.rounds, by_name=MappingProxyType(known),
    )  # fmt: skip


def _garbage(**fields: object) -> BallotKind:
    shown = ", ".join(f"{key} {value!r}" for key, value in fields.items())
    return BallotKind(f"unreadable ({shown})", fields, sort="garbage")


def _decisions(outcomes: tuple[str, ...]) -> BallotSet:
    bold, careful = outcomes[0], outcomes[-1]
    votes = [
        BallotKind(one, _numbers(one, 90, 10), (one,), caution, plain=True) for caution, one in enumerate(outcomes)
    ]
    moods = (
        BallotKind(f"{bold} at high risk", _numbers(bold, 90, 60), (bold,)),
        BallotKind(f"{bold}, unsure", _numbers(bold, 30, 10), (bold,)),
    )
    last = len(outcomes)
    vetoes = (
        BallotKind("VETO", _numbers("VETO", 90, 90), (careful,), last, "veto"),
        BallotKind("VETO at low risk", _numbers("VETO", 90, 10), (careful,), last, "veto"),
    )
    silent = BallotKind("silent", SILENT.fields, caution=last - 1, sort="silent")
    garbage = (
        _garbage(decision="MAYBE", confidence=90, risk=10),
        _garbage(decision=bold, confidence="NaN", risk=10),
        _garbage(decision=bold, confidence=900, risk=10),
        _garbage(),
    )
    return BallotSet(kinds=(*votes, *moods, *vetoes, silent), more=garbage)


def _numbers(decision: str, confidence: int, risk: int) -> Fields:
    return {"decision": decision, "confidence": confidence, "risk": risk}


def _votes(_: tuple[str, ...]) -> BallotSet:
    options = tuple(f"Option {letter}" for letter in _LETTERS)
    votes = tuple(BallotKind(one, {"option": one, "confidence": 0.9}, (one,), plain=True) for one in options)
    nothing = (BallotKind("abstains", {"option": "abstain", "confidence": 0.9}, sort="abstain"), SILENT)
    garbage = (_garbage(option="", confidence=0.9), _garbage(option="Option A", confidence="NaN"), _garbage())
    return BallotSet(kinds=(*votes, *nothing), more=garbage, options=options, orders=3, renamed=_swapped)


def _swapped(kind: BallotKind, names: Mapping[str, str]) -> str:
    return names.get(kind.name, kind.name)


def _approvals(_: tuple[str, ...]) -> BallotSet:
    options = tuple(f"Option {letter}" for letter in _LETTERS[:3])
    sets = [chosen for size in range(4) for chosen in combinations(options, size)]
    nothing = (BallotKind("abstains", {"approved": "abstain", "confidence": 0.9}, sort="abstain"), SILENT)
    heads = tuple(_approves((f"Option {letter}",)) for letter in _LETTERS)
    garbage = (
        _garbage(approved={"x": 1}, confidence=0.9),
        _garbage(approved=["Option A"], confidence="NaN"),
        _garbage(),
    )
    return BallotSet(
        kinds=(*map(_approves, sets), *nothing), more=garbage, heads=(*heads, SILENT), options=options, few=3,
        orders=3, renamed=lambda kind, names: _approval_name(tuple(sorted(names[one] for one in kind.chooses)), kind),
    )  # fmt: skip


def _approves(chosen: tuple[str, ...]) -> BallotKind:
    fields = {"approved": list(chosen), "confidence": 0.9}
    return BallotKind(_approval_name(chosen), fields, chosen, plain=len(chosen) == 1)


def _approval_name(chosen: tuple[str, ...], kind: BallotKind | None = None) -> str:
    if kind is not None and kind.gives_nothing:
        return kind.name
    return f"approves {', '.join(chosen) or 'none'}"


def _rankings(_: tuple[str, ...]) -> BallotSet:
    options = tuple(f"Option {letter}" for letter in _LETTERS[:3])
    kinds = {_places(order): order for order in _orders(options)}
    votes = tuple(
        BallotKind(name, {"ranking": [list(place) for place in order], "confidence": 0.9}, order[0], plain=True)
        for name, order in kinds.items()
    )
    nothing = (BallotKind("abstains", {"ranking": "abstain", "confidence": 0.9}, sort="abstain"), SILENT)
    garbage = (_garbage(ranking={"x": 1}, confidence=0.9), _garbage(ranking=["Option A"], confidence="NaN"), _garbage())
    return BallotSet(
        kinds=(*votes, *nothing), more=garbage, options=options, few=2, orders=3, renamed=_rearranged
    )  # fmt: skip


def _orders(options: tuple[str, ...]) -> list[tuple[tuple[str, ...], ...]]:
    """Every order of three options, equals in one place."""
    found: list[tuple[tuple[str, ...], ...]] = []
    for a, b, c in permutations(options):
        found += [((a,), (b,), (c,)), (tuple(sorted((a, b))), (c,)), ((a,), tuple(sorted((b, c))))]
    return [*dict.fromkeys(found), (tuple(options),)]


def _places(order: tuple[tuple[str, ...], ...]) -> str:
    return " > ".join(" = ".join(place) for place in order)


def _rearranged(kind: BallotKind, names: Mapping[str, str]) -> str:
    if kind.gives_nothing:
        return kind.name
    places = [place.split(" = ") for place in kind.name.split(" > ")]
    return _places(tuple(tuple(sorted(names[one] for one in place)) for place in places))


def _estimates(_: tuple[str, ...]) -> BallotSet:
    values = (0, 90, 100, 105, 110, 130)
    votes = tuple(
        BallotKind(str(value), {"value": value, "confidence": 0.9}, (str(value),), plain=True) for value in values
    )
    garbage = (_garbage(value="many", confidence=0.9), _garbage(value="NaN", confidence=0.9), _garbage())
    return BallotSet(kinds=(*votes, SILENT), more=garbage, orders=4)


def _findings(outcomes: tuple[str, ...]) -> BallotSet:
    unknown = outcomes[1]
    votes = [_finding(one, one, 0.9, one, plain=True) for one in (outcomes[0], outcomes[2])]
    unsure = _finding(outcomes[0], f"{outcomes[0]}, unsure", 0.3, "unsure")
    undetermined = BallotKind(
        unknown, {"outcome": unknown, "confidence": 0.9, "evidence": []}, (unknown,), 1, plain=True
    )
    unsupported = BallotKind(
        f"{outcomes[0]} without a source", {"outcome": outcomes[0], "confidence": 0.9, "evidence": []}, sort="garbage"
    )
    garbage = (_garbage(outcome="PERHAPS", confidence=0.9), _garbage(outcome=outcomes[0], confidence="NaN"), _garbage())
    return BallotSet(kinds=(*votes, undetermined, unsure, unsupported, SILENT), more=garbage)


def _finding(choice: str, name: str, sure: float, page: str, *, plain: bool = False) -> BallotKind:
    sources = [{"url": f"https://example.org/{page.lower()}", "title": "A page", "quote": "Words that stand on it."}]
    return BallotKind(name, {"outcome": choice, "confidence": sure, "evidence": sources}, (choice,), plain=plain)


def _arguments(_: tuple[str, ...]) -> BallotSet:
    """How strong an argument is: what counts of its words is its evidence."""
    levels: tuple[tuple[str, list[str]], ...] = (
        ("strong", ["It took 300 euros"]),
        ("weak", ["It could matter"]),
        ("without evidence", []),
    )
    votes = tuple(
        BallotKind(name, {"claims": ["It is so"], "evidence": evidence, "confidence": 0.8}, caution=at)
        for at, (name, evidence) in enumerate(levels)
    )
    garbage = (_garbage(claims=[], confidence=0.8), _garbage(claims=["It is so"], confidence="NaN"), _garbage())
    silent = BallotKind("silent", SILENT.fields, caution=len(levels), sort="silent")
    return BallotSet(kinds=(*votes, silent), more=garbage, rounds=3, few=1)


_FORMS: Final[Mapping[str, Callable[[tuple[str, ...]], BallotSet]]] = MappingProxyType(
    {
        "decision": _decisions,
        "vote": _votes,
        "approval": _approvals,
        "ranking": _rankings,
        "estimate": _estimates,
        "finding": _findings,
        "argument": _arguments,
    }
)
