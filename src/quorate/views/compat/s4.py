"""The S4 system's own decision: decision, reasoning and its metadata, on its scale of 0 to 100."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import chair
from quorate.errors import BadSetting
from quorate.model import Decided, Tally, TurnedAway, Verdict, Voice
from quorate.views import GATE, VIEWS, Record

__all__ = ["s4", "s4_decision"]

Json = dict[str, object]


def s4(record: Record) -> Json:
    """The final decision of a recorded deliberation in S4's words; without a verdict, nothing but nulls.

    Raises:
        BadSetting: its protocol has other outcomes than S4.
    """
    state = record.state
    protocol = state.convened.protocol
    if not VIEWS["s4"].fits(protocol):
        raise BadSetting(f"this is a {protocol}, and that form shows tribunals; try minutes or json")
    if isinstance(state.closed, TurnedAway):
        return s4_decision(state.closed.verdict, Tally(eligible=(), options=GATE))
    if not isinstance(state.closed, Decided):
        return {"decision": None, "reasoning": None, "metadata": None}
    return s4_decision(state.closed.verdict, chair.tally_of(state).assuming(state.convened.rulebook.silence))


def s4_decision(verdict: Verdict, tally: Tally) -> Json:
    """One decision as S4 writes it. Every figure is computed, whatever the number of seats."""
    return {
        "decision": verdict.outcome,
        "reasoning": _reasoning(verdict, tally),
        "metadata": {
            "agreement_percentage": to_hundred(verdict.agreement),
            "vote_breakdown": {option: tally.heads(option) for option in tally.options},
            "max_risk": to_hundred(max((v.risk for v in tally.stated() if v.risk is not None), default=None)),
            "avg_confidence": to_hundred(tally.confidence()),
            "veto": bool(tally.vetoes),
            "veto_applied": verdict.rule == "veto",
            "veto_agent": f"{tally.vetoes[0].seat} Agent" if tally.vetoes else None,
            "veto_risk": to_hundred(tally.vetoes[0].risk) if tally.vetoes else None,
            "veto_reason": tally.vetoes[0].reason if tally.vetoes else None,
            "consensus_type": _KINDS.get(verdict.rule, "split"),
            "individual_votes": [_individual(voice) for voice in tally.voices],
        },
    }


def _individual(voice: Voice) -> Json:
    confidence = Fraction(1, 2) if voice.assumed else voice.confidence
    return {
        "agent": voice.seat,
        "decision": "VETO" if voice.veto else voice.option,
        "confidence": to_hundred(confidence),
    }


def _reasoning(verdict: Verdict, tally: Tally) -> str:
    choice = verdict.outcome or ""
    match verdict.rule:
        case "veto":
            reason = tally.vetoes[0].reason if tally.vetoes else verdict.because
            return f"🛡️ {tally.vetoes[0].seat} Agent exercised VETO power: {reason}"
        case "unanimous":
            return f"✅ Unanimous decision: All agents agree on {choice}"
        case "supermajority":
            share = f"{tally.heads(choice)}/{len(tally.eligible)}"
            against = len(tally.eligible) - tally.heads(choice)
            if choice == tally.options[0]:
                dissent = "one dissent" if against == 1 else f"{against} dissents"
                return f"✅ Strong majority ({share}): Proceeding with {choice} despite {dissent}"
            return f"⚠️ Strong majority ({share}): {choice} is the safer path"
        case "hold":
            counts = ", ".join(f"{tally.heads(option)} {option}" for option in tally.options)
            return (
                f"⚠️ Agents disagree: {counts}. Weak consensus suggests uncertainty. "
                f"Proceeding with {choice} as the safest default."
            )
        case _:
            return f"⚠️ {verdict.because}"


def to_hundred(value: Fraction | None) -> float | int | None:
    """A share on S4's scale, to one place; whole numbers stay whole."""
    if value is None:
        return None
    scaled = round(float(value * 100), 1)
    return int(scaled) if scaled.is_integer() else scaled


_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {"veto": "veto", "unanimous": "unanimous", "supermajority": "strong_majority"}
)
