"""Act or escalate: a deliberation is given the score from which its panel may be relied on alone, or told why not."""

from collections.abc import Sequence
from dataclasses import field, replace
from fractions import Fraction

from quorate.evaluate.act_threshold import ActThreshold, act_threshold, error_free_acts
from quorate.evaluate.decision_cache import cache_place, past_decisions
from quorate.evaluate.past_decisions import ACT_ERROR, PastDecision, certified_scores, likeness, without_act_error
from quorate.frozen import dataclass
from quorate.ledger import Ledger
from quorate.model import Convened, PartRef

__all__ = ["ActGate", "PanelCertifier", "certify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActGate:
    """What was found for one panel: the deliberation with its cap, and a sentence about it."""

    convened: Convened
    threshold: ActThreshold
    at_most: Fraction

    @property
    def sentence(self) -> str:
        found = self.threshold
        if found.score is None:
            return f"every verdict goes to a person: {found.why}"
        share = f"{100 * found.coverage:.0f} % of the {found.labels} labelled past decisions of this panel"
        return f"verdicts with a score of {float(found.score):.4g} or more may be acted on: that holds for {share}"


@dataclass(slots=True, kw_only=True)
class PanelCertifier:
    """Gives many deliberations of a panel their cap, from one reading of the ledger."""

    at_most: Fraction
    known: Sequence[PastDecision]
    _gates: dict[str, ActGate] = field(default_factory=dict[str, ActGate])

    @classmethod
    async def read(cls, at_most: Fraction, ledger: Ledger, protocol: str, place: str = "") -> "PanelCertifier":
        """With the ledger's labels as they are now; `place` is the ledger's file, beside which what was read is kept.

        Raises:
            LedgerError: the ledger cannot be read.
        """
        cache = cache_place(place) if place else None
        return cls(at_most=at_most, known=await past_decisions(ledger, cache, lambda one: one.protocol == protocol))

    def certify(self, convened: Convened) -> tuple[ActGate, bool]:
        """A deliberation with the cap that the labels of decisions like it allow, and whether that is news."""
        like = likeness(convened)
        is_new = like not in self._gates
        if is_new:
            self._gates[like] = certify(convened, self.at_most, self.known)
        gate = self._gates[like]
        return replace(gate, convened=replace(convened, rulebook=gate.convened.rulebook)), is_new


def certify(convened: Convened, at_most: Fraction, known: Sequence[PastDecision]) -> ActGate:
    """Find the score on labelled decisions of the same panel under the same rules, and write it into the rulebook."""
    cases = certified_scores(known, likeness(convened))
    found = act_threshold([score for score, _ in cases], [right for _, right in cases], float(at_most))
    needed = error_free_acts(float(at_most))
    settings = (
        ("at_most", str(at_most)),
        ("certified", str(found.score is not None).lower()),
        ("at_least", str(found.score if found.score is not None else 1)),
        ("acts", str(found.acts)),
        ("errors", str(found.errors)),
        ("labels", str(found.labels)),
        ("needed", str(needed)),
    )
    book = without_act_error(convened.rulebook)
    book = replace(book, unless=(*book.unless, PartRef(ACT_ERROR, settings)))
    return ActGate(convened=replace(convened, rulebook=book), threshold=found, at_most=at_most)
