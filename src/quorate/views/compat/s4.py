"""The S4 system's own decision: decision, reasoning and its metadata, on its scale of 0 to 100."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.errors import BadSetting
from quorate.model import Failed, Tally, Verdict, Voice
from quorate.views import GATE, VIEWS, Record
from quorate.views.access import access_sentence
from quorate.views.result import Decision, Result, bench_tally

__all__ = ["s4", "s4_decision", "s4_vote", "to_hundred"]

Json = dict[str, object]

HIGH_RISK: Final = Fraction(3, 4)
"""Above it a risk is highlighted, even if its seat is outvoted."""


def s4(record: Record) -> Json:
    """The final decision of a recorded deliberation in S4's words; without a verdict, nothing but nulls.

    Raises:
        BadSetting: its protocol has other outcomes than S4.
    """
    protocol = record.state.convened.protocol
    if not VIEWS["s4"].fits(protocol):
        raise BadSetting(f"this is a {protocol}, and that form shows tribunals; try minutes or json")
    decision = Result.of(record).decision or _not_asked(record)
    return {"decision": None, "reasoning": None, "metadata": None} if decision is None else s4_decision(decision)


def _not_asked(record: Record) -> Decision | None:
    """S4 knows no failure: where the panel couldn't be asked it refuses, on nobody's vote."""
    state = record.state
    if not isinstance(state.closed, Failed):
        return None
    convened, spec = state.convened, catalogue.protocol(state.convened.protocol)
    verdict = Verdict(outcome=spec.turned_away, decided=False, rule="all_silent", because=access_sentence(state))
    return Decision(verdict, bench_tally(convened.panel, spec, convened.settings), convened.rulebook, convened.protocol)


def s4_decision(decision: Decision) -> Json:
    """One decision as S4 writes it. Every figure is computed, whatever the number of seats.

    Raises:
        BadSetting: its outcomes are others than S4's.
    """
    verdict, tally, votes = decision.verdict, decision.tally, decision.votes
    if tally.options != GATE:
        raise BadSetting(f"S4 decides {', '.join(GATE)}, and this was about something else; try json")
    veto, risks = next((vote for vote in votes if vote.veto), None), _risks(tally)
    return {
        "decision": verdict.outcome,
        "reasoning": _reasoning(verdict, decision),
        "metadata": {
            "agreement_percentage": to_hundred(verdict.agreement),
            "agreement_on": decision.agreed_on,
            "vote_breakdown": {option: sum(vote.option == option for vote in votes) for option in GATE},
            "max_risk": to_hundred(max(risks.values(), default=None)),
            "high_risk": [seat for seat, risk in risks.items() if risk > HIGH_RISK],
            "avg_confidence": to_hundred(tally.confidence()),
            "veto": veto is not None,
            "veto_applied": verdict.rule == "veto",
            **_veto(veto),
            "dissenting_votes": len(verdict.dissent),
            "consensus_type": _kind(verdict),
            "individual_votes": [_individual(vote) for vote in votes],
        },
    }


def _risks(tally: Tally) -> dict[str, Fraction]:
    return {vote.seat: vote.risk for vote in tally.stated() if vote.risk is not None}


def _veto(veto: Voice | None) -> Json:
    if veto is None:
        return {"veto_agent": None, "veto_risk": None, "veto_reason": None}
    return {
        "veto_agent": f"{veto.seat} Agent",
        "veto_risk": to_hundred(veto.risk),
        "veto_reason": veto.reason or None,
    }


def _individual(vote: Voice) -> Json:
    return {
        "agent": vote.seat,
        "decision": vote.choice,
        "confidence": to_hundred(vote.confidence),
        "assumed": vote.assumed,
    }


def s4_vote(vote: Voice) -> Json:
    """A final position as S4 logs it."""
    return {
        "agent": f"{vote.seat} Agent",
        "decision": vote.choice,
        "confidence": to_hundred(vote.confidence),
        "risk": to_hundred(vote.risk),
        "reasoning": vote.reason,
        "assumed": vote.assumed,
    }


def _kind(verdict: Verdict) -> str:
    """How far the seats agreed on the decision; `held_back` where a cap made it another than they had agreed on."""
    spoke = [asked.rule for asked in verdict.trace if asked.said] or [verdict.rule]
    return _KINDS.get(spoke[0], "split") if len(spoke) == 1 else "held_back"


def _reasoning(verdict: Verdict, decision: Decision) -> str:
    choice, tally = verdict.outcome or "", decision.tally
    match verdict.rule:
        case "veto":
            return f"🛡️ {tally.vetoes[0].seat} Agent exercised VETO power: {tally.vetoes[0].reason}"
        case "unanimous" if choice == GATE[1]:
            return "⚠️ Unanimous caution: All agents recommend careful consideration"
        case "unanimous":
            return f"✅ Unanimous decision: All agents agree on {choice}"
        case "supermajority":
            return _majority(choice, decision)
        case "hold" if choice == GATE[1]:
            counts = ", ".join(f"{sum(vote.option == option for vote in decision.votes)} {option}" for option in GATE)
            return (
                f"⚠️ Agents disagree: {counts}. Weak consensus suggests uncertainty. "
                f"Proceeding with {choice} as the safest default."
            )
        case _:
            return f"⚠️ {verdict.because}"


def _majority(choice: str, decision: Decision) -> str:
    votes, dissents = decision.votes, len(decision.verdict.dissent)
    share = f"{sum(vote.option == choice for vote in votes)}/{len(decision.tally.eligible)}"
    if choice != GATE[0]:
        return f"⚠️ Strong majority ({share}): {choice} is the safer path"
    assumed, not_needed = sum(vote.assumed for vote in votes), len(decision.tally.not_needed)
    against = [
        "" if not dissents else "one dissent" if dissents == 1 else f"{dissents} dissents",
        "" if not assumed else "one vote assumed" if assumed == 1 else f"{assumed} votes assumed",
        "" if not not_needed else "one seat not needed" if not_needed == 1 else f"{not_needed} seats not needed",
    ]
    return f"✅ Strong majority ({share}): Proceeding with {choice} despite {' and '.join(filter(None, against))}"


def to_hundred(value: Fraction | None) -> float | int | None:
    """A share on S4's scale, to one place; whole numbers stay whole."""
    if value is None:
        return None
    scaled = round(float(value * 100), 1)
    return int(scaled) if scaled.is_integer() else scaled


_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "veto": "veto",
        "unanimous": "unanimous",
        "supermajority": "strong_majority",
        "all_silent": "no_votes",
        "guard": "turned_away",
    }
)
