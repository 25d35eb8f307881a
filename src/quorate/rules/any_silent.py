"""At least one seat gave no ballot."""

from quorate.model import Tally, Verdict


def rule(tally: Tally, *, means: str = "REFUSE") -> Verdict | None:
    if not tally.silent:
        return None
    who = ", ".join(gone.seat for gone in tally.silent)
    return Verdict.on(tally, means, f"no ballot from {who}", decided=False)
