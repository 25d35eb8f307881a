"""Seats meant to be independent that fell back on one model are one voice: too few voices decide nothing."""

from typing import Final

from quorate.model import Ranking, Tally, Verdict
from quorate.model.specs import RuleSpec
from quorate.model.verdict import HELD


def cap(tally: Tally, verdict: Verdict, *, instead_of: str = "", means: str = "") -> Verdict | None:
    if tally.vetoes or not verdict.decided:
        return None
    # A rule that looks into rankings may follow seats that did not put the outcome first: then all of them count.
    whole = _is_ranked(tally)
    behind = {voice.seat for voice in tally.stated() if whole or voice.seat not in verdict.dissent}
    voices = len(behind) - _lost(tally, behind)
    if voices == len(behind) or 3 * voices >= 2 * len(tally.eligible):
        return None
    return _lowered(tally, verdict, (len(behind), voices), (instead_of, means))


def _is_ranked(tally: Tally) -> bool:
    return any(isinstance(voice.vote, Ranking) for voice in tally.stated())


def _lowered(tally: Tally, verdict: Verdict, count: tuple[int, int], outcomes: tuple[str, str]) -> Verdict:
    """The verdict that so many seats with so few voices come to; `outcomes` are the bold one and what it becomes."""
    seats, voices = count
    heard = f"{voices} {'voice' if voices == 1 else 'voices'}"
    who = "that voted" if _is_ranked(tally) else f"for {verdict.outcome}"
    reason = f"after fallbacks the {seats} seats {who} share models and count as {heard}"
    bold, careful = (given or own for given, own in zip(outcomes, (*tally.options[:2], "", ""), strict=False))
    if not careful or verdict.outcome != bold:
        because = f"{verdict.because}{HELD}{reason}, so nothing is decided"
        return Verdict.on(tally, verdict.outcome, because, decided=False, review=True)
    return verdict.lowered(tally, careful, reason)


def _lost(tally: Tally, behind: set[str]) -> int:
    """How many voices fewer they are: of the seats that were apart and now share a domain, all but one."""
    meant = dict(tally.meant)
    groups: dict[str, set[str]] = {}
    for seat, domain in tally.domains:
        if seat in behind:
            groups.setdefault(domain, set()).add(meant.get(seat, domain))
    return sum(len(apart) - 1 for apart in groups.values())


SPEC: Final = RuleSpec(cap=cap)
