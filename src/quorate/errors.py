"""Every exception quorate raises. Outcomes (split, veto, no quorum, turned away, silence) are not errors.

QuorateError
├── UnknownName           no protocol, rule, rulebook, preset, seat or model of that name
├── BadSetting            a setting, a ballot file or a command-line value that cannot be read
├── BadPanel              a panel or configuration file that cannot be read
├── BadPlugin             what a package adds cannot be used: not imported, wrongly declared, or its name is taken
├── NoModel               nothing to ask was configured
├── NoWorker              nobody takes deliberations from the queue of this ledger
├── NotTrusted            a file or a record would act, or a key would leave its provider, and nobody allowed it
├── PriceUnknown          a money budget over a model whose price nobody knows
├── PanelistError         whoever answers for a seat did not; becomes Silence, never reaches a caller
│   └── PartDeclined      an endpoint does not take part of a request; asked again at once without it
├── PanelistWaits         whoever answers will do so later; the record waits, and a caller never sees this
├── ScriptError           a scripted panelist was asked what it has no reply for, or kept one unused
└── LedgerError           the record cannot be read or written
    ├── NotRecorded       no deliberation of that id, or more than one begins so
    ├── OtherVersion      written by another version of quorate
    ├── LedgerUnwritable  full disk, read-only, no permission, a database that is away
    ├── LedgerBroken      the hash chain does not hold
    ├── LedgerMismatch    the record is not what its own words come to
    └── OwnerLost         another process owns this deliberation
"""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "BadPanel",
    "BadPlugin",
    "BadSetting",
    "LedgerBroken",
    "LedgerError",
    "LedgerMismatch",
    "LedgerUnwritable",
    "NoModel",
    "NoWorker",
    "NotRecorded",
    "NotTrusted",
    "OtherVersion",
    "OwnerLost",
    "PanelistError",
    "PanelistWaits",
    "PartDeclined",
    "PriceUnknown",
    "QuorateError",
    "ScriptError",
    "Suggestion",
    "UnknownName",
]


class Suggestion(NamedTuple):
    """What to set instead, as data: the command line words it as a flag, the page as a control, the API as fields.

    `setting` is a name of the table of options or a field of the question; a part of one follows a dot, as in
    `seats.Safety`. An empty `value` means that any value would do.
    """

    setting: str
    value: str = ""
    wish: str = ""
    """What it is good for: "to choose among options"."""

    @property
    def sentence(self) -> str:
        """In words that fit every interface."""
        what = f"set {self.setting} to {self.value!r}" if self.value else f"set {self.setting}"
        return f"{self.wish[:1].upper()}{self.wish[1:]}, {what}." if self.wish else f"{what[:1].upper()}{what[1:]}."


class QuorateError(Exception):
    """The root of the tree above; its text is one sentence that says what to do.

    `suggestions` are settings that would help. An interface that has its own words for settings shows `reason` and
    words them itself.
    """

    def __init__(self, reason: str = "", *, suggestions: Iterable[Suggestion] = ()) -> None:
        super().__init__(reason)
        self.suggestions = tuple(suggestions)

    @property
    def reason(self) -> str:
        """What is wrong, without the suggestions."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        words = " ".join(suggestion.sentence for suggestion in self.suggestions)
        return f"{self.reason.rstrip('.')}. {words}" if words else self.reason


class UnknownName(QuorateError):
    """No thing of that kind bears that name; what is nearly called so is named, and `hint` says what else to do."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], hint: str = "", *, suggestions: Iterable[Suggestion] = ()
    ) -> None:
        from difflib import get_close_matches  # noqa: PLC0415  a mistake is rare, and a command starts often

        listed = sorted(known)
        there = f"are {', '.join(listed)}" if len(listed) > 1 else f"is only {listed[0]}" if listed else "is none"
        near = get_close_matches(name.casefold(), {one.casefold(): one for one in listed}, 1, 0.7)
        meant = next((one for one in listed if one.casefold() == near[0]), "") if near else ""
        asked = f"; did you mean {meant!r}?" if meant else ""
        more = f"{'' if asked else '.'} {hint}" if hint else ""
        super().__init__(f"no {kind} {name!r}; there {there}{asked}{more}", suggestions=suggestions)


class BadSetting(QuorateError):
    """A value that cannot be read as what it should be."""


class BadPanel(QuorateError):
    """A panel or configuration that cannot be read, with its line and field where known."""


class BadPlugin(QuorateError):
    """Something that a package adds, such as a rule, a provider or a command, cannot be used."""


class NoModel(QuorateError):
    """Nothing to ask was configured."""


class NoWorker(QuorateError):
    """Nobody takes deliberations from the queue of this ledger."""


class NotTrusted(QuorateError):
    """A file or a record would do something that nobody allowed, or a key would go where nobody sent it."""


class PriceUnknown(QuorateError):
    """A money budget needs a price for every model it may call."""


class PanelistError(QuorateError):
    """Whoever answers for a seat did not, and why in one word.

    `again` says whether trying again may help, `after` how many seconds the provider asks to wait,
    and `billed` whether the provider may have charged for the attempt.
    """

    def __init__(
        self, why: str, detail: str = "", *, again: bool = False, after: float | None = None, billed: bool = False
    ) -> None:
        super().__init__(f"{why}: {detail}" if detail else why)
        self.why = why
        self.detail = detail
        self.again = again
        self.after = after
        self.billed = billed


class PartDeclined(PanelistError):
    """An endpoint does not take part of a request, and will not be sent it again: to ask at once is no new attempt."""

    def __init__(self, detail: str) -> None:
        super().__init__("bad_request", detail, again=True)


class PanelistWaits(QuorateError):
    """Whoever answers for a seat has been told and will answer later: no silence, and nothing to try again."""


class ScriptError(QuorateError):
    """A scripted panelist was asked something it has no reply for, or kept a reply nobody asked for."""


class TookTooLong(QuorateError):
    """Work for a request that grows with the ledger took too long, and was stopped; ask for less."""


class LedgerError(QuorateError):
    """The record cannot be read or written."""


class NotRecorded(LedgerError):
    """No deliberation of that id is in this ledger, or more than one begins so."""


class OtherVersion(LedgerError):
    """Another version of quorate wrote it, and this one can't read or check it."""


class LedgerUnwritable(LedgerError):
    """The disk is full, read-only or forbidden, or the database is away; what was acknowledged before is safe."""


class LedgerBroken(LedgerError):
    """The hash chain does not hold."""


class LedgerMismatch(LedgerError):
    """The record is not what its own words come to."""


class OwnerLost(LedgerError):
    """Another process owns this deliberation."""
