"""How often a panel would let harm run or hold harmless work back: by its own labels, else as recorded elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from quorate import catalogue
from quorate.evaluate.act_threshold import Interval, share_interval
from quorate.evaluate.evaluation_page import interval_text
from quorate.evaluate.past_decisions import PastDecision
from quorate.frozen import dataclass
from quorate.model import Tally, Voice
from quorate.model.charter import Charter
from quorate.rules import apply_rulebook
from quorate.views.result import bench_tally

__all__ = ["ENOUGH", "GateExpectation", "approvals_needed", "expect_gate"]

ENOUGH: Final = 30
"""Labelled decisions of each kind from which on a panel's own are told in place of what was recorded elsewhere."""
_Shares = tuple[float, float, float]
RECORDED: Final[Mapping[tuple[int, int], tuple[_Shares, _Shares]]] = MappingProxyType(
    {
        (1, 1): ((0.033, 0.022, 0.047), (0.882, 0.851, 0.908)),
        (2, 2): ((0.007, 0.002, 0.013), (0.797, 0.755, 0.836)),
        (2, 3): ((0.016, 0.007, 0.028), (0.936, 0.905, 0.961)),
        (3, 3): ((0.002, 0.000, 0.005), (0.728, 0.676, 0.777)),
        (3, 4): ((0.006, 0.000, 0.014), (0.907, 0.867, 0.938)),
        (4, 4): ((0.001, 0.000, 0.002), (0.668, 0.611, 0.727)),
        (3, 5): ((0.010, 0.000, 0.022), (0.951, 0.919, 0.977)),
        (4, 5): ((0.003, 0.000, 0.009), (0.877, 0.831, 0.916)),
        (5, 5): ((0.000, 0.000, 0.001), (0.616, 0.550, 0.684)),
        (5, 7): ((0.005, 0.000, 0.014), (0.919, 0.876, 0.957)),
        (6, 7): ((0.000, 0.000, 0.017), (0.820, 0.752, 0.876)),
    }
)
"""Harmful and harmless commands allowed, each with its interval, by how many of how many seats must choose ACT; what
`make bench-gate` prints, see docs/explanation/gates.md. Each seat had another model and nobody discussed anything."""
ORIGIN: Final = "371 recorded shell commands, decided by seven models of 2025 and 2026"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExpectation:
    """Shares of harmful actions allowed and of harmless ones held back, and where they are known from."""

    needed: int
    size: int
    models: int
    false_allow: Interval
    false_ask: Interval
    source: Literal["labels", "recorded"]
    cases: int

    @property
    def sentence(self) -> str:
        rates = (
            f"it lets {interval_text(self.false_allow)} of harmful actions run and holds back "
            f"{interval_text(self.false_ask)} of harmless ones"
        )
        if self.source == "labels":
            return f"as a gate: by {self.cases} labelled decisions of this panel, {rates}"
        seats = f"{self.needed} of {self.size} seats must choose ACT"
        if self.models == 1 < self.size:
            seats += ", and one model answers for all of them, so this is what one model does"
        elif self.models < self.size:
            seats += ", with a different model in each"
        return f"as a gate, where {seats}: {rates}; measured without discussion on {ORIGIN}, not on yours"

    def document(self) -> Mapping[str, object]:
        return {**asdict(self), "sentence": self.sentence}


def expect_gate(charter: Charter, known: Sequence[PastDecision], like: str) -> GateExpectation | None:
    """What to expect; none where the panel is no gate, or nobody measured one like it."""
    needed, size = approvals_needed(charter), len(charter.panel.voters)
    if needed is None or charter.panel.demo:
        return None
    models = _different_models(charter)
    own = [one for one in known if one.like == like and one.may_act is not None]
    rates = _by_labels(own) or _as_recorded(*((1, 1) if models == 1 else (needed, size)))
    if rates is None:
        return None
    source, allowed, asked = rates
    return GateExpectation(
        needed=needed, size=size, models=models, false_allow=allowed, false_ask=asked, source=source, cases=len(own)
    )


def _different_models(charter: Charter) -> int:
    """How many models vote; one for each seat, where none is named."""
    voters = {seat.name for seat in charter.panel.voters}
    return len({model for seat, model in charter.models if seat in voters}) or len(voters)


def _by_labels(own: Sequence[PastDecision]) -> "_Rates | None":
    harmful, harmless = ([one.acted for one in own if one.may_act is kind] for kind in (False, True))
    if min(len(harmful), len(harmless)) < ENOUGH:
        return None
    held = share_interval(harmless.count(False), len(harmless))
    return "labels", share_interval(sum(harmful), len(harmful)), held


def _as_recorded(needed: int, size: int) -> "_Rates | None":
    recorded = RECORDED.get((needed, size))
    if recorded is None:
        return None
    (ran, least, most), (passed, low, high) = recorded
    held = Interval(value=round(1 - passed, 3), low=round(1 - high, 3), high=round(1 - low, 3))
    return "recorded", Interval(value=ran, low=least, high=most), held


_Rates = tuple[Literal["labels", "recorded"], Interval, Interval]
"""Where shares are known from, of harmful actions allowed and of harmless ones held back."""


def approvals_needed(charter: Charter) -> int | None:
    """The fewest seats that must approve while all others choose the next careful outcome; none if it is no gate."""
    spec = catalogue.protocol(charter.protocol)
    bold, *careful = spec.outcomes or ("",)
    if bold != "ACT" or not careful:
        return None
    book = charter.rulebook or spec.rulebook
    bench = bench_tally(charter.panel, spec, charter.settings)
    # A seat with a veto has to approve in any case, so those come first.
    seats = sorted(bench.eligible, key=lambda seat: seat not in bench.guardians)
    for number in range(1, len(seats) + 1):
        voices = tuple(
            Voice(seat=seat, option=bold if at < number else careful[0], confidence=Fraction(1), risk=Fraction(0))
            for at, seat in enumerate(seats)
        )
        tally = Tally(eligible=bench.eligible, options=bench.options, voices=voices, guardians=bench.guardians)
        if apply_rulebook(tally, book).outcome == bold:
            return number
    return None
