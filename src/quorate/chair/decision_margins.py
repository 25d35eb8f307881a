"""What a verdict means: the tally and rulebook behind it, who could have changed it, and what the panel withstands.

Asking the rules of other ballots takes up to twenty milliseconds. A record therefore doesn't hold the answers, they
follow from it, and a batch that nobody looks at never pays for them: they are worked out at the first question and
stay with the state, so that all views of it share them.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from quorate import catalogue, chair, rules
from quorate.analysis.fault_domains import merge_domains
from quorate.analysis.flip_margin import Flip, FlipMargin, flip_margin, single_flips
from quorate.chair.tolerance import Tolerance, tolerance_of
from quorate.frozen import dataclass
from quorate.model import Convened, Decided, Panel, Rulebook, Silence, Tally, TurnedAway, Verdict, Voice
from quorate.model.once import worked_out_once
from quorate.model.specs import ProtocolSpec

__all__ = ["Decision", "bench_tally", "decision_of"]


@dataclass(frozen=True)
class Decision:
    """A verdict with the tally it was reached on and the rulebook that reached it.

    It has no slots: what a search finds, and what the rules say of other ballots, is worked out once for all views.
    """

    verdict: Verdict
    tally: Tally
    rulebook: Rulebook
    protocol: str = ""

    @worked_out_once
    def votes(self) -> tuple[Voice, ...]:
        """Every vote as it was counted; one that was assumed has the numbers and the reason it is shown with."""
        voices = self._counted.voices
        return tuple(_assumed(voice, self.tally.silent) if voice.assumed else voice for voice in voices)

    @worked_out_once
    def _counted(self) -> Tally:
        silence = self.rulebook.silence
        return self.tally if silence in {"none", "carry"} else self.tally.assuming(silence)

    @property
    def agreed_on(self) -> str | None:
        """Which option the agreement is the share of, votes that were assumed included; none if several have as many.

        Where a vote is more than one option it is the share behind what the rules decided.
        """
        if self.verdict.agreement is None:
            return None
        if any(voice.vote is not None for voice in self._counted.voices):
            return self.before_caps.outcome
        leaders = self._counted.leaders
        return leaders[0] if len(leaders) == 1 else None

    def other_choice(self, seat: str) -> str:
        """What a seat chose, where that is not the outcome; nothing of a seat that chose it or chose nothing."""
        found = [voice for voice in self.tally.stated() if voice.seat == seat]
        return found[0].choice if found and not found[0].backs(self.verdict.outcome) else ""

    @property
    def without_vote(self) -> tuple[tuple[str, str], ...]:
        """Whose vote is counted for nothing, and why there is none; those of a debate argue, and have none."""
        if self.tally.sides:
            return ()
        counted = {voice.seat for voice in self._counted.voices}
        reasons = {gone.seat: gone.why for gone in self.tally.silent}
        reasons |= dict.fromkeys(self.tally.abstained, "abstained") | dict.fromkeys(self.tally.not_needed, "not_needed")
        return tuple((seat, reasons[seat]) for seat in self.tally.eligible if seat in reasons and seat not in counted)

    @property
    def without_vote_lines(self) -> list[str]:
        """The same in words; of a seat that wasn't needed also what it had sealed."""
        lines: list[str] = []
        for seat, why in self.without_vote:
            sealed = self.sealed_choice(seat) if why == "not_needed" else None
            lines.append(f"{seat}: not needed (had sealed {sealed})" if sealed else f"{seat}: {why}")
        return lines

    def sealed_choice(self, seat: str) -> str | None:
        """What a seat had chosen before the discussion, none if it had sealed nothing."""
        sealed = self.tally.sealed
        return next((voice.choice for voice in sealed.voices if voice.seat == seat), None) if sealed else None

    @worked_out_once
    def sealed(self) -> Verdict | None:
        """What the ballots cast before the discussion came to by the rules, whatever a cap would have held back."""
        tally = self.tally.sealed
        if tally is None or not tally.stated():
            return None
        return rules.apply_rulebook(replace(tally, demo=False), replace(self.rulebook, unless=()))

    @worked_out_once
    def before_caps(self) -> Verdict:
        """What the rules decided before a cap, or the check behind them all, made it more careful."""
        if self.verdict.rule in {rules.COUNT_FAILED, rules.RULE_FAILED}:
            return self.verdict
        counted = replace(self._counted, demo=False, meant=())
        return rules.ask_rules(counted, replace(self.rulebook, unless=()), [])[1]

    @worked_out_once
    def tolerance(self) -> Tolerance:
        """How few seats or providers decide or block, whatever was voted."""
        return tolerance_of(self.tally, self.rulebook)

    @worked_out_once
    def single_flips(self) -> tuple[Flip, ...]:
        """Every seat whose ballot alone, had it been another, would have brought another outcome, decided or not."""
        return single_flips(self.tally, partial(rules.apply_rulebook, rulebook=self.rulebook))

    @worked_out_once
    def margin(self) -> FlipMargin | None:
        """How few ballots, cast otherwise, would have brought another outcome; none is not computed."""
        return flip_margin(self.tally, partial(rules.apply_rulebook, rulebook=self.rulebook))


def _assumed(voice: Voice, silent: tuple[Silence, ...]) -> Voice:
    gone = next((gone for gone in silent if gone.seat == voice.seat), None)
    why = f"silent: {gone.why}{f' ({gone.detail})' if gone.detail else ''}" if gone else "silent"
    return replace(voice, confidence=Fraction(1, 2), risk=Fraction(3, 4), reason=why)


def decision_of(state: chair.State) -> Decision | None:
    """The decision of a record; it is kept with the state, so that card, document and page work out nothing twice."""
    if "_decision" not in state.__dict__:
        state.__dict__["_decision"] = _decision_of(state)
    kept: Decision | None = state.__dict__["_decision"]
    return kept


def _decision_of(state: chair.State) -> Decision | None:
    convened = state.convened
    match state.closed:
        case Decided(verdict=verdict):
            return Decision(verdict, chair.tally_of(state), convened.rulebook, convened.protocol)
        case TurnedAway(verdict=verdict):
            bench = bench_tally(convened.panel, catalogue.protocol(convened.protocol), convened.settings)
            return Decision(verdict, replace(bench, domains=_domains(convened)), convened.rulebook, convened.protocol)
        case _:
            return None


def bench_tally(panel: Panel, spec: ProtocolSpec, settings: Sequence[tuple[str, str]] = ()) -> Tally:
    """The tally of a panel of which nobody has voted yet: who may, for what, and who holds the veto."""
    return Tally(
        eligible=tuple(seat.name for seat in panel.voters),
        options=spec.variant(dict(settings)).choices if spec.varies_by else spec.outcomes,
        guardians=tuple(seat.name for seat in panel if "veto" in seat.powers),
        demo=panel.demo,
    )


def _domains(convened: Convened) -> tuple[tuple[str, str], ...]:
    return tuple((sat.seat, sat.domain) for sat in merge_domains(convened.seated))
