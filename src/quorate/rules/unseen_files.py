"""Never approves what holds files or passages the panel could not read."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(
    tally: Tally, verdict: Verdict, *, files: str = "", instead_of: str = "ACT", means: str = "WARN"
) -> Verdict | None:
    if not files or verdict.outcome != instead_of:
        return None
    return verdict.lowered(tally, means, f"nobody could read {files}")


SPEC: Final = RuleSpec(cap=cap)
