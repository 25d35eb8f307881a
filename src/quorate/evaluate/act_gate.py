"""Act or escalate: a deliberation is given the score from which its panel may be relied on alone, or told why not."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from fractions import Fraction

from quorate.evaluate.act_threshold import ActThreshold, act_threshold, error_free_acts
from quorate.evaluate.decision_cache import cache_place, past_decisions
from quorate.evaluate.past_decisions import ACT_ERROR, PastDecision, certified_scores, likeness, without_act_error
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.model import Convened, PartRef
from quorate.settings import table
from quorate.settings.settings import Settings

__all__ = ["ActGate", "PanelCertifier", "certify", "certify_by_settings", "certify_from_ledger"]


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


async def certify_by_settings(convened: Convened, settings: Settings) -> Convened:
    """The deliberation as the ledger's labels allow it to be relied on; as it is, where nobody asked for a promise.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    at_most = settings.get(table.ACT_ERROR)
    if at_most is None:
        return convened
    held = open_ledger(settings[table.LEDGER])
    try:
        return (await certify_from_ledger(convened, at_most, held, settings[table.LEDGER])).convened
    finally:
        await held.close()


async def certify_from_ledger(convened: Convened, at_most: Fraction, held: Ledger, place: str = "") -> ActGate:
    """The deliberation with the cap that the ledger's labels allow.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    cache = cache_place(place) if place else None
    known = await past_decisions(held, cache, lambda one: one.protocol == convened.protocol)
    return certify(convened, at_most, known)


@dataclass(slots=True, kw_only=True)
class PanelCertifier:
    """Gives many deliberations of a panel their cap, from one reading of the ledger; `tell` hears each new sentence."""

    at_most: Fraction
    known: Sequence[PastDecision]
    tell: Callable[[str], None]
    _found: dict[str, ActGate] = field(default_factory=dict[str, ActGate])

    @classmethod
    async def read(cls, at_most: Fraction, place: str, protocol: str, tell: Callable[[str], None]) -> "PanelCertifier":
        """With the ledger's labels as they are now.

        Raises:
            LedgerError: the ledger cannot be read.
        """
        held = open_ledger(place)
        try:
            known = await past_decisions(held, cache_place(place), lambda one: one.protocol == protocol)
        finally:
            await held.close()
        return cls(at_most=at_most, known=known, tell=tell)

    def certified(self, convened: Convened) -> Convened:
        """A deliberation with the cap that the labels of decisions like it allow."""
        like = likeness(convened)
        if like not in self._found:
            self._found[like] = certify(convened, self.at_most, self.known)
            self.tell(self._found[like].sentence)
        return replace(convened, rulebook=self._found[like].convened.rulebook)


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
