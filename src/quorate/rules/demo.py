"""A demo panel's answers carry no information, so it never approves."""

from typing import Final

from quorate.analysis.careful_outcome import CAREFUL
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(tally: Tally, verdict: Verdict, *, instead_of: str = "", means: str = "") -> Verdict | None:
    if not tally.demo or not tally.options:
        return None
    bold = _bold(tally, verdict, instead_of)
    if verdict.outcome != bold:
        return None
    # A caller may set `means`, and a word that approves is no careful one.
    named = means if bold == instead_of and means not in {*CAREFUL, bold} else ""
    careful = named or CAREFUL.get(bold) or tally.options[1]
    return verdict.lowered(tally, careful, "this is a demo panel, which does not answer the question")


def _bold(tally: Tally, verdict: Verdict, instead_of: str) -> str:
    """The word that approves: one known to, the one a rulebook names, else the first of somebody's own protocol."""
    if verdict.outcome is not None and verdict.outcome in CAREFUL:
        return verdict.outcome
    return instead_of or ("" if "UNDETERMINED" in tally.options else tally.options[0])


SPEC: Final = RuleSpec(cap=cap)
